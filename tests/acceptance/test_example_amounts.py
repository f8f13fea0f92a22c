"""The example on real amounts: its oracle, its committed manifest, and the whole story end to end."""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import amounts_manifest
from amounts_data import LOCALES, all_amounts
from amounts_oracle import DecimalAmountOracle, UnreadableError
from amounts_systems import make_backend, naive_amount, price_parser_amount
from amounts_transforms import TRANSFORMATIONS
from robust import (
    BackendError,
    Case,
    ContractError,
    Manifest,
    Origin,
    Validation,
    run_contract,
    validate_variant,
    verify,
)
from robust.records.case import Relation

ROOT = Path(__file__).parent.parent.parent
RUN = ROOT / "examples" / "amounts" / "run.py"
VERIFYING = "5. Everything that was written is derived again, without system or oracle."
# The excerpt in the README: every line of it must still be printed.
README_OUTPUT = [
    line
    for block in re.findall(r"```text\n(.*?)```", RUN.with_name("README.md").read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if line != "..."
]


@pytest.fixture(scope="module")
def validations() -> list[Validation]:
    return amounts_manifest.judge_amounts()


def judge(before: str, after: str, locale: str, relation: Relation = "invariant") -> Validation:
    base = Case({"amount": before, "locale": locale}, case_id="base", source_id="source")
    origin = Origin(parent_id="base", parent_content=base.content_digest, relation=relation)
    candidate = Case({"amount": after, "locale": locale}, case_id="candidate", source_id="source", origin=origin)
    return validate_variant(
        base, candidate, relation=relation, contract="decimal-amount/v1", validator=DecimalAmountOracle()
    )


@pytest.mark.parametrize(
    ("text", "locale", "amount"),
    [
        ("1,234.50", "en_US", "1234.50"),
        ("-$1,234.50", "en_US", "-1234.50"),
        ("($1,234.50)", "en_US", "-1234.50"),
        ("  $1,234.50 ", "en_US", "1234.50"),
        ("USD 5", "en_US", "5"),
        ("12,34,567", "en_IN", "1234567"),
        ("1.234", "de_DE", "1234"),
        ("1,234", "de_DE", "1.234"),
        ("€\u00a0-1.234,50", "nl_NL", "-1234.50"),
        ("1'234'567.50", "de_CH", "1234567.50"),
        ("1\u202f234,50\u00a0€", "fr_FR", "1234.50"),
        ("1 234,50 €", "fr_FR", "1234.50"),
        ("\u22121\u00a0234", "sv_SE", "-1234"),
        ("\u0661\u066c\u0662\u0663\u0664\u066b\u0665", "ar_EG", "1234.5"),
        ("1,234.5", "ar_EG", "1234.5"),
        ("\u0966.\u0967", "hi_IN", "0.1"),
    ],
)
def test_the_oracle_reads_an_amount_by_the_rules_of_its_locale(text: str, locale: str, amount: str) -> None:
    assert DecimalAmountOracle.read({"amount": text, "locale": locale}).amount == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        *((text, "en_US") for text in ("", "-", "$", "NaN", "Infinity", "1e3", "1_000", "0x10", "+5", "5-", "--5")),
        *((text, "en_US") for text in ("(5)", "-($5)", "$5$", "1 000", "3 50", "100t o", "1..5", ".5", "5.", "007")),
        *((text, "en_US") for text in ("1,23", "1234,567", "1,,234", "1.234,567", "\u0661", "\uff11", "1\u0662")),
        ("1,234,567", "en_IN"),
        ("1.234", "fr_FR"),
        ("1  234", "fr_FR"),
        ("1\u066c234", "ar_EG"),
        ("35€99", "de_DE"),
        ("5", "xx_YY"),
        ("5", "not a locale"),
    ],
)
def test_the_oracle_refuses_what_the_locale_does_not_write(text: str, locale: str) -> None:
    with pytest.raises(UnreadableError):
        DecimalAmountOracle.read({"amount": text, "locale": locale})


def test_t6_a_decimal_comma_removed_is_invalid_because_the_recomputed_amounts_differ() -> None:
    validation = judge("1,25", "125", "de_DE")
    assert (validation.status, validation.issues) == ("invalid", ("rejected",))
    evidence = validation.data["verdict"]["evidence"]
    assert (evidence["base"]["amount"], evidence["candidate"]["amount"]) == ("1.25", "125")
    assert (evidence["base"]["decimal"], evidence["base"]["locale"]) == (",", "de_DE")


def test_the_same_comma_removed_between_groups_is_valid() -> None:
    assert judge("1,250.00", "1250.00", "en_US").status == "valid"


@pytest.mark.parametrize(
    ("after", "status", "issues"),
    [
        ("-1,250.00", "valid", ()),
        ("1,350.00", "invalid", ("rejected", "relation_contradicted")),
        ("1250.oo", "unknown", ("unreviewed",)),
    ],
)
def test_a_counterfactual_is_valid_when_the_answer_moves(after: str, status: str, issues: tuple[str, ...]) -> None:
    validation = judge("1,250.00", after, "en_US", "counterfactual")
    assert (validation.status, validation.issues) == (status, issues)


def test_amounts_are_compared_exactly_however_long_they_are() -> None:
    assert judge(f"-{'9' * 40}", f"-{'9' * 39}8", "en_US").issues == ("rejected",)


def test_a_relation_without_a_rule_is_left_open() -> None:
    assert judge("1,250.00", "1,350.00", "en_US", "increasing").status == "unknown"


def test_another_currency_is_another_amount() -> None:
    assert judge("$5", "€5", "en_US").issues == ("rejected",)


def test_the_oracle_reads_every_base_as_it_was_meant() -> None:
    amounts = list(all_amounts())
    readings = {amount.name: DecimalAmountOracle.read(amount.case().input) for amount in amounts}
    assert {name: reading.amount for name, reading in readings.items()} == {item.name: item.value for item in amounts}
    assert all(readings[item.name].currency in (None, item.currency) for item in amounts)
    assert {amount.locale for amount in amounts} == set(LOCALES)


def test_every_transformation_is_tried_and_every_status_is_shown(validations: list[Validation]) -> None:
    tried = {validation.data["candidate"]["origin"]["transform"] for validation in validations}
    assert tried == {transformation.name for transformation in TRANSFORMATIONS}
    assert {validation.status for validation in validations} == {"valid", "invalid", "unknown"}
    assert {validation.data["oracle"]["name"] for validation in validations} == {"decimal-amount"}
    # What raised would be unknown too, but for another reason than an amount that cannot be read.
    assert not [validation for validation in validations if validation.data["failures"]]


def test_the_committed_manifest_is_what_the_code_makes(validations: list[Validation]) -> None:
    manifest = amounts_manifest.freeze_amounts(validations)
    made = b"".join(line + b"\n" for line in manifest.lines())
    # Compared outside the assertion: a difference of megabytes helps nobody.
    same = made == amounts_manifest.COMMITTED.read_bytes()
    assert same, amounts_manifest.mismatch_text(manifest)
    assert manifest.digest == amounts_manifest.pinned_digest()


def test_a_mismatch_is_explained() -> None:
    committed = Manifest.load(amounts_manifest.COMMITTED)
    text = amounts_manifest.mismatch_text(committed)
    assert committed.digest in text
    assert "CLDR" in text
    assert "--write-manifest" in text


@pytest.mark.parametrize("path", sorted((ROOT / "manifests").glob("*.manifest.jsonl")), ids=lambda path: path.name)
def test_every_committed_manifest_verifies(path: Path) -> None:
    assert [check for check in verify(path).checks if not check.holds] == []


@pytest.mark.parametrize(("text", "read"), [("-$5", "5"), ("($5)", "5"), ("$1.234", "1234"), ("$1,234.50", "1234.50")])
def test_price_parser_reads_what_the_readme_says(text: str, read: str) -> None:
    assert price_parser_amount(text) == Decimal(read)


@pytest.mark.parametrize(
    ("text", "read"),
    [("1.234,50", "1234.50"), ("1,234", "1.234"), ("-5", "5"), ("12", "12"), (",5", "0.5"), ("-", None)],
)
def test_the_naive_parser_takes_the_last_mark_for_the_decimal_one(text: str, read: str | None) -> None:
    assert naive_amount(text) == (None if read is None else Decimal(read))


def test_the_oracle_cannot_be_the_system_under_test(tmp_path: Path) -> None:
    backend = make_backend(naive_amount, model=DecimalAmountOracle.name, model_version="1")
    with pytest.raises(BackendError, match="decimal-amount"):
        run_contract(amounts_manifest.CONTRACT, backend=backend, output=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_run_keeps_a_contract_of_a_callable_backend_that_can_be_read_again(tmp_path: Path) -> None:
    backend = make_backend(naive_amount, model="naive-parser", model_version="1")
    run_contract(amounts_manifest.CONTRACT, backend=backend, only="golden", output=tmp_path / "run")
    assert verify(tmp_path / "run").holds
    data = {"schema_version": "1", "decision": {"name": "d", "type": "noul"}}
    with pytest.raises(ContractError, match="'noise'"):
        run_contract({**data, "backend": {"provider": "callable", "noise": 0.5}}, output=tmp_path / "other")


def test_an_unreadable_amount_is_answered_without_confidence(tmp_path: Path) -> None:
    backend = make_backend(lambda _: None, model="blind", model_version="1")
    run = run_contract(amounts_manifest.CONTRACT, backend=backend, output=tmp_path / "run")
    assert run.report["metrics"]["coverage"]["value"] == 0
    assert run.report["metrics"]["error_rate"]["value"] == 0


def test_the_example_works_also_over_an_earlier_output(tmp_path: Path) -> None:
    output = tmp_path / "runs" / "amounts"
    backend = make_backend(naive_amount, model="earlier", model_version="0")
    for system in ("price-parser", "naive-parser"):
        run_contract(amounts_manifest.CONTRACT, backend=backend, only="golden", output=output / system)
    (output / "validations.jsonl").write_text("from an earlier time\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, RUN, "--output", Path("runs", "amounts")],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert max(map(len, told)) <= 80
    assert not [line for line in told[told.index(VERIFYING) :] if "FAIL" in line]
    assert [line for line in README_OUTPUT if line not in told] == []
    for name in ("validations.jsonl", "amounts.manifest.jsonl", "price-parser", "naive-parser"):
        assert verify(output / name).holds
    assert (output / "amounts.manifest.jsonl").read_bytes() == amounts_manifest.COMMITTED.read_bytes()
