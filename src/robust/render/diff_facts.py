"""What a comparison of two runs says in words, for all of its formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from robust.canon import JsonObject
from robust.records.run_diff import CHANGE_KINDS
from robust.render.plain import number_text, plural
from robust.render.report_checks import check_note, interval_text
from robust.render.report_words import percent
from robust.render.screen import Screen

SIDES: Final = ("baseline", "candidate")
KINDS: Final = {
    "newly_wrong": "newly wrong",
    "new_error": "new error",
    "other_label": "other label",
    "newly_right": "newly right",
    "recovered": "recovered",
}
MISSING: Final = "<missing>"
_SHOWN_IDS: Final = 5
_ID_WIDTH: Final = 60
_NAME_WIDTH: Final = 60
# Of a key, a sign and a value.
_ROW_WIDTH: Final = 2 * _NAME_WIDTH + 10
_DIGEST: Final = slice(0, len("sha256:") + 12)
_NO_GATE: Final = "no gate is set under regression, so that nothing was asked of the answers"


def judged(report: JsonObject) -> JsonObject:
    """A comparison as what renders the checks of a run takes it: each of them is on a metric of its own."""
    metrics: JsonObject = {
        check["check"].removeprefix("max_"): {} for check in report["checks"] if check["check"] != "gates"
    }
    return {**report, "metrics": metrics}


def note_of(report: JsonObject, check: JsonObject, screen: Screen) -> str | None:
    """What else is to be said of a check; None where there is nothing."""
    if check["check"] == "gates":
        return _NO_GATE
    notes = [check_note(judged(report), check)]
    worst = report["segments"]["worst"]
    if check["check"] == "max_segment_accuracy_drop" and worst is not None:
        notes.append(f"the segment that decides is {segment_name(worst, screen)}")
    return "; ".join(note for note in notes if note) or None


def run_text(report: JsonObject, side: str, screen: Screen) -> str:
    """What a run asked whom about what, in a line."""
    run = report[side]
    backend = run["backend"]
    version = f" {screen.short(backend['model_version'], _NAME_WIDTH)}" if backend["model_version"] else ""
    model = f"{screen.short(backend['model'] or backend['name'], _NAME_WIDTH)}{version}"
    return (
        f"{model} ({screen.short(backend['provider'], _NAME_WIDTH)}) on {cases_text(run, screen)}, seed {run['seed']}"
    )


def cases_text(run: JsonObject, screen: Screen) -> str:
    """The cases of a run by their name."""
    if run["manifest"] is not None:
        name, split = (screen.short(run["manifest"][key], _NAME_WIDTH) for key in ("name", "split"))
        return f"manifest {name}, split {split}"
    return f"data set {screen.short(run['dataset']['name'], _NAME_WIDTH)}"


def place_of(report: JsonObject, side: str) -> str:
    """Where a run was read from; empty where it is not told."""
    place = report["observed"].get(side)
    return place if isinstance(place, str) else ""


def matched_text(report: JsonObject) -> str:
    """How many cases could be compared."""
    counts = report["counts"]
    matched = f"{plural(counts['matched'], 'matched case')} of {plural(counts['groups'], 'source')}"
    return f"{matched}; {counts['compared']} decided by both runs, {counts['labelled']} with a known right answer"


def apart_notes(report: JsonObject, screen: Screen) -> Iterator[str]:
    """What the two runs do not have in common, so that nobody takes one for the other."""
    counts, first, second = report["counts"], report["baseline"], report["candidate"]
    if first["digest"] == second["digest"]:
        yield "The baseline and the candidate are the same run."
    elif first["answers_digest"] == second["answers_digest"]:
        yield "Both runs gave the same answers to everything."
    for name in report["differences"]:
        yield _difference(name, first, second, screen)
    for side, other in (SIDES, SIDES[::-1]):
        count, ids = counts[f"only_in_{side}"], report["unmatched"][side]
        if count:
            yield f"{plural(count, 'case')} of the {side} {_is(count)} not in the {other}: {_ids(ids, count, screen)}."
    if counts["other_input"]:
        yield f"{plural(counts['other_input'], 'matched case')} {_has(counts['other_input'])} another input."
    if counts["other_expected"]:
        has = _has(counts["other_expected"])
        yield (
            f"{plural(counts['other_expected'], 'matched case')} {has} another right answer; both runs are judged by "
            "that of the candidate."
        )
    if counts["other_source"]:
        yield f"{plural(counts['other_source'], 'matched case')} {_has(counts['other_source'])} another source."


def unknown_notes(report: JsonObject) -> Iterator[str]:
    """What nothing can be said of."""
    counts, settings = report["counts"], report["settings"]
    undecided = counts["matched"] - counts["compared"]
    if undecided:
        yield f"{plural(undecided, 'matched case')} {_was(undecided)} not decided by both runs."
    unlabelled = counts["matched"] - counts["labelled"]
    if unlabelled:
        yield f"{plural(unlabelled, 'matched case')} {_has(unlabelled)} no known right answer."
    small = sum(not each["gated"] for each in report["segments"]["listed"])
    if small:
        of = "listed segment" if report["segments"]["left"] else "segment"
        yield f"{plural(small, of)} {_has(small)} fewer than {settings['min_segment_size']} cases: not judged."
    for key, left in report["segments"]["left"].items():
        others = f"{plural(left, 'segment')} of {key!r} {_is(left)} not listed"
        yield f"{others}: judged ones come first, then what dropped most."


def _difference(name: str, first: JsonObject, second: JsonObject, screen: Screen) -> str:
    if name == "cases":
        sides = (f"{cases_text(run, screen)} ({_cases_digest(run)})" for run in (first, second))
        return "Other cases: {}; {}.".format(*sides)
    if name == "contract":
        return f"Other contracts: {first['contract'][_DIGEST]}; {second['contract'][_DIGEST]}."
    if name == "backend":
        told = [_backend(run["backend"], screen) for run in (first, second)]
        return "Other backends: {}; {}.".format(*told) if told[0] != told[1] else "Other details of the backend."
    return f"Other {name}s: {first[name]}; {second[name]}."


def _backend(backend: JsonObject, screen: Screen) -> str:
    parts = (backend[key] for key in ("name", "provider", "model", "model_version"))
    return " / ".join(screen.short(part, _NAME_WIDTH) for part in parts if part)


def _cases_digest(run: JsonObject) -> str:
    digest: str = run["manifest"]["digest"] if run["manifest"] is not None else run["dataset"]["root"]
    return digest[_DIGEST]


def _ids(ids: Sequence[str], count: int, screen: Screen) -> str:
    shown = [screen.short(each, _ID_WIDTH) for each in ids[:_SHOWN_IDS]]
    left = count - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def answer_notes(report: JsonObject) -> Iterator[str]:
    """How many labels changed, and whether that is more than chance would have."""
    answers, counts = report["answers"], report["counts"]
    span = f", {' to '.join(map(percent, answers['interval']))}" if answers["interval"] else ""
    yield (
        f"{answers['flips']} of {counts['compared']} have another label ({percent(answers['flip_rate'])}{span}): "
        f"{answers['newly_wrong']} newly wrong, {answers['newly_right']} newly right"
    )
    test = answers["mcnemar"]
    if test["p_value"] is None:
        yield "no case with a known right answer was decided by both: nothing is said of right and wrong"
        return
    yield (
        f"McNemar's exact test: p = {p_text(test['p_value'])} ({answers['newly_wrong']} against "
        f"{answers['newly_right']} of {test['cases']} cases)"
    )
    worse, better = test["groups_worse"], test["groups_better"]
    yield f"by source: p = {p_text(test['groups_p_value'])} ({worse} worse, {better} better)"


def p_text(value: float) -> str:
    """A p value in few characters; only what is 1 is shown as 1, and nothing as 0."""
    if value >= 1e-4:
        return number_text(value)
    return f"{value:.1e}" if value > 0 else "below 1e-300"


def error_notes(report: JsonObject) -> Iterator[str]:
    """How errors came and went."""
    errors = report["errors"]
    yield f"{errors['new']} new, {errors['recovered']} recovered, {errors['still']} still"
    for kind, sides in errors["by_kind"].items():
        yield f"{kind}: {sides['baseline']} in the baseline, {sides['candidate']} in the candidate"


def metric_rows(report: JsonObject) -> list[list[str]]:
    """A head, and a row for each metric that one of the runs has: both values, the difference and its interval."""
    rows = [["", "baseline", "candidate", "delta", "interval", "sources"]]
    for name, metric in report["metrics"].items():
        first, second = (metric[side] for side in SIDES)
        if first["value"] is None and second["value"] is None:
            continue
        figures = [number_text(first["value"]), number_text(second["value"]), delta_text(metric["delta"])]
        rows.append([name, *figures, interval_text(metric["interval"]), str(max(first["groups"], second["groups"]))])
    for name, figure in report["observed"]["latency"].items():
        if figure["delta"] is not None:
            values = [number_text(round(figure[side], 2)) for side in SIDES]
            rows.append([f"latency {name}", *values, delta_text(round(figure["delta"], 2)), "-", "-"])
    return rows


def shift_rows(report: JsonObject) -> list[list[str]]:
    """A head, and how far the two answers to a case are apart."""
    distributions, confidence = report["distributions"], report["confidence"]
    means: tuple[tuple[str, JsonObject, Any], ...] = (
        ("total variation", distributions["mean_tv_distance"], distributions["max_tv_distance"]),
        ("Jensen-Shannon, bits", distributions["mean_js_divergence"], None),
        ("confidence, signed", confidence["mean_shift"], None),
        ("confidence, size", confidence["mean_abs_shift"], confidence["max_abs_shift"]),
    )
    rows = [["", "mean", "interval", "maximum"]]
    rows += [
        [name, number_text(mean["value"]), interval_text(mean["interval"]), number_text(most)]
        for name, mean, most in means
        if mean["value"] is not None
    ]
    return rows


def segment_name(segment: JsonObject, screen: Screen) -> str:
    """A segment by its key and value; the cases without the key are told from those that have this very text."""
    value = segment["value"]
    shown = MISSING if value is None else repr(value) if value == MISSING else screen.short(value, _NAME_WIDTH)
    return f"{screen.short(segment['key'], _NAME_WIDTH)}={shown}"


def segment_rows(report: JsonObject, screen: Screen, width: int = _ROW_WIDTH) -> list[list[str]]:
    """A head, and a row for each segment that is listed; a long name leaves room for the word that it is too small."""
    rows = [["", "cases", "baseline", "candidate", "drop", "interval", "flips"]]
    for each in report["segments"]["listed"]:
        small = "" if each["gated"] else " (small)"
        figures = [number_text(each[name]) for name in ("baseline_accuracy", "candidate_accuracy", "accuracy_drop")]
        interval, flips = interval_text(each["interval"]), percent(each["answer_flip_rate"])
        name = screen.short(segment_name(each, screen), width - len(small)) + small
        rows.append([name, str(each["matched"]), *figures, interval, flips])
    return rows


def delta_text(value: float | None) -> str:
    """A difference with its sign; a dash where there is none."""
    if value is None:
        return "-"
    text = number_text(value)
    return f"+{text}" if value > 0 and text != "0" else text


def change_text(change: JsonObject, screen: Screen) -> str:
    """What came of a changed case: both answers, and the right one where it is known."""
    sides = f" {screen.signs.arrow} ".join(_answer(change[side], screen) for side in SIDES)
    right = f", right is {screen.short(change['expected'], _NAME_WIDTH)}" if change["expected"] is not None else ""
    return f"{KINDS[change['kind']]}: {sides}{right}"


def _answer(answer: JsonObject, screen: Screen) -> str:
    if answer["error"] is not None:
        return f"error {answer['error']}"
    return f"{screen.short(answer['selected'], _NAME_WIDTH)} ({number_text(answer['confidence'])})"


def provenance(report: JsonObject) -> Iterator[tuple[str, str]]:
    """What was compared, and the digests, each with its name; the texts are as the report has them."""
    contract = report["contract"]
    yield "status", report["status"]
    yield "contract", contract["name"]
    yield "contract digest", contract["digest"]
    yield "contract of", contract["of"]
    for side in SIDES:
        run = report[side]
        if (place := place_of(report, side)) != "":
            yield side, place
        yield f"{side} status", run["status"]
        if run["manifest"] is not None:
            yield f"{side} manifest", run["manifest"]["name"]
            yield f"{side} split", run["manifest"]["split"]
            yield f"{side} manifest digest", run["manifest"]["digest"]
        else:
            yield f"{side} data set", run["dataset"]["name"]
            yield f"{side} data set root", run["dataset"]["root"]
        yield f"{side} seed", str(run["seed"])
        for name in ("provider", "model", "model_version"):
            if run["backend"][name] is not None:
                yield f"{side} {name.replace('_', ' ')}", run["backend"][name]
        yield f"{side} contract digest", run["contract"]
        yield f"{side} evidence digest", run["evidence_digest"]
        yield f"{side} report digest", run["digest"]
    yield "digest", report["digest"]


def changes_note(report: JsonObject) -> str:
    """How many cases changed, by kind."""
    by_kind = report["changes"]["by_kind"]
    kinds = ", ".join(f"{by_kind[kind]} {KINDS[kind]}" for kind in CHANGE_KINDS if by_kind[kind])
    return f"{plural(report['changes']['count'], 'changed case')}{f': {kinds}' if kinds else ''}"
