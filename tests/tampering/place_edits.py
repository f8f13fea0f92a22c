"""Edits of where things lie: links, folders, pipes, other cases, names that lead elsewhere; and who is trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from tests.independent import canonical, read
from tests.tampering.edits import (
    ATTESTATION,
    FROZEN,
    MANIFEST_ATTESTATION,
    PROVEN_CASE,
    PROVEN_RECORD,
    RUN,
    Asked,
    Edit,
    Link,
    plain_or_refitted,
)
from tests.tampering.forger import lines_of
from tests.tampering.signers import Signer, envelope_of, payload_of
from tests.tampering.workshop import MANIFEST, SIGNERS, STRANGER

Case = Mapping[str, bytes]
# Beside the folder of the case; holds the very files that names could lead to.
OUTSIDE: Final = "../outside"
SCAN: Final = "scans/two.txt"
_RUN_FILES: Final = ("run/report.json", "run/records.jsonl", "run/contract.json", ATTESTATION)


def media_edits(case: Case) -> Iterator[Edit]:
    """The file that a case is about."""
    data = case[SCAN]
    made = {
        "a byte changed": b"3" + data[1:],
        "a byte behind it": data + b"\n",
        "cut off": data[:-1],
        "emptied": b"",
        "of the same size": bytes(len(data)),
    }
    for name, changed in made.items():
        yield from plain_or_refitted(case, SCAN, changed, Edit("file of a case", f"{SCAN}: {name}", {}, FROZEN))
    yield Edit("file of a case, plain", "removed", {SCAN: None}, FROZEN)
    yield Edit("file of a case, plain", "a folder", {SCAN: "folder"}, FROZEN)


def link_edits(case: Case) -> Iterator[Edit]:
    """The right content in the wrong place: a link to it, a folder or pipe of its name, another case of its letters."""
    for file in _RUN_FILES:
        name = file.partition("/")[2]
        yield Edit("link", f"{file}: to the same content elsewhere", {file: Link(f"{OUTSIDE}/{file}")})
        yield Edit("link", f"{file}: to a copy beside it", {file: Link(f"copy-{name}"), f"run/copy-{name}": case[file]})
        yield Edit("link", f"{file}: to nowhere", {file: Link("nowhere")})
        yield Edit("link", f"{file}: to itself", {file: Link(name)})
        yield Edit("not a file", f"{file}: a folder", {file: "folder"})
        yield Edit("not a file", f"{file}: a pipe", {file: "pipe"})
        yield Edit("missing file", f"{file}: removed", {file: None})
        for other in (name.upper(), name.capitalize(), name + " ", name + "."):
            yield Edit("missing file", f"{file}: called {other!r}", {file: None, f"run/{other}": case[file]})
    claim = next(name for name in case if name.startswith("run/claim-"))
    yield Edit("link", f"{claim}: to the same content elsewhere", {claim: Link(f"{OUTSIDE}/{claim}")})
    yield Edit("link", f"{claim}: to nowhere", {claim: Link("nowhere")})
    beside = MANIFEST_ATTESTATION
    yield Edit("link", f"{beside}: to the same content elsewhere", {beside: Link(f"{OUTSIDE}/{beside}")}, FROZEN)
    yield Edit("link", f"{beside}: to nowhere", {beside: Link("nowhere")}, FROZEN)
    yield Edit("not a file", f"{beside}: a folder", {beside: "folder"}, FROZEN)
    yield Edit("not a file", f"{beside}: a pipe", {beside: "pipe"}, FROZEN)
    yield Edit("link", "the scan", {SCAN: Link(f"{OUTSIDE}/{SCAN}")}, FROZEN)
    yield Edit("link", "the folder of the scan", {SCAN: None, "scans": Link(f"{OUTSIDE}/scans")}, FROZEN)


# Names under which a file of the run could be found by who joins paths without looking.
_NAMES: Final = (
    "../run/{name}",
    "./{name}",
    "run/{name}",
    "../outside/run/{name}",
    "{outside}/run/{name}",
    "/{name}",
    "C:{name}",
    "C:\\{name}",
    "..\\run\\{name}",
    "{upper}",
    "{name} ",
    "{name}.",
    "{name}\u0000",
    "{name}/",
    "file:{name}",
    "",
    ".",
    "..",
)
# Of these each is the name of another plain file, wherever the letters of names count.
_ABSENT: Final = ("{upper}", "{name} ", "{name}.", "file:{name}")


def name_edits(case: Case, signers: Mapping[str, Signer], outside: str) -> Iterator[Edit]:
    """Subjects with names that lead elsewhere, signed by those who are trusted; and files of cases with such paths."""
    trusted = [signers[name] for name in SIGNERS]
    for file, asked, subject in ((ATTESTATION, RUN, "report.json"), (MANIFEST_ATTESTATION, FROZEN, MANIFEST)):
        statement = json.loads(payload_of(case[file]))
        for pattern in _NAMES:
            name = pattern.format(name=subject, upper=subject.upper(), outside=outside)
            subjects = [{**each, "name": name} if each["name"] == subject else each for each in statement["subject"]]
            payload = canonical({**statement, "subject": subjects})
            signed = envelope_of(payload, [each.sign(payload) for each in trusted])
            what = f"{file}: subject {name!r}"
            yield Edit("name that leads elsewhere", f"{what}, beside its files", {file: signed}, asked)
            absent = subject == MANIFEST and pattern in _ABSENT
            kind = "statement of a file that is not there" if absent else "name that leads elsewhere"
            yield Edit(kind, f"{what}, by itself", {file: signed}, Asked((file,)))
    for pattern in _NAMES:
        path = pattern.format(name="scans/two.txt", upper="SCANS/TWO.TXT", outside=outside)
        header, *entries = map(read, lines_of(case[MANIFEST]))
        for entry in entries:
            for media in entry.get("case", {}).get("media", []):
                media["path"] = path
        data = b"".join(canonical(line) + b"\n" for line in (header, *entries))
        edit = Edit("path of a case's file", f"{path!r}", {}, FROZEN)
        yield from plain_or_refitted(case, MANIFEST, data, edit)


def path_edits() -> Iterator[Edit]:
    """What is asked to be verified is not there, or is nothing of the kind."""
    asked = {
        "missing": Asked(("nowhere",)),
        "missing in the run": Asked(("run/nowhere.dsse.json",)),
        "a file as a folder": Asked((f"{MANIFEST}/run",)),
        "a NUL": Asked(("run\0",)),
        "a key": Asked(("scans/two.txt",)),
        "the folder of everything": Asked((".",)),
        "the folder of the scans": Asked(("scans",)),
        "in capitals": Asked(("RUN",)),
    }
    for name, where in asked.items():
        yield Edit("path", name, {}, where)
    yield Edit("path", "an empty folder", {"empty": "folder"}, Asked(("empty",)))
    yield Edit("path", "a pipe", {"pipe.json": "pipe"}, Asked(("pipe.json",)))
    yield Edit("path", "a link to nowhere", {"gone.json": Link("nowhere")}, Asked(("gone.json",)))
    yield Edit("path", "a link to itself", {"loop": Link("loop")}, Asked(("loop",)))


def trust_edits(case: Case) -> Iterator[Edit]:
    """Nothing is edited; other keys or more of them are asked for than have signed."""
    ann, bob = SIGNERS
    claim = next(name for name in case if name.startswith("run/claim-"))
    for asked in (RUN, FROZEN, PROVEN_CASE, PROVEN_RECORD, Asked((ATTESTATION,)), Asked((MANIFEST_ATTESTATION,))):
        what = " and ".join(asked.paths)
        for kind, keys, threshold in (
            ("keys of strangers alone", (STRANGER,), 1),
            ("threshold above the keys", (ann,), 2),
            ("threshold above the keys", (ann, ann), 2),
            ("threshold above the keys", (ann, bob), 3),
            ("threshold not reached", (ann, STRANGER), 2),
            ("threshold not reached", (bob, STRANGER, STRANGER), 2),
        ):
            name = f"{what}: {threshold} of {', '.join(keys)}"
            yield Edit(kind, name, {}, Asked(asked.paths, keys, threshold))
    yield Edit("threshold not reached", "a claim is no attestation", {ATTESTATION: None}, Asked(("run",), (ann,), 1))
    yield Edit("threshold not reached", f"{claim} by itself: one of two", {}, Asked((claim,)))
