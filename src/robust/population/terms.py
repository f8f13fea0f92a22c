"""On what terms a population is tested: the methods that there are for each claim, and what each takes."""

from __future__ import annotations

import math
from typing import Any, Final

from robust.canon import MAX_SAFE_INTEGER, describe
from robust.errors import UsageError
from robust.population.table_models import Wanted
from robust.records.population import Method, PopulationSettings, Statistic, TestName, tidy_double

METHODS: Final[dict[TestName, tuple[Method, ...]]] = {
    "invariance": ("proportion", "equivalence"),
    "increasing": ("proportion", "t_test", "wilcoxon", "mcnemar"),
    "decreasing": ("proportion", "t_test", "wilcoxon", "mcnemar"),
}
STATISTICS: Final[tuple[Statistic, ...]] = ("t", "wilcoxon")


def population_terms(
    test: TestName,
    *,
    method: Any,
    statistic: Any,
    threshold: Any,
    window: Any,
    relative: Any,
    output_sensitivity: Any,
    abs_tol: Any,
    label: Any,
    alpha: Any,
    grouped: bool,
    seed: Any,
    oracle: str | None,
) -> PopulationSettings:
    """The settings of a population test, each checked.

    Raises:
        UsageError: a combination of test and method that shows nothing, or a value out of its range.
    """
    _check_method(test, method, statistic, window, relative)
    equivalence = method == "equivalence"
    share = _number("threshold", threshold)
    if not 0 < share <= 1:
        raise _refused(
            "threshold", f"must be above 0 and at most 1, not {threshold!r}", "0 would pass whatever happens"
        )
    level = _number("alpha", alpha)
    if not 0 < level < 0.5:
        raise _refused("alpha", f"must be above 0 and below 0.5, not {alpha!r}")
    sensitivity, tolerance = _number("output_sensitivity", output_sensitivity), _number("abs_tol", abs_tol)
    for name, value in (("output_sensitivity", sensitivity), ("abs_tol", tolerance)):
        if value < 0:
            raise _refused(name, f"must not be negative, not {value!r}")
    if type(seed) is not int or abs(seed) > MAX_SAFE_INTEGER:
        raise _refused("seed", f"must be an integer within ±(2^53−1), not {seed!r}")
    named = _label(label)
    if method == "mcnemar" and named is None:
        raise _refused("label", "must be named: rows that move to it are counted", "give label=")
    return PopulationSettings(
        test=test,
        method=method,
        statistic=(statistic or "t") if equivalence else None,
        threshold=share,
        window=_number("window", window) if equivalence else None,
        relative=relative,
        output_sensitivity=sensitivity,
        abs_tol=tolerance,
        label=named,
        alpha=level,
        grouped=grouped,
        seed=seed,
        oracle=oracle,
    )


def wanted_outputs(settings: PopulationSettings) -> Wanted:
    """What the model must give for these settings."""
    if settings.method == "mcnemar":
        return "labels"
    return "either" if settings.test == "invariance" and settings.method == "proportion" else "numbers"


def _check_method(test: TestName, method: Any, statistic: Any, window: Any, relative: Any) -> None:
    if method not in METHODS[test]:
        raise _no_method(test, method)
    if type(relative) is not bool:
        raise _refused("relative", f"must be True or False, not {relative!r}")
    if method == "equivalence":
        if statistic is not None and statistic not in STATISTICS:
            raise _refused("test", f"there is no test {statistic!r} of equivalence", "use 't' or 'wilcoxon'")
        if window is None:
            hint = "give window=, the full width within which a change does not matter"
            raise _refused("window", "equivalence takes a window", hint)
        if _number("window", window) <= 0:
            raise _refused("window", f"must be above 0, not {window!r}")
        return
    for name, value in (("test", statistic), ("window", window), ("relative", relative or None)):
        if value is not None:
            raise _refused(name, f"belongs to method='equivalence', and the method is {method!r}")


def _no_method(test: TestName, method: Any) -> UsageError:
    offered = ", ".join(map(repr, METHODS[test]))
    if test == "invariance" and method in METHODS["increasing"]:
        message = (
            f"{method!r} shows no invariance: a difference test that rejects does not show invariance, and neither does"
            f" one that does not reject"
        )
        return _refused("method", message, "use method='equivalence' with a window, or 'proportion'")
    if method == "equivalence":
        message = f"two one-sided tests against a window show that an output stays, not that it is {test}"
        return _refused("method", message, f"use one of {offered}")
    return _refused("method", f"there is no method {method!r} of {test}", f"use one of {offered}")


def _label(label: Any) -> Any:
    """A class label as plain JSON."""
    plain = label.item() if hasattr(label, "item") and getattr(label, "shape", None) == () else label
    if plain is None or isinstance(plain, str | bool):
        return plain
    if isinstance(plain, int) and abs(plain) <= MAX_SAFE_INTEGER:
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return tidy_double(plain)
    raise _refused("label", f"must be one class, text, a number or a boolean, not {describe(label)}")


def _number(name: str, value: Any) -> float:
    plain = value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise _refused(name, f"must be a number, not {describe(value)}")
    try:
        number = float(plain)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        # A whole number may have too many digits to be shown.
        shown = "a larger one" if isinstance(plain, int) else repr(value)
        raise _refused(name, f"must be finite, not {shown}")
    return number


def _refused(path: str, message: str, hint: str | None = None) -> UsageError:
    return UsageError.of("bad_population_test", message, path=path, hint=hint)
