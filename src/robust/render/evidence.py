"""Verifications, manifests and validations as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from robust.canon import JsonObject
from robust.errors import Problem
from robust.records.validation import ValidationRecord
from robust.render.plain import counts_text, safe, table, value_text

_SHOWN_PROBLEMS = 50


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
        lines.append("  integrity holds; nothing is signed, so this does not show who made it")
    return "\n".join(lines)


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
    """One validation: status and codes, the two inputs, and what the oracle said."""
    data = record.data
    verdict = data["verdict"] or {}
    codes = f" ({', '.join(record.issues)})" if record.issues else ""
    lines = [
        f"{record.status}{codes}  {safe(data['candidate']['case_id'])}  {data['relation']}",
        f"  base       {value_text(data['base']['input'])}",
        f"  candidate  {value_text(data['candidate']['input'])}",
    ]
    if verdict:
        answers = f"{value_text(verdict['base_expected'], 20)} -> {value_text(verdict['variant_expected'], 20)}"
        lines.append(f"  answers    {answers}")
        lines.append(f"  reason     {value_text(verdict['reason'], 65)}")
    lines += [
        f"  failure    {failure['code']} at {safe(failure['path'])}: {value_text(failure['detail'], 60)}"
        for failure in data["failures"]
    ]
    return "\n".join(lines)


def outcomes_text(statuses: dict[str, int], codes: dict[str, int]) -> str:
    """How many validations have each status and each code."""
    lines = [counts_text(statuses)]
    lines += table([[code, str(count)] for code, count in sorted(codes.items())], right=(1,))
    return "\n".join(lines)
