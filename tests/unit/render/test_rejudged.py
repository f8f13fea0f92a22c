"""What a re-judged report says of itself, as plain text."""

from __future__ import annotations

from robust.render.rejudged import rejudged_markdown, rejudged_text
from tests.unit.render.reports import DIGEST


def test_a_report_that_was_judged_again_opens_with_that() -> None:
    """Both contracts, the run's own status, and the properties that are not in both."""
    rejudged = {
        "contract": "sha256:" + "1" * 64,
        "report": DIGEST,
        "status": "fail",
        "not_run": ["whitespace", "label_format"],
        "left_out": ["option_order"],
    }
    text = rejudged_text({"contract": {"digest": DIGEST}, "rejudged": rejudged})
    assert text.splitlines() == [
        "Re-judged: the stored answers, by an edited contract; no model was asked",
        "  the run's own status is FAIL",
        "  the contract that ran, and the edited one:",
        "ran      sha256:" + "1" * 64,
        "edited   " + DIGEST,
        "  properties not run, so their checks do not hold: whitespace, label_format",
        "  properties run, but not judged now: option_order",
    ]


def test_nothing_is_said_of_the_report_of_a_run() -> None:
    """It was judged by the contract that ran."""
    report = {"contract": {"digest": DIGEST}}
    assert (rejudged_text(report), rejudged_markdown(report)) == ("", "")
