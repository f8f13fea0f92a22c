"""Candidates from cases: by strategies, streamed, counted, and written into a file."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypeAlias, TypedDict, Unpack

from robust.app.base_cases import check_drawing, shelve
from robust.app.candidate_files import check_outputs, write_candidates
from robust.canon import JsonObject, describe
from robust.errors import UsageError
from robust.records.case import Case, Relation
from robust.records.replacement import Replacement, replacement_problems
from robust.render.plain import plural
from robust.store.replacements import read_replacements
from robust.store.shelf import CaseShelf
from robust.transforms.candidate_ids import candidate_id, id_words
from robust.transforms.edited_candidates import REFUSALS, EditedCandidates
from robust.transforms.strategies import (
    ABOUT,
    BUILT_IN,
    DEFAULT_RELATION,
    REWRITES,
    SETS,
    SYNONYMS,
    TABLES,
    strategies_named,
)
from robust.transforms.strategies import rewrites as rewrites_of
from robust.transforms.strategies import synonyms as synonyms_of
from robust.transforms.strategy import Strategy

SCHEMA: Final = "robust.generation/1"
MAX_PER_CASE: Final = 10_000
_LEAST_CELLS: Final = 2
# A file, or rows: from, to and perhaps a relation, or replacements.
Table: TypeAlias = "str | os.PathLike[str] | Iterable[Replacement | tuple[str, str] | tuple[str, str, Relation | None]]"


class GenerationSettings(TypedDict, total=False):
    """The keywords of :func:`generate_variants`, where they are explained."""

    strategies: Iterable[str | Strategy]
    seed: int
    per_case: int
    text_field: str | None
    split: str | None
    rewrites: Table | None
    synonyms: Table | None


class Generation(Iterator[Case]):
    """Candidates, one by one, and how many there were so far.

    All cases are read before the first candidate is made, so that a broken row is found at once; they are put aside in
    a temporary file, and in memory is nothing but a digest of each id. Use it as a context manager, or read it to its
    end, to let go of that file.

    Attributes:
        strategies: what is used, in the order in which each case goes through them.
    """

    def __init__(
        self, shelf: CaseShelf, strategies: Sequence[Strategy], *, seed: int, per_case: int, text_field: str | None
    ) -> None:
        self.strategies = tuple(strategies)
        self._shelf = shelf
        self._settings: JsonObject = {"seed": seed, "per_case": per_case, "text_field": text_field}
        self._counts = {each.name: dict.fromkeys(("generated", *REFUSALS), 0) for each in self.strategies}
        self._cases = self._without_text = 0
        self._candidates = self._made(seed, per_case, text_field)

    def _made(self, seed: int, per_case: int, text_field: str | None) -> Generator[Case, None, None]:
        words = id_words(each.name for each in self.strategies)
        with self._shelf as shelf:
            for base in shelf:

                def name(strategy: str, index: int, parent: str = base.case_id) -> str:
                    return candidate_id(parent, words[strategy], index, shelf.__contains__)

                candidates = EditedCandidates(base, seed=seed, field=text_field, name=name)
                self._cases += 1
                self._without_text += not candidates.has_text
                for strategy in self.strategies:
                    counts = self._counts[strategy.name]
                    for made in candidates.of(strategy, per_case):
                        if isinstance(made, Case):
                            counts["generated"] += 1
                            yield made
                        else:
                            counts[made] += 1

    def __next__(self) -> Case:
        return next(self._candidates)

    @property
    def report(self) -> JsonObject:
        """What was done so far, as plain data.

        ``strategies`` has, for each one, its ``relation`` and how many candidates were ``generated``, how many edits
        left the text ``unchanged``, were a ``duplicate`` of another candidate of the case, or ``not_applicable``: for
        each case that was worked on, as many in all as were wanted. ``without_text`` counts cases in which there is no
        text, or no single one.
        """
        strategies = [
            {"name": each.name, "relation": each.relation, **self._counts[each.name]} for each in self.strategies
        ]
        return {
            "schema": SCHEMA,
            **self._settings,
            "cases": self._cases,
            "without_text": self._without_text,
            "candidates": sum(counts["generated"] for counts in self._counts.values()),
            "strategies": strategies,
        }

    def close(self) -> None:
        """Stop, and let go of what was put aside."""
        self._candidates.close()
        self._shelf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def generate_variants(
    cases: str | os.PathLike[str] | Iterable[Case],
    *,
    strategies: Iterable[str | Strategy] = (),
    seed: int = 0,
    per_case: int = 1,
    text_field: str | None = None,
    split: str | None = None,
    rewrites: Table | None = None,
    synonyms: Table | None = None,
) -> Generation:
    """Make candidates of cases: transformed cases whose right answers nobody knows yet.

    A candidate keeps its base's source group, metadata and media, and has no expected answer. Its ``origin`` says what
    it was made from and how, and what is supposed about its answer: nothing is known before an oracle has judged it.
    The same seed, strategy, case and index always give the same candidate.

    Args:
        cases: base cases, or a file of them: a data set, stored cases, or a manifest.
        strategies: names of built-in ones, of sets (``typos``, ``all``), or objects of one's own.
        seed: what the random streams begin with.
        per_case: how many candidates each strategy is to make of each case.
        text_field: of object inputs, the key of the text. Without it an object must have exactly one text.
        split: of a manifest, the split whose cases are taken; all by default.
        rewrites: rows of ``from`` and ``to``, or a file of them, taken to the letter.
        synonyms: likewise, found in any letter case.

    Returns:
        the candidates, as an iterator, with counts in ``.report``.

    Raises:
        UsageError: a file cannot be read, or a strategy or a setting is wrong.
        DataError: a row is wrong, or an id stands twice.
        CaseError: a case is wrong or a variant itself; while iterating: a strategy of one's own fails.
        IntegrityError: a manifest is damaged.
    """
    check_drawing(seed, per_case, text_field, most=MAX_PER_CASE)
    tables = [
        make(_rows(table, name))
        for name, make, table in ((REWRITES, rewrites_of, rewrites), (SYNONYMS, synonyms_of, synonyms))
        if table is not None
    ]
    if isinstance(strategies, str):
        strategies = (strategies,)
    chosen = strategies_named(strategies, tables)
    return Generation(shelve(cases, split=split), chosen, seed=seed, per_case=per_case, text_field=text_field)


def generate_file(
    cases: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str],
    report: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    **settings: Unpack[GenerationSettings],
) -> JsonObject:
    """Write the candidates of a file of cases into a file, one stored case a line.

    Args:
        cases: a data set, stored cases, or a manifest.
        output: the file to write; it appears when the last candidate is made.
        report: a file for the report.
        overwrite: whether these files may be replaced.
        settings: the other keywords of :func:`generate_variants`.

    Returns:
        the report.

    Raises:
        RobustError: see :func:`generate_variants`; also where a file cannot be written, and where there would be no
            candidate at all.
    """
    tables = (settings.get("rewrites"), settings.get("synonyms"))
    check_outputs((cases, *(table for table in tables if isinstance(table, str | os.PathLike))), (output, report))
    with generate_variants(cases, **settings) as made:
        write_candidates(made, output, report, overwrite=overwrite, nothing=_why_nothing)
        return made.report


def known_strategies() -> list[JsonObject]:
    """Every strategy, and every set of them: ``name``, ``relation`` (None of a set) and ``about``."""
    relations = {name: each.relation for name, each in BUILT_IN.items()} | dict.fromkeys(TABLES, DEFAULT_RELATION)
    listed = [{"name": name, "relation": relations[name], "about": about} for name, about in ABOUT.items()]
    sets = [
        {"name": name, "relation": None, "about": ", ".join(names)} for name, names in SETS.items() if name != "all"
    ]
    return [*listed, *sets, {"name": "all", "relation": None, "about": "every one that needs no table"}]


def _why_nothing(report: JsonObject) -> UsageError:
    names = ", ".join(strategy["name"] for strategy in report["strategies"])
    message = f"no candidate could be made of {plural(report['cases'], 'case')} by {names}"
    hint = "the report counts why; use other strategies"
    if report["without_text"]:
        have = "has" if report["without_text"] == 1 else "have"
        message += f"; {plural(report['without_text'], 'case')} {have} no text, or more than one"
        hint = "name the key of the text with --text-field (text_field)"
    return UsageError.of("no_candidates", message, hint=hint)


def _rows(table: Table, name: str) -> list[Replacement]:
    """The rows of a file, or given as they are."""
    if isinstance(table, str | os.PathLike):
        return read_replacements(table)
    if not isinstance(table, Iterable):
        message = f"must be a file, or rows of from and to, not {describe(table)}"
        raise UsageError.of("bad_table", message, path=name)
    rows: list[Replacement] = []
    for index, row in enumerate(table):
        if not isinstance(row, tuple | list) or not _LEAST_CELLS <= len(row) <= len(Replacement._fields):
            message = f"must be from, to and perhaps a relation, not {describe(row)}"
            raise UsageError.of("bad_table", message, path=f"{name}[{index}]")
        made = Replacement(*row)
        problems = replacement_problems(made.find, made.replace, made.relation)
        if wrong := [replace(problem, path=f"{name}[{index}].{problem.path}") for problem in problems]:
            raise UsageError(*wrong)
        rows.append(made)
    return rows
