"""Near-equal inputs in different splits of a manifest, as values."""

from __future__ import annotations

from dataclasses import dataclass

from robust.canon import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class NearDuplicate:
    """Two cases of different splits whose inputs are nearly equal.

    Attributes:
        first: the id of one case, the one that comes first.
        first_split: its split.
        second: the id of the other.
        second_split: its split.
        similarity: the Jaccard index of their shingles, above 0 and at most 1.
    """

    first: str
    first_split: str
    second: str
    second_split: str
    similarity: float

    def to_json(self) -> JsonObject:
        """The finding as plain JSON data."""
        return {
            "similarity": self.similarity,
            "cases": [
                {"case_id": self.first, "split": self.first_split},
                {"case_id": self.second, "split": self.second_split},
            ],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class NearGroups:
    """Two source groups of different splits that have near-equal inputs.

    Attributes:
        best: the most similar pair.
        sources: the source ids of its two cases.
        texts: what its two cases show, or the beginning of it.
        pairs: how many pairs the two groups have.
    """

    best: NearDuplicate
    sources: tuple[str, str]
    texts: tuple[str, str]
    pairs: int

    def to_json(self) -> JsonObject:
        """The finding as plain JSON data."""
        best = self.best
        splits, ids = (best.first_split, best.second_split), (best.first, best.second)
        return {
            "similarity": best.similarity,
            "pairs": self.pairs,
            "sources": [
                {"source_id": source, "split": split} for source, split in zip(self.sources, splits, strict=True)
            ],
            "cases": [{"case_id": case_id, "text": text} for case_id, text in zip(ids, self.texts, strict=True)],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class NearDuplicates:
    """What a search for near-equal inputs found.

    Attributes:
        digest: the manifest's.
        threshold: the least similarity that was looked for.
        words: how many words made a shingle.
        cases: how many cases were compared.
        findings: the pairs, the most similar first.
        groups: the same by two source groups each, the most similar first.
        complete: whether these are all pairs there are.
    """

    digest: str
    threshold: float
    words: int
    cases: int
    findings: tuple[NearDuplicate, ...]
    groups: tuple[NearGroups, ...]
    complete: bool

    @property
    def exit_code(self) -> int:
        """0 without findings, else 1."""
        return 1 if self.findings else 0

    def to_json(self) -> JsonObject:
        """The outcome as plain JSON data."""
        return {
            "digest": self.digest,
            "threshold": self.threshold,
            "words": self.words,
            "cases": self.cases,
            "complete": self.complete,
            "findings": [finding.to_json() for finding in self.findings],
            "groups": [group.to_json() for group in self.groups],
        }
