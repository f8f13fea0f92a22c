"""The ``oracles`` section of a contract: who says whether a candidate's expected answer still holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import BeforeValidator

from robust.canon import is_digest
from robust.records.providers import Plugin, by_provider
from robust.records.scalars import Items, NonEmpty, OrNull, as_text
from robust.records.section import Misfit, Rule, Section

Words: TypeAlias = Items[NonEmpty]
# What each built-in oracle can judge; of everything else it says unknown.
PRESENTATION: Final = ("option_order", "label_format")
TEXT_EDITS: Final = ("irrelevant_context", "repeated_context", "whitespace", "paraphrase")
JUDGES: Final[dict[str, tuple[str, ...]]] = {
    "presentation": PRESENTATION,
    "preserves": TEXT_EDITS,
    "builtin": (*PRESENTATION, *TEXT_EDITS),
}
# They run programs or call services, so only the command line and Python may name them.
_ELSEWHERE: Final = ("command", "http")


def _pinned(pin: AuditPin) -> Iterator[Misfit]:
    if not is_digest(pin.digest):
        message = f"must be sha256: and 64 hex digits, not {pin.digest[:80]!r}"
        yield Misfit(("digest",), message, "robust oracle audit shows it", "wrong_value")


class AuditPin(Section):
    """The audit of an oracle: it is read, and must be this one and of this oracle.

    Attributes:
        path: the file that ``robust oracle audit -o`` wrote, relative to the contract.
        digest: the digest of the audit.
    """

    path: NonEmpty
    digest: NonEmpty

    combinations: ClassVar[tuple[Rule, ...]] = (_pinned,)


class PresentationOracle(Section):
    """Vouches for reordered and reformatted labels, unless a label depends on its position or on the others.

    Attributes:
        provider: ``presentation``.
        positional: more labels, beside the documented list, that depend on their position or on the others.
        audit: pins the audit of this oracle.
    """

    provider: Annotated[Literal["presentation"], BeforeValidator(as_text)]
    positional: Words = ()
    audit: OrNull[AuditPin] = None


class PreservesOracle(Section):
    """Judges edits of the text by what they leave untouched.

    Attributes:
        provider: ``preserves``.
        keep: names and other texts that no edit may change.
        audit: pins the audit of this oracle.
    """

    provider: Annotated[Literal["preserves"], BeforeValidator(as_text)]
    keep: Words = ()
    audit: OrNull[AuditPin] = None


class BuiltinOracle(Section):
    """``presentation`` or ``preserves``, whichever fits the property.

    Attributes:
        provider: ``builtin``.
        positional: as of ``presentation``.
        keep: as of ``preserves``.
        audit: pins the audit of the oracle that fits the property.
    """

    provider: Annotated[Literal["builtin"], BeforeValidator(as_text)]
    positional: Words = ()
    keep: Words = ()
    audit: OrNull[AuditPin] = None


class ReviewedOracle(Section):
    """Looks candidates up in a file of validation records that people or programs made before.

    Attributes:
        provider: ``reviewed``.
        path: the file, relative to the contract.
        contract: the oracle contract whose records count; needed where the file has those of several.
        audit: pins the audit of this oracle.
    """

    provider: Annotated[Literal["reviewed"], BeforeValidator(as_text)]
    path: NonEmpty
    contract: OrNull[NonEmpty] = None
    audit: OrNull[AuditPin] = None


def _in_the_open(plugin: PluginOracle) -> Iterator[Misfit]:
    if plugin.provider in _ELSEWHERE:
        message = f"a contract is data only, so it cannot name a {plugin.provider} oracle"
        yield Misfit(("provider",), message, "give it on the command line or from Python")


class PluginOracle(Plugin):
    """An oracle of an installed package (entry point group ``robust.oracles``); other keys are its own settings.

    Attributes:
        provider: the name under which the package registered it.
        audit: pins the audit of this oracle; it is no setting of its own.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (*Plugin.combinations, _in_the_open)

    audit: OrNull[AuditPin] = None


OracleConfig: TypeAlias = PresentationOracle | PreservesOracle | BuiltinOracle | ReviewedOracle | PluginOracle
BUILT_IN: Final[dict[str, type[Section]]] = {
    "presentation": PresentationOracle,
    "preserves": PreservesOracle,
    "builtin": BuiltinOracle,
    "reviewed": ReviewedOracle,
}
OracleField: TypeAlias = Annotated[OracleConfig, BeforeValidator(by_provider(BUILT_IN, PluginOracle))]
OraclePolicy: TypeAlias = Literal["required", "assumed"]


class Oracles(Section):
    """Whether candidates need an oracle, and which one judges where a property names none.

    Attributes:
        policy: ``required``: every enabled property needs an oracle; ``assumed``: pairs are scored on the contract
            author's word, and marked so.
        default: the oracle of every property that has none of its own.
    """

    policy: Annotated[OraclePolicy, BeforeValidator(as_text)] = "required"
    default: OrNull[OracleField] = None
