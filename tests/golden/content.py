"""What the golden files hold: every kind of field, odd numbers, keys beyond the BMP."""

from __future__ import annotations

from robust import Case, Comparator, Manifest, Media, Origin, Validation, validate_variant
from tests.golden.oracle import golden_oracle

MEDIA = Media(path="scans/bill.png", media_type="image/png", bytes=3, sha256="0" * 64)


def base(number: int, amount: str) -> Case:
    """A bill with a picture, odd metadata and a secret that must not be stored."""
    return Case(
        f"Pay {amount} € now",
        case_id=f"bill-{number}",
        source_id=f"Doc{number}",
        metadata={"ratio": 0.1 + 0.2, "big": 1e20, "api_key": "hunter2", "\U0001f600": 1.0, "\ufb33": -0.0},
        media=(MEDIA,),
    )


def validation(number: int = 1, amount: str = "1.10", changed: str = "2.20") -> Validation:
    """A valid counterfactual."""
    parent = base(number, amount)
    candidate = Case(
        f"Pay {changed} € now",
        case_id=f"bill-{number}/changed",
        source_id=f"doc{number} ",
        media=(MEDIA,),
        origin=Origin(
            parent_id=parent.case_id,
            parent_content=parent.content_digest,
            transform="amounts.change",
            params={"by": 1.5e16},
            seed=7,
            index=2,
            relation="counterfactual",
        ),
    )
    return validate_variant(
        parent,
        candidate,
        relation="counterfactual",
        contract="golden/amounts/v1.2",
        validator=golden_oracle,
        comparator=Comparator(name="number", abs_tol=0.005),
        repeats=2,
    )


def manifest() -> Manifest:
    """Two bills with a variant each and a plain case with a given answer, dealt by fractions."""
    plain = Case({"q": "1e-7 < 1?", "n": 1e-7}, True, case_id="plain", source_id="plain")
    return Manifest.build(
        "golden",
        cases=[plain],
        validations=[validation(1), validation(2, "10.00", "9.99")],
        splits={"dev": 0.25, "test": 0.75},
        salt="golden",
        provenance={"made": "by hand", "year": 2026},
    )
