"""A law of verification: whatever stands in a record of a property, it is refused or it holds, and never a crash."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robust.canon import JsonValue
from tests.laws.strategies import json_values
from tests.unit.app.forging import StoredRun, put
from tests.unit.app.property_forging import forged_run

values = st.one_of(
    json_values, st.sampled_from(["yes", "valid", "original_error", "variants", "whitespace", [], {}, True, -1, 0.5])
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run with noise, and pairs of nearly every property."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("law"), noise=True).path)


def _places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a value, its inner ones too."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += _places(inner, (*path, key))
    return found


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.lists(values, min_size=1, max_size=3))
def test_verification_never_crashes(stored: StoredRun, data: st.DataObject, put_there: list[JsonValue]) -> None:
    """Any value at any place of any record, with every digest that can be made to fit."""
    forged = stored.copy()
    for value in put_there:
        record = data.draw(st.sampled_from(forged.records))
        put(record, data.draw(st.sampled_from(_places(record))), value)
    forged.fit_records()
    try:
        forged.fit_digests()
    except (AttributeError, KeyError, TypeError):
        forged.fit_report()  # nothing of the kind was ever answered, so there is no digest of it
    assert forged.save().exit_code in (0, 3)
