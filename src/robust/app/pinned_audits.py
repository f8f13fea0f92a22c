"""The audits that a contract pins: each must be the one that is named, and of the oracle that judges."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final

from robust.app.oracle_audit import OracleAudit
from robust.canon import JsonObject
from robust.errors import ContractError, IntegrityError
from robust.oracle.builtin import ConfiguredOracle
from robust.oracle.identity import oracle_identity
from robust.oracle.presentation import PresentationOracle
from robust.oracle.preserves import PreservesOracle
from robust.records.contract import Contract
from robust.records.section import Misfit
from robust.run.judging import CandidateJudge
from robust.run.property_plan import oracle_of, pin_of

_IDENTITY: Final = ("name", "version", "source_sha256")
_HINT: Final = "audit this oracle with the settings that the contract gives it (--keep, --positional), and pin that"


def read_pinned_audits(
    contract: Contract, folder: PurePath, judges: Mapping[str, CandidateJudge]
) -> dict[str, OracleAudit]:
    """The pinned audit of each property's oracle that has one.

    Args:
        contract: the contract.
        folder: what paths in the contract are relative to.
        judges: the oracles as they were built.

    Raises:
        UsageError: the file of an audit cannot be read.
        IntegrityError: it is damaged, contradicts itself, or is not the pinned one.
        ContractError: it is the audit of another oracle.
    """
    read: dict[str, OracleAudit] = {}
    found: dict[str, OracleAudit] = {}
    for name, judge in judges.items():
        pin, chosen = pin_of(contract, name), oracle_of(contract, name)
        if pin is None or chosen is None:
            continue
        place = f"{chosen[0]}.audit"
        file = os.fspath(folder / pin.path)
        audit = read[file] if file in read else read.setdefault(file, OracleAudit.load(file))
        if audit.digest != pin.digest:
            message = f"the contract pins the audit {pin.digest}, this one is {audit.digest}"
            hint = "use the pinned audit, or pin this one"
            raise IntegrityError.of("pin", message, file=file, path=f"{place}.digest", hint=hint)
        _check_oracle(contract, name, judge, audit, place)
        found[name] = audit
    return found


def _check_oracle(contract: Contract, name: str, judge: CandidateJudge, audit: OracleAudit, place: str) -> None:
    audited = audit.facts.oracle.to_json()
    due = list(_identities(contract, name, judge))
    if any(all(audited[field] == identity[field] for field in _IDENTITY) for identity in due):
        return
    differing = [field for field in _IDENTITY if audited[field] != due[0][field]]
    told = ", ".join(f"{field} {due[0][field]!r} and not {audited[field]!r}" for field in differing)
    message = f"the pinned audit is of another oracle: that of {name} has {told}"
    raise ContractError.of("other_oracle", message, path=place, hint=_HINT)


def _identities(contract: Contract, name: str, judge: CandidateJudge) -> Iterator[JsonObject]:
    """What the audited oracle may be called: as it is built, and with the settings that an audit names.

    In a run the settings of a built-in oracle stand in the contract; an audit has them in the oracle's version.
    """
    chosen = oracle_of(contract, name)
    settings = None if chosen is None else chosen[1]
    keep = list(getattr(settings, "keep", ()))
    positional = list(getattr(settings, "positional", ()))
    validator = judge.validator
    if isinstance(validator, PresentationOracle):
        if not positional:
            yield judge.oracle()
        else:
            yield oracle_identity(ConfiguredOracle(validator, {"positional": positional}))
    elif isinstance(validator, PreservesOracle):
        fragments = list(getattr(getattr(contract.properties, name), "fragments", ()))
        if not keep:
            yield judge.oracle()
        for inserted in ([], fragments):
            for field in (None, contract.fuzz.text_field):
                chosen_settings = {"fragments": inserted, "keep": keep, "text_field": field}
                yield oracle_identity(ConfiguredOracle(validator, chosen_settings))
    else:
        yield judge.oracle()


def audits_json(audits: Mapping[str, OracleAudit]) -> JsonObject:
    """What a report shows of the pinned audits, by property; each stands in no digest but its own."""
    return {
        name: {
            "digest": audit.digest,
            "status": audit.status,
            "pairs": audit.facts.pairs,
            "shares": audit.shares,
            "confidence": audit.facts.confidence,
        }
        for name, audit in audits.items()
    }


def audit_warnings(contract: Contract, audits: Mapping[str, OracleAudit]) -> Iterator[Misfit]:
    """What speaks against oracles that a contract trusts: a pinned audit that they did not pass."""
    said: set[str] = set()
    for name, audit in audits.items():
        chosen = oracle_of(contract, name)
        if chosen is None or chosen[0] in said or audit.exit_code == 0:
            continue
        said.add(chosen[0])
        message = f"the oracle did not pass its audit, whose status is {audit.status}"
        yield Misfit((*chosen[0].split("."), "audit"), message, "take another oracle, or mend this one", "audit_failed")
