"""Verifications, manifests and validations as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from robust.canon import JsonObject, canonical_text
from robust.errors import Problem
from robust.records.validation import ValidationRecord
from robust.render.plain import counts_text, safe, shorten, table, value_text, wrapped
from robust.render.review import input_text
from robust.render.word_difference import change_excerpt

_SHOWN_PROBLEMS = 50
_NOT_PROVEN = {
    "maker": "who made it",
    "key_holder": "who held the key",
    "content": "that what was signed is right",
    "oracle": "that the oracle is right",
    "unseen_data": "that nobody saw the data before",
    "dates": "dates, which are as signers and machines say",
}
# Beside the names of the lines, in 80 columns; a change takes up to three lines.
_TEXT_COLUMNS = 67
_CHANGE_LINES = 3
# Of a label and of an answer that differ; whole, if they differ further on.
_ANSWER_COLUMNS = 18


def problem_text(problem: Problem) -> str:
    """One problem as the command shows it: ``error[CODE]: FILE:LINE: path: what is wrong; what to do``."""
    return f"error[{problem.code}]: {safe(str(problem))}"


def _mark(check: JsonObject) -> str:
    if not check["done"]:
        return "--  "
    return "ok  " if check["holds"] else "FAIL"


def verification_text(verification: JsonObject, problems: Iterable[Problem]) -> str:
    """One line for each check, the problems below, and what was not shown."""
    lines = [f"{safe(verification['path'])} ({verification['kind']})"]
    lines += [
        f"  {_mark(check)}  {check['name']}: {safe(check['detail'])}".rstrip(": ") for check in verification["checks"]
    ]
    listed = list(problems)
    lines += [f"  {problem_text(problem)}" for problem in listed[:_SHOWN_PROBLEMS]]
    if len(listed) > _SHOWN_PROBLEMS:
        lines.append(f"  … and {len(listed) - _SHOWN_PROBLEMS} more")
    if verification["holds"]:
        lines.append(f"  {_conclusion(verification)}")
        lines.append(f"  not proven: {'; '.join(_NOT_PROVEN[code] for code in verification['not_proven'])}")
    return "\n".join(lines)


def _conclusion(verification: JsonObject) -> str:
    """What was shown, and no more than that."""
    by = ", ".join(_signer(signer) for signer in verification["signers"])
    if verification["authentic"]:
        return f"authentic: signed by {by}"
    if verification["signature"] == "verified":
        return f"signed by {by}; nothing here shows that what they say is so"
    what = "its form" if verification["kind"] == "attestation" else "integrity"
    unknown = "nothing is signed" if verification["signature"] == "none" else "signatures were not checked"
    return f"{what} holds; {unknown}, so this does not show who made it"


def _signer(signer: JsonObject) -> str:
    file = signer["file"]
    return signer["key_id"] if file is None else f"{signer['key_id']} ({safe(file)})"


def manifest_text(path: str, digest: str, header: JsonObject, sources: dict[str, int]) -> str:
    """A manifest's identity, splits and counts."""
    counts = header["counts"]
    rows = [["split", "cases", "sources"]]
    rows += [[safe(name), str(size["cases"]), str(size["sources"])] for name, size in sorted(header["splits"].items())]
    rule = header["split_rule"]
    dealt = "by explicit lists" if rule is None else f"by fractions {rule['fractions']}, salt {rule['salt']!r}"
    return "\n".join(
        [
            f"{safe(header['name'])} ({safe(path)})",
            f"  manifest digest  {digest}  (SHA-256 of the header line)",
            f"  root             {header['root']}",
            f"  parent           {header['parent'] or 'none'}",
            f"  {counts['cases']} cases of {counts['sources']} sources, {counts['validations']} validations",
            f"  labels: {counts_text(sources)}",
            f"  splits {dealt}",
            *table(rows, right=(1, 2), indent="    "),
        ]
    )


def validation_text(record: ValidationRecord) -> str:
    """One validation: status and codes, the inputs and how they differ, what the oracle said and contradicts."""
    data = record.data
    verdict = data["verdict"] or {}
    codes = f" ({', '.join(record.issues)})" if record.issues else ""
    lines = [
        f"{record.status}{codes}  {safe(data['candidate']['case_id'])}  {data['relation']}",
        f"  base       {value_text(data['base']['input'])}",
        f"  candidate  {value_text(data['candidate']['input'])}",
    ]
    lines += _change_lines(data)
    if verdict:
        answers = f"{value_text(verdict['base_expected'], 20)} -> {value_text(verdict['variant_expected'], 20)}"
        lines.append(f"  answers    {answers}")
        lines.append(f"  reason     {value_text(verdict['reason'], 65)}")
    lines += _conflict_lines(record)
    lines += [
        f"  failure    {failure['code']} at {safe(failure['path'])}: {value_text(failure['detail'], 60)}"
        for failure in data["failures"]
    ]
    return "\n".join(lines)


def _change_lines(data: JsonObject) -> list[str]:
    """How the inputs differ, word by word, as on a review sheet."""
    old, new = (input_text(data[side]["input"]) for side in ("base", "candidate"))
    # The last line of the three may stay short, as lines are broken between words.
    excerpt = change_excerpt(old, new, width=_CHANGE_LINES * _TEXT_COLUMNS - _TEXT_COLUMNS // 2)
    if not excerpt:
        return []
    first, *others = wrapped(excerpt, _TEXT_COLUMNS)
    return [f"  change     {first}".rstrip(), *(f"             {line}".rstrip() for line in others)]


def _conflict_lines(record: ValidationRecord) -> list[str]:
    """Which label differs from which derived answer, and how they were compared."""
    data = record.data
    lines = []
    sides = (
        ("base_label_conflict", "base", "base_expected"),
        ("candidate_label_conflict", "candidate", "variant_expected"),
    )
    for code, side, answer in sides:
        if code in record.issues:
            # As JSON, since "1" is not 1.
            label, derived = (
                safe(canonical_text(value)) for value in (data[side]["expected"], data["verdict"][answer])
            )
            shown = [shorten(text, _ANSWER_COLUMNS) for text in (label, derived)]
            if shown[0] == shown[1]:
                shown = [label, derived]
            lines.append(f"  conflict   {side} has the label {shown[0]}, derived was {shown[1]}")
    if lines:
        comparator = data["comparator"]
        how = comparator["name"] if len(comparator) == 1 else canonical_text(comparator)
        lines.append(f"  compared   {value_text(how)}")
    return lines


def outcomes_text(statuses: dict[str, int], codes: dict[str, int], by_relation: int = 0) -> str:
    """How many validations have each status and each code, and how many are valid by their relation only."""
    lines = [counts_text(statuses)]
    if by_relation:
        lines.append(f"  {by_relation} of the valid by relation only, without answers: no manifest takes them")
    lines += table([[code, str(count)] for code, count in sorted(codes.items())], right=(1,))
    return "\n".join(lines)
