"""The transformation of each property."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from robust.canon import RandomStream, canonical_bytes, canonical_part
from robust.records.paraphrase_source import IdentitySource
from robust.records.properties import (
    Inversion,
    IrrelevantContext,
    LabelFormat,
    Monotonic,
    OptionOrder,
    Paraphrase,
    Property,
    RepeatedContext,
    Whitespace,
)
from robust.transforms.candidate import GENERATOR, Transformation
from robust.transforms.context import ContextTransformation
from robust.transforms.forms import LabelFormatTransformation
from robust.transforms.order import OptionOrderTransformation
from robust.transforms.raising import MonotonicTransformation
from robust.transforms.rewriting import InversionTransformation, RewordingTransformation
from robust.transforms.spacing import WhitespaceTransformation


def transformation_of(settings: Property, labels: Sequence[str], text_field: str | None) -> Transformation | None:
    """What makes a property's candidates; None for ``variants``, which brings its own.

    Args:
        settings: the property's settings.
        labels: the labels in contract order.
        text_field: of object inputs, the key of the text that is edited.
    """
    match settings:
        case OptionOrder():
            return OptionOrderTransformation(settings, labels)
        case LabelFormat():
            return LabelFormatTransformation(settings, labels)
        case IrrelevantContext() | RepeatedContext():
            return ContextTransformation(settings, text_field)
        case Whitespace():
            return WhitespaceTransformation(settings, text_field)
        case Inversion():
            return InversionTransformation(settings, text_field)
        case Monotonic():
            return MonotonicTransformation(settings)
        case Paraphrase():
            identity = isinstance(settings.source, IdentitySource)
            return RewordingTransformation(settings.samples, text_field, identity=identity)
        case _:
            return None


def stream_of(seed: int, property_name: str, case_id: str) -> RandomStream:
    """The random stream of one property's candidates for one case; no other case or property has a part in it."""
    return stream_of_canonical(seed, property_name, canonical_part(case_id))


def stream_of_canonical(seed: int, property_name: str, case_id: bytes) -> RandomStream:
    """The same for the canonical bytes of the case's id."""
    return RandomStream.of_canonical(b"%s%s]" % (_start(seed, property_name), case_id))


@lru_cache(maxsize=256)
def _start(seed: int, property_name: str) -> bytes:
    return canonical_bytes([GENERATOR, seed, property_name])[:-1] + b","
