"""The public API as a caller sees it: its names, its weight, and its types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import robust
from tests.programs import ROOT, python

LIGHT = """
import sys
import robust
print(sorted({"pydantic", "orjson", "typer", "rich", "yaml", "asyncio", "rfc8785"} & set(sys.modules)))
print(robust.__version__)
print(sorted({"pydantic", "orjson", "typer", "rich", "yaml", "asyncio", "rfc8785"} & set(sys.modules)))
"""


def test_all_is_sorted_and_has_no_name_twice() -> None:
    """The list of names is the documentation's order."""
    assert list(robust.__all__) == sorted(set(robust.__all__))
    assert dir(robust) == list(robust.__all__)


def _home_of(value: Any) -> str:
    """The module that something is defined in; a module, which is a name space, is its own."""
    home: str = value.__name__ if isinstance(value, ModuleType) else value.__module__
    return home


@pytest.mark.parametrize("name", robust.__all__)
def test_every_name_resolves(name: str) -> None:
    """To something that knows where it lives, but for the version."""
    value = getattr(robust, name)
    assert name == "__version__" or _home_of(value).startswith("robust.")
    assert getattr(robust, name) is value


def test_other_names_do_not_exist() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        robust.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Neither does asking for its version."""
    shown = python(LIGHT)
    assert shown.stderr == ""
    assert shown.stdout.splitlines() == ["[]", robust.__version__, "[]"]


def test_a_caller_is_checked_by_the_type_checker(tmp_path: Path) -> None:
    """The example of correct use passes mypy in strict mode; the wrong uses are found, each of them."""
    api = Path(__file__).with_name("api.py")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(api.with_name("wrong_uses.txt").read_text(encoding="utf-8"), encoding="utf-8")
    outcomes = [
        subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        for path in (api, wrong)
    ]
    assert outcomes[0].returncode == 0, outcomes[0].stdout
    found = {int(line.split(":")[1]) for line in outcomes[1].stdout.splitlines() if ": error:" in line}
    lines = wrong.read_text(encoding="utf-8").splitlines()
    assert found == {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
