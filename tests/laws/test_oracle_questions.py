"""Laws of ``robust.oracle/1``: a question is canonical JSON of what was captured, and no answer is misread."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.canon import canonical_bytes, decode_own
from robust.oracle.protocol import NotTheAnswer, encode_question, read_answer
from robust.oracle.question import capture
from robust.records.case import RELATIONS
from tests.laws.strategies import json_values

contracts = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}/v[0-9]{1,3}", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(texts, texts, st.dictionaries(texts, json_values, max_size=3), contracts, st.sampled_from(RELATIONS))
def test_a_question_is_the_canonical_form_of_what_it_says(
    before: str, after: str, metadata: dict[str, Any], contract: str, relation: str
) -> None:
    """Spliced from captured bytes, and no byte other than encoding the whole would give."""
    base = Case(before, 5, case_id="b", source_id="s", metadata=metadata)
    question = capture(base, Case({"t": after}, case_id="c", source_id="s"), relation=relation, labels="hidden")
    key, encoded = encode_question(question, contract)
    whole = {
        "protocol": "robust.oracle/1",
        "id": key,
        "contract": contract,
        "relation": relation,
        "base": decode_own(question.shown_base),
        "candidate": decode_own(question.shown_candidate),
    }
    assert encoded == canonical_bytes(whole)
    assert decode_own(encoded)["base"]["expected"] is None
    assert b"\n" not in encoded


@given(st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode())))
def test_whatever_a_program_says_is_an_observation_or_no_answer(said: bytes) -> None:
    """And nothing without the question's own id is one."""
    try:
        observation = read_answer(said, "sha256:" + "1" * 64)
    except NotTheAnswer as answer:
        observation = answer.observation
    assert observation.verdict is None
    assert observation.failures
