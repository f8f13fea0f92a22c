"""What must be true of the outputs before and after an input was changed."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from robust.canon import JsonObject, describe
from robust.errors import DataError, UsageError
from robust.relations.argument_words import is_finite, shown_argument
from robust.relations.closeness import (
    EXACTLY,
    WIDE,
    Number,
    Tolerance,
    as_decimal,
    as_number,
    as_pick,
    as_truth,
    less,
    same,
)

CUSTOM: Final = "custom"


def itself(before: Any) -> Any:
    """What is due where the output is to stay as it is."""
    return before


@dataclass(frozen=True)
class Assertion:
    """What must be true of two outputs.

    It holds of an output of the base and one of a variant if ``compare(due(before), after)`` is True: ``due`` says what
    the variant's output should be, and ``compare`` whether it is. That both are apart lets the outputs of several base
    runs be compared with each other, which is what tells a contradiction from noise.

    Attributes:
        compare: ``(due, after)``, both on the scale of the variant; it gives True or False.
        name: what records call it; only the named ones of this module can be made again from a record.
        settings: what it was made with, as JSON.
        due: what the base's output says that the variant's should be; by default the same.
        labels: whether outputs that are labels (text, booleans, None) are compared by equality alone, so that Fisher's
            exact test is the one for them.
        reflexive: whether it surely holds of two equal outputs; None is found out from the outputs.
    """

    compare: Callable[[Any, Any], Any]
    name: str = CUSTOM
    settings: JsonObject = field(default_factory=dict)
    due: Callable[[Any], Any] = itself
    labels: bool = False
    reflexive: bool | None = None

    def __post_init__(self) -> None:
        if not callable(self.compare) or not callable(self.due):
            raise UsageError.of("bad_assertion", "compare and due are functions", path="assertion")

    def holds(self, before: Any, after: Any) -> bool:
        """Whether it is true of an output of the base and one of a variant.

        Raises:
            DataError: the outputs cannot be compared, or the function gave no truth value.
        """
        return self.agree(self.due(before), after)

    def agree(self, due: Any, after: Any) -> bool:
        """Whether an output is what is due.

        Raises:
            DataError: as :meth:`holds` does.
        """
        return as_truth(self.compare(due, after), f"the assertion {self.name}")

    def explain(self, before: Any, after: Any) -> str:
        """What was due and what came, in one line."""
        due = self.due(before)
        wanted = f"{self.settings['direction']} {_shown(due)}" if "direction" in self.settings else _shown(due)
        text = f"expected {wanted}, got {_shown(after)}"
        first, second = as_number(due), as_number(after)
        if isinstance(first, int | float) and isinstance(second, int | float):
            text += f" (off by {_off(first, second)})"
        return text


def unchanged(rel_tol: float | None = None, abs_tol: float = 0.0) -> Assertion:
    """The output stays the same: numbers within a tolerance, everything else exactly.

    Numbers are the same if |a − b| ≤ max(abs_tol, rel_tol · max(|a|, |b|)), also within lists, objects, arrays, and the
    cells of tables of pandas, polars and pyarrow, whose names, labels and types are compared exactly. Numbers of sets
    are paired in their order. NaN is the same as NaN, an infinity as itself.

    Args:
        rel_tol: 0 up to, not including, 1; by default 1e-9 for floating point numbers and 0 between two integers.
        abs_tol: 0 or more.

    Raises:
        UsageError: a tolerance is out of its range.
    """
    tolerance = _tolerance(rel_tol, abs_tol)
    return Assertion(
        lambda due, after: same(due, after, tolerance), "unchanged", _settings(tolerance), labels=True, reflexive=True
    )


def consistent_pick() -> Assertion:
    """The output, one of several options, stays the same option.

    Text is compared in NFC and without white space around it, everything else exactly, numbers without a tolerance.
    Whether a pick that differs is more than the system's own noise is what the base runs are there to tell.
    """
    return Assertion(
        lambda due, after: same(as_pick(due), as_pick(after), EXACTLY), "consistent_pick", labels=True, reflexive=True
    )


def scales_by(k: float, rel_tol: float | None = None, abs_tol: float = 0.0) -> Assertion:
    """The output, a number, is multiplied by ``k``.

    Args:
        k: any number but 0, which would make every output right.
        rel_tol: as in :func:`unchanged`, of the multiplied numbers.
        abs_tol: likewise.

    Raises:
        UsageError: an argument is out of its range.
    """
    factor, tolerance = _finite(k, "k"), _tolerance(rel_tol, abs_tol)
    if factor == 0:
        raise _refused("k", "a number other than 0", k)
    return _of_number("scales_by", {"k": factor}, operator.mul, WIDE.multiply, tolerance)


def shifts_by(d: float, rel_tol: float | None = None, abs_tol: float = 0.0) -> Assertion:
    """The output, a number, becomes larger by ``d``.

    Args:
        d: any number.
        rel_tol: as in :func:`unchanged`, of the shifted numbers.
        abs_tol: likewise.

    Raises:
        UsageError: an argument is out of its range.
    """
    shift, tolerance = _finite(d, "d"), _tolerance(rel_tol, abs_tol)
    return _of_number("shifts_by", {"d": shift}, operator.add, WIDE.add, tolerance)


def not_less(rel_tol: float | None = None, abs_tol: float = 0.0) -> Assertion:
    """The output, a number, does not become less by more than the tolerance of :func:`unchanged`.

    Args:
        rel_tol: as in :func:`unchanged`.
        abs_tol: likewise.

    Raises:
        UsageError: a tolerance is out of its range.
    """
    tolerance = _tolerance(rel_tol, abs_tol)
    return Assertion(
        lambda due, after: not less(number_of(after), number_of(due), tolerance),
        "not_less",
        {**_settings(tolerance), "direction": "at least"},
        reflexive=True,
    )


def not_greater(rel_tol: float | None = None, abs_tol: float = 0.0) -> Assertion:
    """The output, a number, does not become greater by more than the tolerance of :func:`unchanged`.

    Args:
        rel_tol: as in :func:`unchanged`.
        abs_tol: likewise.

    Raises:
        UsageError: a tolerance is out of its range.
    """
    tolerance = _tolerance(rel_tol, abs_tol)
    return Assertion(
        lambda due, after: not less(number_of(due), number_of(after), tolerance),
        "not_greater",
        {**_settings(tolerance), "direction": "at most"},
        reflexive=True,
    )


def equivalent(embed: Callable[[Any], Any], threshold: float) -> Assertion:
    """The output means the same: the cosine of the two embeddings is at least ``threshold``.

    Args:
        embed: gives the vector of an output, of one length for all; called once for each distinct output. A vector
            that is empty, of another length, all zeros, or holds NaN or an infinity is an error.
        threshold: −1 to 1.

    Raises:
        UsageError: an argument is not what it must be.
    """
    if not callable(embed):
        raise _refused("embed", "a function that gives the vector of an output", embed)
    from robust.relations.embeddings import Embedded

    least = _finite(threshold, "threshold")
    if not -1 <= least <= 1:
        raise _refused("threshold", "a number from −1 to 1", threshold)
    vectors = Embedded(embed)
    return Assertion(
        lambda due, after: vectors.cosine(due, after) >= least, "equivalent", {"threshold": least}, reflexive=True
    )


_NAMED: Final[dict[str, Callable[..., Assertion]]] = {
    "unchanged": unchanged,
    "consistent_pick": consistent_pick,
    "scales_by": scales_by,
    "shifts_by": shifts_by,
    "not_less": not_less,
    "not_greater": not_greater,
}


def assertion_of(name: str, settings: JsonObject) -> Assertion | None:
    """The assertion of a record; None for one that needs a function which records do not hold.

    Raises:
        UsageError: the settings are not those of the named assertion.
    """
    make = _NAMED.get(name)
    if make is None:
        return None
    try:
        made = make(**{key: value for key, value in settings.items() if key != "direction"})
    except TypeError:
        raise _refused("settings", f"the settings of {name}", settings) from None
    if made.settings != settings:
        raise _refused("settings", f"the settings of {name}", settings)
    return made


_MAKERS: Final = (unchanged, consistent_pick, scales_by, shifts_by, not_less, not_greater, equivalent)


def as_assertion(given: object) -> Assertion:
    """An assertion, also of a plain function of two outputs.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(given, Assertion):
        return given
    made = next((maker.__name__ for maker in _MAKERS if given is maker), None)
    if made is not None:
        hint = f"write {made}(), with its arguments if it has some"
        raise UsageError.of("bad_assertion", f"{made} was not called", path="assertion", hint=hint)
    if callable(given):
        return Assertion(given)
    hint = "use unchanged(), another named one, or a function of two outputs"
    raise UsageError.of("bad_assertion", f"{describe(given)} is no assertion", path="assertion", hint=hint)


def number_of(value: Any) -> Number:
    """An output as a number.

    Raises:
        DataError: it is none.
    """
    found = as_number(value)
    if found is None:
        message = f"the assertion compares numbers, and the output is {describe(value)}"
        raise DataError.of("not_a_number", message, hint="let the system give a number, or use unchanged()")
    return found


def _of_number(
    name: str,
    given: JsonObject,
    operation: Callable[[Any, Any], Any],
    on_decimals: Callable[[Decimal, Decimal], Decimal],
    tolerance: Tolerance,
) -> Assertion:
    (by,) = given.values()

    def due(before: Any) -> Any:
        number = number_of(before)
        # Decimals and floating point numbers do not mix in arithmetic.
        if isinstance(number, Decimal):
            return on_decimals(number, as_decimal(by))
        try:
            return operation(number, by)
        except OverflowError:  # an integer or a fraction that no double holds
            return number if isinstance(number, complex) else operation(Fraction(number), Fraction(by))

    def compare(expected: Any, after: Any) -> bool:
        return same(expected, number_of(after), tolerance)

    return Assertion(compare, name, {**given, **_settings(tolerance)}, due=due, reflexive=True)


def _settings(tolerance: Tolerance) -> JsonObject:
    return {"rel_tol": tolerance.relative, "abs_tol": tolerance.absolute}


def _tolerance(rel_tol: object, abs_tol: object) -> Tolerance:
    relative = None if rel_tol is None else _finite(rel_tol, "rel_tol")
    absolute = _finite(abs_tol, "abs_tol")
    if relative is not None and not 0 <= relative < 1:
        raise _refused("rel_tol", "a number from 0 up to, not including, 1", rel_tol)
    if absolute < 0:
        raise _refused("abs_tol", "0 or more", abs_tol)
    return Tolerance(relative, absolute)


def _finite(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
        raise _refused(name, "a finite number that a double holds", value)
    return value


def _refused(name: str, wanted: str, found: object) -> UsageError:
    shown = shown_argument(found)
    return UsageError.of("bad_assertion", f"must be {wanted}, not {shown[:80]}", path=name)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - whatever an output's own code does, it must not hide the finding
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    return text if len(text) <= 200 else text[:199] + "…"


def _off(first: float, second: float) -> str:
    try:
        return f"{second - first:.6g}"
    except OverflowError:
        return "more than a double holds"
