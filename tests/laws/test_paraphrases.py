"""Laws of paraphrases: prompts that carry any text, answers that come back as they are, files that find every row."""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust.backends.openai_answers import AnswerError
from robust.backends.paraphrase_chat import read_wordings, template, write_prompt
from robust.canon import fold, nfc, read_json
from robust.records.paraphrase import ParaphraseRequest, Paraphrases, read_paraphrases, wordings_problem
from robust.records.request import BackendFailure
from robust.store.paraphrases import ParaphraseFile, Wordings
from tests.laws.strategies import ids, json_objects, json_values

ODD = st.sampled_from(["{n}", "{text}", "-----", '"]', "\\n", "\u2028-----\u2028", "\n-----\n", "```", "[redacted]"])
anything = st.text(max_size=30) | st.lists(ODD | st.text(max_size=5), max_size=6).map("".join)
wordings = st.lists(
    anything.filter(lambda text: wordings_problem([text]) is None),
    max_size=5,
    unique_by=lambda text: fold(text, case=False),
)


def chat(content: str) -> dict[str, Any]:
    """A chat answer of this content."""
    return {"choices": [{"message": {"content": content}}]}


@given(anything, st.integers(1, 20), st.none() | anything.filter(str.strip))
def test_whatever_a_text_holds_it_is_one_line_of_the_prompt_and_reads_back(
    text: str, samples: int, instructions: str | None
) -> None:
    """Nothing in it is taken for a place of the template, and nothing in it ends it."""
    prompt = write_prompt(text, samples, instructions)
    built_in, _, frame = template().rstrip("\n").partition("\n\n")
    what_to_do = (built_in if instructions is None else instructions.strip()).replace("{n}", str(samples))
    before, after = (part.replace("{n}", str(samples)) for part in frame.split("{text}"))
    assert prompt.startswith(f"{what_to_do}\n\n{before}")
    assert prompt.endswith(after)
    line = prompt[len(what_to_do) + 2 + len(before) : len(prompt) - len(after)]
    assert "\n" not in line
    assert json.loads(line) == text


@given(wordings, st.booleans(), st.sampled_from(["", " ", "\n", "\t\r\n"]))
def test_an_array_of_texts_comes_back_as_it_was_said(texts: list[str], ascii_only: bool, blank: str) -> None:
    """However it is escaped, with or without white space around it."""
    content = blank + json.dumps(texts, ensure_ascii=ascii_only) + blank
    assert read_wordings(chat(content)) == tuple(texts)


@given(json_values | st.text())
def test_any_answer_is_an_array_or_an_error(value: Any) -> None:
    """Never a crash, and never something that is no array."""
    for content in (value if isinstance(value, str) else json.dumps(value), value):
        try:
            items = read_wordings({"choices": [{"message": {"content": content}}]})
        except AnswerError as error:
            assert str(error)
        else:
            assert list(items) == read_json(content)


@given(
    st.lists(anything | st.none() | st.integers(), max_size=4).map(tuple),
    json_objects,
    json_objects,
    st.integers(1, 4),
)
def test_what_is_read_is_an_answer_and_survives_being_kept(
    texts: Any, provenance: Any, observed: Any, samples: int
) -> None:
    """Whatever a plugin gives is refused, or good for all that follows; and reading it again changes nothing."""
    asked = ParaphraseRequest(case_id="a", text="x", samples=samples, seed=0)
    try:
        read = read_paraphrases(Paraphrases(texts=texts, provenance=provenance, observed=observed), asked)
    except BackendFailure as failure:
        assert failure.kind == "invalid_response"
        assert len(texts) > samples or wordings_problem(texts) is not None
        return
    assert read.texts == texts
    assert len(texts) <= samples
    kept = read_json(json.dumps(read.to_json()))
    assert read_paraphrases(Paraphrases.from_json(kept), asked) == read


rows = st.lists(
    st.tuples(st.booleans(), ids | st.sampled_from(["\u00e9", "e\u0301", "a"]), wordings.filter(bool)),
    min_size=1,
    max_size=8,
    unique_by=lambda row: (row[0], nfc(row[1]) if row[0] else row[1]),
)


@settings(max_examples=50)
@given(rows, st.booleans(), ids, ids)
def test_every_row_is_found_by_its_own_key_and_by_no_other(
    drawn: list[tuple[bool, str, list[str]]], ascii_only: bool, case_id: str, text: str
) -> None:
    """Like two dictionaries, that of the ids first."""
    by_id = {nfc(key): (line, texts) for line, (is_id, key, texts) in enumerate(drawn, 1) if is_id}
    by_text = {key: (line, texts) for line, (is_id, key, texts) in enumerate(drawn, 1) if not is_id}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        lines = [{"id" if is_id else "input": key, "paraphrases": texts} for is_id, key, texts in drawn]
        content = "".join(json.dumps(line, ensure_ascii=ascii_only) + "\n" for line in lines)
        path.write_bytes(content.encode())
        with closing(ParaphraseFile(path)) as file:
            known = [key for _, key, _ in drawn]
            for asked_id in (*known, case_id):
                for asked_text in (*known, text):
                    row = by_id.get(nfc(asked_id)) or by_text.get(asked_text)
                    expected = None if row is None else Wordings(row[0], tuple(row[1]))
                    assert file.find(asked_id, asked_text) == expected


def test_the_documented_template_is_the_one_that_is_used() -> None:
    """To the byte."""
    page = (Path(__file__).parents[2] / "docs" / "paraphrasing.md").read_text(encoding="utf-8")
    assert f"```text\n{template()}```\n" in page


@pytest.mark.parametrize("place", ["{n}", "{text}"])
def test_the_template_has_the_places_that_are_filled(place: str) -> None:
    """In the part that instructions of one's own leave alone; the text once."""
    assert template().partition("\n\n")[2].count(place) == 1
