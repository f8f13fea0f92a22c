"""The oracle of the golden files. Its source is digested in them, so that this file never changes."""

from __future__ import annotations

import re
from decimal import Decimal

from robust.records.case import Case
from robust.records.verdict import OracleVerdict


class GoldenOracle:
    """Reads amounts from text and shows both."""

    name = "golden-amounts"
    version = "1.0"

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Derive both amounts."""
        before, after = (Decimal(re.findall(r"[0-9.]+", str(case.input))[0]) for case in (base, candidate))
        evidence = {"amounts": [str(before), str(after)], "share": 1e-7, "\ufb33": 1e20, "\U0001f600": -0.0}
        return OracleVerdict(True, "read “amounts” from both texts", str(before), str(after), evidence)


golden_oracle = GoldenOracle()
