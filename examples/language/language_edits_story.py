"""What came of the edited texts, as text for a terminal of 80 columns. Every number is counted from records."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from language_edits import EDITS
from language_refused import Tally
from language_story import INDENT, NAMES, rows_text
from robust import Run, Validation
from robust.render.plain import number_text, safe, shorten

# Refusals worth a look: letters lost twice, words joined, words split.
_SHOWN_REFUSALS: Final = (
    "name-de-capitals",
    "key-sv-capitals-without-accents",
    "name-en-punctuation-removed",
    "move-pt-punctuation-to-blanks",
)
_SHOWN_MIXTURE: Final = "refusal-es"
_SHOWN_FAILURES: Final = 3
_TEXT_WIDTH: Final = 29
_CELLS: Final = {
    (True, True): "both right",
    (True, False): "only text",
    (False, True): "only variant",
    (False, False): "both wrong",
}


def candidates_text(validations: Sequence[Validation]) -> Iterator[str]:
    """How the oracle judged each edit, and some of what it refused."""
    counts = {edit: Counter[str]() for edit in EDITS}
    for validation in validations:
        counts[validation.data["candidate"]["origin"]["transform"]][validation.status] += 1
    counts["all"] = sum(counts.values(), Counter())
    rows = [[edit, count.total(), count["valid"], count.total() - count["valid"]] for edit, count in counts.items()]
    yield from rows_text([["edit", "candidates", "valid", "refused"], *rows])
    found = {validation.data["candidate"]["case_id"]: validation for validation in validations}
    yield f"{INDENT}Refused, for example:"
    for case_id in _SHOWN_REFUSALS:
        data = found[case_id].data
        yield f"{INDENT}  {_quoted(data['candidate']['input'], 60)}"
        yield from _verdict_text(found[case_id].status, found[case_id].issues, data["verdict"]["reason"])


def edits_text(run: Run) -> Iterator[str]:
    """Text and variant side by side, by edit, and failures of each kind in their smallest form."""
    cells = {edit: Counter[str]() for edit in EDITS}
    failures: dict[str, list[Any]] = {}
    for pair in run.records():
        comparison = pair.get("comparison")
        if not comparison:
            continue
        edit = pair["property"]
        if edit == "variants":
            edit = pair["provenance"]["origin"]["transform"]
            cells[edit][_CELLS[comparison["base_correct"], comparison["variant_correct"]]] += 1
        if pair["violations"] and comparison["base_correct"] and not comparison["variant_correct"]:
            failures.setdefault(edit, []).append(pair)
    rows = [[edit, *(count[cell] for cell in _CELLS.values())] for edit, count in cells.items() if count]
    yield f"{INDENT}Text and variant, by edit:"
    yield from rows_text([["edit", *_CELLS.values()], *rows])
    yield f"{INDENT}Right answers that were lost, the shortest texts, in their smallest form:"
    yield from rows_text([["by", "text", "is", "answered"], *_failure_rows(failures)], text_columns=4)


def _failure_rows(failures: Mapping[str, Sequence[Any]]) -> Iterator[list[str]]:
    for edit in (*sorted(failures.keys() - EDITS.keys()), *(edit for edit in EDITS if edit in failures)):
        pairs = sorted(failures[edit], key=lambda pair: (len(_smallest(pair)["input"]), pair["id"]))
        for pair in pairs[: 1 if edit in EDITS else _SHOWN_FAILURES]:
            smallest = _smallest(pair)
            names = (NAMES[pair["expected"]], NAMES[smallest["result"]["selected"]])
            yield [edit, _quoted(smallest["input"], _TEXT_WIDTH), *names]


def _smallest(pair: Any) -> Any:
    return pair["reduced"] or pair


def refused_text(tallies: Mapping[str, Tally]) -> Iterator[str]:
    """The rates of failures as they are, and as they would be with what was refused."""
    rows: list[list[object]] = [["", "scored", "fail", "rate", "refused", "fail", "of all"]]
    for name, tally in tallies.items():
        rate = _rate(tally.failed, tally.scored)
        together = _rate(tally.failed + tally.would_fail, tally.scored + tally.refused)
        rows.append([name, tally.scored, tally.failed, rate, tally.refused, tally.would_fail, together])
    yield from rows_text(rows)


def variants_rows(tallies: Mapping[str, Tally]) -> dict[str, Tally]:
    """All variants together, and below them each edit of which some were refused."""
    together = Tally()
    for tally in tallies.values():
        together += tally
    refused = {f"  {edit}": tallies[edit] for edit in EDITS if edit in tallies and tallies[edit].refused}
    return {"variants of right texts": together, **refused}


def context_text(runs: Mapping[str, Run], tallies: Mapping[str, Tally], own: str) -> Iterator[str]:
    """The same candidates under two oracles.

    Args:
        runs: by the name of the oracle.
        tallies: likewise.
        own: the name of the oracle that refuses.
    """
    yield from refused_text(tallies)
    for name, run in runs.items():
        checks = {check["check"].partition(".")[2]: check for check in run.report["checks"] if "." in check["check"]}
        told = (f"{check} {checks[check]['status'].upper()}" for check in ("max_flip_rate", "min_valid_rate"))
        yield f"{INDENT}{name}: {', '.join(told)}"
    pairs = (record for record in runs[own].records() if record["kind"] == "pair")
    pair = next(pair for pair in pairs if pair["case_id"] == _SHOWN_MIXTURE)
    validation = pair["validation"]
    yield f"{INDENT}For example:"
    yield f"{INDENT}  {_quoted(pair['input'], 72)}"
    yield from _verdict_text(validation["status"], validation["issues"], validation["verdict"]["reason"])


def _verdict_text(status: str, issues: Iterable[str], reason: str) -> Iterator[str]:
    told = f"{status} ({', '.join(issues)}): {reason}"
    yield from textwrap.wrap(told, 80, initial_indent=INDENT + "    ", subsequent_indent=INDENT + "      ")


def _quoted(text: str, width: int) -> str:
    return f'"{shorten(safe(text), width)}"'


def _rate(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else number_text(None)
