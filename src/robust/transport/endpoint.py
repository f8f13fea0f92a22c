"""Where requests go, with the headers that go with each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx

from robust.errors import BackendError
from robust.transport.body import ACCEPTED
from robust.version import __version__

# These say how a message is framed or understood, which is the client's own affair.
OWN_HEADERS: Final = frozenset(
    [
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its headers, encoded once; they may hold credentials, and are not shown."""

    url: httpx.URL
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)

    @classmethod
    def of(cls, url: str, headers: Mapping[str, str], *, path: str = "backend") -> Endpoint:
        """Make one.

        Args:
            url: an http or https address.
            headers: by name; names are tokens and values printable ASCII.
            path: where the settings stand, for errors.

        Raises:
            BackendError: the address cannot be one, or a header is the client's own affair.
        """
        try:
            parsed = httpx.URL(url)
            host = parsed.netloc if parsed.host else b""  # which decodes international names, or fails to
        except (httpx.InvalidURL, UnicodeError):
            parsed, host = httpx.URL(), b""
        if parsed.scheme not in ("http", "https") or not parsed.host or not 0 < (parsed.port or 80) < 2**16:
            raise BackendError.of("bad_url", "must be an http or https address that names a host", path=f"{path}.url")
        for name in headers:
            if name.lower() in OWN_HEADERS:
                message = f"the header {name} is set by the client itself"
                raise BackendError.of("bad_header", message, path=f"{path}.headers", hint="remove it")
        given = {name.lower() for name in headers}
        usual = {"Accept": "application/json", "User-Agent": f"robust/{__version__}"}
        sent = {name: value for name, value in usual.items() if name.lower() not in given}
        sent |= {"Accept-Encoding": ACCEPTED, **headers}
        encoded = ((name.encode("ascii"), value.encode("ascii")) for name, value in sent.items())
        return cls(parsed, ((b"Host", host), *encoded))
