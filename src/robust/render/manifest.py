"""Manifests, their differences, and near-equal inputs, as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.records.refused import Refused
from robust.render.plain import counts_text, number_text, plural, safe, table, value_text

_SHOWN: Final = 50
_SHOWN_REFUSED: Final = 20
_EXCERPT: Final = 100
_ALL: Final = " (all are listed with -f json)"
_LABELS: Final = {"given": "given", "oracle": "derived by an oracle", "none": "none"}


def summary_text(path: str, shown: JsonObject) -> str:
    """A manifest's identity, splits, groups, relations, oracles and labels.

    Args:
        path: the file.
        shown: digest, header and ``summary``.
    """
    counts, summary = shown["counts"], shown["summary"]
    rule = shown["split_rule"]
    dealt = "by explicit lists" if rule is None else f"by fractions {rule['fractions']}, salt {rule['salt']!r}"
    groups = summary["groups"]
    sizes = f"{groups['smallest']} to {groups['largest'][0]['cases']} cases each, median {groups['median']}"
    lines = [
        f"{safe(shown['name'])} ({safe(path)})",
        f"  manifest digest  {shown['digest']}  (SHA-256 of the header line)",
        f"  root             {shown['root']}",
        f"  parent           {shown['parent'] or 'none'}",
        f"  {counts['cases']} cases of {counts['sources']} sources, {counts['validations']} validations",
        f"  labels: {counts_text({_LABELS[name]: count for name, count in summary['label_sources'].items()})}",
        f"  groups: {groups['count']}, {sizes}; largest: {_largest(groups['largest'])}",
        f"  relations: {counts_text(summary['relations'])}",
    ]
    lines += [f"  oracle: {_oracle(oracle)}" for oracle in summary["oracles"]]
    if summary["media"]:
        lines.append(f"  media: {summary['media']} files named")
    lines.append(f"  splits {dealt}")
    rows = [["split", "cases", "sources", "bases", "variants", "given", "by oracle", "no label"]]
    for name, split in summary["splits"].items():
        labels = split["label_sources"]
        numbers = (split["cases"], shown["splits"][name]["sources"], split["bases"], split["variants"])
        rows.append([safe(name), *map(str, (*numbers, labels["given"], labels["oracle"], labels["none"]))])
    return "\n".join([*lines, *table(rows, right=range(1, 8), indent="    ")])


def _largest(groups: Sequence[JsonObject]) -> str:
    return ", ".join(f"{value_text(group['source'], 30)} ({group['cases']})" for group in groups[:3])


def _oracle(oracle: JsonObject) -> str:
    version = f" {safe(oracle['version'])}" if oracle["version"] else ""
    return f"{safe(oracle['name'])}{version}, {safe(oracle['contract'])}: {oracle['validations']} validations"


def refused_text(refused: Sequence[Refused], *, shown: int = _SHOWN_REFUSED) -> Iterator[str]:
    """What was left out of a manifest: the first ones by name, and how many there are by status and codes.

    Args:
        refused: what was left out.
        shown: how many are named.
    """
    for item in refused[:shown]:
        yield f"left out: {safe(item.case_id)}: {_why(item)}"
    if len(refused) > shown:
        yield f"left out: … and {len(refused) - shown} more"
    if len(refused) > 1:
        yield f"left out in all: {refused_counts(refused)}"


def refused_counts(refused: Sequence[Refused]) -> str:
    """How many there are by status and codes, the most first."""
    return counts_text(dict(Counter(map(_why, refused)).most_common()))


def _why(item: Refused) -> str:
    return f"{item.status} ({', '.join(item.codes)})"


def diff_text(diff: JsonObject, *, shown: int = _SHOWN) -> Iterator[str]:
    """What differs between two manifests, at most ``shown`` cases of each kind.

    Args:
        diff: the difference as plain data.
        shown: how many cases of each kind are listed.
    """
    yield f"before  {diff['before']}"
    yield f"after   {diff['after']}"
    if diff["before"] == diff["after"]:
        yield "no difference"
        return
    yield f"the second {'extends' if diff['is_extension'] else 'does not extend'} the first"
    validations = diff["validations"]
    counts = {kind: len(diff[kind]) for kind in ("added", "removed", "moved", "changed")}
    counts |= {
        "validations added": len(validations["added"]),
        "validations removed": len(validations["removed"]),
    }
    yield f"differs: {counts_text(counts)}"
    yield from (f"  header {_change(change)}" for change in diff["header"])
    yield from _cases("+", diff["added"], shown, lambda item: f"in {item['split']!r}")
    yield from _cases("-", diff["removed"], shown, lambda item: f"was in {item['split']!r}")
    yield from _cases(">", diff["moved"], shown, lambda item: f"{item['before']!r} -> {item['after']!r}")
    for item in diff["changed"][:shown]:
        yield f"  ~ {safe(item['case_id'])}"
        yield from (f"      {_change(change)}" for change in item["changes"][:shown])
        if len(item["changes"]) > shown:
            yield f"      … and {len(item['changes']) - shown} more paths{_ALL}"
    if len(diff["changed"]) > shown:
        yield f"  ~ … and {len(diff['changed']) - shown} more{_ALL}"


def _cases(mark: str, items: Sequence[JsonObject], shown: int, told: Callable[[JsonObject], str]) -> Iterator[str]:
    yield from (f"  {mark} {safe(item['case_id'])}  {safe(told(item))}" for item in items[:shown])
    if len(items) > shown:
        yield f"  {mark} … and {len(items) - shown} more{_ALL}"


def _change(change: JsonObject) -> str:
    # Wide enough for a digest.
    before = value_text(change["before"], 80) if "before" in change else "(absent)"
    after = value_text(change["after"], 80) if "after" in change else "(absent)"
    return f"{safe(change['path'])}: {before} -> {after}"


def near_duplicates_text(found: JsonObject) -> Iterator[str]:
    """Near-equal inputs of different splits: a finding for each two source groups, with the two most similar texts."""
    for group in found["groups"]:
        names = [f"{safe(source['source_id'])} ({safe(source['split'])})" for source in group["sources"]]
        yield f"{number_text(group['similarity']):>6}  {'  '.join(names)}  {plural(group['pairs'], 'pair')}"
        yield from (f"        {safe(case['case_id'])}: {value_text(case['text'], _EXCERPT)}" for case in group["cases"])
    more = "" if found["complete"] else " or more; not all are listed"
    yield (
        f"{plural(len(found['groups']), 'finding')} ({plural(len(found['findings']), 'pair')}{more}) "
        f"in different splits with a similarity of {number_text(found['threshold'])} or more, "
        f"of {found['cases']} cases (shingles of {found['words']} words)"
    )
