"""Work on several items at once, with what comes of each in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Final, TypeVar

S = TypeVar("S")
T = TypeVar("T")
# How many finished items may wait for a slow one before them, for each that is worked on.
_WINDOW_PER_ITEM: Final = 4


async def in_order(
    items: AsyncIterator[S], start: Callable[[S], Coroutine[Any, Any, T]], at_once: int
) -> AsyncGenerator[tuple[S, T], None]:
    """Do something with each item, and yield each with what came of it, in their order.

    Args:
        items: read only as far as what comes of them can wait.
        start: called when there is room for an item, after what came of all items before the window was yielded.
        at_once: how many items are worked on at a time.
    """
    window: deque[tuple[S, asyncio.Task[T]]] = deque()
    gate = asyncio.Semaphore(at_once)

    async def gated(item: S) -> T:
        async with gate:
            return await start(item)

    try:
        async for item in items:
            window.append((item, asyncio.create_task(gated(item))))
            if len(window) >= at_once * _WINDOW_PER_ITEM:
                first, pending = window.popleft()
                yield first, await pending
        while window:
            first, pending = window.popleft()
            yield first, await pending
    finally:
        for _, pending in window:
            pending.cancel()


async def each(items: Iterable[S]) -> AsyncGenerator[S, None]:
    """Items one by one."""
    for item in items:
        yield item
