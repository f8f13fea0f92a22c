"""Programs that tests start as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


# For programs that may not write files: the measuring of coverage does.
UNMEASURED = {"COVERAGE_PROCESS_START": "", "COVERAGE_PROCESS_CONFIG": ""}


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a fresh interpreter that can import the package and these tests.

    A variable that is given empty is taken out of the environment.
    """
    cleared = {name for name, value in environment.items() if not value}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=ROOT,
        env={name: value for name, value in {**os.environ, **environment}.items() if name not in cleared},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def start_python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start Python code in a fresh interpreter and talk to it by lines."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def is_running(process: int) -> bool:
    """Whether a process exists and has not ended; one that ended but was not yet collected does not run."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not (status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z")
