"""What all sections of a contract share: rules between settings, drafts of faulty sections, the normalised form.

A *rule* is a generator over a section that yields what does not fit together. Rules run when a section is read. Where
some setting is wrong in itself, they run again over a *draft*: the same section without what is faulty. A rule that
asks a draft for a faulty part ends there, so that everything whose own parts are sound is reported at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from robust.canon import JsonValue
from robust.records.base import Record

Place: TypeAlias = tuple[str | int, ...]
DRAFT: Final = object()
FAULTY: Final = object()
SINCE: Final = "x-since"
# Marks a setting that the published schema 0.1 does not have.
SINCE_1: Final[Any] = Field(json_schema_extra={SINCE: "1"})


class Misfit(NamedTuple):
    """Settings that are fine by themselves but do not fit together: where, what is wrong, and what to do."""

    place: Place
    message: str
    hint: str | None = None
    code: str = "impossible_combination"


# How far suggestions and rules go, so that a hostile file takes no longer than a good one.
_LONGEST_NAME: Final = 80
_MOST_NAMES: Final = 200
_MOST_LISTED: Final = 30
MOST_PROBLEMS: Final = 50

Rule: TypeAlias = Callable[[Any], Iterator[Misfit]]


class FaultyPartError(Exception):
    """A draft was asked for a part that is wrong in the file."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a misspelled one most resembles, if any does."""
    return next(iter(difflib.get_close_matches(name[:_LONGEST_NAME], list(islice(known, _MOST_NAMES)), n=1)), None)


def suggestion(name: str, known: Iterable[str], what: str = "known here") -> str:
    """What to write instead of a name that is not known."""
    names = list(islice(known, _MOST_NAMES))
    near = nearest(name, names)
    more = ["…"] if len(names) > _MOST_LISTED else []
    return f"did you mean {near!r}?" if near else f"{what}: " + (", ".join(names[:_MOST_LISTED] + more) or "none")


class Section(Record):
    """A section of a contract."""

    combinations: ClassVar[tuple[Rule, ...]] = ()

    @classmethod
    def draft(cls, data: Any) -> Self | None:
        """The section without what is faulty in it; None where nothing of it can be read."""
        try:
            return cls.model_validate(data, context=DRAFT)
        except ValidationError:
            return None

    @model_validator(mode="before")
    @classmethod
    def _keep_what_is_known(cls, data: Any, info: ValidationInfo) -> Any:
        if info.context is not DRAFT or not isinstance(data, dict) or cls.model_config.get("extra") == "allow":
            return data
        fields = cls.model_fields
        faulty = [name for name, field in fields.items() if field.is_required()]
        # A misspelled setting is a faulty one, not an absent one: nothing follows from its absence.
        unknown = islice((str(key) for key in data if key not in fields), MOST_PROBLEMS)
        faulty += [near for key in unknown if (near := nearest(key, fields))]
        return {**dict.fromkeys(faulty, FAULTY), **{key: value for key, value in data.items() if key in fields}}

    @field_validator("*", mode="wrap")
    @classmethod
    def _mark_what_is_faulty(cls, value: Any, read: Callable[[Any], Any], info: ValidationInfo) -> Any:
        if info.context is not DRAFT:
            return read(value)
        if value is FAULTY:
            return FAULTY
        try:
            return read(value)
        except ValueError:
            return FAULTY

    @model_validator(mode="after")
    def _hold_the_rules(self, info: ValidationInfo) -> Self:
        if info.context is DRAFT:
            for name in [name for name, value in self.__dict__.items() if value is FAULTY]:
                del self.__dict__[name]
            return self
        misfits = list(self._own_misfits())
        if misfits:
            raise ValidationError.from_exception_data(type(self).__name__, [_detail(misfit) for misfit in misfits])
        return self

    if not TYPE_CHECKING:
        # Python asks here only for what an instance does not have.
        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields:
                raise FaultyPartError(name)
            return super().__getattr__(name)

    def _own_misfits(self) -> Iterator[Misfit]:
        for rule in self.combinations:
            with suppress(FaultyPartError):
                yield from islice(rule(self), MOST_PROBLEMS)

    def misfits(self) -> Iterator[Misfit]:
        """What does not fit together in a draft, and in all sections inside it."""
        for place, section in self.sections():
            for misfit in section._own_misfits():
                yield misfit._replace(place=(*place, *misfit.place))

    def sections(self) -> Iterator[tuple[Place, Section]]:
        """This section and all sections inside it, each with its place."""
        yield (), self
        for name, value in self.__dict__.items():
            yield from _sections_in(value, (name,))

    @classmethod
    def since(cls, name: str) -> str | None:
        """The schema version that brought a setting; None for what was there from the beginning."""
        field = cls.model_fields.get(name)
        extra = None if field is None else field.json_schema_extra
        return str(extra[SINCE]) if isinstance(extra, dict) and SINCE in extra else None


def _detail(misfit: Misfit) -> InitErrorDetails:
    context = {"message": misfit.message, "hint": misfit.hint}
    error = PydanticCustomError(misfit.code, "{message}", context)
    return InitErrorDetails(type=error, loc=misfit.place, input=None)


def _sections_in(value: Any, place: Place) -> Iterator[tuple[Place, Section]]:
    if isinstance(value, Section):
        for inner, section in value.sections():
            yield (*place, *inner), section
    elif isinstance(value, dict | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _sections_in(item, (*place, key))


def normalised(value: Any, version: str) -> JsonValue:
    """A section as plain data with defaults filled in.

    What is absent stays absent, and so does what a schema version does not have: a digest under an old version does
    not change when a later one brings new settings.
    """
    if isinstance(value, Section):
        fields = type(value).model_fields
        return {
            name: normalised(item, version)
            for name, item in value
            if not (item is None and name in fields and fields[name].default is None)
            and (type(value).since(name) or version) <= version
        }
    if isinstance(value, dict):
        return {key: normalised(item, version) for key, item in value.items()}
    return [normalised(item, version) for item in value] if isinstance(value, list | tuple) else value
