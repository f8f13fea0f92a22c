"""The audit of an oracle as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.plain import number_text, plural, table
from robust.render.report_words import REFUSED, few, percent
from robust.render.screen import Screen

_SHARES: Final = {
    "accepted_invalid": "invalid, accepted",
    "refused_valid": "valid, refused",
    "undecided": "not decided",
}
_HEADS: Final = {
    "accepted_invalid": "Invalid candidates that it accepted",
    "refused_valid": "Valid candidates that it refused",
}
_MARKS: Final = {"pass": "ok", "fail": "FAIL", "inconclusive": "INCONCLUSIVE"}
_SHOWN: Final = 5


def audit_text(audit: JsonObject, encoding: str = "utf-8") -> str:
    """What was found of an oracle: the shares with their intervals, by domain, its mistakes, and what is limited."""
    screen = Screen(encoding)
    counts = audit["counts"]
    pairs = f"{plural(counts['invalid'], 'invalid pair')} and {plural(counts['valid'], 'valid pair')}"
    lines = [
        f"{audit['status'].upper()}  {screen.short(_who(audit), 70)}",
        f"  {pairs} of {plural(counts['sources'], 'source')}",
        *_origin(audit),
        "",
        *_shares(audit),
        *_domains(audit, screen),
        *_mistakes(audit, screen),
        *_codes(audit),
        *_second(audit, screen),
        *_checks(audit),
        "",
        *_remarks(audit, screen),
        f"digest  {audit['digest']}",
    ]
    return "\n".join(lines)


def _who(audit: JsonObject) -> str:
    oracle = audit["oracle"]
    version = f" {oracle['version']}" if oracle["version"] else ""
    return f"{oracle['name']}{version} ({audit['contract']})"


def _origin(audit: JsonObject) -> Iterator[str]:
    planted = audit["planted"]
    if planted is not None:
        yield f"  planted into {plural(planted['bases'], 'base')} with seed {planted['seed']} ({planted['generator']})"
        without_text = max((missed.get("no_text", 0) for missed in planted["missed"].values()), default=0)
        if without_text:
            yield f"  {plural(without_text, 'base')} without a single text; name its key with --text-field"
    if audit["given"]:
        yield f"  {plural(audit['given'], 'labelled pair')} given"
    if audit["duplicates"]:
        yield f"  {plural(audit['duplicates'], 'pair')} left out, as they stood there before"


def _shares(audit: JsonObject) -> list[str]:
    level = f"{number_text(100 * audit['confidence'])}% interval"
    rows = [["", "pairs", "share", level]]
    for name, said in _SHARES.items():
        share = audit["shares"][name]
        rows.append([said, f"{share['pairs']} of {share['of']}", percent(share["value"]), _ends(share["interval"])])
    return table(rows, right=(1, 2))


def _ends(interval: list[float] | None) -> str:
    return "-" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"


def _domains(audit: JsonObject, screen: Screen) -> list[str]:
    rows = [["", "invalid", "accepted", "valid", "refused", "not decided"]]
    for name, shares in audit["by_domain"].items():
        invalid, valid = shares["accepted_invalid"], shares["refused_valid"]
        figures = (invalid["of"], invalid["pairs"], valid["of"], valid["pairs"], shares["undecided"]["pairs"])
        rows.append([screen.short(name, 30), *map(few, figures)])
    return ["", "By domain", *table(rows, right=range(1, 6))]


def _mistakes(audit: JsonObject, screen: Screen) -> Iterator[str]:
    for kind, head in _HEADS.items():
        found = audit["mistakes"][kind]
        if found:
            yield from ("", head)
        for mistake in found[:_SHOWN]:
            edit = screen.short(f"{mistake['domain']}.{mistake['edit']}", 38)
            yield f"  {screen.short(mistake['candidate_id'], 36)}  {edit}"
            for mark, side in (("-", "before"), ("+", "after")):
                yield from screen.paragraph(screen.visible(mistake[side]), head=f"    {mark} ", indent=6, most=2)
        count = audit["shares"][kind]["pairs"]
        if count > _SHOWN:
            yield f"  and {count - _SHOWN} more; the audit lists {len(found)}, its records (--records) all"
    if screen.showed_white_space:
        yield f"  {screen.legend}"


def _codes(audit: JsonObject) -> list[str]:
    codes = audit["codes"]
    names = [code for code in REFUSED if any(code in codes[truth] for truth in ("invalid", "valid"))]
    rows = [["", "of invalid", "of valid", ""]]
    rows += [
        [code, few(codes["invalid"].get(code, 0)), few(codes["valid"].get(code, 0)), REFUSED[code]] for code in names
    ]
    return ["", "Why pairs were refused or not decided", *table(rows, right=(1, 2))] if names else []


def _second(audit: JsonObject, screen: Screen) -> list[str]:
    second, agreement = audit["second"], audit["agreement"]
    if second is None:
        return []
    ends = agreement["interval"]
    interval = "" if ends is None else f" ({number_text(ends[0])} to {number_text(ends[1])})"
    kappa = "not defined" if agreement["kappa"] is None else number_text(agreement["kappa"]) + interval
    return [
        "",
        f"Second oracle: {screen.short(_who(second), 64)}",
        f"  both say the same of {agreement['agreeing']} of {agreement['pairs']} pairs ({percent(agreement['share'])})",
        f"  Cohen's kappa {kappa}",
    ]


def _checks(audit: JsonObject) -> list[str]:
    if not audit["checks"]:
        return []
    judged = "the whole interval" if audit["limits"]["judge"] == "bound" else "the share"
    rows = [["", "", "value", "limit"]]
    rows += [
        [_MARKS[check["status"]], check["check"], number_text(check["value"]), number_text(check["limit"])]
        for check in audit["checks"]
    ]
    return ["", f"Limits, judged by {judged}", *table(rows, right=(2, 3))]


def _remarks(audit: JsonObject, screen: Screen) -> Iterator[str]:
    """What is not shown, though one could think so."""
    counts, shares = audit["counts"], audit["shares"]
    said = []
    if audit["unanswered"] == counts["pairs"]:
        said.append("The oracle gave no verdict on any pair: nothing was measured.")
    said += [
        f"There is no pair known to be {truth}, so that the audit can show nothing."
        for truth in ("invalid", "valid")
        if not counts[truth]
    ]
    if shares["undecided"]["value"] == 1 and audit["unanswered"] != counts["pairs"]:
        said.append("The oracle decided nothing: who never decides makes no mistake, and vouches for nothing.")
    if audit["status"] == "measured":
        said.append("Nothing is limited, so nothing was passed; see --max-accepted-invalid and --max-refused-valid.")
    for text in said:
        yield from screen.paragraph(text, head="", indent=0)
