"""E2: a run as CSV for spreadsheets: every record a row, every number a number, and no cell a formula."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Run, UsageError, report_run, run_contract
from robust.app.report_csv import csv_lines, save_csv
from robust.render.csv_rows import MAX_CELL, MAX_LABELS
from tests.golden.test_reports import RUNS
from tests.page_runs import hostile, rich
from tests.run_fixtures import robust

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "@SUM(1)", "-2+3", "\uff1d1", "\t=1")
MADE = {**RUNS, "rich": lambda folder: rich(folder, 60), "hostile": hostile}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Runs of many kinds."""
    folder = tmp_path_factory.mktemp("runs")
    return {name: make(folder / name) for name, make in MADE.items()}


def table(run: Run, part: Any) -> list[dict[str, str]]:
    """A part, as a reader of CSV that is not ours takes it."""
    text = b"".join(csv_lines(run, part)).decode()
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def same(cell: str, value: Any) -> bool:
    """Whether a cell holds a value."""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    return cell == "" if value is None else float(cell) == value if isinstance(value, int | float) else cell == value


@pytest.mark.parametrize("name", MADE)
def test_every_check_decision_and_pair_is_a_row(runs: dict[str, Run], name: str) -> None:
    """With the numbers of the report and the records, to the last digit."""
    run = runs[name]
    records = [*run.records()]
    for row, check in zip(table(run, "checks"), run.report["checks"], strict=True):
        assert all(same(row[key], check[key]) for key in ("check", "level", "status", "value", "limit", "noise"))
        assert [row["low"], row["high"]] == [repr(end) for end in check["interval"] or []] or not check["interval"]
    decisions = [record for record in records if record["kind"] == "decision"]
    for row, record in zip(table(run, "decisions"), decisions, strict=True):
        result = record.get("result")
        assert same(row["confidence"], None if result is None else result["confidence"])
        assert same(row["error"], record["error"]["kind"] if "error" in record else None)
    pairs = [record for record in records if record["kind"] != "decision"]
    for row, record in zip(table(run, "pairs"), pairs, strict=True):
        comparison = record.get("comparison") or {}
        assert row["property"] == record["property"]
        for key in ("tv_distance", "confidence_delta", "flipped", "base_correct"):
            assert same(row[key], comparison.get(key)), key
        assert row["violations"] == " ".join(record.get("violations", ()))


@pytest.mark.parametrize("name", MADE)
def test_statuses_in_the_table_are_those_of_the_report(runs: dict[str, Run], name: str) -> None:
    """How many were valid, invalid, unknown, assumed and skipped."""
    rows = table(runs[name], "pairs")
    found = [row["status"] for row in rows]
    counts = runs[name].report["counts"]
    for status in ("valid", "invalid", "unknown", "assumed", "skipped"):
        assert found.count(status) == counts[status], status


def test_e2_no_cell_starts_a_formula_and_texts_can_be_had_again(tmp_path: Path) -> None:
    """By taking one apostrophe off; negative numbers are numbers."""
    rows = [
        Case({"text": f"{text} one"}, "yes", case_id=text.strip(), source_id=text.strip(), metadata={"said": text})
        for text in FORMULAS
    ]
    rows += [Case("plain one", "yes", case_id="plain", source_id="plain")]
    contract = {
        "schema_version": "0.1",
        "decision": {"name": "q", "type": "choice", "options": ["yes", "=1+1", "-no"]},
        "backend": {"provider": "mock", "position_bias": 0.4},
        "properties": {"option_order": {"max_tv_distance": 0.1, "samples": 2}},
    }
    run = run_contract(contract, dataset=rows, output=tmp_path / "run")
    numbers = 0
    for part in ("checks", "pairs", "decisions"):
        text = b"".join(csv_lines(run, part)).decode()
        for cells in csv.reader(io.StringIO(text, newline="")):
            for cell in cells:
                if cell.startswith("-"):
                    float(cell)
                    numbers += 1
                assert not cell.lstrip().startswith(("=", "+", "@", "\uff1d")), cell
    assert numbers > 0
    ids = {row["case_id"] for row in table(run, "decisions")}
    assert {cell.removeprefix("'") for cell in ids} == {*(text.strip() for text in FORMULAS), "plain"}
    stored = json.loads((run.path / "records.jsonl").read_text("utf-8").splitlines()[0])
    assert stored["case_id"] in {text.strip() for text in FORMULAS} | {"plain"}


def test_the_command_writes_a_folder_or_one_file(runs: dict[str, Run], tmp_path: Path) -> None:
    """With a byte order mark for Excel; without an output the checks are shown; the exit code is that of the run."""
    run = runs["assumed"].path
    done = robust("report", run, "-f", "csv", "-o", "tables", cwd=tmp_path)
    files = ["checks.csv", "pairs.csv", "decisions.csv"]
    shown = "".join(f"FAIL  {Path('tables') / name}\n" for name in files)
    assert (done.returncode, done.stdout, done.stderr) == (1, shown, "")
    for name in files:
        data = (tmp_path / "tables" / name).read_bytes()
        assert data.startswith(b"\xef\xbb\xbf")
        told = robust("report", run, "-f", "csv", "--part", Path(name).stem, cwd=tmp_path)
        assert told.stdout.splitlines() == data.decode("utf-8-sig").splitlines()
        one = robust("report", run, "-f", "csv", "--part", Path(name).stem, "-o", name, cwd=tmp_path)
        assert (one.returncode, (tmp_path / name).read_bytes()) == (1, data)
    assert robust("report", run, "-f", "csv", cwd=tmp_path).stdout.startswith("check,level,status,")


def test_nothing_is_written_over_and_nothing_into_a_run(runs: dict[str, Run], tmp_path: Path) -> None:
    """And a name of a file needs a part; before a file is there, all are looked at."""
    run = runs["assumed"]
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "decisions.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError) as stopped:
        save_csv(run, tmp_path / "tables")
    assert stopped.value.code == "exists"
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["decisions.csv"]
    assert len(save_csv(run, tmp_path / "tables", overwrite=True)) == 3
    for target, part, code in (
        (run.path, None, "bad_output"),
        (run.path / "checks.csv", "checks", "bad_output"),
        (tmp_path / "all.csv", None, "no_part"),
        (tmp_path / "tables" / "checks.csv" / "deeper", None, "unwritable"),
        (tmp_path / "x.csv", "records", "unknown_part"),
    ):
        with pytest.raises(UsageError) as stopped:
            save_csv(run, target, part=part)  # type: ignore[arg-type]
        assert stopped.value.code == code, target
    done = robust("report", run.path, "-f", "markdown", "--part", "pairs")
    assert (done.returncode, "error[bad_part]" in done.stderr) == (2, True)


def test_pairs_are_those_that_an_edited_contract_judges(runs: dict[str, Run]) -> None:
    """With its violations, and without those of a property that it has no more."""
    run = runs["assumed"]
    contract = json.loads((run.path / "contract.json").read_bytes())
    contract["properties"]["whitespace"]["max_tv_distance"] = 0.9
    del contract["properties"]["option_order"]
    rows = table(report_run(run.path, contract=contract), "pairs")
    assert {row["violations"] for row in rows if row["property"] == "whitespace"} == {""}
    assert "option_order" not in {row["property"] for row in rows}


def test_what_a_sheet_cannot_hold_is_cut_and_counted(tmp_path: Path, runs: dict[str, Run]) -> None:
    """A cell has 32,767 characters in Excel; a label for each of thousands would be a column each."""
    cells = [cell for row in table(runs["hostile"], "decisions") for cell in row.values()]
    assert max(map(len, cells)) < 32_767
    assert any(cell.endswith(" more characters") and len(cell) > MAX_CELL for cell in cells)
    options = [f"label {number}" for number in range(MAX_LABELS + 1)]
    contract = {
        "schema_version": "0.1",
        "decision": {"name": "q", "type": "choice", "options": options},
        "backend": {"provider": "mock"},
        "requirements": {"min_accuracy": 0},
    }
    run = run_contract(contract, dataset=[Case("one", options[0], case_id="a", source_id="a")], output=tmp_path / "run")
    (row,) = table(run, "decisions")
    assert [key for key in row if key.startswith("p(")] == []
