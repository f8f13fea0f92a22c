"""Helpers for an oracle that recomputes: what a text says exactly, or why it cannot be told, and never a guess."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject, canonical_bytes, describe, fold, nfc
from robust.errors import CaseError
from robust.oracle.protected_amounts import MINUS
from robust.oracle.protected_item import shortened
from robust.oracle.protected_numbers import GROUPING, ascii_digits
from robust.records.case import Relation, relation_problem
from robust.records.verdict import OracleVerdict

DecimalSign: TypeAlias = Literal[".", ",", "·", "٫"]
# Longer ones say nothing that anybody could check.
_MAX_CHARACTERS: Final = 1000
_DECIMAL_SIGNS: Final = ".,·٫"
_GROUPING_SIGNS: Final = GROUPING + ".,٬"
_GROUP: Final = 3
_SIGNS: Final = {**dict.fromkeys(MINUS, -1), "+": 1, "＋": 1}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says.

    Attributes:
        source: the text.
        value: the exact value (a Fraction, a Quantity, a date, a frozenset); None where it cannot be told.
        text: the value in its one canonical form, fit for an answer or for evidence; empty without a value.
        problem: why it cannot be told; empty where it can.
    """

    source: str
    value: Any = None
    text: str = ""
    problem: str = ""

    def __bool__(self) -> bool:
        return not self.problem

    def to_json(self) -> JsonObject:
        """The reading as evidence."""
        said = {"says": self.text} if self else {"problem": self.problem}
        return {"text": shortened(self.source), **said}


def unreadable(source: str, problem: str) -> Reading:
    """A reading of a text that does not say one thing."""
    return Reading(source, problem=problem)


def read_number(text: object, *, decimal: DecimalSign | None = None, grouping: str | None = None) -> Reading:
    """The number that a text is, exactly.

    Only what the declared signs allow is read: ``1,25`` says something where ``decimal=","`` is declared, and nothing
    otherwise. Digits may be of any one script. Exponents, fractions, brackets, ``NaN`` and ``Infinity`` are not read.

    Args:
        text: the number and nothing else, but for white space around it.
        decimal: the sign before decimals; None where there may be none.
        grouping: the sign between groups of three digits, all of which must then be whole; None where there may be
            none. A blank stands for all spaces of typography.

    Returns:
        a reading whose value is a Fraction and whose text is a decimal number such as ``-1234.5``.

    Raises:
        CaseError: the declared signs cannot be told apart, or are none.
    """
    _check_signs(decimal, grouping)
    if not isinstance(text, str):
        return unreadable("", f"text is due, not {describe(text)}")
    source = str.__str__(text)
    body = source.strip()
    if not body or len(body) > _MAX_CHARACTERS:
        return unreadable(source, "there is no number" if not body else f"longer than {_MAX_CHARACTERS} characters")
    sign = _SIGNS.get(body[0], 0)
    body = body[1:] if sign else body
    whole, mark, decimals = body.partition(decimal) if decimal else (body, "", "")
    groups = [whole]
    if grouping is not None:
        groups = re.split("[ \u00a0\u2009\u202f]", whole) if grouping.isspace() else whole.split(grouping)
    digits = "".join((*groups, decimals))
    if not all(part.isdecimal() for part in groups) or (mark and not decimals.isdecimal()):
        declared = f"decimal sign {decimal!r}, grouping sign {grouping!r}"
        return unreadable(source, f"not a number in this notation ({declared})")
    if len({ord(char) - unicodedata.decimal(char) for char in digits}) > 1:
        return unreadable(source, "digits of several scripts")
    if len(groups) > 1 and not (0 < len(groups[0]) <= _GROUP and all(len(part) == _GROUP for part in groups[1:])):
        return unreadable(source, "the digits are not grouped by threes")
    if len(groups) > 1 and not ascii_digits(groups[0]).lstrip("0"):
        # Nobody groups 0.500 by threes; somebody else has written it.
        return unreadable(source, "the first group is 0, so that its sign may be the decimal one")
    value = Fraction(int(ascii_digits(digits)), 10 ** len(decimals)) * (sign or 1)
    return Reading(source, value, number_text(value))


def number_text(value: Fraction) -> str:
    """A number in its one form: decimal where it has an end, else a fraction in lowest terms."""
    sign = "-" if value < 0 else ""
    above, below = abs(value.numerator), value.denominator
    if below == 1:
        return f"{sign}{above}"
    twos = fives = 0
    while below % 2 == 0:
        below, twos = below // 2, twos + 1
    while below % 5 == 0:
        below, fives = below // 5, fives + 1
    if below != 1:
        return f"{sign}{above}/{value.denominator}"
    places = max(twos, fives)
    digits = str(above * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def read_set(
    text: object, *, separators: Iterable[str] = (",",), fold_case: bool = False, repeated: bool = False
) -> Reading:
    """The items of a list, without their order.

    Args:
        text: the list and nothing else.
        separators: what stands between two items, such as ``,`` or `` and ``; the longest that fits is taken.
        fold_case: whether case makes no difference.
        repeated: whether an item may stand twice.

    Returns:
        a reading whose value is a frozenset of texts in NFC with single blanks.

    Raises:
        CaseError: there is no separator, or an empty one.
    """
    marks = sorted({str(each) for each in ([separators] if isinstance(separators, str) else separators)}, key=len)
    if not marks or not marks[0]:
        raise CaseError.of("bad_separators", "must be texts that stand between two items", path="separators")
    if not isinstance(text, str):
        return unreadable("", f"text is due, not {describe(text)}")
    source = str.__str__(text)
    parts = re.split("|".join(map(re.escape, reversed(marks))), source)
    items = [fold(part) if fold_case else " ".join(nfc(part).split()) for part in parts]
    if not all(items):
        return unreadable(source, "an item is empty")
    if len(set(items)) < len(items) and not repeated:
        return unreadable(source, "an item stands twice")
    return Reading(source, frozenset(items), "; ".join(map(_item_text, sorted(set(items)))))


def _item_text(item: str) -> str:
    """An item as it stands in the text of a set: in quotes where it would be taken for several, or for a quoted one."""
    return canonical_bytes(item).decode() if ";" in item or item.startswith('"') else item


def recomputed(
    base: Reading,
    candidate: Reading,
    *,
    relation: Relation = "invariant",
    answer: Callable[[Any], Any] | None = None,
) -> OracleVerdict:
    """The verdict of an oracle that has read both texts.

    Under ``invariant`` the values must be equal; otherwise the answers that follow from them must differ, rise or fall.
    Where a text cannot be told, or two values have no order, nothing is decided.

    Args:
        base: what the base says.
        candidate: what the candidate says.
        relation: what is claimed between the right answers.
        answer: from a value to the right answer; by default the value's canonical text.

    Raises:
        CaseError: there is no such relation.
    """
    if problem := relation_problem(relation, "relation"):
        raise CaseError(problem)
    evidence: JsonObject = {"base": base.to_json(), "candidate": candidate.to_json()}
    for name, reading in (("base", base), ("candidate", candidate)):
        if not reading:
            return OracleVerdict(None, f"the {name} cannot be read: {reading.problem}", evidence=evidence)
    answers = [each.text if answer is None else answer(each.value) for each in (base, candidate)]
    holds, claim = _holds(base, candidate, relation, answers)
    said = f"{shortened(base.text)} and {shortened(candidate.text)}"
    if holds is None:
        return OracleVerdict(None, f"{said} have no order", answers[0], answers[1], evidence)
    return OracleVerdict(holds, f"recomputed: {said}; {claim}", answers[0], answers[1], evidence)


def _holds(base: Reading, candidate: Reading, relation: Relation, answers: list[Any]) -> tuple[bool | None, str]:
    if relation == "invariant":
        same = base.value == candidate.value
        return same, "the values are equal" if same else "the values differ"
    if relation == "counterfactual":
        differ = answers[0] != answers[1]
        return differ, "the answers differ" if differ else "the answers are equal"
    if isinstance(base.value, frozenset) or isinstance(candidate.value, frozenset):
        return None, ""
    try:
        rises = bool(candidate.value >= base.value) if relation == "increasing" else bool(candidate.value <= base.value)
    except TypeError:
        return None, ""
    return rises, f"the value is {relation}" if rises else f"the value is not {relation}"


def _check_signs(decimal: object, grouping: object) -> None:
    if decimal is not None and (not isinstance(decimal, str) or decimal not in tuple(_DECIMAL_SIGNS)):
        message = f"must be one of {' '.join(_DECIMAL_SIGNS)}, not {decimal!r}"
        raise CaseError.of("bad_decimal", message, path="decimal")
    if grouping is not None and (not isinstance(grouping, str) or grouping not in tuple(_GROUPING_SIGNS)):
        message = f"must be one sign that groups digits, not {grouping!r}"
        raise CaseError.of("bad_grouping", message, path="grouping")
    if decimal is not None and decimal == grouping:
        raise CaseError.of("bad_grouping", f"{decimal!r} cannot be both signs", path="grouping")
