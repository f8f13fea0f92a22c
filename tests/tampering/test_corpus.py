"""The tamper corpus: every single edit of signed evidence is refused, for its own reason, and nothing else is touched.

``python -m tests.tampering`` prints the table of kinds, counts and reasons; ``--wide`` makes every edit there is.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust.run.decision_layout import DecisionLayout
from robust.store.contracts import read_contract
from tests.run_fixtures import robust
from tests.tampering.corpus import Part, corpus
from tests.tampering.edits import DECIDED, FROZEN, MANIFEST_ATTESTATION, PROVEN_CASE, PROVEN_RECORD, RUN, Asked
from tests.tampering.forger import lines_of, refit
from tests.tampering.harmless import LEFT_OPEN
from tests.tampering.judged import judge_part
from tests.tampering.reasons import REASONS
from tests.tampering.verdicts import Bench
from tests.tampering.workshop import DECISIONS, SIGNERS, Workshop, case_files

PARTS = 16
WIDE_PARTS = 64
# Parts have more than 300 on the whole, and not all of them as many.
ENOUGH_WIDE = 200
# Of at least 2,000 edits in all.
ENOUGH = 2000 // PARTS


@pytest.fixture
def bench(tmp_path: Path, workshop: Workshop) -> Bench:
    """A copy of the evidence to work on."""
    return Bench(tmp_path, workshop)


@pytest.mark.parametrize("number", range(PARTS))
def test_every_edit_is_refused_for_its_own_reason(bench: Bench, number: int) -> None:
    """Every field of every file, lines, bytes, whole files, proofs, signatures, keys, places."""
    tally = judge_part(bench, Part(number, PARTS), wide=False)
    assert tally.wrong == []
    assert tally.edits >= ENOUGH
    assert bench.untouched()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(WIDE_PARTS))
def test_whatever_is_done_to_a_field_or_a_line_is_refused(bench: Bench, number: int) -> None:
    """Not some of it at each place but all of it at every field, and a seeded choice where the field stands again."""
    tally = judge_part(bench, Part(number, WIDE_PARTS), wide=True)
    assert tally.wrong == []
    assert tally.edits >= ENOUGH_WIDE
    assert bench.untouched()


@pytest.mark.parametrize(
    "asked",
    [RUN, DECIDED, FROZEN, PROVEN_CASE, PROVEN_RECORD, Asked((MANIFEST_ATTESTATION,)), Asked(("run", *FROZEN.paths))],
)
def test_what_was_not_edited_is_authentic(bench: Bench, asked: Asked) -> None:
    """Otherwise nothing above would mean anything."""
    verdict = bench.verify(asked)
    assert (verdict.exit_code, verdict.findings, verdict.authentic) == (0, (), True)


def test_the_forger_leaves_what_was_not_edited_as_it_is(workshop: Workshop) -> None:
    """So what it computes is what stands in our files."""
    case = case_files(workshop.made)
    for name in case:
        assert refit(case, name) == case


def test_decisions_alone_are_read_by_their_layout(workshop: Workshop) -> None:
    """All of them, so that the way on which most runs are verified is tampered with, too."""
    report, contract = (json.loads(workshop.made[f"{DECISIONS}/{name}.json"]) for name in ("report", "contract"))
    lines = lines_of(workshop.made[f"{DECISIONS}/records.jsonl"])
    assert len(DecisionLayout(read_contract(contract), report["backend"]).matched(lines)) == len(lines) > 3


def test_every_row_of_the_table_has_edits(workshop: Workshop, tmp_path: Path) -> None:
    """And every kind of edit has its row."""
    some = corpus(workshop, tmp_path, Part(0, 40), wide=True)
    others = corpus(workshop, tmp_path, Part(), wide=False, fields=False)
    assert {edit.kind for edit in (*some, *others)} == {*REASONS, *LEFT_OPEN}


@pytest.mark.parametrize("number", range(2))
def test_the_command_refuses_as_the_function_does(bench: Bench, workshop: Workshop, number: int) -> None:
    """With the exit code, without a traceback, and without anything else on standard output than text."""
    keys = [option for name in SIGNERS for option in ("--public-key", str(workshop.key(name)))]
    seen: set[str] = set()
    for edit in corpus(workshop, bench.outside, Part(number, 40), wide=False, fields=False):
        if edit.kind in seen or edit.kind in LEFT_OPEN or edit.asked.keys != SIGNERS:
            continue
        seen.add(edit.kind)
        with bench.edited(edit):
            paths = [bench.case / path for path in edit.asked.paths if "\0" not in path]
            done = robust("verify", *paths, *keys, "--threshold", str(edit.asked.threshold), cwd=bench.case)
        due = bench.judge(edit).exit_code
        assert done.returncode == due, (edit.name, done.stdout, done.stderr)
        assert "Traceback" not in done.stdout + done.stderr
        assert "error[" in done.stdout + done.stderr
        assert "internal" not in done.stdout + done.stderr
    assert len(seen) > 5
