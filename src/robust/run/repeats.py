"""How often each base case is asked, so that the model's own noise stands beside what properties find."""

from __future__ import annotations

from typing import Final

from robust.canon import unit_interval
from robust.records.contract import Contract

# Of about so many base cases the model is asked twice where the contract does not measure noise.
SAMPLED_CASES: Final = 100


class Repeats:
    """The number of trials of each base case.

    With ``noise.baseline_runs`` above 1 every base case is decided that often. Otherwise, where any property is judged,
    about a hundred of them, chosen by the seed and their ids, are decided twice.

    Args:
        contract: the contract.
        seed: the run's.
        cases: how many base cases there are.
        judged: whether any property is judged.
    """

    def __init__(self, contract: Contract, *, seed: int, cases: int, judged: bool) -> None:
        self._all = contract.noise.baseline_runs if judged else 1
        self._seed = seed
        self._share = SAMPLED_CASES / cases if judged and self._all == 1 and cases else 0.0

    @property
    def once(self) -> bool:
        """Whether every base case is asked once."""
        return not self._share and self._all == 1

    def of(self, case_id: str) -> int:
        """How often a base case is asked."""
        return 2 if self._share and lot_of(self._seed, case_id) < self._share else self._all


def lot_of(seed: int, case_id: str) -> float:
    """What a base case draws, in [0, 1): of all cases, those with low ones are asked twice."""
    return unit_interval("robust.repeats/1", seed, case_id)
