"""What installed packages bring: entry points of a group, and what they make, whatever they do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from robust.canon import type_name
from robust.errors import BackendError, RobustError
from robust.records.failure import describe_exception
from robust.records.section import suggestion


@dataclass(frozen=True, kw_only=True, slots=True)
class PluginGroup:
    """The providers that installed packages bring beside the built-in ones.

    Attributes:
        name: the group of their entry points, such as ``robust.backends``.
        what: what one of them makes, for errors, such as ``backend``.
        built_in: the names of built-in providers, which cannot be taken.
    """

    name: str
    what: str
    built_in: Collection[str]

    def make(self, provider: str, call: Callable[[Any], Any], check: Callable[[Any], str | None], *, path: str) -> Any:
        """Have a package make what it brings.

        Args:
            provider: the name of the entry point.
            call: calls what the entry point names, and gives what that makes.
            check: says what is wrong with it, or None.
            path: where the contract names the provider, for errors.

        Raises:
            BackendError: no package brings it, several do, or it cannot be imported, called or used.
            RobustError: whatever the package says itself about its settings.
        """
        point = self._find(provider, path)
        # The part before the colon; its distribution may have no name that can be read.
        origin = f"the plugin {provider!r} ({point.value})"
        factory = _load(point, origin, path)
        problem, made = None, None
        hint = "check its settings here; if they are right, tell those who made the package"
        try:
            made = call(factory)
        except KeyboardInterrupt:
            raise
        except RobustError as error:
            error.problems = tuple(
                each if each.path or each.file else replace(each, path=path) for each in error.problems
            )
            raise
        except BaseException as error:  # noqa: BLE001 - it is not ours
            problem = f"{origin} cannot make {_article(self.what)}: {describe_exception(error)}"
        if problem is None:
            hint = "tell those who made the package"
            try:
                wrong = check(made)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - its attributes are not ours either
                wrong = f"which cannot be looked at: {describe_exception(error)}"
            problem = None if wrong is None else f"{origin} made {type_name(made)}, {wrong}"
        if problem is not None:
            raise BackendError.of("bad_plugin", problem, path=path, hint=hint)
        return made

    def _find(self, provider: str, path: str) -> EntryPoint:
        """The entry point of a provider.

        Raises:
            BackendError: no installed package brings it, or several do.
        """
        points = [point for point in entry_points(group=self.name) if point.name not in self.built_in]
        found = {point.value: point for point in points if point.name == provider}
        if len(found) == 1:
            return next(iter(found.values()))
        here = f"{path}.provider"
        if found:
            message = f"several installed packages bring the provider {provider!r}: {', '.join(sorted(found))}"
            raise BackendError.of("ambiguous_plugin", message, path=here, hint="uninstall all but one")
        hint = suggestion(provider, [*self.built_in, *(point.name for point in points)], "installed")
        raise BackendError.of("unknown_provider", f"no {self.what} is called {provider!r}", path=here, hint=hint)


def _load(point: EntryPoint, origin: str, path: str) -> Any:
    """What an entry point names, which can be called."""
    problem, factory = None, None
    try:
        factory = point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a package that is not ours runs while it is imported
        problem = f"{origin} cannot be imported: {describe_exception(error)}"
    if problem is None and not callable(factory):
        problem = f"{origin} is {type_name(factory)}, which cannot be called"
    if problem is not None:
        hint = "install the package anew, or tell those who made it"
        raise BackendError.of("bad_plugin", problem, path=f"{path}.provider", hint=hint)
    return factory


def _article(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
