"""``docs/paraphrasing.md``: every block on the page is read or run by the code that it is meant for."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from robust.app.paraphrasers import build_paraphraser
from robust.records.contract import Contract
from robust.records.paraphrase import ParaphraseRequest
from robust.store.contracts import load_contract
from robust.store.paraphrases import ParaphraseFile
from tests.programs import ROOT, python

PAGE = (ROOT / "docs" / "paraphrasing.md").read_text(encoding="utf-8")


class Block(NamedTuple):
    """A block of the page: its language and its text."""

    language: str
    text: str


BLOCKS = [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
CONTRACT, *SOURCES = [block.text for block in BLOCKS if block.language == "yaml"]
(ROWS,) = [block.text for block in BLOCKS if block.language == "json"]
(MODULE,) = [block.text for block in BLOCKS if block.language == "python"]
(TOML,) = [block.text for block in BLOCKS if block.language == "toml"]
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from robust.app.paraphrasers import build_paraphraser
from robust.errors import RobustError
from robust.records.paraphrase import ParaphraseRequest, read_paraphrases
from robust.records.request import BackendFailure
from robust.store.contracts import load_contract

contract = load_contract(sys.argv[2])
try:
    made = build_paraphraser(contract, contract.properties.paraphrase.source, ".")
except RobustError as error:
    sys.exit(f"{error.code} {error}")
for text in sys.argv[3:]:
    request = ParaphraseRequest(case_id="c", text=text, samples=2, seed=0)
    try:
        print(json.dumps(read_paraphrases(made.paraphrase(request), request).to_json()))
    except BackendFailure as failure:
        print(failure.kind, failure)
"""


def _contract_with(source: str, folder: Path) -> Path:
    """The page's contract with another source."""
    inner = "".join(f"    {line}\n" for line in source.splitlines())
    text = CONTRACT.replace("    source: {provider: file, path: wordings.jsonl}\n", inner)
    assert inner in text
    path = folder / "contract.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def _source_of(contract: Contract) -> Any:
    assert contract.properties.paraphrase is not None
    return contract.properties.paraphrase.source


def test_no_block_escapes_these_tests() -> None:
    """Each is of a language that is looked at below; the template of the prompt is held by a law."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {block.language for block in BLOCKS} == {"yaml", "json", "text", "python", "toml"}
    assert len(SOURCES) == 2


def test_the_rows_of_the_page_are_those_of_a_file(tmp_path: Path) -> None:
    """And the page's contract looks them up."""
    (tmp_path / "contract.yaml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "wordings.jsonl").write_text(ROWS, encoding="utf-8")
    with closing(ParaphraseFile(tmp_path / "wordings.jsonl")) as file:
        assert file.find("c1", "") is not None
    contract = load_contract(tmp_path / "contract.yaml")
    made: Any = build_paraphraser(contract, _source_of(contract), tmp_path)
    given = made.paraphrase(ParaphraseRequest(case_id="c2", text="The parcel is here, thanks.", samples=2, seed=0))
    asyncio.run(made.aclose())
    assert given.texts == ("Thanks, the parcel has come.",)
    assert set(given.provenance) == {"provider", *_documented("file")}


def _documented(provider: str) -> set[str]:
    """What the page's table says that the provenance of a provider has."""
    table = PAGE.partition("| provider | provenance |")[2].partition("\n\n")[0]
    (row,) = [line for line in table.splitlines() if line.startswith(f"| `{provider}` |")]
    return set(re.findall(r"`(\w+)`", row)) - {provider, "instructions"}


def test_the_settings_of_the_chat_model_are_those_of_the_page(tmp_path: Path) -> None:
    """Its static provenance is in the table, too."""
    contract = load_contract(_contract_with(SOURCES[0], tmp_path))
    source = _source_of(contract)
    assert set(type(source).model_fields) - {"instructions"} == set(re.findall(r"^  (\w+):", SOURCES[0], re.MULTILINE))
    made: Any = build_paraphraser(contract, source, tmp_path)
    answered = {"seed", "answered_by", "system_fingerprint"}
    assert set(made.provenance) | answered == {"provider", *_documented("openai")}


@pytest.mark.parametrize("setting", ["", "  word: {}\n"])
def test_the_plugin_of_the_page_words_anew(tmp_path: Path, setting: str) -> None:
    """Once it is installed; a setting that it does not know is told with its place, and so is its absence."""
    packages = tmp_path / "packages"
    metadata = packages / "phone_words-1.0.dist-info"
    metadata.mkdir(parents=True)
    (packages / "phone_words.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: phone-words\nVersion: 1.0\n", encoding="utf-8")
    points = tomllib.loads(TOML)["project"]["entry-points"]["robust.paraphrasers"]
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[robust.paraphrasers]\n{lines}", encoding="utf-8")
    contract = _contract_with(SOURCES[1] + setting, tmp_path)
    texts = ("Please ring me tonight.", "Thanks.", "x" * 10_001)
    done = python(ASK, str(packages), str(contract), *texts)
    if setting:
        assert done.stderr.strip() == "unknown_key properties.paraphrase.source: there is no setting 'word' here"
        return
    assert done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert json.loads(first)["texts"] == ["Please call me tonight.", "Please ring me this evening."]
    assert json.loads(first)["provenance"]["provider"] == "synonyms"
    assert json.loads(second)["texts"] == []
    assert third == "backend_error the text is too long"
    missing = python(ASK, str(tmp_path), str(contract), *texts)
    assert missing.stderr.startswith("unknown_provider properties.paraphrase.source.provider:")
