"""How far reviewers agree, as plain text."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.render.plain import counts_text, number_text, plural, safe, shorten, table, value_text

_MOST_SHOWN = 20
_NAME = 30


def agreement_text(agreement: JsonObject) -> str:
    """Who judged how much, how far each two agree, and the first pairs on which they do not.

    Args:
        agreement: as :meth:`robust.app.agreement.ReviewAgreement.to_json` gives it.
    """
    judged = f"{plural(agreement['judged'], 'pair')} judged, {agreement['shared']} by two reviewers or more"
    lines = [f"{agreement['contract']}: {judged}, {plural(agreement['unjudged'], 'row')} not judged yet"]
    lines += table(
        [
            [_name(name), counts_text(dict(sorted(counts.items(), reverse=True)))]
            for name, counts in agreement["reviewers"].items()
        ]
    )
    rows = [
        ["first", "second", "pairs", "agree", "share", "kappa", f"{agreement['confidence']:.0%} interval", "answers"]
    ]
    rows += [_row(each) for each in agreement["agreements"]]
    lines += ["", *table(rows, right=(2, 3, 4, 5))]
    shown = agreement["disagreements"][:_MOST_SHOWN]
    if shown:
        heading = "stays unknown, as it is" if agreement["disagreeing"] == 1 else "stay unknown, as they are"
        lines += ["", f"{plural(agreement['disagreeing'], 'pair')} {heading} judged differently:"]
        lines += [f"  {_pair(each)}" for each in shown]
    if agreement["disagreeing"] > len(shown):
        lines.append(f"  … and {agreement['disagreeing'] - len(shown)} more")
    return "\n".join(lines)


def _name(name: str) -> str:
    return shorten(safe(name), _NAME)


def _row(two: JsonObject) -> list[str]:
    interval = two["interval"]
    spread = "-" if interval is None else f"{number_text(interval[0])} to {number_text(interval[1])}"
    answers = f"{two['answers_equal']} of {two['answers']} equal" if two["answers"] else "-"
    numbers = [str(two["pairs"]), str(two["agreeing"]), number_text(two["share"]), number_text(two["kappa"])]
    return [_name(two["first"]), _name(two["second"]), *numbers, spread, answers]


def _pair(disagreement: JsonObject) -> str:
    said = (
        f"{_name(each['reviewer'])} {each['valid']}" + (f" {_answers(each)}" if each["valid"] == "yes" else "")
        for each in disagreement["judgements"]
    )
    name = disagreement["candidate_id"] or disagreement["pair"]
    return shorten(f"{safe(name)}: {', '.join(said)}", 200)


def _answers(judgement: JsonObject) -> str:
    return f"({value_text(judgement['base_answer'], 20)} -> {value_text(judgement['variant_answer'], 20)})"
