"""Which built-in oracle a contract gets for a property."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case
from robust.oracle.builtin import UnfitOracle, builtin_oracle
from robust.oracle.presentation import PresentationOracle
from robust.oracle.preserves import PreservesOracle
from robust.records.oracle_config import PRESENTATION, TEXT_EDITS
from robust.records.oracle_config import BuiltinOracle as BuiltinConfig
from robust.records.oracle_config import PresentationOracle as PresentationConfig
from robust.records.oracle_config import PreservesOracle as PreservesConfig
from robust.records.properties import Properties
from robust.run.judging import CandidateJudge, judged_base, judged_candidate
from robust.transforms.candidate import Candidate

CONFIGS: dict[str, Any] = {
    "presentation": PresentationConfig(provider="presentation", positional=("nessuna",)),
    "preserves": PreservesConfig(provider="preserves", keep=("Ada",)),
    "builtin": BuiltinConfig(provider="builtin", positional=("nessuna",), keep=("Ada",)),
}
GENERATED = [name for name in Properties.model_fields if name != "variants"]


def oracle_for(provider: str, name: str) -> Any:
    return builtin_oracle(CONFIGS[provider], property_name=name, fragments=("It rained.",), text_field=None)


@pytest.mark.parametrize("provider", CONFIGS)
@pytest.mark.parametrize("name", GENERATED)
def test_each_property_gets_the_oracle_that_can_judge_it(provider: str, name: str) -> None:
    """And one that says so where there is none; all are quick and tell who they are."""
    kind: type[Any] = UnfitOracle
    if name in PRESENTATION and provider != "preserves":
        kind = PresentationOracle
    if name in TEXT_EDITS and provider != "presentation":
        kind = PreservesOracle
    oracle = oracle_for(provider, name)
    assert type(oracle) is kind
    judge = CandidateJudge(oracle, contract="other/v1")
    own = provider if kind is UnfitOracle else {PresentationOracle: "presentation", PreservesOracle: "preserves"}[kind]
    assert (judge.oracle()["name"], oracle.contract) == (f"robust.{own}", f"robust.{own}/v1")
    assert judge.oracle()["version"]
    assert judge.waits is False


@pytest.mark.parametrize(
    ("provider", "name"), [("builtin", "inversion"), ("presentation", "whitespace"), ("preserves", "option_order")]
)
def test_what_an_oracle_cannot_judge_is_unknown(provider: str, name: str) -> None:
    """With a reason that names both, whatever the candidate is."""
    judge = CandidateJudge(oracle_for(provider, name), contract="other/v1")
    base = judged_base(Case("She is eligible.", "yes", case_id="base", source_id="s"), None)
    made = Candidate(({"find": "eligible", "replace": "not eligible"},), "She is not eligible.")
    candidate = judged_candidate(
        base, made, identifier=f"{name}/base/0", property_name=name, relation="invariant", seed=0, sample=0, labels=None
    )
    record = judge.judge(base, candidate)
    assert (record.status, record.issues) == ("unknown", ("unreviewed",))
    reason = record.data["verdict"]["reason"]
    assert provider in reason
    assert name in reason


@pytest.mark.parametrize("provider", ["presentation", "builtin"])
def test_declared_labels_of_position_reach_the_oracle(provider: str) -> None:
    """From the contract's section."""
    shown = [["sì", "sì"], ["nessuna", "nessuna"]]
    base = Case({"input": "?", "labels": shown}, case_id="base", source_id="s")
    candidate = Case({"input": "?", "labels": shown[::-1]}, case_id="candidate", source_id="s")
    assert oracle_for(provider, "option_order")(base, candidate).valid is None


@pytest.mark.parametrize("provider", ["preserves", "builtin"])
def test_kept_names_and_fragments_reach_the_oracle(provider: str) -> None:
    """A fragment of the property's own is known; a kept name is not to change."""
    oracle = oracle_for(provider, "irrelevant_context")
    base = Case("Ada asked for it.", case_id="base", source_id="s")
    inserted = Case("It rained. Ada asked for it.", case_id="candidate", source_id="s")
    assert oracle(base, inserted).valid is True
    assert oracle(base, Case("She asked for it.", case_id="candidate", source_id="s")).valid is False
