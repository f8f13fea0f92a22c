"""The connections of one client on one loop.

Each is a pool of httpx with room for one. A pool with room for many looks at all of its connections, with a system call
for each that is idle, twice for every request: with 64 of them that costs several times the request itself. It also
means that whatever becomes of a request that is broken off, it is gone with its connection.
"""

from __future__ import annotations

import asyncio
from typing import Final

import httpx

from robust.transport.environment import proxy_for, tls_context

# Shorter than the time after which common servers hang up, so that a request rarely meets a closing connection.
_KEEP_ALIVE_S: Final = 1.5
_ONE: Final = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=_KEEP_ALIVE_S)
Connection = httpx.AsyncHTTPTransport


class Connections:
    """Lends connections to one server: at most so many at a time, the one used last first.

    Raises:
        BackendError: the environment names certificates or a proxy that cannot be used.
    """

    def __init__(self, url: httpx.URL, most: int) -> None:
        self._tls = tls_context(url)
        self._proxy = proxy_for(url)
        self._idle: list[Connection] = []
        self._free = asyncio.Semaphore(most)
        self._closed = False

    async def load(self) -> None:
        """Import what the first connection would import: that takes longer than many a request."""
        import anyio.lowlevel
        from anyio import connect_tcp  # noqa: F401 - its parts are loaded when they are first named

        await anyio.lowlevel.checkpoint()
        await self.give_back(await self.take())

    async def take(self) -> Connection:
        """A connection; every one taken must be given back or dropped."""
        await self._free.acquire()
        return self._idle.pop() if self._idle else Connection(verify=self._tls, proxy=self._proxy, limits=_ONE)

    async def give_back(self, connection: Connection) -> None:
        """Give back a connection that is in order."""
        if self._closed:
            await self.drop(connection)
            return
        self._idle.append(connection)
        self._free.release()

    async def drop(self, connection: Connection) -> None:
        """Close a connection whose use did not end well."""
        self._free.release()
        await connection.aclose()

    async def aclose(self) -> None:
        """Close what is idle now, and what is still lent when it comes back."""
        self._closed = True
        while self._idle:
            await self._idle.pop().aclose()
