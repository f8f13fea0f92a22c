"""What became of the candidates of a report: who judged them, which were refused or skipped, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.plain import plural, table
from robust.render.report_words import REFUSED, SKIPPED, few, in_contract_order
from robust.render.screen import Screen

_COUNTS: Final = ("judged", "valid", "invalid", "unknown", "assumed", "skipped", "errors")
_JUDGED: Final = ("valid", "invalid", "unknown")
_MESSAGE_LINES: Final = 4
_ORACLE_LINES: Final = 3
_REASON_LINES: Final = 2


def candidates_text(report: JsonObject, screen: Screen) -> list[str]:
    """By property, how many candidates were judged, and how; then what was refused and skipped, and why."""
    names = (name for name in in_contract_order(report) if name != "variants")
    properties = {name: report["properties"][name] for name in names}
    counts = {name: {**found, "judged": _judged(found)} for name, found in properties.items()}
    shown = [column for column in _COUNTS if any(found[column] for found in counts.values())]
    rows = [["", *shown], *([name, *(few(found[column]) for column in shown)] for name, found in counts.items())]
    lines = ["", "Candidates", *table(rows, right=range(1, 8))] if shown else []
    for note in _notes(properties, screen):
        lines += screen.paragraph(note, head="  ", indent=4, most=_ORACLE_LINES)
    for note in audit_notes(report["properties"], report["observed"].get("audits") or {}):
        lines += screen.paragraph(screen.safe(note), head="  ", indent=4, most=_ORACLE_LINES)
    return [*lines, *_refused(properties, screen), *_skipped(properties, screen)]


def _judged(found: JsonObject) -> int:
    return sum(int(found[status]) for status in _JUDGED)


def _notes(properties: JsonObject, screen: Screen) -> Iterator[str]:
    """Who judged what, and what a property without a judged or compared candidate means."""
    judged: dict[str, list[str]] = {}
    for name, found in properties.items():
        for oracle in found["oracles"]:
            judged.setdefault(f"{oracle['name']} ({oracle['contract']})", []).append(name)
    for oracle, names in judged.items():
        yield f"{', '.join(names)}: judged by {screen.safe(oracle)}"
    for name, found in properties.items():
        if not found["compared"] and not found["errors"]:
            yield f"{name}: nothing was compared, so it does not hold"
        elif found["compared"] and not (_judged(found) or found["assumed"]):
            yield f"{name}: {plural(found['compared'], 'pair')} ask the same input again, which needs no oracle"


def audit_notes(properties: JsonObject, audits: JsonObject) -> Iterator[str]:
    """Which oracles were audited, by the audits that the contract pins, and what these found where that is known."""
    said: dict[str, list[str]] = {}
    for name, found in properties.items():
        pin = found.get("audit")
        if not isinstance(pin, dict):
            continue
        told = f"pinned audit {pin['digest'][:19]}"
        audit = audits.get(name)
        # What was observed is in no digest, so that nothing but its form can be relied on.
        if isinstance(audit, dict) and isinstance(audit.get("shares"), dict) and audit.get("digest") == pin["digest"]:
            told += f" ({audit.get('status')}): " + ", ".join(_audited(audit["shares"]))
        said.setdefault(told, []).append(name)
    for told, names in said.items():
        yield f"{', '.join(names)}: {told}"


def _audited(shares: JsonObject) -> Iterator[str]:
    for kind, words in (("accepted_invalid", "accepted {} of {} invalid"), ("refused_valid", "refused {} of {} valid")):
        share = shares.get(kind)
        if isinstance(share, dict):
            yield words.format(share.get("pairs"), share.get("of"))


def _refused(properties: JsonObject, screen: Screen) -> list[str]:
    lines: list[str] = []
    for name, found in properties.items():
        if found["refused_by_code"]:
            refused = _judged(found) - found["valid"]
            lines.append(f"  {name}: {refused} of {plural(_judged(found), 'candidate')}")
            codes = found["refused_by_code"]
            rows = [[few(count), code, REFUSED[code]] for code, count in codes.items()]
            for code, row in zip(codes, table(rows, right=(0,), indent="    "), strict=True):
                reason = screen.safe(" ".join(found["first_refused"][code]["reason"].split()))
                told = screen.paragraph(reason, head="      the first: ", indent=8, most=_REASON_LINES)
                lines += [row, *(told if reason else ())]
    return ["", "Refused by oracles, and not scored", *lines] if lines else []


def _skipped(properties: JsonObject, screen: Screen) -> list[str]:
    lines: list[str] = []
    for name, found in properties.items():
        if found["skipped"]:
            reasons = found["skipped_by_reason"].items()
            told = ", ".join(f"{SKIPPED[reason]} ({count})" for reason, count in reasons)
            lines += screen.paragraph(told, head=f"  {name}: ", indent=4)
    return ["", "Skipped cases", *lines] if lines else []


def errors_text(report: JsonObject, screen: Screen) -> list[str]:
    """Errors by kind, of base cases and of each property's pairs, with what was said of the first of each kind."""
    rows = [["base cases", kind, str(count)] for kind, count in report["errors_by_kind"].items()]
    for name in in_contract_order(report):
        found = report["properties"][name]
        if found["errors"]:
            kinds = found.get("errors_by_kind") or {"": found["errors"]}
            rows += [[name, kind, str(count)] for kind, count in kinds.items()]
    if not rows:
        return []
    lines = ["", "Errors", *table(rows, right=(2,))]
    for kind, message in (report["observed"].get("messages") or {}).items():
        lines.append(f"  the first {kind}:")
        lines += screen.paragraph(screen.safe(" ".join(message.split())), head="    ", indent=4, most=_MESSAGE_LINES)
    if any(kind == "budget_exhausted" for _, kind, _ in rows):
        lines.append(f"  the budget was spent after {report['observed'].get('calls')} calls")
    return lines
