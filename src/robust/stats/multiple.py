"""Several hypotheses at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values that keep the chance of any false alarm at alpha, however the tests depend on each other.

    The step-down method of Holm (1979, Scandinavian Journal of Statistics 6, 65–70): the smallest of m times m, the
    next times m − 1 and so on, none below one before it, none above 1.

    Args:
        p_values: one for each hypothesis, in any order.

    Returns:
        The adjusted ones, in the same order.

    Raises:
        ValueError: a p value is not in 0–1.
    """
    if not all(0 <= p_value <= 1 for p_value in p_values):
        raise ValueError(f"a p value is from 0 to 1: {list(p_values)}")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def holm_at_best(p_values: Sequence[float], smallest: Sequence[float]) -> list[float]:
    """Each adjusted p value as it would be if its own test had shown the most that it could.

    The other tests have shown what they did.

    Args:
        p_values: one for each hypothesis.
        smallest: the smallest p value that each test could have shown.

    Raises:
        ValueError: a p value is not in 0–1, or there are not as many of both.
    """
    if len(p_values) != len(smallest):
        raise ValueError(f"there are {len(p_values)} p values, and {len(smallest)} that are the smallest")
    return [holm([*p_values[:place], best, *p_values[place + 1 :]])[place] for place, best in enumerate(smallest)]
