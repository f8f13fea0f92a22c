"""Drawings: they are XML, nothing is drawn outside, what is told is in them, and empty data is no error."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from robust.render.html_blocks import Svg
from robust.render.svg_bars import Bar, bars_svg
from robust.render.svg_histogram import Histogram, histogram_svg
from robust.render.svg_matrix import Matrix, matrix_svg
from robust.render.svg_parts import nice_end, number, ticks
from robust.render.svg_rates import Rate, rates_svg
from robust.render.svg_reliability import Bin, bins_of, reliability_svg
from robust.render.svg_stacks import Part, Stack, stacks_svg

SHARES = st.floats(0, 1)
COUNTS = st.integers(0, 10**9)
NAMES = st.text(max_size=80)


def read(svg: Svg) -> ET.Element:
    """Hold a drawing to what holds of all: XML, within its frame, no scripts or styles; gives its root."""
    root = ET.fromstring(svg)  # noqa: S314 - it is our own
    assert root.attrib["aria-hidden"] == "true"
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert (left, top, width) == (0, 0, 340)
    for each in root.iter():
        assert each.tag in ("svg", "rect", "line", "circle", "text")
        assert not {"style", "href", "onload"} & each.attrib.keys()
        across = [float(each.attrib[name]) for name in ("x", "x1", "x2", "cx") if name in each.attrib]
        down = [float(each.attrib[name]) for name in ("y", "y1", "y2", "cy") if name in each.attrib]
        if each.tag == "rect":
            across.append(across[0] + float(each.attrib["width"]))
            down.append(down[0] + float(each.attrib["height"]))
        assert all(-0.1 <= place <= width + 0.1 for place in across), each.attrib
        assert all(-0.1 <= place <= height + 0.1 for place in down), each.attrib
    return root


def places(root: ET.Element, kind: str, name: str) -> list[float]:
    """A coordinate of each element of a class."""
    return [float(each.attrib[name]) for each in root.iter() if each.attrib.get("class") == kind]


def told(root: ET.Element) -> list[str]:
    """All texts."""
    return [each.text or "" for each in root.iter("text")]


@given(st.lists(st.tuples(NAMES, SHARES, SHARES, SHARES, st.none() | SHARES), max_size=5), st.none() | SHARES)
def test_rates_are_drawn_on_their_intervals(
    rows: list[tuple[str, float, float, float, float | None]], line: float | None
) -> None:
    """Points within bands, limits where they are, whatever the values."""
    rates = [
        Rate(name, sorted((a, b, c))[1], (min(a, b, c), max(a, b, c)), limit, "bad", "1 of 2")
        for name, a, b, c, limit in rows
    ]
    root = read(rates_svg(rates, reference=line))
    assert len(places(root, "dot m-bad", "cx")) == len(rates)
    assert len(places(root, "limit", "x1")) == sum(rate.limit is not None for rate in rates)


def test_a_rate_over_its_limit_is_right_of_it() -> None:
    """On one axis from 0 to a round end."""
    root = read(rates_svg([Rate("a", 0.2, (0.1, 0.3), 0.05, "bad", "2 of 10"), Rate("b", 0, None, 0.05)]))
    (over,), (limit, other) = places(root, "dot m-bad", "cx"), places(root, "limit", "x1")
    assert limit == other < over
    assert 6 + 328 * 0.2 / 0.3 - 1 < over < 6 + 328 * 0.2 / 0.3 + 1
    assert [text for text in told(root) if text] == ["0", "0.075", "0.15", "0.225", "0.3", "a", "2 of 10", "b"]


def test_what_has_no_value_has_no_point() -> None:
    """Its name and its limit stand there all the same."""
    root = read(rates_svg([Rate("a", None, None, 0.1)]))
    assert places(root, "dot m-plain", "cx") == []
    assert len(places(root, "limit", "x1")) == 1


@given(st.lists(st.tuples(NAMES, st.lists(COUNTS, min_size=50, max_size=50), st.none() | SHARES), max_size=4))
def test_histograms_stay_within_their_frames(rows: list[tuple[str, list[int], float | None]]) -> None:
    """With any counts and limits, and with none."""
    root = read(histogram_svg([Histogram(name, bins, limit) for name, bins, limit in rows]))
    bars = sum(each.attrib.get("class", "").startswith("bar") for each in root.iter())
    assert bars == sum(bool(count) for _, bins, _ in rows for count in bins)


def test_bins_beyond_the_limit_are_marked() -> None:
    """Only those that are beyond it as a whole."""
    bins = [0] * 50
    bins[4], bins[5], bins[9] = 3, 1, 1
    root = read(histogram_svg([Histogram("a", bins, 0.1, "5")]))
    assert len(places(root, "bar m-plain", "x")) == 1
    assert len(places(root, "bar m-bad", "x")) == 2
    (limit,) = places(root, "limit", "x1")
    assert max(places(root, "bar m-plain", "x")) < limit < min(places(root, "bar m-bad", "x"))


@given(st.lists(st.tuples(NAMES, st.lists(COUNTS, min_size=4, max_size=4)), max_size=5))
def test_parts_of_a_whole_fill_their_row(rows: list[tuple[str, list[int]]]) -> None:
    """And each part is told with its count."""
    stacks = [Stack(name, [Part(f"p{n}", count, f"s-{n}") for n, count in enumerate(counts)]) for name, counts in rows]
    root = read(stacks_svg(stacks))
    assert sum(each.tag == "rect" for each in root.iter()) == sum(bool(n) for _, counts in rows for n in counts)
    assert read(stacks_svg([Stack("a", [Part("valid", 1200, "s-1")])])).findall("text")[1].text == "1,200 valid"


@given(st.lists(st.tuples(NAMES, COUNTS), max_size=5))
def test_bars_are_as_long_as_their_counts_are_large(rows: list[tuple[str, int]]) -> None:
    """The largest fills its row."""
    root = read(bars_svg([Bar(name, count, str(count)) for name, count in rows]))
    widths = places(root, "bar m-plain", "width")
    counts = [count for _, count in rows if count]
    assert len(widths) == len(counts)
    if counts:
        assert max(widths) == 328
        assert [widths[n] for n in sorted(range(len(counts)), key=counts.__getitem__)] == sorted(widths)


@given(st.lists(COUNTS, min_size=4, max_size=4), NAMES)
def test_a_matrix_tells_each_count(counts: list[int], name: str) -> None:
    """With its share of the whole."""
    keys = [(row, column) for row in "ab" for column in "xy"]
    matrix = Matrix(name, "ab", "xy", dict(zip(keys, counts, strict=True)), frozenset([("a", "y")]))
    root = read(matrix_svg([matrix]))
    assert [int(text.split()[0]) for text in told(root)[-8:] if text[:1].isdigit()][-4:] == counts
    assert any(str(each.attrib.get("class")).startswith("cell b-") for each in root.iter())


@given(st.lists(st.tuples(COUNTS, SHARES, SHARES), min_size=1, max_size=30))
def test_a_reliability_diagram_has_a_point_for_each_bin_that_is_not_empty(rows: list[tuple[int, float, float]]) -> None:
    """Whatever it holds."""
    width = 1 / len(rows)
    bins = [
        Bin(place * width, min((place + 1) * width, 1), count, mean if count else None, accuracy if count else None)
        for place, (count, mean, accuracy) in enumerate(rows)
    ]
    root = read(reliability_svg(bins))
    filled = sum(bool(count) for count, _, _ in rows)
    assert len(places(root, "dot m-plain", "cx")) == filled
    assert len(places(root, "bar m-plain", "x")) == filled
    assert len(places(root, "gap", "x1")) == filled


def test_a_right_bin_lies_on_the_diagonal() -> None:
    """Accuracy and confidence have one scale each, from corner to corner."""
    report = [{"lower": 0.5, "upper": 1, "count": 4, "mean_confidence": 0.75, "accuracy": 0.75}]
    root = read(reliability_svg(bins_of(report)))
    (x,), (y,) = places(root, "dot m-plain", "cx"), places(root, "dot m-plain", "cy")
    (left,), (right,) = places(root, "reference", "x1"), places(root, "reference", "x2")
    (low,), (high,) = places(root, "reference", "y1"), places(root, "reference", "y2")
    assert abs((x - left) / (right - left) - 0.75) < 0.001
    assert abs((low - y) / (low - high) - 0.75) < 0.001


@given(st.floats(1e-9, 1e9))
def test_an_axis_ends_at_a_round_number_just_beyond(value: float) -> None:
    """No more than twice as far."""
    end = nice_end(value)
    assert value * (1 - 1e-9) <= end <= 2 * value
    assert list(ticks(end))[-1] == end
    assert re.fullmatch(r"-?\d+(\.\d)?", number(value % 1000))
