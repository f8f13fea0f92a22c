"""Lines of a receipt: where they are in an input, and what each of them is."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from robust.canon import describe
from robust.relations.relation import NotApplicable

_MAX_LINES: Final = 10_000

# Signs and codes of currencies; letters count only beside an amount.
CURRENCY: Final = (
    r"(?:(?:US|AU|NZ|CA|HK|NT|SG|[ACS])?\$|R\$|RM|Rp|[Rr]s\.?|[Kk]r\.?|KR|zł|Kč|Ft|[€£¥￥₩₫₹₱฿₺₽₴₦₪₡₲₵₸]"
    r"|USD|EUR|GBP|JPY|CNY|RMB|MYR|SGD|AUD|NZD|CAD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|INR|IDR|THB|PHP|VND|KRW|HKD|TWD|BRL|MXN"
    r"|ZAR|TRY|RUB|UAH|ILS|AED|SAR)"
)
# Two decimals, or thousands in groups; no date, percentage or version.
AMOUNT: Final = r"(?<![\d.,:/])(?:\d{1,3}(?:[.,'’]\d{3})+(?:[.,]\d{2})?|\d+[.,]\d{2})(?!\d|[.,:/'’]\d|\s?[%‰])"
_AMOUNT: Final = re.compile(AMOUNT)
_CURRENCY: Final = re.compile(CURRENCY)
# The number of a tax office, a card or a telephone: nobody looks for an amount behind it.
_IDENTIFIER: Final = re.compile(r"\d(?:[ -]?\d){5}")
_SIGNED_AMOUNT: Final = re.compile(
    rf"(?<![^\W\d_]){CURRENCY}\s?-?\d[\d.,'’]*|(?<![\w.,])\d[\d.,'’]*\s?{CURRENCY}(?![^\W\d_])"
)
_NO_LABEL: Final = re.compile(rf"(?<![^\W\d_])(?:{CURRENCY}|[x×@])(?![^\W\d_])", re.IGNORECASE)
_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGIT: Final = re.compile(r"\d")
# What tells of totals, taxes and payments, in the languages of many receipts. A word too many makes a block larger,
# which is never unfair; a word too few may.
_CUES: Final = (
    r"(?<![^\W\d_])(?:(?:sub|grand|net|sous)?[- ]?totals?|totale?n?|totaal|subtotaal|subtotale|sum|summa|suma|summe"
    r"|[^\W\d_]*(?:summe|betrag|gesamt)|zu zahlen|zahlbetrag|montant|somme|[àa] payer|importe|a pagar|razem|te betalen"
    r"|da pagare|imponibile|yhteensä|i alt|att betala|at betale|jumlah|gst|vat|tax(?:es)?|tva|iva|mwst\.?|ust\.?|moms"
    r"|btw|ppn|sst|rounding|amount|amt|due|balance|cash|change|tender(?:ed)?|card|visa|master(?:card)?|debit|credit"
    r"|paid|pay(?:able|ment)?|tips?|gratuity|service charge|bar gegeben|gegeben|rückgeld|wechselgeld|espèces"
    r"|rendu|monnaie|efectivo|cambio|contanti|resto|kontant|dankort|swish|tunai|kembali)(?![^\W\d_])"
    r"|合計|小計|税|預り|釣|总计|合计|小计|找零|합계"
)


class Lines(NamedTuple):
    """The lines of a part, and what puts lines into it again."""

    lines: list[str]
    put: Callable[[list[str]], Any]


def lines_of(part: Any) -> Lines:
    """The lines of a text, of a list of texts, or of a dict whose ``lines`` are either.

    Raises:
        NotApplicable: it is nothing of that, or has too many lines or none.
    """
    if isinstance(part, MutableMapping) and "lines" in part:
        inner = lines_of(part["lines"])

        def put(lines: list[str]) -> Any:
            changed: Any = copy.copy(part)
            changed["lines"] = inner.put(lines)
            return changed

        return Lines(inner.lines, put)
    if isinstance(part, str):
        end = "\r\n" if "\r\n" in part else "\n"
        closed = part.endswith(end)
        found = Lines(part.removesuffix(end).split(end), lambda lines: end.join(lines) + (end if closed else ""))
    elif isinstance(part, list | tuple) and all(isinstance(line, str) for line in part):
        found = Lines(list(part), tuple if isinstance(part, tuple) else list)
    else:
        raise NotApplicable(f"neither text nor lines, but {describe(part)}")
    if not any(line.strip() for line in found.lines):
        raise NotApplicable("there are no lines")
    if len(found.lines) > _MAX_LINES:
        raise NotApplicable(f"more than {_MAX_LINES} lines are no receipt")
    return found


@dataclass(frozen=True, slots=True)
class Line:
    """What a line is.

    Attributes:
        text: the line.
        separates: whether it is blank or a rule, without letters and digits.
        priced: whether an amount of money stands on it.
        bare: whether there are numbers on it and no words: it belongs to the line before it.
        alone: whether there is one amount on it, perhaps with its currency, and nothing else.
        cue: whether it tells of a total, a tax or a payment.
        waits: whether it is a cue whose amount would be on another line.
    """

    text: str
    separates: bool
    priced: bool
    bare: bool
    alone: bool
    cue: bool
    waits: bool


def cue_pattern(cues: Iterable[str] = ()) -> re.Pattern[str]:
    """What finds cues: those that are known, and more words of the caller."""
    own = "".join(rf"|(?<![^\W\d_]){re.escape(cue)}(?![^\W\d_])" for cue in cues)
    return re.compile(_CUES + own, re.IGNORECASE)


@lru_cache(maxsize=4096)
def read_line(text: str, cues: re.Pattern[str]) -> Line:
    """What a line is."""
    digits = _DIGIT.search(text) is not None
    letters = _LETTER.search(text) is not None
    priced = digits and (_AMOUNT.search(text) is not None or _SIGNED_AMOUNT.search(text) is not None)
    cue = letters and cues.search(text) is not None
    return Line(
        text,
        separates=not (digits or letters),
        priced=priced,
        bare=digits and _LETTER.search(_NO_LABEL.sub("", text)) is None,
        alone=digits and _AMOUNT.fullmatch(_CURRENCY.sub("", text).strip(" \t\r-+()")) is not None,
        cue=cue,
        waits=cue and not priced and _IDENTIFIER.search(text) is None,
    )
