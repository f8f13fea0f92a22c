"""From ``properties.paraphrase.source`` of a contract to a paraphraser: built-in ones, and those of installed packages.

A package brings a paraphraser by an entry point in the group ``robust.paraphrasers``, whose name is the ``provider``::

    [project.entry-points."robust.paraphrasers"]
    my-words = "my_package:make_paraphraser"

It names a :class:`ParaphraserFactory`. The names of built-in providers cannot be taken.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final, Protocol

from robust.backends.plugins import PluginGroup
from robust.canon import MAX_PART_DEPTH, JsonObject, plain_parts
from robust.errors import UsageError
from robust.records.contract import Contract
from robust.records.paraphrase import ParaphraseRequest, Paraphrases
from robust.records.paraphrase_source import (
    BUILT_IN,
    FileSource,
    IdentitySource,
    OpenAISource,
    ParaphraseSource,
)
from robust.records.seams import Paraphraser
from robust.store.paraphrases import ParaphraseFile

PATH: Final = "properties.paraphrase.source"
ENTRY_POINT_GROUP: Final = "robust.paraphrasers"
_PLUGINS: Final = PluginGroup(name=ENTRY_POINT_GROUP, what="paraphraser", built_in=tuple(BUILT_IN))
# What is wrong with the path itself, as opposed to what stands in the file.
_PATH_CODES: Final = frozenset(("unreadable", "bad_path"))


class ParaphraserFactory(Protocol):
    """What an entry point in the group ``robust.paraphrasers`` names: makes a paraphraser, without calling anybody."""

    def __call__(self, settings: JsonObject, *, folder: PurePath) -> Paraphraser:
        """Make a paraphraser.

        Args:
            settings: every key of the contract's ``source`` but ``provider``, as plain JSON; to be checked here, and
                anything wrong to be raised as a :class:`BackendError` or any other exception.
            folder: what paths in the contract are relative to.
        """
        ...


class FileParaphraser:
    """Looks paraphrases up in a file: by the case's id, else by its text.

    Args:
        rows: the file, read; closed with the paraphraser.
    """

    inline = True

    def __init__(self, rows: ParaphraseFile) -> None:
        self._rows = rows

    @property
    def provenance(self) -> JsonObject:
        """The file's name and the digest of its bytes."""
        return {"provider": "file", "name": self._rows.name, "sha256": self._rows.sha256}

    def paraphrase(self, request: ParaphraseRequest) -> Paraphrases:
        """The first ``samples`` paraphrases of the case's row, and the row's line; none where it has no row."""
        found = self._rows.find(request.case_id, request.text)
        if found is None:
            return Paraphrases(texts=(), provenance=self.provenance)
        return Paraphrases(texts=found.texts[: request.samples], provenance={**self.provenance, "line": found.line})

    def close(self) -> None:
        """Let go of what was read."""
        self._rows.close()

    async def aclose(self) -> None:
        """The same, as every paraphraser may have it."""
        self.close()


def build_paraphraser(
    contract: Contract, config: ParaphraseSource, folder: str | os.PathLike[str]
) -> Paraphraser | None:
    """Build the paraphraser that a source configures. Nobody is called, and no credential is read.

    A file is read and checked whole. What has an ``aclose`` must be closed by whoever built it.

    Args:
        contract: the contract.
        config: the ``source`` of its property ``paraphrase``.
        folder: what paths in the contract are relative to.

    Returns:
        The paraphraser; None for ``identity``, which asks the same input again and needs none.

    Raises:
        UsageError: the file cannot be read.
        DataError: the file is wrong; names its line.
        BackendError: a setting cannot be used, or a package does not bring what is named.
    """
    if isinstance(config, IdentitySource):
        return None
    if isinstance(config, FileSource):
        return FileParaphraser(_open(config, PurePath(folder)))
    if isinstance(config, OpenAISource):
        # It loads HTTP, which a contract without it never needs.
        from robust.backends.openai_paraphraser import OpenAIParaphraser

        return OpenAIParaphraser(config, path=PATH, max_connections=contract.evaluation.max_concurrency)

    def call(factory: ParaphraserFactory) -> Paraphraser:
        return factory(config.settings, folder=PurePath(folder))

    made: Paraphraser = _PLUGINS.make(config.provider, call, _what_is_wrong, path=PATH)
    return made


def check_paraphraser(contract: Contract, config: ParaphraseSource, folder: str | os.PathLike[str]) -> None:
    """Build a paraphraser to see that it can be, and let go of it; see :func:`build_paraphraser`.

    Raises:
        RobustError: as there.
    """
    built = build_paraphraser(contract, config, folder)
    if isinstance(built, FileParaphraser):
        built.close()


def _open(config: FileSource, folder: PurePath) -> ParaphraseFile:
    try:
        return ParaphraseFile(folder / config.path)
    except UsageError as error:
        problems = error.problems
    placed = (replace(each, path=f"{PATH}.path") if each.code in _PATH_CODES else each for each in problems)
    raise UsageError(*placed)


def _what_is_wrong(made: Any) -> str | None:
    if not isinstance(made, Paraphraser) or not callable(made.paraphrase):
        return "which has no provenance and paraphrase of a paraphraser"
    provenance, refused = plain_parts(made.provenance, max_depth=MAX_PART_DEPTH)
    if refused or not isinstance(provenance, dict) or not isinstance(provenance.get("provider"), str):
        return "whose provenance is no JSON object with a provider"
    return None
