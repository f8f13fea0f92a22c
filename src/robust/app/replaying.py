"""The public function that asks the stored failures of a run again."""

from __future__ import annotations

import os
import platform
import time
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from robust.app.contracts import read_source
from robust.app.models import build_backend, read_identity
from robust.app.running import check_settings
from robust.app.verify_run import StoredRun
from robust.canon import JsonObject, canonical_bytes, parse_canonical
from robust.errors import Problem, RunInterrupted, UsageError
from robust.records.backend_config import PluginConfig
from robust.records.contract import Contract
from robust.records.report import EXIT_CODES, differences
from robust.records.seams import Backend, Progress
from robust.run.budget import Budget, Limits
from robust.run.execute import Engine, run_coroutine
from robust.run.property_plan import plan_properties
from robust.run.replay import Replaying
from robust.run.replay_choice import Choice
from robust.run.replay_result import SCHEMA, SEVERITY
from robust.store.spool import LineSpool
from robust.version import __version__

if TYPE_CHECKING:
    from robust.store.contracts import ContractSource

_BY_HAND = "replay_run(path, backend=...) takes it; or choose one that the contract names: -b NAME (backend=NAME)"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Replay:
    """Failures of a run that were asked again.

    Attributes:
        report: what came of it, as plain data without the single results.
        path: the run directory.
    """

    report: JsonObject
    path: Path
    _lines: LineSpool

    @property
    def status(self) -> str:
        """``fail`` if a failure was reproduced, ``error`` if one could not be evaluated, else ``pass``."""
        return str(self.report["status"])

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return int(self.report["exit_code"])

    @property
    def digest(self) -> str:
        """The digest over [id, answers] of every result: equal wherever the same is answered."""
        return str(self.report["digest"])

    def results(self) -> Iterator[JsonObject]:
        """One result for each failure, in the order of the run's records.

        ``status`` is ``reproduced``, ``differs`` (another violation), ``error`` (could not be evaluated) or
        ``not_reproduced``; ``recorded`` and ``found`` say what broke then and now.
        """
        # A generator, so that whoever still reads keeps the file open.
        for line in self._lines:
            yield parse_canonical(line)

    def __repr__(self) -> str:
        return f"<Replay {self.status} {self.path}>"


def replay_run(
    path: str | os.PathLike[str],
    *,
    ids: Iterable[str] | None = None,
    backend: Backend | str | None = None,
    contract: ContractSource | None = None,
    max_concurrency: int | None = None,
    max_calls: int | None = None,
    healthcheck: bool = True,
    progress: Progress | None = None,
) -> Replay:
    """Ask the failures of a run again, exactly as they are stored, and judge them by the limits that ran.

    First everything of the run that can be derived is derived again. Then each failed pair's original input, its
    transformed one and its reduced one are sent, and base cases that had ended in an error. Nothing is written.

    Args:
        path: the run directory.
        ids: the ids of the records to replay; by default all failed pairs and errors.
        backend: a model, or the name of one of the contract's backends; by default the one that ran.
        contract: a contract whose backend is asked instead; its decision must have the same name, type and labels.
        max_concurrency: the most calls in flight, 1–256, instead of the contract's.
        max_calls: the most calls that may be made; without it there is no limit, whatever ``budget`` says.
        healthcheck: whether the backend's health is asked first.
        progress: is told now and then how far it is.

    Raises:
        UsageError: there is no run, nothing to replay, no such id, or the backend that ran came from Python.
        IntegrityError: the run is unfinished, damaged, or contradicts itself.
        ContractError: the contract is wrong, or has no such backend.
        BackendError: the backend cannot be built, or is not healthy.
        RunInterrupted: the user stopped it.
    """
    wanted = _read_ids(ids)
    check_settings(None, 1 if max_concurrency is None else max_concurrency, None, max_calls)
    run = StoredRun.load(path)
    asked = run.contract if contract is None else _other_contract(run.contract, contract)
    model = _choose_backend(run, asked, backend) if contract is None else _named(asked, backend)
    identity = read_identity(model).to_json()
    choice = Choice(wanted, [plan.name for plan in plan_properties(run.contract) if plan.rewords is not None])
    for record in run.records():
        choice.add(record)
    choice.check()
    concurrency = asked.evaluation.max_concurrency if max_concurrency is None else max_concurrency
    engine = Engine(
        model,
        concurrency=concurrency,
        tolerance=run.contract.evaluation.probability_tolerance,
        budget=Budget(limits=Limits(calls=max_calls)),
    )
    lines = LineSpool()
    replaying = Replaying(
        contract=run.contract,
        decision=asked.decision.shown(),
        seed=run.identity.seed,
        engine=engine,
        choice=choice,
        records=run.records,
        sink=lambda result: lines.append(canonical_bytes(result)),
        progress=progress,
    )
    started = datetime.now(UTC)
    try:
        run_coroutine(_drive(replaying, healthcheck=healthcheck))
    except BaseException as error:
        lines.close()
        if isinstance(error, KeyboardInterrupt):
            raise RunInterrupted(os.fspath(path), "a replay keeps nothing; run it again") from None
        raise
    observed = {**_observed(replaying, started), "max_concurrency": concurrency}
    replay = Replay(_report(run, replaying, identity, observed), Path(path), lines)
    weakref.finalize(replay, lines.close)
    return replay


def _read_ids(ids: object) -> list[str] | None:
    if ids is None:
        return None
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise UsageError.of("bad_ids", f"must be a list of ids, not {ids!r}", path="ids")
    listed = list(ids)
    for name in listed:
        if not isinstance(name, str):
            raise UsageError.of("bad_ids", f"an id is text, not {name!r}", path="ids")
    return listed


def _other_contract(ran: Contract, given: ContractSource) -> Contract:
    """A contract whose backend is to be asked what another contract asked.

    Raises:
        UsageError: it asks another question.
    """
    source, _ = read_source(given)
    other = source.contract
    names = ("name", "type", "label_order")
    stored, found = ({name: getattr(each.decision, name) for name in names} for each in (ran, other))
    problems = [
        source.located(
            Problem(
                code="other_decision",
                message=f"the run asked {stored[name]!r}, this contract {found[name]!r}",
                path="decision" if name == "label_order" else f"decision.{name}",
                hint="give a contract with the same decision; its labels must be the same in the same order",
            )
        )
        for name in names
        if stored[name] != found[name]
    ]
    if problems:
        raise UsageError(*problems)
    return other


def _named(contract: Contract, backend: Backend | str | None) -> Backend:
    return build_backend(contract, backend) if backend is None or isinstance(backend, str) else backend


def _choose_backend(run: StoredRun, contract: Contract, backend: Backend | str | None) -> Backend:
    """The backend that was given, or the one that ran, built anew.

    Raises:
        UsageError: the one that ran was handed over from Python.
    """
    if backend is not None:
        return _named(contract, backend)
    ran = run.identity.backend
    name, provider = ran["name"], ran["provider"]
    config = contract.backend_config(name) if name in contract.backend_names() else None
    # A package's backend may call its provider what it likes.
    known = config is not None and (config.provider == provider or isinstance(config, PluginConfig))
    if not known or provider == "callable":
        message = f"the run's backend {name!r} ({provider}) came from Python"
        raise UsageError.of("python_backend", message, file=run.report_file, path="$.backend", hint=_BY_HAND)
    return build_backend(contract, name)


async def _drive(replaying: Replaying, *, healthcheck: bool) -> None:
    try:
        if healthcheck:
            await replaying.engine.check_health()
        await replaying.run()
    finally:
        await replaying.engine.close()


def _observed(replaying: Replaying, started: datetime) -> JsonObject:
    """What varies from replay to replay, and is in no digest."""
    budget = replaying.engine.budget
    return {
        "started_at": started.isoformat(timespec="milliseconds"),
        "finished_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "duration_ms": round((time.monotonic() - replaying.started) * 1000, 3),
        "calls": budget.calls,
        "tokens": budget.tokens,
        "cost": budget.cost,
        "messages": replaying.tally.messages(),
        "notices": replaying.engine.notices,
        "robust_version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _report(run: StoredRun, replaying: Replaying, backend: JsonObject, observed: JsonObject) -> JsonObject:
    tally, stored = replaying.tally, run.report
    return {
        "schema": SCHEMA,
        "status": tally.status,
        "exit_code": EXIT_CODES[tally.status],
        "run": {"digest": stored["digest"], "evidence_digest": stored["evidence_digest"], "seed": stored["seed"]},
        "contract": stored["contract"],
        "backend": backend,
        "same_backend": not any(True for _ in differences(run.identity.backend, backend)),
        "counts": {
            "replayed": tally.statuses.total(),
            **{status: tally.statuses[status] for status in SEVERITY},
            "not_replayable": dict(sorted(replaying.choice.left_out.items())),
        },
        "digest": tally.digest(),
        "observed": observed,
    }
