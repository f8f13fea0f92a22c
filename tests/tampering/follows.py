"""Where an edit of a field may show: at its place, over it, in it, and in what follows from it.

A place is named by its document and the members that lead to it, such as ``record.result.probabilities``; numbers in
lists are left out, all records have one name, and so have all lines of a manifest. What directly follows from what is
written down once, as it is derived. So who edits ``record.steps`` may be told of the input that was made by them, and
of the validation of that input, but not of the case's metadata; and a digest says nothing of a field once it fits.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import Final

from tests.tampering.edits import Edit
from tests.tampering.verdicts import Finding
from tests.tampering.workshop import CASE_PROOF, MANIFEST, RECORD_PROOF


def _each(document: str, names: str) -> tuple[str, ...]:
    return tuple(f"{document}.{name}" for name in names.split())


# What a pair repeats of its base.
_REPEATED: Final = _each("record", "case_id expected input media metadata source_id")
# By what it is told which record stands where.
_PLAN: Final = _each("record", "kind id case_id property sample steps")
# What is drawn by the seed, and judged as it was drawn.
_SEEDED: Final = _each("record", "steps input presentation validation")
# What is summed up of records.
_SUMS: Final = _each(
    "report",
    "base_flips checks confusion counts errors_by_kind exit_code failures logical_status metrics noise properties "
    "reliability status",
)
# What is derived of the rest of a validation, wherever it stands.
_JUDGED: Final = "status strength issues"

# From what to what directly follows from it; with a point at its end, from what is in it.
_FOLLOWS: Final[dict[str, tuple[str, ...]]] = {
    "contract.decision": _each("record", "result reduced.result presentation expected"),
    "contract.evaluation": ("record.result", *_SUMS),
    "contract.fuzz": (*_SEEDED, "record.reduced"),
    "contract.noise": ("record.trials", *_SUMS),
    # Without an oracle there is no property that asks one.
    "contract.oracles": ("record.validation", "contract.properties"),
    # The settings of a property are named alone where they do not go together.
    "contract.properties": (*_PLAN, "record.violations", "contract.properties", *_SUMS),
    "contract.requirements": ("report.checks",),
    "contract.statistics": _SUMS,
    "contract.warnings": ("report.checks",),
    "report.backend": _each("record", "result reduced.result"),
    "report.mode": (*_PLAN, *_SUMS),
    "report.seed": _SEEDED,
    "report.observed": ("report.checks",),
    "report.settings": _each("report", "exit_code status"),
    # A run has the one or the other.
    "report.dataset": ("report.manifest",),
    "record.kind": _PLAN,
    "record.id": _PLAN,
    "record.property": (*_PLAN, *_each("record", "provenance validation presentation violations")),
    "record.sample": _PLAN,
    "record.case_id": (*_PLAN, *_REPEATED, *_each("record", "result.case_id provenance")),
    "record.steps": _each("record", "input media expected presentation provenance error validation reduced"),
    # What a pair repeats of its base shows in the records of its pairs, too.
    "record.input": _each("record", "input error provenance validation reduced"),
    "record.media": _each("record", "media error provenance validation reduced"),
    "record.metadata": ("record.metadata",),
    "record.source_id": (*_each("record", "source_id validation"), "report.counts"),
    "record.expected": (*_each("record", "expected comparison validation"), *_SUMS),
    "record.presentation": _each("record", "result validation"),
    "record.provenance": _each("record", "id input expected source_id validation comparison"),
    "record.provenance.variant_id": ("record.result.case_id",),
    # The paraphrases of a case stand on lines of one file.
    "record.provenance.paraphraser": ("record.provenance.paraphraser",),
    "record.validation": _each("record", "error result expected comparison"),
    "record.validation.": _each("record.validation", f"{_JUDGED} digest"),
    "record.trials": ("record.observed", *_SUMS),
    "record.error": _each("record", "result trials comparison violations"),
    "record.result": (*_each("record", "error comparison violations"), *_SUMS),
    "record.comparison": ("record.violations", *_SUMS),
    "record.violations": ("record.reduced", *_SUMS),
    "record.reduced": ("record.steps", "report.failures"),
    "record.reduced.steps": _each("record.reduced", "input validation"),
    "record.reduced.validation.": _each("record.reduced.validation", f"{_JUDGED} digest"),
    "record.observed": ("report.observed", "report.checks"),
    "manifest.case": _each("manifest", "validation counts splits"),
    "manifest.validation": ("manifest.case",),
    "manifest.validation.base": ("manifest.validation.candidate",),
    "manifest.validation.": _each("manifest.validation", _JUDGED),
    "manifest.case.media": ("file",),
    "manifest.label_source": ("manifest.case",),
    "manifest.splits": ("manifest.split",),
    # It is compared with others by these, whatever is in it; and what it is of is told by its schema.
    "proof": _each("proof", "schema root manifest evidence_digest"),
    "proof.header.splits": ("proof.line.split",),
    "proof.header.counts": ("proof.header.counts",),
    # Where an answer is from is said of the case that has it.
    "proof.line.label_source": ("proof.line.case",),
}
# Of what a change shows in a digest, unless that was made to fit.
_COVERED: Final[dict[str, tuple[str, ...]]] = {
    "report": ("report.digest",),
    "contract": _each("report", "contract.digest evidence_digest answers_digest digest"),
    "record": _each("report", "records evidence_digest answers_digest dataset.root digest"),
    "manifest": ("manifest.root", "manifest.validation.digest"),
    "proof": ("proof.path",),
}


@lru_cache(maxsize=10_000)
def _following(place: str) -> tuple[str, ...]:
    entries = _FOLLOWS.items()
    found = [each for at, each in entries if (place.startswith(at) if at.endswith(".") else _meet(place, at))]
    return tuple(chain.from_iterable(found))


def _meet(one: str, other: str) -> bool:
    """Whether two places are one, or one is over the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _document(file: str) -> str:
    if file == MANIFEST:
        return "manifest"
    if file in (CASE_PROOF, RECORD_PROOF):
        return "proof"
    # Else it is the file of a case.
    return {"report.json": "report", "contract.json": "contract", "records.jsonl": "record"}.get(
        file.rpartition("/")[2], "file"
    )


def _written(document: str, path: str) -> str:
    """A path from the root of a document; some of them are told otherwise."""
    if path.startswith("case '"):  # as what is said of a manifest's cases names them
        return "$.line.case" if document == "proof" else "$.case"
    if path.startswith("$.origin"):  # of which a record has what a case has
        return path.replace("$.origin", "$.provenance.origin")
    path = path.replace(".media.", ".media[0].")  # of files there is one, told without its number
    return path if path.startswith("$") else f"$.{path}"  # as settings of a contract are named


def _named(document: str, path: str) -> str:
    """The name of a place by its path."""
    return document + re.sub(r"\[\d+\]", "", _written(document, path)).removeprefix("$")


def shows(edit: Edit, found: Finding) -> bool:
    """Whether a finding is where an edit of a field was made, or where that shows."""
    assert edit.place is not None
    edited, document = _document(edit.name.partition(" ")[0].partition(":")[0]), _document(found.file or "")
    fitted = edit.kind.endswith("re-hashed")
    # What was made to fit in a manifest may stand on another line, since validations are in the order of their digests.
    anywhere = edit.line is None or found.line is None or (fitted and edited == "manifest")
    if (
        document == edited
        and (anywhere or found.line == edit.line)
        and _is_at(edit.place, _written(document, found.path or "$"))
    ):
        return True
    here, there = _named(edited, edit.place), _named(document, found.path or "$")
    if not fitted and any(_meet(each, there) for each in _COVERED[edited]):
        return True
    return any(_meet(each, there) for each in _following(here))


def _is_at(place: str, path: str) -> bool:
    """Whether a path is a place, over it, in it, or what it was renamed to, which has its name at the beginning."""
    return path.startswith(place) or place == path or place.startswith((f"{path}.", f"{path}["))
