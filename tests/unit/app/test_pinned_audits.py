"""The audits that a contract pins: each must be the one that is named, and of the oracle that judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, OracleAudit, audit_oracle, run_contract, validate_contract, verify
from robust.errors import ContractError, IntegrityError, UsageError
from robust.oracle.builtin import ConfiguredOracle
from robust.oracle.preserves import PreservesOracle
from robust.render.contract import contract_text
from robust.render.report import report_text
from tests.validators import adder

TEXTS = ("The fee of 12.50 EUR is not due.", "At least 30% must be paid within 14 days.")
BASES = [Case(text, case_id=f"b{i}", source_id=f"s{i}") for i, text in enumerate(TEXTS)]
CONTRACT: dict[str, Any] = {
    "schema_version": "1",
    "decision": {"name": "due", "type": "noul"},
    "backend": "mock",
    "dataset": "data.jsonl",
    "properties": {"whitespace": {"max_tv_distance": 1}},
}


def pinned(folder: Path, oracle: Any = None, digest: str | None = None, **settings: Any) -> Path:
    """A contract that pins the audit of an oracle, which is written beside it."""
    found = audit_oracle(oracle or PreservesOracle(), contract="x/v1", bases=BASES, max_accepted_invalid=0)
    found.save(folder / "audit.json", overwrite=True)
    rows = (json.dumps({"id": case.case_id, "input": case.input}) for case in BASES)
    (folder / "data.jsonl").write_text("\n".join(rows), encoding="utf-8")
    section = {"provider": "preserves", "audit": {"path": "audit.json", "digest": digest or found.digest}, **settings}
    (folder / "c.json").write_text(json.dumps({**CONTRACT, "oracles": {"default": section}}), encoding="utf-8")
    return folder / "c.json"


def test_a_pinned_audit_is_shown_by_validate_and_in_the_report(tmp_path: Path) -> None:
    """With what it found; the digest is derived from the contract when the run is read."""
    contract = pinned(tmp_path)
    digest = OracleAudit.load(tmp_path / "audit.json").digest
    summary = validate_contract(contract).to_json()
    assert summary["audits"]["whitespace"]["digest"] == digest
    assert f"pinned audit {digest[:19]} (pass): accepted 0 of" in contract_text(summary)
    run = run_contract(contract, output=tmp_path / "run")
    assert run.report["properties"]["whitespace"]["audit"] == {"path": "audit.json", "digest": digest}
    assert run.report["observed"]["audits"]["whitespace"]["status"] == "pass"
    assert "pinned audit" in report_text(run.report)
    assert verify(tmp_path / "run").holds


def test_golden_gates_alone_need_no_oracle_and_no_audit(tmp_path: Path) -> None:
    """So that the file may be elsewhere."""
    contract = pinned(tmp_path)
    (tmp_path / "audit.json").unlink()
    assert run_contract(contract, only="golden", output=tmp_path / "run").report["observed"].get("audits") is None


@pytest.mark.parametrize("use", [validate_contract, run_contract])
def test_another_audit_than_the_pinned_one_is_refused(tmp_path: Path, use: Any) -> None:
    """Whether it was edited or is another one; with its place."""
    contract = pinned(tmp_path, digest="sha256:" + "0" * 64)
    with pytest.raises(IntegrityError, match="the contract pins the audit sha256:0000") as caught:
        use(contract)
    assert caught.value.problems[0].path == "oracles.default.audit.digest"
    (tmp_path / "audit.json").write_text("{}", encoding="utf-8")
    with pytest.raises(IntegrityError):
        use(contract)
    (tmp_path / "audit.json").unlink()
    with pytest.raises(UsageError, match="no such file"):
        use(contract)


@pytest.mark.parametrize("use", [validate_contract, run_contract])
def test_the_audit_of_another_oracle_is_refused(tmp_path: Path, use: Any) -> None:
    """Told by name, version and source; settings that change what it says are part of it."""
    with pytest.raises(ContractError, match="of another oracle: that of whitespace has name"):
        use(pinned(tmp_path, adder))
    with pytest.raises(ContractError, match="of another oracle"):
        use(pinned(tmp_path, keep=["Orsini"]))


def test_an_audit_with_the_settings_of_the_contract_counts(tmp_path: Path) -> None:
    """As the command names them."""
    settings = {"fragments": [], "keep": ["Orsini"], "text_field": None}
    audited = ConfiguredOracle(PreservesOracle(keep=["Orsini"]), settings)
    assert validate_contract(pinned(tmp_path, audited, keep=["Orsini"])).audits["whitespace"]["status"] == "pass"


def test_an_audit_that_was_not_passed_is_a_warning(tmp_path: Path) -> None:
    """Whether to trust the oracle is the author's decision."""
    contract = pinned(tmp_path)
    layout = audit_oracle(PreservesOracle(), contract="x/v1", bases=BASES, domains=["layout"], max_refused_valid=0)
    layout.save(tmp_path / "audit.json", overwrite=True)
    data = json.loads(contract.read_text("utf-8"))
    data["oracles"]["default"]["audit"]["digest"] = layout.digest
    contract.write_text(json.dumps(data), encoding="utf-8")
    codes = {warning.code: warning for warning in validate_contract(contract).warnings}
    assert "whose status is inconclusive" in codes["audit_failed"].message
    assert run_contract(contract, output=tmp_path / "run").status == "pass"


@pytest.mark.parametrize(
    "audit", [{"path": "a.json"}, {"path": "a.json", "digest": "abc"}, {"path": "", "digest": "x"}, "a.json", {"x": 1}]
)
def test_a_pin_that_is_none_is_a_contract_error(audit: Any) -> None:
    """With its place."""
    section = {"provider": "preserves", "audit": audit}
    with pytest.raises(ContractError, match=r"oracles\.default\.audit"):
        validate_contract({**CONTRACT, "oracles": {"default": section}})


def test_the_digest_of_a_contract_without_a_pin_is_what_it_was() -> None:
    """A null pin, too."""
    plain = validate_contract({**CONTRACT, "dataset": None, "oracles": {"default": {"provider": "preserves"}}})
    null = {"provider": "preserves", "audit": None}
    assert "audit" not in json.dumps(plain.contract.normalised()["oracles"])
    assert validate_contract({**CONTRACT, "dataset": None, "oracles": {"default": null}}).digest == plain.digest
