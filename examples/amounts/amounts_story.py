"""What happened, as text for a terminal of 80 columns. Every number comes from the records."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from robust import Validation, Verification

INDENT: Final = "   "
_STATUSES: Final = ("valid", "invalid", "unknown")
# One candidate of each kind: the same comma twice, the same dot twice, and an answer that moves as claimed.
_EXAMPLES: Final = {
    "en_US-07-comma-removed": "A comma removed, where commas stand between groups:",
    "de_DE-by-hand-1-comma-removed": "A comma removed, where it is the decimal mark:",
    "es_ES-04-reformatted-silently": "Another locale's notation that this locale reads as something else:",
    "pt_BR-02-reformatted-silently": "Another locale's notation that means nothing in this one:",
    "de_DE-02-digit-dropped": "A digit dropped, so that the answer moves:",
}


def table(rows: Iterable[Sequence[object]], *, text_columns: int = 1) -> Iterator[str]:
    """Rows in aligned columns: the first ones to the left, the rest to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    for row in cells:
        shown = [
            cell.ljust(width) if column < text_columns else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield (INDENT + "  ".join(shown)).rstrip()


def quoted(text: str) -> str:
    """A text in which every mark can be seen that a terminal would hide or obey."""
    return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text) + '"'


def candidates_text(validations: Sequence[Validation]) -> Iterator[str]:
    """How the oracle judged, by transformation."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for validation in validations:
        data = validation.data
        key = (data["candidate"]["origin"]["transform"], data["relation"])
        counts.setdefault(key, Counter())[validation.status] += 1
    rows = [[*key, *(count[status] for status in _STATUSES)] for key, count in sorted(counts.items())]
    total = Counter(validation.status for validation in validations)
    rows.append(["all", "", *(total[status] for status in _STATUSES)])
    yield from table([["edit", "claims", *_STATUSES], *rows], text_columns=2)


def examples_text(validations: Iterable[Validation]) -> Iterator[str]:
    """Single candidates and what the oracle said of them."""
    found = {validation.data["candidate"]["case_id"]: validation for validation in validations}
    for case_id, title in _EXAMPLES.items():
        validation = found[case_id]
        data = validation.data
        base, candidate = data["base"]["input"], data["candidate"]["input"]
        codes = f" ({', '.join(validation.issues)})" if validation.issues else ""
        yield f"{INDENT}{title}"
        yield f"{INDENT}  {quoted(base['amount'])} -> {quoted(candidate['amount'])} in {candidate['locale']}"
        verdict = f"{validation.status}{codes}: {data['verdict']['reason']}"
        yield textwrap.fill(verdict, 80, initial_indent=INDENT + "  ", subsequent_indent=INDENT + "    ")


def verification_text(verification: Verification) -> Iterator[str]:
    """What was derived again from one path."""
    yield f"{INDENT}{'ok  ' if verification.holds else 'FAIL'}  {verification.path}"
    for check in verification.checks:
        if check.name in ("records and derivation", "root, rules and derivation", "digests and derivation"):
            detail = check.detail.rpartition("; ")[2]
            yield f"{INDENT}      {detail}" if detail else f"{INDENT}      {check.name} does not hold"
        for problem in check.problems:
            yield f"{INDENT}      {check.name}: {problem}"
