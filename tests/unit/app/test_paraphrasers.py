"""From the ``source`` of a contract to a paraphraser; and paraphrasers that installed packages bring."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from robust.app.paraphrasers import FileParaphraser, build_paraphraser, check_paraphraser
from robust.canon import digest_bytes
from robust.errors import BackendError, DataError, RobustError, UsageError
from robust.records.contract import Contract
from robust.records.paraphrase import ParaphraseRequest, Paraphrases, read_paraphrases
from robust.records.seams import Paraphraser
from tests.programs import python

PLUGIN = '''
"""A package with paraphrasers, good and bad."""

from robust import BackendError, DataError, Paraphrases


class Shouting:
    def __init__(self, settings, folder):
        self.provenance = {"provider": "shouting", **settings, "folder": folder.as_posix()}

    async def paraphrase(self, request):
        loud = request.text.upper() + self.provenance["mark"]
        return Paraphrases(texts=(loud,), provenance={**self.provenance, "seed": request.seed})


def make(settings, *, folder):
    return Shouting(settings, folder)


def refuses(settings, *, folder):
    raise BackendError.of("no_mark", "there is no mark")


def refuses_elsewhere(settings, *, folder):
    raise DataError.of("no_mark", "there is no mark", file="marks.txt", line=3)


def raises(settings, *, folder):
    raise SystemExit("never mind")


def makes_nothing(settings, *, folder):
    return None


class Silent:
    provenance = {"provider": "silent"}
    paraphrase = "nothing"


class Nameless:
    provenance = {"model": "m"}

    def paraphrase(self, request):
        return Paraphrases(texts=(), provenance={})


class Odd(Nameless):
    provenance = {"provider": "odd", "made": object()}


class Broken(Nameless):
    @property
    def provenance(self):
        raise RuntimeError("not today")


silent = lambda settings, *, folder: Silent()
nameless = lambda settings, *, folder: Nameless()
odd = lambda settings, *, folder: Odd()
broken = lambda settings, *, folder: Broken()
number = 5
'''
ENTRY_POINTS = """
[robust.paraphrasers]
shouting = words_shop:make
identity = words_shop:makes_nothing
file = words_shop:makes_nothing
openai = words_shop:makes_nothing
refuses = words_shop:refuses
elsewhere = words_shop:refuses_elsewhere
raises = words_shop:raises
makes-nothing = words_shop:makes_nothing
silent = words_shop:silent
nameless = words_shop:nameless
odd = words_shop:odd
broken = words_shop:broken
number = words_shop:number
no-module = words_away:make
no-name = words_shop:missing
breaks = words_breaking:make
twice = words_shop:make
"""
ASK = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from robust.app.paraphrasers import build_paraphraser
from robust.errors import RobustError
from robust.records.contract import Contract
from robust.records.paraphrase import ParaphraseRequest, read_paraphrases

for text in sys.argv[2:]:
    contract = Contract.model_validate({
        "schema_version": "1",
        "decision": {"name": "q", "type": "noul", "description": "Is it so?"},
        "backend": "mock",
        "oracles": {"policy": "assumed"},
        "properties": {"paraphrase": {"max_flip_rate": 0, "source": json.loads(text)}},
    })
    try:
        made = build_paraphraser(contract, contract.properties.paraphrase.source, Path("a", "b"))
    except RobustError as error:
        print(type(error).__name__, "|", error.code, "|", error)
        continue
    if made is None:
        print("none")
        continue
    request = ParaphraseRequest(case_id="c", text="hear", samples=1, seed=3)
    print(json.dumps(read_paraphrases(asyncio.run(made.paraphrase(request)), request).to_json()))
"""


def contract_with(source: Any) -> Contract:
    """A contract whose paraphrases come from a source."""
    return Contract.model_validate(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "noul", "description": "Is it so?"},
            "backend": "mock",
            "oracles": {"policy": "assumed"},
            "properties": {"paraphrase": {"max_flip_rate": 0, "source": source}},
        }
    )


def build(source: Any, folder: Path) -> Paraphraser | None:
    """What a source builds."""
    contract = contract_with(source)
    assert contract.properties.paraphrase is not None
    return build_paraphraser(contract, contract.properties.paraphrase.source, folder)


def refusal(source: Any, folder: Path) -> RobustError:
    """Why a source builds nothing; checking it says the same."""
    contract = contract_with(source)
    assert contract.properties.paraphrase is not None
    found = []
    for work in (build_paraphraser, check_paraphraser):
        with pytest.raises(RobustError) as caught:
            work(contract, contract.properties.paraphrase.source, folder)
        found.append(caught.value)
    assert found[0].problems == found[1].problems
    return found[0]


def asked(case_id: str, text: str, samples: int = 2) -> ParaphraseRequest:
    """A request."""
    return ParaphraseRequest(case_id=case_id, text=text, samples=samples, seed=0)


@pytest.mark.parametrize("source", ["identity", {"provider": "identity"}, {}])
def test_the_same_input_again_needs_nobody(tmp_path: Path, source: Any) -> None:
    """It is the default."""
    assert build(source, tmp_path) is None


def test_a_file_gives_the_first_paraphrases_of_a_case_with_their_line(tmp_path: Path) -> None:
    """Relative to the contract; the record names the file without its folders, and the digest of its bytes."""
    (tmp_path / "words").mkdir()
    path = tmp_path / "words" / "w.jsonl"
    rows = [{"input": "so it is", "paraphrases": ["it is so"]}, {"id": "a", "paraphrases": ["x", "y", "z"]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = build({"provider": "file", "path": "words/w.jsonl"}, tmp_path)
    assert isinstance(made, FileParaphraser)
    assert isinstance(made, Paraphraser)
    whole = {"provider": "file", "name": "w.jsonl", "sha256": digest_bytes(path.read_bytes())}
    assert made.provenance == whole
    for request, texts, line in ((asked("a", "so it is"), ("x", "y"), 2), (asked("b", "so it is"), ("it is so",), 1)):
        given = made.paraphrase(request)
        assert given == Paraphrases(texts=texts, provenance={**whole, "line": line})
        assert read_paraphrases(given, request) == given
    assert made.paraphrase(asked("b", "other")) == Paraphrases(texts=(), provenance=whole)
    assert made.paraphrase(asked("a", "", 20)).texts == ("x", "y", "z")
    asyncio.run(made.aclose())
    made.close()


def test_what_is_wrong_with_a_file_is_named_by_line_and_a_missing_one_by_its_setting(tmp_path: Path) -> None:
    """So that one knows which of the two files to mend."""
    source = {"provider": "file", "path": "w.jsonl"}
    missing = refusal(source, tmp_path)
    (problem,) = missing.problems
    assert isinstance(missing, UsageError)
    assert (problem.code, problem.file) == ("unreadable", str(tmp_path / "w.jsonl"))
    assert problem.path == "properties.paraphrase.source.path"
    (tmp_path / "w.jsonl").write_text('{"id": "a", "paraphrases": ["x"]}\n{"id": "b"}\n', encoding="utf-8")
    wrong = refusal(source, tmp_path)
    assert isinstance(wrong, DataError)
    assert str(wrong) == f"{tmp_path / 'w.jsonl'}:2: $.paraphrases: the field is missing"


def test_checking_a_good_source_asks_nobody_and_holds_nothing(tmp_path: Path) -> None:
    """Neither a key nor a server is needed, and no file stays open."""
    (tmp_path / "w.jsonl").write_text('{"id": "a", "paraphrases": ["x"]}\n', encoding="utf-8")
    chat = {"provider": "openai", "model": "m", "url": "http://127.0.0.1:9/v1", "api_key_env": "ROBUST_NOT_SET"}
    for source in ("identity", {"provider": "file", "path": "w.jsonl"}, chat):
        contract = contract_with(source)
        assert contract.properties.paraphrase is not None
        check_paraphraser(contract, contract.properties.paraphrase.source, tmp_path)


def test_a_chat_model_is_built_without_being_asked(tmp_path: Path) -> None:
    """What is wrong with its settings is told by their place in the contract."""
    made = build({"provider": "openai", "model": "m"}, tmp_path)
    assert isinstance(made, Paraphraser)
    assert (made.provenance["provider"], made.provenance["model"]) == ("openai", "m")
    wrong = refusal({"provider": "openai", "model": "m", "url": "http://a/v1/chat/completions"}, tmp_path)
    assert isinstance(wrong, BackendError)
    assert (wrong.code, wrong.problems[0].path) == ("bad_url", "properties.paraphrase.source.url")
    wrong = refusal({"provider": "openai", "model": "m", "url": "http://xn--/v1"}, tmp_path)
    assert (wrong.code, wrong.problems[0].path) == ("bad_url", "properties.paraphrase.source.url")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder in which a package with entry points is installed, and a second one that brings one of them again."""
    (tmp_path / "words_shop.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "words_breaking.py").write_text("import sys\nsys.exit('no')\n", encoding="utf-8")
    other = "[robust.paraphrasers]\ntwice = other:make\n"
    for name, points in (("words_shop", ENTRY_POINTS), ("other_words", other)):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    return tmp_path


def test_an_installed_package_brings_a_paraphraser(installed: Path) -> None:
    """It gets its settings as plain JSON, and the folder of the contract."""
    done = python(ASK, str(installed), '{"provider": "shouting", "mark": "!", "deep": {"a": [1, null]}}')
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "texts": ["HEAR!"],
        "provenance": {
            "provider": "shouting",
            "mark": "!",
            "deep": {"a": [1, None]},
            "folder": "a/b",
            "seed": 3,
        },
        "usage": None,
        "observed": {},
    }


def test_the_names_of_built_in_paraphrasers_cannot_be_taken(installed: Path) -> None:
    """The package registers them in vain."""
    sources = ('"identity"', '{"provider": "file", "path": "none.jsonl"}', '{"provider": "openai", "model": ""}')
    done = python(ASK, str(installed), *sources[:2])
    lines = done.stdout.splitlines()
    assert lines[0] == "none"
    assert lines[1].startswith("UsageError | unreadable | ")
    # A setting that only the built-in one has is checked as its own.
    assert "ValidationError" in python(ASK, str(installed), sources[2]).stderr


def test_what_is_wrong_with_a_package_is_an_error_that_names_it_and_says_what_to_do(installed: Path) -> None:
    """Whatever it does: when imported, when called, or by what it gives."""
    found = {
        "no-module": ".provider: the plugin 'no-module' (words_away:make) cannot be imported: ModuleNotFoundError",
        "no-name": ".provider: the plugin 'no-name' (words_shop:missing) cannot be imported: AttributeError",
        "breaks": ".provider: the plugin 'breaks' (words_breaking:make) cannot be imported: SystemExit: no; install",
        "number": ".provider: the plugin 'number' (words_shop:number) is int, which cannot be called; install",
        "raises": ": the plugin 'raises' (words_shop:raises) cannot make a paraphraser: SystemExit: never mind; check",
        "makes-nothing": ": the plugin 'makes-nothing' (words_shop:makes_nothing) made NoneType, which has no prov",
        "silent": ": the plugin 'silent' (words_shop:silent) made Silent, which has no provenance and paraphrase",
        "nameless": ": the plugin 'nameless' (words_shop:nameless) made Nameless, whose provenance is no JSON object",
        "odd": ": the plugin 'odd' (words_shop:odd) made Odd, whose provenance is no JSON object with a provider",
        "broken": ": the plugin 'broken' (words_shop:broken) made Broken, which cannot be looked at: RuntimeError: not",
    }
    own = ("refuses", "elsewhere", "twice", "shoutin")
    done = python(ASK, str(installed), *(f'{{"provider": "{provider}"}}' for provider in (*found, *own)))
    assert done.stderr == ""
    lines = dict(zip((*found, *own), done.stdout.splitlines(), strict=True))
    for provider, said in found.items():
        assert lines[provider].startswith(f"BackendError | bad_plugin | properties.paraphrase.source{said}")
        assert lines[provider].endswith("made it") or lines[provider].endswith("made the package")
    assert lines["refuses"] == "BackendError | no_mark | properties.paraphrase.source: there is no mark"
    assert lines["elsewhere"] == "DataError | no_mark | marks.txt:3: there is no mark"
    assert lines["twice"].startswith("BackendError | ambiguous_plugin | properties.paraphrase.source.provider: several")
    assert lines["shoutin"].startswith("BackendError | unknown_provider | properties.paraphrase.source.provider: no ")
    assert lines["shoutin"].endswith("did you mean 'shouting'?")


def test_a_contract_without_a_chat_model_loads_no_http() -> None:
    """It costs time and memory."""
    code = "import sys, robust.app.paraphrasers; print([m for m in ('httpx', 'stamina') if m in sys.modules])"
    assert python(code).stdout == "[]\n"
