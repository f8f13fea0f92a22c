"""From amounts to a frozen manifest: validated, split by source, the same bytes on every machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from babel.core import get_cldr_version

from amounts_data import LIMIT, all_amounts
from amounts_oracle import DecimalAmountOracle
from amounts_transforms import candidates
from robust import Manifest, Validation, validate_variants

FOLDER: Final = Path(__file__).resolve().parent
CONTRACT: Final = FOLDER / "contract.yaml"
COMMITTED: Final = FOLDER.parent.parent / "manifests" / "amounts.manifest.jsonl"
_PIN: Final = re.compile(r"^manifest_digest: (\S+)$", re.MULTILINE)


def judge_amounts() -> list[Validation]:
    """Every candidate, judged by the oracle."""
    pairs = candidates(all_amounts())
    return list(validate_variants(pairs, contract="decimal-amount/v1", validator=DecimalAmountOracle()))


def freeze_amounts(validations: Iterable[Validation]) -> Manifest:
    """The manifest of all bases and of the variants that were found valid."""
    return Manifest.build(
        "amounts in the formats of many locales",
        cases=(amount.case() for amount in all_amounts()),
        validations=(validation for validation in validations if validation.status == "valid"),
        splits={"development": 0.5, "test": 0.5},
        salt="examples/amounts",
        provenance={
            "generator": "examples/amounts/run.py",
            "formats": f"CLDR {get_cldr_version()}, as Babel ships it",
            "limit": str(LIMIT),
        },
    )


def pinned_digest() -> str:
    """The manifest digest that the contract names."""
    found = _PIN.search(CONTRACT.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{CONTRACT.name} has no manifest_digest")
    return found[1]


def commit_manifest(manifest: Manifest) -> None:
    """Replace the committed manifest, and the pin in the contract."""
    manifest.save(COMMITTED, overwrite=True)
    text = CONTRACT.read_text(encoding="utf-8")
    CONTRACT.write_text(_PIN.sub(f"manifest_digest: {manifest.digest}", text), encoding="utf-8", newline="\n")


def mismatch_text(manifest: Manifest) -> str:
    """Why a rebuilt manifest may differ from the committed one, and what to do."""
    committed = Manifest.load(COMMITTED)
    return (
        f"The amounts make the manifest {manifest.digest},\n"
        f"but {CONTRACT.name} pins {pinned_digest()}.\n"
        f"  formats of this machine: {manifest.provenance['formats']}\n"
        f"  formats when it was committed: {committed.provenance['formats']}\n"
        "If the formats differ, install the pinned Babel: pip install 'robust-records[examples]'.\n"
        "If the amounts, the edits or the oracle were changed, renew the manifest and the pin:\n"
        "  python examples/amounts/run.py --write-manifest"
    )
