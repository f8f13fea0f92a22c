"""Planted edits of what names one thing: references, telephone numbers, web and e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Final

from robust.transforms.planted_places import ADDRESS, Place, other_digits, said_once, without_addresses

_REFERENCE: Final = re.compile(r"(?<![\w/.-])(?P<letters>[A-Z]{1,5}[-/]?)(?P<digits>\d{3,12})(?![\w/-]|\.\d)")
_PHONE: Final = re.compile(r"(?<![\w+])\+\d[\d ()/-]{5,20}\d(?!\d|[.,]\d)")
_SCHEME: Final = re.compile(r"[a-z]+://(?:www\.)?|www\.")


def changed_reference(text: str) -> Iterator[Place]:
    """One digit of a reference is another: INV-2041 becomes INV-2047."""
    for match in said_once(_REFERENCE.finditer(without_addresses(text))):
        digits = match.group("digits")
        # By its last digit, which no format of references fixes.
        yield Place(*match.span("digits"), list(other_digits(digits, len(digits) - 1)))


def changed_phone_number(text: str) -> Iterator[Place]:
    """One digit of an international telephone number is another."""
    for match in said_once(_PHONE.finditer(text)):
        number = match.group()
        yield Place(*match.span(), list(other_digits(number, len(number) - 1)))


def changed_address(text: str) -> Iterator[Place]:
    """One letter of a web or e-mail address is another."""
    for match in said_once(ADDRESS.finditer(text)):
        scheme = _SCHEME.match(match.group())
        start = match.start() + (0 if scheme is None else scheme.end())
        # The first letter belongs to the host or to the name before the @, both of which tell addresses apart.
        if text[start : start + 1] in ascii_lowercase and start < match.end():
            yield Place(start, start + 1, [letter for letter in ascii_lowercase if letter != text[start]])


def identifier_places(text: str) -> Iterator[Place]:
    """Where references, telephone numbers and addresses stand."""
    for pattern in (_REFERENCE, _PHONE, ADDRESS):
        for match in pattern.finditer(text):
            yield Place(*match.span(), ())
