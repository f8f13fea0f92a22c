"""The settings of an oracle that is a service: where it is, and what is sent besides; no secret is among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field, ValidationError

from robust.errors import Problem, UsageError
from robust.records.base import path_of
from robust.records.connection import MIB, Connection
from robust.records.credentials import EnvironmentName
from robust.records.scalars import Integer, OrNull
from robust.records.section import Misfit, Rule

# Room for two answers and evidence of the largest size, and for how a server may write them.
_ANSWER_BYTES: Final = 4 * MIB


def _one_authorization(config: OracleService) -> Iterator[Misfit]:
    named = {name.casefold() for name in (*config.headers, *config.headers_from_env)}
    if config.bearer_token_env is not None and "authorization" in named:
        yield Misfit(("bearer_token_env",), "the Authorization header is set twice; keep one")


class OracleService(Connection):
    """A service that speaks ``robust.oracle/1``.

    Attributes:
        bearer_token_env: the environment variable of a token sent as ``Authorization: Bearer``.
        max_response_bytes: as of every connection, but with room for the largest verdict.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (*Connection.combinations, _one_authorization)

    bearer_token_env: OrNull[EnvironmentName] = None
    max_response_bytes: Annotated[Integer, Field(ge=1, le=1024 * MIB)] = _ANSWER_BYTES

    @classmethod
    def read(cls, settings: Mapping[str, Any], *, path: str) -> Self:
        """Check settings that come from Python or from a command line.

        Args:
            settings: by name.
            path: where they stand, for errors.

        Raises:
            UsageError: a setting is wrong; nothing of its value is shown, which may be a secret.
        """
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as error:
            details = error.errors(include_url=False, include_input=False)
        problems = []
        for detail in details:
            context = detail.get("ctx", {})
            message = str(context.get("message") or detail["msg"]).removeprefix("Value error, ")
            hint = context.get("hint")
            where = path_of(detail["loc"], path)
            problems.append(Problem(code="bad_service", message=message, path=where, hint=hint))
        raise UsageError(*problems)
