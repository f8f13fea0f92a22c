"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.measured import take_away_broken

# Times are measured in benchmarks. A busy machine, or the first import of a library, is no reason to fail.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def _command_server() -> Iterator[None]:
    """End the process that commands are forked from before what was measured in it is put together."""
    yield
    from tests.run_fixtures import SERVER

    SERVER.stop()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Before what all processes measured is put together, in the process that does so."""
    result = yield
    plugins = session.config.pluginmanager
    reporter = plugins.get_plugin("terminalreporter")
    if plugins.hasplugin("_cov") and not hasattr(session.config, "workerinput"):
        for name in take_away_broken(session.config.rootpath):
            if reporter is not None:
                reporter.write_line(f"\n{name} was cut short: it is left out of the coverage")
    return result
