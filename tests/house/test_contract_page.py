"""The reference page of contracts says what the models say: its tables are made from them."""

from __future__ import annotations

import re

import pytest

from robust.records.contract_schema import contract_schema
from robust.store.contracts import contract_of_node
from robust.store.yaml_nodes import yaml_nodes
from tests.contract_page import PAGE, documented, regenerated

TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = [text for text in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL) if "decision:" in text]
# Providers that share their settings with one in the page, or have none.
SAID_IN_WORDS = {"Properties", "IdentitySource", "PresentationOracle", "PreservesOracle", "PluginOracle"}
SHARED = {"SegmentGates": "ProductionGates", "RegressionGates": "Regression"}


def test_every_table_is_as_the_models_have_it() -> None:
    """After a change of a setting: python -m tests.contract_page."""
    assert regenerated(TEXT) == TEXT


def test_every_section_is_in_the_page() -> None:
    """As a table, but for those that share one with another or have nothing to set."""
    shared = {name for name, other in SHARED.items() if other in documented(TEXT)}
    sections = {name for name in contract_schema()["$defs"] if not name.endswith("-0.1")}
    assert sections - documented(TEXT) - SAID_IN_WORDS - shared == set()


@pytest.mark.parametrize("name", ["presentation", "preserves", "builtin", "reviewed", "identity", "command", "http"])
def test_every_provider_is_named(name: str) -> None:
    """Those of oracles and paraphrases, too."""
    assert f"`{name}`" in TEXT or f"provider: {name}" in TEXT


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_of_the_page_are_contracts(text: str) -> None:
    """As they stand there."""
    assert contract_of_node(yaml_nodes(text)).decision.name


def test_there_are_examples() -> None:
    """Otherwise the test above would mean nothing."""
    assert EXAMPLES
