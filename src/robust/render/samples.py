"""Cases of a manifest for other tools: samples of Inspect, and rows of CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from robust.canon import JsonObject, canonical_text
from robust.errors import UsageError
from robust.records.manifest import CaseEntry

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLUMNS: Final = (
    "case_id",
    "source_id",
    "split",
    "input_kind",
    "input",
    "expected_kind",
    "expected",
    "label_source",
    "base_id",
    "relation",
    "transform",
    "validation",
    "content",
    "manifest",
    "metadata",
    "media",
)


class Exported:
    """What every export says of a case besides the case itself.

    Args:
        manifest: the manifest's digest.
        relations: the relation of each validation, by digest.
    """

    def __init__(self, manifest: str, relations: dict[str, str]) -> None:
        self.manifest = manifest
        self.relations = relations

    def relation(self, entry: CaseEntry) -> str | None:
        """The validated relation of a variant to its base."""
        return None if entry.case.origin is None else self.relations.get(entry.validation or "")


def inspect_sample(entry: CaseEntry, exported: Exported, choices: Sequence[str] = ()) -> JsonObject:
    """A sample as Inspect's ``json_dataset`` reads it.

    Text stays text; any other input or answer is its canonical JSON. With choices the target is the letter of the
    answer among them, as Inspect's multiple choice asks for.

    Raises:
        UsageError: with choices, an answer is none of them.
    """
    case, origin = entry.case, entry.case.origin
    images = [item for item in case.media if item.media_type.startswith("image/")]
    shown: Any = _text(case.input)
    if images:
        content = [{"type": "text", "text": shown}, *({"type": "image", "image": item.path} for item in images)]
        shown = [{"role": "user", "content": content}]
    sample: JsonObject = {
        "id": case.case_id,
        "input": shown,
        "target": "" if case.expected is None else _text(case.expected),
        "metadata": {
            "base_id": case.case_id if origin is None else origin.parent_id,
            "content": case.content_digest,
            "expected": case.expected,
            "label_source": entry.label_source,
            "manifest": exported.manifest,
            "media": [item.to_json() for item in case.media],
            "metadata": case.metadata,
            "relation": exported.relation(entry),
            "source_id": case.source_id,
            "split": entry.split,
            "transform": None if origin is None else origin.transform,
            "validation": entry.validation,
            "variant_id": None if origin is None else case.case_id,
        },
    }
    if choices:
        sample["choices"] = list(choices)
        if case.expected is not None:
            sample["target"] = _letter(case.case_id, _text(case.expected), choices)
    return sample


def _letter(case_id: str, answer: str, choices: Sequence[str]) -> str:
    if answer not in choices:
        message = f"the answer {answer!r} of the case {case_id!r} is none of the choices"
        raise UsageError.of("unknown_choice", message, path="choices", hint="give every answer that there is")
    return _LETTERS[choices.index(answer)]


def check_choices(choices: Sequence[str]) -> None:
    """Check the choices of multiple-choice samples.

    Raises:
        UsageError: there is one alone, one twice, or more than letters.
    """
    texts = not isinstance(choices, str) and all(isinstance(choice, str) for choice in choices)
    if choices and not (texts and 2 <= len(set(choices)) == len(choices) <= len(_LETTERS)):
        message = f"must be 2 to {len(_LETTERS)} different texts, not {list(choices)!r}"
        raise UsageError.of("bad_choices", message, path="choices")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical_text(value)


def _kind(value: Any) -> str:
    if value is None:
        return ""
    return "text" if isinstance(value, str) else "json"


def csv_row(entry: CaseEntry, exported: Exported) -> list[str]:
    """The cells of a case, in the order of :data:`COLUMNS`, before they are guarded."""
    case, origin = entry.case, entry.case.origin
    return [
        case.case_id,
        case.source_id,
        entry.split,
        _kind(case.input),
        _text(case.input),
        _kind(case.expected),
        "" if case.expected is None else _text(case.expected),
        entry.label_source or "",
        "" if origin is None else origin.parent_id,
        exported.relation(entry) or "",
        "" if origin is None else origin.transform,
        entry.validation or "",
        case.content_digest,
        exported.manifest,
        canonical_text(case.metadata),
        canonical_text([item.to_json() for item in case.media]),
    ]
