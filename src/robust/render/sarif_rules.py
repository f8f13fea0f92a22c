"""The rules of a SARIF log: one for each property, and one for the checks of the contract."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.report_words import in_contract_order

CHECK: Final = "contract-check"
_CHECK: Final = ("ContractCheck", "A check of the contract does not hold", "A gate was measured over the whole run.")
# By property: the name of its rule, what went wrong, and what was compared.
_PROPERTIES: Final = {
    "option_order": (
        "OptionOrder",
        "The answer depends on the order of the options",
        "The same question was asked with its labels in another order.",
    ),
    "label_format": (
        "LabelFormat",
        "The answer depends on how the labels are written",
        "The same question was asked with its labels in another form.",
    ),
    "irrelevant_context": (
        "IrrelevantContext",
        "The answer depends on sentences that say nothing about it",
        "Neutral sentences were put between those of the input.",
    ),
    "repeated_context": (
        "RepeatedContext",
        "The answer depends on a repeated sentence that says nothing about it",
        "One neutral sentence was put into the input several times.",
    ),
    "whitespace": (
        "Whitespace",
        "The answer depends on white space",
        "White space between the words of the input was changed.",
    ),
    "paraphrase": (
        "Paraphrase",
        "The answer depends on the wording",
        "The input was put in other words, or asked again as it is.",
    ),
    "inversion": (
        "Inversion",
        "The answer does not turn round with the question",
        "A rewrite turned the question round, so that the two labels must swap.",
    ),
    "monotonic": (
        "Monotonic",
        "The level moves against a number that was raised",
        "A number of the input was raised, so that the expected level must not move the other way.",
    ),
    "variants": (
        "Variants",
        "A validated variant is answered otherwise than its base",
        "An independent oracle found each variant valid before it came into the manifest.",
    ),
}
_OF_ERRORS: Final = "max_error_rate"
_TAGS: Final = ("robustness", "metamorphic-testing")


def rules(report: JsonObject) -> list[JsonObject]:
    """The rules, that of the checks first, then those of the properties in the order of the contract."""
    return [
        _rule(CHECK, _CHECK, "error"),
        *(_rule(name, _PROPERTIES[name], _level(report, name)) for name in in_contract_order(report)),
    ]


def _rule(rule_id: str, words: tuple[str, str, str], level: str) -> JsonObject:
    name, wrong, compared = words
    text = f"{compared} Limits, levels and what holds are in the contract and in report.json of the run."
    return {
        "id": rule_id,
        "name": name,
        "shortDescription": {"text": wrong},
        "fullDescription": {"text": f"{wrong}. {compared}"},
        "help": {"text": f"{text} Each location is the line of a record in records.jsonl, which can be replayed."},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": list(_TAGS), "problem.severity": level},
    }


def _level(report: JsonObject, name: str) -> str:
    """What a property is in the contract; the check on its errors is a requirement whatever it is."""
    levels = {
        check["level"]
        for check in report["checks"]
        if check["check"].startswith(f"{name}.") and not check["check"].endswith(_OF_ERRORS)
    }
    return "warning" if levels == {"warning"} else "error"
