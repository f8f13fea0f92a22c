"""What the ``openai`` paraphraser says and hears: the template ``paraphrase_prompt.txt``, and the array in an answer.

The first paragraph of the template is what to do; ``instructions`` of the contract stand in its place. The rest says
what is material and how to answer. The text stands in it as one JSON string, so that nothing in it can end it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

from robust.backends.openai_answers import AnswerError, answer_text, first_choice
from robust.canon import canonical_text, describe, digest_bytes, read_json
from robust.errors import DataError

_PLACE: Final = re.compile(r"\{(n|text)\}")
_PARAGRAPH: Final = "\n\n"
_FENCE: Final = "```"


@cache
def template() -> str:
    """The template: the built-in instructions, and the frame around them and the text."""
    return (files("robust.backends") / "paraphrase_prompt.txt").read_bytes().decode("utf-8")


def prompt_digest(instructions: str | None = None) -> str:
    """The digest of the template that is used; without instructions of one's own that of the file's bytes."""
    return digest_bytes(_PARAGRAPH.join(_parts(instructions)).encode("utf-8"))


def write_prompt(text: str, samples: int, instructions: str | None = None) -> str:
    """The prompt for one text.

    Each place is filled once, so that braces in the text stay what they are. In instructions of one's own ``{n}`` is
    the only place.

    Args:
        text: the text, without lone surrogates.
        samples: the most wordings that are wanted.
        instructions: what to do, instead of the template's first paragraph.
    """
    filled = {"n": str(samples), "text": canonical_text(text)}
    what_to_do, frame = _parts(instructions)
    framed = _PLACE.sub(lambda place: filled[place[1]], frame).rstrip("\n")
    return what_to_do.replace("{n}", filled["n"]) + _PARAGRAPH + framed


def _parts(instructions: str | None) -> tuple[str, str]:
    """What to do, and the rest of the template."""
    built_in, _, frame = template().partition(_PARAGRAPH)
    return built_in if instructions is None else instructions.strip(), frame


def read_wordings(value: Any) -> tuple[Any, ...]:
    """The items of the JSON array that is the whole content of a chat answer, as they stand there.

    Raises:
        AnswerError: there is no content, or it is anything else; in words that quote nothing of it.
    """
    choice = first_choice(value)
    content = answer_text(choice)
    try:
        items = read_json(content)
    except DataError as error:
        problem = error.problems[0]
    else:
        if isinstance(items, list):
            return tuple(items)
        raise AnswerError(f"the content must be a JSON array of texts, not {describe(items)}")
    if choice.get("finish_reason") == "length":
        raise AnswerError("the content was cut short by the endpoint's limit on tokens; ask for fewer samples")
    if content.lstrip().startswith(_FENCE):
        raise AnswerError("the content is in a Markdown fence, where a JSON array and nothing else was asked for")
    if not content.strip():
        raise AnswerError("the content is empty, where a JSON array was asked for")
    place = "" if problem.line is None else f" at line {problem.line}, column {problem.column}"
    raise AnswerError(f"the content is not a JSON array alone ({problem.code}{place})")
