"""Reading a body within a limit that counts what it becomes, not what was sent."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from robust.transport.failures import BodyRefused

ACCEPTED = "gzip, identity"
# What gzip may add to bytes that cannot be compressed: five bytes for each block, header and trailer, with room.
_GZIP_OVERHEAD = 4096
_GZIP = 31  # zlib's code for the gzip format with the largest window


async def read_body(chunks: AsyncIterator[bytes], encoding: str, length: int | None, limit: int) -> bytes:
    """Collect a body.

    Args:
        chunks: the bytes as sent.
        encoding: the content encoding that the server declared, in lower case; empty for none.
        length: the length that the server declared, if it did.
        limit: the most bytes after decompression.

    Raises:
        BodyRefused: it is larger, declared in another encoding than gzip, or no single whole gzip stream.
    """
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise BodyRefused("the answer is in a content encoding that was not asked for; serve it plain or as gzip")
    is_gzip = encoding.endswith("gzip")
    sent_limit = limit + limit // 1000 + _GZIP_OVERHEAD if is_gzip else limit
    if length is not None and length > sent_limit:
        raise _too_large(limit)
    unpack = _Gunzip(limit) if is_gzip else None
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > sent_limit:
            raise _too_large(limit)
        parts += unpack.feed(chunk) if unpack else (chunk,)
    if unpack:
        unpack.finish()
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(limit: int) -> BodyRefused:
    return BodyRefused(f"the answer has over {limit} bytes; raise max_response_bytes if it should")


class _Gunzip:
    """One gzip stream, decompressed within a limit however much it would expand to."""

    def __init__(self, limit: int) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self._limit = limit
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The bytes that a chunk becomes."""
        parts: list[bytes] = []
        while chunk:
            if self._stream.eof:
                raise BodyRefused("bytes follow the end of the answer's gzip stream")
            try:
                # One byte more than may come, to tell a full body from one that is too large.
                part = self._stream.decompress(chunk, self._limit - self._size + 1)
            except zlib.error:
                raise BodyRefused("the answer's gzip stream is damaged") from None
            self._size += len(part)
            if self._size > self._limit:
                raise _too_large(self._limit)
            parts.append(part)
            chunk = self._stream.unconsumed_tail or self._stream.unused_data
        return parts

    def finish(self) -> None:
        """Check that the stream came to its end."""
        if not self._stream.eof:
            raise BodyRefused("the answer's gzip stream is cut short")
