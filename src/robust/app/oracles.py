"""The oracles of a run: built-in, reviewed, brought by packages, or handed over from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final, Protocol

from robust.backends.plugins import PluginGroup
from robust.canon import JsonObject
from robust.errors import DataError, UsageError
from robust.oracle.builtin import builtin_oracle
from robust.oracle.identity import is_program
from robust.oracle.reviewed import ReviewedOracle
from robust.records.contract import Contract
from robust.records.oracle_config import BUILT_IN, OracleConfig, PluginOracle
from robust.records.oracle_config import ReviewedOracle as ReviewedConfig
from robust.records.seams import Validator
from robust.records.section import suggestion
from robust.run.judging import CandidateJudge
from robust.run.property_plan import oracle_of
from robust.store.validations import read_validations

GROUP: Final = "robust.oracles"
_PLUGINS: Final = PluginGroup(name=GROUP, what="oracle", built_in=BUILT_IN)


class OracleFactory(Protocol):
    """What an entry point in ``robust.oracles`` names: it makes a validator."""

    def __call__(self, settings: JsonObject, *, folder: PurePath) -> Validator:
        """Make the validator.

        Args:
            settings: the keys of its section in the contract but for ``provider``.
            folder: what paths in the contract are relative to.
        """
        ...


def build_judges(
    contract: Contract, folder: PurePath, given: Mapping[str, Validator] | None = None
) -> dict[str, CandidateJudge]:
    """The oracle of each enabled property that has one; nobody is asked.

    Args:
        contract: the contract.
        folder: what paths in the contract are relative to.
        given: validators from Python, by the provider under which the contract names them.

    Raises:
        UsageError: a validator is given under a name that is built in or that the contract does not use.
        BackendError: a package does not bring what is named, or what it brings cannot be used.
        CaseError: a validator cannot be called, or does not tell who it is.
        IntegrityError: a file of validation records is damaged.
        DataError: it has none, or those of several oracle contracts and none is chosen.
    """
    found = {name: oracle_of(contract, name) for name in contract.properties.enabled()}
    chosen = {name: oracle for name, oracle in found.items() if oracle is not None}
    _check_given(given or {}, chosen)
    return {
        name: CandidateJudge(_validator(contract, folder, name, place, config, given or {}), contract=f"{name}/v1")
        for name, (place, config) in chosen.items()
    }


def all_built_in(contract: Contract, names: Iterable[str]) -> bool:
    """Whether the oracles of some properties are all pure and part of this program, so that copies judge alike.

    Those of packages and of the caller may hold state, or differ from what another process would build, and a file of
    reviews is read once for a run.
    """
    configs = (found[1] for found in (oracle_of(contract, name) for name in names) if found is not None)
    return not any(isinstance(config, PluginOracle | ReviewedConfig) for config in configs)


def _check_given(given: Mapping[str, Validator], chosen: Mapping[str, tuple[str, OracleConfig]]) -> None:
    used = {config.provider for _, config in chosen.values() if isinstance(config, PluginOracle)}
    for provider in given:
        if provider in BUILT_IN:
            message = f"the built-in oracle {provider!r} cannot be replaced"
            raise UsageError.of("bad_oracles", message, path="oracles", hint="give yours another name")
        if provider not in used:
            message = f"no enabled property has an oracle whose provider is {provider!r}"
            hint = suggestion(provider, sorted(used), "the contract names") or "name it in the contract"
            raise UsageError.of("bad_oracles", message, path="oracles", hint=hint)


def _validator(
    contract: Contract,
    folder: PurePath,
    name: str,
    place: str,
    config: OracleConfig,
    given: Mapping[str, Validator],
) -> Any:
    if isinstance(config, ReviewedConfig):
        return reviewed_oracle(config, folder)
    if not isinstance(config, PluginOracle):
        fragments = getattr(getattr(contract.properties, name), "fragments", ())
        return builtin_oracle(config, property_name=name, fragments=fragments, text_field=contract.fuzz.text_field)
    if config.provider in given:
        return given[config.provider]
    return installed_oracle(config.provider, config.settings, folder, path=place)


def installed_oracle(provider: str, settings: JsonObject, folder: PurePath, *, path: str) -> Any:
    """The validator that an installed package makes.

    Args:
        provider: the name of its entry point.
        settings: what it is made with.
        folder: what paths in the settings are relative to.
        path: where the provider is named, for errors.

    Raises:
        BackendError: no package brings it, or what it brings cannot be used.
    """

    def call(factory: OracleFactory) -> Validator:
        return factory(settings, folder=folder)

    return _PLUGINS.make(provider, call, _what_is_wrong, path=path)


def reviewed_oracle(config: ReviewedConfig, folder: PurePath) -> ReviewedOracle:
    """The oracle that repeats the judgements of a file.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: a record of it is damaged.
        DataError: it has none, or those of several oracle contracts and none is chosen.
    """
    path = folder / config.path
    try:
        return ReviewedOracle(read_validations(path), contract=config.contract)
    except DataError as error:
        raise error.located(file=str(path)) from None


def _what_is_wrong(made: Any) -> str | None:
    return None if callable(made) or is_program(made) else "which cannot be called"


def oracles_of(judges: Mapping[str, CandidateJudge]) -> Iterator[JsonObject]:
    """Who judges: each oracle with its model, where it declares one, and those whose reviews it repeats."""
    for judge in judges.values():
        model = getattr(judge.validator, "model", None)
        yield {**judge.oracle(), "model": model if isinstance(model, str) else None}
        yield from getattr(judge.validator, "oracles", ())
