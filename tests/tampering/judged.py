"""Has every edit of a part verified, holds each verdict against the table of reasons, and counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tests.tampering.corpus import Part, corpus
from tests.tampering.edits import Asked, Edit
from tests.tampering.harmless import LEFT_OPEN, harmless
from tests.tampering.reasons import BESIDE, FIELDS, NOTHING_KNOWN, OTHER_STATEMENT, REASONS, at_its_place
from tests.tampering.verdicts import Bench, Verdict

# Checks that compare with another path that was given.
COMPARED: Final = frozenset({"manifest", "run", "records against the manifest"})
# Of edits that derivation refuses too, one in so many is verified without keys.
_SAMPLED: Final = 8


@dataclass(slots=True)
class Row:
    """What came of the edits of one kind.

    Attributes:
        edits: how many there were.
        derived: how many are refused without any key, since the files contradict themselves.
        compared: how many others, since they contradict another path that was given.
        reasons: how often each reason was the first that belongs to the kind.
    """

    edits: int = 0
    derived: int = 0
    compared: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def signed(self) -> int:
        """How many only a signature shows."""
        return self.edits - self.derived - self.compared


@dataclass(slots=True)
class Tally:
    """What came of a part of the edits.

    Attributes:
        rows: by kind, what was refused.
        accepted: how many edits that change nothing that counts were accepted, by why they do not.
        wrong: what should not have come of an edit, in words.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    accepted: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @property
    def edits(self) -> int:
        """How many edits were refused."""
        return sum(row.edits for row in self.rows.values())

    def add(self, other: Tally) -> None:
        """Take in what came of another part."""
        for kind, row in other.rows.items():
            mine = self.rows.setdefault(kind, Row())
            mine.edits += row.edits
            mine.derived += row.derived
            mine.compared += row.compared
            mine.reasons += row.reasons
        self.accepted += other.accepted
        self.wrong += other.wrong


def judge_part(bench: Bench, part: Part, *, wide: bool) -> Tally:
    """Have the edits of a part verified, one after the other."""
    tally = Tally()
    for number, edit in enumerate(corpus(bench.workshop, bench.outside, part, wide=wide)):
        _count(tally, bench, edit, keyless=number % _SAMPLED == 0)
    return tally


def _count(tally: Tally, bench: Bench, edit: Edit, *, keyless: bool) -> None:
    try:
        verdict = bench.judge(edit)
    except Exception as error:  # noqa: BLE001 - a crash is what must not be, whatever it is
        tally.wrong.append(f"{edit.kind}: {edit.name}: crashed: {error!r}")
        return
    if (opened := LEFT_OPEN.get(edit.kind)) is not None:
        tally.accepted[opened.reason] += 1
        if (verdict.exit_code, verdict.authentic) != (0, opened.authentic) or opened.check not in verdict.left_open:
            tally.wrong.append(f"{edit.kind}: {edit.name}: should be left open, and comes to {verdict}")
        return
    if (reason := harmless(edit, bench.files)) is not None:
        tally.accepted[reason] += 1
        if verdict.exit_code or not verdict.authentic:
            tally.wrong.append(f"{edit.kind}: {edit.name}: changes nothing that counts, and comes to {verdict}")
        return
    row = tally.rows.setdefault(edit.kind, Row())
    row.edits += 1
    if faults := _faults(edit, verdict):
        tally.wrong.append(f"{edit.kind}: {edit.name}: {faults}: {verdict}")
        return
    reasons = [found for found in verdict.findings if any(each.fits(found) for each in REASONS[edit.kind])]
    row.reasons[reasons[0].code] += 1
    # What says no of an attestation or a claim, or of their absence, looks at what was signed; all else needs no key.
    unsigned = [each for each in verdict.findings if not (each.file or "").endswith(".dsse.json")]
    checks = {found.check for found in unsigned} - {"signature"}
    derived = bool(checks - COMPARED)
    row.derived += derived
    row.compared += not derived and bool(checks)
    if edit.kind.endswith("re-hashed") and (keyless or not derived):
        alone = _without_keys(bench, edit)
        if (alone.exit_code != 0) is not derived:
            tally.wrong.append(f"{edit.kind}: {edit.name}: derivation alone says {alone}, with keys {verdict}")


def _faults(edit: Edit, verdict: Verdict) -> str:
    """Why a verdict is not the one that is due; empty where it is."""
    if verdict.exit_code == 0:
        return "accepted"
    if verdict.exit_code != 3 and not (verdict.exit_code == 2 and edit.kind in NOTHING_KNOWN):
        return "another exit code"
    wanted = [found for found in verdict.findings if any(each.fits(found) for each in REASONS[edit.kind])]
    if not wanted:
        return "refused for no reason of its kind"
    others = [found for found in verdict.findings if found not in wanted]
    if not all(any(each.fits(found) for each in BESIDE) for found in others):
        return "refused for something else besides"
    # Of a field whatever was signed is other; where more is found, it is that which must be at its place.
    telling = [found for found in wanted if edit.kind not in FIELDS or not OTHER_STATEMENT.fits(found)]
    if telling and not any(at_its_place(edit, found) for found in telling):
        return "refused at another place"
    twice = edit.name.endswith((" repeated", " overruled")) and not edit.kind.endswith("re-hashed")
    if twice and not any(found.code == "duplicate_key" and found.path == edit.place for found in wanted):
        return "refused, and not for the member that stands twice"
    return ""


def _without_keys(bench: Bench, edit: Edit) -> Verdict:
    """What derivation alone says: no key is named, nothing is signed, and nothing else was given."""
    unsigned = {name: None for name in bench.files if name.endswith(".dsse.json")}
    asked = Asked(edit.asked.paths[:1], keys=())
    return bench.judge(edit._replace(changes={**edit.changes, **unsigned}, asked=asked))
