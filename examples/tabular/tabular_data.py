"""Tumours as a table: scikit-learn's copy of the breast-cancer data of Wisconsin, with two columns that it lacks."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer

Rows = list[dict[str, Any]]
SCANNERS: Final = ("A", "B")
ROWS_A_DAY: Final = 8
# The sizes of a tumour, as its largest nuclei have them.
SIZES: Final = ("worst radius", "worst perimeter", "worst area")
PER_SIZE: Final = {"worst radius": 1, "worst perimeter": 1, "worst area": 2}


class Tumours(NamedTuple):
    """Rows, and what each of them was found to be."""

    rows: Rows
    labels: list[str]


def tumours() -> tuple[Tumours, Tumours]:
    """Those to learn from, and those to test with: every other one.

    The scanner and the day are made up, in turns: the data does not have them.
    """
    bunch = load_breast_cancer()
    names = [str(name) for name in bunch.feature_names]
    labels = [str(bunch.target_names[target]) for target in bunch.target]
    parts: list[Tumours] = []
    for start in (0, 1):
        rows = []
        for place, values in enumerate(np.asarray(bunch.data)[start::2].tolist()):
            row: dict[str, Any] = dict(zip(names, values, strict=True))
            rows.append({**row, "scanner": SCANNERS[place % 2], "day": place // ROWS_A_DAY})
        parts.append(Tumours(rows, labels[start::2]))
    return parts[0], parts[1]


def grown(rows: Rows) -> Rows:
    """The same tumours a fifth larger: lengths by the factor 1.2, the area by its square."""
    return [{**row, **{name: row[name] * 1.2**power for name, power in PER_SIZE.items()}} for row in rows]


# What a transformation of one's own means to preserve is recorded with it.
grown.preserves = "texture, smoothness and shape; only the sizes of the largest nuclei grow"  # type: ignore[attr-defined]
