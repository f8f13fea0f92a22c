"""The evidence that is tampered with, made once for all processes of the tests."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock

from tests.tampering.workshop import Workshop, make_workshop, read_workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Made by whichever process comes first; nothing is ever written there again."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    place = shared / "workshop"
    with FileLock(shared / "workshop.lock"):
        if not place.exists():
            # Under its name only when it is whole.
            partial = Path(tempfile.mkdtemp(dir=shared))
            make_workshop(partial)
            partial.rename(place)
    return read_workshop(place)
