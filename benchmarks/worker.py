"""One piece of work on one side, timed in this fresh process; prints its seconds and its peak memory as JSON.

Runs as ``python -m benchmarks.worker SIDE WORK COUNT FILE`` under the interpreter of the side that it measures, so it
needs nothing but the standard library and the package under test, which is imported by name.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Side(NamedTuple):
    """Where one package keeps what the workload is written with. Looked up when used: loading needs no validator."""

    package: str
    judging: str
    case_class: str
    manifest_class: str

    @property
    def case(self) -> Any:
        """The class of a case."""
        return getattr(importlib.import_module(self.package), self.case_class)

    @property
    def manifest(self) -> Any:
        """The class of a manifest."""
        return getattr(importlib.import_module(self.package), self.manifest_class)

    @property
    def verdict(self) -> Any:
        """The class of an oracle's verdict."""
        return importlib.import_module(self.judging).OracleVerdict

    @property
    def validate_variant(self) -> Any:
        """The function that judges one variant."""
        return importlib.import_module(self.judging).validate_variant


SIDES = {
    "robust": Side("robust", "robust", "Case", "Manifest"),
    "peer": Side("multivon_eval", "multivon_eval.robustness", "EvalCase", "CaseManifest"),
}


def make_base(side: Side, number: int) -> Any:
    """A labelled case: an instruction to transfer an amount, with the metadata that such a case comes with."""
    return side.case(
        f"Please transfer {number:,}.50 EUR to the supplier named in invoice {number}, and book it under travel costs.",
        f"{number}.50",
        case_id=f"transfer-{number}",
        source_id=f"invoice-{number}",
        metadata=_metadata(number),
    )


def make_variant(side: Side, base: Any, number: int) -> Any:
    """The same instruction with the amount written without a grouping sign, as a generator of the side would make it.

    A candidate says where it comes from: here in ``origin``, there in ``metadata["generation"]``.
    """
    return side.case(
        f"Please transfer {number}.50 EUR to the supplier named in invoice {number}, and book it under travel costs.",
        case_id=f"transfer-{number}-ungrouped",
        source_id=f"invoice-{number}",
        **(_origin(base, number) if side.package == "robust" else _generation(base, number)),
    )


def _origin(base: Any, number: int) -> dict[str, Any]:
    origin = importlib.import_module("robust").Origin(
        parent_id=base.case_id,
        parent_content=base.content_digest,
        transform="grouping-removed",
        params={"sign": ","},
        seed=0,
        relation="invariant",
    )
    return {"metadata": _metadata(number), "origin": origin}


def _generation(base: Any, number: int) -> dict[str, Any]:
    generation = {
        "kind": "mutation",
        "mutation": "grouping-removed",
        "params": {"sign": ","},
        "expectation": "invariant",
        "seed": 0,
        "source_case_id": base.case_id,
        "source_case_digest": hashlib.sha256(base.input.encode()).hexdigest(),
    }
    return {"metadata": {**_metadata(number), "generation": generation}}


def _metadata(number: int) -> dict[str, Any]:
    return {"locale": "en_IE", "currency": "EUR", "channel": "email", "batch": number % 50, "tags": ["invoice", "paid"]}


def make_validator(side: Side) -> Callable[[Any, Any], Any]:
    """The oracle: it reads the amount out of both texts. One text of it for both sides."""

    def read_amount(case: Any) -> str:
        written = str(case.input).split(" EUR", 1)[0].rsplit(" ", 1)[1]
        return written.replace(",", "")

    verdict = side.verdict

    def check_amounts(base: Any, candidate: Any) -> Any:
        before, after = read_amount(base), read_amount(candidate)
        return verdict(
            valid=True,
            reason="Read both amounts from the texts, without their grouping signs",
            base_expected=before,
            variant_expected=after,
            evidence={"oracle": "transfer-amount/v1", "base_amount": before, "variant_amount": after},
        )

    return check_amounts


def validate(side: Side, count: int, *, in_batch: bool) -> float:
    """Judge variants and keep every record."""
    bases = [make_base(side, number) for number in range(1000, 1000 + count)]
    pairs = [(base, make_variant(side, base, number)) for number, base in enumerate(bases, start=1000)]
    terms = {"relation": "invariant", "contract": "transfer-amount/v1", "validator": make_validator(side)}
    gc.collect()  # looking through the cases that were made is no part of the work, and would fall into it by chance
    if in_batch:
        validate_variants = importlib.import_module("robust").validate_variants
        started = time.perf_counter()
        records = list(validate_variants(pairs, **terms))
    else:
        validate_variant = side.validate_variant
        started = time.perf_counter()
        records = [validate_variant(base, candidate, **terms) for base, candidate in pairs]
    seconds = time.perf_counter() - started
    if len(records) != count or any(record.status != "valid" for record in records):
        raise SystemExit("a variant of the workload was not found valid")
    return seconds


def build(side: Side, count: int, file: Path) -> float:
    """Freeze labelled cases and save the manifest."""
    cases = [make_base(side, number) for number in range(1000, 1000 + count)]
    splits = {"development": [case.case_id for case in cases]}
    make = getattr(side.manifest, "build", side.manifest)
    file.unlink(missing_ok=True)
    gc.collect()
    started = time.perf_counter()
    make("transfers", cases=cases, splits=splits).save(file)
    return time.perf_counter() - started


def load(side: Side, file: Path) -> float:
    """Load the saved manifest with all its checks."""
    manifest = side.manifest
    started = time.perf_counter()
    loaded = manifest.load(file)
    seconds = time.perf_counter() - started
    if not loaded.digest:
        raise SystemExit("the loaded manifest has no digest")
    return seconds


def main(arguments: list[str]) -> None:
    """Do one piece of work and print what it took."""
    name, work, count, file = arguments
    side = SIDES[name]
    if work == "load":
        seconds = load(side, Path(file))
    elif work == "build":
        seconds = build(side, int(count), Path(file))
    else:
        seconds = validate(side, int(count), in_batch=work == "validate-batch")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux, bytes on macOS
    print(json.dumps({"seconds": seconds, "peak_mib": peak / (1024 * 1024 if sys.platform == "darwin" else 1024)}))


if __name__ == "__main__":
    main(sys.argv[1:])
