"""Runs as formats show them, as plain data, and what holds of every format."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt
from markdown_it.token import Token

from robust.records.failing_group import FailingGroup
from robust.render.formats import FORMATS, ReportFormat
from robust.render.shown_run import ShownRun
from tests.unit.render.reports import failed_report, failure_of, property_of

# What XML 1.0 can hold.
_XML = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
_UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*[\[\]]|(?<!\{)\{(?:\{\{)*(?!\{)|(?<!\})\}(?:\}\})*(?!\})")
_BLOCKS = {"fence", "inline"} | {
    f"{name}_{side}"
    for name in ("heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item")
    for side in ("open", "close")
}
_INLINE = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}
# What GitHub or GitLab turn into something else outside code.
_ALIVE = re.compile(r"[@#~&%!$]\w|https?:|www\.|://|:[a-z]\w*:|<[A-Za-z/!?]|\]\(")


def group_of(number: int = 1, name: str = "whitespace", pairs: int = 1, **fields: Any) -> FailingGroup:
    """A source group with failing pairs; ``fields`` are those of the first of them."""
    first = failure_of(number, name, **fields)
    source = f"s{number}"
    counts = dict.fromkeys(first["violations"], pairs)
    return FailingGroup(source, number, 100, pairs, counts, first)


def report_with(groups: dict[str, list[FailingGroup]], more: int = 0, **parts: Any) -> dict[str, Any]:
    """A report of properties whose pairs fail in these groups, and in as many other source groups more."""
    properties = {
        name: property_of(
            planned=1000, compared=1000, groups=1000, groups_violating=len(found) + more, violations=len(found) + more
        )
        for name, found in groups.items()
    }
    failures = {
        "count": 0,
        "by_kind": {name: sum(group.pairs for group in found) + more for name, found in groups.items()},
        "first": [group.first for found in groups.values() for group in found[:10]],
    }
    return {**failed_report(), "properties": properties, "failures": failures, **parts}


def shown(report: dict[str, Any], groups: dict[str, list[FailingGroup]] | None = None, **fields: Any) -> ShownRun:
    """A run as a format shows it."""
    return ShownRun(**{"report": report, "path": "runs/r", "folder_uri": "runs/r", "groups": groups or {}, **fields})


def render(run: ShownRun, report_format: ReportFormat) -> str:
    """What a format makes of a run; it can be written in the encoding that was asked for."""
    text = FORMATS[report_format].render(run)
    if report_format != "json":
        text.encode(run.encoding)
    assert not text.endswith("\n")
    return text


def read_junit(text: str) -> ET.Element:
    """Hold JUnit to what holds of all: XML 1.0, names once, counts as they are; gives its root."""
    assert _XML.fullmatch(text)
    root = ET.fromstring(text)  # noqa: S314 - it is our own
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(names) == len(set(names))
    kinds = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    for element in (root, *root.iter("testsuite")):
        counted = {name: str(len(list(element.iter(kind)))) for name, kind in kinds.items()}
        if element is root:
            del counted["skipped"]
        assert {name: element.get(name) for name in counted} == counted
    for case in root.iter("testcase"):
        assert len(case) <= 1
    return root


def read_sarif(text: str) -> dict[str, Any]:
    """Hold SARIF to what holds of all: places, fingerprints, rules, messages that mean themselves; gives its run."""
    (run,) = json.loads(text)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    fingerprints = []
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert re.fullmatch(r"[A-Za-z0-9_.~%/-]+", place["artifactLocation"]["uri"])
        assert place["region"]["startLine"] >= 1
        _assert_plain(result["message"]["text"])
        fingerprints.append(result["partialFingerprints"]["primaryLocationLineHash"])
    assert len(fingerprints) == len(set(fingerprints))
    order = ["error", "warning", "note"]
    levels = [order.index(result["level"]) for result in run["results"]]
    assert levels == sorted(levels)
    for notification in run["invocations"][0]["toolExecutionNotifications"]:
        _assert_plain(notification["message"]["text"])
    return dict(run)


def _assert_plain(text: str) -> None:
    assert text.isprintable()
    assert not _UNESCAPED.search(text), text


def read_markdown(text: str) -> list[Token]:
    """Hold Markdown to what holds of all: it fits, and nothing outside code comes to life; gives its blocks."""
    assert len(text.encode("utf-8", "backslashreplace")) < 65_536
    blocks = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    columns = 0
    for block in blocks:
        assert block.type in _BLOCKS, block
        if block.type == "thead_open":
            columns = 0
        columns += block.type == "th_open"
        for token in block.children or ():
            assert token.type in _INLINE, token
            assert token.type == "code_inline" or not _ALIVE.search(token.content), token.content
    cells = [len([1 for block in row if block.type in ("th_open", "td_open")]) for row in _rows(blocks)]
    assert all(cells)
    return blocks


def _rows(blocks: list[Token]) -> list[list[Token]]:
    rows: list[list[Token]] = []
    for block in blocks:
        if block.type == "tr_open":
            rows.append([])
        elif rows:
            rows[-1].append(block)
    return rows
