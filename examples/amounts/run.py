"""The main job on real input: amounts in the formats of thirty locales, an exact oracle, two systems under test."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from amounts_data import LIMIT, LOCALES, all_amounts
from amounts_manifest import (
    COMMITTED,
    CONTRACT,
    commit_manifest,
    freeze_amounts,
    judge_amounts,
    mismatch_text,
    pinned_digest,
)
from amounts_scores import run_text
from amounts_story import candidates_text, examples_text, quoted, verification_text
from amounts_systems import systems
from robust import Manifest, Validation, run_contract, verify

DEFAULT_OUTPUT: Final = Path("runs") / "amounts"
_SHOWN_AMOUNTS: Final = ("en_US-10", "de_CH-05", "en_IN-07", "fr_FR-06", "de_DE-by-hand-1", "ar_EG-02")


def main() -> int:
    """Run the example; 0 when it worked, whatever the systems under test are worth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="where everything is written")
    parser.add_argument(
        "--write-manifest",
        action="store_true",
        help="only renew manifests/amounts.manifest.jsonl and the contract's pin",
    )
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show Arabic digits gets their code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    validations = judge_amounts()
    manifest = freeze_amounts(validations)
    if arguments.write_manifest:
        commit_manifest(manifest)
        print(f"{COMMITTED.name} and {CONTRACT.name} now hold {manifest.digest}")
        return 0
    if manifest.digest != pinned_digest():
        print(mismatch_text(manifest), file=sys.stderr)
        return 1
    for line in _tell(validations, manifest):
        print(line)
    return _run_and_verify(validations, manifest, arguments.output)


def _tell(validations: list[Validation], manifest: Manifest) -> Iterator[str]:
    amounts = {amount.name: amount for amount in all_amounts()}
    yield f"1. {len(amounts)} amounts as {len(LOCALES)} locales write them. Which are above {LIMIT}?"
    for name in _SHOWN_AMOUNTS:
        amount = amounts[name]
        yield f"   {amount.locale}  {quoted(amount.text)} is {amount.value}: {amount.case().expected}"
    yield f"\n2. {len(validations)} edits, each with a claim: the answer stays (invariant) or"
    yield "   moves (counterfactual). An exact oracle says which claims hold."
    yield from candidates_text(validations)
    yield from examples_text(validations)
    yield f"\n3. The bases and the valid variants, and nothing else, are frozen: {len(manifest.cases)} cases,"
    yield f"   split by source: {', '.join(f'{name} {len(ids)}' for name, ids in sorted(manifest.splits.items()))}."
    yield f"   {manifest.digest}"
    yield "   The contract pins this digest."


def _run_and_verify(validations: list[Validation], manifest: Manifest, output: Path) -> int:
    """Write everything, run the contract on both systems, and derive it all again."""
    output.mkdir(parents=True, exist_ok=True)
    written = [output / "validations.jsonl", output / "amounts.manifest.jsonl"]
    Validation.save_all(written[0], validations, overwrite=True)
    manifest.save(written[1], overwrite=True)
    print("\n4. The contract on two systems. The input names the locale; neither looks at it.")
    failed = 0
    for name, backend in systems().items():
        run = run_contract(CONTRACT, backend=backend, manifest=written[1], output=output / name, overwrite=True)
        written.append(run.path)
        failed += run.status == "fail"
        print(f"\n   {name} {backend.identity.model_version}")
        for line in run_text(run):
            print(line)
    print(f"\n   {failed} of 2 systems FAIL, which is what the example shows: the gates want")
    print("   a system that is right whatever the notation.")
    print("\n5. Everything that was written is derived again, without system or oracle.")
    verifications = [verify(path) for path in written]
    for verification in verifications:
        for line in verification_text(verification):
            print(line)
    if not all(verification.holds for verification in verifications):
        print("   The example is broken: what it wrote does not verify.", file=sys.stderr)
        return 1
    command = _command()
    print("\nLook at what nobody could decide, at the frozen cases, and at one run:")
    print(f"  {command} variants show {written[0]} --status unknown")
    print(f"  {command} manifest show {written[1]}")
    print(f"  {command} verify {written[2]}")
    return 0


def _command() -> str:
    """How the ``robust`` of this environment is called from here."""
    place = Path(sys.executable).parent
    return str(place.relative_to(Path.cwd()) / "robust") if place.is_relative_to(Path.cwd()) else "robust"


if __name__ == "__main__":
    sys.exit(main())
