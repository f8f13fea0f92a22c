"""The public functions that test how a model behaves over rows that a transformation changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from robust.canon import JsonObject
from robust.errors import UsageError
from robust.population import column_edits
from robust.population.changed_rows import described_transformation, function_name
from robust.population.column_edits import ColumnEdit
from robust.population.execute import PopulationRun, Request, run_population
from robust.population.judge import judge_population
from robust.population.row_oracle import oracle_name
from robust.population.table_models import model_name
from robust.population.terms import population_terms
from robust.records.no_truth import NoTruth
from robust.records.population import (
    Method,
    PopulationOutcome,
    Statistic,
    Task,
    TestName,
    population_plan,
)
from robust.records.population_words import changed_words

if TYPE_CHECKING:
    from robust.app.check_runs import SavedCheck
    from robust.app.keys import SigningKey
    from robust.oracle.asked import AskedOracle
    from robust.records.seams import Validator

Transformation: TypeAlias = ColumnEdit | Callable[[Any], Any]
Directed: TypeAlias = Literal["proportion", "t_test", "wilcoxon", "mcnemar"]


@dataclass(frozen=True, kw_only=True, repr=False)
class PopulationResult(NoTruth, PopulationOutcome):
    """The result of a population test; :class:`~robust.records.population.PopulationOutcome` describes its members."""

    _plan: JsonObject = field(compare=False)
    _run: PopulationRun = field(compare=False)
    _observed: JsonObject = field(compare=False)

    def summary(self) -> str:
        """The result in a few lines, with what was changed."""
        first, *others = PopulationOutcome.summary(self).split("\n")
        changed = changed_words(self._plan, self.n, self._run.evidence.rows)
        return "\n".join([first, f"  changed      {changed}", *others])

    def plan(self) -> JsonObject:
        """What was to be done, ``robust.plan/1``."""
        return self._plan

    def records(self) -> Iterator[JsonObject]:
        """One record of the data and one of each changed row, in the order of the rows; made as they are read."""
        return self._run.records()

    def observed(self) -> JsonObject:
        """When it ran, and how often the model was called."""
        return self._observed

    def save(
        self,
        directory: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        sign: SigningKey | str | os.PathLike[str] | None = None,
    ) -> SavedCheck:
        """Write a run directory like every other, with plan, records and report.

        The arguments are those of :func:`robust.app.check_runs.save_check`.

        Raises:
            DataError: something cannot be written as JSON, or the key is none.
            UsageError: the folder holds a finished run or other files, or cannot be written.
        """
        from robust.app.check_runs import save_check

        return save_check(self, directory, overwrite=overwrite, sign=sign)

    def __repr__(self) -> str:
        return f"<PopulationResult {self.message}>"


def invariance(
    model: Any,
    data: Any,
    transformation: Transformation,
    *,
    slicing: Any = None,
    threshold: float = 0.5,
    method: Literal["proportion", "equivalence"] = "proportion",
    test: Statistic | None = None,
    window: float | None = None,
    relative: bool = False,
    output_sensitivity: float = 0.1,
    abs_tol: float = 0.0,
    label: Any = None,
    classes: Any = None,
    task: Task | None = None,
    alpha: float = 0.05,
    groups: Any = None,
    ids: Any = None,
    oracle: Validator | AskedOracle | str | None = None,
    seed: int = 0,
) -> PopulationResult:
    """Test whether a model's output stays when rows are changed.

    ``proportion`` passes when the share of changed rows whose output stays is at least ``threshold``: the same label,
    or |p′−p| ≤ max(abs_tol, output_sensitivity · |p|). ``equivalence`` passes when two one-sided tests show that the
    mean (``test="t"``) or pseudo-median (``test="wilcoxon"``) change lies within ±window/2, and the share of rows that
    stay by themselves is at least ``threshold`` as well, so that opposite changes cannot cancel. No difference test is
    offered: one that does not reject shows nothing.

    Args:
        model: a function of rows, or an object with ``predict`` or ``predict_proba``. It is called with at most 200,000
            rows at once, a copy of the kind that ``data`` is, and only with rows that were changed.
        data: an array (of one or two dimensions, or named fields), a list of dictionaries, a list of texts, or a data
            frame or series (pandas, polars, arrow; these take the extra ``frames``). It is never changed.
        transformation: one of :mod:`robust.column_edits`, or a function of a copy of the rows that returns them
            changed, in their order. Its attribute ``preserves`` is recorded where it is text.
        slicing: which rows are looked at: a mask, or a function of a copy of the rows that gives one.
        threshold: above 0, at most 1.
        method: see above.
        test: of equivalence; ``t`` by default.
        window: of equivalence: the full width, in the unit of the output or, with ``relative``, as a share of the mean
            absolute output before the change.
        relative: see ``window``.
        output_sensitivity: of the row rule, as a share of the output before.
        abs_tol: of the row rule, in the unit of the output.
        label: the class whose probability is looked at instead of the label; means take one for every classifier.
        classes: of a model that gives probabilities and has no ``classes_``: the classes in the order of its columns.
        task: ``classification`` or ``regression``, where whole numbers as outputs do not tell.
        alpha: of each one-sided test; intervals are at 1 − 2·alpha.
        groups: a column's name or a value for each row. Groups are then the units: one stays if all of its changed rows
            do, and its change is their mean.
        ids: a column's name or a value for each row, on which the random part of an edit depends; by default positions.
        oracle: judges every changed row as a candidate, over two cases; only what it calls valid counts.
        seed: of the transformation.

    Raises:
        UsageError: a combination that shows nothing, a value out of its range, a class that the model does not have.
        DataError: data, a transformation's rows, or a model's outputs are not what they must be.
        CaseError: the oracle cannot be called.
    """
    return _tested("invariance", locals())


def increasing(
    model: Any,
    data: Any,
    transformation: Transformation,
    *,
    slicing: Any = None,
    threshold: float = 0.5,
    method: Directed = "proportion",
    output_sensitivity: float = 0.0,
    abs_tol: float = 0.0,
    label: Any = None,
    classes: Any = None,
    task: Task | None = None,
    alpha: float = 0.05,
    groups: Any = None,
    ids: Any = None,
    oracle: Validator | AskedOracle | str | None = None,
    seed: int = 0,
) -> PopulationResult:
    """Test whether a model's output increases when rows are changed.

    ``proportion`` passes when the share of changed rows whose output becomes larger by more than
    max(abs_tol, output_sensitivity · |p|) is at least ``threshold``; both are 0 by default, so that any move counts.
    ``t_test`` and ``wilcoxon`` pass when the one-sided paired test of the change has p < alpha;
    ``mcnemar`` when the exact test of the rows that move to the label against those that move from it has. The row
    level is given beside each of them.

    The arguments are those of :func:`invariance`. A number is the output of a regression model, or the probability of
    ``label``; ``mcnemar`` looks at labels, and ``label`` names the one that rows are to move to. The tests take
    every change as it is: ``output_sensitivity`` and ``abs_tol`` then decide about the row level alone, and of labels
    about nothing.

    Raises:
        UsageError: see :func:`invariance`.
        DataError: see :func:`invariance`.
        CaseError: see :func:`invariance`.
    """
    return _tested("increasing", locals())


def decreasing(
    model: Any,
    data: Any,
    transformation: Transformation,
    *,
    slicing: Any = None,
    threshold: float = 0.5,
    method: Directed = "proportion",
    output_sensitivity: float = 0.0,
    abs_tol: float = 0.0,
    label: Any = None,
    classes: Any = None,
    task: Task | None = None,
    alpha: float = 0.05,
    groups: Any = None,
    ids: Any = None,
    oracle: Validator | AskedOracle | str | None = None,
    seed: int = 0,
) -> PopulationResult:
    """Test whether a model's output decreases when rows are changed: see :func:`increasing`, the other way round.

    Raises:
        UsageError: see :func:`invariance`.
        DataError: see :func:`invariance`.
        CaseError: see :func:`invariance`.
    """
    return _tested("decreasing", locals())


def _tested(test: TestName, given: dict[str, Any]) -> PopulationResult:
    """Run a test with the arguments of a public function."""
    method: Method = given["method"]
    if given["task"] not in (None, "classification", "regression"):
        message = f"must be 'classification' or 'regression', not {given['task']!r}"
        raise UsageError.of("bad_population_test", message, path="task")
    settings = population_terms(
        test,
        method=method,
        statistic=given.get("test"),
        threshold=given["threshold"],
        window=given.get("window"),
        relative=given.get("relative", False),
        output_sensitivity=given["output_sensitivity"],
        abs_tol=given["abs_tol"],
        label=given["label"],
        alpha=given["alpha"],
        grouped=given["groups"] is not None,
        seed=given["seed"],
        oracle=None if given["oracle"] is None else oracle_name(given["oracle"]),
    )
    described = described_transformation(given["transformation"])
    slicing = given["slicing"]
    model = model_name(given["model"])
    plan = population_plan(
        settings,
        name=f"{test} of {model}",
        transformation=described,
        slicing=None if slicing is None else function_name(slicing) if callable(slicing) else "mask",
        model=model,
    )
    taken = ("model", "data", "transformation", "slicing", "classes", "task", "groups", "ids", "oracle")
    started = _now()
    run = run_population(settings, Request(described=described, **{name: given[name] for name in taken}))
    outcome = judge_population(settings, run.evidence)
    members = {each.name: getattr(outcome, each.name) for each in fields(outcome)}
    observed = {"started_at": started, "finished_at": _now(), "calls": run.calls}
    return PopulationResult(**members, _plan=plan, _run=run, _observed=observed)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


__all__ = ["PopulationResult", "column_edits", "decreasing", "increasing", "invariance"]
