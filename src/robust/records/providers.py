"""Sections that a ``provider`` answers: built-in ones have their own settings, plugins whatever they like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationInfo

from robust.canon import JsonObject, describe
from robust.records.credentials import credentials_in
from robust.records.scalars import Text, as_json, is_null, text_schema
from robust.records.section import Misfit, Rule, Section

_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
Setting: TypeAlias = Annotated[Any, BeforeValidator(as_json)]


def _check_name(name: str) -> str:
    if not re.fullmatch(_NAME[1:-1], name):
        raise ValueError("a name must start with a letter or digit and hold only those, _ . and -")
    return name


Name: TypeAlias = Annotated[Text, AfterValidator(_check_name), text_schema(pattern=_NAME)]


def _no_credentials(plugin: Plugin) -> Iterator[Misfit]:
    yield from credentials_in(plugin.settings, ())


class Plugin(Section):
    """A provider that an installed package brings; every other key is a setting of its own.

    Attributes:
        provider: the name under which the package registered it.
    """

    model_config = ConfigDict(extra="allow")
    combinations: ClassVar[tuple[Rule, ...]] = (_no_credentials,)

    __pydantic_extra__: dict[str, Setting] = Field(init=False)
    provider: Name

    @property
    def settings(self) -> JsonObject:
        """The plugin's own settings, as plain JSON data."""
        return dict(self.__pydantic_extra__)


def by_provider(
    models: Mapping[str, type[Section]], plugin: type[Section], *, default: str | None = None
) -> Callable[[Any, ValidationInfo], Any]:
    """A reader of such a section, whose errors name the fields of the provider's own model.

    ``backend: mock`` is short for ``backend: {provider: mock}``.
    """

    def read(value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, Section):
            return value
        if is_null(value) or not isinstance(value, str | dict):
            found = "null" if is_null(value) else describe(value)
            raise ValueError(f"a mapping of settings with a provider is due, not {found}")
        if isinstance(value, str):
            value = {"provider": value}
        if default is not None:
            value = {"provider": default, **value}
        provider = value.get("provider")
        model = models.get(provider, plugin) if isinstance(provider, str) else plugin
        return model.model_validate(value, context=info.context)

    return read
