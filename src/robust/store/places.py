"""Where something stands in a located document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from robust.canon import Node

_LONGEST_PART = 80


def line_of(place: Node | None, *, at_key: bool) -> int | None:
    """Where something stands: a whole section at its key, a value where it is, which may be below its key."""
    if place is None:
        return None
    return place.key_line or place.line if at_key or place.kind in ("map", "list") else place.line


def node_at(node: Node | None, location: Sequence[str | int]) -> Node | None:
    """The node at a location, or the nearest one around it."""
    for part in location:
        if node is None:
            return None
        inner = None
        if isinstance(node.value, dict) and isinstance(part, str):
            inner = node.value.get(part)
        elif isinstance(node.value, list) and isinstance(part, int) and part < len(node.value):
            inner = node.value[part]
        if inner is None:
            return node
        node = inner
    return node


def node_of_path(node: Node, path: str) -> Node:
    """The node at a dotted path, or the nearest one around it; a key may hold dots itself."""
    members: Iterable[tuple[str | int, Node]] = ()
    if isinstance(node.value, dict):
        members = node.value.items()
    elif isinstance(node.value, list):
        members = enumerate(node.value)
    for key, inner in members:
        own = dotted([key]) or ""
        rest = path.removeprefix(own)
        if path == own or (rest != path and rest.startswith((".", "["))):
            return node_of_path(inner, rest.removeprefix("."))
    return node


def dotted(location: Sequence[str | int]) -> str | None:
    """A location as a dotted path, such as ``backend.rules[0].contains``."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            shown = part if len(part) <= _LONGEST_PART else part[: _LONGEST_PART - 1] + "…"
            path += f".{shown}" if path else shown
    return path or None
