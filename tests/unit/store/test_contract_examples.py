"""The example contracts of the repository: good ones are read, and in broken ones every problem is found at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from robust import ContractError
from robust.store.contracts import contract_of_node, load_contract, read_contract
from robust.store.yaml_nodes import yaml_nodes
from tests.contract_files import EXAMPLES, NEGATIVE, POSITIVE, Broken, broken

names = [each.path.stem for each in NEGATIVE]


def refusal(text: str) -> ContractError:
    with pytest.raises(ContractError) as caught:
        contract_of_node(yaml_nodes(text))
    return caught.value


def found(error: ContractError) -> Counter[tuple[str, str | None]]:
    return Counter((problem.code, problem.path) for problem in error.problems)


@pytest.mark.parametrize("path", [*POSITIVE, *EXAMPLES], ids=lambda path: path.name)
def test_a_good_contract_is_read_and_its_normalised_form_is_the_same_contract(path: Path) -> None:
    """Also where every section and every setting is used."""
    contract = load_contract(path)
    assert read_contract(contract.normalised()) == contract
    assert read_contract(contract.normalised()).digest == contract.digest


@pytest.mark.parametrize("example", NEGATIVE, ids=names)
def test_all_that_is_wrong_is_found_at_once_and_placed(example: Broken) -> None:
    """No problem more, none less; each in a line of its own section or value."""
    error = refusal(example.text)
    assert found(error) == Counter(example.problems)
    lines = [problem.line for problem in error.problems]
    assert all(line is not None and example.text.count("#") < line <= example.text.count("\n") for line in lines)
    assert lines == sorted(line for line in lines if line is not None)


@pytest.mark.parametrize("example", NEGATIVE, ids=names)
def test_another_fault_elsewhere_hides_none_of_them(example: Broken) -> None:
    """What does not fit together is told also where some other setting is wrong in itself."""
    error = refusal(f"{example.text}zzz: 1\n")
    assert found(error) == Counter([*example.problems, ("unknown_key", "zzz")])


@pytest.mark.parametrize("example", NEGATIVE, ids=names)
def test_no_message_shows_what_may_be_a_secret(example: Broken) -> None:
    """Neither a header's value nor an address with user information, nor the wrong name of a variable."""
    shown = str(refusal(example.text))
    for secret in ("Bearer", "someone@", "a:b@", "api_key=x", "not-a-name"):
        assert secret not in shown


def test_the_marks_of_a_broken_contract_are_read(tmp_path: Path) -> None:
    """Otherwise the tests above would mean nothing."""
    (tmp_path / "x.yaml").write_text("# why\n#! schema refuses\n#! code a.b\nx: 1\n", encoding="utf-8")
    example = broken(tmp_path / "x.yaml")
    assert (example.problems, example.schema_refuses) == ([("code", "a.b")], True)
    assert all(each.problems for each in NEGATIVE)
