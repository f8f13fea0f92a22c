"""An audit as plain text."""

from __future__ import annotations

from typing import Any

from robust import Case, LabelledPair, OracleVerdict, audit_oracle
from robust.canon import JsonObject
from robust.render.audit import audit_text
from robust.render.plain import columns
from tests.builders import saying, verdict


class Rude:
    """An oracle whose name would steer a terminal."""

    name = "\x1b[31m" + "rude " * 40
    version = "\u202e1"

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Accept everything."""
        return verdict(True, 1, 1)


def found(**settings: Any) -> JsonObject:
    pairs = [
        LabelledPair(
            base=Case(f"{'long ' * 60}{index} \x07bell", case_id=f"b{index}\u202e", source_id=f"s{index}"),
            candidate=Case(
                f"{'long ' * 60}{index} \x07BELL\n\n", case_id=f"c{index}" + "x" * 200, source_id=f"s{index}"
            ),
            truth="invalid" if index % 2 else "valid",
            domain="d" * 200,
        )
        for index in range(14)
    ]
    return audit_oracle(Rude(), contract="x/v1", pairs=pairs, **settings).data


def test_nothing_in_an_audit_steers_a_terminal_or_is_wider_than_it() -> None:
    """Names, ids and texts are escaped and cut."""
    for encoding in ("utf-8", "cp1252", "ascii"):
        text = audit_text(found(second=saying(verdict(None)), max_accepted_invalid=0.5), encoding)
        assert all(char.isprintable() or char == "\n" for char in text)
        text.encode(encoding)
        assert [line for line in text.split("\n") if columns(line) > 80] == []


def test_what_an_audit_cannot_show_is_said() -> None:
    """Without a limit, and with more mistakes than are shown."""
    text = audit_text(found())
    assert text.startswith("MEASURED")
    assert "Nothing is limited, so nothing was passed" in text
    assert "and 2 more; the audit lists 7" in text
    assert "share  95% interval" in text


def test_an_undefined_kappa_is_no_number() -> None:
    """Both gave everything the same answer."""
    assert "Cohen's kappa not defined" in audit_text(found(second=Rude()))
