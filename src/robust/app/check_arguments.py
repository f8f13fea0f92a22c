"""What checks of relations are called with, looked at before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from robust.canon import MAX_SAFE_INTEGER
from robust.errors import UsageError
from robust.relations.argument_words import NOT_IN_A_LINE, shown_argument
from robust.relations.input_check import Settings
from robust.relations.relation import Relation

MAX_WORKERS: Final = 256


def read_settings(
    samples: object, baseline_runs: object, alpha: object, deterministic_system: object, early_stop: object
) -> Settings:
    """Check what says how a check is made.

    Raises:
        UsageError: an argument is not what it must be.
    """
    try:
        return _known_settings(samples, baseline_runs, alpha, deterministic_system, early_stop)
    except TypeError:  # it cannot even be looked up
        return _read_settings(samples, baseline_runs, alpha, deterministic_system, early_stop)


def _read_settings(
    samples: object, baseline_runs: object, alpha: object, deterministic_system: object, early_stop: object
) -> Settings:
    if type(samples) is not int or not 0 <= samples <= MAX_SAFE_INTEGER:
        raise wrong_argument("samples", "an integer, 0 or more", samples)
    if type(baseline_runs) is not int or not 1 <= baseline_runs <= MAX_SAFE_INTEGER:
        raise wrong_argument("baseline_runs", "an integer, 1 or more", baseline_runs)
    if not isinstance(alpha, int | float) or isinstance(alpha, bool) or not 0 < alpha < 1:
        raise wrong_argument("alpha", "a number between 0 and 1", alpha)
    if type(deterministic_system) is not bool:
        raise wrong_argument("deterministic_system", "True or False", deterministic_system)
    if type(early_stop) is not bool:
        raise wrong_argument("early_stop", "True or False", early_stop)
    return Settings(samples, baseline_runs, float(alpha), deterministic_system, early_stop)


# Most callers use the same few settings again and again. Types count: True is not 1 here.
_known_settings = lru_cache(maxsize=64, typed=True)(_read_settings)


def read_relations(relations: Iterable[Relation]) -> list[Relation]:
    """The relations of a check, each with a name of its own.

    Raises:
        UsageError: something is no relation, or two have one name.
    """
    if type(relations) is not list and not isinstance(relations, Iterable):
        raise wrong_argument("relations", "a list of relations", relations)
    given = list(relations)
    names: set[str] = set()
    for place, relation in enumerate(given):
        if not isinstance(relation, Relation):
            raise wrong_argument(f"relations[{place}]", "a Relation", relation)
        if relation.name in names:
            hint = "give each relation a name of its own"
            message = f"two relations are called {relation.name!r}"
            raise UsageError.of("same_name", message, path=f"relations[{place}]", hint=hint)
        names.add(relation.name)
    return given


def read_workers(workers: object) -> None:
    """Refuse a number of workers that cannot be.

    Raises:
        UsageError: it is no integer from 1 to 256.
    """
    if type(workers) is not int or not 1 <= workers <= MAX_WORKERS:
        raise wrong_argument("workers", f"an integer from 1 to {MAX_WORKERS}", workers)


def read_subject(subject: object) -> str:
    """What is checked, in the caller's words.

    Raises:
        UsageError: it holds a control character or a lone surrogate, which no record could hold or show.
    """
    text = str(subject)
    found = NOT_IN_A_LINE.search(text)
    if found is not None:
        wanted = f"text on one line; there is U+{ord(found[0]):04X} at position {found.start()}"
        raise UsageError.of("bad_argument", f"must be {wanted}", path="subject")
    return text


def wrong_argument(name: str, wanted: str, found: object) -> UsageError:
    """The error for an argument that is not what it must be."""
    return UsageError.of("bad_argument", f"must be {wanted}, not {shown_argument(found)[:80]}", path=name)


def name_of(system: Any) -> str:
    """What a line of Python calls a system."""
    name = getattr(system, "__name__", None)
    return name if isinstance(name, str) and name.isidentifier() else "system"
