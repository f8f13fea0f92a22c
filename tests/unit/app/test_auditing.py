"""Auditing an oracle: what is counted, what follows, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import Case, LabelledPair, OracleAudit, OracleVerdict, any_of, audit_oracle, verify
from robust.app.verifying import verify_all
from robust.errors import CaseError, DataError, IntegrityError, RobustError, UsageError
from robust.oracle.preserves import PreservesOracle
from robust.records.oracle_audit import MAX_LISTED
from tests.builders import saying, verdict

TEXTS = (
    "The fee of 12.50 EUR is not due before 5 March 2021.",
    "At least 30% of the 4,800 euros must be paid within 14 days.",
    "Orsini owes Bakker $310, and the parcel of 2.4 kg never arrived.",
)
BASES = [Case(text, "a label", case_id=f"b{i}", source_id=f"s{i}") for i, text in enumerate(TEXTS)]
ACCEPTS = saying(verdict(True, 1, 1))
REFUSES = saying(verdict(False, None, None))
UNSURE = saying(verdict(None, None, None))


def same_digits(base: Case, candidate: Case) -> OracleVerdict:
    """Compares digits, and thinks that this is enough."""
    before, after = (re.findall(r"\d+", str(case.input)) for case in (base, candidate))
    return OracleVerdict(before == after, "the digits were compared", evidence={"digits": [before, after]})


def audited(validator: Any, **settings: Any) -> OracleAudit:
    return audit_oracle(validator, **{"contract": "x/v1", "bases": BASES, **settings})


def labelled(truth: Any = "valid", after: str = "five", **more: Any) -> LabelledPair:
    base = Case("5 EUR", case_id="p", source_id="p")
    return LabelledPair(base=base, candidate=Case(after, case_id="q", source_id="p"), truth=truth, **more)


def test_an_oracle_that_accepts_everything_is_found_out() -> None:
    """Also where the bases have labels that it knows nothing of."""
    found = audited(ACCEPTS, max_accepted_invalid=0.1, max_refused_valid=0)
    accepted, refused = found.shares["accepted_invalid"], found.shares["refused_valid"]
    assert (accepted["pairs"], accepted["value"], refused["pairs"]) == (accepted["of"], 1, 0)
    assert (found.status, found.exit_code) == ("fail", 1)
    assert [check["status"] for check in found.data["checks"]] == ["fail", "pass"]


def test_an_oracle_that_refuses_everything_is_found_out() -> None:
    """It makes no figure wrong, and leaves nothing to measure."""
    found = audited(REFUSES, max_accepted_invalid=0.1, max_refused_valid=0.1)
    assert (found.shares["accepted_invalid"]["pairs"], found.shares["refused_valid"]["value"]) == (0, 1)
    assert found.status == "fail"


@pytest.mark.parametrize("limits", [{}, {"max_accepted_invalid": 0, "max_refused_valid": 0}])
def test_an_oracle_that_decides_nothing_passes_nothing(limits: dict[str, float]) -> None:
    """Who never decides makes no mistake."""
    found = audited(UNSURE, **limits)
    assert (found.status, found.exit_code, found.shares["undecided"]["value"]) == ("inconclusive", 1, 1)


def _raise(base: Case, candidate: Case) -> OracleVerdict:
    raise RuntimeError("no")


def _leave(base: Case, candidate: Case) -> OracleVerdict:
    raise SystemExit(7)


@pytest.mark.parametrize("validator", [_raise, _leave, any_of(_leave, ACCEPTS), saying("nonsense")])
def test_an_oracle_without_a_verdict_measures_nothing(validator: Any) -> None:
    """It raises, asks the program to end, by itself or as a member of several, or returns what is no verdict."""
    found = audited(validator, max_accepted_invalid=0.5)
    assert (found.status, found.exit_code, found.facts.unanswered) == ("error", 2, found.facts.pairs)


def test_an_interrupt_is_no_finding(tmp_path: Path) -> None:
    """It passes through, and no file is left."""

    def interrupt(base: Case, candidate: Case) -> OracleVerdict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audited(interrupt, records=tmp_path / "r.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_good_oracle_passes() -> None:
    """And what it does not decide is counted apart."""
    found = audited(PreservesOracle(), max_accepted_invalid=0, max_refused_valid=0, max_undecided=0.4)
    assert (found.status, found.exit_code) == ("pass", 0)
    assert 0 < found.shares["undecided"]["value"] < 0.4
    assert found.facts.oracle.name == "robust.preserves"


def test_few_sources_prove_nothing_by_the_bound() -> None:
    """The whole interval must be within the limit."""
    found = audited(PreservesOracle(), max_accepted_invalid=0.1, judge="bound")
    assert found.data["checks"][0]["status"] == "inconclusive"
    assert found.status == "inconclusive"
    assert audited(ACCEPTS, max_accepted_invalid=0.1, judge="bound").status == "fail"


@pytest.mark.parametrize("truth", ["valid", "invalid"])
def test_pairs_of_one_kind_alone_show_nothing(truth: str) -> None:
    """Whatever the oracle says of them."""
    found = audit_oracle(ACCEPTS, contract="x/v1", pairs=[labelled(truth)], max_refused_valid=1, max_accepted_invalid=1)
    assert (found.status, found.exit_code) == ("inconclusive", 1)


def test_without_a_limit_it_is_measured_and_nothing_is_passed() -> None:
    """The status says so."""
    assert (audited(same_digits).status, audited(same_digits).exit_code) == ("measured", 0)


def test_mistakes_are_listed_with_what_differs() -> None:
    """The first of each kind, and no more."""
    found = audited(ACCEPTS, per_case=3)
    listed = found.data["mistakes"]["accepted_invalid"]
    assert len(listed) == MAX_LISTED < found.shares["accepted_invalid"]["pairs"]
    first = next(item for item in listed if item["edit"] == "changed_unit")
    assert "EUR" in first["before"]
    assert first["before"] != first["after"]
    assert found.data["mistakes"]["refused_valid"] == []


def test_an_object_needs_its_text_named_or_a_single_one() -> None:
    """What has no text is counted, and nothing is planted into it."""
    single = Case({"q": TEXTS[0], "n": 1}, case_id="o", source_id="o")
    double = Case({"q": TEXTS[0], "other": "a"}, case_id="d", source_id="d")
    found = audited(same_digits, bases=[single, double])
    assert found.data["counts"]["sources"] == 1
    assert found.data["planted"]["missed"]["amounts.changed_digit"]["no_text"] == 1
    assert audited(same_digits, bases=[double], text_field="q").facts.pairs > 0


def test_a_second_oracle_is_compared_with_the_first() -> None:
    """On the same pairs, by kappa."""
    found = audited(same_digits, second=same_digits)
    assert found.agreement is not None
    assert (found.agreement["kappa"], found.agreement["share"]) == (1, 1)
    other = audited(same_digits, second=UNSURE, second_contract="y/v1")
    assert other.agreement is not None
    assert (other.agreement["kappa"], other.agreement["agreeing"]) == (0, 0)
    assert other.data["second"]["contract"] == "y/v1"


@pytest.mark.parametrize("workers", [1, 4])
def test_an_audit_is_the_same_with_any_number_of_workers(workers: int, tmp_path: Path) -> None:
    """And every time."""
    found = audited(same_digits, second=PreservesOracle(), workers=workers, records=tmp_path / "r.jsonl")
    again = audited(same_digits, second=PreservesOracle())
    assert found == again
    assert found.digest == again.digest


def test_a_pair_counts_once_and_two_labels_are_refused() -> None:
    """Told by contents and relation, whatever the ids."""
    other = LabelledPair(
        base=Case("5 EUR", case_id="r", source_id="r"),
        candidate=Case("five", case_id="t", source_id="r"),
        truth="valid",
    )
    found = audit_oracle(ACCEPTS, contract="x/v1", pairs=[labelled(), other, labelled("invalid", "6 EUR")])
    assert (found.facts.pairs, found.facts.duplicates, found.facts.given) == (2, 1, 3)
    with pytest.raises(DataError, match=r"'r' and 't' is labelled valid, and was invalid before"):
        audit_oracle(ACCEPTS, contract="x/v1", pairs=[labelled("invalid"), other])


def test_a_labelled_pair_claims_what_it_says() -> None:
    """Its relation is the candidate's, and its answer is taken away."""
    origin_relation = labelled(relation="counterfactual").candidate.origin
    assert origin_relation is not None
    assert origin_relation.relation == "counterfactual"
    base = Case("5", case_id="a", source_id="s")
    pair = LabelledPair(base=base, candidate=Case("6", 6, case_id="b", source_id="s"), truth="invalid")
    assert pair.candidate.expected is None
    answers = saying(verdict(True, 1, 2))
    found = audit_oracle(answers, contract="x/v1", pairs=[labelled("valid", relation="counterfactual")])
    assert found.data["cells"][0]["valid"] == 1


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"truth": "maybe"}, "$.truth"),
        ({"relation": "same"}, "$.relation"),
        ({"domain": ""}, "$.domain"),
        ({"edit": "a\nb"}, "$.edit"),
        ({"candidate": "text"}, "$.candidate"),
        ({"candidate": Case("5", case_id="x", source_id="s")}, "$.candidate.input"),
        ({"candidate": Case("6", case_id="x", source_id="other")}, "$.candidate.source_id"),
        ({"candidate": Case("6", case_id="a", source_id="s")}, "$.candidate.case_id"),
    ],
)
def test_a_pair_that_cannot_be_is_refused(wrong: dict[str, Any], path: str) -> None:
    """With the field that is wrong."""
    sound: dict[str, Any] = {
        "base": Case("5", case_id="a", source_id="s"),
        "candidate": Case("6", case_id="x", source_id="s"),
        "truth": "valid",
    }
    with pytest.raises(CaseError) as caught:
        LabelledPair(**{**sound, **wrong})
    assert [problem.path for problem in caught.value.problems] == [path]


@pytest.mark.parametrize(
    "wrong",
    [
        {"bases": None},
        {"bases": []},
        {"bases": [Case({"n": 1}, case_id="a", source_id="a")]},
        {"bases": [Case("nothing to see", case_id="a", source_id="a")], "domains": ["amounts"]},
        {"domains": []},
        {"domains": ["amonts"]},
        {"seed": 2**60},
        {"seed": True},
        {"per_case": 0},
        {"text_field": 3},
        {"split": "test"},
        {"max_refused_valid": 1.5},
        {"max_undecided": float("nan")},
        {"judge": "both"},
        {"confidence": 1},
        {"workers": 0},
        {"contract": "x"},
        {"contract": "x/v1", "second": ACCEPTS, "second_contract": "y"},
        {"pairs": ["no pair"]},
        {"bases": ["no case"]},
        {"bases": 7},
    ],
)
def test_what_cannot_be_audited_is_refused(wrong: dict[str, Any]) -> None:
    """With a message, before a verdict counts for anything."""
    with pytest.raises((UsageError, CaseError)):
        audited(ACCEPTS, **wrong)


def test_a_misspelled_domain_gets_a_suggestion() -> None:
    """As everywhere."""
    with pytest.raises(UsageError, match="did you mean 'amounts'"):
        audited(ACCEPTS, domains=["amonts"])


def test_a_journal_goes_on_where_an_audit_was_stopped(tmp_path: Path) -> None:
    """Each pair is asked once."""
    asked: list[str] = []

    class Careful:
        """Is stopped by the user at its tenth pair."""

        name = "careful"
        stop: int = 10

        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            """Judge, or be stopped."""
            if len(asked) == self.stop:
                raise KeyboardInterrupt
            asked.append(candidate.case_id)
            return same_digits(base, candidate)

    oracle = Careful()
    with pytest.raises(KeyboardInterrupt):
        audited(oracle, journal=tmp_path / "j")
    oracle.stop = -1
    found = audited(oracle, journal=tmp_path / "j")
    assert len(asked) == len(set(asked)) == found.facts.pairs


def forged(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit a stored audit, and make its digest anew."""
    from robust.canon import canonical_bytes, digest_value, parse_canonical

    data = parse_canonical(path.read_bytes().removesuffix(b"\n"))
    change(data)
    data["digest"] = digest_value({key: value for key, value in data.items() if key not in ("digest", "observed")})
    path.write_bytes(canonical_bytes(data) + b"\n")


def _set(*places: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        inner: Any = data
        for place in places[:-1]:
            inner = inner[place]
        inner[places[-1]] = value

    return change


FORGERIES: list[Callable[[dict[str, Any]], object]] = [
    _set("status", value="pass"),
    _set("checks", 0, "status", value="pass"),
    _set("checks", 0, "limit", value=1),
    _set("shares", "accepted_invalid", "value", value=0),
    _set("shares", "accepted_invalid", "interval", value=[0, 0.01]),
    _set("by_domain", "units", "accepted_invalid", "pairs", value=0),
    _set("counts", "sources", value=300),
    _set("agreement", "kappa", value=0.5),
    _set("cells", 0, "valid", value=3),
    _set("cells", 0, "unknown", value=-1),
    _set("spreads", 0, "groups", value=99),
    _set("spreads", 0, "cases_squared", value=3),
    _set("spreads", 0, "domain", value="units"),
    _set("mistakes", "accepted_invalid", value=[]),
    _set("codes", "valid", value={"made_up": 3}),
    _set("codes", "invalid", "rejected", value=10**6),
    _set("codes", "invalid", value={}),
    _set("codes", "valid", value={"validator_error": 1}),
    _set("planted", value=None),
    _set("given", value=10**6),
    _set("second", "table", "valid", "valid", value=0),
    _set("second", "products", value=[]),
    _set("second", "groups", value=0),
    _set("records", "count", value=1),
    _set("records", "root", value="sha256:x"),
    _set("unanswered", value=999),
    _set("confidence", value=2),
    _set("contract", value="x"),
    _set("comparator", value={"name": "nearly"}),
    _set("limits", "max_accepted_invalid", value=0.9),
    _set("observed", value={"note": "trust me"}),
    _set("more", value=1),
    _set("schema", value="robust.oracle-audit/2"),
    lambda data: data.pop("cells"),
    lambda data: data["cells"].reverse(),
]


@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_an_audit_that_contradicts_itself_is_refused(tmp_path: Path, number: int) -> None:
    """Re-hashed or not, with the place."""
    path = tmp_path / "audit.json"
    audited(same_digits, second=PreservesOracle(), max_accepted_invalid=0.1).save(path)
    assert OracleAudit.load(path).status == "fail"
    forged(path, FORGERIES[number])
    with pytest.raises(IntegrityError) as caught:
        OracleAudit.load(path)
    assert all(problem.path for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("output", "records", "journal"),
    [("x", "x", None), ("x", None, "x"), (None, "x", "x"), ("b.jsonl", None, None), (None, "./b.jsonl", None)],
)
def test_no_file_is_written_over_another_of_the_audit(
    tmp_path: Path, output: str | None, records: str | None, journal: str | None
) -> None:
    """Nor over the bases, even where files may be replaced."""
    bases = tmp_path / "b.jsonl"
    bases.write_text('{"id": "a", "input": "The fee of 5 EUR is due."}\n', encoding="utf-8")
    before = bases.read_bytes()
    paths = [None if name is None else tmp_path / name for name in (output, records, journal)]
    with pytest.raises(UsageError) as caught:
        audit_oracle(
            same_digits,
            contract="c/v1",
            bases=bases,
            output=paths[0],
            records=paths[1],
            journal=paths[2],
            overwrite=True,
        )
    assert caught.value.code == "same_file"
    assert bases.read_bytes() == before


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    """An audit may be expensive."""

    def never(base: Case, candidate: Case) -> OracleVerdict:
        raise AssertionError("it was asked")

    (tmp_path / "there").write_text("kept", encoding="utf-8")
    for path in (tmp_path / "there", tmp_path / "no" / "folder"):
        with pytest.raises(UsageError):
            audited(never, output=path)
    assert [item.name for item in tmp_path.iterdir()] == ["there"]
    assert audited(same_digits, output=tmp_path / "there", overwrite=True) == OracleAudit.load(tmp_path / "there")


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    """Equal in all its parts, and a file is not written over."""
    found = audited(same_digits, second=UNSURE, pairs=[labelled()], max_undecided=0.3)
    found.save(tmp_path / "a.json")
    again = OracleAudit.load(tmp_path / "a.json")
    assert (again, again.data, again.digest, hash(again)) == (found, found.data, found.digest, hash(found))
    with pytest.raises(UsageError, match="not written over"):
        found.save(tmp_path / "a.json")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}\n", b'{"schema":"robust.oracle-audit/1"}\n', b'{"a":1,"a":2}', b"\xff"]
)
def test_a_file_that_is_no_audit_is_refused(tmp_path: Path, content: bytes) -> None:
    """With an error of ours, whatever is in it."""
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(RobustError):
        OracleAudit.load(tmp_path / "a.json")


@pytest.fixture(name="stored")
def _stored(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    audit, records = tmp_path / "audit.json", tmp_path / "records.jsonl"
    pairs = [labelled(), labelled("invalid", "6 EUR", domain="money")]
    audited(same_digits, second=PreservesOracle(), pairs=pairs, records=records).save(audit)
    yield audit, records


def held(*paths: Path) -> list[tuple[str, bool]]:
    """Each check of the paths, and whether it holds."""
    results = [result for result in verify_all(paths) if not isinstance(result, RobustError)]
    return [(check.name, check.holds) for result in results for check in result.checks]


def test_an_audit_is_verified_with_its_records(stored: tuple[Path, Path]) -> None:
    """Counted again, planted again; the records alone, too; the audit alone says what was not done."""
    names = [name for name, holds in held(*stored) if holds]
    assert names == [
        *("file digest", "digest and derivation", "records counted again", "pairs planted again", "time", "signature"),
        *("file digest", "digests and derivation", "signature"),
    ]
    alone = verify(stored[0])
    done = [check.name for check in alone.checks if check.done]
    assert (alone.kind, alone.holds, done) == ("audit", True, ["file digest", "digest and derivation"])
    assert verify(stored[1]).kind == "audit records"


def test_an_audit_forged_without_contradiction_differs_from_its_records(stored: tuple[Path, Path]) -> None:
    """The seed, which nothing in the audit follows from; and the oracle's name."""
    audit, _ = stored
    forged(audit, _set("planted", "seed", value=5))
    assert verify(audit).holds
    assert ("pairs planted again", False) in held(*stored)
    forged(audit, _set("planted", "seed", value=0))
    forged(audit, _set("oracle", "name", value="somebody else"))
    assert ("records counted again", False) in held(*stored)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"truth":"invalid"', b'"truth":"valid"'),
        (b'"domain":"money"', b'"domain":"other"'),
        (b'"edit":"changed_digit"', b'"edit":"changed_day"'),
        (b'"status":"valid"', b'"status":"unknown"'),
        (b'"schema":"robust.audit-pair/1"', b'"schema":"robust.audit-pair/2"'),
        (b'"domain":"units"', b'"domain":""'),
        (b"}\n", b"}"),
    ],
)
def test_records_that_were_edited_are_found(stored: tuple[Path, Path], old: bytes, new: bytes) -> None:
    """By themselves or with their audit."""
    audit, records = stored
    whole = records.read_bytes()
    at = whole.rindex(old)
    records.write_bytes(whole[:at] + new + whole[at + len(old) :])
    results = list(verify_all([audit, records]))
    assert any(isinstance(result, RobustError) or not result.holds for result in results)


def test_records_with_a_line_less_are_not_those_of_the_audit(stored: tuple[Path, Path]) -> None:
    """Nor is an empty file."""
    audit, records = stored
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(lines[:-1]))
    assert ("records counted again", False) in held(audit, records)


def test_files_that_are_laid_out_anew_are_damaged_evidence(stored: tuple[Path, Path]) -> None:
    """And not files of an unknown kind."""
    import json

    audit, _ = stored
    for indent in (None, 2):
        audit.write_text(json.dumps(json.loads(audit.read_text("utf-8")), indent=indent), encoding="utf-8")
        found = verify(audit)
        assert (found.kind, found.holds, found.exit_code) == ("audit", False, 3)
