"""A real model: which of ten languages is a text written in? In process, behind a socket, and on texts that change."""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from language_manifest import EDITS_CONTRACT, freeze_edits, judge_edits, renew_pin
from language_model import NAME, VERSION, make_backend
from language_robustness import EditedTexts
from language_story import (
    INDENT,
    gates_text,
    intervals_text,
    kinds_text,
    languages_text,
    mistakes_text,
    reliability_text,
    verification_text,
)
from robust import ContractError, RobustError, Run, run_contract, verify
from robust.records.backend_config import HttpConfig
from robust.records.contract import Contract
from robust.store.contracts import load_contract
from server import PROTOCOL, running_server

HERE: Final = Path(__file__).parent
DEFAULT_OUTPUT: Final = Path("runs") / "language"
SERVICE: Final = "service"
IN_PROCESS: Final = "in-process"
OVER_HTTP: Final = "over-http"


def main() -> int:
    """Run the example.

    Returns:
        0: every gate of contract.yaml holds, both ways gave the same answers, and what was written verifies, whatever
        is found on edited texts. 1: a gate does not hold, or the answers differ. 2: it could not be evaluated. 3: what
        was written does not verify, or the texts make another manifest. 130: it was interrupted.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, help="where everything is written")
    parser.add_argument("--contract", type=Path, default=HERE / "contract.yaml", help="another contract to run")
    parser.add_argument("--skip-edits", action="store_true", help="leave out the edited texts")
    parser.add_argument("--renew-pin", action="store_true", help=f"only renew the digest in {EDITS_CONTRACT.name}")
    arguments = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show Cyrillic gets its code points.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if arguments.renew_pin:
            return _renew_pin()
        return _run(arguments.contract, arguments.output, edits=not arguments.skip_edits)
    except RobustError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"the example cannot run: {error}", file=sys.stderr)
        return 2


def _run(path: Path, output: Path, *, edits: bool) -> int:
    contract = load_contract(path)
    service = _service(contract)
    cases = HERE / "cases.jsonl" if contract.dataset is None else path.parent / contract.dataset
    with running_server() as address:
        # The port in the file is for doing it by hand.
        moved = service.model_copy(update={"url": f"{address}/decide", "health_url": f"{address}/health"})
        contract = contract.model_copy(update={"backends": {**contract.backends, SERVICE: moved}})
        runs = {
            place: run_contract(contract, backend=backend, dataset=cases, output=output / place, overwrite=True)
            for place, backend in ((IN_PROCESS, make_backend()), (OVER_HTTP, SERVICE))
        }
    for line in _tell(contract, runs, address):
        print(line)
    same = len({run.report["answers_digest"] for run in runs.values()}) == 1
    if not same:
        print(f"{INDENT}The two ways gave different answers.", file=sys.stderr)
    edited = EditedTexts(output) if edits else None
    if edited is not None:
        for line in edited.tell():
            print(line)
    print("\n10. Everything that was written is derived again, without model or oracle.")
    verifications = [*(verify(run.path) for run in runs.values()), *(edited.verify() if edited else ())]
    for verification in verifications:
        for line in verification_text(verification):
            print(line)
    if not all(verification.holds for verification in verifications):
        print(f"{INDENT}What was written does not verify.", file=sys.stderr)
        return 3
    # A model that fails on edited texts is what the example shows; one that cannot be asked is not.
    asked = [run.exit_code for run in (edited.runs if edited else ()) if run.status == "error"]
    return max([int(not same), *(run.exit_code for run in runs.values()), *asked])


def _renew_pin() -> int:
    manifest = freeze_edits(judge_edits())
    renew_pin(manifest)
    print(f"{EDITS_CONTRACT.name} now pins {manifest.digest}")
    return 0


def _service(contract: Contract) -> HttpConfig:
    """The settings of the service.

    Raises:
        ContractError: the contract has no such backend, or one of another kind.
    """
    config = contract.backend_config(SERVICE)
    if not isinstance(config, HttpConfig):
        message = f"the provider must be http here, not {config.provider}"
        raise ContractError.of("bad_backend", message, path=f"backends.{SERVICE}.provider")
    return config


def _tell(contract: Contract, runs: dict[str, Run], address: str) -> Iterator[str]:
    run, service = runs[IN_PROCESS], runs[OVER_HTTP]
    counts = run.report["counts"]
    records: list[Any] = list(run.records())
    languages = len(contract.decision.label_order)
    yield f"1. {counts['cases']} texts of {counts['groups']} sources, in {languages} languages. By kind:"
    kinds = Counter(record["metadata"].get("kind", "-") for record in records)
    yield f"{INDENT}{', '.join(f'{kind} {count}' for kind, count in kinds.items())}"
    yield f"\n2. {NAME} {VERSION}, called in this process: {run.status.upper()}"
    yield from gates_text(run)
    yield from intervals_text(run)
    yield f"\n3. The same model asked by {PROTOCOL}: {service.status.upper()}"
    yield f"{INDENT}{service.report['counts']['decided']} of {counts['cases']} texts were answered over a socket,"
    yield f"{INDENT}by {address}"
    digests = {place: each.report["answers_digest"] for place, each in runs.items()}
    same = len(set(digests.values())) == 1
    yield f"\n4. The answers are {'the same, bit for bit' if same else 'DIFFERENT'}. Their digests:"
    for place, digest in digests.items():
        yield f"{INDENT}{place}"
        yield f"{INDENT}  {digest}"
    yield "\n5. What the model makes of it. By language:"
    yield from languages_text(run)
    threshold = contract.evaluation.confidence_threshold
    yield f"{INDENT}By kind of text, where a confidence of {threshold} or more covers:"
    yield from kinds_text(records, threshold)
    yield f"{INDENT}Is it right as often as its confidence says?"
    yield from reliability_text(run)
    yield f"{INDENT}Wrong answers:"
    yield from mistakes_text(records)


if __name__ == "__main__":
    sys.exit(main())
