"""A run with every kind of pair to forge, and a forger that makes the digests of validations fit, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from robust import Case, DecisionRequest, OracleVerdict, Run, Verification
from robust.canon import JsonObject, digest_value
from robust.run.judging import judged_base, judged_candidate
from robust.run.pieces import CASE_FIELDS
from robust.transforms.candidate import Candidate
from tests.property_runs import Judge, run
from tests.run_fixtures import right_answer
from tests.unit.app.forging import StoredRun

LIMITS: JsonObject = {"max_flip_rate": 0, "max_tv_distance": 0.1}
HOUSE: JsonObject = {"oracle": {"provider": "house"}}
# What the model falls for.
BAD = ("It froze.", "\t")
CASES = (
    Case(
        "Please check. The amount 5000 is due. It was late.",
        "yes",
        case_id="c1",
        source_id="s1",
        metadata={"team": "a", "n": [1]},
    ),
    Case("number 13 is due.", "no", case_id="c2", source_id="s2"),
    Case({"text": "number8", "n": 1}, "no", case_id="c3", source_id="s3"),
)


class House(Judge):
    """Refuses a sum, cannot tell of a total, and derives both answers of a question that was turned round."""

    def __init__(self) -> None:
        super().__init__(invalid="sum", unknown="total")

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge."""
        if candidate.origin is None or candidate.origin.relation != "counterfactual":
            return super().__call__(base, candidate)
        answers = ("yes", "no") if right_answer(base.input) == "yes" else ("no", "yes")
        return OracleVerdict(True, "turned round", *answers, {"turned": True})


def _model(request: DecisionRequest) -> dict[str, float]:
    text = str(request.input["text"] if isinstance(request.input, dict) else request.input)
    if "13" in text:
        raise TimeoutError("slow")
    labels = request.decision.labels
    bad = any(each in text for each in BAD) or labels[0] != "yes"
    share = (0.2 if bad else 0.9) - 0.05 * request.trial
    yes = share if right_answer(text) == "yes" else 1 - share
    first = next(label for label in labels if "yes" in label.lower())
    return {label: yes if label == first else 1 - yes for label in labels}


def forged_run(folder: Path, *, noise: bool, judged: bool = True) -> Run:
    """A run with pairs of nearly every property: valid, refused, undecided, failed, violated, made smaller, skipped.

    With noise each base is decided twice, and so are the candidates of ``whitespace``; without oracles all pairs are
    scored on assumption.
    """
    rows = [{"id": "c1", "paraphrases": ["amount 5000 is due.", "a sum of 5000 is owed.", "total 5000."]}]
    (folder / "words.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fragments = ["It froze.", "It rained.", "It snowed."]
    source = {"provider": "file", "path": str(folder / "words.jsonl")}
    properties: JsonObject = {
        "option_order": {**LIMITS},
        "label_format": {**LIMITS, "samples": 1, "styles": ["lettered"]},
        "irrelevant_context": {**LIMITS, "insertions": 3, "fragments": fragments, "samples": 2},
        "repeated_context": {**LIMITS, "fragments": ["The kettle had boiled."]},
        "whitespace": {**LIMITS, "samples": 2, **({"trials": 2} if noise else {})},
        "paraphrase": {**LIMITS, "samples": 3, "source": source, **(HOUSE if judged else {})},
        "inversion": {**LIMITS, "rewrites": [{"find": "due", "replace": "not due"}], **(HOUSE if judged else {})},
    }
    return run(
        folder,
        properties,
        list(CASES),
        _model,
        oracles={"default": "builtin"} if judged else {"policy": "assumed"},
        fuzz={"text_field": "text"},
        requirements={"min_accuracy": 0},
        validators={"house": House()} if judged else None,
        **({"noise": {"baseline_runs": 2}} if noise else {}),
    )


def fit_validations(forged: StoredRun, record: JsonObject) -> None:
    """Make the digests of a pair's validations fit what its record shows and says now."""
    labels = ("yes", "no") if record["property"] in ("option_order", "label_format") else None
    decision = next(
        each for each in forged.records if each["kind"] == "decision" and each["case_id"] == record["case_id"]
    )
    case = Case.from_json({**{field: decision[field] for field in CASE_FIELDS}, "origin": None})
    base = judged_base(case, labels)
    for part in (record, record["reduced"]):
        if part is None or not isinstance(part["validation"], dict):
            continue
        shown = part["presentation"]
        candidate = judged_candidate(
            base,
            Candidate(tuple(part["steps"]), part["input"], None if shown is None else tuple(map(tuple, shown))),
            identifier=record["id"],
            property_name=record["property"],
            relation=record["provenance"]["relation"],
            seed=forged.report["seed"],
            sample=record["sample"],
            labels=labels,
        )
        kept: dict[str, Any] = {name: value for name, value in part["validation"].items() if name != "digest"}
        cases = {"base": base.case.to_json(), "candidate": candidate.to_json()}
        part["validation"]["digest"] = digest_value({**kept, **cases})


def place_of(stored: StoredRun, name: str) -> int:
    """Where the record of an id stands."""
    (found,) = (line for line, record in enumerate(stored.records) if record["id"] == name)
    return found


def verified_run(forged: StoredRun) -> Verification:
    """The verification of a forgery, with every digest of the run made to fit."""
    forged.fit_records()
    forged.fit_digests()
    return forged.save()


def record_problems(verified: Verification) -> dict[str, set[int | None]]:
    """The paths that are complained about in the records, each with the lines."""
    found: dict[str, set[int | None]] = {}
    for check in verified.checks:
        for problem in check.problems:
            if (problem.file or "").endswith("records.jsonl"):
                found.setdefault(problem.path or "", set()).add(problem.line)
    return found


def refused(forged: StoredRun, *paths: str) -> None:
    """It is refused for a record, at one of these places where any are given."""
    verified = verified_run(forged)
    assert verified.exit_code == 3
    found = record_problems(verified)
    assert found
    assert not paths or any(path.startswith(paths) for path in found), found
