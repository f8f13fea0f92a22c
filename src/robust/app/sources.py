"""Where a run's cases come from: a data set, cases from Python, or one split of a manifest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from robust.app.manifests import Manifest
from robust.canon import JsonObject, canonical_bytes
from robust.errors import DataError, IntegrityError, UsageError
from robust.manifest.frozen import FrozenManifest
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.manifest import CaseEntry
from robust.run.pieces import CaseSetDigest, lines_of_columns, pieces_of_case
from robust.run.plan import CaseSource, LabelCheck, check_labels, plan_bases
from robust.store.datasets import case_of_row, read_dataset_rows, unique_cases
from robust.store.files import file_digest
from robust.store.plain_rows import PlainRows
from robust.store.spool import LineSpool


class DatasetSource:
    """Cases that are read once and put aside: what is run is what was checked, whatever becomes of the file.

    All of them are read when the source is made, so that a broken row is found before anything is asked; in memory
    nothing is kept but their ids and digests.
    """

    def __init__(self, cases: Iterable[Case | PlainRows], name: str, sha256: str | None, contract: Contract) -> None:
        self._lines = LineSpool()
        self._digest = CaseSetDigest()
        self._name = name
        check = LabelCheck(contract, name)
        try:
            for case in cases:
                if isinstance(case, PlainRows):
                    self._put_aside(lines_of_columns(case.pieces))
                    check.look_at_all(case.ids, case.expected)
                else:
                    self._put_aside((self._encode(case),))
                    check.look(case.case_id, case.expected)
            self._size = check.finish()
        except BaseException:
            self.close()
            raise
        self._identity: JsonObject = {
            "manifest": None,
            "dataset": {"name": name, "sha256": sha256, "root": self._digest.root()},
        }

    def _encode(self, case: Case) -> bytes:
        if case.origin is not None:
            message = "a case with an origin is a variant, which only a manifest can vouch for"
            hint = "validate it and run the manifest, or leave it out"
            where = f"case {case.case_id!r}"
            raise DataError.of("validation_required", message, file=self._name, path=where, hint=hint)
        return pieces_of_case(case).line()

    def _put_aside(self, lines: Sequence[bytes]) -> None:
        self._digest.add_lines(lines)
        self._lines.extend(lines)

    def bases(self) -> Iterator[CaseEntry]:
        """Every case of the data set."""
        for item in plan_bases(self):
            yield item.entry

    def encoded_bases(self) -> Iterator[bytes]:
        """Every case of the data set, in canonical pieces."""
        return iter(self._lines)

    def close(self) -> None:
        """Let go of what was put aside."""
        self._lines.close()

    def variants(self) -> Iterator[tuple[CaseEntry, str]]:
        """A data set has none."""
        return iter(())

    def size(self, *, variants: bool) -> int:  # noqa: ARG002 - a data set has none
        """How many cases there are."""
        return self._size

    def identity(self) -> JsonObject:
        """File name, digest of the file's bytes, and root over what it says."""
        return self._identity

    def oracles(self) -> Iterable[JsonObject]:
        """A data set has none."""
        return ()


class ManifestSource:
    """One split of a frozen manifest."""

    def __init__(self, manifest: FrozenManifest, split: str, contract: Contract) -> None:
        self._manifest = manifest
        self._split = split
        self._sizes: tuple[int, int] | None = None
        where = f"split {split!r} of {manifest.name!r}"
        check_labels((entry.case for entry in manifest.entries_in(split)), contract, where)
        self._relations: dict[str, str] = {}
        oracles: dict[bytes, JsonObject] = {}
        for record in manifest.validations:
            data = record.data
            self._relations[record.digest] = data["relation"]
            oracles.setdefault(canonical_bytes(data["oracle"]), data["oracle"])
        self._oracles = tuple(oracles.values())

    def bases(self) -> Iterator[CaseEntry]:
        """The cases of the split without an origin."""
        return (entry for entry in self._manifest.entries_in(self._split) if entry.case.origin is None)

    def encoded_bases(self) -> None:
        """A manifest keeps whole lines."""

    def variants(self) -> Iterator[tuple[CaseEntry, str]]:
        """The valid variants of the split, with the relation that their validation claims."""
        for entry in self._manifest.entries_in(self._split):
            if entry.case.origin is not None and entry.validation is not None:
                yield entry, self._relations[entry.validation]

    def size(self, *, variants: bool) -> int:
        """How many base cases the split has, and with ``variants`` also of these."""
        if self._sizes is None:
            self._sizes = (sum(1 for _ in self.bases()), sum(1 for _ in self.variants()))
        return self._sizes[0] + variants * self._sizes[1]

    def identity(self) -> JsonObject:
        """Name, digest and root of the manifest, and the split."""
        manifest = self._manifest
        described = {"name": manifest.name, "digest": manifest.digest, "root": manifest.root, "split": self._split}
        return {"manifest": described, "dataset": None}

    def oracles(self) -> Iterable[JsonObject]:
        """The different oracles of the manifest's validations."""
        return self._oracles

    def close(self) -> None:
        """Nothing is held."""


def open_source(
    contract: Contract,
    folder: PurePath,
    *,
    dataset: str | os.PathLike[str] | Iterable[Case | JsonObject] | None,
    manifest: str | os.PathLike[str] | FrozenManifest | None,
    split: str | None,
) -> CaseSource:
    """The cases of a run: what is given here goes before what the contract names.

    Args:
        contract: the contract.
        folder: what paths in the contract are relative to.
        dataset: a file, or cases, or rows as they stand in a data set.
        manifest: a file, or a manifest.
        split: the split of the manifest to run; needed when it has several.

    Raises:
        UsageError: there are no cases, or two kinds of them, or no such split.
        DataError: a row is wrong, or an expected answer is no label.
        IntegrityError: the manifest is damaged, or is not the one that the contract pins.
    """
    if dataset is not None and manifest is not None:
        raise UsageError.of("two_sources", "a data set and a manifest are given", hint="give one of them")
    if dataset is None and manifest is None:
        dataset = None if contract.dataset is None else str(folder / contract.dataset)
        manifest = None if contract.manifest is None else str(folder / contract.manifest)
    if manifest is not None:
        frozen = _open_pinned(manifest, contract.manifest_digest)
        return ManifestSource(frozen, _choose_split(frozen, split or contract.split), contract)
    return _open_dataset(contract, dataset, split)


def _open_pinned(manifest: str | os.PathLike[str] | FrozenManifest, pinned: str | None) -> FrozenManifest:
    """The manifest, which must be the one that the contract pins."""
    frozen = manifest if isinstance(manifest, FrozenManifest) else Manifest.load(manifest)
    if pinned is not None and pinned != frozen.digest:
        message = f"the contract pins the manifest {pinned}, this one is {frozen.digest}"
        file = None if isinstance(manifest, FrozenManifest) else os.fspath(manifest)
        raise IntegrityError.of("pin", message, file=file, path="manifest_digest", hint="use the pinned manifest")
    return frozen


def _open_dataset(
    contract: Contract, dataset: str | os.PathLike[str] | Iterable[Case | JsonObject] | None, split: str | None
) -> DatasetSource:
    """The data set, where neither pin, split nor property asks for a manifest."""
    if contract.manifest_digest is not None and dataset is not None:
        hint = "run the pinned manifest, or remove manifest_digest from the contract"
        raise UsageError.of("pin", "the contract pins a manifest, so a data set cannot be run", hint=hint)
    if split is not None:
        raise UsageError.of("split_without_manifest", "a split is given without a manifest", path="split")
    if dataset is None:
        hint = "name a dataset or a manifest in the contract, or give one"
        raise UsageError.of("no_source", "there are no cases to run", hint=hint)
    if contract.properties.variants is not None and contract.properties.variants.enabled:
        hint = "run a manifest, or disable the property"
        raise UsageError.of("no_variants", "properties.variants needs a manifest, not a data set", hint=hint)
    if isinstance(dataset, str | os.PathLike):
        path = os.fspath(dataset)
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise UsageError.of("unreadable", "is no regular file", file=path, hint="write the cases into a file")
        digest = file_digest(path)
        source = DatasetSource(read_dataset_rows(path), PurePath(path).name, digest, contract)
        if file_digest(path) != digest:
            source.close()
            raise DataError.of("changed", "the file changed while it was read", file=path, hint="run again")
        return source
    if not isinstance(dataset, Iterable):
        message = f"must be a path or cases, not {type(dataset).__name__}"
        raise UsageError.of("bad_dataset", message, path="dataset")
    placed = (
        (f"cases[{n}]", item if isinstance(item, Case) else case_of_row(item, f"cases[{n}]"))
        for n, item in enumerate(dataset)
    )
    return DatasetSource(unique_cases(placed, "cases"), "cases", None, contract)


def _choose_split(manifest: FrozenManifest, split: str | None) -> str:
    names = sorted(manifest.header["splits"])
    if split is None and len(names) > 1:
        hint = "name one of " + ", ".join(names)
        raise UsageError.of("split_needed", "the manifest has several splits", path="split", hint=hint)
    chosen = names[0] if split is None else split
    manifest.entries_in(chosen)
    return chosen
