"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# Times are measured in benchmarks. A busy machine, or the first import of a library, is no reason to fail.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _command_server() -> Iterator[None]:
    """End the process that commands are forked from before what was measured in it is put together."""
    yield
    from tests.run_fixtures import SERVER

    SERVER.stop()
