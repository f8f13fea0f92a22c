"""Other people's tools, each in an environment of its own below ``.bench``: installed once, offline after that."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

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
