"""A run as an HTML page: the verdict, the checks, what was not shown, pictures, failures, and what it all rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK
from robust.records.run_details import RunDetails
from robust.render.html_blocks import Fact, Page
from robust.render.html_checks import check_rows, verdict_of
from robust.render.html_run_cases import cases_section, numbers_section, segments_section
from robust.render.html_run_failures import failures_list
from robust.render.html_run_properties import candidates_section, properties_section
from robust.render.html_run_unshown import unshown_of
from robust.render.plain import number_text, shorten
from robust.render.report_facts import observed_time, observed_version, provenance
from robust.render.report_failure import folder_word
from robust.render.report_head import MODES
from robust.render.shown_run import ShownRun

_NAME_WIDTH: Final = 200
_OF_CODE: Final = ("digest", "root", "sha256")


def run_page(run: ShownRun) -> Page:
    """A run as a page.

    Args:
        run: the run, with its details.

    Raises:
        ValueError: it has none.
    """
    report, details = run.report, run.details
    if details is None:
        raise ValueError("a page needs the details of its run")
    tone, verdict, sentence = verdict_of(report)
    name = report["contract"]["name"]
    sections = (properties_section(report, details), segments_section(report, details), cases_section(report))
    after = (candidates_section(report), numbers_section(report))
    return Page(
        title=f"{verdict} {shorten(name, _NAME_WIDTH)}",
        of="Run, judged again" if "rejudged" in report else "Run",
        name=name,
        tone=tone,
        verdict=verdict,
        sentence=sentence,
        lead=[*_lead(report)],
        counts=[*_counts(report)],
        checks=check_rows(report, _intervals(report, details)),
        checks_note=_logical(report),
        unshown=[*unshown_of(report)],
        shown_whole="Every case was decided and every candidate judged; nothing was skipped or assumed.",
        sections=[section for section in sections if section is not None],
        items=failures_list(run, details),
        after=[section for section in after if section is not None],
        provenance=[*_provenance(run)],
        commands=[*_commands(run)],
    )


def _lead(report: JsonObject) -> Iterator[str]:
    backend, contract = report["backend"], report["contract"]
    model = backend["model"] or backend["name"]
    version = f" {backend['model_version']}" if backend["model_version"] else ""
    yield f"{_cut(model)}{_cut(version)} ({_cut(backend['provider'])}), asked a {contract['type']} of {_labels(report)}"
    cases = report["manifest"] or report["dataset"]
    split = f", split {_cut(cases['split'])}" if report["manifest"] else ""
    kind = "manifest" if report["manifest"] else "data set"
    yield f"{kind} {_cut(cases['name'])}{split}, seed {report['seed']}{MODES[report['mode']]}"


def _cut(text: str) -> str:
    return shorten(text, _NAME_WIDTH)


def _labels(report: JsonObject) -> str:
    labels = report["contract"]["labels"]
    return f"{len(labels)} labels"


def _counts(report: JsonObject) -> Iterator[Fact]:
    counts = report["counts"]
    yield Fact("base cases", f"{counts['cases']:,}")
    yield Fact("sources", f"{counts['groups']:,}")
    if counts["pairs"]:
        yield Fact("pairs", f"{counts['pairs']:,}")
    yield Fact("failures", f"{report['failures']['count']:,}")


def _intervals(report: JsonObject, details: RunDetails) -> dict[str, tuple[float, float] | None]:
    """By check, the interval of a rate over all pairs; none where the check counts other trials than these."""
    rates = {"max_violation_rate": details.violations, "max_flip_rate": details.flips}
    found: dict[str, tuple[float, float] | None] = {}
    for check in report["checks"]:
        name, _, gate = check["check"].rpartition(".")
        rate = rates[gate].get(name) if gate in rates else None
        if rate is None or rate.value is None or check["value"] is None:
            continue
        if abs(rate.value - check["value"]) <= LIMIT_SLACK:
            found[check["check"]] = rate.interval
    return found


def _logical(report: JsonObject) -> str:
    if report["logical_status"] == report["status"]:
        return ""
    return f"Without the checks on time, tokens and cost: {report['logical_status'].upper()}."


def _provenance(run: ShownRun) -> Iterator[Fact]:
    report = run.report
    for name, text in provenance(report):
        yield Fact(name, text, code=any(word in name for word in _OF_CODE))
    yield Fact("schema of the contract", report["contract"]["schema_version"])
    yield Fact("signature", run.signature)
    for name, key in (("started", "started_at"), ("finished", "finished_at")):
        if (time := observed_time(report, key)) is not None:
            yield Fact(name, time)
    if (version := observed_version(report)) is not None:
        yield Fact("robust", version)
    for name in ("calls", "cached", "tokens", "cost"):
        value = report["observed"].get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            yield Fact({"calls": "calls", "cached": "answers from a cache"}.get(name, name), number_text(value))


def _commands(run: ShownRun) -> Iterator[Fact]:
    if run.replayable is not None:
        folder = folder_word(run.path, "utf-8")
        yield Fact("derives every number again from the records", f"robust verify {folder}", code=True)
        yield Fact("asks the model the stored failures again", f"robust replay {folder}", code=True)
        yield Fact(
            "judges the stored answers by an edited contract", f"robust report {folder} --contract FILE", code=True
        )
        yield Fact(
            "writes checks, pairs and decisions for a spreadsheet", f"robust report {folder} -f csv -o DIR", code=True
        )
