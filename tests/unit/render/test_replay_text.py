"""Replays as plain text."""

from __future__ import annotations

from typing import Any

from robust.canon import JsonObject
from robust.render.replay import replay_text

DIGEST = "sha256:" + "0" * 64
COMPARISON = {"base_selected": "yes", "variant_selected": "no", "tv_distance": 0.25}


def report(**more: Any) -> JsonObject:
    """What came of a replay."""
    counts = {"replayed": 1, "reproduced": 1, "differs": 0, "error": 0, "not_reproduced": 0, "not_replayable": {}}
    return {
        "status": "fail",
        "contract": {"name": "topic"},
        "backend": {"name": "default", "model": "m-1", "provider": "http"},
        "same_backend": True,
        "counts": counts,
        "digest": DIGEST,
        "observed": {"messages": {}},
        **more,
    }


def result(**more: Any) -> JsonObject:
    """One result."""
    return {
        "id": "option_order/a/0",
        "property": "option_order",
        "status": "reproduced",
        "recorded": {"error": None, "violations": ["max_tv_distance"]},
        "found": {"error": None, "violations": ["max_tv_distance", "max_flip_rate"], "comparison": COMPARISON},
        "reduced": None,
        "regenerated": True,
        "same_answers": False,
        **more,
    }


def shown(whole: JsonObject, *results: JsonObject, path: str = "runs/one") -> str:
    """The whole text."""
    return "\n".join(replay_text(whole, results, path))


def test_the_outcome_comes_first_and_the_digest_last() -> None:
    """Between them each failure with what broke then and now."""
    text = shown(report(), result())
    assert text.splitlines() == [
        "FAIL  topic: m-1 (http)",
        "  failures of runs/one",
        "  1 replayed: 1 reproduced",
        "",
        "  reproduced      option_order/a/0",
        "      recorded max_tv_distance; now max_tv_distance, max_flip_rate",
        "      yes -> no, total variation 0.25",
        "      same answers as stored: NO; made again from the seed: yes",
        "",
        "Replay digest over ids and answers (equal wherever the same is answered)",
        DIGEST,
    ]


def test_what_could_not_be_told_says_why() -> None:
    """The first message of each kind of error; a paraphrase is not made again."""
    counts = {"replayed": 2, "reproduced": 0, "differs": 0, "error": 2, "not_reproduced": 0}
    whole = report(
        status="error",
        same_backend=False,
        counts={**counts, "not_replayable": {"paraphrase_error": 3}},
        observed={"messages": {"unavailable": "nobody listens " * 40}},
    )
    failed: JsonObject = {"error": "unavailable", "violations": [], "comparison": None}
    again = result(
        status="error", found=failed, reduced={"status": "error", **failed}, regenerated=None, same_answers=True
    )
    text = shown(whole, again, result(id="decision/a", property=None, status="error", found=failed))
    assert "  the backend is not the one that ran, or not as it was\n" in text
    assert "  not replayed, as nothing was ever sent: 3 paraphrase_error\n" in text
    assert "  not evaluated   option_order/a/0\n" in text
    assert "      reduced form: could not be evaluated (unavailable)\n" in text
    assert "made again from the seed: not regenerated" in text
    assert "  the first unavailable:\n    nobody listens" in text
    assert "made again" not in text.partition("decision/a")[2]
    assert all(len(line) <= 80 for line in text.splitlines())


def test_an_id_is_never_cut_and_nothing_reaches_the_terminal_as_a_command() -> None:
    """Ids, labels, paths and messages come from data."""
    name = "option_order/" + "x" * 200 + "\x1b[2J/0"
    comparison = {**COMPARISON, "base_selected": "a\u202eb", "variant_selected": "\x07"}
    found: JsonObject = {"error": None, "violations": [], "comparison": comparison}
    whole = report(observed={"messages": {"timeout": "\x1b]0;title\x07"}})
    text = shown(whole, result(id=name, found=found), path="run\x1b[1m")
    assert "x" * 200 + "\\u{1b}[2J/0" in text
    assert not any(char in text for char in "\x1b\x07\u202e")
