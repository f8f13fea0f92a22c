"""What happened, as text for a terminal of 80 columns. Every number comes from a report or from its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from robust import Run, Verification
from robust.render.plain import number_text, safe, shorten, table

INDENT: Final = "   "
NAMES: Final = {
    "da": "Danish",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "uk": "Ukrainian",
}
_MARKS: Final = {"pass": "ok"}
_SHOWN_MISTAKES: Final = 10
_TEXT_WIDTH: Final = 34
_DERIVED: Final = ("records and derivation", "root, rules and derivation", "digests and derivation")


def rows_text(rows: Iterable[Sequence[object]], *, text_columns: int = 1) -> Iterator[str]:
    """Rows in aligned columns: the first ones to the left, the rest to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    yield from table(cells, right=range(text_columns, len(cells[0])), indent=INDENT)


def gates_text(run: Run) -> Iterator[str]:
    """Every gate of a run: whether it holds, what was measured, the limit."""
    yield from rows_text(
        (
            [
                _MARKS.get(check["status"], check["status"].upper()),
                check["check"],
                number_text(check["value"]),
                f"limit {number_text(check['limit'])}",
            ]
            for check in run.report["checks"]
        ),
        text_columns=2,
    )


def intervals_text(run: Run) -> Iterator[str]:
    """What the metrics say of other topics like these."""
    yield f"{INDENT}With intervals by source, since a hard topic is hard in many languages:"
    rows = [["", "value", f"{100 * run.report['settings']['confidence']:g} % interval"]]
    for name in ("accuracy", "macro_f1", "selective_accuracy", "coverage", "nll", "brier", "ece"):
        metric = run.report["metrics"].get(name)
        if metric is not None:
            ends = metric["interval"]
            rows.append([name, number_text(metric["value"]), "-" if ends is None else _span(*ends)])
    yield from rows_text(rows)


def languages_text(run: Run) -> Iterator[str]:
    """How each language did, and what it was taken for."""
    rows: list[list[object]] = [["language", "taken for", "right", "precision", "recall", "F1"]]
    confusion = run.report["confusion"]
    for label, score in run.report["per_label"].items():
        answers = confusion.get(label, {})
        mistakes = Counter({NAMES.get(other, other): count for other, count in answers.items() if other != label})
        taken = ", ".join(f"{name} {count}" for name, count in mistakes.most_common(2) if count)
        figures = [number_text(score[name]) for name in ("precision", "recall", "f1")]
        right = f"{answers.get(label, 0)} of {score['support']}"
        rows.append([NAMES.get(label, label), taken, right, *figures])
    yield from rows_text(rows, text_columns=2)


def kinds_text(records: Iterable[Any], threshold: float | None) -> Iterator[str]:
    """How each kind of text did, and how much of it the confidence threshold covers."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        count = counts.setdefault(record["metadata"].get("kind", "-"), Counter())
        right = is_right(record)
        covered = threshold is not None and "result" in record and record["result"]["confidence"] >= threshold
        count.update({"texts": 1, "right": right, "covered": covered, "right if covered": right and covered})
    columns = ("texts", "right", "covered", "right if covered")
    rows = [[kind, *(count[name] for name in columns)] for kind, count in counts.items()]
    yield from rows_text([["kind", *columns], *rows])


def reliability_text(run: Run) -> Iterator[str]:
    """Whether an answer is right as often as its confidence says."""
    rows = [["confidence", "texts", "mean", "right"]]
    for row in run.report["reliability"]:
        if row["count"]:
            figures = (f"{100 * row[name]:.1f} %" for name in ("mean_confidence", "accuracy"))
            rows.append([f"{row['lower']:g} to {row['upper']:g}", row["count"], *figures])
    yield from rows_text(rows)


def mistakes_text(records: Iterable[Any]) -> Iterator[str]:
    """The wrong answers, those with the most confidence first."""
    answered = (record for record in records if "result" in record and record["expected"] is not None)
    wrong = [record for record in answered if not is_right(record)]
    wrong.sort(key=lambda record: (-record["result"]["confidence"], record["id"]))
    rows: list[list[object]] = []
    for record in wrong[:_SHOWN_MISTAKES]:
        result = record["result"]
        text = shorten(safe(record["input"]), _TEXT_WIDTH)
        shown = f'"{text}"', NAMES.get(record["expected"], record["expected"]), f"{result['confidence']:.3f}"
        rows.append([*shown[:2], NAMES.get(result["selected"], result["selected"]), shown[2]])
    if rows:
        yield from rows_text([["text", "is", "answered", "confidence"], *rows], text_columns=3)
    if len(wrong) > _SHOWN_MISTAKES:
        yield f"{INDENT}and {len(wrong) - _SHOWN_MISTAKES} more"


def verification_text(verification: Verification) -> Iterator[str]:
    """What was derived again from one path."""
    yield f"{INDENT}{'ok  ' if verification.holds else 'FAIL'}  {verification.path}"
    for check in verification.checks:
        if check.name in _DERIVED:
            yield f"{INDENT}      {check.detail.rpartition('; ')[2] or f'{check.name} do not hold'}"
        for problem in check.problems:
            yield f"{INDENT}      {check.name}: {problem}"


def is_right(record: Any) -> bool:
    """Whether a record's answer is the expected one."""
    return "result" in record and record["result"]["selected"] == record["expected"]


def _span(low: float, high: float) -> str:
    return f"{low:.3f} to {high:.3f}"
