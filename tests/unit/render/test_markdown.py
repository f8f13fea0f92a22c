"""Markdown: what stands in a comment or a summary, how it is cut, and that data does nothing there."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from robust.render.markdown import markdown_text
from robust.render.markdown_text import code, fence
from robust.render.screen import Screen
from tests.report_readers import github_html
from tests.unit.render.reports import check_of, error_of, failed_report, failure_of, property_of, report_of
from tests.unit.render.shown import read_markdown, render, shown

FAILS = [check_of(check="whitespace.max_violation_rate", value=0.8333333, limit=0)]
# What does something on GitHub or GitLab where it is not in code.
ALIVE = [
    *("@somebody", "#123", "!45", "GH-1", "owner/repository#1", "https://e.invalid/x", "www.e.invalid", "a@e.invalid"),
    *("[text](https://e.invalid)", "![text](https://e.invalid/x.png)", "<img src=x onerror=y>", "<script>x</script>"),
    *(
        "| a | b |",
        "\\|",
        "\\\\|",
        "|",
        "\\",
        "`",
        "``",
        "```",
        "````",
        "~~~",
        "`` ` ``",
        " ` ",
        "&lt;b&gt;",
        "<!--",
        "-->",
    ),
    *(
        "**bold**",
        "_em_",
        "~~gone~~",
        ":tada:",
        "- [ ] task",
        "# head",
        "> quote",
        "---",
        "$`x`$",
        "$$x$$",
        "[^1]",
        "/close",
    ),
    *(
        "\n\n# head\n",
        "\r\n```\n",
        "\t",
        "  \n",
        "</details>",
        "{{ x }}",
        "%{x}",
        "</code></pre>",
        "\u202e",
        "\x00",
        " ",
        "",
    ),
]


class _Page(HTMLParser):
    """What a page has: its elements, and the text that is not in code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.outside = ""
        self.inside: list[str] = []
        self._depth = 0
        self.feed(page)

    def handle_starttag(self, tag: str, _attrs: Any) -> None:
        """Note an element."""
        self.tags.add(tag)
        if tag == "code":
            self._depth += 1
            self.inside.append("")

    def handle_endtag(self, tag: str) -> None:
        """Note its end."""
        self._depth -= tag == "code"

    def handle_comment(self, _data: str) -> None:
        """Note a comment, as HTML that was let through."""
        self.tags.add("!--")

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if self._depth:
            self.inside[-1] += data
        else:
            self.outside += data


_TAGS = {"h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "strong", "ul", "li"}


def _hostile(text: str) -> dict[str, Any]:
    """A report that has a text wherever a user's or a stranger's can stand in one."""
    found = property_of(
        oracles=[{"name": text, "contract": text}],
        invalid=1,
        refused_by_code={"rejected": 1},
        first_refused={"rejected": {"id": text, "reason": text}},
        errors=1,
        errors_by_kind={"timeout": 1},
    )
    entry = failure_of(
        id=text or "x",
        base_selected=text,
        variant_selected=text,
        shown={"field": text, text: 1},
        edited=None,
        edits=[{"at": 3, "text": text}],
        presentation=[[text, text]],
    )
    report = failed_report(entry, error_of(2), checks=FAILS, properties={"whitespace": found})
    report["contract"] = {**report["contract"], "name": text}
    report["backend"] = {"name": text, "provider": text, "model": text, "model_version": text}
    report["manifest"] = {**report["manifest"], "name": text, "split": text}
    report["observed"] = {"messages": {"timeout": text}, "robust_version": text, "started_at": text}
    return report


@pytest.mark.parametrize("text", ALIVE)
def test_data_is_inert(text: str) -> None:
    """For a reader of the common rules."""
    read_markdown(render(shown(_hostile(text), path=text), "markdown"))
    read_markdown(render(shown(_hostile(f"a {text} b"), path=f"a{text}"), "markdown"))


def test_data_is_inert_for_github() -> None:
    """By its own implementation: only what we wrote becomes an element, and names of ours alone stand outside code."""
    texts = [*ALIVE, *(f"x {text} y" for text in ALIVE), "".join(ALIVE)]
    calm = _Page(github_html(render(shown(_hostile("calm"), path="calm"), "markdown"))[0])
    pages = github_html(*(render(shown(_hostile(text), path=text), "markdown") for text in texts))
    for text, source in zip(texts, pages, strict=True):
        page = _Page(source)
        assert page.tags <= _TAGS, text
        assert page.outside == calm.outside, text
        assert len(page.inside) == len(calm.inside), text


@given(st.text(alphabet="`|\\ a*<@\n\u202e", max_size=12))
def test_a_code_span_shows_its_text_and_ends_where_it_should(text: str) -> None:
    """In a line and in a cell; a pipe behind a backslash alone is shown otherwise."""
    span = code(text, Screen(), 200)
    assert "\n" not in span
    safe = re.sub(r"\\+\|", lambda found: found[0][:-1] + "\\u{7c}", Screen().safe(text)) or "(empty)"
    if not safe.strip(" "):  # of which readers take nothing away
        safe = f" {safe} " if safe else safe
    markdown = MarkdownIt("gfm-like", {"linkify": False})
    _, line, _ = markdown.parse(f"before {span} after")
    assert [token.content for token in line.children or ()][1] == safe.replace("|", "\\|")
    cells = [token for token in markdown.parse(f"| a | b |\n| --- | --- |\n| {span} | end |") if token.type == "inline"]
    assert [cell.content for cell in cells[3:]] == ["end"]
    (shown_text,) = (token.content for token in cells[2].children or () if token.type == "code_inline")
    assert shown_text == safe


@given(st.lists(st.text(alphabet="`~a ", max_size=12), max_size=5))
def test_a_fence_is_longer_than_what_it_holds(lines: list[str]) -> None:
    """So that nothing in a block can end it."""
    ticks = fence(lines)
    (block,) = MarkdownIt().parse("\n".join([f"{ticks}text", *lines, ticks]))
    assert block.content == "".join(f"{line}\n" for line in lines)


def test_a_report_is_a_verdict_and_tables_that_have_the_numbers_of_the_text() -> None:
    """Checks and properties, metrics, what failed first, and what it rests on."""
    report = failed_report(
        failure_of(),
        checks=[check_of(check="min_accuracy", value=0.89996, limit=0.9), *FAILS],
        metrics={"accuracy": {"value": 0.89996, "interval": [0.8, 0.99999], "n": 50, "groups": 40}},
        counts={"cases": 50, "groups": 40, "pairs": 10, "assumed": 10},
        properties={
            "whitespace": property_of(violations=1, violation_rate=0.1, max_tv_distance=0.25, groups_violating=1)
        },
    )
    text = render(shown(report), "markdown")
    read_markdown(text)
    for line in (
        "## FAIL: `q`",
        "**10 of 10 pairs are scored on the contract author's word: no oracle judged them.**",
        "`m` (`mock`) on `m`, split `dev`, seed 0: 50 cases of 40 sources, 0 errors; 10 pairs: 10 assumed.",
        "| **FAIL** | `min_accuracy` | requirement | 0.89996 | 0.9 |",
        "| **FAIL** | `whitespace.max_violation_rate` | requirement | 0.8333 | 0 |",
        "| `whitespace` | 10 | 1 10.0% | 0 0% | - | 0.25 | 1 |",
        "| accuracy | 0.9 | 0.8 to 0.9999 | 50 | 40 |",
        "### What failed (1)",
        "     robust replay runs/r --id whitespace/c0/0",
        f"| evidence digest | `{report['evidence_digest']}` |",
    ):
        assert line in text.splitlines()


def test_what_could_not_be_decided_is_said_below_the_checks() -> None:
    """In the words of the text report."""
    check = check_of(check="min_accuracy", status="inconclusive", value=0.9, limit=0.9)
    report = report_of(checks=[check], metrics={"accuracy": {"value": 0.9, "interval": None, "n": 1, "groups": 1}})
    report["logical_status"] = "pass"
    lines = render(shown(report), "markdown").splitlines()
    assert (
        "- `min_accuracy`: one source group says nothing of others, so there is no interval; more groups are needed"
        in lines
    )
    assert "Without the checks on time, tokens and cost: PASS" in lines


def test_e1_a_report_of_any_size_fits_a_comment() -> None:
    """70,000 characters of what failed: cut at a line, with the count of what is left and where it is."""
    entries = [
        failure_of(n, name, shown="日本語" * 160, edited=None, edits=[{"at": 1, "text": "x" * 100}] * 3, edits_left=5)
        for name in ("whitespace", "option_order", "paraphrase", "label_format", "repeated_context", "inversion")
        for n in range(10)
    ]
    entries = [{**entry, "id": f"{entry['id']}/{'i' * 900}"} for entry in entries]
    messages = dict.fromkeys(("timeout", "unavailable"), "m" * 900)
    report = failed_report(
        *entries, more=25_000, observed={"messages": messages}, errors_by_kind=dict.fromkeys(messages, 3)
    )
    checks = [check_of(check=f"{name}.max_violation_rate") for name in report["properties"]]
    report["checks"] = checks
    whole = markdown_text(shown(report), most_bytes=10**6)
    assert len(whole) > 25_000
    cut = markdown_text(shown(report), most_bytes=20_000)
    assert 15_000 < len(cut.encode()) <= 20_000
    read_markdown(cut)
    (left,) = re.findall(
        r"^(\d+) more lines are left out here; report.json and records.jsonl of the run have them", cut, re.MULTILINE
    )
    kept = len(re.findall(r"^ {2}|^$", cut, re.MULTILINE))
    assert 0 < int(left) < len(whole.splitlines())
    assert kept
    for part in (
        "### Checks",
        "### Properties",
        "### What failed (150060)",
        "### Candidates and errors",
        "### Provenance",
    ):
        assert part in cut
    large = failed_report(*entries, more=25_000, checks=checks * 8)
    read_markdown(render(shown(large), "markdown"))


def test_large_names_are_cut() -> None:
    """100 kB each of every text that a stranger may choose."""
    text = render(shown(_hostile("x`|\u0301" * 25_000), path="p" * 100_000), "markdown")
    read_markdown(text)
    assert len(text) < 20_000


def test_a_run_that_was_judged_again_says_so() -> None:
    """With its own status, and without commands that would replay nothing."""
    rejudged = {
        "contract": "sha256:" + "1" * 64,
        "report": "sha256:" + "2" * 64,
        "status": "pass",
        "not_run": ["inversion"],
        "left_out": ["paraphrase"],
    }
    text = render(shown(failed_report(failure_of(), checks=FAILS, rejudged=rejudged)), "markdown")
    told = "the stored answers, by an edited contract; no model was asked; the run's own status is PASS"
    listed = "properties not run, so their checks do not hold: `inversion`; properties run, but not judged now"
    assert f"\n\nRe-judged: {told}; {listed}: `paraphrase`.\n\n" in text
    assert "robust replay" not in text


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_of_another_encoding_gets_what_it_has(encoding: str) -> None:
    """Whatever it lacks is escaped, and so are our own signs."""
    text = render(shown(_hostile("日本 é"), path="日本", encoding=encoding), "markdown")
    read_markdown(text)
    assert "\\u{65e5}" in text
