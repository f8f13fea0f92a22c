"""Contract files as bytes: syntax, keys, aliases, encodings, sizes; by the C parser and by the Python parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from robust.errors import ContractError, UsageError
from robust.store.contracts import contract_of_node, load_contract
from robust.store.yaml_nodes import yaml_nodes
from tests.unit.app.contract_texts import HEAD, choice, load, placed, read, refused

LOADERS = [pytest.param(yaml.CSafeLoader, id="c"), pytest.param(yaml.SafeLoader, id="python")]
PLACED: dict[str, tuple[str, str, int]] = {
    "duplicate key": (HEAD + "split: a\nsplit: b\n", "duplicate_key", 8),
    "sequence as a key": (HEAD + "? [a, b]\n: c\n", "bad_key", 7),
    "mapping as a key": (HEAD + "? {a: b}\n: c\n", "bad_key", 7),
    "tag": (HEAD + "split: !!python/object:os.system x\n", "yaml_tag", 7),
    "tag of a known type": (HEAD + "split: !!str x\n", "yaml_tag", 7),
    "second document": (HEAD + "---\na: b\n", "yaml_syntax", 7),
    "alias of nothing": (HEAD + "split: *nobody\n", "yaml_alias", 7),
    "alias inside what it names": (HEAD + "properties: &a {variants: *a}\n", "yaml_alias", 7),
    "tab as indentation": (HEAD + "warnings:\n\tmax_error_rate: 1\n", "yaml_syntax", 8),
    "unclosed bracket": (HEAD + "split: [a\n", "yaml_syntax", 8),
    "unclosed quote": (HEAD + 'split: "a\n', "yaml_syntax", 8),
    "nested too deep": (HEAD + "split: " + "[" * 300 + "]" * 300 + "\n", "too_deep", 7),
}


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("name", PLACED)
def test_both_parsers_refuse_the_same_with_the_same_line(name: str, loader: Any) -> None:
    """R3, R7, and what YAML adds: tags, documents, aliases, tabs."""
    text, code, line = PLACED[name]
    with pytest.raises(ContractError) as caught:
        yaml_nodes(text, file="c.yaml", loader=loader)
    problem = caught.value.problems[0]
    assert (problem.code, problem.line, problem.file) == (code, line, "c.yaml")
    assert problem.column is not None


@pytest.mark.parametrize("loader", LOADERS)
def test_both_parsers_give_the_same_nodes(loader: Any) -> None:
    """Kinds, values, lines and columns, through anchors, block text, quotes and comments."""
    text = choice("[yes, 'no', \"on\", 010]", "# a comment\ndataset: &d |\n  two\n  lines\nsplit: *d\n")
    assert yaml_nodes(text, loader=loader) == yaml_nodes(text, loader=yaml.SafeLoader)


def test_a_repeated_key_names_both_lines(tmp_path: Path) -> None:
    """R3: max_flip_rate twice, in YAML and in JSON."""
    text = HEAD + "properties:\n  variants:\n    max_flip_rate: 0.1\n    level: warning\n    max_flip_rate: 0.2\n"
    problem = refused(tmp_path, text).problems[0]
    assert (problem.code, problem.line) == ("duplicate_key", 11)
    assert "line 9" in problem.message
    twice = '{\n"schema_version": "1",\n"decision": {},\n"schema_version": "1"}'
    problem = refused(tmp_path, twice, "c.json").problems[0]
    assert (problem.code, problem.line) == ("duplicate_key", 4)
    assert "line 2" in problem.message


@pytest.mark.parametrize("loader", LOADERS)
def test_aliases_cannot_expand_a_small_file_into_a_huge_one(loader: Any) -> None:
    """A billion laughs end at the limit, at once."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(ContractError) as caught:
        yaml_nodes("\n".join(lines), loader=loader)
    assert caught.value.code == "too_large"


def test_an_alias_may_be_used_within_reason() -> None:
    """The same limits twice, written once; the latest anchor of a name counts."""
    contract = read(HEAD + "requirements: &l {min_accuracy: 0.5}\nwarnings: *l\n")
    assert contract.requirements == contract.warnings
    assert contract.warnings.min_accuracy == 0.5


def test_a_merge_key_is_a_key_like_any_other(tmp_path: Path) -> None:
    """Nothing is merged behind the reader's back."""
    error = refused(tmp_path, HEAD + "requirements: &l {min_accuracy: 0.5}\nwarnings: {<<: *l}\n")
    assert placed(error) == [("unknown_key", 8, "warnings.<<")]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "empty"),
        (b"# nothing but a comment\n", "empty"),
        (HEAD.encode() + b"split: \xff\n", "not_utf8"),
        (HEAD.encode("utf-16"), "not_utf8"),
        (HEAD.encode() + b"split: a\x00b\n", "yaml_syntax"),
        (HEAD.encode() + b"split: \x1b[31m\n", "yaml_syntax"),
        (HEAD.encode() + b"#" * 1_000_001, "too_large"),
        (b"just text\n", "wrong_value"),
        (b"[1, 2]\n", "wrong_value"),
    ],
)
def test_bytes_that_hold_no_contract_are_refused(tmp_path: Path, raw: bytes, code: str) -> None:
    """Never a traceback, always the file."""
    assert refused(tmp_path, raw).code == code


def test_bytes_that_are_not_utf8_are_placed(tmp_path: Path) -> None:
    """Line and column of the first bad byte."""
    problem = refused(tmp_path, HEAD.encode() + b"split: \xff\n").problems[0]
    assert (problem.line, problem.column) == (7, 8)


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    """The same digest, and errors still find their line."""
    raw = b"\xef\xbb\xbf" + HEAD.replace("\n", "\r\n").encode()
    assert load(tmp_path, raw).digest == read(HEAD).digest
    assert placed(refused(tmp_path, raw + b"splt: x\r\n")) == [("unknown_key", 7, "splt")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "json_syntax"),
        ('{"a": 01}', "json_syntax"),
        ('{"a": NaN}', "json_syntax"),
        ("[" * 100_000, "too_deep"),
        ("[" + "9" * 5000 + "]", "json_number"),
    ],
)
def test_a_broken_json_contract_is_placed(tmp_path: Path, text: str, code: str) -> None:
    """R9 among them."""
    problem = refused(tmp_path, text, "c.json").problems[0]
    assert problem.line == 1
    assert problem.message


def test_the_kind_of_a_file_is_told_by_its_ending(tmp_path: Path) -> None:
    """Another ending, a missing file and a folder are errors that name the path."""
    assert refused(tmp_path, HEAD, "c.toml").code == "unknown_format"
    assert load(tmp_path, HEAD, "c.YML").decision.name == "q"
    (tmp_path / "folder.yaml").mkdir()
    for target in (tmp_path / "missing.yaml", tmp_path / "folder.yaml"):
        with pytest.raises(UsageError) as caught:
            load_contract(target)
        assert caught.value.problems[0].file == str(target)


def test_a_problem_is_shown_with_file_line_path_and_remedy(tmp_path: Path) -> None:
    """FILE:LINE: path: what is wrong; what to do."""
    error = refused(tmp_path, HEAD + "splt: x\n")
    assert str(error) == f"{tmp_path / 'c.yaml'}:7: splt: there is no setting 'splt' here; did you mean 'split'?"


def test_the_nodes_of_either_parser_make_the_same_contract() -> None:
    """The fallback is no second dialect."""
    text = choice("[yes, no]", "requirements: {min_accuracy: 1e-1}\n")
    assert contract_of_node(yaml_nodes(text, loader=yaml.SafeLoader)).digest == read(text).digest
