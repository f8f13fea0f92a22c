"""Examples of strict reading: every refusal has a code, a place and a path."""

from __future__ import annotations

import pytest

from robust.canon import MAX_DEPTH, decode_utf8, fold, fold_leaves, nfc, parse_canonical, read_json, scan_nodes
from robust.errors import DataError, IntegrityError


@pytest.mark.parametrize(
    ("text", "code", "place", "path"),
    [
        ("", "json_syntax", (1, 1), "$"),
        ("  \n ", "json_syntax", (2, 2), "$"),
        ('{"a":1}\n{"b":2}', "json_syntax", (2, 1), "$"),
        ('{"a":\n  tru}', "json_syntax", (2, 3), "$.a"),
        ('{"a":[1,2,}', "json_syntax", (1, 11), "$.a[2]"),
        ('{"a" 1}', "json_syntax", (1, 6), "$.a"),
        ("{a:1}", "json_syntax", (1, 2), "$"),
        ("[1 2]", "json_syntax", (1, 4), "$"),
        ('["a\tb"]', "json_syntax", (1, 4), "$[0]"),
        ('["a', "json_syntax", (1, 4), "$[0]"),
        ('["\\q"]', "json_syntax", (1, 3), "$[0]"),
        ("[01]", "json_syntax", (1, 2), "$[0]"),
        ("[+1]", "json_syntax", (1, 2), "$[0]"),
        ("\ufeff\ufeff[]", "json_syntax", (1, 1), "$"),
        ('{"a":{"b":1,"b":2}}', "duplicate_key", (1, 13), "$.a.b"),
        ('{"a":1,"\\u0061":2}', "duplicate_key", (1, 8), "$.a"),
        ("[NaN]", "not_a_number", (1, 2), "$[0]"),
        ("[-Infinity]", "not_a_number", (1, 2), "$[0]"),
        ("[1e999]", "number_range", (1, 2), "$[0]"),
        ('{"n":9007199254740993}', "number_range", (1, 6), "$.n"),
        ('["\\ud800"]', "lone_surrogate", (1, 2), "$[0]"),
        ('["\\ude00\\ud83d"]', "lone_surrogate", (1, 2), "$[0]"),
    ],
)
def test_a_refusal_has_code_place_and_path(text: str, code: str, place: tuple[int, int], path: str) -> None:
    """What is wrong, in which line and column, and where in the document."""
    with pytest.raises(DataError) as caught:
        read_json(text.encode(), file="data.json")
    problem = caught.value.problems[0]
    assert (problem.code, problem.file, (problem.line, problem.column), problem.path) == (
        code,
        "data.json",
        place,
        path,
    )


def test_lines_are_counted_from_where_the_document_starts() -> None:
    """A document in line 143 of a file is refused in line 143."""
    with pytest.raises(DataError) as caught:
        read_json("{]", file="rows.jsonl", line=143)
    assert str(caught.value).startswith("rows.jsonl:143:2: $: ")


def test_only_a_line_feed_ends_a_line() -> None:
    """Carriage returns and Unicode line separators are ordinary characters for counting."""
    with pytest.raises(DataError) as caught:
        read_json('["\u2028\u0085\u000b"]'.replace("\u000b", "") + "\r\nx")
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 1)


def test_one_byte_order_mark_is_allowed() -> None:
    """A byte order mark before the document is not part of it; one inside text is."""
    assert read_json(b'\xef\xbb\xbf["\xef\xbb\xbf"]') == ["\ufeff"]
    with pytest.raises(DataError) as caught:
        read_json(b'\xef\xbb\xbf["a"]', file="rows.jsonl", line=2)
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 1)


def test_bytes_that_are_not_utf_8_are_refused_with_their_column() -> None:
    """The line and the byte in it are named."""
    with pytest.raises(DataError) as caught:
        decode_utf8(b"ok\nab\xff", file="f")
    problem = caught.value.problems[0]
    assert (problem.code, problem.line, problem.column) == ("not_utf8", 2, 3)


def test_encoded_surrogates_are_not_utf_8() -> None:
    """Three bytes that encode half a pair are no character."""
    with pytest.raises(DataError, match="is not UTF-8"):
        read_json(b'["\xed\xa0\x80"]')


def test_documents_have_a_size_limit() -> None:
    """One byte over the limit is too much."""
    assert read_json(b"[1,2]", max_bytes=5) == [1, 2]
    with pytest.raises(DataError) as caught:
        read_json(b"[1,2]", max_bytes=4)
    assert caught.value.code == "too_large"


def test_an_escaped_pair_is_one_character() -> None:
    """Two escapes that make a pair are joined."""
    assert read_json('"\\ud83d\\ude00"') == "\U0001f600"


def test_long_literals_are_shortened_in_messages() -> None:
    """A 5,000-digit integer is not repeated in full."""
    with pytest.raises(DataError) as caught:
        read_json("1" * 5000)
    assert "(5000 digits)" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_scanned_scalars_keep_their_text() -> None:
    """The located parser does not turn 1.0 into 1."""
    node = scan_nodes('{"a": 1.0,\n "b": "1.0"}')
    assert isinstance(node.value, dict)
    first, second = node.value["a"], node.value["b"]
    assert (first.kind, first.value, first.line, first.column) == ("plain", "1.0", 1, 7)
    assert (second.kind, second.value, second.line, second.column) == ("text", "1.0", 2, 7)


@pytest.mark.parametrize("line", [b'{"b":1,"a":2}', b"1.0", b'"\\u0061"', b"-0", b"1e3", b'{"a":1} ', b"[1, 2]"])
def test_json_that_is_not_canonical_is_refused_as_ours(line: bytes) -> None:
    """Our own lines have one spelling."""
    with pytest.raises(IntegrityError) as caught:
        parse_canonical(line, file="f", line=3)
    assert (caught.value.code, caught.value.problems[0].line) == ("not_canonical", 3)


@pytest.mark.parametrize(
    "line", [b"", b"{", b"nul", b"\xff", b"NaN", b'{"a":1,"a":1}', b"9007199254740993", b"[" * 100_000]
)
def test_what_is_not_json_is_refused_as_ours_with_its_own_code(line: bytes) -> None:
    """The strict reader's finding is passed on, as an integrity error."""
    with pytest.raises(IntegrityError) as caught:
        parse_canonical(line, file="f", line=3)
    assert caught.value.code != "not_canonical"
    assert caught.value.problems[0].line == 3


def test_folding_ignores_form_case_and_space() -> None:
    """Composed and decomposed, upper and lower, one blank and several are one after folding."""
    assert fold(" Cafe\u0301  STRASSE\n") == fold("caf\u00e9 straße") == "café strasse"
    assert fold("A  b", case=False) == "A b"
    assert fold("A  b", space=False) == "a  b"
    assert nfc("e\u0301") == "\u00e9"


def test_folding_a_value_folds_its_texts_and_leaves_its_keys() -> None:
    """Every text leaf is folded; keys, numbers and the shape stay."""
    assert fold_leaves({"Key": ["A ", {"B": "C"}], "n": 1}) == {"Key": ["a", {"B": "c"}], "n": 1}


@pytest.mark.parametrize("depth", [199, 201, 980, 1000, 1010, 1024, 1030, 5000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_every_depth_is_read_or_refused(depth: int, pair: tuple[str, str]) -> None:
    """Also just below the bound that a parser itself has."""
    document = (pair[0] * depth + "1" + pair[1] * depth).encode()
    if depth < MAX_DEPTH:
        read_json(document)
        return
    with pytest.raises(DataError) as caught:
        read_json(document)
    assert caught.value.code == "too_deep"
