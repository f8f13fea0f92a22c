"""The public function that runs a contract."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, TypeAlias

from robust.app.crew import RunOrders
from robust.app.models import build_backend, read_identity, refuse_own_oracle
from robust.app.oracles import build_judges, oracles_of
from robust.app.paraphrasers import FileParaphraser, build_paraphraser
from robust.app.session import Session
from robust.app.sources import open_source
from robust.canon import JsonObject, parse_canonical
from robust.errors import UsageError
from robust.manifest.frozen import FrozenManifest
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.file_names import file_name
from robust.records.seams import Backend, Paraphraser, Progress, Validator
from robust.run.judging import CandidateJudge
from robust.run.plan import CaseSource
from robust.run.property_plan import has_pins
from robust.run.report import RunIdentity
from robust.store.contracts import ContractSource, load_contract, read_contract
from robust.store.runs import RunReader, RunWriter

if TYPE_CHECKING:
    from robust.app.keys import SigningKey
    from robust.app.signing import Signed

Only: TypeAlias = Literal["golden", "properties"]
MAX_CONCURRENCY = 256
MAX_SEED = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes:
        report: the report, as in ``report.json``.
        path: the run directory.
        signed: its attestation; None where nobody asked for one, or nothing was decided that could be signed.
    """

    report: JsonObject
    path: Path
    signed: Signed | None = field(default=None, kw_only=True)

    @property
    def status(self) -> str:
        """``pass``, ``warn``, ``fail``, or ``error`` when nothing could be evaluated."""
        return str(self.report["status"])

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return int(self.report["exit_code"])

    def __repr__(self) -> str:
        return f"<Run {self.status} {self.path}>"

    @property
    def failures(self) -> list[JsonObject]:
        """The first failures: id, error kind and violations of each."""
        first: list[JsonObject] = self.report["failures"]["first"]
        return first

    def records(self) -> Iterator[JsonObject]:
        """Stream the records from disk."""
        reader = RunReader(self.path)
        for number, line in reader.records():
            yield parse_canonical(line, file=reader.file("records.jsonl"), line=number)


def run_contract(
    contract: ContractSource,
    *,
    backend: Backend | str | None = None,
    dataset: str | os.PathLike[str] | Iterable[Case | JsonObject] | None = None,
    manifest: str | os.PathLike[str] | FrozenManifest | None = None,
    split: str | None = None,
    seed: int | None = None,
    properties: Iterable[str] | None = None,
    only: Only | None = None,
    max_concurrency: int | None = None,
    max_calls: int | None = None,
    cache: str | os.PathLike[str] | Literal[False] | None = None,
    healthcheck: bool = True,
    progress: Progress | None = None,
    fail_on_warn: bool = False,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    minimize: bool | None = None,
    oracles: Mapping[str, Validator] | None = None,
    sign: SigningKey | str | os.PathLike[str] | None = None,
) -> Run:
    """Run a Decision Contract and write a run directory.

    A run that was interrupted or killed is continued by the same call with the same ``output``: each answer that it
    paid for is taken from its folder.

    Args:
        contract: a contract file, a contract, or its data as a dict.
        backend: the model under test, or the name of one of the contract's backends; by default its ``backend``.
        dataset: a data set file, cases, or rows such as ``{"id": …, "input": …}``, instead of what the contract names.
        manifest: a manifest file or a manifest, instead of what the contract names.
        split: the split of the manifest to run.
        seed: the seed that is recorded and that generated candidates depend on; ``fuzz.seed`` by default.
        properties: the names of the properties to run; all enabled ones by default.
        only: ``golden`` gates or ``properties`` alone.
        max_concurrency: the most calls in flight, 1–256, instead of the contract's.
        max_calls: the most calls that may be made, instead of ``budget.max_calls``.
        cache: a file that keeps answers over runs; False keeps none, not even for continuing.
        healthcheck: whether the backend's health is asked first.
        progress: is told now and then how far the run is.
        fail_on_warn: whether a warning makes the exit code 1.
        output: the run directory; ``runs/<decision>-<UTC time>`` by default.
        overwrite: whether a finished run there may be replaced, and an unfinished one started anew.
        minimize: whether failing candidates are made smaller, instead of the contract's ``fuzz.minimize``.
        oracles: validators from Python, by the ``provider`` under which the contract names them.
        sign: a private key, or the file of one that is not encrypted, that signs the finished run; it is opened before
            anything is asked. A run with the status ``error`` is not signed.

    Raises:
        CaseError: a validator cannot be called, or does not tell who it is.
        ContractError: the contract is wrong; every problem is named.
        DataError: a case is wrong, or an expected answer is no label.
        UsageError: there are no cases, no such split, or the directory or the cache cannot be used.
        BackendError: the backend cannot be built, is not healthy, or is the oracle of its own manifest.
        IntegrityError: the manifest is damaged or is not the pinned one.
        RunInterrupted: the user stopped it; what was paid for is kept.
    """
    # It may start a program, which for a moment counts as a second process of this size: so while this is small.
    platform.platform()
    loaded, folder = _read_contract(contract)
    loaded = _set_minimize(_select_properties(loaded, properties), minimize)
    concurrency = loaded.evaluation.max_concurrency if max_concurrency is None else max_concurrency
    check_settings(only, concurrency, seed, max_calls)
    key = _signing_key(sign)
    model = build_backend(loaded, backend) if backend is None or isinstance(backend, str) else backend
    identity = read_identity(model)
    # Golden gates alone need no variants, so a data set will do for them.
    asked = _select_properties(loaded, ()) if only == "golden" else loaded
    with ExitStack() as stack:
        source = open_source(asked, folder, dataset=dataset, manifest=manifest, split=split)
        stack.callback(source.close)
        judges, audits = _judges(asked, folder, oracles, stack)
        refuse_own_oracle(model, identity, [*source.oracles(), *oracles_of(judges)])
        drawn = loaded.fuzz.seed if seed is None else seed
        made_of = RunIdentity(**source.identity(), seed=drawn, backend=identity.to_json(), fail_on_warn=fail_on_warn)
        writer = stack.enter_context(RunWriter(_directory(output, loaded), overwrite=overwrite))
        session = Session(
            loaded,
            model,
            identity,
            source,
            made_of,
            mode=only or "all",
            concurrency=concurrency,
            max_calls=max_calls,
            orders=_orders(loaded, backend, folder, only, drawn, source),
            judges=judges,
            paraphraser=_paraphraser(asked, folder, stack),
            audits=audits,
        )
        report = session.run(writer, cache=cache, healthcheck=healthcheck, progress=progress)
    return Run(report, writer.path, signed=_sign(writer.path, key, report))


def _signing_key(sign: SigningKey | str | os.PathLike[str] | None) -> SigningKey | None:
    """The key that is to sign, opened."""
    if sign is None:
        return None
    # Only here, as most runs are not signed.
    from robust.app.keys import open_signing_key

    return open_signing_key(sign)


def _sign(path: Path, key: SigningKey | None, report: JsonObject) -> Signed | None:
    """Sign a finished run, once its folder was let go of; there is nothing to sign where nothing was decided."""
    if key is None or report["status"] == "error":
        return None
    from robust.app.signing import sign_run

    return sign_run(path, key, report["digest"])


def _judges(
    contract: Contract, folder: PurePath, given: Mapping[str, Validator] | None, stack: ExitStack
) -> tuple[dict[str, CandidateJudge], JsonObject]:
    """The oracles, closed with the stack at the latest, and what the audits found that are pinned to them."""
    judges = build_judges(contract, folder, given)
    for judge in judges.values():
        stack.callback(judge.close)
    if not has_pins(contract):
        return judges, {}
    # Only here, as most contracts pin none.
    from robust.app.pinned_audits import audits_json, read_pinned_audits

    return judges, audits_json(read_pinned_audits(contract, folder, judges))


def _orders(
    contract: Contract,
    backend: Backend | str | None,
    folder: PurePath,
    only: Only | None,
    seed: int,
    source: CaseSource,
) -> RunOrders | None:
    """What other processes need to share the work; only a model that the contract describes can be built there."""
    if backend is not None and not isinstance(backend, str):
        return None
    return RunOrders(contract, backend, folder, only or "all", seed, source.size(variants=False))


def _paraphraser(contract: Contract, folder: PurePath, stack: ExitStack) -> Paraphraser | None:
    """Whoever words cases anew, closed with the stack at the latest."""
    settings = contract.properties.paraphrase
    if settings is None or not settings.enabled:
        return None
    made = build_paraphraser(contract, settings.source, folder)
    if isinstance(made, FileParaphraser):
        stack.callback(made.close)
    return made


def check_settings(only: object, concurrency: object, seed: object, max_calls: object) -> None:
    """Refuse settings that cannot work, before anything is opened or asked."""
    if only not in (None, "golden", "properties"):
        raise UsageError.of("bad_mode", f"only must be 'golden' or 'properties', not {only!r}", path="only")
    if type(concurrency) is not int or not 1 <= concurrency <= MAX_CONCURRENCY:
        message = f"must be an integer from 1 to {MAX_CONCURRENCY}, not {concurrency!r}"
        raise UsageError.of("bad_concurrency", message, path="max_concurrency")
    if seed is not None and (type(seed) is not int or abs(seed) > MAX_SEED):
        message = f"must be an integer within ±{MAX_SEED}, not {seed!r}"
        raise UsageError.of("bad_seed", message, path="seed", hint="larger ones do not survive in JSON")
    if max_calls is not None and (type(max_calls) is not int or not 0 < max_calls <= MAX_SEED):
        message = f"must be an integer from 1, not {max_calls!r}"
        raise UsageError.of("bad_budget", message, path="max_calls")


def _set_minimize(contract: Contract, minimize: bool | None) -> Contract:
    if minimize is None:
        return contract
    return contract.model_copy(update={"fuzz": contract.fuzz.model_copy(update={"minimize": bool(minimize)})})


def _read_contract(contract: ContractSource) -> tuple[Contract, PurePath]:
    if isinstance(contract, Contract):
        return contract, PurePath()
    if isinstance(contract, str | os.PathLike):
        return load_contract(contract), PurePath(contract).parent
    return read_contract(contract), PurePath()


def _select_properties(contract: Contract, names: Iterable[str] | None) -> Contract:
    """The contract with only some of its properties."""
    if names is None:
        return contract
    if isinstance(names, str):
        raise UsageError.of("bad_properties", f"must be a list of names, not the text {names!r}", path="properties")
    wanted = set(names)
    known = {name for name, value in contract.properties if value is not None}
    if wanted - known:
        name = min(wanted - known)
        hint = "it has " + (", ".join(sorted(known)) or "none")
        raise UsageError.of("unknown_property", f"the contract has no property {name!r}", path="properties", hint=hint)
    kept = contract.properties.model_copy(update=dict.fromkeys(known - wanted))
    return contract.model_copy(update={"properties": kept})


def _directory(output: str | os.PathLike[str] | None, contract: Contract) -> str | os.PathLike[str]:
    if output is not None:
        return output
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3] + "Z"
    return Path("runs") / f"{file_name(contract.decision.name)}-{stamp}"
