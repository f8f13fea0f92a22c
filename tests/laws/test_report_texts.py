"""Whatever a report holds, its text can be shown: on 80 columns, bounded, printable, in the terminal's characters."""

from __future__ import annotations

import shlex
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.records.decision import ErrorKind
from robust.records.status import ISSUE_LEADS_TO
from robust.transforms.candidate import SKIP_REASONS
from tests.unit.render.reports import (
    DIGEST,
    assert_fit,
    check_of,
    error_of,
    failure_of,
    is_command,
    property_of,
    report_of,
)

# Controls, escape sequences, what turns the direction, wide and combining characters, white space, signs of our own.
PIECES = [
    *(
        "\x1b[31m",
        "\x07",
        "\r",
        "\n",
        "\t",
        "  ",
        " ",
        "\u202e",
        "\u2066",
        "\u200b",
        "\u00a0",
        "\u3000",
        "\x9b",
        "\x00",
    ),
    *(
        "日本語",
        "🙂",
        "é",
        "e\u0301",
        "\u0301" * 30,
        "שלום",
        "…",
        "→",
        "·",
        "⏎",
        "|",
        "'",
        '"',
        "\\",
        "`",
        "$(x)",
        "{",
        "<b>",
    ),
    *("word", "w" * 90, "%", "robust replay r --id x", "PASS"),
]
hostile = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60)
names = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join) | st.text(min_size=1, max_size=60)
counts = st.integers(0, 10**9)
rates = st.none() | st.floats(0, 1)
NAMES = ["option_order", "irrelevant_context", "paraphrase", "monotonic", "variants"]
ERRORS = get_args(ErrorKind)
RELATIONS = ["invariant", "counterfactual", "increasing", "decreasing"]
LIMITS = ["max_tv_distance", "max_confidence_delta", "max_level_decrease", "max_flip_rate", "wrong_variant_answer"]

edits = st.lists(
    st.one_of(
        st.builds(lambda at, space: {"at": at, "space": space}, counts, hostile),
        st.builds(lambda at, text: {"at": at, "text": text}, counts, hostile),
        st.builds(lambda find, replace: {"find": find, "replace": replace}, hostile, hostile),
        st.builds(lambda field, delta: {"field": field, "delta": delta}, hostile, st.floats(1e-9, 1e12)),
        st.builds(lambda text: {"text": text}, hostile),
    ),
    max_size=3,
)


@st.composite
def failures(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """One of the first failures of a property."""
    if draw(st.booleans()):
        return {**error_of(0, name, draw(st.sampled_from(ERRORS))), "id": f"{name}/{draw(names)}/0"}
    field = draw(st.none() | names)
    text = draw(hostile)
    violations = draw(st.lists(st.sampled_from(LIMITS), min_size=1, unique=True))
    smallest = st.builds(
        lambda label, distance: {"variant_selected": label, "tv_distance": distance, "violations": violations[:1]},
        names,
        st.floats(0, 1),
    )
    return failure_of(
        name=name,
        id=f"{name}/{draw(names)}/0",
        relation=draw(st.sampled_from(RELATIONS)),
        base_selected=draw(names),
        variant_selected=draw(names),
        base_correct=draw(st.none() | st.booleans()),
        tv_distance=draw(st.floats(0, 1)),
        violations=violations,
        measured={name: draw(st.floats(0, 1e6)) for name in violations[:3] if name.startswith("max_")},
        smallest=draw(st.none() | smallest),
        edits=draw(edits),
        edits_left=draw(counts),
        presentation=draw(st.none() | st.lists(st.tuples(names, names).map(list), max_size=30)),
        shown=text if field is None else {field: text, "other": draw(hostile)},
        edited=draw(st.none() | st.just({"field": field, "at": draw(st.integers(0, len(text)))})),
    )


@st.composite
def summaries(draw: st.DrawFn) -> dict[str, Any]:
    """The summary of a property."""
    codes = draw(st.dictionaries(st.sampled_from(list(ISSUE_LEADS_TO)), counts, max_size=4))
    figures = ("planned", "compared", "errors", "valid", "invalid", "unknown", "assumed", "violations", "flips")
    oracle = st.builds(lambda name, contract: {"name": name, "contract": contract}, names, names)
    return property_of(
        **{name: draw(counts) for name in figures},
        skipped=draw(counts),
        skipped_by_reason=draw(st.dictionaries(st.sampled_from(SKIP_REASONS), counts)),
        errors_by_kind=draw(st.dictionaries(st.sampled_from(ERRORS), counts)),
        oracles=draw(st.lists(oracle, max_size=3)),
        refused_by_code=codes,
        first_refused={code: {"id": "x", "reason": draw(hostile)} for code in codes},
        violation_rate=draw(rates),
        flip_rate=draw(rates),
        base_flip_rate=draw(rates),
        max_tv_distance=draw(rates),
        groups_violating=draw(counts),
        by_relation=draw(
            st.dictionaries(
                st.sampled_from(RELATIONS),
                st.just({f"base_{one}_variant_{two}": 7 for one in ("right", "wrong") for two in ("right", "wrong")}),
            )
        ),
    )


@st.composite
def reports(draw: st.DrawFn) -> dict[str, Any]:
    """A report, hostile wherever a user's or a stranger's text stands in it."""
    properties = {name: draw(summaries()) for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=2))}
    first = [entry for name in properties for entry in draw(st.lists(failures(name), max_size=3))]
    by_kind = {entry["property"]: draw(st.integers(10, 10**9)) for entry in first}
    gates = st.builds(
        lambda name, gate, status: check_of(check=f"{name}.{gate}", status=status),
        st.sampled_from(NAMES),
        st.sampled_from(["max_violation_rate", "max_flip_rate", "max_error_rate", "max_group_violation_rate"]),
        st.sampled_from(["pass", "fail"]),
    )
    return report_of(
        backend={"name": "default", "provider": draw(names), "model": draw(st.none() | names), "model_version": None},
        manifest=draw(st.none() | st.just({"name": draw(names), "split": draw(names), "digest": DIGEST})),
        dataset={"name": draw(names), "root": DIGEST},
        counts={name: draw(counts) for name in ("cases", "groups", "errors", "pairs", "valid", "assumed", "skipped")},
        checks=draw(st.lists(gates, max_size=5)),
        properties=properties,
        errors_by_kind=draw(st.dictionaries(st.sampled_from(ERRORS), counts)),
        observed={"messages": draw(st.dictionaries(st.sampled_from(ERRORS), hostile, max_size=3)), "calls": 7},
        base_flips={"rate": draw(rates), "cases": draw(counts), "groups": 1},
        failures={"count": sum(by_kind.values()), "by_kind": by_kind, "first": first},
    )


@settings(max_examples=60)
@given(reports(), st.none() | names, st.sampled_from(["utf-8", "cp1252", "ascii"]))
def test_every_report_can_be_shown(report: dict[str, Any], run: str | None, encoding: str) -> None:
    """Bounded, however many failures there are; each command is what it says, and no text can pose as one."""
    lines = assert_fit(report, run=run, encoding=encoding).splitlines()
    assert len(lines) < 400
    ids = {entry["id"] for entry in report["failures"]["first"]}
    for line in lines:
        if is_command(line) and "$'" not in line:
            words = shlex.split(line)
            assert words[:2] == ["robust", "replay"]
            assert words[3] == "--id"
            assert words[4] in ids
            assert words[2].removeprefix("./") == (run or "").removeprefix("./")
