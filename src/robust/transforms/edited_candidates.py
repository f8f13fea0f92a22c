"""From a case and a strategy to candidates: everything that is not edited is kept, and no answer is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, Literal, TypeAlias, get_args

from robust.canon import JsonObject, canonical_bytes, describe, key_of, within_part_depth
from robust.errors import CaseError, DataError
from robust.records.case import Case, Origin, Relation, relation_problem
from robust.records.failure import describe_exception
from robust.records.redaction import redact_metadata
from robust.transforms.strategy import Edit, Strategy, strategy_stream
from robust.transforms.text_leaf import leaf_path, text_at_leaf, text_leaf, with_text_at_leaf

# Why there is no candidate.
Refusal: TypeAlias = Literal["unchanged", "duplicate", "not_applicable"]
REFUSALS: Final[tuple[Refusal, ...]] = get_args(Refusal)
# How often a stream is drawn from until it gives what was not there before.
_DRAWS: Final = 16


class EditedCandidates:
    """The candidates of one case.

    Args:
        base: the case; it must not be a variant itself.
        seed: what the random streams begin with.
        field: of an object input, the key of its text.
        name: gives a candidate's id from strategy and index.
    """

    def __init__(self, base: Case, *, seed: int, field: str | None, name: Callable[[str, int], str]) -> None:
        self._base = base
        self._seed = seed
        self._name = name
        self._leaf = text_leaf(base.input, field)
        self._text = "" if self._leaf is None else text_at_leaf(base.input, self._leaf)
        self._content = base.content_digest
        self._made: set[bytes] = set()

    @property
    def has_text(self) -> bool:
        """Whether there is a text to edit."""
        return self._leaf is not None

    def of(self, strategy: Strategy, count: int) -> Iterator[Case | Refusal]:
        """The candidates of a strategy, for each index one, or the reason why there is none.

        A candidate depends on seed, strategy, case and index only, whatever other strategies are there: what a lower
        index gave is not given again, and of two equal texts of two strategies the later one is a duplicate.

        Raises:
            CaseError: the strategy fails, or gives what is no edit.
        """
        own = {key_of(self._text)}
        for index in range(count):
            drawn = self._draw(strategy, index, own)
            if not isinstance(drawn, Edit):
                yield drawn
                continue
            key = key_of(drawn.text)
            own.add(key)
            if key in self._made:
                yield "duplicate"
                continue
            self._made.add(key)
            yield self._candidate(strategy, index, drawn)

    def _draw(self, strategy: Strategy, index: int, own: set[bytes]) -> Edit | Refusal:
        if self._leaf is None:
            return "not_applicable"
        stream = strategy_stream(self._seed, strategy.name, self._base.case_id, index)
        refusal: Refusal = "unchanged"
        for _ in range(_DRAWS):
            try:
                drawn = strategy.edit(self._text, stream)
            except Exception as error:
                raise self._wrong(strategy, describe_exception(error)) from error
            if drawn is None:
                return "not_applicable"
            if not _is_edit(drawn):
                raise self._wrong(strategy, f"it gave {describe(drawn)}, not an Edit of params, text and relation")
            if problem := _not_portable(drawn):
                raise self._wrong(strategy, f"its edit cannot be stored: {problem}")
            if key_of(drawn.text) not in own:
                return drawn
            if drawn.text != self._text:
                refusal = "duplicate"
        return refusal

    def _candidate(self, strategy: Strategy, index: int, edit: Edit) -> Case:
        assert self._leaf is not None  # noqa: S101 - as there was something to edit
        base = self._base
        params = redact_metadata(dict(edit.params))
        if self._leaf:
            params = {**params, "path": leaf_path(self._leaf)}
        return candidate_of(
            base,
            with_text_at_leaf(base.input, self._leaf, edit.text),
            case_id=self._name(strategy.name, index),
            content=self._content,
            transform=strategy.name,
            params=params,
            seed=self._seed,
            index=index,
            relation=edit.relation or strategy.relation,
        )

    def _wrong(self, strategy: Strategy, message: str) -> CaseError:
        where = f"case {self._base.case_id!r}"
        return CaseError.of("bad_strategy", f"the strategy {strategy.name!r} failed: {message}", path=where)


def candidate_of(
    base: Case,
    shown: str | JsonObject,
    *,
    case_id: str,
    content: str,
    transform: str,
    params: JsonObject,
    seed: int | None,
    index: int,
    relation: Relation | None,
) -> Case:
    """A candidate: the base with another input, without its answer, and with where it comes from.

    Args:
        base: what it is made from; source group, metadata and media stay.
        shown: the other input.
        case_id: its own id.
        content: the content digest of the base.
        transform: what made it.
        params: what was done.
        seed: what the random stream began with; None where that is not known.
        index: which one of its kind it is, from 0.
        relation: what is supposed about the two answers.

    Raises:
        CaseError: a field is wrong.
    """
    origin = Origin(
        parent_id=base.case_id,
        parent_content=content,
        transform=transform,
        params=params,
        seed=seed,
        index=index,
        relation=relation,
    )
    return replace(base, input=shown, expected=None, case_id=case_id, origin=origin)


def _is_edit(drawn: object) -> bool:
    return (
        isinstance(drawn, Edit)
        and type(drawn.text) is str
        and type(drawn.params) is dict
        and (drawn.relation is None or relation_problem(drawn.relation, "relation") is None)
    )


def _not_portable(edit: Edit) -> str | None:
    """Why an edit cannot be a part of a record; None where it can."""
    try:
        encoded = canonical_bytes({"params": edit.params, "text": edit.text})
    except DataError as error:
        return str(error)
    return None if within_part_depth(encoded) else "its params are nested too deep"
