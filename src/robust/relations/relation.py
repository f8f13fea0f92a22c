"""A metamorphic relation: how an input is changed, and what must then be true of the two outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from robust.canon import MAX_SAFE_INTEGER, SeededRandom, canonical_bytes, describe
from robust.errors import UsageError
from robust.relations.assertions import Assertion, as_assertion
from robust.relations.stored_value import detached, digest_of

Takes: TypeAlias = Literal["input", "input and source", "input and named source"]
MAX_NAME: Final = 256
# A second parameter of one of these names is given a random source even where it has a default.
_SOURCE_NAMES: Final = ("rng", "random", "random_source")
_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class NotApplicable(Exception):
    """Raised by a transform for an input that it has nothing to change in: the sample is skipped, with the reason.

    Args:
        reason: why, in a few words.
    """

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = str(reason)


@dataclass(frozen=True)
class Relation:
    """What must stay true of a system's output when its input is changed in a known way.

    Attributes:
        name: what reports call it; 1–256 characters, and another one for each relation of a check.
        transform: makes a variant of an input: ``transform(input)``, or ``transform(input, random)`` with a
            :class:`random.Random` whose numbers depend on the seed, the name, the input and the number of the sample
            alone. A second parameter gets the source if it is called ``rng``, ``random`` or ``random_source``, or has
            no default. The input is a copy. It may raise :class:`NotApplicable`.
        assertion: an :class:`Assertion`, or a function ``(before, after)`` that gives True or False.
        deterministic: whether the transform makes one variant only, so that one sample is enough.
        oracle: whoever judges, over two cases, whether a variant is valid; only valid ones are tried.
        seed: of the random source.
        shrink: simpler variants than one that was found, simplest first: ``shrink(base, variant)``.
        kind: what is claimed between the two right answers; what an oracle is told.
        judged_by: the assertion, also where a function was given.
        takes: what the transform is called with.

    Raises:
        UsageError: a member is not what it must be.
    """

    name: str
    transform: Callable[..., Any]
    assertion: Assertion | Callable[[Any, Any], Any]
    deterministic: bool = False
    oracle: Any = None
    seed: int = 0
    shrink: Callable[[Any, Any], Iterable[Any]] | None = field(default=None, kw_only=True)
    kind: Literal["invariant", "counterfactual", "increasing", "decreasing"] = field(default="invariant", kw_only=True)
    judged_by: Assertion = field(init=False, repr=False, compare=False)
    takes: Takes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if type(self.name) is not str or not 1 <= len(self.name) <= MAX_NAME or not self.name.isprintable():
            raise _wrong("name", f"text of 1 to {MAX_NAME} printable characters", self.name)
        if not callable(self.transform):
            raise _wrong("transform", "a function of an input", self.transform)
        if type(self.deterministic) is not bool:
            raise _wrong("deterministic", "True or False", self.deterministic)
        if type(self.seed) is not int or abs(self.seed) > MAX_SAFE_INTEGER:
            raise _wrong("seed", "an integer within ±(2^53−1)", self.seed)
        if self.shrink is not None and not callable(self.shrink):
            raise _wrong("shrink", "a function of base and variant", self.shrink)
        if isinstance(self.oracle, str) and ":" not in self.oracle:
            hint = "give the oracle itself, as robust.preserves(...), or text as module:name"
            raise UsageError.of("bad_relation", f"{self.oracle[:80]!r} names no oracle", path="oracle", hint=hint)
        if self.kind not in ("invariant", "counterfactual", "increasing", "decreasing"):
            raise _wrong("kind", "invariant, counterfactual, increasing or decreasing", self.kind)
        object.__setattr__(self, "judged_by", as_assertion(self.assertion))
        object.__setattr__(self, "takes", what_it_takes(self.transform))

    def __repr__(self) -> str:
        told = [repr(self.name), f"assertion={self.judged_by.name!r}"]
        told += ["deterministic=True"] if self.deterministic else []
        told += [] if self.oracle is None else ["oracle=…"]
        told += [f"seed={self.seed}"] if self.seed else []
        return f"Relation({', '.join(told)})"

    def apply(self, given: Any, source: Callable[[], SeededRandom]) -> Any:
        """The variant of an input that the transform may change in place.

        Args:
            given: the input.
            source: makes the random source; only called where the transform takes one.
        """
        if self.takes == "input":
            return self.transform(given)
        if self.takes == "input and source":
            return self.transform(given, source())
        return self.transform(given, **{source_name(self.transform): source()})

    def variant(self, base_input: Any, sample: int = 0, *, seed: int | None = None) -> Any:
        """The variant of a sample, as a check makes it.

        Args:
            base_input: the input; it is not changed.
            sample: the number of the sample, from 0.
            seed: instead of the relation's own.

        Raises:
            NotApplicable: there is nothing to change in it.
            DataError: the input can be neither stored nor copied.
        """
        prefix = source_prefix(self.name, self.seed if seed is None else seed, digest_of(base_input))
        return self.apply(detached(base_input), lambda: SampleSource(prefix).of(sample))


def source_prefix(name: str, seed: int, input_digest: str) -> bytes:
    """What the parts of the random sources of all samples of an input begin with."""
    return canonical_bytes(["robust.relation/1", seed, name, input_digest])[:-1] + b","


class SampleSource:
    """The random sources of all samples of a relation on one input: one object, started anew for each of them.

    Args:
        prefix: what :func:`source_prefix` gave.
    """

    __slots__ = ("_prefix", "_source")

    def __init__(self, prefix: bytes) -> None:
        self._prefix = prefix
        # Started for each sample.
        self._source = SeededRandom.__new__(SeededRandom)

    def of(self, sample: int) -> SeededRandom:
        """The random source of one sample; it is another one's as soon as that is asked for."""
        self._source.start(self._prefix + b"%d]" % sample)
        return self._source


def what_it_takes(transform: Callable[..., Any]) -> Takes:
    """Whether a transform takes a random source, as its signature tells; one that has none takes the input alone.

    Raises:
        UsageError: it cannot be called with an input, or needs more than that and a source.
    """
    parameters = _parameters(transform)
    if parameters is None:
        return "input"
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    needed = [each for each in positional if each.default is inspect.Parameter.empty]
    named = [
        each.name
        for each in parameters
        if each.kind is inspect.Parameter.KEYWORD_ONLY
        and (each.default is inspect.Parameter.empty or each.name in _SOURCE_NAMES)
    ]
    takes_any = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    if len(needed) > 2 or not (positional or takes_any) or any(name not in _SOURCE_NAMES for name in named):
        hint = "write transform(input) or transform(input, random)"
        raise UsageError.of("bad_relation", "the transform cannot be called with an input", path="transform", hint=hint)
    if len(positional) > 1 and (len(needed) == 2 or positional[1].name in _SOURCE_NAMES):
        return "input and source"
    return "input and named source" if named else "input"


def source_name(transform: Callable[..., Any]) -> str:
    """What a transform calls the source that it takes by keyword."""
    names = [each.name for each in _parameters(transform) or () if each.kind is inspect.Parameter.KEYWORD_ONLY]
    return next(name for name in names if name in _SOURCE_NAMES)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None  # written in C, without a signature


def _wrong(name: str, wanted: str, found: object) -> UsageError:
    shown = repr(found) if isinstance(found, str | int | float) else describe(found)
    return UsageError.of("bad_relation", f"must be {wanted}, not {shown[:80]}", path=name)
