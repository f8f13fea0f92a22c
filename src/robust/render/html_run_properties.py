"""What the properties of a run found, as pictures with their tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.run_details import DISTANCE_BINS, RunDetails
from robust.render.html_blocks import Figure, Section, Table, Tone
from robust.render.html_checks import limits_of
from robust.render.plain import number_text, plural
from robust.render.report_checks import interval_text
from robust.render.report_oracles import audit_notes
from robust.render.report_properties import property_figures, property_notes
from robust.render.report_words import REFUSED, SKIPPED, in_contract_order, percent
from robust.render.svg_bars import Bar, bars_svg
from robust.render.svg_histogram import Histogram, histogram_svg
from robust.render.svg_matrix import Matrix, matrix_svg
from robust.render.svg_rates import Rate, rates_svg
from robust.render.svg_stacks import Part, Stack, stacks_svg

_OUTCOMES: Final = {"valid": "s-1", "assumed": "s-2", "unknown": "s-3", "invalid": "s-4"}
_MOST_BARS: Final = 12
_MOST_ROWS: Final = 100
_RELATIONS: Final = ("invariant", "counterfactual", "increasing", "decreasing")


def properties_section(report: JsonObject, details: RunDetails) -> Section | None:
    """The pictures of the properties; None where none was tested."""
    if not report["properties"]:
        return None
    figures = [
        _rates(report, details),
        _outcomes(report),
        _distances(report, details),
        _flips(details),
        _tables_of_answers(report),
    ]
    head = ("property", "pairs", "violations", "flips", "base flips", "max TV", "groups hit")
    rows = [
        [name, *(" ".join(cell.split()) for cell in property_figures(report["properties"][name]))]
        for name in in_contract_order(report)
    ]
    table = Table(head=head, rows=rows, right=range(1, 7), about="What each property found")
    return Section(
        title="Properties",
        anchor="properties",
        about="A pair is a case and a changed form of it. It violates a property where its answers are further apart "
        "than the contract allows; it flips where the selected label is another one.",
        figures=[figure for figure in figures if figure is not None],
        tables=[table],
        notes=property_notes(report),
    )


def _rates(report: JsonObject, details: RunDetails) -> Figure | None:
    limits = limits_of(report, "max_violation_rate")
    names = [name for name in in_contract_order(report) if name in limits and details.violations[name].of]
    if not names:
        return None
    found = {name: details.violations[name] for name in names}
    rates = [
        Rate(name, rate.value, rate.interval, limits[name][0], limits[name][1], f"{rate.hits:,} of {rate.of:,}")
        for name, rate in found.items()
    ]
    over = [name for name in names if limits[name][1] != "good"]
    confidence = f"{100 * report['settings']['confidence']:.6g} %"
    rows = [
        [
            name,
            f"{rate.hits:,}",
            f"{rate.of:,}",
            percent(rate.value),
            interval_text(_pair(rate.interval)),
            _limit(limits[name]),
        ]
        for name, rate in found.items()
    ]
    head = ("property", "violations", "pairs", "rate", f"{confidence} interval", "limit")
    says = f"Dots are rates, bands their {confidence} intervals over source groups, upright marks the limits. "
    says += f"Over the limit: {', '.join(over)}." if over else "All are within their limits."
    return Figure(
        title="Violation rates",
        svg=rates_svg(rates),
        says=says,
        table=Table(head=head, rows=rows, right=range(1, 6), about="Violation rates by property"),
    )


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else [*interval]


def _limit(limit: tuple[float | None, Tone]) -> str:
    return number_text(limit[0])


def _distances(report: JsonObject, details: RunDetails) -> Figure | None:
    histograms, rows, beyond = [], [], []
    for name in in_contract_order(report):
        found = details.distances[name]
        if not found.pairs:
            continue
        limit = report["properties"][name].get("limits", {}).get("max_tv_distance")
        zero = f"{found.zero:,} are 0" if found.zero else ""
        histograms.append(Histogram(name, found.bins, limit, f"{found.pairs:,}{f', {zero}' if zero else ''}"))
        rows += [[name, "0", f"{found.zero:,}"]] if found.zero else []
        rows += [
            [name, f"{number_text(place / DISTANCE_BINS)} to {number_text((place + 1) / DISTANCE_BINS)}", f"{count:,}"]
            for place, count in enumerate(found.bins)
            if count
        ]
        if limit is not None and any(
            found.bins[place] for place in range(DISTANCE_BINS) if place / DISTANCE_BINS >= limit
        ):
            beyond.append(name)
    if not histograms:
        return None
    says = "How far the two answers of a pair are apart (total variation, 0 to 1); those that are 0 are not drawn. "
    says += (
        f"Beyond the limit, which is the upright mark: {', '.join(beyond)}." if beyond else "None is beyond a limit."
    )
    table = Table(head=("property", "distance", "pairs"), rows=rows, right=(2,), about="Distances by property")
    return Figure(title="Distances between answers", svg=histogram_svg(histograms), says=says, table=table)


def _outcomes(report: JsonObject) -> Figure | None:
    stacks, rows = [], []
    for name in in_contract_order(report):
        found = report["properties"][name]
        parts = [Part(status, found[status], kind) for status, kind in _OUTCOMES.items()]
        if any(part.number for part in parts):
            stacks.append(Stack(name, parts))
            rows.append([name, *(f"{part.number:,}" for part in parts)])
    if not stacks:
        return None
    assumed = report["counts"]["assumed"]
    says = "What oracles said of the candidates, from left to right: valid, assumed, unknown, invalid. "
    says += "Assumed ones were judged by nobody." if assumed else "None is assumed."
    table = Table(head=("property", *_OUTCOMES), rows=rows, right=range(1, 5), about="Oracle outcomes by property")
    return Figure(title="Oracle outcomes", svg=stacks_svg(stacks), says=says, table=table)


def _flips(details: RunDetails) -> Figure | None:
    if not details.label_pairs:
        return None
    pairs = list(details.label_pairs.items())
    count = sum(details.label_pairs.values())
    bars = [Bar(f"{old} → {new}", many, f"{many:,}") for (old, new), many in pairs[:_MOST_BARS]]
    says = f"{plural(count, 'pair')} whose label should have stayed have another one, from the base's to the variant's."
    if len(pairs) > _MOST_BARS:
        says += f" Drawn are the {_MOST_BARS} most frequent of {len(pairs)} changes."
    rows = [[old, new, f"{many:,}", percent(many / count)] for (old, new), many in pairs[:_MOST_ROWS]]
    head = ("base", "variant", "pairs", "of all flips")
    table = Table(head=head, rows=rows, right=(2, 3), about="Flips by label pair")
    return Figure(title="Flips by label pair", svg=bars_svg(bars), says=says, table=table)


def _tables_of_answers(report: JsonObject) -> Figure | None:
    counted = {name: table for name, table in _by_relation(report).items() if sum(table.values())}
    if not counted:
        return None
    names = ("right", "wrong")
    matrices, rows = [], []
    for name, table in counted.items():
        counts = {
            (f"base {base}", f"variant {variant}"): table[f"base_{base}_variant_{variant}"]
            for base in names
            for variant in names
        }
        matrices.append(
            Matrix(
                name,
                [f"base {each}" for each in names],
                [f"variant {each}" for each in names],
                counts,
                frozenset([("base right", "variant wrong")]),
            )
        )
        rows.append([name, *(f"{count:,}" for count in counts.values())])
    lost = sum(table["base_right_variant_wrong"] for table in counted.values())
    wrong = sum(table["base_wrong_variant_wrong"] for table in counted.values())
    says = (
        f"{plural(lost, 'pair')} with a right base and a wrong variant; in {wrong:,} both are wrong, so that agreement "
    )
    says += "says nothing for them."
    head = ("relation", "both right", "only base right", "only variant right", "both wrong")
    table_of = Table(head=head, rows=rows, right=range(1, 5), about="Base and variant answers by relation")
    return Figure(title="Base against variant", svg=matrix_svg(matrices), says=says, table=table_of)


def _by_relation(report: JsonObject) -> dict[str, dict[str, int]]:
    """How bases and variants were answered: of validated variants, and of generated pairs, by relation."""
    properties: JsonObject = report["properties"]
    found: dict[str, dict[str, int]] = {}
    variants = properties.get("variants", {}).get("by_relation", {})
    for relation in _RELATIONS:
        if relation in variants:
            found[f"validated variants, {relation}"] = variants[relation]
    for relation in _RELATIONS:
        tables = [each["answers"] for each in properties.values() if each.get("relation") == relation]
        if tables:
            found[f"generated, {relation}"] = {cell: sum(table[cell] for table in tables) for cell in tables[0]}
    return found


def candidates_section(report: JsonObject) -> Section | None:
    """Who judged the candidates, which were refused or skipped, and what went wrong; None where there is nothing."""
    properties = {name: report["properties"][name] for name in in_contract_order(report)}
    tables = [table for table in (_refused(properties), _skipped(properties), _errors(report)) if table is not None]
    notes = [*_judges(properties), *audit_notes(properties, report["observed"].get("audits") or {})]
    if not (tables or notes):
        return None
    return Section(title="Candidates and errors", anchor="candidates", tables=tables, notes=notes)


def _judges(properties: JsonObject) -> Iterator[str]:
    judged: dict[str, list[str]] = {}
    for name, found in properties.items():
        for oracle in found.get("oracles", ()):
            judged.setdefault(f"{oracle['name']} ({oracle['contract']})", []).append(name)
    for oracle, names in judged.items():
        yield f"{', '.join(names)}: judged by {oracle}"


def _refused(properties: JsonObject) -> Table | None:
    rows = [
        [name, f"{count:,}", code, REFUSED[code], " ".join(found["first_refused"][code]["reason"].split())]
        for name, found in properties.items()
        for code, count in found.get("refused_by_code", {}).items()
    ]
    head = ("property", "candidates", "code", "meaning", "the first")
    return Table(head=head, rows=rows, right=(1,), about="Refused by oracles, and not scored") if rows else None


def _skipped(properties: JsonObject) -> Table | None:
    rows = [
        [name, f"{count:,}", SKIPPED[reason]]
        for name, found in properties.items()
        for reason, count in found.get("skipped_by_reason", {}).items()
    ]
    return Table(head=("property", "cases", "reason"), rows=rows, right=(1,), about="Skipped cases") if rows else None


def _errors(report: JsonObject) -> Table | None:
    messages = report["observed"].get("messages")
    said = messages if isinstance(messages, dict) else {}
    kinds = [("base cases", kind, count) for kind, count in report["errors_by_kind"].items()]
    for name in in_contract_order(report):
        found = report["properties"][name]
        by_kind = found.get("errors_by_kind") or ({"": found["errors"]} if found["errors"] else {})
        kinds += [(name, kind, count) for kind, count in by_kind.items()]
    rows = [[name, kind, f"{count:,}", " ".join(str(said.get(kind, "")).split())] for name, kind, count in kinds]
    head = ("of", "kind", "count", "what was said of the first")
    return Table(head=head, rows=rows, right=(2,), about="Errors") if rows else None
