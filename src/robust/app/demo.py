"""The shipped demonstration: candidates, an oracle, a manifest, a run and its verification, with the core alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from robust.app.manifests import Manifest
from robust.app.running import run_contract
from robust.app.scorable import scorable
from robust.app.validation import Validation, validate_variants
from robust.app.verifying import verify
from robust.errors import UsageError
from robust.records.case import Case, Origin
from robust.records.verdict import OracleVerdict
from robust.render.evidence import validation_text, verification_text
from robust.render.report import report_text

# How each locale groups digits and marks decimals.
MARKS: Final = {"en": (",", "."), "de": (".", ",")}
LIMIT: Final = Decimal(1000)
_AMOUNTS: Final = (
    ("en", "EUR 1,250.00"),
    ("en", "EUR 12,400.50"),
    ("en", "USD 4,999.99"),
    ("en", "USD 15.20"),
    ("de", "EUR 1.250,00"),
    ("de", "EUR 980,40"),
    ("de", "EUR 7.100,00"),
)
_CONTRACT: Final = """\
# Does an amount need approval? It does above 1000, whatever the currency.
schema_version: "1"
decision:
  name: needs_approval
  type: noul
  labels: [yes, no]
backend:
  provider: mock
  model: comma-counter
  # A model with a fault: it takes a comma for the sign of a large amount.
  rules:
    - {contains: ",", probabilities: {yes: 0.9, no: 0.1}}
  default: {yes: 0.2, no: 0.8}
manifest: amounts.manifest.jsonl
split: development
requirements:
  min_accuracy: 0.6
properties:
  variants: {max_violation_rate: 0}
"""


def read_amount(text: str, locale: str) -> Decimal | None:
    """The amount in a text, read exactly by the rules of its locale; None where the rules do not cover the text."""
    grouping, decimal = MARKS[locale]
    digits = text.rsplit(maxsplit=1)[-1]
    whole, mark, fraction = digits.partition(decimal)
    groups = whole.removeprefix("-").split(grouping)
    well_grouped = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]) if len(groups) > 1 else True
    if not all(part.isascii() and part.isdigit() for part in groups) or not well_grouped:
        return None
    if mark and not (fraction.isascii() and fraction.isdigit()):
        return None
    sign = "-" if whole.startswith("-") else ""
    return Decimal(f"{sign}{''.join(groups)}.{fraction or '0'}")


def amount_oracle(base: Case, candidate: Case) -> OracleVerdict:
    """Derive both right answers from the amounts themselves; never from a label, and never from the model."""
    amounts = [read_amount(str(case.input), case.metadata["locale"]) for case in (base, candidate)]
    if None in amounts:
        return OracleVerdict(None, "the rules of the locale do not cover this notation")
    answers = ["yes" if amount is not None and amount > LIMIT else "no" for amount in amounts]
    same = amounts[0] == amounts[1]
    return OracleVerdict(
        same,
        "both amounts are equal in decimal arithmetic" if same else "the edit changed the amount",
        base_expected=answers[0],
        variant_expected=answers[1],
        evidence={"base_amount": str(amounts[0]), "candidate_amount": str(amounts[1]), "limit": str(LIMIT)},
    )


def demo_pairs() -> Iterator[tuple[Case, Case]]:
    """Bases and candidates: each edit may or may not keep the amount, which is for the oracle to say."""
    for number, (locale, text) in enumerate(_AMOUNTS, start=1):
        answer = "yes" if (read_amount(text, locale) or 0) > LIMIT else "no"
        name = f"amount-{number}"
        metadata = {"locale": locale}
        base = Case(text, answer, case_id=name, source_id=name, metadata=metadata)
        grouping, decimal = MARKS[locale]
        edits = {
            "double-space": text.replace(" ", "  "),
            "no-grouping": text.replace(grouping, ""),
            "no-decimal-mark": text.replace(decimal, ""),
            "spaced-digits": text.replace(decimal, f" {decimal}"),
        }
        for transform, edited in edits.items():
            if edited != text:
                origin = Origin(
                    parent_id=name, parent_content=base.content_digest, transform=transform, relation="invariant"
                )
                case_id = f"{name}-{transform}"
                yield base, Case(edited, case_id=case_id, source_id=name, metadata=metadata, origin=origin)


def run_demo(folder: Path | None) -> Iterator[str]:
    """Run the demonstration and describe it, line by line.

    Args:
        folder: a new or empty folder that keeps the files; a temporary one by default.

    Raises:
        UsageError: the folder holds something already.
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError.of("not_empty", "the folder is not empty", file=str(folder), hint="give a new one")
        yield from _steps(folder)
        yield f"\nEverything is kept in {folder}; run it again with: robust run {folder / 'contract.yaml'}"
        return
    with tempfile.TemporaryDirectory(prefix="robust-demo-") as temporary:
        yield from _steps(Path(temporary))
    yield "\nThe folder was temporary; robust demo --keep FOLDER keeps it."


def _steps(folder: Path) -> Iterator[str]:
    validations = list(validate_variants(demo_pairs(), contract="decimal-amount/v1", validator=amount_oracle))
    kept, refused = scorable(validations)
    judged = f"{len(validations)} edited amounts: {len(kept)} valid, {len(refused)} refused"
    yield f"1. An oracle judged {judged}. For example:"
    for status in ("valid", "invalid", "unknown"):
        yield _indented(validation_text(next(item for item in validations if item.status == status)))
    Validation.save_all(folder / "validations.jsonl", validations)
    manifest = Manifest.build("demonstration amounts", validations=kept)
    manifest.save(folder / "amounts.manifest.jsonl")
    yield f"\n2. The valid ones are frozen in a manifest of {len(manifest.cases)} cases:\n   {manifest.digest}"
    (folder / "contract.yaml").write_text(_CONTRACT, encoding="utf-8")
    run = run_contract(folder / "contract.yaml", output=folder / "run")
    yield "\n3. The contract was run on a mock model that has a fault:"
    yield _indented(report_text(run.report))
    yield "\n4. Everything that was written is derived again:"
    for name in ("validations.jsonl", "amounts.manifest.jsonl", "run"):
        result = verify(folder / name)
        yield _indented(
            verification_text(result.to_json(), [item for check in result.checks for item in check.problems])
        )
    yield "\nThe run FAILS, and should: variants that keep the amount changed the model's answer."


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())
