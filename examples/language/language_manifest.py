"""From the texts to a frozen manifest of their valid variants: the same bytes at every run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from language_edits import candidates
from language_oracle import KnownSentences
from robust import Case, Manifest, Validation, validate_variants
from robust.store.datasets import read_dataset

FOLDER: Final = Path(__file__).resolve().parent
CASES: Final = FOLDER / "cases.jsonl"
EDITS_CONTRACT: Final = FOLDER / "edits.yaml"
_PIN: Final = re.compile(r"^manifest_digest: (\S+)$", re.MULTILINE)


def example_cases() -> list[Case]:
    """The 240 texts."""
    return list(read_dataset(CASES))


def known_sentences(more: Iterable[tuple[str, str]] = ()) -> KnownSentences:
    """The oracle that knows the 240 texts, each with the language that it was written in.

    Args:
        more: further sentences with their languages.
    """
    return KnownSentences([*((str(case.input), str(case.expected)) for case in example_cases()), *more])


def judge_edits() -> list[Validation]:
    """Every candidate, judged by the oracle."""
    oracle = known_sentences()
    return list(validate_variants(candidates(example_cases()), contract=oracle.contract, validator=oracle))


def freeze_edits(validations: Iterable[Validation]) -> Manifest:
    """The manifest of all texts and of the variants that were found valid."""
    return Manifest.build(
        "ten languages in other case and punctuation",
        cases=example_cases(),
        validations=(validation for validation in validations if validation.status == "valid"),
        provenance={"generator": "examples/language/run.py"},
    )


def pinned_digest() -> str:
    """The manifest digest that the contract names."""
    found = _PIN.search(EDITS_CONTRACT.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{EDITS_CONTRACT.name} has no manifest_digest")
    return found[1]


def renew_pin(manifest: Manifest) -> None:
    """Have the contract name this manifest."""
    text = EDITS_CONTRACT.read_text(encoding="utf-8")
    EDITS_CONTRACT.write_text(_PIN.sub(f"manifest_digest: {manifest.digest}", text), encoding="utf-8", newline="\n")
