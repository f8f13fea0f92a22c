"""The ``decision`` section of a contract: a typed question with a fixed set of labels."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, model_validator

from robust.records.providers import Name
from robust.records.request import DecisionType, ShownDecision
from robust.records.scalars import Items, Label, OrNull, Text, as_text, is_null, unique
from robust.records.section import FaultyPartError, Misfit, Rule, Section

LABEL_FIELD: Final[dict[str, str]] = {"choice": "options", "noul": "labels", "score": "levels"}
# Controls, separators of lines and paragraphs, surrogates; what only joins or orders letters is part of many scripts.
_NOT_SHOWN: Final = frozenset(("Cc", "Cs", "Zl", "Zp"))
# They reorder what a reader sees of the text around them.
_REORDERING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _check_label(label: str) -> str:
    if not label or label != label.strip():
        raise ValueError("a label must not be empty or have space around it")
    if any(char in _REORDERING or unicodedata.category(char) in _NOT_SHOWN for char in label):
        raise ValueError("a label must not hold a character that cannot be shown")
    return label


Labels: TypeAlias = Annotated[Items[Annotated[Label, AfterValidator(_check_label)]], AfterValidator(unique("label"))]


def _labels_fit_the_type(decision: DecisionSpec) -> Iterator[Misfit]:
    own = LABEL_FIELD[decision.type]
    foreign = [name for name in LABEL_FIELD.values() if name != own and getattr(decision, name) is not None]
    for name in foreign:
        yield Misfit((name,), f"a {decision.type} decision has {own}, not {name}")
    labels = getattr(decision, own)
    if labels is None:
        if not foreign:
            yield Misfit((own,), f"a {decision.type} decision needs {own}")
    elif decision.type == "noul" and len(labels) != 2:
        yield Misfit((own,), f"a noul decision has exactly 2 labels, not {len(labels)}")
    elif len(labels) < 2:
        yield Misfit((own,), f"a {decision.type} decision needs at least 2 labels")


class DecisionSpec(Section):
    """A typed question with a fixed set of labels.

    Attributes:
        name: letters, digits, ``_``, ``.`` and ``-``.
        type: ``choice`` (unordered options), ``noul`` (two labels) or ``score`` (levels).
        description: the question in words.
        options: of a choice: at least two.
        labels: of a noul: exactly two, the positive one first; yes and no by default.
        levels: of a score: at least two, the lowest first.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (_labels_fit_the_type,)

    name: Name
    type: Annotated[DecisionType, BeforeValidator(as_text)]
    description: OrNull[Text] = None
    options: OrNull[Labels] = None
    labels: OrNull[Labels] = None
    levels: OrNull[Labels] = None

    @model_validator(mode="before")
    @classmethod
    def _default_labels(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("type") == "noul" and is_null(data.get("labels")):
            return {**data, "labels": ["yes", "no"]}
        return data

    @property
    def label_order(self) -> tuple[str, ...]:
        """The labels in the contract's order, whatever the type calls them."""
        labels: tuple[str, ...] | None = getattr(self, LABEL_FIELD[self.type])
        if labels is None:  # in a draft only; a whole decision has labels of its type
            raise FaultyPartError(LABEL_FIELD[self.type])
        return labels

    def shown(self) -> ShownDecision:
        """The decision as it is presented without any transformation."""
        return ShownDecision(name=self.name, type=self.type, labels=self.label_order, description=self.description)
