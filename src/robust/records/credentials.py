"""What may not stand in a contract: credentials in headers, addresses and settings; and which addresses are good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from robust.records.redaction import SECRET_WORDS, WORDS
from robust.records.scalars import Text
from robust.records.section import Misfit, Place

CREDENTIAL: Final = "credential"
FROM_ENVIRONMENT: Final = "name an environment variable instead; a contract holds no secret"
# By the last word of a name: api_token and token name a credential, token_limit does not.
_CREDENTIAL_WORDS: Final = (SECRET_WORDS | {"jwt", "sig", "signature"}) - {"key"}
_KEY_OF: Final = frozenset(("access", "account", "api", "auth", "private", "secret", "shared", "subscription"))
_SCHEME: Final = re.compile(r"(?i)\s*(?:bearer|basic|digest|token)\s+\S{8}")
_USER_INFO: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s?#]*@")
_PORTS: Final = {"http": 80, "https": 443}
_UNSAFE: Final = re.compile(r"[\s\\\x00-\x20\x7f]")
_ENVIRONMENT_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def names_credential(name: str) -> bool:
    """Whether a header, query parameter or setting is called like a credential."""
    words = [word.lower() for word in WORDS.findall(name)]
    if not words:
        return False
    if words[-1] == "key":
        return len(words) == 1 or words[-2] in _KEY_OF
    return words[-1] in _CREDENTIAL_WORDS


def holds_credential(text: str) -> bool:
    """Whether a text is a credential by its form: ``Bearer …``, or an address with user information or a secret."""
    if _SCHEME.match(text) or _USER_INFO.search(text):
        return True
    return "://" in text and _secret_parameter(text) is not None


def _secret_parameter(url: str) -> str | None:
    query = url.partition("?")[2].partition("#")[0]
    return next((name for name, value in parse_qsl(query) if value and names_credential(name)), None)


def credentials_in(value: Any, place: Place) -> Iterator[Misfit]:
    """Where free settings hold a credential: text under a credential's name, or text of a credential's form.

    ``api_key_env: MY_KEY`` is none, and neither is a number such as ``max_tokens: 5``.
    """
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, str) and item and names_credential(name):
                yield Misfit((*place, name), "looks like a credential", FROM_ENVIRONMENT, CREDENTIAL)
            else:
                yield from credentials_in(item, (*place, name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from credentials_in(item, (*place, index))
    elif isinstance(value, str) and holds_credential(value):
        yield Misfit(place, "looks like it holds a credential", FROM_ENVIRONMENT, CREDENTIAL)


def _check_url(url: str) -> str:
    if _USER_INFO.match(url):
        raise _credential("an address must not hold a user name or password")
    name = _secret_parameter(url)
    if name is not None:
        raise _credential(f"the query parameter {name!r} looks like a credential")
    try:
        parts = urlsplit(url)
        good = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond all ports, a bracket that is not closed
        good = False
    if not good or _UNSAFE.search(url):
        raise ValueError("an address is due that starts with http:// or https:// and names a host")
    return url


def _credential(message: str) -> PydanticCustomError:
    return PydanticCustomError(CREDENTIAL, "{message}", {"message": message, "hint": FROM_ENVIRONMENT})


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port of an address that was checked."""
    parts: SplitResult = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _check_variable(name: str) -> str:
    if not _ENVIRONMENT_NAME.match(name):
        # Not shown: it may be the secret itself.
        raise _credential("the name of an environment variable is due: letters, digits and _")
    return name


Url: TypeAlias = Annotated[Text, Field(max_length=2048), AfterValidator(_check_url)]
EnvironmentName: TypeAlias = Annotated[Text, AfterValidator(_check_variable)]
