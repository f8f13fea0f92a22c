"""Judgements of people by pair: who judged what, and whether several judgements of one pair say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from sys import intern
from typing import NamedTuple

from robust.canon import canonical_bytes, decode_own, digest_bytes, fold, hash_bytes
from robust.errors import DataError
from robust.oracle.one_contract import only_contract
from robust.records.comparator import Comparator
from robust.records.review import Judgement, ReviewRow
from robust.records.reviewers import one_spelling


class Judged(NamedTuple):
    """A pair with its different judgements, in an order that does not depend on that of the rows.

    ``source`` is its folded source group, or the pair itself where no row names one; ``candidate_id`` may be empty.
    """

    pair: str
    candidate_id: str
    source: str
    judgements: tuple[Judgement, ...]


class ReviewTable:
    """The judgements of one oracle contract, by pair. A row that stands twice counts once.

    Args:
        rows: rows of one sheet or of several.
        contract: the oracle contract whose rows count; None where all are of one.

    Attributes:
        contract: the oracle contract of its rows.
        reviewers: who judged, each in one spelling, sorted.
        digest: the digest of all its judgements, whatever their order.
        unjudged: how many rows nobody filled in.

    Raises:
        DataError: there is no judgement of the contract, there are those of several contracts, or two reviewers' names
            look alike.
    """

    def __init__(self, rows: Iterable[ReviewRow], *, contract: str | None = None) -> None:
        # A million rows may come: each is kept as bytes, by the 32 bytes of its pair.
        self._packed: dict[bytes, bytes | list[bytes]] = {}
        self._open: set[bytes] = set()
        self._sources: dict[bytes, str] = {}
        self._ids: dict[bytes, str] = {}
        self.unjudged = 0
        contracts: set[str] = set()
        names: dict[str, str] = {}
        any_judged = False
        for row in rows:
            contracts.add(row.pair.contract)
            if contract is not None and row.pair.contract != contract:
                continue
            key = _key(row.pair.pair)
            if row.judgement is None:
                self.unjudged += 1
                self._open.add(key)
                continue
            if row.pair.source_id:
                self._sources.setdefault(key, intern(fold(row.pair.source_id)))
            self._ids.setdefault(key, row.pair.candidate_id)
            any_judged = True
            names.setdefault(row.judgement.reviewer, row.judgement.reviewer)
            self._add(key, canonical_bytes(row.judgement.to_json()))
        self.contract = only_contract(contracts, contract, one="row", several="rows")
        if not any_judged:
            message = f"no row of {self.contract} is judged; not judged yet: {self.unjudged}"
            hint = "fill in valid, reason, reviewer and reviewed_at, and the answers"
            raise DataError.of("no_reviews", message, hint=hint)
        self._spellings = one_spelling(names)
        self.reviewers = tuple(sorted(set(self._spellings.values())))
        self.digest = digest_bytes(b"".join(sorted(self._prints())))

    def _add(self, key: bytes, packed: bytes) -> None:
        known = self._packed.get(key)
        if known is None:
            self._packed[key] = packed
        elif isinstance(known, bytes):
            if known != packed:
                self._packed[key] = [known, packed]
        elif packed not in known:
            known.append(packed)

    def _prints(self) -> Iterator[bytes]:
        for key, packed in self._packed.items():
            for one in [packed] if isinstance(packed, bytes) else packed:
                yield hash_bytes(key + one)

    def __len__(self) -> int:
        return len(self._packed)

    def waits(self, pair: str) -> bool:
        """Whether a pair stands in a row that nobody filled in."""
        return _key(pair) in self._open

    def judgements(self, pair: str) -> tuple[Judgement, ...]:
        """The different judgements of a pair, by reviewer."""
        packed = self._packed.get(_key(pair))
        return () if packed is None else self._read(packed)

    def pairs(self) -> Iterator[Judged]:
        """Every judged pair, in the order in which they were first judged."""
        for key, packed in self._packed.items():
            pair = f"sha256:{key.hex()}"
            yield Judged(pair, self._ids[key], self._sources.get(key, pair), self._read(packed))

    def _read(self, packed: bytes | list[bytes]) -> tuple[Judgement, ...]:
        found = [self._judgement(one) for one in ([packed] if isinstance(packed, bytes) else packed)]
        different = {canonical_bytes(one.to_json()): one for one in found}
        order = sorted(different, key=lambda encoded: (different[encoded].reviewer, encoded))
        return tuple(different[encoded] for encoded in order)

    def _judgement(self, packed: bytes) -> Judgement:
        judgement = Judgement.from_json(decode_own(packed))
        return replace(judgement, reviewer=self._spellings[judgement.reviewer])


def judgements_agree(judgements: Sequence[Judgement], comparator: Comparator) -> bool:
    """Whether judgements of one pair say the same of ``valid`` and, of a valid pair, give equal answers."""
    said = {judgement.valid for judgement in judgements}
    if said != {True}:
        return len(said) <= 1
    sides = ([each.base_answer for each in judgements], [each.variant_answer for each in judgements])
    return all(map(comparator.agree, sides))


def _key(pair: str) -> bytes:
    return bytes.fromhex(pair.removeprefix("sha256:"))
