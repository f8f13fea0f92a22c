"""Outputs of several batches as one array."""

from __future__ import annotations

import numpy as np
import pytest

from robust.population.output_arrays import JoinedOutputs


@pytest.mark.parametrize(
    ("parts", "due"),
    [
        ([[1.5, 2.5], [3.5]], np.array([1.5, 2.5, 3.5])),
        ([["no", "no"], ["perhaps"]], np.array(["no", "no", "perhaps"])),
        ([[1, 2], ["a"]], np.array([1, 2, "a"], dtype=object)),
        ([["a"], [None, "b"]], np.array(["a", None, "b"], dtype=object)),
        ([[[0.25, 0.75]], [[1.0, 0.0], [0.5, 0.5]]], np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]])),
    ],
)
def test_batches_keep_their_kinds(parts: list[list[object]], due: np.ndarray) -> None:
    """Also where a later batch has longer text, or something else than the first."""
    outputs = JoinedOutputs(len(due))
    for part in parts:
        outputs.add(np.array(part, dtype=object if None in part else None))
    joined = outputs.joined()
    assert joined.dtype == due.dtype
    assert joined.tolist() == due.tolist()


def test_an_array_that_is_used_again_does_not_matter() -> None:
    """Each batch is copied as it comes."""
    outputs, own = JoinedOutputs(4), np.zeros(2)
    outputs.add(own)
    own[:] = 1
    outputs.add(own)
    own[:] = 2
    assert outputs.joined().tolist() == [0, 0, 1, 1]
