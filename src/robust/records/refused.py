"""What is left out of a manifest, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

EXCLUDED: Final = "excluded"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A validation that cannot be scored or is not wanted, or a base that is left without a variant.

    Attributes:
        case_id: the candidate of the validation, or the base.
        status: the status of the validation, ``excluded``, or ``base``.
        codes: why: its issues, ``answers_required`` for a valid one without answers, ``on_request`` for one that
            is excluded, ``no_valid_variant`` for a base.
    """

    case_id: str
    status: str
    codes: tuple[str, ...]
