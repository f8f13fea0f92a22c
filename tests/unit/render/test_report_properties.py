"""What the properties found, each on one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.render.plain import plural
from robust.render.report import report_text
from robust.render.report_words import distance_text, few, percent
from tests.run_fixtures import manifest_of, run, told
from tests.unit.render.reports import assert_fit, check_of, part_of, property_of, report_of

NAMES = [
    *("option_order", "label_format", "irrelevant_context", "repeated_context", "whitespace"),
    *("paraphrase", "inversion", "monotonic", "variants"),
]


def test_a_property_is_one_line() -> None:
    """Pairs, violations and flips with their rates, the model's own flip rate, the largest distance, groups."""
    found = property_of(
        compared=600,
        violations=49,
        violation_rate=49 / 600,
        flips=450,
        flip_rate=0.75,
        base_flip_rate=0.187,
        max_tv_distance=0.75285,
        groups_violating=45,
    )
    rows = part_of(assert_fit(report_of(properties={"whitespace": found})), "Properties")
    assert rows[2].split() == ["whitespace", "600", "49", "8.2%", "450", "75.0%", "18.7%", "0.7529", "45"]


def test_properties_stand_in_the_order_of_the_contract() -> None:
    """Which is that of the checks; a report's keys are sorted."""
    checks = [check_of(check=f"{name}.max_error_rate") for name in ("whitespace", "option_order")]
    properties = {name: property_of() for name in ("option_order", "variants", "whitespace")}
    properties["variants"]["by_relation"] = {}
    rows = part_of(assert_fit(report_of(properties=properties, checks=checks)), "Properties")
    assert [row.split()[0] for row in rows[2:5]] == ["whitespace", "option_order", "variants"]


def test_what_was_not_measured_is_a_dash() -> None:
    """Not a rate of zero; and the report says why the model's own flip rate is not known."""
    found = property_of(compared=0, violation_rate=None, flip_rate=None, max_tv_distance=None, skipped=10)
    rows = part_of(assert_fit(report_of(properties={"whitespace": found})), "Properties")
    assert rows[2].split() == ["whitespace", "0", "0", "-", "0", "-", "-", "-", "0"]
    assert "no base case was asked twice, so the model's own flip rate is not known" in " ".join(" ".join(rows).split())


def test_the_columns_are_explained() -> None:
    """Over how many cases the model's own flip rate was measured, and what checks count that the table does not."""
    flips = {"rate": 0.1, "cases": 87, "groups": 87}
    found = property_of(base_flip_rate=0.1, violation_rate=0.1, violations=1)
    checks = [
        check_of(check="whitespace.max_violation_rate", value=0.1),
        check_of(check="whitespace.max_error_rate", value=0),
    ]
    report = report_of(properties={"whitespace": found}, base_flips=flips, checks=checks)
    notes = " ".join(" ".join(part_of(assert_fit(report), "Properties")).split())
    assert "the model alone gives 87 base cases another label when asked again" in notes
    assert "source groups with a violation" in notes
    assert "trials" not in notes
    assert "upper bound" not in notes
    more = [
        check_of(check="whitespace.max_violation_rate", value=0.15),
        check_of(check="whitespace.max_group_violation_rate", value=0.3),
    ]
    notes = " ".join(" ".join(part_of(assert_fit({**report, "checks": more}), "Properties")).split())
    assert "checks on rates count all trials, this table the first of each case" in notes
    assert "judged on the upper bound of the share of groups" in notes


counts = st.integers(0, 10**11)
shares = st.none() | st.floats(0, 1)


@given(st.lists(st.sampled_from(NAMES), unique=True), counts, shares, shares, shares)
def test_the_table_stays_within_the_width(
    names: list[str], count: int, rate: float | None, base: float | None, distance: float | None
) -> None:
    """Whatever the counts and the digits."""
    fields = ("compared", "violations", "flips", "groups_violating", "planned", "judged", "valid", "invalid", "unknown")
    found = property_of(
        **dict.fromkeys((*fields, "assumed", "skipped", "errors", "groups"), count),
        violation_rate=rate,
        flip_rate=rate,
        base_flip_rate=base,
        max_tv_distance=distance,
        by_relation={},
    )
    assert_fit(report_of(properties=dict.fromkeys(names, found), base_flips={"rate": base, "cases": count}))


def test_variants_are_shown_as_a_two_by_two_table(tmp_path: Path) -> None:
    """By relation, base and variant side by side."""
    answers = {"total  2000": "no", "total 2001": "no", "total  2001": "no", "total 1": "yes"}
    few_variants = {
        f"total {2000 + n}": [(f"total  {2000 + n}", "invariant"), (f"total {n}", "counterfactual")] for n in range(2)
    }
    finished = run(tmp_path, told(answers), manifest=manifest_of(few_variants), properties={"variants": {}})
    rows = part_of(report_text(finished.report), "Validated variants")
    assert rows[1] == "  the violation rate is among the 2 pairs whose base was answered right"
    assert rows[2].split("  ")[-1] == "both wrong"
    assert [row.split() for row in rows[3:]] == [
        ["invariant", "0", "1", "0", "1"],
        ["counterfactual", "1", "0", "0", "1"],
    ]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "-"),
        (0, "0%"),
        (0.0, "0%"),
        (1, "100%"),
        (1e-9, "<0.1%"),
        (0.0009, "<0.1%"),
        (0.001, "0.1%"),
        (0.0816, "8.2%"),
        (0.9996, "99.9%"),
        (1 - 1e-12, "99.9%"),
    ],
)
def test_a_share_is_none_or_all_only_if_it_is(share: float | None, text: str) -> None:
    """One violation of a million is not 0 %."""
    assert percent(share) == text


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        (None, "-"),
        (0, "0"),
        (1, "1"),
        (0.05, "0.05"),
        (0.75285, "0.7529"),
        (0.00001, "1e-05"),
        (0.99999, "0.9999"),
        (1 - 1e-12, "1"),
        (1e-12, "0"),
        (1.0004, "1.0004"),
        (1.00001, "1.0001"),
    ],
)
def test_a_distance_is_an_end_only_if_it_is(distance: float | None, text: str) -> None:
    """Within the slack that all limits have."""
    assert distance_text(distance) == text


def test_large_counts_are_short() -> None:
    """Exact below a million, cut above."""
    assert [few(count) for count in (0, 999_999, 1_000_000, 1_299_999, 10**12)] == [
        *("0", "999999", "1.0M", "1.2M", "1000.0G")
    ]
    assert [plural(1, "pair"), plural(0, "pair"), plural(2, "pair")] == ["1 pair", "0 pairs", "2 pairs"]
