"""Shows a check of production records in a format."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.errors import UsageError
from robust.render.production_formats import PRODUCTION_FORMATS
from robust.render.shown_production import ShownProduction


def format_production(
    report: JsonObject,
    report_format: str = "text",
    *,
    path: str | None = None,
    encoding: str = "utf-8",
    bars: bool = False,
    signature: str = "",
) -> str:
    """The report of a check of production records as text in a format.

    Args:
        report: the report.
        report_format: ``text``, ``json``, ``junit``, ``markdown`` or ``html``.
        path: its run directory; None where there is none.
        encoding: of what the text is written to; characters that it lacks are escaped.
        bars: whether the text is for a terminal on which small bars help.
        signature: what is known of signatures, in words.

    Returns:
        the text, without a line feed at its end.

    Raises:
        UsageError: there is no such format of it.
    """
    render = PRODUCTION_FORMATS.get(report_format)
    if render is None:
        message = f"a check of production records has no format {report_format!r}"
        hint = f"it has {', '.join(PRODUCTION_FORMATS)}"
        raise UsageError.of("unknown_format", message, path="report_format", hint=hint)
    return render(ShownProduction(report=report, path=path, encoding=encoding, bars=bars, signature=signature))
