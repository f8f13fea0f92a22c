"""Metrics, intervals and checks depend on the cases alone: not on their order, nor on what their sources are called."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.canon import JsonObject, canonical_bytes
from robust.records.contract import Contract
from robust.run.summary import RunSummary
from robust.store.contracts import read_contract

LABELS = ("low", "middle", "high")
SECTIONS = ("counts", "metrics", "confusion", "per_label", "reliability", "errors_by_kind", "checks")
GATES = {"min_accuracy": 0.5, "min_macro_f1": 0.5, "max_brier": 0.8, "max_nll": 1.5, "max_ordinal_mae": 0.7}
CONTRACT: JsonObject = {
    "schema_version": "1",
    "decision": {"name": "q", "type": "score", "levels": list(LABELS)},
    "backend": {"provider": "callable"},
    "evaluation": {"confidence_threshold": 0.5, "probability_tolerance": 0.1},
    "requirements": {**GATES, "max_error_rate": 0.2, "min_coverage": 0.3},
    "statistics": {"judge": "bound"},
}

weights = st.tuples(*[st.floats(0.01, 1)] * 3)
cases = st.lists(
    st.tuples(st.sampled_from([*LABELS, None]), st.one_of(st.none(), weights), st.integers(0, 6)),
    min_size=1,
    max_size=25,
)
Drawn = list[tuple[str | None, tuple[float, float, float] | None, int]]


def _record(index: int, expected: str | None, weight: tuple[float, ...] | None, source: str) -> JsonObject:
    record: JsonObject = {"kind": "decision", "id": f"decision/{index}", "case_id": str(index), "source_id": source}
    record |= {"expected": expected, "observed": {"latency_ms": index}}
    if weight is None:
        return {**record, "error": {"kind": "timeout"}}
    shares = [each / sum(weight) for each in weight]
    best = max(range(3), key=lambda place: shares[place])
    result: dict[str, Any] = {"probabilities": dict(zip(LABELS, shares, strict=True))}
    return {**record, "result": {**result, "selected": LABELS[best], "confidence": shares[best]}}


def _derived(records: list[JsonObject], contract: Contract | None = None) -> bytes:
    summary = RunSummary(contract or read_contract(CONTRACT), mode="all")
    for record in records:
        summary.add(record)
    derived = summary.derived()
    return canonical_bytes({name: derived[name] for name in SECTIONS})


def _records(drawn: Drawn) -> list[JsonObject]:
    return [_record(index, expected, weight, f"s{group}") for index, (expected, weight, group) in enumerate(drawn)]


@settings(deadline=None)
@given(cases, st.data())
def test_the_order_of_cases_leaves_no_trace(drawn: Drawn, data: st.DataObject) -> None:
    """The same bytes, to the last digit of every interval."""
    records = _records(drawn)
    assert _derived(data.draw(st.permutations(records))) == _derived(records)


@settings(deadline=None)
@given(cases)
def test_the_order_of_labels_in_an_answer_leaves_no_trace(drawn: Drawn) -> None:
    """A record that was read back has its labels in another order than one that was made."""
    records = _records(drawn)
    turned = []
    for record in records:
        result = record.get("result")
        shares = {} if result is None else dict(reversed(result["probabilities"].items()))
        turned.append(record if result is None else {**record, "result": {**result, "probabilities": shares}})
    assert _derived(turned) == _derived(records)


@settings(deadline=None)
@given(cases, st.permutations(range(7)))
def test_what_sources_are_called_leaves_no_trace(drawn: Drawn, names: list[int]) -> None:
    """Only which cases share one; spellings that fold to the same are one."""
    records = _records(drawn)
    renamed = [
        {**record, "source_id": f"{' ' * (index % 2)}{'Source' if index % 3 else 'sOURCE'} {names[group]}"}
        for index, (record, (_, _, group)) in enumerate(zip(records, drawn, strict=True))
    ]
    assert _derived(renamed) == _derived(records)


@settings(deadline=None)
@given(cases)
def test_merging_all_sources_leaves_values_and_takes_every_interval(drawn: Drawn) -> None:
    """One source says nothing of others, so nothing that is judged on an interval holds."""
    contract = read_contract(CONTRACT)
    apart, merged = RunSummary(contract, mode="all"), RunSummary(contract, mode="all")
    for record in _records(drawn):
        apart.add(record)
        merged.add({**record, "source_id": "all"})
    one, other = apart.derived(), merged.derived()
    for name, metric in other["metrics"].items():
        assert metric["value"] == one["metrics"][name]["value"]
        assert metric["interval"] is None
    assert {check["status"] for check in other["checks"]} <= {"inconclusive", "fail"}
