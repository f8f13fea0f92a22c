"""Reading bodies: the content or a refusal, whatever the chunks."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust.transport.body import read_body
from robust.transport.failures import BodyRefused


def read(data: bytes, cuts: list[int], encoding: str, limit: int, length: int | None = None) -> bytes:
    """Read a body that comes in chunks cut at these places."""

    async def chunks() -> AsyncIterator[bytes]:
        places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
        for start, end in pairwise(places):
            yield data[start:end]

    return asyncio.run(read_body(chunks(), encoding, length, limit))


contents = st.binary(max_size=300) | st.builds(
    lambda byte, count: byte * count, st.binary(min_size=1, max_size=1), st.integers(0, 5000)
)
cut_places = st.lists(st.integers(0, 10_000), max_size=6)


@given(contents, cut_places, st.sampled_from(["", "identity", "gzip", "x-gzip"]), st.integers(-2, 2))
def test_the_content_is_read_if_and_only_if_it_is_within_the_limit(
    content: bytes, cuts: list[int], encoding: str, room: int
) -> None:
    """To the byte, plain or packed, however it comes."""
    limit = max(len(content) + room, 0)
    data = gzip.compress(content) if "gzip" in encoding else content
    if len(content) <= limit:
        assert read(data, cuts, encoding, limit, len(data)) == content
    else:
        with pytest.raises(BodyRefused):
            read(data, cuts, encoding, limit)


@given(contents, cut_places, st.data())
def test_a_gzip_stream_that_is_cut_anywhere_is_refused(content: bytes, cuts: list[int], data: st.DataObject) -> None:
    """Also without its last byte, and also when there is nothing of it."""
    packed = gzip.compress(content)
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(BodyRefused):
        read(packed[:cut], cuts, "gzip", 10_000)


@given(contents, cut_places, st.binary(min_size=1, max_size=50))
def test_anything_after_a_gzip_stream_is_refused(content: bytes, cuts: list[int], more: bytes) -> None:
    """Be it another stream."""
    for data in (gzip.compress(content) + more, gzip.compress(content) + gzip.compress(more)):
        with pytest.raises(BodyRefused):
            read(data, cuts, "gzip", 10_000)


@given(contents, st.integers(0, 200), st.integers(1, 255))
def test_a_gzip_stream_that_is_damaged_is_never_read_as_something_else(content: bytes, place: int, flip: int) -> None:
    """Its checksum covers the content; what it does not cover is not the content."""
    packed = bytearray(gzip.compress(content))
    packed[place % len(packed)] ^= flip
    with suppress(BodyRefused):
        assert read(bytes(packed), [], "gzip", 10_000) == content


@pytest.mark.parametrize(
    "encoding", ["br", "deflate", "zstd", "gzip, gzip", "identity, gzip", "gzip;q=1", "GZIP ", "é"]
)
def test_other_encodings_are_refused(encoding: str) -> None:
    """Only identity and gzip were asked for."""
    with pytest.raises(BodyRefused):
        read(b"{}", [], encoding, 100)


def test_a_bomb_is_refused_as_soon_as_it_is_over_the_limit() -> None:
    """Bytes that unpack to 64 MB never become more than the limit."""
    with pytest.raises(BodyRefused, match="over 1000 bytes"):
        read(gzip.compress(b" " * 2**26), [], "gzip", 1000)
