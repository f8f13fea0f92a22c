"""The example on tumours prints what its page shows, twice, and what it writes verifies."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from robust import verify
from tests.programs import ROOT

FOLDER = ROOT / "examples" / "tabular"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_its_page_shows(tmp_path: Path) -> None:
    """To the last line, and also over its own output; the defect is in what it wrote."""
    (shown,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, FOLDER / "run.py"], check=False, capture_output=True, encoding="utf-8", cwd=tmp_path
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == shown
    assert max(map(len, shown.splitlines())) <= 85
    run = tmp_path / "runs" / "tabular"
    assert verify(run).holds
    records = (run / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(records) == 285
    assert '"cells":{"scanner":["A","B"]}' in records[1]


def test_the_page_tells_of_every_part() -> None:
    """Every script of the folder is in its table."""
    listed = set(re.findall(r"^\| \[`(\w+\.py)`\]", PAGE, re.MULTILINE))
    assert listed == {path.name for path in FOLDER.glob("*.py")}
