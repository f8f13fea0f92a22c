"""Options of a command in groups, each a dataclass, so that commands with many of them stay readable."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters that are dataclasses are given by options of their own, one for each field.

    A field is annotated as a parameter of a command would be. Each parameter that is such a group must be
    keyword-only, and no two groups may have a field of one name.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: dict[str, inspect.Parameter] = {}
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if not (isinstance(kind, type) and is_dataclass(kind)):
            parameters[name] = parameter.replace(annotation=kind)
            continue
        own = get_type_hints(kind, include_extras=True)
        groups[name] = (kind, [field.name for field in fields(kind)])
        for field in fields(kind):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters[field.name] = inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=own[field.name]
            )

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: make(**{field: given.pop(field) for field in names}) for name, (make, names) in groups.items()}
        command(**given, **made)

    # What typer reads: the options of the groups stand where the parameters did.
    run.__dict__.pop("__wrapped__", None)
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    return run
