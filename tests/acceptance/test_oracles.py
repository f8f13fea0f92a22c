"""Rows T1 and T6 to T12: oracles that are careless, hostile, slow or wrong."""

from __future__ import annotations

import os
import random
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Manifest, ManifestError, OracleVerdict, Validation, validate_variants
from robust.records.failure import MAX_MESSAGE_CHARACTERS
from tests.builders import CONTRACT, judged, pair, said, saying, sum_case, verdict
from tests.validators import sleep_when_asked, undecided


@pytest.mark.parametrize("validator", [saying(None), undecided, saying(verdict(None))])
def test_t1_a_variant_that_nobody_could_judge_is_unknown_and_not_exportable(validator: Any) -> None:
    """One word replaced by its antonym, and an oracle that returns nothing or cannot tell."""
    cases = (
        Case("The applicant is eligible.", "yes", case_id="base", source_id="s"),
        Case("The applicant is ineligible.", case_id="variant", source_id="s"),
    )
    validation = judged(validator, cases, relation="invariant")
    assert validation.status == "unknown"
    with pytest.raises(ManifestError) as caught:
        Manifest.build("export", validations=[validation])
    assert caught.value.code == "not_valid"
    with pytest.raises(ManifestError):
        validation.manifest("export")


def test_t6_a_removed_decimal_comma_is_invalid() -> None:
    """The oracle reads both amounts, and they differ."""

    def amounts(base: Case, candidate: Case) -> OracleVerdict:
        before, after = (str(Decimal(str(case.input).split()[1].replace(",", "."))) for case in (base, candidate))
        return OracleVerdict(True, "both amounts were read", before, after, {"amounts": [before, after]})

    cases = Case("Pay 1,25 €", case_id="base", source_id="s"), Case("Pay 125 €", case_id="variant", source_id="s")
    validation = judged(amounts, cases, relation="invariant", comparator="number")
    assert (validation.status, validation.issues) == ("invalid", ("relation_contradicted",))


def test_t7_an_oracle_is_not_offered_the_label_that_it_would_repeat() -> None:
    """By default it sees none, so that it cannot echo it; when it may see it, the record says so."""

    def echo(base: Case, candidate: Case) -> OracleVerdict:
        return OracleVerdict(True, "trust me", base.expected, base.expected, {"trust": "me"})

    cases = pair(expected=6)
    hidden = judged(echo, cases, relation="invariant")
    assert (hidden.status, hidden.issues) == ("unknown", ("answer_missing",))
    visible = judged(echo, cases, relation="invariant", labels="visible")
    assert visible.status == "valid"
    assert visible.data["oracle"]["labels"] == "visible"


def test_t8_an_oracle_that_edits_the_callers_own_base_has_no_effect_on_the_record() -> None:
    """Through a closure, deep inside, and on every field that can be reached."""
    base = sum_case(expected=99, metadata={"list": [1]})
    candidate = sum_case("variant", "What is 2 plus 5?")
    honest = judged(saying(verdict()), (base, candidate))
    assert honest.issues == ("base_label_conflict",)

    class Meddler:
        name, version = "meddler", "1"

        def __call__(self, *_: Case) -> OracleVerdict:
            object.__setattr__(base, "expected", 6)
            object.__setattr__(base, "input", "What is 0 plus 0?")
            object.__setattr__(candidate, "source_id", "another")
            base.metadata["list"].append(2)
            return verdict()

    validation = judged(Meddler(), (base, candidate))
    assert base.expected == 6
    assert validation.issues == honest.issues
    for field in ("base", "candidate", "verdict", "status", "failures"):
        assert validation.data[field] == honest.data[field]


def test_t9_a_coin_flip_is_flaky() -> None:
    """Asked five times, it contradicts itself."""
    coin = random.Random(7)

    def flip(base: Case, candidate: Case) -> OracleVerdict:
        return verdict(coin.random() < 0.5)

    validation = judged(flip, repeats=5)
    assert "validator_flaky" in validation.issues
    assert validation.status == "unknown"
    assert [triple["valid"] for triple in validation.data["failures"][0]["detail"]] in ([True, False], [False, True])


def test_t10_an_oracle_that_sleeps_for_ever_is_killed_and_the_batch_goes_on(tmp_path: Path) -> None:
    """A time-out in the record, the process gone, the next pair judged. Starting a worker is part of its time."""
    hang = sum_case("hangs", "What is 2 plus 8?", metadata={"hang": str(tmp_path / "pid")})
    pairs = [pair(), (sum_case(), hang), pair()]
    started = time.monotonic()
    validations = validate_variants(
        pairs, relation="counterfactual", contract=CONTRACT, validator=sleep_when_asked, timeout_s=5, isolate=True
    )
    next(validations)
    assert next(validations).issues == ("validator_timeout",)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text(encoding="utf-8")), 0)
    assert next(validations).status == "valid"
    assert time.monotonic() - started < 60
    assert list(validations) == []


class Surrogate(Exception):
    def __str__(self) -> str:
        return "half \ud800 a character \x1b[31m"


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Huge(Exception):
    def __str__(self) -> str:
        return "x" * 1_000_000


@pytest.mark.parametrize("error", [Surrogate, Unprintable, Huge])
def test_t11_an_exception_with_a_bad_text_is_a_record_capped_and_escaped(
    tmp_path: Path, error: type[Exception]
) -> None:
    """Lone surrogates, a __str__ that raises, a megabyte: each is stored and read back."""

    def raises(base: Case, candidate: Case) -> OracleVerdict:
        raise error

    validation = judged(raises)
    assert validation.issues == ("validator_error",)
    detail = validation.data["failures"][0]["detail"]
    assert detail.startswith(error.__name__)
    assert len(detail.encode()) <= MAX_MESSAGE_CHARACTERS
    assert "\x1b" not in detail
    Validation.save_all(tmp_path / "v.jsonl", [validation])
    assert [item.digest for item in Validation.load_all(tmp_path / "v.jsonl")] == [validation.digest]


def test_t12_one_bad_value_in_the_evidence_is_named_and_the_rest_is_kept() -> None:
    """The path of the bad one; the reason and the good ones stay."""
    evidence = {"good": [1, 2], "bad": {"deep": [0, object()]}, "also": "good"}
    validation = said(verdict(reason="kept", evidence=evidence))
    data = validation.data
    assert validation.issues == ("evidence_malformed",)
    assert [failure["path"] for failure in data["failures"]] == ["$.evidence.bad.deep[1]"]
    assert data["verdict"]["evidence"] == {"good": [1, 2], "bad": {"deep": [0]}, "also": "good"}
    assert data["verdict"]["reason"] == "kept"
