"""The report of a check as text: verdicts in words, figures, what was not shown, counterexamples with their replay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from robust.render.plain import columns
from tests.unit.render.checks import (
    RELATION,
    VIOLATED,
    check_report_of,
    failure_shown,
    population_report_of,
    render_check,
    shown_check,
)
from tests.unit.render.reports import part_of

REPLAY = "robust.replay_trial(system, base_input, relation, sample=1, seed=0)  # reorder"


def _text(report: dict[str, Any], *failures: Any, **fields: Any) -> str:
    text = render_check(shown_check(report, *failures, **fields), "text")
    for line in text.split("\n"):
        assert columns(line) <= 80 or line.strip() == REPLAY
    return text


def test_the_first_lines_say_what_was_checked_and_how() -> None:
    """The status, the name, how many relations and inputs, and the settings."""
    first, second, *_ = _text(check_report_of()).split("\n")
    assert first == "FAIL  totals: 1 relation on 1 input"
    assert second == "  alpha 0.05, baseline runs 5, deterministic system no, samples 20"


def test_each_relation_has_its_verdict_and_figures() -> None:
    """What is no plain pass stands in capitals."""
    relations = {
        "reorder": VIOLATED,
        "footer": RELATION,
        "scale": {**RELATION, "verdict": "inconclusive", "reason": "too_few_runs", "contradictions": 1},
        "join": {**RELATION, "verdict": "vacuous", "reason": "no_effective_trial", "trials": 0},
        "currency": {**RELATION, "verdict": "errored", "reason": "errors", "errors": 3},
    }
    text = _text(check_report_of(relations))
    assert part_of(text, "Relations") == [
        "                          trials  contradict       p",
        "  reorder   VIOLATED          20          20  0.0022",
        "  footer    holds             20           0       -",
        "  scale     INCONCLUSIVE      20           1       -",
        "  join      VACUOUS            0           0       -",
        "  currency  ERRORED           20           0       -",
    ]


def test_what_was_not_shown_is_said_with_the_remedy() -> None:
    """Samples that were no trials by reason, why something is undecided, and errors."""
    skipped = {"unchanged": 2, "repeated": 1, "invalid": 3, "unknown": 4, "not_applicable": 0}
    relations = {
        "footer": {**RELATION, "skipped": skipped},
        "scale": {**RELATION, "verdict": "inconclusive", "reason": "too_few_runs", "contradictions": 1},
        "currency": {**VIOLATED, "reason": "errors", "errors": 1},
    }
    told = " ".join(line.strip() for line in part_of(_text(check_report_of(relations)), "What was not shown"))
    assert "footer: 2 samples left the input as it was; 1 sample repeated an earlier sample; 3 samples" in told
    assert "4 samples could not be decided by the oracle" in told
    assert "nothing to change" not in told
    assert "scale: INCONCLUSIVE: 1 of 20 trials contradict; no test of so few runs" in told
    assert "raise baseline_runs or samples" in told
    assert "currency: VIOLATED: 20 of 20 trials contradict, p = 0.0022; something raised an error; 1 error" in told


def test_a_check_that_holds_has_no_more_to_say() -> None:
    """No part without content."""
    text = _text(check_report_of({"reorder": RELATION}, status="pass"))
    assert text.startswith("PASS  ")
    assert "What was not shown" not in text
    assert "What failed" not in text


def test_no_relations_are_said() -> None:
    """And are no pass."""
    assert "\nThere are no relations.\n" in _text(check_report_of({}, status="error"))


def test_a_counterexample_shows_the_change_both_outputs_and_its_replay() -> None:
    """The line can be copied; what is left out is counted."""
    report = check_report_of()
    report["failures"]["count"] = 20
    text = _text(report, *map(failure_shown, range(1, 11)))
    assert part_of(text, "What failed (20)")[1:7] == [
        "  1. reorder: input 0, sample 1",
        "     input     apples 2.00⏎pears 3.50",
        "     change    {+pears 3.50¶+}apples 2.00[-¶pears 3.50-]",
        "     before    5.5",
        "     after     2.0",
        f"     {REPLAY}",
    ]
    assert "  … and 17 more: all in records.jsonl" in text.split("\n")
    assert "made smaller" in _text(check_report_of(), failure_shown(minimised=True))


def test_what_raised_is_shown_with_what_it_said() -> None:
    """Where it was, and of which variant."""
    report = check_report_of({"reorder": {**RELATION, "verdict": "errored", "reason": "errors", "errors": 1}})
    shown = failure_shown(error="system", message="ValueError: no\nnumber", before="", after="")
    assert part_of(_text(report, shown), "What failed (1)")[1:6] == [
        "  1. reorder: input 0, sample 1: the system raised",
        "     input     apples 2.00⏎pears 3.50",
        "     change    {+pears 3.50¶+}apples 2.00[-¶pears 3.50-]",
        "     raised    ValueError: no⏎number",
        f"     {REPLAY}",
    ]
    of_base = failure_shown(error="base", message="ValueError: no", variant="", before="", after="", replay=None)
    assert part_of(_text(report, replace(of_base, sample=None)), "What failed (1)")[1:] == [
        "  1. reorder: input 0: the system raised on the input itself",
        "     input     apples 2.00⏎pears 3.50",
        "     raised    ValueError: no",
    ]


def test_a_long_output_takes_few_lines() -> None:
    """And nothing in it steers the terminal."""
    text = _text(check_report_of(), failure_shown(after="\x1b[31mred " * 500, before="a\u202eb"))
    assert len(part_of(text, "What failed")) < 15
    assert "\\u{1b}[31mred" in text
    assert "a\\u{202e}b" in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_what_a_console_lacks_is_escaped(encoding: str) -> None:
    """Our own signs too."""
    text = _text(
        check_report_of({"naïve 日本": VIOLATED}), failure_shown(1, "naïve 日本", after="日"), encoding=encoding
    )
    text.encode(encoding)
    assert "\\u{65e5}" in text


def test_calls_are_told_where_they_are_numbers() -> None:
    """They are observed, so that nothing proves them."""
    assert "\n120 calls; 30 more were not needed\n" in _text(
        check_report_of(observed={"calls": 120, "calls_saved": 30})
    )
    assert "\n120 calls\n" in _text(check_report_of(observed={"calls": 120}))
    for calls in ("many", None, True, [1]):
        assert "calls" not in _text(check_report_of(observed={"calls": calls})).replace("baseline", "")


def test_a_population_test_says_why_and_shows_its_figures() -> None:
    """The sentence is the one that the result itself has."""
    row = failure_shown(1, None, variant="text: a became A", replay=None, before="1.0", after="13.5", input_id="17")
    text = _text(population_report_of(), row)
    assert text.startswith("FAIL  scores: invariance by equivalence\n")
    told = " ".join(line.strip() for line in part_of(text, "Population test"))
    assert told.startswith("invariance violated: on the whole the change lies within the window, but only")
    assert "\n  mean_change                 0.001 (-0.01 to 0.012)\n" in text
    assert "\n  p                           1e-05\n" in text
    assert part_of(text, "Rows that fail (1)") == [
        "  1. row 17",
        "     changed   text: a became A",
        "     before    1.0",
        "     after     13.5",
    ]


def test_what_an_oracle_refused_of_rows_is_said() -> None:
    """Invalid and unknown apart."""
    told = part_of(_text(population_report_of(n_invalid=1, n_unknown=2)), "What was not shown")
    assert told == [
        "  refused by the oracle: 1 changed row",
        "  could not be decided by the oracle: 2 changed rows",
    ]
