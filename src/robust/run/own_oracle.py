"""Whether an oracle is the tested model, as far as names tell: a model may not judge its own test."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject, fold

_NO_NAMES: Final = frozenset(("", "default"))


def names_of_model(*names: str | None) -> frozenset[str]:
    """The folded names by which a model is known; what names nothing is left out."""
    return frozenset(fold(name) for name in names if name) - _NO_NAMES


def is_named(oracle: JsonObject, names: frozenset[str]) -> bool:
    """Whether an oracle, as records name it, has one of the names; ``model`` is that of an oracle with one."""
    return bool({fold(oracle["name"]), fold(oracle.get("model") or "")} & names)
