"""Other people's tools and schemas, each below ``.bench``: fetched once by their own clients, offline after that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.programs import ROOT

BENCH = ROOT / ".bench"


def tool_python(name: str, *requirements: str) -> Path:
    """The interpreter of an environment that has some packages; made, or made anew, where it has not.

    Args:
        name: what the environment is called.
        requirements: the packages, each with its version.
    """
    home = BENCH / name
    program = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, wanted = home / ".installed", "\n".join(requirements)
    BENCH.mkdir(exist_ok=True)
    # Several test processes may want the same tool at once.
    with FileLock(BENCH / f".{name}.lock"):
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            venv.create(home, with_pip=True, clear=True)
            install: list[str | Path] = [
                program,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                *requirements,
            ]
            subprocess.run(install, check=True, timeout=600)
            stamp.write_text(wanted, encoding="utf-8")
    return program


def npm_package(requirement: str) -> Path:
    """The content of a package, as npm fetches it, such as a schema that is published nowhere else.

    Args:
        requirement: the package with its version, as in ``name@1.0.0``. Without npm the test fails: nothing else shows
            that what is written is what the schema says.
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail("npm is not installed, which fetches a published schema: install it (apt-get install npm)")
    return _unpacked(requirement, lambda folder: [npm, "pack", "--silent", "--pack-destination", folder, requirement])


def python_source(requirement: str) -> Path:
    """The content of the source archive of a Python package, which has more than what is installed.

    Args:
        requirement: the package with its version, as in ``name==1.0``.
    """
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:")
    pip = (sys.executable, "-m", "pip", "download", *options)
    return _unpacked(requirement, lambda folder: [*pip, "--dest", folder, requirement])


def _unpacked(requirement: str, command: Callable[[str], list[str]]) -> Path:
    """What an archive holds that a command fetches into a folder; the first folder in it."""
    name = "".join(char if char.isalnum() or char in ".-=" else "_" for char in requirement)
    home = BENCH / name
    stamp = home / ".fetched"
    BENCH.mkdir(exist_ok=True)
    with FileLock(BENCH / f".{name}.lock"):
        if not stamp.exists():
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            subprocess.run(command(str(home)), check=True, timeout=600, stdout=subprocess.DEVNULL)
            (archive,) = (path for path in home.iterdir() if path.suffix in (".tgz", ".gz"))
            with tarfile.open(archive) as content:
                content.extractall(home, filter="data")
            stamp.touch()
    (folder,) = (path for path in home.iterdir() if path.is_dir())
    return folder
