"""The coverage data of killed processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from coverage import CoverageData

from tests.measured import take_away_broken


def measured(folder: Path, name: str) -> Path:
    """Real coverage data of some process."""
    data = CoverageData(str(folder / name))
    data.add_arcs({f"{folder}/module{number}.py": {(1, 2), (2, -1)} for number in range(200)})
    data.write()
    data.close()
    return folder / name


@pytest.mark.parametrize("left", [0, 20, 100, 1000, 9000, -4096, -1])
def test_data_that_were_cut_short_go_and_whole_ones_stay(tmp_path: Path, left: int) -> None:
    """Else the combining of all would end with an error, after every test has passed."""
    whole = measured(tmp_path, ".coverage.one")
    broken = measured(tmp_path, ".coverage.two")
    broken.write_bytes(broken.read_bytes()[:left])
    assert list(take_away_broken(tmp_path)) == [broken.name]
    assert whole.exists()
    assert not broken.exists()
