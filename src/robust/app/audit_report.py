"""What follows from the counts of an audit: shares with their intervals, kappa, checks and the status."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject
from robust.errors import IntegrityError, Problem
from robust.records.decision import tidy_number
from robust.records.oracle_audit import SHARES, TRUTHS, AuditFacts, AuditSpread, SecondOracle, Truth, read_facts
from robust.records.report import CheckResult, Interval, contradictions, judge_limit
from robust.run.derive_report import same_ends
from robust.stats.agreement import Agreement, Cell
from robust.stats.group_counts import GroupedShare

AuditStatus: TypeAlias = Literal["pass", "fail", "inconclusive", "measured", "error"]
EXIT_CODES: Final[dict[str, int]] = {"pass": 0, "measured": 0, "fail": 1, "inconclusive": 1, "error": 2}
_MAX_PROBLEMS: Final = 10


def derive(facts: AuditFacts) -> JsonObject:
    """Everything in an audit that follows from its counts."""
    shares = shares_of(facts)
    checks = _checks(facts, shares)
    domains = sorted({cell.domain for cell in facts.cells})
    return {
        "counts": {
            "pairs": facts.pairs,
            **{truth: facts.count(truth) for truth in TRUTHS},
            "sources": facts.spreads[0].groups,
        },
        "shares": _shares_json(shares, facts.confidence),
        "by_domain": {name: _shares_json(shares_of(facts, name), facts.confidence) for name in domains},
        "agreement": None if facts.second is None else agreement_json(facts.second, facts.confidence),
        "checks": [check.to_json() for check in checks],
        "status": _status(facts, checks),
    }


def shares_of(facts: AuditFacts, domain: str | None = None) -> dict[str, GroupedShare]:
    """The shares that an audit gives, of all pairs or of those of a domain."""
    spreads = {spread.truth: spread for spread in facts.spreads if spread.domain == domain}
    return {name: _share(facts, spreads[truth], truth, status, domain) for name, (truth, status) in SHARES.items()}


def _share(
    facts: AuditFacts, spread: AuditSpread, truth: Truth | None, status: Any, domain: str | None
) -> GroupedShare:
    return GroupedShare(
        hits=facts.count(truth, status, domain),
        cases=facts.count(truth, None, domain),
        groups=spread.groups,
        hits_squared=spread.squared.get(status, 0),
        hits_by_cases=spread.by_cases.get(status, 0),
        cases_squared=spread.cases_squared,
    )


def _shares_json(shares: dict[str, GroupedShare], confidence: float) -> JsonObject:
    def ends(interval: Interval | None) -> list[float] | None:
        return None if interval is None else [tidy_number(end) for end in interval]

    return {
        name: {
            "value": None if share.value is None else tidy_number(share.value),
            "pairs": share.hits,
            "of": share.cases,
            "groups": share.groups,
            "interval": ends(share.interval(confidence)),
        }
        for name, share in shares.items()
    }


def agreement_of_second(second: SecondOracle) -> Agreement:
    """The agreement of two oracles from their stored counts."""
    table: dict[Cell, int] = {}
    for one, row in second.table.items():
        table |= {(one, other): count for other, count in row.items() if count}
    products: dict[tuple[Cell, Cell], int] = {}
    for one_cell, other_cell, count in second.products:
        left, right = (one_cell[0], one_cell[1]), (other_cell[0], other_cell[1])
        products[left, right] = products[right, left] = count
    return Agreement(table, second.groups, products)


def agreement_json(second: SecondOracle, confidence: float) -> JsonObject:
    """How far two oracles agree, and how much more than by chance."""
    agreement = agreement_of_second(second)
    share, kappa, interval = agreement.share, agreement.kappa, agreement.interval(confidence)
    return {
        "pairs": agreement.pairs,
        "agreeing": agreement.agreeing,
        "share": None if share is None else tidy_number(share),
        "kappa": None if kappa is None else tidy_number(kappa),
        "interval": None if interval is None else [tidy_number(end) for end in interval],
    }


def _checks(facts: AuditFacts, shares: dict[str, GroupedShare]) -> list[CheckResult]:
    """A check for each limit; what rests on no pair is inconclusive."""
    bound = facts.limits.judge == "bound"
    return [
        judge_limit(
            f"max_{name}",
            "requirement",
            shares[name].value,
            limit,
            missing="inconclusive",
            interval=shares[name].interval(facts.confidence),
            bound=bound,
        )
        for name, limit in facts.limits.by_share().items()
    ]


def _status(facts: AuditFacts, checks: list[CheckResult]) -> AuditStatus:
    """The status: an audit without a verdict shows nothing, nor does one without a decision on pairs of each truth."""
    if facts.unanswered == facts.pairs:
        return "error"
    if any(check.status == "fail" for check in checks):
        return "fail"
    # Who never decides makes no mistake, and vouches for nothing; nor does who was asked one kind of pair alone.
    decided = [facts.count(truth) - facts.count(truth, "unknown") for truth in TRUTHS]
    if not all(decided) or any(check.status != "pass" for check in checks):
        return "inconclusive"
    return "pass" if checks else "measured"


def read_audit(data: object, file: str | None = None) -> tuple[AuditFacts, JsonObject, JsonObject]:
    """The counts of a stored audit, what follows from them, and what was observed.

    Raises:
        IntegrityError: it is none, its counts contradict each other, or something in it does not follow from them.
    """
    facts, observed = read_facts(data, file)
    content: JsonObject = data if isinstance(data, dict) else {}  # anything else was refused above
    stored = {name: value for name, value in content.items() if name not in ("digest", "observed")}
    problems = list(_impossible(facts, file))
    if problems:
        raise IntegrityError(*problems)
    derived = _with_stored_ends(derive(facts), stored)
    problems += contradictions(stored, {**facts.to_json(), **derived}, "follows from the counts", file=file)
    if problems:
        raise IntegrityError(*problems[:_MAX_PROBLEMS])
    return facts, derived, observed


def _impossible(facts: AuditFacts, file: str | None) -> list[Problem]:
    """Sums over source groups that no groups can have."""
    problems = []
    for spread in facts.spreads:
        for status in ("valid", "invalid", "unknown"):
            share = _share(facts, spread, spread.truth, status, spread.domain)
            if not share.is_possible():
                message = f"no source groups can have the sums of {status} pairs that are stored"
                path = f"$.spreads[{facts.spreads.index(spread)}]"
                problems.append(Problem(code="contradiction", message=message, file=file, path=path))
    if facts.second is not None and not agreement_of_second(facts.second).is_possible():
        message = "no source groups can have the products that are stored"
        problems.append(Problem(code="contradiction", message=message, file=file, path="$.second.products"))
    return problems


def _with_stored_ends(derived: JsonObject, stored: JsonObject) -> JsonObject:
    """What is derived, with the stored ends of those intervals that are the same to nine digits.

    The ends are quantiles, whose last digits depend on the version of the library that computed them.
    """
    scopes = [(derived["shares"], stored.get("shares"))]
    by_domain = stored.get("by_domain")
    if isinstance(by_domain, dict):
        scopes += [(shares, by_domain.get(name)) for name, shares in derived["by_domain"].items()]
    places = [(due[name], found.get(name)) for (due, found), name in product(scopes, SHARES) if isinstance(found, dict)]
    places.append((derived["agreement"], stored.get("agreement")))
    checks = stored.get("checks")
    places += zip(derived["checks"], checks if isinstance(checks, list) else (), strict=False)
    for due, found in places:
        if isinstance(due, dict) and isinstance(found, dict) and same_ends(due["interval"], found.get("interval")):
            due["interval"] = found["interval"]
    return derived
