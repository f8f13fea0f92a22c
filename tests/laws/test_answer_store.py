"""The law of the answer store: it behaves like a dictionary that loses nothing but what was damaged, and says so."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from robust.store.cache import AnswerStore

KEYS = st.sampled_from(["a", "b", "c", "sha256:0", "ü\x00"])
VALUES = st.binary(max_size=40) | st.binary(min_size=5000, max_size=5001)
COSTS = st.decimals(0, 10, places=3).map(float)
SPENT = st.tuples(st.integers(0, 5), st.integers(0, 1000), COSTS)
# Each leaves an entry in place that no longer fits its key.
DAMAGE = st.sampled_from(
    [
        "UPDATE answers SET value = CAST(value || x'00' AS BLOB) WHERE key = ?",
        "UPDATE answers SET value = 5 WHERE key = ?",
        "UPDATE answers SET digest = 'sha256:' WHERE key = ?",
        "UPDATE answers SET value = CAST(hex(value) AS BLOB) || x'01' WHERE key = ?",
    ]
)


class StoreLaw(RuleBasedStateMachine):
    """Puts, gets, prices, new lives and damage in any order, beside a dictionary and exact sums."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "answers.sqlite"
        self.store = AnswerStore(self.path, working=True)
        self.model: dict[str, bytes] = {}
        self.broken: set[str] = set()
        self.damaged = 0
        self.calls, self.tokens, self.cost = 0, 0, Fraction(0)

    def count(self, spent: tuple[int, int, float]) -> None:
        self.calls += spent[0]
        self.tokens += spent[1]
        self.cost += Fraction(repr(spent[2]))

    @rule(key=KEYS, value=VALUES, spent=st.none() | SPENT)
    def put(self, key: str, value: bytes, spent: tuple[int, int, float] | None) -> None:
        self.store.put(key, value, spent=spent)
        self.model[key] = value
        self.broken.discard(key)
        if spent is not None:
            self.count(spent)

    @rule(spent=SPENT)
    def spend(self, spent: tuple[int, int, float]) -> None:
        self.store.add_spent(*spent)
        self.count(spent)

    @rule(key=KEYS)
    def get(self, key: str) -> None:
        assert self.store.get(key) == self.model.get(key)
        if key in self.broken:
            self.broken.discard(key)
            self.damaged += 1

    @rule()
    def flush(self) -> None:
        self.store.flush()

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = AnswerStore(self.path, working=True)

    @rule(key=KEYS, statement=DAMAGE)
    def damage(self, key: str, statement: str) -> None:
        self.store.flush()
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(statement, (key,))
        if self.model.pop(key, None) is not None:
            self.broken.add(key)

    @invariant()
    def says_what_happened(self) -> None:
        assert self.store.spent() == {"calls": self.calls, "tokens": self.tokens, "cost": float(self.cost)}
        assert self.store.damaged == self.damaged
        assert bool(self.store.notices) == bool(self.damaged)

    def teardown(self) -> None:
        self.store.close()
        with AnswerStore(self.path, working=True) as store:
            assert {key: store.get(key) for key in self.model} == self.model
            assert store.spent() == {"calls": self.calls, "tokens": self.tokens, "cost": float(self.cost)}
        self.folder.cleanup()


TestStoreLaw = StoreLaw.TestCase
TestStoreLaw.settings = settings(max_examples=20, stateful_step_count=20, deadline=None)
