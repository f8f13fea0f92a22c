"""Population tests of a model of tumours: what should grow, what should stay, and a planted defect that is found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from robust import PopulationResult, column_edits, increasing, invariance, verify
from tabular_data import Rows, grown, tumours
from tabular_model import DefectiveService, TumourModel

DEFAULT_OUTPUT: Final = Path("runs") / "tabular"
OTHER_SCANNER: Final = column_edits.replaced("scanner", {"A": "B", "B": "A"})
# Ends of intervals differ in their last digits between versions of the libraries.
_DIGITS: Final = 2


def large(rows: Rows) -> list[bool]:
    """A slice: the larger half of the tumours."""
    areas = sorted(row["worst area"] for row in rows)
    return [row["worst area"] > areas[len(areas) // 2] for row in rows]


def main() -> int:
    """Run the example; 0 when it shows what it is meant to show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="where the last test is written")
    output = parser.parse_args().output
    training, testing = tumours()
    model, service = TumourModel(training), DefectiveService(training)
    rows = testing.rows
    right = sum(label == due for label, due in zip(model.predict(rows), testing.labels, strict=True))
    print(f"A model learns from {len(training.rows)} tumours.")
    print(f"It is right on {right / len(rows):.0%} of {len(rows)} others.")

    print("\n1. A tumour that is a fifth larger should be no less suspicious.")
    sizes: dict[str, Any] = {"method": "wilcoxon", "label": "malignant"}
    bigger = increasing(model, rows, grown, **sizes)
    show("all", bigger)
    show("the larger half", increasing(model, rows, grown, slicing=large, **sizes))
    show("by day", increasing(model, rows, grown, groups="day", **sizes))

    print("\n2. A little noise in a measurement should not matter.")
    noise = column_edits.noise("worst texture", 0.1)
    show("labels", invariance(model, rows, noise, threshold=0.95))
    window: dict[str, Any] = {"method": "equivalence", "window": 0.1, "label": "malignant", "abs_tol": 0.02}
    show("probability", invariance(model, rows, noise, threshold=0.9, **window))

    print("\n3. Which scanner was used should not matter.")
    show("model", invariance(model, rows, OTHER_SCANNER, **window))
    print("\n   The same model behind a service, with a defect that was planted:")
    show("labels", invariance(service, rows, OTHER_SCANNER))
    found = invariance(service, rows, OTHER_SCANNER, **window)
    show("probability", found)
    print("   Nearly all labels stay, and so does the mean: as many rows went from A to B")
    print("   as from B to A. The defect is found since every test of equivalence also")
    print("   looks at each row by itself.")

    found.save(output, overwrite=True)
    holds = verify(output).holds
    print(f"\nThe last test was written and {'verifies' if holds else 'DOES NOT VERIFY'}:")
    print(f"  robust report {output.as_posix()}")
    as_meant = bigger.passed and found.verdict == "violated" and found.population_verdict == "holds" and holds
    return 0 if as_meant else 1


def show(what: str, result: PopulationResult) -> None:
    """Print a result in a few lines."""
    for number, line in enumerate(lines_of(result)):
        print(f"   {what if number == 0 else '':16} {line}")


def lines_of(result: PopulationResult) -> Iterator[str]:
    """Its verdict, what was measured, and how many rows did as they should."""
    units = f"{result.groups} days" if result.groups is not None else f"{result.n_changed} rows"
    yield f"{result.verdict.upper():9} {units} of {result.n}"
    # Rounded first and 0 added, so that nothing is shown as −0.00.
    metric = 0.0 if result.metric is None else round(result.metric, _DIGITS) + 0.0
    measured = [f"{result.metric_name.replace('_', ' ')} {metric:.{_DIGITS}f}"]
    if result.p_value is not None:
        level = result.settings.alpha
        measured.append(f"p {'<' if result.p_value < level else '≥'} {level:g}")
    yield f"{'':9} {', '.join(measured)}"
    if result.settings.method != "proportion" and result.row_share is not None:
        yield f"{'':9} by themselves {result.rows} of {result.n_changed} rows"


if __name__ == "__main__":
    sys.exit(main())
