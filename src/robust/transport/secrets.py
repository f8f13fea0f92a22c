"""Secrets from the environment: read when they are first sent, remembered so that they can be redacted, never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from robust.errors import BackendError, Problem

_VISIBLE = re.compile(r"[!-~](?:[ -~]*[!-~])?\Z")


def read_secrets(variables: Mapping[str, str], path: str, remember: Callable[[str], None]) -> dict[str, str]:
    """The values of environment variables, as they can be sent in a header.

    Args:
        variables: by the setting that names it, the name of the variable.
        path: where these settings stand, for errors.
        remember: told every form in which a value may come back, so that it can be redacted.

    Raises:
        BackendError: a variable is not set, is empty, or holds what no header can: one problem for each, with its name
            and never its value.
    """
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for setting, variable in variables.items():
        value = os.environ.get(variable, "")
        # Also as it stands in what Python prints of text and of bytes, such as a log of headers.
        for form in {value, repr(value)[1:-1], repr(os.fsencode(value))[2:-1]}:
            remember(form)
        wrong = _what_is_wrong(value)
        if wrong is None:
            values[setting] = value
        else:
            message = f"the environment variable {variable} {wrong}"
            here = f"{path}.{setting}"
            problems.append(Problem(code="bad_credential", message=message, path=here, hint=f"set {variable}"))
    if problems:
        raise BackendError(*problems)
    return values


def _what_is_wrong(value: str) -> str | None:
    if not value:
        return "is not set"
    if "\n" in value or "\r" in value:
        return "holds a line break, which no header can"
    if not value.isascii():
        return "holds a character that is not ASCII, which no header can"
    if not _VISIBLE.match(value):
        return "holds a control character, or a blank at its start or end, which no header can"
    return None
