"""What installed packages bring, of whatever kind; what each registry makes of it stands with the registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest

from robust.backends.plugins import PluginGroup
from robust.errors import BackendError, DataError, Problem

GROUP = PluginGroup(name="robust.things_of_tests", what="oven", built_in=("stone",))


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that bring ovens: one made of a class of the standard library, one under a name that is taken."""
    folder = tmp_path / "ovens-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: ovens\nVersion: 1.0\n", encoding="utf-8")
    points = "[robust.things_of_tests]\ngas = builtins:dict\nstone = builtins:dict\n"
    (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


def empty(factory: Any) -> Any:
    """An oven without settings."""
    return factory()


def fits(_made: Any) -> None:
    """Everything is an oven."""


def raising(error: BaseException) -> Any:
    """Something that ends in this when it is called with whatever."""

    def call(_given: Any) -> NoReturn:
        raise error

    return call


def test_what_a_package_makes_is_handed_over_as_it_is() -> None:
    """From what its entry point names."""
    made = GROUP.make("gas", lambda factory: factory(hot=True), fits, path="kitchen")
    assert made == {"hot": True}


def test_a_name_that_is_built_in_is_not_looked_for() -> None:
    """A registry that gets here has none of its own under it, so there is none."""
    with pytest.raises(BackendError) as caught:
        GROUP.make("stone", empty, fits, path="kitchen")
    problem = caught.value.problems[0]
    assert (problem.code, problem.path, problem.message) == (
        "unknown_provider",
        "kitchen.provider",
        "no oven is called 'stone'",
    )


def test_what_fails_is_told_with_what_to_do() -> None:
    """Whether it is made, or looked at."""
    for call, check, said in (
        (raising(ValueError("cold")), fits, "cannot make an oven: ValueError: cold"),
        (empty, raising(OSError("away")), "made dict, which cannot be looked at: OSError: away"),
        (empty, lambda made: "which is cold", "made dict, which is cold"),
    ):
        with pytest.raises(BackendError) as caught:
            GROUP.make("gas", call, check, path="kitchen")
        (problem,) = caught.value.problems
        assert (problem.code, problem.path) == ("bad_plugin", "kitchen")
        assert problem.message == f"the plugin 'gas' (builtins:dict) {said}"
        assert problem.hint is not None


def test_what_a_package_says_itself_gets_the_place_that_it_does_not_have() -> None:
    """And keeps the one that it has."""
    own = DataError(
        Problem(code="a", message="m"),
        Problem(code="b", message="m", path="kitchen.door"),
        Problem(code="c", message="m", file="f", line=3),
    )
    with pytest.raises(DataError) as caught:
        GROUP.make("gas", raising(own), fits, path="kitchen")
    assert [problem.path for problem in caught.value.problems] == ["kitchen", "kitchen.door", None]


@pytest.mark.parametrize("checking", [False, True])
def test_the_user_can_stop_whatever_a_package_does(checking: bool) -> None:
    """It is no fault of the package."""
    stop = raising(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        GROUP.make("gas", empty if checking else stop, stop if checking else fits, path="kitchen")
