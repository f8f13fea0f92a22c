"""The peers that this package is measured against, each in an environment of its own below ``.bench``."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / ".bench"
PEERS = {
    "multivon": "multivon-eval==0.20.0",
    "decguard": "decguard==0.1.1",
    "giskard": "giskard==2.19.2",
    "wobbly": "wobbly==0.4.0",
}


def peer_bin(name: str, *, timeout_s: float | None = None) -> Path:
    """The folder of a peer's programs, in an environment of its own that is made when it is not there yet.

    Args:
        name: of the peer.
        timeout_s: how long its installation may take; by default as long as it takes.

    Raises:
        SubprocessError: it could not be installed, or not in time.
    """
    home = BENCH / name
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    stamp = home / ".installed"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != PEERS[name]:
        print(f"installing {PEERS[name]} …", flush=True)
        venv.create(home, with_pip=True, clear=True)
        install: list[str | Path] = [
            programs / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            PEERS[name],
        ]
        subprocess.run(install, check=True, timeout=timeout_s)
        stamp.write_text(PEERS[name], encoding="utf-8")
    return programs
