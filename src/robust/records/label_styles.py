"""The forms in which a label can be shown: the same label, written otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

LabelStyle: TypeAlias = Literal["upper", "lower", "capitalized", "lettered", "numbered", "quoted", "bracketed"]
LABEL_STYLES: Final[tuple[LabelStyle, ...]] = get_args(LabelStyle)
_FORMS: Final[dict[str, Callable[[str, int], str]]] = {
    "upper": lambda label, _: label.upper(),
    "lower": lambda label, _: label.lower(),
    "capitalized": lambda label, _: label[:1].upper() + label[1:],
    "lettered": lambda label, index: f"{letter(index)}) {label}",
    "numbered": lambda label, index: f"{index + 1}. {label}",
    "quoted": lambda label, _: f'"{label}"',
    "bracketed": lambda label, _: f"[{label}]",
}


def letter(index: int) -> str:
    """The letter of a position from 0: A to Z, then AA, AB and so on."""
    rest, last = divmod(index, 26)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)


def styled(label: str, style: LabelStyle, index: int) -> str:
    """A label in a style; ``index`` is its position in the contract, from 0."""
    return _FORMS[style](label, index)


def alias_forms(labels: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """The labels of each variant with aliases: variant *i* shows the *i*-th alias of every label that has one."""
    for variant in range(max((len(forms) for forms in aliases.values()), default=0)):
        yield tuple(aliases[label][variant] if variant < len(aliases.get(label, ())) else label for label in labels)


def collision(labels: Sequence[str], shown: Sequence[str]) -> tuple[str, str] | None:
    """Two labels that are shown alike, if there are any."""
    first: dict[str, str] = {}
    for label, form in zip(labels, shown, strict=True):
        if form in first:
            return first[form], label
        first[form] = label
    return None
