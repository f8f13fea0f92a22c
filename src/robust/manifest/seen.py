"""What is kept of each case while a manifest passes by: ids and digests, and equal texts once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from robust.canon import KEY_BYTES, JsonObject, canonical_bytes, fold, hash_bytes, keys_of
from robust.manifest.plain_cases import PlainCases
from robust.records.manifest import CaseEntry, LabelSource

NO_ANSWER: Final = b""
# Answers are mostly few labels, each kept once; of answers that all differ only so many are looked for again.
_MAX_KEPT_ANSWERS: Final = 4096


class Seen(NamedTuple):
    """What is kept of a case: one object for each, however many things it was the first to show."""

    case_id: str
    source_id: str
    folded_source: str
    split: str
    answer: bytes
    variant: bool
    label_source: LabelSource | None


# Made without the keywords of a named tuple, whose own way takes three times as long.
_new_seen = partial(tuple.__new__, Seen)


class SeenMaker:
    """Makes what is kept of cases; equal texts are one object, since of a million cases they are a tenth of everything.

    Args:
        split_names: the names of all splits.
    """

    def __init__(self, split_names: Iterable[str]) -> None:
        # Names by themselves: what is kept of a case refers to these, and not to a copy of its own.
        self._splits = {name: name for name in split_names}
        self._answers: dict[bytes, bytes] = {}

    def of(self, entry: CaseEntry) -> Seen:
        """What is kept of one case."""
        case, split, label_source, _ = entry
        case_id, source_id, expected = case.case_id, case.source_id, case.expected
        if source_id == case_id:
            source_id = case_id
        folded = fold(source_id)
        if folded == source_id:
            folded = source_id
        answer = NO_ANSWER if expected is None else self._kept(canonical_bytes(expected))
        return _new_seen(
            (case_id, source_id, folded, self._splits.get(split, split), answer, case.origin is not None, label_source)
        )

    def of_plain(self, cases: PlainCases) -> list[Seen]:
        """What is kept of each of many cases."""
        ids = cases.ids
        sources = [
            case_id if source == case_id else source for source, case_id in zip(cases.source_ids, ids, strict=True)
        ]
        folded = sources if _all_folded(sources) else [_folded(source) for source in sources]
        splits = map(self._splits.__getitem__, cases.splits)
        labels = map(_LABEL_SOURCES.__getitem__, cases.label_sources)
        answers = map(self._kept, cases.answers)
        variants = [False] * len(ids)
        return list(map(_new_seen, zip(ids, sources, folded, splits, answers, variants, labels, strict=True)))

    def _kept(self, answer: bytes) -> bytes:
        known = self._answers
        if len(known) < _MAX_KEPT_ANSWERS:
            return known.setdefault(answer, answer)
        return known.get(answer, answer)


_LABEL_SOURCES: Final[dict[LabelSource | None, LabelSource | None]] = {None: None, "given": "given", "oracle": "oracle"}


def _folded(source: str) -> str:
    folded = fold(source)
    return source if folded == source else folded


def _all_folded(texts: Iterable[str]) -> bool:
    """Whether folding would change none of some texts: seen at once for all of them."""
    joined = "".join(texts)
    return joined.isascii() and joined.isprintable() and " " not in joined and joined == joined.lower()


def content_key(shown: object, media: list[Any]) -> bytes:
    """The key of what a case shows: an input, and what stands for its files."""
    if isinstance(shown, str) and not media and not shown.startswith("\x00"):
        content = shown.encode()
    else:
        content = b"\x00" + canonical_bytes([shown, media])
    # Short inputs are their own key; hashing them would only cost time. Contents that share a key can only be refused,
    # never pass unseen: whatever is compared with the first of them differs from it, or from its own equals.
    return content if len(content) < KEY_BYTES else hash_bytes(content)[:KEY_BYTES]


def content_keys(inputs: Sequence[object]) -> list[bytes]:
    """The keys of what many cases without files show; see :func:`content_key`."""
    contents = [shown.encode() for shown in inputs if isinstance(shown, str)]
    # All of them text that is hashed as it is, as mostly.
    if len(contents) == len(inputs) and min(map(len, contents)) >= KEY_BYTES and b"\x00" not in b"".join(contents):
        return keys_of(contents)
    return [content_key(shown, []) for shown in inputs]


def unlabelled_hash(case: JsonObject) -> bytes:
    """The whole hash of a stored case without its answer: by it a validation vouches for a case."""
    return hash_bytes(canonical_bytes({**case, "expected": None}))
