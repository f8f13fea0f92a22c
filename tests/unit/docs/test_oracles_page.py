"""``docs/oracles.md``: every block on the page is executed, or compared with the code that it tells of."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import robust
from robust import Case
from robust.app.oracles import GROUP
from robust.oracle.positional_words import BOTH, ORDINALS, POSITIONAL_PHRASES
from robust.oracle.presentation import PresentationOracle
from robust.records.oracle_config import BUILT_IN
from robust.store.contracts import load_contract
from tests.programs import ROOT, python
from tests.run_fixtures import robust as command

WHOLE = (ROOT / "docs" / "oracles.md").read_text(encoding="utf-8")
# What the page says of `preserves` is held by that oracle's own tests.
PAGE = re.sub(r"^## `preserves`\n.*?(?=^## )", "", WHOLE, flags=re.MULTILINE | re.DOTALL)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
OF: dict[str, list[str]] = {}
for language, block in BLOCKS:
    OF.setdefault(language, []).append(block)
(CONTRACT,) = [block for block in OF["yaml"] if block.startswith("# contract.yaml\n")]
SECTIONS = [block for block in OF["yaml"] if block != CONTRACT]
(SCRIPT,) = [block for block in OF["python"] if "run_contract(" in block]
ASK = """
import sys
from pathlib import Path
folder = Path(sys.argv[1])
sys.path.insert(0, str(folder / "packages"))
import robust
from robust import Case
from robust.app.oracles import build_judges
from robust.errors import RobustError
from robust.store.contracts import load_contract

try:
    judge = build_judges(load_contract(folder / "c.yaml"), folder)["inversion"]
except RobustError as error:
    sys.exit(str(error))
for text in sys.argv[2:]:
    base, candidate = (Case(each, case_id=each, source_id="s") for each in ("The escrow is closed.", text))
    print(judge.oracle()["name"], judge.validator(base, candidate).valid)
"""
(COMBINED,) = [block for block in OF["python"] if block.startswith("# combined.py\n")]
PRINTED, *LISTS = OF["text"]
(MODULE,) = [block for block in OF["python"] if block.startswith("# glossary_oracle.py\n")]


def words(block: str) -> list[str]:
    return [" ".join(word.split()) for word in block.replace(",\n", ", ").split(", ")]


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is looked at below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    counted = {kind: len(blocks) for kind, blocks in OF.items()}
    assert counted == {"json": 1, "jsonl": 1, "python": 3, "toml": 1, "yaml": 3, "text": 7}


def test_the_list_on_the_page_is_the_list_that_is_used() -> None:
    """A phrase that is told and not used, or used and not told, would mislead."""
    *phrases, ordinals, both = map(words, LISTS)
    assert sorted(word for block in phrases for word in block) == sorted(POSITIONAL_PHRASES)
    assert set(both) == set(BOTH)
    assert set(ordinals) <= set(ORDINALS)
    assert {word.rstrip("rsnm") for word in set(ORDINALS) - set(ordinals)} <= set(ordinals)


def test_the_providers_of_the_page_are_those_there_are() -> None:
    """And each has its section."""
    table = PAGE.partition("| provider | what it says |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(BUILT_IN)
    assert set(re.findall(r"^## `(\w+)`", WHOLE, re.MULTILINE)) == set(BUILT_IN) - {"builtin"}


def test_the_presentation_of_the_page_is_one() -> None:
    """As the oracle is shown it."""
    (shown,) = map(json.loads, OF["json"])
    own = {"input": shown["input"], "labels": sorted([label, label] for _, label in shown["labels"])[::-1]}
    base, candidate = Case(own, case_id="b", source_id="s"), Case(shown, case_id="c", source_id="s")
    assert PresentationOracle()(base, candidate).valid is True


@pytest.mark.parametrize(
    "sentence", re.findall(r"^- a label that .*?(?=\n- |\n\n)", PAGE, re.MULTILINE | re.DOTALL)[1:]
)
def test_every_label_that_the_page_calls_positional_is(sentence: str) -> None:
    """In another order."""
    labels = re.findall(r"`([^`]+)`", sentence)
    assert labels or "numeral" in sentence
    for label in labels:
        others = [other for other in labels if other[1:2] in (")", ".")] or ["yes", "no"]
        pairs = [[each, each] for each in dict.fromkeys([label, *others])]
        base = Case({"input": "?", "labels": pairs}, case_id="b", source_id="s")
        turned = Case({"input": "?", "labels": pairs[::-1]}, case_id="c", source_id="s")
        assert PresentationOracle()(base, turned).valid is None, label


def test_what_the_page_calls_ordinary_is() -> None:
    """Each of them among two others."""
    paragraph = PAGE.partition("only as a set does not:")[2].partition("\n\n")[0]
    labels = re.findall(r"`([^`]+)`", paragraph)
    assert len(labels) > 8
    for label in labels:
        pairs = [[each, each] for each in ("yes", "no", label)]
        base = Case({"input": "?", "labels": pairs}, case_id="b", source_id="s")
        turned = Case({"input": "?", "labels": pairs[::-1]}, case_id="c", source_id="s")
        assert PresentationOracle()(base, turned).valid is True, label


def test_the_script_of_the_page_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole run with a validator from Python."""
    monkeypatch.chdir(tmp_path)
    Path("contract.yaml").write_text(CONTRACT, encoding="utf-8")
    Path("applicants.jsonl").write_text(OF["jsonl"][0], encoding="utf-8")
    exec(compile(SCRIPT, "docs/oracles.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is our own page
    printed = capsys.readouterr().out.splitlines()
    assert printed == re.findall(r"`(\w+ \d \d \d)`", PAGE)
    assert len(printed) == 2


def test_the_sections_of_the_page_are_read(tmp_path: Path) -> None:
    """In a contract that has a property for them."""
    for section in SECTIONS:
        rest = CONTRACT.partition("oracles:")[0].replace("    oracle: {provider: sentences}\n", "")
        (tmp_path / "c.yaml").write_text(rest + section, encoding="utf-8")
        assert load_contract(tmp_path / "c.yaml").oracles.default is not None


@pytest.mark.parametrize("setting", ["", "  default: {provider: glossary, terms: terms.txt, more: 1}\n"])
def test_the_plugin_of_the_page_judges(tmp_path: Path, setting: str) -> None:
    """Once it is installed; what it says of its settings is shown with its place."""
    metadata = tmp_path / "packages" / "glossary_oracle-1.0.dist-info"
    metadata.mkdir(parents=True)
    (tmp_path / "packages" / "glossary_oracle.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: glossary-oracle\nVersion: 1.0\n", encoding="utf-8")
    points = tomllib.loads(OF["toml"][0])["project"]["entry-points"][GROUP]
    entries = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{entries}", encoding="utf-8")
    (tmp_path / "terms.txt").write_text("escrow\nlien\n", encoding="utf-8")
    (section,) = [each for each in SECTIONS if "glossary" in each]
    rest = CONTRACT.partition("oracles:")[0].replace("    oracle: {provider: sentences}\n", "")
    (tmp_path / "c.yaml").write_text(rest + ("oracles:\n" + setting if setting else section), encoding="utf-8")
    done = python(ASK, str(tmp_path), "The account is closed.", "Closed is the escrow.")
    if setting:
        assert done.stderr.strip() == "oracles.default: a glossary has one setting, terms: the path of a text file"
    else:
        assert (done.stdout.splitlines(), done.stderr) == (["glossary False", "glossary None"], "")


def test_the_combination_of_the_page_judges_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line."""
    exec(compile(COMBINED, "docs/oracles.md", "exec"), {"__name__": "combined"})  # noqa: S102 - it is our own page
    assert capsys.readouterr().out == PRINTED


def test_the_tables_of_the_page_name_what_there_is() -> None:
    """Readers that can be imported, and options that the command has."""
    readers = re.findall(r"^\| `(read_\w+)\(text\)`", PAGE, re.MULTILINE)
    assert readers == [
        name for name in ("read_number", "read_quantity", "read_date", "read_set") if hasattr(robust, name)
    ]
    section = PAGE.partition("## On the command line\n")[2].partition("\n## ")[0]
    shown = command("variants", "validate", "--help", env={"COLUMNS": "200"}).stdout
    for option in set(re.findall(r"`(--[a-z-]+)", section)):
        assert option.replace("--no-", "--") in shown or option in shown, option
