"""What the backends behind an address have in common: where it is, how long to wait, what is sent besides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, TypeAlias

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from robust.records.credentials import (
    CREDENTIAL,
    EnvironmentName,
    Url,
    holds_credential,
    names_credential,
    origin,
)
from robust.records.scalars import Integer, Label, Number, OrNull, Text
from robust.records.section import Misfit, Rule, Section

MIB: Final = 2**20
MAX_TIMEOUT_S: Final = 600
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}\Z")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e\t]{0,8192}\Z")


def _check_header_name(name: str) -> str:
    if not _HEADER_NAME.match(name):
        raise ValueError("the name of a header is due: letters, digits and -")
    return name


def _check_header_value(value: str) -> str:
    if not _HEADER_VALUE.match(value):
        # Not shown, as it may be a secret after all.
        raise PydanticCustomError("header", "a header's value holds printable ASCII only")
    return value


HeaderName: TypeAlias = Annotated[Text, AfterValidator(_check_header_name)]
HeaderValue: TypeAlias = Annotated[Text, AfterValidator(_check_header_value)]


def _headers(config: Connection) -> Iterator[Misfit]:
    """Literal headers hold no credential, and no header is set twice."""
    for name, value in config.headers.items():
        if names_credential(name) or holds_credential(value):
            hint = "put it in an environment variable and name that under headers_from_env"
            yield Misfit(("headers", name), "a literal header must not hold a credential", hint, CREDENTIAL)
    seen = {name.casefold() for name in config.headers}
    if len(seen) < len(config.headers):
        yield Misfit(("headers",), "a header is set twice; case does not count in their names")
    for name in config.headers_from_env:
        if name.casefold() in seen:
            yield Misfit(("headers_from_env", name), "the header is set twice; case does not count in its name")
        seen.add(name.casefold())


class Connection(Section):
    """What every backend behind an address has.

    Attributes:
        url: an http or https address without credentials.
        timeout_s: seconds for a whole call, its retries included.
        max_retries: how often a call that failed in transit is tried again.
        retry_backoff_s: seconds before the first of these, doubling, with jitter.
        headers: headers sent as they stand; none may hold a credential.
        headers_from_env: by header, the environment variable that holds its value.
        max_response_bytes: the largest answer that is read, counted after decompression.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (_headers,)

    url: Url
    timeout_s: Annotated[Number, Field(gt=0, le=MAX_TIMEOUT_S)] = 30.0
    max_retries: Annotated[Integer, Field(ge=0, le=5)] = 0
    retry_backoff_s: Annotated[Number, Field(ge=0, le=60)] = 0.5
    headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict)
    headers_from_env: dict[HeaderName, EnvironmentName] = Field(default_factory=dict)
    max_response_bytes: Annotated[Integer, Field(ge=1, le=1024 * MIB)] = MIB

    @property
    def has_credentials(self) -> bool:
        """Whether anything sent comes from the environment."""
        return bool(self.headers_from_env)


def _one_authorization(config: DecisionService) -> Iterator[Misfit]:
    named = {name.casefold() for name in (*config.headers, *config.headers_from_env)}
    if config.bearer_token_env is not None and "authorization" in named:
        yield Misfit(("bearer_token_env",), "the Authorization header is set twice; keep one")


def _health_is_asked_at_home(config: DecisionService) -> Iterator[Misfit]:
    if config.health_url is not None and config.has_credentials and origin(config.health_url) != origin(config.url):
        message = "with credentials set it must have the scheme, host and port of url, which alone may see them"
        yield Misfit(("health_url",), message)


def _one_to_one(config: DecisionService) -> Iterator[Misfit]:
    first: dict[str, str] = {}
    for theirs, label in config.label_map.items():
        if label in first:
            yield Misfit(("label_map", theirs), f"{label!r} has the name {first[label]!r} already; keep one")
        first.setdefault(label, theirs)


class DecisionService(Connection):
    """What ``http`` and ``systemone`` have in common.

    Attributes:
        health_url: an address that answers with success when the service is well.
        bearer_token_env: the environment variable of a token sent as ``Authorization: Bearer``.
        label_map: for a service with other names for labels: by its name, the contract's label.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (
        *Connection.combinations,
        _one_authorization,
        _health_is_asked_at_home,
        _one_to_one,
    )

    health_url: OrNull[Url] = None
    bearer_token_env: OrNull[EnvironmentName] = None
    label_map: dict[Label, Label] = Field(default_factory=dict)

    @property
    def has_credentials(self) -> bool:
        """Whether anything sent comes from the environment."""
        return bool(self.headers_from_env) or self.bearer_token_env is not None

    @property
    def wire_labels(self) -> dict[str, str]:
        """By contract label, the service's name for it; ``label_map`` the other way round. Others keep their name."""
        return {label: theirs for theirs, label in self.label_map.items()}
