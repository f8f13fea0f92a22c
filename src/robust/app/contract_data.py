"""What a contract's data consists of, as far as it decides what a run could show."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from robust.app.manifests import Manifest
from robust.app.sources import open_source
from robust.canon import JsonObject, fold
from robust.manifest.frozen import FrozenManifest
from robust.records.case import Case
from robust.records.contract import Contract
from robust.run.plan import CaseSource


@dataclass(slots=True)
class DataSummary:
    """Counts over the cases of a data set, or of one or all splits of a manifest.

    Attributes:
        kind: ``dataset`` or ``manifest``.
        name: of the file or the manifest.
        digest: of the file's bytes, or of the manifest.
        splits: the splits that were read; none of a data set.
        cases: base cases.
        labelled: those whose answer is known.
        variants: validated variants.
        sources: the base cases' source groups, folded.
        variant_sources: the source groups that have variants.
        eligible: by property, how many base cases it could be tried on at all.
    """

    kind: str
    name: str
    digest: str | None
    splits: tuple[str, ...] = ()
    cases: int = 0
    labelled: int = 0
    variants: int = 0
    sources: set[str] = field(default_factory=set)
    variant_sources: set[str] = field(default_factory=set)
    eligible: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """The counts as plain data."""
        return {
            "kind": self.kind,
            "name": self.name,
            "digest": self.digest,
            "splits": list(self.splits),
            "cases": self.cases,
            "labelled": self.labelled,
            "groups": len(self.sources),
            "variants": self.variants,
        }


def read_data(
    contract: Contract,
    folder: PurePath,
    *,
    dataset: str | os.PathLike[str] | None,
    manifest: str | os.PathLike[str] | FrozenManifest | None,
) -> DataSummary | None:
    """Read the cases that a run would ask about; None where none are named.

    A manifest with several splits, of which the contract names none, is read whole.

    Raises:
        RobustError: see :func:`robust.app.sources.open_source`.
    """
    if dataset is None and manifest is None:
        if contract.dataset is None and contract.manifest is None:
            return None
        manifest = None if contract.manifest is None else str(folder / contract.manifest)
    splits: tuple[str | None, ...] = (None,)
    if manifest is not None and dataset is None:
        manifest = manifest if isinstance(manifest, FrozenManifest) else Manifest.load(manifest)
        splits = tuple(manifest.header["splits"]) if contract.split is None else (contract.split,)
    summary: DataSummary | None = None
    for split in splits:
        with closing(open_source(contract, folder, dataset=dataset, manifest=manifest, split=split)) as source:
            if summary is None:
                summary = _identified(source.identity(), splits)
            _count(summary, source, contract)
    return summary


def _identified(identity: JsonObject, splits: tuple[str | None, ...]) -> DataSummary:
    if identity["manifest"] is None:
        return DataSummary("dataset", identity["dataset"]["name"], identity["dataset"]["sha256"])
    names = tuple(sorted(split for split in splits if split is not None))
    return DataSummary("manifest", identity["manifest"]["name"], identity["manifest"]["digest"], names)


def _count(summary: DataSummary, source: CaseSource, contract: Contract) -> None:
    properties = contract.properties.enabled()
    for entry in source.bases():
        summary.cases += 1
        summary.labelled += entry.case.expected is not None
        summary.sources.add(fold(entry.case.source_id))
        for name, settings in properties.items():
            summary.eligible.setdefault(name, 0)
            summary.eligible[name] += _could_be_tried(name, settings, entry.case, contract.fuzz.text_field)
    for entry, _ in source.variants():
        summary.variants += 1
        summary.variant_sources.add(fold(entry.case.source_id))


def _could_be_tried(name: str, settings: Any, case: Case, text_field: str | None) -> bool:
    """Whether a case has what a property transforms; the transformation may still find nothing to do."""
    if name in ("option_order", "label_format", "variants"):
        return True
    if name == "monotonic":
        number = case.input.get(settings.field) if isinstance(case.input, dict) else None
        return isinstance(number, int | float) and not isinstance(number, bool)
    text = case.input if isinstance(case.input, str) else case.input.get(text_field or "")
    if not isinstance(text, str):
        return False
    return name != "inversion" or any(rewrite.find in text for rewrite in settings.rewrites)
