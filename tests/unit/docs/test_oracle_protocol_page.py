"""The oracle program that docs/oracle-protocol.md shows does what the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from robust import Case, CommandOracle
from tests.builders import judged

PAGE = Path(__file__).parents[3] / "docs" / "oracle-protocol.md"
[PROGRAM] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("base", "candidate", "status", "answers"),
    [
        ("1,25 EUR", "EUR  1.25", "valid", ("no", "no")),
        ("1,250.00 EUR", "1.250,00 EUR", "valid", ("yes", "yes")),
        ("1250 EUR", "1250,0 EUR.", "valid", ("yes", "yes")),
        ("1,25 EUR", "125 EUR", "invalid", ("no", "no")),
        ("1250 EUR", "1,250 EUR", "unknown", (None, None)),
        ("1250 EUR", "1.250 EUR", "unknown", (None, None)),
        ("1250 EUR", "1 250 EUR", "unknown", (None, None)),
        ("1250 EUR", "nothing", "unknown", (None, None)),
    ],
)
def test_the_program_of_the_page_guesses_no_amount(
    tmp_path: Path, base: str, candidate: str, status: str, answers: tuple[str | None, str | None]
) -> None:
    """An amount that may be read in two ways is not judged."""
    (tmp_path / "oracle.py").write_text(PROGRAM, encoding="utf-8")
    cases = (Case(base, case_id="b", source_id="s"), Case(candidate, case_id="c", source_id="s"))
    with CommandOracle([sys.executable, str(tmp_path / "oracle.py")]) as oracle:
        record = judged(oracle, cases, relation="invariant")
    said = record.data["verdict"]
    assert (record.status, said["base_expected"], said["variant_expected"]) == (status, *answers)
    assert record.data["oracle"]["name"] == "oracle.py"
