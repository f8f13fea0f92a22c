"""What a relation check or a population test was to do, ``robust.plan/1``: the shape of its two kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from robust.canon import MAX_SAFE_INTEGER, JsonObject
from robust.errors import IntegrityError
from robust.records.base import Record, problems_of
from robust.records.check_report import PLAN_SCHEMA

Name = Annotated[str, Field(min_length=1)]


class _Assertion(Record):
    name: Name
    settings: dict[str, Any]


class _Relation(Record):
    name: Name
    assertion: _Assertion
    deterministic: bool
    oracle: str | None
    seed: int
    kind: str


class _CheckSettings(Record):
    samples: Annotated[int, Field(ge=0, le=MAX_SAFE_INTEGER)]
    baseline_runs: Annotated[int, Field(ge=1, le=MAX_SAFE_INTEGER)]
    alpha: Annotated[float, Field(gt=0, lt=1)]
    deterministic_system: bool
    early_stop: bool
    batch: bool


class _Plan(Record):
    schema_: Annotated[Literal["robust.plan/1"], Field(alias="schema")]
    name: str


class _RelationsPlan(_Plan):
    kind: Literal["relations"]
    settings: _CheckSettings
    relations: list[_Relation]


class _Transformation(Record):
    name: Name
    settings: dict[str, Any]
    preserves: str


class _PopulationPlan(_Plan):
    kind: Literal["population"]
    settings: dict[str, Any]
    test: Literal["invariance", "increasing", "decreasing"]
    method: Name
    transformation: _Transformation
    slicing: str | None
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationTerms:
    """What a plan says of one relation.

    Attributes:
        name: its name.
        assertion: the name of its assertion.
        settings: those of the assertion.
        deterministic: whether one sample is enough.
        oracle: who judges its variants; None for nobody.
        seed: of its random source.
    """

    name: str
    assertion: str
    settings: JsonObject
    deterministic: bool
    oracle: str | None
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTerms:
    """What a plan says of a check of relations.

    Attributes:
        samples: how many variants each relation makes at most.
        baseline_runs: how often the base is run.
        alpha: the chance of a false alarm that is accepted.
        deterministic: whether the system is declared to be deterministic.
        early_stop: whether samples are left out once no later contradiction can change a verdict.
        batch: whether there are any number of inputs, each judged by itself and all together.
        relations: in order.
    """

    samples: int
    baseline_runs: int
    alpha: float
    deterministic: bool
    early_stop: bool
    batch: bool
    relations: tuple[RelationTerms, ...]


def check_terms(plan: JsonObject) -> CheckTerms:
    """What a plan of the kind ``relations``, which was read, says."""
    settings = plan["settings"]
    return CheckTerms(
        samples=settings["samples"],
        baseline_runs=settings["baseline_runs"],
        alpha=settings["alpha"],
        deterministic=settings["deterministic_system"],
        early_stop=settings["early_stop"],
        batch=settings["batch"],
        relations=tuple(
            RelationTerms(
                name=each["name"],
                assertion=each["assertion"]["name"],
                settings=each["assertion"]["settings"],
                deterministic=each["deterministic"],
                oracle=each["oracle"],
                seed=each["seed"],
            )
            for each in plan["relations"]
        ),
    )


_SHAPES: Final[dict[object, type[_Plan]]] = {"relations": _RelationsPlan, "population": _PopulationPlan}


def read_plan(data: JsonObject, *, file: str | None = None) -> JsonObject:
    """The plan itself, if it is one.

    Raises:
        IntegrityError: something is missing, unknown or of the wrong kind; names the path.
    """
    if data.get("schema") != PLAN_SCHEMA:
        raise IntegrityError.of("unknown_schema", f"not a {PLAN_SCHEMA}", file=file, path="$.schema")
    kind = data.get("kind")
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise IntegrityError.of("wrong_value", "must be relations or population", file=file, path="$.kind")
    try:
        shape.model_validate(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file)) from None
    names = [relation["name"] for relation in data.get("relations", [])]
    twice = next((place for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        message = f"{names[twice]!r} is the name of another relation, too"[:200]
        raise IntegrityError.of("wrong_value", message, file=file, path=f"$.relations[{twice}].name")
    return data
