"""The built-in oracle that a contract names for a property."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, TypeAlias

from robust.canon import JsonObject, digest_value
from robust.oracle.presentation import PresentationOracle
from robust.oracle.preserves import PreservesOracle
from robust.records.case import Case
from robust.records.oracle_config import JUDGES, PRESENTATION, TEXT_EDITS
from robust.records.oracle_config import BuiltinOracle as BuiltinConfig
from robust.records.oracle_config import PresentationOracle as PresentationConfig
from robust.records.oracle_config import PreservesOracle as PreservesConfig
from robust.records.seams import Validator
from robust.records.verdict import OracleVerdict

BuiltInConfig: TypeAlias = PresentationConfig | PreservesConfig | BuiltinConfig
_KINDS: Final = {**dict.fromkeys(PRESENTATION, "presentations"), **dict.fromkeys(TEXT_EDITS, "edits of the text")}


class UnfitOracle:
    """A built-in oracle for a property that it cannot judge: every candidate stays unknown to it.

    Args:
        provider: the oracle as a contract names it.
        property_name: the property.
    """

    version: ClassVar[str] = "1"
    waits: ClassVar[bool] = False

    def __init__(self, provider: str, property_name: str) -> None:
        self.name = f"robust.{provider}"
        self.contract = f"robust.{provider}/v1"
        kinds = list(dict.fromkeys(_KINDS[name] for name in JUDGES[provider]))
        other = "which it is not" if len(kinds) == 1 else "and it is neither"
        self._reason = f"the oracle {provider} cannot judge {property_name}: it judges {' and '.join(kinds)}, {other}"
        self._judges = JUDGES[provider]

    def __call__(self, *_: Case) -> OracleVerdict:
        """Decide nothing."""
        return OracleVerdict(None, self._reason, evidence={"judges": list(self._judges)})


def builtin_oracle(
    config: BuiltInConfig, *, property_name: str, fragments: Sequence[str], text_field: str | None
) -> Validator:
    """The validator that judges a property's candidates; there is one for every property.

    Args:
        config: the oracle as the contract names it.
        property_name: the property whose candidates it judges.
        fragments: the texts that the property inserts.
        text_field: of object inputs, the key of the text that is edited.
    """
    if property_name not in JUDGES[config.provider]:
        return UnfitOracle(config.provider, property_name)
    if isinstance(config, PresentationConfig) or (isinstance(config, BuiltinConfig) and property_name in PRESENTATION):
        return PresentationOracle(positional=config.positional)
    return PreservesOracle(fragments=fragments, keep=config.keep, text_field=text_field)


class BuiltinOracle:
    """``presentation`` for candidates whose labels were reordered or reformatted, ``preserves`` for all others.

    Which of them a candidate is, its origin says by the name of the property that made it.

    Args:
        edits: judges edited texts.
        presentations: judges labels in another order or form.
    """

    name: ClassVar[str] = "robust.builtin"
    version: ClassVar[str] = "1"
    contract: ClassVar[str] = "robust.builtin/v1"
    waits: ClassVar[bool] = False

    def __init__(self, edits: PreservesOracle, presentations: PresentationOracle) -> None:
        self._edits = edits
        self._presentations = presentations

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Have the fitting one judge."""
        made_by = None if candidate.origin is None else candidate.origin.transform
        return self._presentations(base, candidate) if made_by in PRESENTATION else self._edits(base, candidate)


class ConfiguredOracle:
    """A built-in oracle whose settings stand in no contract, so that its recorded version has to tell them.

    Args:
        oracle: the oracle.
        settings: what it was made with, as plain JSON.
    """

    waits: ClassVar[bool] = False

    def __init__(self, oracle: PreservesOracle | PresentationOracle | BuiltinOracle, settings: JsonObject) -> None:
        self.name = oracle.name
        self.version = f"{oracle.version}+{digest_value(settings)}"
        self.contract = oracle.contract
        self._oracle = oracle

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Have the oracle judge."""
        return self._oracle(base, candidate)
