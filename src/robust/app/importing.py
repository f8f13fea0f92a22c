"""Candidates that something else made: rows of a table become cases with an origin, checked against their bases."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, Final, Required, Self, TypedDict, Unpack

from robust.app.base_cases import shelve
from robust.app.candidate_files import check_outputs, write_candidates
from robust.app.import_columns import Columns
from robust.app.parents import Parents
from robust.canon import JsonObject, join_path, key_of, nfc
from robust.errors import CaseError, DataError, Problem, RobustError, UsageError
from robust.records.case import Case, Relation, content_digest, relation_problem
from robust.render.plain import plural
from robust.store.tables import Place, Row, is_csv, read_rows, shown_value
from robust.transforms.candidate_ids import candidate_id, id_word
from robust.transforms.edited_candidates import candidate_of

SCHEMA: Final = "robust.import/1"
_MOST_PROBLEMS: Final = 100


class ImportSettings(TypedDict, total=False):
    """The keywords of :func:`import_candidates`, where they are explained."""

    text: Required[str]
    parent: str | None
    parent_text: str | None
    id_column: str | None
    relation: Relation | None
    relation_column: str | None
    transform: str
    transform_column: str | None
    seed_column: str | None
    params: Iterable[str]
    all_params: bool
    text_field: str | None
    split: str | None


class Import(Iterator[Case]):
    """Candidates, one by one, and how many there were so far.

    A wrong row ends the candidates but not the reading: at the end every wrong row is named, up to a hundred.
    """

    def __init__(
        self,
        parents: Parents,
        path: str | os.PathLike[str],
        columns: Columns,
        *,
        relation: Relation | None,
        transform: str,
    ) -> None:
        self._parents = parents
        self._file = os.fspath(path)
        self._columns = columns
        self._relation = relation
        self._transform = transform
        self._counts = dict.fromkeys(("rows", "candidates", "unchanged", "duplicate"), 0)
        self._numbers: dict[str, int] = {}
        self._contents: set[bytes] = set()
        self._ids: dict[bytes, Place] = {}
        self._candidates = self._made()

    def __next__(self) -> Case:
        return next(self._candidates)

    @property
    def report(self) -> JsonObject:
        """What was done so far, as plain data.

        How many ``rows`` were read, how many ``candidates`` came of them, how many were ``unchanged`` or a
        ``duplicate`` of another one of the same base, and of how many ``parents`` there are candidates.
        """
        return {"schema": SCHEMA, **self._counts, "parents": len(self._numbers)}

    def close(self) -> None:
        """Stop, and let go of the bases."""
        self._candidates.close()
        self._parents.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _made(self) -> Generator[Case, None, None]:
        problems: list[Problem] = []
        unseen = dict.fromkeys(self._columns.needed())
        with self._parents:
            for row in self._rows(tuple(unseen), problems):
                self._counts["rows"] += 1
                for name in [name for name in unseen if name in row.values]:
                    del unseen[name]
                try:
                    made = list(self._of_row(row))
                except RobustError as error:
                    line = row.place if isinstance(row.place, int) else None
                    problems += error.located(file=self._file, line=line).problems
                    if len(problems) >= _MOST_PROBLEMS:
                        break
                else:
                    if not problems:
                        yield from made
        # A header has them all, even where every cell is empty; of JSON rows each has its own keys.
        if not problems and self._counts["rows"] and not is_csv(self._file):
            problems = [
                Problem(
                    code="no_column", message=f"no row has {name!r}", file=self._file, hint="check the column's name"
                )
                for name in unseen
            ]
        if problems:
            raise DataError(*problems)

    def _rows(self, needed: tuple[str, ...], problems: list[Problem]) -> Iterator[Row]:
        """The rows as far as they can be read; what ends them is put among the problems."""
        try:
            yield from read_rows(self._file, needed=needed)
        except DataError as error:
            problems += error.problems

    def _of_row(self, row: Row) -> Iterator[Case]:
        columns = self._columns
        base = self._parents.of_row(row)
        own_id = columns.id_of(row)
        relation = columns.relation_of(row) or self._relation
        transform = columns.transform_of(row) or self._transform
        seed, params = columns.seed_of(row), columns.params_of(row)
        content, media = base.content_digest, [item.to_json() for item in base.media]
        for shown in columns.inputs_of(row, base, self._parents.text_field):
            digest = content_digest(shown, media)
            key = key_of(f"{digest} {base.case_id}")
            if digest == content or key in self._contents:
                self._counts["unchanged" if digest == content else "duplicate"] += 1
                continue
            number = self._numbers.get(base.case_id, 0)
            if own_id is None:
                case_id = candidate_id(base.case_id, id_word(transform), number, self._parents.is_taken)
            else:
                case_id = self._once(own_id, row)
            made = candidate_of(
                base,
                shown,
                case_id=case_id,
                content=content,
                transform=transform,
                params=params,
                seed=seed,
                index=number,
                relation=relation,
            )
            self._contents.add(key)
            self._numbers[base.case_id] = number + 1
            self._counts["candidates"] += 1
            yield made

    def _once(self, case_id: str, row: Row) -> str:
        first = self._ids.setdefault(key_of(nfc(case_id)), row.place)
        if first == row.place and not self._parents.is_taken(case_id):
            return case_id
        where = "is that of a base" if first == row.place else f"stands in line {first} too"
        path = join_path(row.path, self._columns.id or "")
        raise CaseError.of("duplicate_id", f"the id {case_id!r} {where}", path=path, hint="give each its own")


def import_candidates(
    bases: str | os.PathLike[str] | Iterable[Case],
    path: str | os.PathLike[str],
    *,
    text: str,
    parent: str | None = None,
    parent_text: str | None = None,
    id_column: str | None = None,
    relation: Relation | None = None,
    relation_column: str | None = None,
    transform: str = "external",
    transform_column: str | None = None,
    seed_column: str | None = None,
    params: Iterable[str] = (),
    all_params: bool = False,
    text_field: str | None = None,
    split: str | None = None,
) -> Import:
    """Take in candidates that another program, a library or a language model made.

    A column of JSON Lines is a key of its rows.

    Args:
        bases: the base cases, or a file of them: a data set, stored cases, or a manifest.
        path: the table: .jsonl, .json (a list), .csv or .tsv.
        text: the column with the candidate's text; in JSON also its whole input, or a list of several.
        parent: the column with the id of its base; or instead
        parent_text: the column with the base's text, to the character.
        id_column: the column with the candidate's own id; without it ids are made from the parent's.
        relation: what is supposed about the two right answers where no column says it; None leaves it open.
        relation_column: the column that says it.
        transform: what made the candidates where no column says it.
        transform_column: the column that says it.
        seed_column: the column with the seed that a candidate was made with.
        params: columns that are kept in ``origin.params``.
        all_params: whether every other column is kept there.
        text_field: of object inputs, the key of the text that a candidate's text replaces.
        split: of a manifest, the split of the bases; all by default.

    Returns:
        the candidates, as an iterator, with counts in ``.report``. Neither a text that is its base's own nor one that
        came before for the same base becomes a candidate; both are counted.

    Raises:
        UsageError: a file cannot be read, or a setting is wrong.
        DataError: while iterating: rows are wrong; each is named with file and line.
        RobustError: the bases are wrong, see :func:`robust.generate_variants`.
    """
    columns = Columns(
        text=text,
        parent=parent,
        parent_text=parent_text,
        id=id_column,
        relation=relation_column,
        transform=transform_column,
        seed=seed_column,
        params=tuple(params),
        all_params=all_params,
    )
    _check(columns, relation, transform)
    shelf = shelve(bases, split=split)
    parents = Parents(shelf, by_id=columns.parent, by_text=columns.parent_text, text_field=text_field)
    return Import(parents, path, columns, relation=relation, transform=transform)


def import_file(
    bases: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    output: str | os.PathLike[str],
    report: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    **settings: Unpack[ImportSettings],
) -> JsonObject:
    """Write the candidates of a table into a file, one stored case a line.

    Args:
        bases: a data set, stored cases, or a manifest.
        path: the table.
        output: the file to write; it appears when the last row is read.
        report: a file for the report.
        overwrite: whether these files may be replaced.
        settings: the other keywords of :func:`import_candidates`.

    Returns:
        the report.

    Raises:
        RobustError: see :func:`import_candidates`; also where a file cannot be written, and where there would be no
            candidate at all.
    """
    check_outputs((bases, path), (output, report))
    with import_candidates(bases, path, **settings) as made:
        write_candidates(made, output, report, overwrite=overwrite, nothing=lambda found: _why_nothing(found, path))
        return made.report


def _why_nothing(report: JsonObject, path: str | os.PathLike[str]) -> UsageError:
    message = f"no candidate came of {plural(report['rows'], 'row')}; unchanged from their base: {report['unchanged']}"
    return UsageError.of("no_candidates", message, file=os.fspath(path), hint="check which column has the text")


def _check(columns: Columns, relation: Any, transform: Any) -> None:
    if (columns.parent is None) == (columns.parent_text is None):
        message = "a base is found by its id or by its text: name one column for it"
        raise UsageError.of("no_parent_column", message, path="columns", hint="use --parent or --parent-text")
    if relation is not None and (problem := relation_problem(relation, "relation")):
        raise UsageError(problem)
    if not isinstance(transform, str) or not transform:
        raise UsageError.of("bad_transform", f"must be non-empty text, not {shown_value(transform)}", path="transform")
