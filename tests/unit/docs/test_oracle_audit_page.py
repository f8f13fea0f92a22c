"""``docs/oracle-audit.md``: every block on the page is executed, and prints what the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from robust import OracleAudit
from robust.app.audit_report import EXIT_CODES
from robust.records.oracle_audit import SHARES
from robust.stats.intervals import clopper_pearson
from robust.store.contracts import load_contract
from robust.transforms.planted import PLANTS
from tests.programs import ROOT, python
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "oracle-audit.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OF: dict[str, list[str]] = {}
for language, block in BLOCKS:
    OF.setdefault(language, []).append(block)
(MODULE,) = [block for block in OF["python"] if block.startswith("# same_digits.py\n")]
(SCRIPT,) = [block for block in OF["python"] if block != MODULE]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the page's oracle and data."""
    (tmp_path / "same_digits.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "invoices.jsonl").write_text(OF["jsonl"][0], encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(OF["csv"][0], encoding="utf-8")
    return tmp_path


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is looked at below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind: len(blocks) for kind, blocks in OF.items()} == {
        "jsonl": 1,
        "python": 2,
        "console": 2,
        "csv": 1,
        "yaml": 1,
    }


def test_the_audit_of_the_page_is_what_is_printed(folder: Path) -> None:
    """To the last character, and its files are verified as the page says."""
    command, _, shown = OF["console"][0].partition("\n")
    done = robust(*command.removeprefix("$ robust ").split(), cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, shown, "")
    verified = robust(*OF["console"][1].removeprefix("$ robust ").split(), cwd=folder)
    assert verified.returncode == 0, verified.stdout
    assert "pairs planted again" in verified.stdout


def test_the_script_of_the_page_prints_what_it_says(folder: Path) -> None:
    """Labelled pairs beside planted ones, from Python."""
    code = f"import os, sys; os.chdir({str(folder)!r}); sys.path.insert(0, {str(folder)!r})\n{SCRIPT}"
    done = python(code)
    assert done.stderr == ""
    assert f"It prints `{done.stdout.strip()}`" in PAGE


def test_the_pairs_of_the_page_are_read(folder: Path) -> None:
    """By the command."""
    done = robust(
        *("oracle", "audit", "--pairs", "pairs.csv", "--oracle", "preserves", "--contract", "x/v1", "-f", "json"),
        cwd=folder,
    )
    assert json.loads(done.stdout)["counts"] == {"invalid": 1, "pairs": 3, "sources": 2, "valid": 2}


def test_the_pin_of_the_page_is_read(folder: Path) -> None:
    """In a contract, with the digest of an audit of the oracle that it names."""
    audited = robust(
        *("oracle", "audit", "invoices.jsonl", "--oracle", "preserves", "--contract", "x/v1", "-o", "audit.json"),
        cwd=folder,
    )
    assert audited.returncode == 0, audited.stderr
    head = (
        'schema_version: "1"\ndecision: {name: due, type: noul}\nbackend: mock\ndataset: invoices.jsonl\n'
        "properties: {whitespace: {max_tv_distance: 0.1}}\n"
    )
    digest = OracleAudit.load(folder / "audit.json").digest
    section = OF["yaml"][0].replace("sha256:DIGEST", digest)
    assert section != OF["yaml"][0]
    (folder / "c.yaml").write_text(head + section, encoding="utf-8")
    assert load_contract(folder / "c.yaml").oracles.default is not None
    done = robust("validate", "c.yaml", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pinned audit" in done.stdout


def test_the_tables_of_the_page_name_what_there_is() -> None:
    """Domains, figures, and exit codes."""
    domains = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("| domain |")[2].partition("\n\n")[0], re.MULTILINE))
    assert domains == {plant.domain for plant in PLANTS}
    figures = set(re.findall(r"^\| `(\w+)` \|", PAGE.partition("| figure |")[2].partition("\n\n")[0], re.MULTILINE))
    assert figures == set(SHARES)
    codes = re.findall(r"^\| (\d) \|", PAGE.partition("| exit code |")[2].partition("\n\n")[0], re.MULTILINE)
    assert set(map(int, codes)) == set(EXIT_CODES.values())


def test_the_number_of_sources_that_the_page_names_is_the_smallest() -> None:
    """That shows a share of at most 5 %."""
    (said,) = map(int, re.findall(r"(\d+)\s+sources show a share", PAGE))
    assert clopper_pearson(0, said, 0.95)[1] <= 0.05 < clopper_pearson(0, said - 1, 0.95)[1]
