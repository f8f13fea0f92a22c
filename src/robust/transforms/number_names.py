"""Figures that name something, or that are a part of something, and so are no amount that may be written otherwise."""

from __future__ import annotations

import re
from typing import Final

# What stands before the figures of a version, a place in a document, a telephone, an account, a code. Short, since it
# helps only to leave more alone; other languages' words are those that English has too, or that are common in forms.
_NAMES: Final = (
    *("version", "versions", "ver", "v", "release", "build", "revision", "rev", "patch", "edition", "update"),
    *("section", "sections", "sec", "chapter", "chapters", "chap", "article", "articles", "art", "clause", "paragraph"),
    *("figure", "figures", "fig", "table", "tables", "appendix", "page", "pages", "pp", "line", "lines", "verse"),
    *("room", "rooms", "flat", "floor", "gate", "bus", "week", "lot", "route", "highway", "channel", "port"),
    *("no", "nr", "num", "number", "numbers", "id", "ids", "code", "codes", "pin", "tan", "zip", "postcode", "plz"),
    *("isbn", "issn", "ean", "gtin", "sku", "iban", "bic", "vat", "ssn", "imei", "serial", "reference", "ref"),
    *("phone", "phones", "telephone", "tel", "mobile", "cell", "fax", "call", "dial", "text", "ext", "extension"),
    *("account", "acct", "card", "passport", "licence", "license", "rfc", "iso", "din", "cve", "ip", "host", "server"),
    *("python", "java", "javascript", "ecmascript", "php", "ruby", "perl", "node", "rust", "kotlin", "html", "css"),
    *("windows", "android", "ios", "ipados", "macos", "linux", "ubuntu", "debian", "fedora", "kernel", "bluetooth"),
    *("usb", "hdmi", "http", "tls", "ssl", "wifi", "gpt", "claude", "gemini", "llama", "web"),
    *("abschnitt", "kapitel", "artikel", "seite", "telefon", "konto", "raum", "zimmer", "ziffer"),
)
_NAMING: Final = frozenset(_NAMES)
_LOOK_BACK: Final = 40
# The last word or two before the figures, and marks between.
_LAST_WORDS: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]+)(?: (no|nr|number|is))?[.:#]* ?\Z", re.IGNORECASE)
_SIGNED: Final = re.compile(r"(?:[#№§=] ?|\d\) ?|[\"']\s*:\s*)\Z")
_TELEPHONE: Final = re.compile(r"\+[0-9]{7,15}\Z")
_PLAIN: Final = re.compile(r"[0-9]+\Z")
# More digits without any mark are a card's, an article's, a bar code's.
_LONGEST_PLAIN: Final = 12
_ADDRESS: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}\Z")
_BYTE: Final = 255
_DAY: Final = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])\Z")
_DAY_AND_MONTH: Final = re.compile(r"(?:0?[1-9]|[12][0-9]|3[01])\.(?:0?[1-9]|1[0-2])\Z")
_BEFORE_DAY: Final = re.compile(r"(?<![^\W\d_])(?:am|vom|bis|seit|ab|zum|den|dem|le|il|el)[ ]\Z", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(?:[01]?[0-9]|2[0-3])[.,][0-5][0-9]\Z")
_BEFORE_CLOCK: Final = re.compile(r"(?<![^\W\d_])(?:at|um|kl\.?|until|till|alle|klo)[ ]\Z", re.IGNORECASE)
_BEHIND_CLOCK: Final = re.compile(r"[ \u00a0\u202f]?(?:[ap]\.?m\b|uhr\b|h\b|hrs?\b|o['’]clock)", re.IGNORECASE)
_LISTED_BEFORE: Final = re.compile(r"[0-9],[ ]?\Z")
_LISTED_BEHIND: Final = re.compile(r",[ ]?-?[0-9]")
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


def is_named(text: str, start: int) -> bool:
    """Whether the word or sign before figures says that they name something: ``version``, ``page``, ``#``, ``id=``."""
    before = text[max(start - _LOOK_BACK, 0) : start]
    words = _LAST_WORDS.search(before)
    if words is not None and not _NAMING.isdisjoint(word.lower() for word in words.groups() if word):
        return True
    return bool(_SIGNED.search(before))


def is_no_amount(text: str, start: int, end: int) -> bool:
    """Whether figures are, or may be, something else than an amount.

    That is so of what is named; of telephone numbers, addresses of computers, bar codes, days without marks; of times
    and of days with a month where words or marks beside them say so; and of the members of a list, in which a comma
    more or less makes another one.
    """
    token = text[start:end]
    before, behind = text[max(start - _LOOK_BACK, 0) : start], text[end : end + _LOOK_BACK]
    if _LISTED_BEHIND.match(behind) or _LISTED_BEFORE.search(before[-3:]) or is_named(text, start):
        return True
    if before[-1:] and before[-1:] in _OPENING and behind[:1] and behind[:1] in _CLOSING:
        return True
    if _PLAIN.match(token):
        telephone = before[-1:] == "+" and _TELEPHONE.match("+" + token)
        return bool(telephone or len(token) > _LONGEST_PLAIN or _DAY.match(token))
    if _ADDRESS.match(token) and all(int(part) <= _BYTE for part in token.split(".")):
        return True
    return _is_time(token, before, behind)


def _is_time(token: str, before: str, behind: str) -> bool:
    if _DAY_AND_MONTH.match(token) and (_BEFORE_DAY.search(before) or re.match(r"\. ?[a-zäöü0-9]", behind)):
        return True
    return bool(_CLOCK.match(token) and (_BEFORE_CLOCK.search(before) or _BEHIND_CLOCK.match(behind)))
