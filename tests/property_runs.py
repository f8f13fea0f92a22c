"""Short ways to runs of properties: contracts about the limit, fragile models, oracles, a paraphraser of a package."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robust import CallableBackend, Case, DecisionRequest, OracleVerdict, Run
from robust.canon import JsonObject
from tests.run_fixtures import contract_of, right_answer, sure
from tests.run_fixtures import run as run_contract_of

ASSUMED = {"policy": "assumed"}
BUILTIN = {"default": "builtin"}
# What every property that compares distributions must have, at least.
FLIP: JsonObject = {"max_flip_rate": 0}
# A package with a paraphraser that says, or fails, as its settings tell by text.
WORDS = """
from robust import BackendFailure, Paraphrases


class Words:
    provenance = {"provider": "words", "model": "w-1"}

    def __init__(self, settings, *, folder):
        self.settings = settings
        self.inline = settings.get("inline", False)

    def sent(self, request):
        return {"text": request.text, "seed": request.seed} if self.settings.get("kept") else None

    def paraphrase(self, request):
        with open(self.settings["log"], "a", encoding="utf-8") as log:
            log.write(request.text + "\\n")
        told = self.settings.get("texts", {}).get(request.text, [])
        if told == "fail":
            raise BackendFailure("unavailable", "no words left")
        if told == "crash":
            raise ValueError("out of words")
        return Paraphrases(texts=tuple(told), provenance=self.provenance)
"""


def contract(properties: JsonObject, oracles: JsonObject | None = None, **sections: Any) -> JsonObject:
    """A contract with these properties, by default assumed, and no gate on golden metrics but that nothing fails."""
    return contract_of(properties=properties, oracles=ASSUMED if oracles is None else oracles, **sections)


def run(folder: Path, properties: JsonObject, cases: list[Case], model: Any = None, /, **options: Any) -> Run:
    """Run these properties; ``oracles``, ``noise``, ``fuzz`` and other sections go into the contract."""
    names = ("oracles", "noise", "fuzz", "requirements", "evaluation", "decision", "budget", "statistics")
    sections = {name: options.pop(name) for name in names if name in options}
    validators = options.pop("validators", None)
    backend = CallableBackend(model) if callable(model) and not hasattr(model, "decide") else model
    return run_contract_of(
        folder, backend, contract=contract(properties, **sections), dataset=cases, oracles=validators, **options
    )


def pairs_of(finished: Run, name: str | None = None) -> list[JsonObject]:
    """The records of generated pairs, of one property or of all."""
    return [
        record
        for record in finished.records()
        if record["kind"] == "pair" and (name is None or record["property"] == name)
    ]


def skips_of(finished: Run) -> dict[str, str]:
    """The reason of every skipped case by property and case, as in ``whitespace/c``."""
    skips = [record for record in finished.records() if record["kind"] == "skip"]
    assert all(record["id"] == f"{record['property']}/{record['case_id']}/skipped" for record in skips)
    return {f"{record['property']}/{record['case_id']}": record["reason"] for record in skips}


def fragile(*triggers: str, otherwise: Callable[[DecisionRequest], Any] | None = None) -> Callable[..., Any]:
    """A model that is right, but answers the other label where any of these texts is in the input."""

    def model(request: DecisionRequest) -> Any:
        text = str(request.input)
        right = right_answer(text)
        if any(trigger in text for trigger in triggers):
            return sure({"yes": "no", "no": "yes"}[right])
        return sure(right) if otherwise is None else otherwise(request)

    return model


class Judge:
    """An oracle that refuses candidates whose text holds something, and leaves others undecided.

    Args:
        invalid: refused.
        unknown: left undecided.
    """

    name = "house-judge"
    version = "3"

    def __init__(self, invalid: str | None = None, unknown: str | None = None) -> None:
        self._invalid = invalid
        self._unknown = unknown
        self.seen: list[tuple[Any, Any]] = []
        self.threads: set[int] = set()

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge by what stands in the candidate's input."""
        self.seen.append((base.input, candidate.input))
        self.threads.add(threading.get_ident())
        text = str(candidate.input)
        evidence = {"length": len(text)}
        if self._unknown is not None and self._unknown in text:
            return OracleVerdict(None, "cannot be told", evidence=evidence)
        valid = self._invalid is None or self._invalid not in text
        return OracleVerdict(valid, "the text was looked at", evidence=evidence)


def install_words(folder: Path) -> None:
    """Install a package that brings the paraphraser ``words``; the folder must be on the path."""
    (folder / "house_words_run.py").write_text(WORDS, encoding="utf-8")
    information = folder / "house_words_run-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: house-words-run\nVersion: 1.0\n", "utf-8")
    points = "[robust.paraphrasers]\nwords = house_words_run:Words\n"
    (information / "entry_points.txt").write_text(points, encoding="utf-8")


def words(folder: Path, texts: JsonObject, **settings: Any) -> JsonObject:
    """The source of a paraphrase property that is worded by the package; it logs what it is asked into the folder."""
    return {"provider": "words", "texts": texts, "log": str(folder / "asked.log"), **settings}
