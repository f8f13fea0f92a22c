"""How a system under test did, as text: gates, base and variant side by side, locales, examples."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from amounts_story import INDENT, quoted, table
from robust import Run

_CELLS: Final = {
    (True, True): "both right",
    (True, False): "only base",
    (False, True): "only variant",
    (False, False): "both wrong",
}
_SHOWN_LOCALES: Final = 10
_SHOWN_VIOLATIONS: Final = 3


@dataclass(slots=True)
class _Tally:
    """Pairs by which of their two answers are right, and the edits that turned a right answer into a wrong one."""

    cells: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)

    @property
    def broken(self) -> int:
        return self.cells["only base"]

    def row(self) -> list[int]:
        return [self.cells[cell] for cell in _CELLS.values()]


def _tallies(pairs: Iterable[Any], key_of: Callable[[Any], str]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for pair in pairs:
        comparison = pair["comparison"]
        tally = tallies.setdefault(key_of(pair), _Tally())
        cell = _CELLS[comparison["base_correct"], comparison["variant_correct"]]
        tally.cells[cell] += 1
        if cell == "only base":
            tally.edits[_edit_of(pair)] += 1
    return dict(sorted(tallies.items()))


def _relation_of(pair: Any) -> str:
    return str(pair["provenance"]["relation"])


def _edit_of(pair: Any) -> str:
    return str(pair["provenance"]["origin"]["transform"])


def run_text(run: Run) -> Iterator[str]:
    """One system: its gates, and base and variant correctness side by side."""
    report = run.report
    counts = report["counts"]
    yield f"{INDENT}{run.status.upper()} on {counts['cases']} bases and {counts['pairs']} variants of the test split"
    yield from table(
        [
            [check["status"], check["check"], f"{check['value']:.3f}", f"limit {check['limit']:.2f}"]
            for check in report["checks"]
        ],
        text_columns=2,
    )
    records = list(run.records())
    pairs = [record for record in records if record["kind"] == "pair" and record["comparison"]]
    yield f"{INDENT}Base and variant side by side, by relation:"
    relations = [[name, *tally.row()] for name, tally in _tallies(pairs, _relation_of).items()]
    yield from table([["relation", *_CELLS.values()], *relations])
    yield f"{INDENT}and by edit, where it turned a right answer into a wrong one:"
    edits = [[name, *tally.row()] for name, tally in _tallies(pairs, _edit_of).items() if tally.broken]
    yield from table([["edit", *_CELLS.values()], *edits])
    yield from _locales_text(records, pairs)
    yield from _violations_text(pairs)


def _locales_text(records: Iterable[Any], pairs: Iterable[Any]) -> Iterator[str]:
    """Where the system fails. A variant counts for the locale that it names."""
    bases: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in records:
        if record["kind"] == "decision":
            bases[record["metadata"]["locale"]] += 1
            answered = record["result"]["selected"] if "result" in record else None
            wrong[record["metadata"]["locale"]] += answered != record["expected"]
    locales = _tallies(pairs, lambda pair: str(pair["metadata"]["locale"]))
    failing = [name for name in locales if locales[name].broken or wrong[name]]
    failing.sort(key=lambda name: (-locales[name].broken, -wrong[name], name))
    rows = [["locale", "bases wrong", "right base broken", "most often by"]]
    for name in failing[:_SHOWN_LOCALES]:
        tally = locales[name]
        most = ", ".join(f"{edit} {count}" for edit, count in tally.edits.most_common(2))
        rows.append(
            [
                name,
                f"{wrong[name]} of {bases[name]}",
                f"{tally.broken} of {tally.broken + tally.cells['both right']}",
                most,
            ]
        )
    yield f"{INDENT}It fails on {len(failing)} of {len(locales)} locales. Most often:"
    yield from table(rows, text_columns=4)
    rest = ", ".join(failing[_SHOWN_LOCALES:])
    if rest:
        yield textwrap.fill(f"and on {rest}", 80, initial_indent=INDENT, subsequent_indent=INDENT)


def _violations_text(pairs: Iterable[Any]) -> Iterator[str]:
    """One violation for each of the edits that break most, in ASCII where there is one."""
    first: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    for pair in pairs:
        if pair["violations"]:
            counts[_edit_of(pair)] += 1
            known = first.setdefault(_edit_of(pair), pair)
            if pair["input"]["amount"].isascii() > known["input"]["amount"].isascii():
                first[_edit_of(pair)] = pair
    yield f"{INDENT}For example:"
    for edit, _ in counts.most_common(_SHOWN_VIOLATIONS):
        pair = first[edit]
        amount, locale = pair["input"]["amount"], pair["input"]["locale"]
        answers = f"is {pair['expected']}, answered {pair['result']['selected']}"
        yield f"{INDENT}  {edit}: {quoted(amount)} in {locale} {answers}"
