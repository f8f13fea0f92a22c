"""The public function that checks a contract and everything that it refers to, offline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import PurePath

from robust.app.contract_data import DataSummary, read_data
from robust.app.contract_warnings import warnings_of
from robust.app.models import build_backend
from robust.app.oracles import GROUP, build_judges, reviewed_oracle
from robust.app.paraphrasers import check_paraphraser
from robust.canon import JsonObject
from robust.errors import ContractError, IntegrityError, Problem, RobustError
from robust.manifest.frozen import FrozenManifest
from robust.records.contract import Contract
from robust.records.oracle_config import PluginOracle, ReviewedOracle
from robust.records.section import Misfit
from robust.run.property_plan import has_pins
from robust.store.contracts import ContractFile, ContractSource, load_contract_file, read_contract


@dataclass(frozen=True, kw_only=True, slots=True)
class ContractSummary:
    """A contract that was checked together with everything that it refers to.

    Attributes:
        contract: the contract.
        file: its file, where it came from one.
        data: what the cases are; None where neither the contract nor the caller names any.
        warnings: what cannot work out well although nothing is wrong.
        audits: by property, what the pinned audit of its oracle found.
    """

    contract: Contract
    file: str | None
    data: DataSummary | None
    warnings: tuple[Problem, ...]
    audits: JsonObject = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The contract's digest."""
        return self.contract.digest

    def to_json(self) -> JsonObject:
        """The summary as plain data."""
        contract = self.contract
        decision = contract.decision
        return {
            "file": self.file,
            "digest": contract.digest,
            "schema_version": contract.schema_version,
            "decision": {"name": decision.name, "type": decision.type, "labels": list(decision.label_order)},
            "backends": [
                {"name": name, "provider": config.provider, "model": config.model}
                for name, config in ((name, contract.backend_config(name)) for name in contract.backend_names())
            ],
            "data": None if self.data is None else self.data.to_json(),
            "requirements": contract.requirements.limits(),
            "warnings": contract.warnings.limits(),
            "properties": [
                {"name": name, "enabled": settings.enabled, "level": settings.level, "oracle": _oracle(contract, name)}
                for name, settings in contract.properties.configured().items()
            ],
            "audits": self.audits,
            "notes": [
                {"code": item.code, "message": item.message, "line": item.line, "path": item.path, "hint": item.hint}
                for item in self.warnings
            ],
        }


def validate_contract(
    contract: ContractSource,
    *,
    dataset: str | os.PathLike[str] | None = None,
    manifest: str | os.PathLike[str] | FrozenManifest | None = None,
) -> ContractSummary:
    """Check a contract, build its backends and oracles, and read its data; nothing is asked and nothing connected.

    Args:
        contract: a contract file, a contract, or its data as a dict.
        dataset: a data set instead of what the contract names.
        manifest: a manifest instead of what the contract names.

    Raises:
        ContractError: the contract is wrong, or what it refers to is missing; every problem is named.
        DataError: a case is wrong, or an expected answer is no label.
        UsageError: the contract or its data cannot be read.
        IntegrityError: the manifest, a file of validations or an audit is damaged, or is not the pinned one.
    """
    source, folder = read_source(contract)
    loaded = source.contract
    problems = [source.located(problem) for problem in _unbuildable(source, folder)]
    if problems:
        raise ContractError(*problems)
    try:
        data = read_data(loaded, folder, dataset=dataset, manifest=manifest)
        audits, against = _audits(loaded, folder)
    except RobustError as error:
        raise type(error)(*map(source.located, error.problems)) from None
    misfits = [*warnings_of(loaded, data), *against]
    warnings = [source.problem(code, message, place, hint) for place, message, hint, code in misfits]
    return ContractSummary(contract=loaded, file=source.file, data=data, warnings=tuple(warnings), audits=audits)


def _audits(contract: Contract, folder: PurePath) -> tuple[JsonObject, list[Misfit]]:
    """What the pinned audits found, and what in them speaks against an oracle; these are built to compare them."""
    if not has_pins(contract):
        return {}, []
    # Only here, as most contracts pin none.
    from robust.app.pinned_audits import audit_warnings, audits_json, read_pinned_audits

    judges = build_judges(contract, folder)
    try:
        audits = read_pinned_audits(contract, folder, judges)
    finally:
        for judge in judges.values():
            judge.close()
    return audits_json(audits), list(audit_warnings(contract, audits))


def read_source(contract: ContractSource) -> tuple[ContractFile, PurePath]:
    """A contract with where everything in it stands, and the folder that its paths are relative to.

    Raises:
        UsageError: the file cannot be read.
        ContractError: it is no contract; every problem is named.
    """
    if isinstance(contract, Contract):
        return ContractFile(contract), PurePath()
    if isinstance(contract, str | os.PathLike):
        return load_contract_file(contract), PurePath(contract).parent
    return ContractFile(read_contract(contract)), PurePath()


def _unbuildable(source: ContractFile, folder: PurePath) -> Iterator[Problem]:
    """What cannot be built or found of backends, oracles and paraphrasers.

    Raises:
        IntegrityError: a file of validations is damaged.
    """
    contract = source.contract
    for name in contract.backend_names():
        if contract.backend_config(name).provider != "callable":  # that one is handed over when it runs
            yield from _problems_of(build_backend, contract, name)
    for place, section in contract.sections():
        if isinstance(section, PluginOracle):
            if not entry_points(group=GROUP, name=section.provider):
                message = f"no installed package brings {section.provider!r}"
                hint = f"it looks in {GROUP}; from Python give it as oracles={{...}}"
                yield source.problem("unknown_provider", message, (*place, "provider"), hint)
        elif isinstance(section, ReviewedOracle):
            yield from _problems_of(reviewed_oracle, section, folder)
    reworded = contract.properties.paraphrase
    if reworded is not None:
        yield from _problems_of(check_paraphraser, contract, reworded.source, folder)


def _problems_of(work: Callable[..., object], *given: object) -> tuple[Problem, ...]:
    try:
        work(*given)
    except IntegrityError:
        raise
    except RobustError as error:
        return error.problems
    return ()


def _oracle(contract: Contract, name: str) -> str | None:
    """The provider that judges a property's candidates."""
    own = getattr(getattr(contract.properties, name), "oracle", None)
    chosen = own or (None if name == "variants" else contract.oracles.default)
    return None if chosen is None else str(chosen.provider)
