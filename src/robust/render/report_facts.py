"""What a report rests on, name by name, and the times that were observed; for formats that other tools read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject

_TIME: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,6})?(Z|\+00:00)\Z")
_VERSION: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]{0,40}\Z")


def provenance(report: JsonObject) -> Iterator[tuple[str, str]]:
    """What ran on what, and the digests, each with its name; the texts are as the report has them."""
    contract, backend, records = report["contract"], report["backend"], report["records"]
    yield "status", report["status"]
    yield "contract", contract["name"]
    yield "contract digest", contract["digest"]
    manifest, dataset = report["manifest"], report["dataset"]
    if manifest is not None:
        yield "manifest", manifest["name"]
        yield "split", manifest["split"]
        yield "manifest digest", manifest["digest"]
    else:
        yield "data set", dataset["name"]
        yield "data set root", dataset["root"]
    yield "seed", str(report["seed"])
    yield "mode", report["mode"]
    for name, key in (("provider", "provider"), ("model", "model"), ("model version", "model_version")):
        if backend[key] is not None:
            yield name, backend[key]
    yield "records", str(records["count"])
    yield "records root", records["root"]
    yield "records sha256", records["sha256"]
    yield "evidence digest", report["evidence_digest"]
    yield "report digest", report["digest"]
    if "rejudged" in report:
        yield "digest of the contract that ran", report["rejudged"]["contract"]
        yield "digest of the run's own report", report["rejudged"]["report"]


def observed_time(report: JsonObject, name: str) -> str | None:
    """A time in UTC as ``2026-01-31T23:59:59.999Z``; None where there is none of that form, as nothing proves it."""
    found = _TIME.match(_text(report["observed"].get(name)))
    return None if found is None else f"{found[1]}{found[2] or ''}Z"


def observed_seconds(report: JsonObject) -> float | None:
    """How long the run took, in seconds; None where there is no such number."""
    value = report["observed"].get("duration_ms")
    is_number = type(value) in (int, float) and math.isfinite(value) and value >= 0
    return value / 1000 if is_number else None


def observed_version(report: JsonObject) -> str | None:
    """The version that ran; None where there is none of that form."""
    version = _text(report["observed"].get("robust_version"))
    return version if _VERSION.match(version) else None


def observed_message(report: JsonObject, kind: str) -> str:
    """What was said of the first error of a kind; empty where nothing was."""
    messages = report["observed"].get("messages")
    return _text(messages.get(kind)) if isinstance(messages, dict) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
