"""The journal of a batch: a killed batch continues, damage is told from a torn end."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from robust import Case, IntegrityError, OracleVerdict, Origin, UsageError, Validation, validate_variants
from robust.records.case import Relation
from robust.store.validations import FileJournal
from tests.builders import CONTRACT, sum_case, valid_variant
from tests.programs import python, start_python
from tests.validators import check_addition, interrupt

BATCH = """
import sys
from pathlib import Path
from robust import validate_variants
from tests.unit.store.test_journal import marked_pairs
from tests.validators import die_once
pairs = marked_pairs(Path(sys.argv[1]))
for item in validate_variants(pairs, relation="counterfactual", contract="integer-addition/v1", validator=die_once,
                              journal=sys.argv[1] + "/journal", workers=int(sys.argv[2])):
    print(item.digest)
"""
HOLD = """
import sys
from robust.store.validations import FileJournal
with FileJournal(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def pairs(count: int = 6) -> list[tuple[Case, Case]]:
    return [(sum_case(), sum_case(f"variant-{number}", f"What is 2 plus {number}?")) for number in range(5, 5 + count)]


def marked_pairs(folder: Path) -> list[tuple[Case, Case]]:
    """Twelve pairs that share a log; the process dies once each at the fourth and at the ninth."""
    return [
        (
            sum_case(metadata={"log": str(folder / "log")}),
            sum_case(
                f"variant-{number}",
                f"What is 2 plus {number + 5}?",
                metadata={"mark": str(folder / f"mark-{number}")} if number in (3, 8) else {},
            ),
        )
        for number in range(12)
    ]


def run(journal: Path, validator: Any = check_addition, **terms: Any) -> list[Validation]:
    stream = validate_variants(
        pairs(), relation="counterfactual", contract=CONTRACT, validator=validator, journal=journal, **terms
    )
    return list(stream)


def test_a_batch_that_is_killed_twice_validates_each_pair_once(tmp_path: Path) -> None:
    """Killed by signal 9, continued, killed again, continued: every pair was answered once, in order."""
    ends = [python(BATCH, str(tmp_path), "1") for _ in range(3)]
    assert [end.returncode for end in ends] == [-signal.SIGKILL, -signal.SIGKILL, 0]
    log = (tmp_path / "log").read_text(encoding="utf-8").split()
    assert log == [f"variant-{number}" for number in range(12)]
    assert len(ends[2].stdout.split()) == 12
    again = python(BATCH, str(tmp_path), "4")
    assert again.stdout == ends[2].stdout
    assert (tmp_path / "log").read_text(encoding="utf-8").split() == log


def test_a_finished_batch_is_not_asked_again(tmp_path: Path) -> None:
    """The second run gives the same records, times included, without a single call."""

    def never(base: Case, candidate: Case) -> OracleVerdict:
        raise AssertionError

    first = run(tmp_path / "journal")
    with FileJournal(tmp_path / "journal") as journal:
        assert journal.notices == []
    assert [item.line() for item in run(tmp_path / "journal")] == [item.line() for item in first]
    assert {item.issues for item in run(tmp_path / "other", never)} == {("validator_error",)}


def test_other_terms_are_another_judgement(tmp_path: Path) -> None:
    """Another oracle, comparator, number of repeats, contract or label setting is judged afresh."""
    calls: list[str] = []

    class Counting:
        def __init__(self, name: str) -> None:
            self.name = name

        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            calls.append(candidate.case_id)
            return check_addition(base, candidate)

    for name, terms in (
        ("a", {}),
        ("a", {"comparator": "number"}),
        ("a", {"repeats": 2}),
        ("a", {"labels": "visible"}),
        ("a", {"require_answers": False}),
        ("b", {}),
    ):
        before = len(calls)
        run(tmp_path / "journal", Counting(name), **terms)
        assert len(calls) - before == 6 * int(terms.get("repeats", 1))
    assert len(run(tmp_path / "journal", Counting("a"))) == 6
    assert len(calls) == 6 * 7


def test_another_relation_is_another_judgement(tmp_path: Path) -> None:
    """Also where the candidate brings an origin of its own, which does not name the relation."""
    base = sum_case()
    origin = Origin(parent_id="base", parent_content=base.content_digest)
    cases = [(base, sum_case("variant", "What is 2 plus 5?", origin=origin))]
    relations: list[Relation] = ["counterfactual", "invariant", "increasing", "counterfactual"]
    found = []
    for relation in relations:
        journal = tmp_path / "journal"
        [validation] = validate_variants(
            cases, relation=relation, contract=CONTRACT, validator=check_addition, journal=journal
        )
        found.append(validation.status)
    assert found == ["valid", "invalid", "valid", "valid"]


def test_a_torn_last_line_is_dropped_with_a_notice(tmp_path: Path) -> None:
    """What a kill left half written is cut off, said, and judged again."""
    path = tmp_path / "journal"
    whole = run(path)
    data = path.read_bytes()
    path.write_bytes(data[:-40])
    with FileJournal(path) as journal:
        assert len(journal.notices) == 1
        assert f"{path}:6: a torn last line" in journal.notices[0]
    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[:5])
    assert [item.digest for item in run(path)] == [item.digest for item in whole]
    assert path.read_bytes().count(b"\n") == 6


@pytest.mark.parametrize(
    "damage", [lambda line: line[: len(line) // 2] + b"\n", lambda line: b"{}\n", lambda line: b"\n"]
)
def test_a_damaged_line_before_the_last_is_an_integrity_error(tmp_path: Path, damage: Any) -> None:
    """Damage in the middle is not the trace of a kill; the line is named, and the file is left alone and unlocked."""
    path = tmp_path / "journal"
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = damage(lines[2])
    path.write_bytes(b"".join(lines))
    for _ in range(2):
        with pytest.raises(IntegrityError) as caught:
            run(path)
        assert (caught.value.problems[0].file, caught.value.problems[0].line) == (str(path), 3)
    assert path.read_bytes() == b"".join(lines)


def test_a_forged_record_in_a_journal_is_refused(tmp_path: Path) -> None:
    """Every record is checked when the journal is opened."""
    path = tmp_path / "journal"
    run(path)
    path.write_bytes(path.read_bytes().replace(b'"status":"valid"', b'"status":"unknown"', 1))
    with pytest.raises(IntegrityError) as caught:
        FileJournal(path)
    assert "$.status" in [problem.path for problem in caught.value.problems]


def test_two_processes_cannot_use_one_journal(tmp_path: Path) -> None:
    """The second one stops clearly; when the first is done it may."""
    path = tmp_path / "journal"
    with start_python(HOLD, str(path)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError) as caught:
            run(path)
        assert caught.value.code == "in_use"
        holder.communicate("done\n", timeout=30)
    assert len(run(path)) == 6


def test_an_interrupt_is_journalled(tmp_path: Path) -> None:
    """That a pair was not finished, and why, is kept; the pair is judged by the next run."""
    path = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        run(path, interrupt)
    assert b'"event":"KeyboardInterrupt"' in path.read_bytes()
    assert len(run(path)) == 6


def test_a_batch_that_is_left_early_frees_its_journal(tmp_path: Path) -> None:
    """Closing the stream closes the journal, with what was finished in it."""
    path = tmp_path / "journal"
    stream: Any = validate_variants(
        pairs(), relation="counterfactual", contract=CONTRACT, validator=check_addition, journal=path
    )
    next(stream)
    stream.close()
    with FileJournal(path) as journal:
        assert journal.notices == []
    assert path.read_bytes().count(b"\n") == 1


def test_a_journal_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    """A folder in the file's place, or a file in the folder's."""
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "journal"):
        with pytest.raises(UsageError) as caught:
            FileJournal(path)
        assert caught.value.code == "unwritable"


def test_a_journal_gives_back_what_was_put(tmp_path: Path) -> None:
    """By key, in this life and the next; an event is no record."""
    validation = valid_variant()
    for _ in range(2):
        with FileJournal(tmp_path / "journal") as journal:
            if journal.get(validation.key) is None:
                journal.put(validation.key, validation)
                journal.note("two", "KeyboardInterrupt")
            found = journal.get(validation.key)
            assert found is not None
            assert found.line() == validation.line()
            assert journal.get("two") is None
