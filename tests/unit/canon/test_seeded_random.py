"""The random source of the standard library over SHAKE-128."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
from collections import Counter

import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from robust.canon import SeededRandom, canonical_bytes


def test_what_it_gives_depends_on_its_parts_alone() -> None:
    """The same parts, the same numbers; the global generator is not touched."""
    random.seed(4)
    state = random.getstate()
    first, second, other = SeededRandom("a", 1), SeededRandom("a", 1), SeededRandom("a", 2)
    draws = [[source.random(), source.randrange(10**30), source.gauss(0, 1)] for source in (first, second, other)]
    assert draws[0] == draws[1] != draws[2]
    assert random.getstate() == state
    assert SeededRandom.of_canonical(canonical_bytes(["a", 1])).random() == draws[0][0]


def test_words_are_those_of_the_blocks() -> None:
    """168 bytes of SHAKE-128(JCS(parts)), whose first 32 are the key, then 1,008 of SHAKE-128(key ‖ i) for each i."""
    first = hashlib.shake_128(b'["a"]').digest(168)
    blocks = [hashlib.shake_128(first[:32] + number.to_bytes(8, "big")).digest(1008) for number in (1, 2)]
    stream = b"".join([first, *blocks])
    words = [stream[place : place + 4] for place in range(0, len(stream), 4)]
    source = SeededRandom("a")
    assert [source.getrandbits(32).to_bytes(4, "big") for _ in words] == words
    assert SeededRandom("a").getrandbits(8 * len(stream)).to_bytes(len(stream), "big") == stream


def test_a_shuffle_takes_the_next_words() -> None:
    """One for each item but the first, last item first: its place is the word modulo how many items are left."""
    source, items = SeededRandom("a"), list(range(600))
    source.shuffle(items)
    words, due = SeededRandom("a"), list(range(600))
    for left in range(600, 1, -1):
        place = words.getrandbits(32) % left
        due[left - 1], due[place] = due[place], due[left - 1]
    assert items == due
    assert source.getrandbits(32) == words.getrandbits(32)


def test_what_is_drawn_stays_the_same() -> None:
    """In every version, so that a check can be repeated; another stream is a change that is announced."""
    source, items = SeededRandom("robust", 7), list("abcdefghij")
    source.shuffle(items)
    drawn = "".join(items), source.randrange(1000), source.randrange(10**12), source.random(), source.getrandbits(70)
    assert drawn == ("cjdibefagh", 888, 116590103612, 0.7281903302359037, 1129068500137511650332)


def test_no_word_of_the_last_incomplete_round_counts() -> None:
    """It would favour small numbers, and is drawn again; the last word of the last complete round does count."""

    class Given(SeededRandom):
        """A source of given words."""

        def _take(self, words: int) -> bytes:
            return b"".join(given.pop(0).to_bytes(4, "big") for _ in range(words))

    limit = 3 * 2**30
    given = [2**32 - 1, limit, 4]
    assert (Given("any").randrange(limit), given) == (4, [])
    given = [limit - 1, 4]
    assert (Given("any").randrange(limit), given) == (limit - 1, [4])
    # Both words of the list are taken at once, and then the one instead of the first.
    given, items = [2**32 - 1, 5, 6], list("abc")
    Given("any").shuffle(items)
    assert (items, given) == (list("cba"), [])
    given, items = [2**32 - 2, 5, 6], list("abc")
    Given("any").shuffle(items)
    assert (items, given) == (list("abc"), [6])


def test_bits_and_numbers_have_their_range() -> None:
    """Zero bits are 0; negative ones are refused."""
    source = SeededRandom(1)
    assert source.getrandbits(0) == 0
    assert all(0 <= source.getrandbits(bits) < 2**bits for bits in range(1, 200))
    assert all(0 <= source.random() < 1 for _ in range(1000))
    assert all(5 <= source.randint(5, 7) <= 7 for _ in range(100))
    assert all(0 <= source.randrange(2**70) < 2**70 for _ in range(100))
    with pytest.raises(ValueError, match="negative"):
        source.getrandbits(-1)
    with pytest.raises(IndexError):
        source.choice([])


@pytest.mark.parametrize("limit", [2, 3, 7])
def test_choices_are_equally_probable(limit: int) -> None:
    """By a chi-squared test of a fixed stream."""
    source = SeededRandom("fair", limit)
    counts = Counter(source.randrange(limit) for _ in range(6000))
    assert chisquare([counts[number] for number in range(limit)]).pvalue > 0.001


def test_orders_are_equally_probable() -> None:
    """All six of three items."""
    source = SeededRandom("orders")
    counts: Counter[str] = Counter()
    for _ in range(6000):
        items = list("abc")
        source.shuffle(items)
        counts["".join(items)] += 1
    assert len(counts) == 6
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_a_long_list_is_only_reordered() -> None:
    """Also beyond what one word of 16 bits can number."""
    items = list(range(70_000))
    SeededRandom(0).shuffle(items)
    assert items != sorted(items)
    assert sorted(items) == list(range(70_000))


def test_other_ways_to_draw_work() -> None:
    """They rest on those above."""
    source = SeededRandom("rest")
    assert sorted(source.sample(range(10), 10)) == list(range(10))
    assert len(source.choices("ab", [1, 3], k=5)) == 5
    assert len(source.randbytes(5)) == 5
    assert source.uniform(2, 2) == 2


def test_a_source_goes_on_from_where_it_was() -> None:
    """By its state, as a copy, and by way of pickle."""
    source = SeededRandom("state")
    source.random()
    state = source.getstate()
    copies = [copy.deepcopy(source), pickle.loads(pickle.dumps(source))]  # noqa: S301 - it was made here
    due = [source.random() for _ in range(20)]
    for again in copies:
        assert [again.random() for _ in range(20)] == due
    source.setstate(state)
    assert source.random() == due[0]


def test_a_seed_starts_anew() -> None:
    """As if it were made of these parts."""
    source = SeededRandom("one")
    source.gauss(0, 1)
    source.seed("two")
    assert source.gauss(0, 1) == SeededRandom("two").gauss(0, 1)
