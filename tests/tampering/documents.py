"""Single edits of a JSON document: at every place, every kind of change that leaves JSON behind."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from tests.independent import canonical

Path: TypeAlias = tuple[str | int, ...]
# From a document and a place to the bytes of the edited document; None where there is nothing of the kind to edit.
Operation: TypeAlias = Callable[[Any, Path], bytes | None]
_HEX: Final = re.compile(r"[0-9a-f]{64}\Z")
_MARK: Final = "here a member stands twice"


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place below the root, inner ones after the outer."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def shown(path: Path) -> str:
    """A place as a JSON path."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def field_of(path: Path) -> Path:
    """The field that a place holds, which is the same in every entry of a list and in the summary of every property."""
    return tuple(
        "*" if isinstance(part, int) or path[at - 1 : at] == ("properties",) else part for at, part in enumerate(path)
    )


def encoded(value: Any) -> bytes:
    """Canonical bytes; of a document, most of whose members were encoded before, in little time."""
    if not isinstance(value, dict):
        return canonical(value)
    named = sorted(value.items(), key=lambda item: item[0].encode("utf-16-be"))
    return b"{%s}" % b",".join(_member(name, inner) for name, inner in named)


def _member(name: str, value: Any) -> bytes:
    return _encoded(json.dumps(name)) + b":" + _encoded(json.dumps(value))


# By a text that tells one value from every other, 1 from 1.0 and True, and is had far sooner.
@lru_cache(maxsize=10_000)
def _encoded(text: str) -> bytes:
    return canonical(json.loads(text))


def at(value: Any, path: Path) -> Any:
    """What stands at a place."""
    for part in path:
        value = value[part]
    return value


def _same_kind(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if isinstance(value, int) else value / 2
    if isinstance(value, str):
        # A digest stays one, so that it is not its form that is refused.
        digit = "1" if value.endswith("0") else "0"
        return value[:-1] + digit if _HEX.search(value) else value + "x"
    if isinstance(value, list):
        return value[:-1] if value else [1]
    return {} if value else {"x": 1}


def _other_kind(value: Any) -> Any:
    """What reads almost the same and is of another kind."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if value is None:
        return 0
    return {"0": value} if isinstance(value, list) else [value]


def _opened(document: Any, path: Path) -> tuple[Any, Any]:
    """A copy of a document to edit at a place, as deep as it is edited; and what holds the place."""
    whole = holder = copy.copy(document)
    for part in path[:-1]:
        holder[part] = copy.copy(holder[part])
        holder = holder[part]
    return whole, holder


def _put(document: Any, path: Path, new: Any) -> bytes:
    edited, holder = _opened(document, path)
    holder[path[-1]] = new
    return encoded(edited)


def _changed(document: Any, path: Path) -> bytes | None:
    value = at(document, path)
    return None if value is None else _put(document, path, _same_kind(value))


def _of_other_kind(document: Any, path: Path) -> bytes | None:
    return _put(document, path, _other_kind(at(document, path)))


def _null(document: Any, path: Path) -> bytes | None:
    return None if at(document, path) is None else _put(document, path, None)


def _removed(document: Any, path: Path) -> bytes | None:
    edited, holder = _opened(document, path)
    del holder[path[-1]]
    return encoded(edited)


def _renamed(document: Any, path: Path) -> bytes | None:
    edited, holder = _opened(document, path)
    if not isinstance(holder, dict):
        return None
    holder[f"{path[-1]}x"] = holder.pop(path[-1])
    return encoded(edited)


def _added(document: Any, path: Path) -> bytes | None:
    """A member beside it, or behind it in a list a copy of it."""
    edited, holder = _opened(document, path)
    if isinstance(holder, list):
        holder.insert(int(path[-1]), holder[int(path[-1])])
    else:
        holder[f"{path[-1]}_"] = None
    return encoded(edited)


def _twice(document: Any, path: Path, first: Callable[[Any], Any]) -> bytes | None:
    holder = at(document, path[:-1])
    if not isinstance(holder, dict):
        return None
    key = str(path[-1])
    members = b",".join(
        part
        for name, value in sorted(holder.items(), key=lambda item: item[0].encode("utf-16-be"))
        for part in ([_member(name, first(value))] if name == key else []) + [_member(name, value)]
    )
    whole = b"{%s}" % members
    return whole if len(path) == 1 else _put(document, path[:-1], _MARK).replace(canonical(_MARK), whole)


def _repeated(document: Any, path: Path) -> bytes | None:
    return _twice(document, path, lambda value: value)


def _overruled(document: Any, path: Path) -> bytes | None:
    return _twice(document, path, lambda value: _other_kind(value) if value is None else _same_kind(value))


OPERATIONS: Final[dict[str, Operation]] = {
    "changed": _changed,
    "of another kind": _of_other_kind,
    "null": _null,
    "removed": _removed,
    "renamed": _renamed,
    "added": _added,
    "repeated": _repeated,
    "overruled": _overruled,
}
