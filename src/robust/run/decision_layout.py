"""Checking the records of plain decisions by their layout, hundreds at a time.

Canonical JSON leaves a record no freedom: its keys stand in one order, without white space, and each text and number
has one spelling. So the decisions of a run differ only in their case, in what was observed and in the distribution, and
one expression holds all the rest. What it matches is canonical, complete and of this contract and backend; what is left
is to look at the numbers. Whatever it does not match is looked at closely elsewhere, and gets an error that says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from operator import add
from typing import Final

from robust.canon import JsonObject, canonical_bytes, canonical_numbers, fold_ids, leaf_hashes, parse_canonical
from robust.errors import RobustError
from robust.records.contract import Contract
from robust.records.decision import SUM_EDGE
from robust.records.redaction import redact_metadata
from robust.run.burst import Burst
from robust.run.parts import DECISIONS_PER_PART, CheckedPart
from robust.run.tally import Tally
from robust.stats.case_rows import NONE
from robust.stats.many_distributions import most_probable

# A canonical text: only what must be escaped is, in the shortest way. Possessive, so that a hostile line costs no more
# than a plain one.
_PLAIN: Final = rb'[^"\\\x00-\x1f]*+'
_TEXT: Final = rb'"%s(?:\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))%s)*+"' % (_PLAIN, _PLAIN)
# An id from behind its first quotation mark; one of more characters is no id, one of more bytes is looked at closely.
_ID: Final = rb'[^"\\\x00-\x1f\x7f]{1,256}+"'
_FLAT_OBJECT: Final = rb"\{[^{}\x00-\x1f]*+\}"
_NUMBER: Final = rb"[0-9.e+-]++"
# With one object in it at most, as what a service is observed to do; that it is canonical is looked at apart.
_OBSERVED: Final = rb"\{[^{}\x00-\x1f]*+(?:\{[^{}\x00-\x1f]*+\}[^{}\x00-\x1f]*+)?+\}"


_FEWEST: Final = 8
# What stands in one matched record, each part as it stands; see :func:`_expression`.
Groups = tuple[bytes, ...]


class DecisionLayout:
    """The layout of the records of decided base cases that were asked once, and were shown text without media.

    Args:
        contract: the contract that ran.
        backend: the backend's identity as the report declares it.

    Attributes:
        at_once: how many lines are worth looking at together: fewer where others stood between the last ones.
    """

    def __init__(self, contract: Contract, backend: JsonObject) -> None:
        self.at_once = DECISIONS_PER_PART
        labels = contract.decision.label_order
        self._tolerance = contract.evaluation.probability_tolerance
        self._labels = [canonical_bytes(label) for label in labels]
        self._expected = {b"null": NONE, **{text: place for place, text in enumerate(self._labels)}}
        # Keys stand in the order of their UTF-16 code units.
        keys = sorted(range(len(labels)), key=lambda place: labels[place].encode("utf-16-be"))
        self._columns = [keys.index(place) for place in range(len(labels))]
        expression = _expression(contract, backend, [self._labels[place] for place in keys])
        self._match = expression.match
        self._all = expression.findall

    def matched(self, lines: Sequence[bytes]) -> list[Groups]:
        """What stands in the first lines, up to the first of another layout; ``lines`` are without line feeds."""
        found: list[Groups] = self._all(b"\n".join(lines))
        # Each match begins and ends where a line does, so that as many as there are lines are all of them.
        if len(found) < len(lines):
            found = [match.groups(b"") for match in takewhile(bool, map(self._match, lines)) if match is not None]
        self.at_once = max(_FEWEST, min(2 * len(found), DECISIONS_PER_PART))
        return found

    def part(self, lines: Sequence[bytes], matched: Sequence[Groups], tally: Tally) -> CheckedPart | None:
        """The records of some matched lines, if each is what follows from its case and its numbers; else None.

        What only the whole run can tell is for others: that no case was decided before, and the order of cases.

        Args:
            lines: without line feeds; at least one.
            matched: what stands in them.
            tally: a new one, in which they are counted.
        """
        before, case_ids, expected, shown, metadata, latencies, observed, *answer = zip(*matched, strict=True)
        behind, confidences, *shares, selected, sources = answer
        members, numbers = shares[0], shares[1:]
        together = b"\n".join((*lines, b""))
        answers = self._distributions(numbers, confidences, selected)
        seen = canonical_numbers([*filter(None, latencies)])
        texts = _texts(case_ids)
        # Where each case is its own source, as most are, nothing is kept twice.
        names = texts if case_ids == sources else _texts(sources)
        if answers is None or seen is None or texts is None or names is None:
            return None
        more = _objects([*filter(None, observed)])
        if more is None or not all(map(_is_stored_form, metadata)) or not _is_utf8(together):
            return None
        for each in more:
            tally.observations.add(each, decided=True)
        tally.add_answers(
            texts,
            fold_ids(names),
            [self._expected[text] for text in expected],
            answers,
            seen,
        )
        burst = Burst(
            lines=together,
            size=len(lines),
            errors=0,
            evidence=leaf_hashes(map(add, before, behind)),
            answers=leaf_hashes(
                map(b'["decision/%s,%s,null,{%s}]'.__mod__, zip(case_ids, shown, members, strict=True))
            ),
            tally=tally,
            calls=len(lines),
        )
        cases = map(b'["%s,"%s,%s,[],%s,%s]'.__mod__, zip(case_ids, sources, shown, expected, metadata, strict=True))
        return CheckedPart(burst, leaf_hashes(cases))

    def _distributions(
        self, numbers: Sequence[Sequence[bytes]], confidences: Sequence[bytes], selected: Sequence[bytes]
    ) -> list[tuple[float, ...]] | None:
        """The distributions in contract order, if each is one, and the label and the confidence follow from it.

        Args:
            numbers: by key, the number of each record.
            confidences: of each record.
            selected: the label of each record.
        """
        count = len(confidences)
        values = canonical_numbers([literal for column in numbers for literal in column])
        if values is None:
            return None
        columns = [values[at * count : (at + 1) * count] for at in self._columns]
        chosen = most_probable(columns, self._tolerance + SUM_EDGE)
        holds = (
            chosen is not None
            and [self._labels[place] for place in chosen] == list(selected)
            and [numbers[self._columns[place]][row] for row, place in enumerate(chosen)] == list(confidences)
        )
        return list(zip(*columns, strict=True)) if holds else None


def _expression(contract: Contract, backend: JsonObject, keys: Sequence[bytes]) -> re.Pattern[bytes]:
    """What matches the line of a decision as a whole.

    Its groups are: what stands before ``observed``; within it the case's id from its first character to the closing
    quotation mark, the right answer, the input and the metadata; the latency where nothing else was observed, and
    otherwise all that was; what stands behind ``observed``; within it the confidence, the members of the probabilities,
    the number of each, the selected label, and the source's id as that of the case.
    """
    named = {name: re.escape(canonical_bytes(backend[name])) for name in ("name", "provider")}
    labels = [re.escape(canonical_bytes(label)) for label in contract.decision.label_order]
    known = dict.fromkeys(("model", "model_version"), _TEXT + b"|null")
    if backend["provider"] == "mock":
        known = {name: re.escape(canonical_bytes(backend[name])) for name in known}
    members = b",".join(b"%s:(%s)" % (re.escape(key), _NUMBER) for key in keys)
    decision = contract.decision
    before = rb'\{"case_id":"(%s),"expected":(%s),"id":"decision/\2,"input":(%s),"kind":"decision","media":\[\],' % (
        *(_ID, b"|".join((b"null", *labels)), _TEXT),
    )
    result = rb'\{"backend":%s,"case_id":"\2,"confidence":(%s),"decision":%s,"decision_type":%s,"labels":%s,' % (
        *(named["name"], _NUMBER),
        *(re.escape(canonical_bytes(value)) for value in (decision.name, decision.type, list(decision.label_order))),
    )
    answer = rb'"model":(?:%s),"model_version":(?:%s),"probabilities":\{(%s)\},"provider":%s,"selected":(%s)\}' % (
        *(known["model"], known["model_version"], members, named["provider"], b"|".join(labels)),
    )
    return re.compile(
        rb'^(%s"metadata":(%s)),"observed":(?:\{"latency_ms":(%s)\}|(%s))'
        rb'(,"presentation":null,"result":%s%s,"source_id":"(%s)\})$'
        % (before, _FLAT_OBJECT, _NUMBER, _OBSERVED, result, answer, _ID),
        re.MULTILINE,
    )


def _is_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8, which the expression does not tell."""
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def _texts(quoted: Sequence[bytes]) -> list[str] | None:
    """The ids of cases and sources that stand in these, if all are printable."""
    try:
        ids = b"".join(quoted).decode().split('"')
    except UnicodeDecodeError:
        return None
    ids.pop()  # behind the last
    return ids if all(map(str.isprintable, ids)) else None


def _objects(texts: Sequence[bytes]) -> list[JsonObject] | None:
    """The objects that are written in these, if each is canonical."""
    try:
        return [*map(parse_canonical, texts)]
    except RobustError:
        return None


@lru_cache(maxsize=4096)
def _is_stored_form(metadata: bytes) -> bool:
    """Whether an object is canonical, and holds no secret that is redacted when a case is stored."""
    if metadata == b"{}":
        return True
    try:
        value = parse_canonical(metadata)
        return bool(redact_metadata(value) == value)
    except RobustError:
        return False
