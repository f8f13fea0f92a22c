"""Laws of canonical JSON: one form, whichever path made it."""

from __future__ import annotations

import json

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from robust.canon import JsonValue, canonical_bytes, parse_canonical, plain, read_json
from robust.canon.encode import is_fast, reference_bytes
from robust.errors import DataError, IntegrityError
from tests.laws.strategies import SAFE, json_values


@given(json_values)
def test_fast_path_and_reference_encoder_agree(value: JsonValue) -> None:
    """Whatever path is taken, the bytes are those of the reference implementation of RFC 8785."""
    assert canonical_bytes(value) == rfc8785.dumps(plain(value))
    assert reference_bytes(value) == canonical_bytes(value)


@given(json_values)
def test_what_is_called_fast_is_encoded_canonically_by_the_fast_path(value: JsonValue) -> None:
    """No value is called fast whose sorted orjson output differs from its canonical form."""
    import orjson

    if is_fast(value):
        assert orjson.dumps(value, option=orjson.OPT_SORT_KEYS) == rfc8785.dumps(value)


@given(json_values)
def test_canonical_bytes_read_back_to_themselves(value: JsonValue) -> None:
    """Reading a canonical form and encoding it again changes nothing, by either reader."""
    encoded = canonical_bytes(value)
    assert canonical_bytes(read_json(encoded)) == encoded
    assert canonical_bytes(parse_canonical(encoded)) == encoded


@given(json_values)
def test_the_standard_library_reads_the_same_value(value: JsonValue) -> None:
    """An independent parser sees in the canonical form what went in."""
    assert json.loads(canonical_bytes(value), parse_int=float) == json.loads(json.dumps(value), parse_int=float)


@given(json_values)
def test_a_second_spelling_is_not_canonical(value: JsonValue) -> None:
    """The same value with white space around it is JSON, but refused as a line of ours."""
    encoded = canonical_bytes(value)
    with pytest.raises(IntegrityError) as caught:
        parse_canonical(encoded + b" ")
    assert caught.value.code == "not_canonical"


@given(
    st.one_of(
        st.integers(min_value=SAFE + 1),
        st.integers(max_value=-SAFE - 1),
        st.integers(0, 25).map(lambda n: 10**n * SAFE),
    )
)
def test_a_big_integer_survives_or_is_refused_but_is_never_rounded(number: int) -> None:
    """Beyond 2^53 either the very same digits are written, or the value is refused with a path."""
    try:
        encoded = canonical_bytes({"n": number})
    except DataError as error:
        assert error.code == "not_portable"
        assert error.problems[0].path == "$.n"
    else:
        assert encoded == b'{"n":%d}' % number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_survives(number: float) -> None:
    """A double read back from its canonical form is the same double; the sign of zero is not part of it."""
    read = read_json(canonical_bytes(number))
    assert isinstance(read, int | float)
    assert float(read) == number


@given(st.dictionaries(st.text(max_size=3), st.none(), max_size=8))
def test_keys_are_ordered_by_utf_16_code_units(members: dict[str, None]) -> None:
    """The order of keys is that of their UTF-16 code units."""
    written = list(json.loads(canonical_bytes(members)))
    assert written == sorted(members, key=lambda key: key.encode("utf-16-be"))


_WRITTEN = st.recursive(
    st.one_of(
        st.text(max_size=6).map(lambda text: json.dumps(text, ensure_ascii=False)),
        st.text(alphabet='":{}[],\\\u00e9\U0001f600 ', max_size=6).map(
            lambda text: json.dumps(text, ensure_ascii=False)
        ),
        st.sampled_from(["1", "-0", "1.0", "1e3", "12345678901234567890", "9007199254740993", "0.1", "true", "null"]),
        st.sampled_from(
            ["NaN", "1e999", "01", "tru", '"\\ud800"', '"a', "1.5", "1e-7", "123456789012345678901234567890"]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ",".join(items) + "]"),
        st.tuples(
            st.lists(st.tuples(st.sampled_from(['"a"', '":"', '"b c"', '"\\u0061"', '""']), inner), max_size=3),
            st.sampled_from([":", ": ", " :", "\n: "]),
        ).map(lambda made: "{" + ", ".join(key + made[1] + value for key, value in made[0]) + "}"),
    ),
    max_leaves=8,
)


@example('{"a" :{"a":[]}, "a" :""}')
@example('{"a":"x","a" : "y"}')
@given(_WRITTEN)
def test_bytes_and_text_are_read_alike(text: str) -> None:
    """The fast reader, which only bytes pass, gives what the strict one gives and refuses what that refuses."""

    def outcome(document: str | bytes) -> object:
        try:
            return "read", canonical_bytes(read_json(document))
        except DataError as error:
            return "refused", error.code

    assert outcome(text.encode()) == outcome(text)
