"""How far a run is, where properties make fewer candidates than they may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, Case, run_contract
from robust.records.progress import ProgressState
from tests.run_fixtures import contract_of, right_model


class _Seen:
    """Keeps every state that it is told."""

    def __init__(self) -> None:
        self.states: list[ProgressState] = []

    def update(self, state: ProgressState) -> None:
        """Remember a state."""
        self.states.append(state)


@pytest.mark.parametrize("inline", [True, False])
def test_the_total_falls_to_what_there_was(tmp_path: Path, inline: bool) -> None:
    """Of texts of one word, and of labels with one other order; at the end it is the number of records."""

    async def slow(request: Any) -> Any:
        return right_model(request)

    contract = contract_of(
        oracles={"policy": "assumed"},
        properties={
            "option_order": {"max_flip_rate": 0, "samples": 3},
            "whitespace": {"max_flip_rate": 0, "samples": 5},
            "irrelevant_context": {"max_flip_rate": 0, "samples": 4},
        },
    )
    texts = [f"{'total of ' * (number % 3)}{2000 + number}" for number in range(90)]
    cases = [Case(text, case_id=f"c{number}", source_id=f"s{number}") for number, text in enumerate(texts)]
    seen = _Seen()
    backend = CallableBackend(right_model if inline else slow)
    finished = run_contract(contract, backend=backend, dataset=cases, output=tmp_path / "run", progress=seen)
    last = seen.states[-1]
    assert last.done == last.total == finished.report["records"]["count"]
    assert last.total < len(cases) * (1 + 3 + 5 + 4)
    totals = [state.total or 0 for state in seen.states]
    assert totals == sorted(totals, reverse=True)
    assert all(state.done <= (state.total or 0) for state in seen.states)
    assert [state.done for state in seen.states] == sorted(state.done for state in seen.states)
