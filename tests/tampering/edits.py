"""What a single edit is, and the edits of every field of every file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from tests.tampering.documents import OPERATIONS, at, field_of, places, shown
from tests.tampering.forger import lines_of, refit
from tests.tampering.workshop import CASE_PROOF, DECISIONS, MANIFEST, RECORD_PROOF, SIGNERS

ATTESTATION: Final = "run/attestation.dsse.json"
MANIFEST_ATTESTATION: Final = f"{MANIFEST}.dsse.json"


class Link(NamedTuple):
    """Instead of a file: a link to another place, which is given from the folder of the case."""

    to: str


Content: TypeAlias = bytes | Link | Literal["folder", "pipe"] | None


class Spot(NamedTuple):
    """A place that can be edited.

    Attributes:
        number: of the places of its kind.
        again: whether a field of the same name was met before, in a document of the same kind.
    """

    number: int
    again: bool = False


# From a place, and all that can be done there and how, to what is done.
Done: TypeAlias = tuple[str, str]
Chosen: TypeAlias = Callable[[Spot, Sequence[Done]], Iterable[Done]]
HOW: Final = ("plain", "re-hashed")
FIELD_EDITS: Final[list[Done]] = [(name, how) for name in OPERATIONS for how in HOW]


class Asked(NamedTuple):
    """What is verified, and on whose word.

    Attributes:
        paths: what is given to ``verify``, from the folder of the case.
        keys: the names of the keys that the reader trusts; none for derivation alone.
        threshold: how many of them must have signed.
    """

    paths: tuple[str, ...]
    keys: tuple[str, ...] = SIGNERS
    threshold: int = 2


RUN: Final = Asked(("run",))
DECIDED: Final = Asked((DECISIONS,))
FROZEN: Final = Asked((MANIFEST,))
PROVEN_CASE: Final = Asked((CASE_PROOF, MANIFEST))
PROVEN_RECORD: Final = Asked((RECORD_PROOF, ATTESTATION))


class Edit(NamedTuple):
    """One edit.

    Attributes:
        kind: which row of the table it belongs to.
        name: what was done, for people.
        changes: what stands in each file that changed; None where it is gone.
        asked: what is verified.
        place: the JSON path that was edited, where it was one.
        line: the line that was edited, of a file of lines.
    """

    kind: str
    name: str
    changes: Mapping[str, Content]
    asked: Asked = RUN
    place: str | None = None
    line: int | None = None


def changes_of(before: Mapping[str, bytes], after: Mapping[str, Content]) -> dict[str, Content]:
    """The files of which another content is wanted; empty when an edit changes nothing."""
    names = {*before, *after}
    return {name: after.get(name) for name in sorted(names) if before.get(name) != after.get(name)}


def plain_or_refitted(
    case: Mapping[str, bytes], file: str, data: bytes, edit: Edit, how: Iterable[str] = HOW
) -> Iterator[Edit]:
    """An edit of one file as it is, and with all digests made to fit; neither where it comes to nothing new."""
    edited = {**case, file: data}
    plain = changes_of(case, edited)
    if not plain:
        return
    if "plain" in how:
        yield edit._replace(kind=f"{edit.kind}, plain", changes=plain)
    if "re-hashed" in how:
        again = changes_of(case, refit(edited, file))
        if again and again != plain:
            yield edit._replace(kind=f"{edit.kind}, re-hashed", changes=again)


# The files whose fields are edited where they stand: what is verified, and the row.
_DOCUMENTS: Final[tuple[tuple[str, Asked, str], ...]] = (
    ("run/report.json", RUN, "field of the report"),
    ("run/contract.json", RUN, "field of the contract"),
    ("run/records.jsonl", RUN, "field of a record"),
    (f"{DECISIONS}/report.json", DECIDED, "field of the report"),
    (f"{DECISIONS}/contract.json", DECIDED, "field of the contract"),
    (f"{DECISIONS}/records.jsonl", DECIDED, "field of a decision"),
    (MANIFEST, FROZEN, "field of a manifest"),
    (CASE_PROOF, PROVEN_CASE, "field of a case's proof"),
    (RECORD_PROOF, PROVEN_RECORD, "field of a record's proof"),
)
FIELD_KINDS: Final = frozenset(kind for _, _, kind in _DOCUMENTS)


def field_edits(case: Mapping[str, bytes], chosen: Chosen) -> Iterator[Edit]:
    """What is chosen of all that can be done to every place of every document, as it is and with all digests fitted."""
    number, met = 0, set[object]()
    for file, asked, kind in _DOCUMENTS:
        data = case[file]
        lines = [data] if file.endswith(".json") else lines_of(data)
        for line, document in enumerate(map(json.loads, lines)):
            for path in places(document):
                number += 1
                field = (kind, document.get("kind"), document.get("property"), field_of(path))
                picked = [*chosen(Spot(number, field in met), FIELD_EDITS)]
                met.add(field)
                for name, how in picked:
                    # Of a null there is no other one of its kind; that it is gone is all too easily overlooked.
                    done = "removed" if name == "changed" and at(document, path) is None else name
                    text = OPERATIONS[done](document, path)
                    if text is None or (done != name and (done, how) in picked):
                        continue
                    row = line + 1 if file.endswith(".jsonl") else None
                    where = file if row is None else f"{file}:{row}"
                    whole = b"".join(each + b"\n" for each in (*lines[:line], text, *lines[line + 1 :]))
                    edit = Edit(kind, f"{where} {shown(path)} {done}", {}, asked, shown(path), row)
                    yield from plain_or_refitted(case, file, whole, edit, (how,))
