"""The pytest plugin: the fixture ``robust_check``, the marker ``robust`` and ``--robust-output``; no configuration.

pytest loads this whenever it starts, so that nothing of ours is imported here until a test asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from robust.app.pytest_checks import RobustCheck

_OPTION = "robust_output"
# What the checks of a test came to, until one of its reports takes it along; also from one process to another.
_FOUND = pytest.StashKey[list[dict[str, Any]]]()
_CHECKS = pytest.StashKey["RobustCheck"]()
_ATTRIBUTE = "robust_checks"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--robust-output DIR``."""
    parser.getgroup("robust").addoption(
        "--robust-output",
        dest=_OPTION,
        metavar="DIR",
        help="write the run directory of each robust_check under DIR, named after its test",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker, and fix the folder before anything changes the current one."""
    config.addinivalue_line("markers", "robust(samples=…, alpha=…, …): options of robust_check in the tests so marked")
    folder = config.getoption(_OPTION)
    if folder is not None:
        setattr(config.option, _OPTION, os.path.abspath(folder))  # noqa: PTH100 - a link stays as it was given


@pytest.fixture
def robust_check(request: pytest.FixtureRequest) -> RobustCheck:
    """Check a system by relations, as ``robust.check`` does, and fail the test where they do not hold."""
    from robust.app.pytest_checks import RobustCheck, marked_options

    item: pytest.Item = request.node
    made = item.stash.get(_CHECKS, None)
    if made is not None:
        return made  # one for all attempts of a test, so that each has a run directory of its own
    markers = [(marker.args, marker.kwargs) for marker in item.iter_markers("robust")]
    options = marked_options(markers, item.nodeid)
    found = item.stash.setdefault(_FOUND, [])
    return item.stash.setdefault(
        _CHECKS, RobustCheck(item.nodeid, options, request.config.getoption(_OPTION), found.append)
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a marker with an option that there is none of, also where the test does not ask for the fixture."""
    markers = [(marker.args, marker.kwargs) for marker in item.iter_markers("robust")]
    if markers:
        from robust.app.pytest_checks import marked_options

        marked_options(markers, item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put what was found into the report of a test, which also goes from a worker to who tells of all."""
    report = yield
    found = item.stash.get(_FOUND, None)
    if found:
        setattr(report, _ATTRIBUTE, list(found))
        found.clear()
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What the checks of all tests came to; nothing where there were none."""
    reports = [report for listed in terminalreporter.stats.values() for report in listed]
    found = [(report.nodeid, each) for report in reports for each in getattr(report, _ATTRIBUTE, ())]
    if not found:
        return
    from robust.render.pytest_summary import summary_lines

    terminalreporter.section("robust checks")
    for line in summary_lines(found, short=terminalreporter.verbosity < 0):
        terminalreporter.line(line)
