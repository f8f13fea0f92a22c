"""The oracles that a command line names: built in, installed, importable, programs, services, or people's reviews."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Final

from robust.app.oracles import installed_oracle
from robust.canon import JsonObject
from robust.errors import UsageError
from robust.oracle.builtin import BuiltinOracle, ConfiguredOracle
from robust.oracle.combined import all_of, any_of, quorum
from robust.oracle.command import CommandOracle
from robust.oracle.http import HttpOracle
from robust.oracle.identity import is_program, resolve
from robust.oracle.presentation import PresentationOracle
from robust.oracle.preserves import PreservesOracle
from robust.records.oracle_config import JUDGES

_QUORUM: Final = re.compile(r"quorum:([1-9][0-9]{0,3})\Z")


@dataclass(frozen=True, kw_only=True, slots=True)
class OracleChoice:
    """Which oracles judge, as a command line says it.

    Attributes:
        names: built-in ones, those of installed packages, and ``module:name`` of a validator.
        commands: programs that speak ``robust.oracle/1``.
        urls: services that speak it.
        reviewed: files of validation records or of people's judgements. Together they are one oracle, unless it is said
            how they are combined; then each is one of its own.
        combine: ``all``, ``any`` or ``quorum:K``; needed where there are several.
        program_names: recorded names of the programs and then of the services, in their order; all of them or none.
        program_versions: likewise their versions.
        token_env: the environment variable of the token that every service is sent.
        headers_from_env: by header, likewise.
        retries: how often a service is asked again that cannot be reached.
        keep: texts that no edit may change, for ``preserves``.
        fragments: texts that edits may insert, likewise.
        positional: labels that depend on their position, for ``presentation``.
        text_field: of object inputs, the key of the text that is edited.
    """

    names: Sequence[str] = ()
    commands: Sequence[str] = ()
    urls: Sequence[str] = ()
    reviewed: Sequence[str | os.PathLike[str]] = ()
    combine: str | None = None
    program_names: Sequence[str] = ()
    program_versions: Sequence[str] = ()
    token_env: str | None = None
    headers_from_env: dict[str, str] = field(default_factory=dict)
    retries: int = 2
    keep: Sequence[str] = ()
    fragments: Sequence[str] = ()
    positional: Sequence[str] = ()
    text_field: str | None = None

    @property
    def count(self) -> int:
        """How many oracles are named; files of reviews are one panel where it is not said how they are combined."""
        panels = len(self.reviewed) if self.combine is not None else min(len(self.reviewed), 1)
        return len(self.names) + len(self.commands) + len(self.urls) + panels


@contextmanager
def open_oracle(choice: OracleChoice, *, contract: str | None = None) -> Iterator[Any]:
    """The validator that a choice names, for as long as the block lasts.

    Args:
        choice: which oracles, and how they are combined.
        contract: the oracle contract whose reviews count.

    Yields:
        what can be given as ``validator``; for ``module:name`` of a callable that text, so that it can be isolated.

    Raises:
        UsageError: none is named, several are and it is not said how to combine them, or a setting is wrong.
        BackendError: an installed package does not bring what is named, or a credential is missing.
        CaseError: what is named cannot be imported, or two members of a combination have one name.
        IntegrityError: a file of reviews is damaged.
        DataError: a file of reviews cannot be read, or has none of the contract.
    """
    combine = _combination(choice)
    with ExitStack() as stack:
        members = list(_members(choice, contract, stack))
        if combine is None:
            yield members[0]
        elif combine == "all":
            yield all_of(*members)
        elif combine == "any":
            yield any_of(*members)
        else:
            yield quorum(int(combine.removeprefix("quorum:")), *members)


def _combination(choice: OracleChoice) -> str | None:
    """How the oracles are combined; None where there is one, and nothing is said.

    Raises:
        UsageError: see :func:`open_oracle`.
    """
    how = "give one of --oracle, --oracle-command, --oracle-url and --reviewed"
    if not choice.count:
        raise UsageError.of("no_oracle", "no oracle is named", hint=how)
    if choice.combine is None:
        if choice.count > 1:
            message = f"{choice.count} oracles are named, and not how they are combined"
            raise UsageError.of("several_oracles", message, path="--combine", hint="add all, any or quorum:K")
        return None
    found = _QUORUM.match(choice.combine)
    if choice.combine not in ("all", "any") and found is None:
        message = f"must be all, any or quorum:K, not {choice.combine!r}"
        raise UsageError.of("bad_combination", message, path="--combine")
    if found is not None and int(found[1]) > choice.count:
        message = f"{found[1]} members cannot agree where there are {choice.count}"
        raise UsageError.of("bad_combination", message, path="--combine", hint=f"at most quorum:{choice.count}")
    return choice.combine


def _members(choice: OracleChoice, contract: str | None, stack: ExitStack) -> Iterator[Any]:
    programs = len(choice.commands) + len(choice.urls)
    names = _for_each(choice.program_names, programs, "--oracle-name")
    versions = _for_each(choice.program_versions, programs, "--oracle-version")
    for name in choice.names:
        yield _named(name, choice)
    for place, command in enumerate(choice.commands):
        program = CommandOracle(command, name=names[place], version=versions[place])
        program.check_program()
        yield stack.enter_context(program)
    for place, url in enumerate(choice.urls, start=len(choice.commands)):
        service = HttpOracle(
            url,
            name=names[place],
            version=versions[place],
            bearer_token_env=choice.token_env,
            headers_from_env=choice.headers_from_env,
            max_retries=choice.retries,
        )
        yield stack.enter_context(service)
    if choice.reviewed:
        # Only here, as reading reviews needs what most commands do not.
        from robust.app.reviewing import reviewed_oracle

        if choice.combine is None:
            yield reviewed_oracle(choice.reviewed, contract)
            return
        for path in choice.reviewed:
            yield reviewed_oracle(path, contract)


def _for_each(given: Sequence[str], count: int, option: str) -> list[str | None]:
    if not given:
        return [None] * count
    if len(given) != count:
        message = f"{len(given)} are given for {count} programs and services"
        hint = "repeat it for each --oracle-command and then each --oracle-url, or leave it out"
        raise UsageError.of("bad_count", message, path=option, hint=hint)
    return list(given)


def _named(name: str, choice: OracleChoice) -> Any:
    """The oracle of a name: built in, importable, or brought by a package."""
    if name in JUDGES:
        return _built_in(name, choice)
    if name == "reviewed":
        hint = "give --reviewed FILE"
        raise UsageError.of("bad_oracle", "reviews are in a file", path="--oracle", hint=hint)
    return _imported(name) if ":" in name else installed_oracle(name, {}, PurePath(), path="--oracle")


def _built_in(name: str, choice: OracleChoice) -> Any:
    edits = PreservesOracle(fragments=choice.fragments, keep=choice.keep, text_field=choice.text_field)
    presentations = PresentationOracle(positional=choice.positional)
    oracle: PreservesOracle | PresentationOracle | BuiltinOracle = edits
    settings: JsonObject = {}
    if name != "presentation":
        settings |= {"fragments": list(choice.fragments), "keep": list(choice.keep), "text_field": choice.text_field}
    if name != "preserves":
        settings["positional"] = list(choice.positional)
        oracle = presentations if name == "presentation" else BuiltinOracle(edits, presentations)
    return ConfiguredOracle(oracle, settings) if any(settings.values()) else oracle


def _imported(name: str) -> Any:
    # Behind all that is installed, so that a file here that is called like a library does not take its place.
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
    found = resolve(name)
    if is_program(found):
        return found
    if isinstance(found, type) or not callable(found):
        what = "a class" if isinstance(found, type) else "nothing that can be called"
        hint = "name a function of base and candidate, or an object of the class"
        raise UsageError.of("bad_oracle", f"{name!r} is {what}", path="--oracle", hint=hint)
    return name


def notices_of(validator: Any) -> Iterator[str]:
    """What an oracle, or a member of one, has to tell about the files that it was made of."""
    yield from getattr(validator, "notices", ())
    for member in getattr(validator, "members", ()):
        yield from notices_of(member)
