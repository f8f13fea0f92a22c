"""Several oracles as one: all of them, any of them, or a quorum, each asked by itself on copies of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject, digest_value, exact_text, fold
from robust.errors import CaseError
from robust.oracle.asked import AskedOracle, Observer
from robust.oracle.counting import MAX_MEMBERS, Ballot, Rule, combined_verdict
from robust.oracle.identity import is_program, oracle_identity, resolve
from robust.oracle.question import Observation, Question, Terms
from robust.oracle.validate import make_observer
from robust.records.seams import Validator
from robust.records.verdict import read_verdict

Member: TypeAlias = Validator | AskedOracle | str
Combination: TypeAlias = Literal["all_of", "any_of", "quorum"]
_SCHEMA: Final = "robust.oracle-combination/1"


class CombinedOracle(AskedOracle):
    """Several oracles, given as the ``validator``; made by :func:`all_of`, :func:`any_of` and :func:`quorum`.

    Every member is asked, each on detached copies of its own and within the time limit of one answer; what one of them
    does wrong counts as undecided and stands in the evidence. The order of the members has no part in anything.

    Attributes:
        name: the recorded name.
        version: its own, and the digest of the combination and of who its members are.
        members: the members, in the order of their names.
    """

    def __init__(self, rule: Rule, members: Sequence[Member], *, name: str | None) -> None:
        self._rule = rule
        self._identified = sorted(_identified(members), key=lambda each: each[0]["name"])
        self.members = tuple(member for _, member in self._identified)
        names = ", ".join(identity["name"] for identity, _ in self._identified)
        self.name = _checked_name(name) or f"{rule}({names})"
        known = [identity for identity, _ in self._identified]
        described = {"schema": _SCHEMA, "combination": rule.combination, "needed": rule.needed, "members": known}
        self.version = f"1+{digest_value(described)}"

    @property
    def oracles(self) -> tuple[JsonObject, ...]:
        """Who its members are, and who theirs are: each with the model that it declares, if any."""
        return tuple(self._named())

    def _named(self) -> Iterator[JsonObject]:
        for identity, member in self._identified:
            model = getattr(member, "model", None)
            yield {**identity, "model": model if isinstance(model, str) else None}
            yield from getattr(member, "oracles", ())

    @property
    def waits(self) -> bool:
        """Whether one of its members may take long, so that it is asked in a thread."""
        return any(bool(getattr(member, "waits", True)) for member in self.members)

    def observer(self, terms: Terms, *, isolate: bool = False) -> CombinedObserver:
        """A way to ask all members on these terms.

        Args:
            terms: on what terms candidates are judged; the time limit is for each member's answer.
            isolate: whether members that are callables run in worker processes.

        Raises:
            CaseError: a member cannot be asked on these terms.
        """
        observers: list[tuple[JsonObject, Observer]] = []
        for identity, member in self._identified:
            alone = isolate and not (is_program(member) and not isinstance(member, CombinedOracle))
            observers.append((identity, make_observer(member, terms, isolate=alone)))
        return CombinedObserver(self._rule, observers, terms)

    def close(self) -> None:
        """Let go of what the members hold."""
        for member in self.members:
            if is_program(member):
                close = getattr(member, "close", None)
                if close is not None:
                    close()


class CombinedObserver:
    """Asks every member and counts what they say."""

    def __init__(self, rule: Rule, observers: Sequence[tuple[JsonObject, Observer]], terms: Terms) -> None:
        self._rule = rule
        self._observers = observers
        self._comparator = terms.comparator

    def observe(self, question: Question) -> Observation:
        """Ask each member once about one pair."""
        ballots = [
            Ballot.of(identity, observer.observe(question), question.relation, self._comparator)
            for identity, observer in self._observers
        ]
        return Observation(*read_verdict(combined_verdict(self._rule, ballots, self._comparator)))

    def close(self) -> None:
        """Let go of what the members hold."""
        for _, observer in self._observers:
            observer.close()


def all_of(*oracles: Member, name: str | None = None) -> CombinedOracle:
    """An oracle that says valid where every member does and their answers agree, and invalid where one of them does.

    Args:
        oracles: the members: callables, objects, ``module:name`` of one, programs, services, other combinations; each
            with a name of its own. Without any, nothing is ever valid.
        name: the recorded name; by default made of those of the members.

    Raises:
        CaseError: two members have one name, there are too many, or one cannot be asked.
    """
    return CombinedOracle(Rule("all_of", len(oracles)), oracles, name=name)


def any_of(*oracles: Member, name: str | None = None) -> CombinedOracle:
    """An oracle that says valid where a member does, and those that do agree, and invalid where all members do.

    Args:
        oracles: see :func:`all_of`.
        name: see :func:`all_of`.

    Raises:
        CaseError: see :func:`all_of`.
    """
    return CombinedOracle(Rule("any_of", 1), oracles, name=name)


def quorum(needed: int, *oracles: Member, name: str | None = None) -> CombinedOracle:
    """An oracle that says valid, or invalid, where so many members do; where both or neither do, it is undecided.

    Args:
        needed: how many members must say the same, from 1 to their number.
        oracles: see :func:`all_of`.
        name: see :func:`all_of`.

    Raises:
        CaseError: see :func:`all_of`; or ``needed`` is no such number.
    """
    if type(needed) is not int or needed < 1 or (oracles and needed > len(oracles)):
        message = f"must be a whole number from 1 to the number of members, {len(oracles)}, not {needed!r}"
        raise CaseError.of("bad_quorum", message, path="needed")
    return CombinedOracle(Rule("quorum", needed), oracles, name=name)


def _identified(members: Sequence[Member]) -> list[tuple[JsonObject, Any]]:
    """Each member, resolved where it is named, with who it is.

    Raises:
        CaseError: see :func:`all_of`.
    """
    if len(members) > MAX_MEMBERS:
        message = f"a combination has at most {MAX_MEMBERS} members, not {len(members)}"
        raise CaseError.of("too_many_members", message, path="oracles", hint="combine combinations")
    found: list[tuple[JsonObject, Any]] = []
    places: dict[str, int] = {}
    for place, member in enumerate(members):
        resolved = resolve(member) if isinstance(member, str) else member
        if not (is_program(resolved) or callable(resolved)) or isinstance(resolved, type):
            message = "a member must be something that judges a base and a candidate"
            raise CaseError.of("not_callable", message, path=f"oracles[{place}]", hint="make an object of a class")
        identity = oracle_identity(resolved)
        name = identity["name"]
        # Case, white space and forms of Unicode tell no two names apart for who reads the evidence.
        known = places.setdefault(fold(name), place)
        if known != place:
            message = f"the members {known} and {place} (from 0) are both named {name!r}, or as good as"
            hint = "give each a name of its own, so that the evidence tells them apart"
            raise CaseError.of("equal_names", message, path=f"oracles[{place}]", hint=hint)
        # What is named stays a name where a worker process has to import it.
        found.append((identity, member if isinstance(member, str) and not is_program(resolved) else resolved))
    return found


def _checked_name(name: object) -> str | None:
    name = exact_text(name)
    if name is None or (type(name) is str and name.strip()):
        return name
    raise CaseError.of("bad_oracle", f"the name of a combination must be text, not {name!r}", path="name")
