"""What an HTML report is made of: plain data, whose texts are never markup.

A report is a :class:`Page`. All of its texts may hold anything that a file can hold: they are made visible and escaped
where the page is written, see :mod:`robust.render.html_page`. Only an :class:`Svg` is taken as it stands; the functions
of ``render/svg_*.py`` make them, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

Tone: TypeAlias = Literal["good", "bad", "warn", "open", "plain"]
PieceKind: TypeAlias = Literal["same", "gone", "come", "left"]
# Of a page: more of them could not be searched without waiting.
MOST_ITEMS: Final = 1000


class Svg(str):
    """A drawing as an ``<svg>`` element, whose texts were escaped by who drew it."""

    __slots__ = ()


class Fact(NamedTuple):
    """A name and what stands for it.

    Attributes:
        name: of it.
        text: what it is.
        code: whether it is a digest, an id or a command, and shown in letters of one width.
    """

    name: str
    text: str
    code: bool = False


class Check(NamedTuple):
    """A check as a row of the first table.

    Attributes:
        name: of the check.
        level: ``requirement`` or ``warning``.
        tone: how it is marked.
        mark: whether it holds, in a word: ``holds``, ``fails``, ``warns``, ``inconclusive``, ``noise``.
        value: what was measured.
        limit: its limit.
        interval: of the value; a dash where there is none.
        note: why it could not be decided, or what else is to be said.
    """

    name: str
    level: str
    tone: Tone
    mark: str
    value: str
    limit: str
    interval: str
    note: str = ""


class Unshown(NamedTuple):
    """Something that the report does not show, though one could think so.

    Attributes:
        head: in a few words, such as ``12 candidates no oracle could decide``.
        text: what that means, and where to look.
    """

    head: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of texts.

    Attributes:
        head: the names of the columns; the first column names the rows.
        rows: the cells.
        right: the columns that are aligned to the right, as numbers are.
        about: what it shows, for those who do not see what stands around it.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[int] = ()
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing, what it shows in a sentence, and its numbers.

    Attributes:
        title: what is drawn.
        svg: the drawing, about 340 units wide, so that its letters can be read on a phone.
        says: what can be read off it, in words: its text alternative, and shown below it.
        table: its numbers.
        wide: whether it takes a whole row.
    """

    title: str
    svg: Svg
    says: str
    table: Table
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page with a heading.

    Attributes:
        title: the heading.
        anchor: its id in the page, of letters and hyphens; no two sections have the same.
        about: a sentence below the heading.
        figures: drawings, side by side where there is room.
        tables: below them.
        notes: sentences below them.
    """

    title: str
    anchor: str
    about: str = ""
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()


class Piece(NamedTuple):
    """A piece of a text: what stays, what went, what came, or how much is ``left`` out."""

    kind: PieceKind
    text: str


class Passage(NamedTuple):
    """A text of an item, piece by piece, under a name such as ``changed`` or ``smallest form``."""

    name: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something in a list that is searched and filtered: a failing pair, a case whose answer changed.

    Attributes:
        id: of the record.
        group: what it is filtered by, such as the name of a property.
        kind: the second thing that it is filtered by, such as ``other label``; empty for none.
        tone: how it is marked.
        head: what came of it, in a few words.
        facts: more of it.
        passages: its texts.
        command: what can be copied into a shell; empty for none.
    """

    id: str
    group: str
    head: str
    kind: str = ""
    tone: Tone = "plain"
    facts: Sequence[Fact] = ()
    passages: Sequence[Passage] = ()
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """Items with a search and filters.

    Attributes:
        title: the heading.
        anchor: its id in the page.
        about: a sentence below the heading.
        group_name: what a group is, such as ``property``.
        kind_name: what a kind is; empty where there is none.
        items: those that are listed, in the order in which they are to be read.
        count: how many there are in all.
        where: where all of them are, said where not all are listed.
        empty: said where there is none.
    """

    title: str
    anchor: str
    items: Sequence[Item]
    count: int
    about: str = ""
    group_name: str = "property"
    kind_name: str = ""
    where: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report.

    Attributes:
        title: of the document: the verdict first, then what it is of.
        of: what kind of report it is: ``Run``, ``Comparison of two runs``, ``Production records``.
        name: of the decision.
        tone: how the verdict is marked.
        verdict: in one word: ``PASS``, ``WARN``, ``FAIL``, ``ERROR``.
        sentence: the verdict in words.
        lead: what ran on what, one text per line.
        counts: a few counts below the verdict.
        checks: in the order in which they are to be read.
        checks_note: a sentence below them.
        unshown: what was not shown.
        shown_whole: said where nothing is unshown.
        sections: pictures and tables.
        items: failures or changes; None where the report has none to list.
        after: sections below the items.
        provenance: what the report rests on.
        commands: what shows it again, each with what it does.
    """

    title: str
    of: str
    name: str
    tone: Tone
    verdict: str
    sentence: str
    lead: Sequence[str]
    counts: Sequence[Fact] = ()
    checks: Sequence[Check] = ()
    checks_note: str = ""
    unshown: Sequence[Unshown] = ()
    shown_whole: str = ""
    sections: Sequence[Section] = ()
    items: ItemList | None = None
    after: Sequence[Section] = ()
    provenance: Sequence[Fact] = ()
    commands: Sequence[Fact] = ()
