"""Everything that a strategy makes of a text, whatever its stream draws."""

from __future__ import annotations

from robust.canon import RandomStream
from robust.transforms.strategy import Strategy

# So many streams draw every edit of a short text.
SEEDS = 300


def edits_of(strategy: Strategy, text: str) -> set[str]:
    """The different texts, without the text itself; none where the strategy says that it does not apply."""
    found = [strategy.edit(text, RandomStream(seed)) for seed in range(SEEDS)]
    assert len({each is None for each in found}) == 1, "whether it applies must not be drawn"
    return {each.text for each in found if each is not None} - {text}
