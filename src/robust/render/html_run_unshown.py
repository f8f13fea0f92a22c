"""What a run does not show, though a reader could think so: assumed, undecided, refused, skipped, failed, unknown."""

from __future__ import annotations

from collections.abc import Iterator

from robust.canon import JsonObject
from robust.render.html_blocks import Unshown
from robust.render.html_checks import interval_of, straddles
from robust.render.plain import plural
from robust.render.rejudged import rejudged_notes
from robust.render.report_words import SKIPPED, in_contract_order


def unshown_of(report: JsonObject) -> Iterator[Unshown]:
    """What is not shown, what weighs most first."""
    yield from _rejudged(report)
    yield from _nothing(report)
    yield from _assumed(report)
    yield from _refused(report)
    yield from _errors(report)
    yield from _skipped(report)
    yield from _unlabelled(report)
    yield from _close(report)
    yield from _noise(report)
    if report["mode"] == "golden":
        yield Unshown("No property was tested", "only the golden gates were run")
    elif report["mode"] == "properties":
        yield Unshown("No golden gate was judged", "only the properties were run")


def _rejudged(report: JsonObject) -> Iterator[Unshown]:
    notes = rejudged_notes(report)
    if notes:
        yield Unshown("Judged again by an edited contract", "; ".join(notes))


def _nothing(report: JsonObject) -> Iterator[Unshown]:
    """Properties that no pair speaks of."""
    names = [
        name
        for name in in_contract_order(report)
        if not report["properties"][name]["compared"] and not report["properties"][name]["errors"]
    ]
    if names:
        yield Unshown(f"Nothing was compared for {', '.join(names)}", "so it does not hold")


def _assumed(report: JsonObject) -> Iterator[Unshown]:
    counts = report["counts"]
    if counts["assumed"]:
        head = f"{_n(counts['assumed'])} of {plural_n(counts['pairs'], 'pair')} assumed valid"
        yield Unshown(head, "scored on the contract author's word: no oracle judged them")


def _refused(report: JsonObject) -> Iterator[Unshown]:
    for status, head, text in (
        ("unknown", "that no oracle could decide", "not sent to the model, and in no number here"),
        ("invalid", "refused by an oracle", "the relation does not hold for them; not scored"),
    ):
        count = report["counts"][status]
        if count:
            found = {name: each[status] for name, each in report["properties"].items() if each[status]}
            yield Unshown(f"{plural_n(count, 'candidate')} {head}", f"{text}: {_by_name(report, found)}")


def _errors(report: JsonObject) -> Iterator[Unshown]:
    kinds = report["errors_by_kind"]
    if kinds:
        head = (
            f"{_n(report['counts']['errors'])} of {plural_n(report['counts']['cases'], 'base case')} without an answer"
        )
        yield Unshown(head, _counted(kinds))
    found = {name: each["errors"] for name, each in report["properties"].items() if each["errors"]}
    if found:
        yield Unshown(f"{plural_n(sum(found.values()), 'pair')} ended in an error", _by_name(report, found))


def _skipped(report: JsonObject) -> Iterator[Unshown]:
    reasons: dict[str, int] = {}
    for each in report["properties"].values():
        for reason, count in each.get("skipped_by_reason", {}).items():
            reasons[SKIPPED[reason]] = reasons.get(SKIPPED[reason], 0) + count
    count = sum(reasons.values())
    if count:
        yield Unshown(f"{plural_n(count, 'case')} skipped by a property", _counted(reasons))


def _unlabelled(report: JsonObject) -> Iterator[Unshown]:
    counts = report["counts"]
    left = counts["cases"] - counts.get("labelled", counts["cases"])
    if left:
        head = f"{_n(left)} of {plural_n(counts['cases'], 'base case')} without a known answer"
        yield Unshown(head, "they are in no accuracy, and nobody knows whether both answers of a pair are wrong")


def _close(report: JsonObject) -> Iterator[Unshown]:
    """Checks that another sample of the same size could well break."""
    names = [check["check"] for check in report["checks"] if straddles(check, interval_of(report, check, {}))]
    if names:
        said = "the limit lies within the interval, so that other cases could well break it"
        yield Unshown(f"{plural(len(names), 'check')} held by the value alone", f"{', '.join(names)}: {said}")


def _noise(report: JsonObject) -> Iterator[Unshown]:
    if report["properties"] and not report["base_flips"]["cases"]:
        said = "no base case was asked twice, so that flips cannot be told from chance"
        yield Unshown("The model's own flip rate is not known", said)


def _by_name(report: JsonObject, found: dict[str, int]) -> str:
    return ", ".join(f"{name} {_n(found[name])}" for name in in_contract_order(report) if name in found)


def _counted(found: dict[str, int]) -> str:
    return ", ".join(f"{_n(count)} {name}" for name, count in found.items())


def _n(count: int) -> str:
    return f"{count:,}"


def plural_n(count: int, one: str) -> str:
    """``1 pair``, ``12,000 pairs``."""
    return f"{_n(count)} {one if count == 1 else one + 's'}"
