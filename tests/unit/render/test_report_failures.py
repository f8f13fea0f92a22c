"""What failed: bounded, the most telling first, each with its smallest form and the command that replays it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from robust.render.report import report_text
from tests.unit.render.reports import (
    assert_fit,
    check_of,
    error_of,
    failed_report,
    failure_of,
    is_command,
    part_of,
    property_of,
    report_of,
)

FAILS = [check_of(check="whitespace.max_violation_rate", value=0.5, limit=0)]


def _failed(text: str) -> list[str]:
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("What failed"))
    end = next(index for index in range(start, len(lines)) if lines[index].startswith("Digests"))
    return lines[start:end]


def _details(entry: dict[str, Any], **options: Any) -> dict[str, str]:
    """By name, what is said of a single failure."""
    limits = options.pop("limits", {"max_tv_distance": 0.05})
    found = {entry["property"]: property_of(limits=limits)}
    text = assert_fit(failed_report(entry, properties=found, checks=FAILS), **options)
    lines = part_of(text, "  whitespace: ") if entry["property"] == "whitespace" else part_of(text, "  option_order: ")
    details: dict[str, str] = {"": lines[0].strip()}
    name = ""
    for line in lines[1:]:
        if is_command(line):
            details["command"] = line.strip()
            continue
        if line[5:15].strip():
            name = line[5:15].strip()
            details[name] = line[15:]
        else:
            details[name] += " " + line[15:]
    return details


def test_a_failure_says_everything_that_is_needed_to_understand_it() -> None:
    """Labels, what is right, the distance, what was broken by how much, the edit, the text, the command."""
    assert _details(failure_of(), run="runs/first") == {
        "": "1. yes → no, base right, variant wrong, TV 0.25",
        "broken": "max_tv_distance 0.25 > 0.05",
        "edit": 'white space "··" at character 4',
        "text": "one··two",
        "command": "robust replay runs/first --id whitespace/c0/0",
    }


def test_a_terminal_of_another_encoding_gets_ascii() -> None:
    """White space can be seen all the same."""
    for encoding in ("cp1252", "ascii"):
        details = _details(failure_of(), run="runs/first", encoding=encoding)
        assert details[""] == "1. yes -> no, base right, variant wrong, TV 0.25"
        assert details["text"] == r"one\s\stwo"


def test_the_smallest_form_has_its_own_label_distance_and_violations() -> None:
    """Those that differ from the whole's are named."""
    same = {"variant_selected": "maybe", "tv_distance": 0.5, "violations": ["max_tv_distance"]}
    assert _details(failure_of(smallest=same))["smallest"] == "→ maybe, TV 0.5"
    other = {**same, "violations": ["max_flip_rate"]}
    assert _details(failure_of(smallest=other))["smallest"] == "→ maybe, TV 0.5, breaks max_flip_rate"


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("invariant", "max_flip_rate (another label)"),
        ("counterfactual", "max_flip_rate (the label did not swap)"),
        ("increasing", "max_flip_rate (a lower level)"),
        ("decreasing", "max_flip_rate (a higher level)"),
    ],
)
def test_what_a_changed_label_is_depends_on_the_relation(relation: str, said: str) -> None:
    """Which is named where it is not that the answer stays."""
    entry = failure_of(relation=relation, violations=["max_flip_rate"], measured={}, base_correct=None)
    details = _details(entry)
    assert details["broken"] == said
    assert details[""] == "1. yes → no, " + ("" if relation == "invariant" else f"{relation}, ") + "TV 0.25"


def test_what_was_measured_is_shown_without_a_limit_where_that_is_not_known() -> None:
    """Validated variants name theirs in the contract only."""
    entry = failure_of(violations=["wrong_variant_answer", "max_tv_distance"])
    assert _details(entry, limits={})["broken"] == "wrong_variant_answer, max_tv_distance 0.25"


@pytest.mark.parametrize(
    ("edits", "left", "said"),
    [
        (
            [{"at": 0, "text": "The kettle had just boiled."}],
            0,
            'inserted at character 1: "The kettle had just boiled."',
        ),
        ([{"find": "is", "replace": "is\tnot"}], 0, '"is" became "is→not"'),
        ([{"field": "amount", "delta": 1.5}], 0, "amount + 1.5"),
        ([{"text": "Other words."}], 0, "other words"),
        (
            [{"at": 0, "space": "\n"}, {"at": 4, "space": "\t"}],
            3,
            'white space "⏎" at character 1; white space "→" at character 5; and 3 more',
        ),
    ],
)
def test_edits_are_told_in_words(edits: list[dict[str, Any]], left: int, said: str) -> None:
    """Of every kind of transformation."""
    assert _details(failure_of(edits=edits, edits_left=left))["edit"] == said


def test_labels_are_listed_as_they_were_shown() -> None:
    """In their order; of many the first, with how many are left out."""
    few = failure_of(presentation=[["B) no", "no"], ["A) yes", "yes"]], edits=[], edited=None, shown="text")
    assert _details(few)["labels"] == "B) no | A) yes"
    assert "edit" not in _details(few)
    many = failure_of(presentation=[[f"label {n}", f"label {n}"] for n in range(100)], edits=[], edited=None)
    said = _details(many)["labels"]
    assert said.startswith("label 0 | label 1 | ")
    assert said.endswith("label 11 | and 88 more")


def test_of_a_long_text_the_part_with_the_change_is_shown() -> None:
    """An object by the text that was changed, with its name; by its JSON where that is not known."""
    text = "word " * 60 + "here  there " + "word " * 20
    shown = _details(failure_of(shown=text, edited={"field": None, "at": 304}))["text"]
    assert shown.startswith("…")
    assert "here··there" in shown
    shown = _details(failure_of(shown={"body": text, "id": 1}, edited={"field": "body", "at": 304}))["text"]
    assert shown.startswith("body: …")
    assert "here··there" in shown
    assert _details(failure_of(shown={"b": "x  y", "a": 1}, edited=None))["text"] == '{"a":1,"b":"x··y"}'
    short = "word " * 30 + "here  there"
    assert _details(failure_of(shown=short, edited={"field": None, "at": 154}))["text"].startswith("word ")


def test_without_a_run_directory_the_id_is_shown() -> None:
    """There is nothing to replay then."""
    details = _details(failure_of())
    assert details["id"] == "whitespace/c0/0"
    assert "command" not in details


def test_the_command_is_one_line_whatever_the_names() -> None:
    """Longer than a terminal is wide, quoted for a shell, printable, and no option."""
    entry = failure_of(id="whitespace/it's $(rm) " + "c" * 200 + "/0")
    command = _details(entry, run="-my runs/first")["command"]
    assert shlex.split(command) == ["robust", "replay", "./-my runs/first", "--id", entry["id"]]
    hidden = failure_of(id="whitespace/a\u202eb/0")
    assert _details(hidden, run="r")["command"] == "robust replay r --id $'whitespace/a\\342\\200\\256b/0'"
    foreign = failure_of(id="whitespace/é/0")
    assert _details(foreign, run="r")["command"] == "robust replay r --id 'whitespace/é/0'"
    assert _details(foreign, run="r", encoding="ascii")["command"].endswith("$'whitespace/\\303\\251/0'")


def test_errors_are_shown_with_a_command_where_something_was_sent() -> None:
    """What nobody worded, or no oracle could be asked about, was never sent."""
    kinds = ["timeout", "paraphrase_error", "oracle_error"]
    first = [error_of(number, "paraphrase", kind) for number, kind in enumerate(kinds)]
    report = failed_report(error_of(9, None), *first, checks=[check_of(check="paraphrase.max_error_rate")])
    lines = _failed(assert_fit(report, run="r"))
    assert lines[2:5] == [
        "  base cases: 1 of 1 ended in an error",
        "  1. timeout",
        "     robust replay r --id decision/c9",
    ]
    assert lines[6:-1] == [
        "  paraphrase: 3 of 10 pairs",
        "  1. timeout",
        "     robust replay r --id paraphrase/c0/0",
        "  2. paraphrase_error",
        "     id        paraphrase/c1/0",
        "  3. oracle_error",
        "     id        paraphrase/c2/0",
    ]


def test_properties_whose_checks_do_not_hold_come_first() -> None:
    """With three failures each; those that are within their limits have one, and say so."""
    first = [failure_of(n, name) for name in ("option_order", "whitespace", "label_format") for n in range(9)]
    checks = [
        check_of(check="option_order.max_violation_rate", status="pass"),
        check_of(check="label_format.max_violation_rate", status="pass", p_value=0.4, noise=True),
        *FAILS,
    ]
    lines = _failed(assert_fit(failed_report(*first, more=1000, checks=checks), run="r"))
    heads = [line.strip() for line in lines if " pairs" in line]
    assert heads == [
        "whitespace: 1009 of 10 pairs",
        "option_order: 1009 of 10 pairs, within the limits of the contract",
        "label_format: 1009 of 10 pairs, which may be the model's own noise",
    ]
    assert [line.strip().split(" --id ")[1] for line in lines if is_command(line)] == [
        *("whitespace/c0/0", "whitespace/c1/0", "whitespace/c2/0", "option_order/c0/0", "label_format/c0/0")
    ]


def test_failures_that_a_broken_gate_is_about_are_chosen() -> None:
    """In turn where several are broken: a limit, a label, an error, though thousands of labels come first."""
    flips = [failure_of(n, violations=["max_flip_rate"], measured={}) for n in range(10)]
    first = [*flips, failure_of(50), error_of(60), error_of(61, error="original_error")]

    def chosen(*gates: str) -> list[str]:
        checks = [check_of(check=f"whitespace.{gate}") for gate in gates]
        lines = _failed(assert_fit(failed_report(*first, checks=checks), run="r"))
        return [line.split("/")[1] for line in lines if is_command(line)]

    assert chosen("max_violation_rate") == ["c50", "c0", "c1"]
    assert chosen("max_group_violation_rate") == ["c50", "c0", "c1"]
    assert chosen("max_flip_rate") == ["c0", "c1", "c2"]
    assert chosen("max_error_rate") == ["c60", "c0", "c1"]
    assert chosen("max_violation_rate", "max_flip_rate", "max_error_rate") == ["c50", "c0", "c60"]
    # A gate on candidates says nothing of the answers to them.
    assert chosen("min_valid_rate") == ["c0"]


def test_what_is_left_out_is_counted_and_found() -> None:
    """In report.json some more, in records.jsonl all."""
    first = [failure_of(number) for number in range(10)]
    lines = _failed(assert_fit(failed_report(*first, more=24_991, checks=FAILS)))
    assert lines[0] == "What failed (25001)"
    assert "  … and 24998 more: the first of them in report.json, all in records.jsonl" in lines
    assert len(lines) < 30
    text = report_text(failed_report(*first[:3], more=7, checks=FAILS))
    assert "  … and 7 more: all in records.jsonl" in text
    assert "more:" not in report_text(failed_report(*first[:3], checks=FAILS))


def test_the_signs_for_white_space_are_explained_where_they_occur() -> None:
    """And only there."""
    legend = "  In edits and texts · is a space, → a tab, ⏎ a line feed."
    assert legend in report_text(failed_report(failure_of()))
    plain = failure_of(edits=[{"text": "x"}], shown="one two", edited=None)
    assert "In edits" not in report_text(failed_report(plain))
    assert "What failed" not in report_text(report_of())
