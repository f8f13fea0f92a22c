"""What the laws quantify over: JSON with odd numbers and keys, cases, answers, comparators."""

from __future__ import annotations

from hypothesis import strategies as st

from robust import Case, Comparator, Media, Origin
from robust.canon import JsonValue

SAFE = 2**53 - 1
ODD_FLOATS = [
    0.0,
    -0.0,
    1.0,
    1e-7,
    1e-6,
    9.99e-6,
    1e-5,
    1e15,
    1e16,
    1e20,
    1e21,
    5e-324,
    1.7976931348623157e308,
    0.1 + 0.2,
]
ODD_KEYS = ["", "a", "\ufb33", "\U0001f600", "\ue000", "\ud7ff", "€", "\r", "10", "2", "a\u0301", "\u00e1"]
ODD_TEXTS = ["", "\u2028", "\x7f", "\x00", '"\\/', "\ufeff", "e\u0301", "\U0001f600", "[redacted]"]

texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=12))
floats = st.one_of(st.sampled_from(ODD_FLOATS), st.floats(allow_nan=False, allow_infinity=False))
integers = st.one_of(
    st.integers(-SAFE, SAFE),
    st.sampled_from([SAFE, -SAFE, 2**53, 10**20, -(10**18)]),
)
scalars = st.one_of(st.none(), st.booleans(), integers, floats, texts)
keys = st.one_of(st.sampled_from(ODD_KEYS), st.text(max_size=6))
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=12,
)
json_objects = st.dictionaries(keys, json_values, max_size=5)

ids = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20)
digests = st.binary(min_size=32, max_size=32).map(lambda raw: "sha256:" + raw.hex())
media = st.builds(
    Media,
    path=st.from_regex(r"[a-z]{3,8}/[a-z]{4,8}\.png", fullmatch=True),
    media_type=st.just("image/png"),
    bytes=st.integers(0, 10**9),
    sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
)
origins = st.builds(
    Origin,
    parent_id=ids,
    parent_content=digests,
    transform=st.text(min_size=1, max_size=8),
    params=json_objects,
    seed=st.one_of(st.none(), st.integers(-SAFE, SAFE)),
    index=st.integers(0, 1000),
    relation=st.sampled_from([None, "invariant", "counterfactual", "increasing", "decreasing"]),
)
cases = st.builds(
    Case,
    st.one_of(texts, json_objects),
    json_values,
    case_id=ids,
    source_id=ids,
    metadata=json_objects,
    media=st.lists(media, max_size=2).map(tuple),
    origin=st.one_of(st.none(), origins),
)

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000).map(str)
answers = st.one_of(scalars, decimals, st.lists(scalars, max_size=3))
comparators = st.one_of(
    st.sampled_from([Comparator(), Comparator(name="set"), Comparator(name="json")]),
    st.builds(
        lambda case, space: Comparator(name="text", fold_case=case, fold_space=space), st.booleans(), st.booleans()
    ),
    st.builds(
        lambda absolute, relative: Comparator(name="number", abs_tol=absolute, rel_tol=relative),
        st.floats(0, 10),
        st.floats(0, 0.5),
    ),
    st.just(Comparator(name="scale", levels=("low", "middle", "high"))),
)
