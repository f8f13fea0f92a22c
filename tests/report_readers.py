"""Readers of the formats of reports that are not ours: published schemas, and the parsers of other people."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema

from tests.tool_environments import npm_package, python_source, tool_python

# It validates each file, and says what a reader of JUnit files makes of it.
_JUNIT = """
import json, sys
import junitparser, xmlschema
schema = xmlschema.XMLSchema10(sys.argv[1])
told = []
for file in sys.argv[2:]:
    schema.validate(file)
    suites = junitparser.JUnitXml.fromfile(file)
    told.append({
        "totals": [suites.tests, suites.failures, suites.errors],
        "suites": [[suite.name, suite.tests, suite.failures, suite.errors, suite.skipped] for suite in suites],
        "cases": [
            [case.classname, case.name, [type(result).__name__ for result in case.result]]
            for suite in suites for case in suite
        ],
    })
print(json.dumps(told))
"""
_MARKDOWN = """
import json, sys
import cmarkgfm
from cmarkgfm.cmark import Options
texts = json.load(sys.stdin)
unsafe = Options.CMARK_OPT_UNSAFE
print(json.dumps([cmarkgfm.github_flavored_markdown_to_html(text, options=unsafe) for text in texts]))
"""


def read_junit(*files: Path) -> list[dict[str, Any]]:
    """What ``junitparser`` reads in files that are valid by Jenkins' schema; of another one an error is raised."""
    program = tool_python("junit", "junitparser==5.0.3", "xmlschema==4.3.2")
    # The source archive of pytest ships the schema for its own tests.
    schema = python_source("pytest==9.0.0") / "testing" / "example_scripts" / "junit-10.xsd"
    command = [str(program), "-c", _JUNIT, str(schema), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def github_html(*texts: str) -> list[str]:
    """What the reference implementation of GitHub-flavoured Markdown makes of texts; it lets HTML through."""
    program = tool_python("markdown", "cmarkgfm==2025.10.22")
    done = subprocess.run(
        [str(program), "-c", _MARKDOWN],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    pages: list[str] = json.loads(done.stdout)
    return pages


@functools.cache
def _sarif_schema() -> jsonschema.Draft7Validator:
    folder = npm_package("@microsoft/jest-sarif@1.0.0-beta.0")
    schema = json.loads((folder / "lib" / "schemas" / "sarif-2.1.0-rtm.5.json").read_bytes())
    checker = jsonschema.FormatChecker()
    return jsonschema.Draft7Validator(schema, format_checker=checker)


def assert_sarif(text: str) -> dict[str, Any]:
    """A SARIF log that is valid by the published schema."""
    log: dict[str, Any] = json.loads(text)
    errors = [f"{error.json_path}: {error.message[:200]}" for error in _sarif_schema().iter_errors(log)]
    assert errors == []
    return log
