"""A check of production records in every format: what holds, what is unknown, and nothing that a value could do."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust import ProductionReport, UsageError, check_production
from robust.app.production_reporting import format_production
from robust.render.production_formats import PRODUCTION_FORMATS
from robust.render.production_junit import production_junit
from robust.render.production_markdown import production_markdown
from robust.render.shown_production import ShownProduction
from tests.production_files import contract_data, record, records, write_lines

GATES = {
    "segments": ["region"],
    "requirements": {"min_accuracy": 0.1, "max_accuracy_drop": 0.001},
    "warnings": {"max_error_rate": 0.01},
    "segment_requirements": {"min_accuracy": 0.9},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> ProductionReport:
    """A check with something of everything."""
    folder = tmp_path_factory.mktemp("found")
    file = write_lines(folder / "r.jsonl", records(200))
    before = write_lines(folder / "b.jsonl", records(150, 3))
    return check_production(contract_data(GATES), file, baseline=before)


@pytest.mark.parametrize("form", PRODUCTION_FORMATS)
def test_every_format_names_every_check_and_segment(found: ProductionReport, form: str) -> None:
    """And the digest of the report."""
    text = format_production(found.report, form).replace("<wbr>", "").replace("&lt;", "<").replace("&gt;", ">")
    for gate in ("min_accuracy", "max_accuracy_drop", "max_error_rate"):
        assert gate in text
    for value in ("north", "south", "<missing>"):
        assert value in text
    assert found.digest in text


def test_json_is_the_report(found: ProductionReport) -> None:
    """Whole, in ASCII where the output has no more."""
    import json

    assert json.loads(format_production(found.report, "json", encoding="ascii")) == found.report


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_old_terminals_can_show_it(tmp_path: Path, form: str, encoding: str) -> None:
    """R5: whatever the values of segments are."""
    rows = [record(outcome="refund", metadata={"region": value}) for value in ("日本", "żółw", "🙂")]
    report = check_production(contract_data(GATES), write_lines(tmp_path / "r.jsonl", rows)).report
    format_production(report, form, encoding=encoding, bars=True).encode(encoding)


def test_what_is_unknown_is_said(tmp_path: Path) -> None:
    """Where nothing but the answers is known."""
    report = check_production(contract_data(GATES), write_lines(tmp_path / "r.jsonl", [record()] * 4)).report
    for form in ("text", "markdown", "html"):
        text = " ".join(format_production(report, form).split())
        for told in ("whether the answer was right", "the action that was taken", "the latency", "the cost"):
            assert f"{told} is unknown of 4 of 4 records" in text or (
                f"{told[0].upper()}{told[1:]} is unknown of 4 of 4 records" in text
            )
        assert "no baseline" in text


def test_junit_fails_just_what_the_exit_code_fails(found: ProductionReport) -> None:
    """A warning is skipped, until warnings fail."""
    text = production_junit(ShownProduction(report=found.report))
    assert '<skipped type="warning"' in text and text.count("<failure") == 4
    strict = {**found.report, "settings": {**found.report["settings"], "fail_on_warn": True}}
    assert production_junit(ShownProduction(report=strict)).count("<failure") == 5


@pytest.mark.parametrize("most", [6000, 10_000])
def test_markdown_keeps_its_limit_and_counts_what_it_left_out(tmp_path: Path, most: int) -> None:
    """Checks and segments."""
    rows = (record(outcome="reject", metadata={"region": f"r{number} |`x`"}) for number in range(150))
    report = check_production(contract_data(GATES), write_lines(tmp_path / "r.jsonl", rows)).report
    text = production_markdown(ShownProduction(report=report), most_bytes=most)
    assert len(text.encode()) <= most and "more in report.json of the run" in text


def test_there_is_no_other_format(found: ProductionReport) -> None:
    """The error says which there are."""
    with pytest.raises(UsageError, match="text, json, junit, markdown, html"):
        format_production(found.report, "sarif")
