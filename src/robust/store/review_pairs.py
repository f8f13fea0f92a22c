"""The pair of a row that was read: under the seal with which it was written, or tied down by its own inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from robust.canon import canonical_bytes, describe, is_digest
from robust.errors import DataError
from robust.records.case import RELATIONS, Case, relation_problem
from robust.records.review import ANSWER_KINDS, SEALED, ReviewHelp, ReviewPair, clean, line_feeds, pair_digest
from robust.records.validation import CONTRACT_NAME
from robust.store.review_form import HELP

# As long as Excel lets a cell be.
_CELL_LIMIT: Final = 32_767


def sealed_pair(values: Mapping[str, Any], *others: Mapping[str, Any]) -> ReviewPair:
    """The pair of a row that was written here, which must be as it was written.

    Args:
        values: what stands in the row.
        others: other readings of the same row, of which one may be as it was written.

    Raises:
        DataError: something of it is missing or was changed.
    """
    if wrong := [name for name in SEALED if not isinstance(values.get(name), str)]:
        raise DataError.of("missing_field", f"no text stands in {', '.join(wrong)}", hint="keep the row as it was")
    for reading in (values, *others):
        texts = {name: line_feeds(reading[name]) for name in SEALED}
        pair = ReviewPair(**cast("dict[str, Any]", texts))
        if _portable(texts) and pair.seal == reading["seal"]:
            return pair
    texts = {name: line_feeds(values[name]) for name in SEALED}
    message = "the row is not as it was written: one of its texts, or what ties it down, was changed"
    path = f"candidate {texts['candidate_id'][:80]!r}"
    raise DataError.of("row_changed", message, path=path, hint=_hint(texts))


def _portable(texts: Mapping[str, str]) -> bool:
    """Whether the texts can be those of a row at all; what is under its seal is."""
    known = texts["answers"] in ANSWER_KINDS and texts["relation"] in RELATIONS and is_digest(texts["pair"])
    return known and bool(CONTRACT_NAME.match(texts["contract"]))


def _hint(texts: Mapping[str, str]) -> str:
    shown = texts["base"] + texts["candidate"]
    if any(len(texts[name]) == _CELL_LIMIT for name in ("base", "candidate")):
        return "a spreadsheet cut a long cell; fill in the JSON Lines form instead"
    if "?" in shown or "\ufffd" in shown or not shown.isascii():
        return "write the sheet anew and change no text; a spreadsheet must save it as CSV UTF-8"
    return "write the sheet anew, and change nothing but the columns that are to be filled in"


def own_pair(values: Mapping[str, Any]) -> ReviewPair:
    """The pair of a row from elsewhere, which is tied down by the inputs that it holds.

    Raises:
        DataError: a field is missing or wrong.
    """
    for name in ("contract", "relation"):
        if not isinstance(values.get(name), str) or not values[name]:
            raise DataError.of("missing_field", f"no text stands in {name}", path=name)
    inputs = {name: values.get(name) for name in ("base", "candidate")}
    for name, found in inputs.items():
        if not isinstance(found, str | dict):
            raise DataError.of("wrong_value", f"must be text or an object, not {describe(found)}", path=name)
    _check_terms(values)
    if values.get("media"):
        hint = "judge pairs with files on the sheet that variants show writes"
        raise DataError.of("wrong_value", "a pair with files is not tied down by its texts", path="media", hint=hint)
    cases = {name: Case(cast("Any", found), case_id=name, source_id="own") for name, found in inputs.items()}
    contents = {name: case.content_digest for name, case in cases.items()}
    shown = {
        name: clean(found if isinstance(found, str) else canonical_bytes(found).decode())
        for name, found in inputs.items()
    }
    answers = values.get("answers") or "text"
    if answers not in ANSWER_KINDS:
        raise DataError.of("wrong_value", f"must be one of {', '.join(ANSWER_KINDS)}", path="answers")
    return ReviewPair(
        contract=values["contract"],
        relation=values["relation"],
        base_id=_optional(values, "base_id"),
        candidate_id=_optional(values, "candidate_id"),
        source_id=_optional(values, "source_id"),
        base=shown["base"],
        candidate=shown["candidate"],
        media="",
        change=_optional(values, "change"),
        answers=answers,
        pair=pair_digest(values["contract"], values["relation"], contents["base"], contents["candidate"]),
    )


def _check_terms(values: Mapping[str, Any]) -> None:
    if not CONTRACT_NAME.match(values["contract"]):
        message = f"{values['contract'][:80]!r} is not the name of an oracle contract"
        raise DataError.of("wrong_value", message, path="contract", hint="write name/vN")
    if problem := relation_problem(values["relation"], "relation"):
        raise DataError(problem)


def help_of(values: Mapping[str, Any]) -> ReviewHelp:
    """What helps to judge, as far as it is there."""
    return ReviewHelp(**{name: _optional(values, name) for name in HELP})


def _optional(values: Mapping[str, Any], name: str) -> str:
    found = values.get(name)
    return clean(found) if isinstance(found, str) else ""
