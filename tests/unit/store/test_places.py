"""Where something stands in a document, by its location and by its dotted path."""

from __future__ import annotations

import pytest

from robust.store.places import dotted, line_of, node_at, node_of_path
from robust.store.yaml_nodes import yaml_nodes

TEXT = """\
backend:
  rules:
    - contains: x
    - contains:
        y
aliases:
  a.b: 1
  "a.b[0]": 2
  "": 3
"""
NODE = yaml_nodes(TEXT)


@pytest.mark.parametrize(
    ("location", "path", "line"),
    [
        (("backend",), "backend", 1),
        (("backend", "rules"), "backend.rules", 2),
        (("backend", "rules", 0, "contains"), "backend.rules[0].contains", 3),
        (("backend", "rules", 1), "backend.rules[1]", 4),
        (("backend", "rules", 1, "contains"), "backend.rules[1].contains", 5),
        (("aliases", "a.b"), "aliases.a.b", 7),
        (("aliases", "a.b[0]"), "aliases.a.b[0]", 8),
        (("backend", "rules", 7), "backend.rules[7]", 2),
        (("backend", "rules", 0, "nothing"), "backend.rules[0].nothing", 3),
        (("nothing",), "nothing", 1),
    ],
)
def test_a_place_is_found_by_location_and_by_path(location: tuple[str | int, ...], path: str, line: int) -> None:
    """What is not there is as near as can be."""
    assert dotted(location) == path
    assert line_of(node_at(NODE, location), at_key=False) == line
    if location[-1] != "a.b[0]":  # which, as a path, is also the first item of a.b
        assert line_of(node_of_path(NODE, path), at_key=False) == line


def test_an_unknown_key_is_found_at_the_key_and_a_value_at_the_value() -> None:
    """The value may stand a line below."""
    place = node_at(NODE, ("backend", "rules", 1, "contains"))
    assert (line_of(place, at_key=True), line_of(place, at_key=False)) == (4, 5)
    assert line_of(None, at_key=True) is None


def test_the_path_of_an_enormous_key_is_shortened() -> None:
    """A message stays readable."""
    path = dotted(("a", "x" * 100_000, 3))
    assert path is not None
    assert len(path) < 100
    assert dotted(()) is None
