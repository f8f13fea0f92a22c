"""Files of paraphrases: read strictly, put aside, looked up by id and by text."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from robust.canon import digest_bytes
from robust.errors import DataError, UsageError
from robust.store.paraphrases import ParaphraseFile, Wordings
from tests.programs import UNMEASURED, python


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "wordings.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@contextmanager
def opened(folder: Path, *rows: Any) -> Iterator[ParaphraseFile]:
    with closing(ParaphraseFile(written(folder, *rows))) as file:
        yield file


def refused(folder: Path, *rows: Any) -> list[tuple[str, int | None, str | None, str]]:
    path = written(folder, *rows)
    with pytest.raises(DataError) as caught:
        ParaphraseFile(path)
    assert {problem.file for problem in caught.value.problems} == {str(path)}
    return [(problem.code, problem.line, problem.path, problem.message) for problem in caught.value.problems]


GOOD = {"id": "t1", "paraphrases": ["Give me my money back.", "I want a refund."]}


def test_a_case_is_looked_up_by_its_id_first_and_then_by_its_text(tmp_path: Path) -> None:
    """An id that is there hides a text that is there, too; what is neither has no paraphrases."""
    by_text = {"input": "my money back", "paraphrases": ["a refund, please"]}
    with opened(tmp_path, by_text, GOOD) as file:
        assert file.find("t1", "my money back") == Wordings(2, ("Give me my money back.", "I want a refund."))
        assert file.find("t2", "my money back") == Wordings(1, ("a refund, please",))
        assert file.find("t2", "My money back") is None
        assert file.find("my money back", "t1") is None


def test_ids_are_the_same_after_normalisation_and_texts_to_the_character(tmp_path: Path) -> None:
    """As ids are in data sets."""
    with opened(tmp_path, {"id": "\u00e9", "paraphrases": ["x"]}, {"input": "\u00e9", "paraphrases": ["y"]}) as file:
        assert file.find("e\u0301", "") == Wordings(1, ("x",))
        assert file.find("z", "\u00e9") == Wordings(2, ("y",))
        assert file.find("z", "e\u0301") is None
        assert file.find("\ud800", "\ud800") is None


def test_the_file_has_a_name_and_a_digest(tmp_path: Path) -> None:
    """Of its bytes as they are; where it lies is nobody's business."""
    with opened(tmp_path, GOOD) as file:
        assert file.name == "wordings.jsonl"
        assert file.sha256 == digest_bytes((tmp_path / "wordings.jsonl").read_bytes())


def test_blank_lines_crlf_a_mark_and_a_missing_last_line_feed_are_fine(tmp_path: Path) -> None:
    """Lines are counted as editors count them."""
    path = tmp_path / "w.jsonl"
    rows = b'\xef\xbb\xbf{"id":"a","paraphrases":["x"]}\r\n\r\n  \n{"input":"y\xe2\x80\xa8z","paraphrases":["\\u00e9"]}'
    path.write_bytes(rows)
    with closing(ParaphraseFile(path)) as file:
        assert file.find("a", "") == Wordings(1, ("x",))
        assert file.find("", "y\u2028z") == Wordings(4, ("\u00e9",))


HINT = "a row needs the id of a case, or its input"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("[]", [("wrong_value", "$", "a row must be an object, not a list")]),
        ({}, [("missing_field", "$", HINT), ("missing_field", "$.paraphrases", "the field is missing")]),
        ({"paraphrases": ["x"]}, [("missing_field", "$", HINT)]),
        ({"id": "b"}, [("missing_field", "$.paraphrases", "the field is missing")]),
        (
            {"id": "b", "input": "x", "paraphrases": ["y"]},
            [("wrong_value", "$", "a row is looked up by its id or by its input, not by both")],
        ),
        (
            {"id": "b", "paraphrase": ["y"]},
            [
                ("unknown_field", "$.paraphrase", "no such field"),
                ("missing_field", "$.paraphrases", "the field is missing"),
            ],
        ),
        ({"id": 5, "paraphrases": ["x"]}, [("bad_id", "$.id", "an id must be text, not an integer")]),
        ({"id": "", "paraphrases": ["x"]}, [("bad_id", "$.id", "an id must have 1 to 256 characters, this one has 0")]),
        (
            {"input": {"a": 1}, "paraphrases": ["x"]},
            [("wrong_value", "$.input", "must be the text itself, not an object")],
        ),
        ({"input": None, "paraphrases": ["x"]}, [("wrong_value", "$.input", "must be the text itself, not null")]),
        ({"id": "b", "paraphrases": "x"}, [("wrong_value", "$.paraphrases", "must be a list of texts, not text")]),
        (
            {"id": "b", "paraphrases": ["x", 5]},
            [("wrong_value", "$.paraphrases[1]", "must be text, not an integer")],
        ),
        ({"id": "b", "paraphrases": ["\u200b "]}, [("wrong_value", "$.paraphrases[0]", "is blank")]),
        ({"id": "b", "paraphrases": ["a\x00"]}, [("wrong_value", "$.paraphrases[0]", "holds a NUL character")]),
        (
            {"id": "b", "paraphrases": ["x", "y", " x"]},
            [("wrong_value", "$.paraphrases[2]", "says the same as number 1")],
        ),
        (
            '{"id":"b","paraphrases":["x"],"id":"c"}',
            [("duplicate_key", "$.id", "the key 'id' stands here and in line 3")],
        ),
        (
            '{"id":"b","paraphrases":["\\ud800"]}',
            [("lone_surrogate", "$.paraphrases[0]", "text holds a lone surrogate")],
        ),
        ('{"id":"b","paraphrases":[NaN]}', [("not_a_number", "$.paraphrases[0]", "NaN is not JSON")]),
        (
            '{"id":"b","paraphrases":["x"]} {}',
            [("json_syntax", "$", "more text follows after the JSON value")],
        ),
        ({"id": "t1", "paraphrases": ["x"]}, [("duplicate_id", None, "the id 't1' stands here and in line 1")]),
        (
            {"input": "long " * 20, "paraphrases": ["x"]},
            [("duplicate_input", None, f"the input '{'long ' * 11}long…' stands here and in line 2")],
        ),
    ],
)
def test_a_wrong_row_is_named_with_line_and_path(tmp_path: Path, row: Any, expected: list[Any]) -> None:
    """Everything that is wrong with it, and both lines of what stands twice."""
    found = refused(tmp_path, GOOD, {"input": "long " * 20, "paraphrases": ["y"]}, row)
    assert found == [(code, 3, path, message) for code, path, message in expected]


def test_bytes_that_are_no_utf_8_are_named(tmp_path: Path) -> None:
    """Latin-1 is not guessed."""
    path = tmp_path / "w.jsonl"
    path.write_bytes(b'{"id":"a","paraphrases":["x"]}\n{"id":"b","paraphrases":["caf\xe9"]}\n')
    with pytest.raises(DataError) as caught:
        ParaphraseFile(path)
    assert (caught.value.code, caught.value.problems[0].line) == ("not_utf8", 2)


def test_an_id_that_stands_twice_after_normalisation_is_one(tmp_path: Path) -> None:
    """An id and a text may be alike: they are looked up apart."""
    twice = [{"id": "\u00e9", "paraphrases": ["x"]}, {"input": "\u00e9", "paraphrases": ["x"]}]
    with opened(tmp_path, *twice):
        pass
    (found,) = refused(tmp_path, *twice, {"id": "e\u0301", "paraphrases": ["y"]})
    assert found[:2] == ("duplicate_id", 3)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_rows_is_refused(tmp_path: Path, content: str) -> None:
    """Every case would be skipped, which nobody can want."""
    (found,) = refused(tmp_path, *content.split("\n"))
    assert found[0] == "no_paraphrases"


def test_what_cannot_be_read_as_a_file_is_a_usage_error(tmp_path: Path) -> None:
    """A missing file, a folder, a path that is none, a pipe that would be waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, code in ((tmp_path / "none", "unreadable"), (tmp_path, "unreadable"), (pipe, "unreadable")):
        with pytest.raises(UsageError) as caught:
            ParaphraseFile(path)
        assert (caught.value.code, caught.value.problems[0].file) == (code, str(path))
    with pytest.raises(UsageError) as caught:
        ParaphraseFile("a\x00b")
    assert caught.value.code == "bad_path"


def test_what_is_looked_up_is_what_was_read(tmp_path: Path) -> None:
    """Whatever becomes of the file."""
    with opened(tmp_path, GOOD) as file:
        (tmp_path / "wordings.jsonl").unlink()
        assert file.find("t1", "") is not None


def test_several_threads_may_look_up_at_once(tmp_path: Path) -> None:
    """Each gets its own row, also in a thread that did not read the file."""
    rows = [{"id": f"c{number}", "paraphrases": [f"wording of {number}"]} for number in range(200)]
    together = threading.Barrier(4)
    with opened(tmp_path, *rows) as file, ThreadPoolExecutor(4) as pool:

        def find(start: int) -> bool:
            together.wait()
            return all(
                file.find(f"c{number}", "") == Wordings(number + 1, (f"wording of {number}",))
                for number in range(start, 200, 4)
            )

        assert list(pool.map(find, range(4))) == [True] * 4


MEMORY = """
import resource, sys
from robust.store.paraphrases import ParaphraseFile

def highest():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

ParaphraseFile(sys.argv[1]).close()
before = highest()
many = ParaphraseFile(sys.argv[2])
print(highest() - before, many.find("c4999", "").texts[0][:6])
many.close()
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Beyond a cache of 8 MiB: of 30 MB of rows the rest is put aside on disk."""
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    filling = "x" * 3000
    for path, count in ((few, 10), (many, 5_000)):
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                texts = [f"first {filling}{number}", f"second {filling}{number}"]
                file.write(json.dumps({"id": f"c{number}", "paraphrases": texts}) + "\n")
    done = python(MEMORY, str(few), str(many), **UNMEASURED)
    assert done.stderr == ""
    grown, found = done.stdout.split()
    assert found == "first"
    assert int(grown) < 20


FULL = """
import resource, signal, sys
from robust.store.paraphrases import ParaphraseFile
from robust.errors import UsageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    ParaphraseFile(sys.argv[1])
except UsageError as error:
    print(error.code, error)
"""


def test_a_full_disk_is_told_with_what_to_do(tmp_path: Path) -> None:
    """And it is not taken for a fault of the file."""
    rows = ({"id": f"c{number}", "paraphrases": ["x" * 50_000]} for number in range(250))
    done = python(FULL, str(written(tmp_path, *rows)), **UNMEASURED)
    assert done.stderr == ""
    assert done.stdout.startswith("unwritable ")
    assert "paraphrases cannot be put aside" in done.stdout
    assert "SQLITE_TMPDIR" in done.stdout
