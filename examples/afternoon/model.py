"""A model under test, and its run: it looks for the number beside "euros", else it takes the largest it can find."""

from __future__ import annotations

import re
import sys

from robust import CallableBackend, DecisionRequest, run_contract

LIMIT = 1000
BESIDE = re.compile(r"([\d,.]*\d)\s+euros", re.IGNORECASE)
ANY = re.compile(r"[\d,.]*\d")


def model(request: DecisionRequest) -> dict[str, float]:
    """Probabilities for yes and no."""
    text = str(request.input)
    found = BESIDE.findall(text) or ANY.findall(text)
    values = [float(number.replace(",", "")) for number in found]
    large = max(values, default=0.0) > LIMIT
    return {"yes": 0.95 if large else 0.05, "no": 0.05 if large else 0.95}


if __name__ == "__main__":
    run = run_contract("contract.yaml", backend=CallableBackend(model, model="beside-euros", version="1"), output="run")
    print(run.status, run.path)
    sys.exit(run.exit_code)
