"""What a contract may say and still get nowhere: found before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from robust.app.contract_data import DataSummary
from robust.canon import fold
from robust.records.contract import Contract
from robust.records.decision import LIMIT_SLACK
from robust.records.oracle_config import JUDGES
from robust.records.properties import Compared, Generated
from robust.records.section import Misfit

# Golden gates on metrics that need known answers.
_NEED_LABELS: Final = frozenset(
    ("min_accuracy", "min_macro_f1", "min_selective_accuracy", "max_nll", "max_brier", "max_ece", "max_ordinal_mae")
)


def warnings_of(contract: Contract, data: DataSummary | None) -> Iterator[Misfit]:
    """What will not work out, by its place in the contract."""
    yield from _data(data)
    yield from _gates(contract, data)
    yield from _groups(contract, data)
    yield from _oracles(contract)
    yield from _eligible(contract, data)
    yield from _paraphraser(contract)
    yield from _segments(contract)
    yield from _routes(contract)


def groups_needed(limit: float, confidence: float) -> int | None:
    """The fewest source groups, none with a violation, whose exact upper bound is within a limit.

    With no violation in n groups the one-sided upper bound is 1 − (1 − confidence)^(1/n) (Clopper & Pearson 1934), so
    that 59 groups show a share of at most 0.05 at 95 %. None for a limit of 0, which no number of groups can show.
    """
    if limit + LIMIT_SLACK >= 1:
        return 1
    return None if limit <= 0 else math.ceil(math.log(1 - confidence) / math.log1p(-(limit + LIMIT_SLACK)))


def upper_bound(groups: int, confidence: float) -> float:
    """The one-sided exact upper bound of a share of which none was seen in so many groups."""
    return 1.0 if groups == 0 else -math.expm1(math.log(1 - confidence) / groups)


def _data(data: DataSummary | None) -> Iterator[Misfit]:
    if data is None:
        yield Misfit((), "names no cases to run", "name a dataset or a manifest, or give one", "no_data")
    elif len(data.splits) > 1:
        message = f"the manifest has the splits {', '.join(data.splits)}, and the contract names none"
        yield Misfit(("manifest",), message, "set split, or give --split when it runs", "no_split")


def _gates(contract: Contract, data: DataSummary | None) -> Iterator[Misfit]:
    limits = {**contract.requirements.limits(), **contract.warnings.limits()}
    if not limits and not contract.properties.enabled():
        hint = "set a gate under requirements or warnings, or a property"
        yield Misfit((), "has neither gate nor property, so a run could show nothing", hint, "no_gates")
    if data is None or data.labelled:
        return
    for section, gates in (("requirements", contract.requirements), ("warnings", contract.warnings)):
        for name in gates.limits():
            if name in _NEED_LABELS:
                yield Misfit((section, name), "no case has a known answer, so it cannot hold", None, "no_labels")


def _groups(contract: Contract, data: DataSummary | None) -> Iterator[Misfit]:
    confidence = contract.statistics.confidence
    for name, settings in contract.properties.enabled().items():
        limit = settings.max_group_violation_rate
        if limit is None:
            continue
        place = ("properties", name, "max_group_violation_rate")
        needed = groups_needed(limit, confidence)
        if needed is None:
            yield Misfit(place, "no number of source groups can show a share of 0", "set it above 0", "too_few_groups")
        elif data is not None:
            groups = len(data.variant_sources if name == "variants" else data.sources)
            if groups < needed:
                bound = upper_bound(groups, confidence)
                message = f"even without a violation it could not hold: over {groups} source groups the bound is "
                message += f"{bound:.3g}, and a limit of {limit:g} needs {needed} groups at {confidence:.4g}"
                yield Misfit(place, message, None, "too_few_groups")
        if isinstance(settings, Compared) and not settings.distribution_limits():
            hint = "set one of the distribution limits, such as max_tv_distance"
            yield Misfit(place, "without a limit on pairs no pair is a violation", hint, "no_pair_limit")


def _oracles(contract: Contract) -> Iterator[Misfit]:
    for name, settings in contract.properties.enabled().items():
        oracle = (settings.oracle or contract.oracles.default) if isinstance(settings, Generated) else None
        judged = JUDGES.get(oracle.provider, (name,)) if oracle is not None else (name,)
        if oracle is not None and name not in judged:
            message = f"the oracle {oracle.provider!r} does not judge it, so every candidate will be unknown"
            yield Misfit(("properties", name), message, "name an oracle for it that does", "never_valid")


def _eligible(contract: Contract, data: DataSummary | None) -> Iterator[Misfit]:
    for name, count in ({} if data is None else data.eligible).items():
        if not count:
            hint = None if name == "monotonic" else "inputs that are objects need fuzz.text_field"
            yield Misfit(("properties", name), "no case has what it transforms", hint, "nothing_to_transform")
    variants = contract.properties.variants
    if variants is not None and variants.enabled and (data is None or not data.variants):
        message = "needs a manifest, and none is named" if data is None else "the data has no variants"
        yield Misfit(("properties", "variants"), message, None, "no_variants")


def _paraphraser(contract: Contract) -> Iterator[Misfit]:
    settings = contract.properties.paraphrase
    if settings is None or not settings.enabled:
        return
    model = getattr(settings.source, "model", None)
    tested = {fold(name) for config in (contract.backend, *contract.backends.values()) if (name := config.model)}
    if isinstance(model, str) and fold(model) in tested:
        message = f"the model {model!r} words its own test, and may find its own words easier than other people's"
        yield Misfit(("properties", "paraphrase", "source", "model"), message, "use another model", "own_paraphraser")


def _segments(contract: Contract) -> Iterator[Misfit]:
    production = contract.production
    for name in ("segment_requirements", "segment_warnings"):
        if getattr(production, name).limits() and not production.segments:
            yield Misfit(("production", name), "there are no segments to judge", "set segments", "no_segments")


def _routes(contract: Contract) -> Iterator[Misfit]:
    least = 1 / len(contract.decision.label_order)
    for index, route in enumerate(contract.policy.routes if contract.policy is not None else ()):
        if route.when is not None and route.when.confidence_gte <= least:
            message = f"later routes are never taken: confidence is never below 1/{len(contract.decision.label_order)}"
            yield Misfit(("policy", "routes", index, "when"), message, None, "unreachable_route")
            return
