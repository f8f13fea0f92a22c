"""The report of a run as plain text, readable at 80 columns."""

from __future__ import annotations

import os

from robust.canon import JsonObject
from robust.render.plain import columns, shorten
from robust.render.report_bars import rates_bars
from robust.render.report_checks import checks_text, undecided_text
from robust.render.report_failures import failures_text
from robust.render.report_head import MODES, assumed_note, cases_note, pairs_note
from robust.render.report_metrics import labels_text, metrics_text, observed_text, reliability_text
from robust.render.report_oracles import candidates_text, errors_text
from robust.render.report_properties import properties_text, variants_text
from robust.render.screen import WIDTH, Screen


def report_text(
    report: JsonObject,
    *,
    run: str | os.PathLike[str] | None = None,
    encoding: str = "utf-8",
    bars: bool = False,
) -> str:
    """What ran, the checks, what oracles refused and why, the numbers behind it all, and the first failures.

    No line is longer than 80 columns but for the commands that replay failures, which can be copied as they stand.

    Args:
        report: the report.
        run: the run directory, for those commands; without it failures are shown with their ids.
        encoding: of what the text is written to; characters that it lacks are escaped.
        bars: whether shares are drawn as bars, too, as a terminal shows them to somebody who looks at it.
    """
    screen, assumed = Screen(encoding), assumed_note(report)
    return "\n".join(
        [
            *(screen.paragraph(assumed, head="", indent=0) if assumed else ()),
            *_head(report, screen),
            *checks_text(report, screen),
            *undecided_text(report, screen),
            *metrics_text(report),
            *labels_text(report, screen),
            *reliability_text(report, screen if bars else None),
            *properties_text(report, screen),
            *(rates_bars(report, screen) if bars else ()),
            *candidates_text(report, screen),
            *variants_text(report),
            *errors_text(report, screen),
            *failures_text(report, screen, run),
            *observed_text(report),
            "",
            *_identities(report),
        ]
    )


def _head(report: JsonObject, screen: Screen) -> list[str]:
    contract, backend = report["contract"], report["backend"]
    cases = report["manifest"] or report["dataset"]
    split = f", split {screen.short(cases['split'], WIDTH // 4)}" if report["manifest"] else ""
    how = f"{split}, seed {report['seed']}{MODES[report['mode']]}"
    name = screen.short(cases["name"], WIDTH - columns(f"  on {how}"))
    model = f"{backend['model'] or backend['name']} ({backend['provider']})"
    lines = [
        shorten(f"{report['status'].upper()}  {contract['name']}: {screen.safe(model)}", WIDTH, screen.signs.more),
        f"  on {name}{how}",
        f"  {cases_note(report)}",
    ]
    pairs = pairs_note(report)
    return lines + (screen.paragraph(pairs, head="  ", indent=4) if pairs else [])


def _identities(report: JsonObject) -> list[str]:
    return [
        "Digests of the evidence (equal for equal runs) and of this report",
        f"evidence {report['evidence_digest']}",
        f"report   {report['digest']}",
    ]
