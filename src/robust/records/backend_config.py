"""The ``backend`` section of a contract: one model for each provider."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from robust.records.connection import Connection, DecisionService
from robust.records.credentials import EnvironmentName
from robust.records.providers import Plugin, by_provider
from robust.records.scalars import (
    Integer,
    Items,
    Label,
    NonEmpty,
    NonNegative,
    Number,
    OrNull,
    Seed,
    Share,
    Text,
    as_text,
)
from robust.records.section import SINCE_1, Misfit, Rule, Section

Temperature: TypeAlias = Annotated[Number, Field(ge=0, le=2)]
# Whether these are a distribution is judged with the decision and its tolerance, as every answer is.
Answer: TypeAlias = dict[Label, NonNegative]


class MockRule(Section):
    """The answer to every input that contains a text.

    Attributes:
        contains: the text, ignoring case and white space.
        probabilities: a probability for every label.
    """

    contains: NonEmpty
    probabilities: Answer


class MockConfig(Section):
    """A deterministic model for tests, examples and trying out a contract.

    Attributes:
        provider: ``mock``.
        model: the model's name, for the record.
        model_version: its version, for the record.
        rules: tried in order, the first that matches answers.
        default: the answer when no rule matches; without it a hash of the input, seeded, decides.
        seed: seed of that hash and of the noise.
        position_bias: the share of probability that moves to the option shown first.
        noise: the chance that a single call exchanges its two most probable labels.
    """

    provider: Annotated[Literal["mock"], BeforeValidator(as_text)]
    model: OrNull[Text] = None
    model_version: OrNull[Text] = None
    rules: Items[MockRule] = ()
    default: OrNull[Answer] = None
    seed: Seed = 0
    position_bias: Share = 0.0
    noise: Annotated[Share, SINCE_1] = 0.0


class CallableConfig(Section):
    """A model that is handed over from Python.

    Attributes:
        provider: ``callable``.
        model: the model's name, for the record.
        model_version: its version, for the record.
    """

    provider: Annotated[Literal["callable"], BeforeValidator(as_text)]
    model: OrNull[Text] = None
    model_version: OrNull[Text] = None


class HttpConfig(DecisionService):
    """A service that speaks ``decguard.http/0.1``.

    Attributes:
        provider: ``http``.
        model: the model's name, sent with every request.
    """

    provider: Annotated[Literal["http"], BeforeValidator(as_text)]
    model: OrNull[Text] = None


class SystemOneConfig(DecisionService):
    """A service that speaks the System One format, as Kev and Jev servers do.

    Attributes:
        provider: ``systemone``.
        model: the model's name, sent with every request.
        instructions: the question about every input; the decision's description by default.
    """

    provider: Annotated[Literal["systemone"], BeforeValidator(as_text)]
    model: NonEmpty
    instructions: OrNull[Text] = None


def _settings_of_the_method(config: OpenAIConfig) -> Iterator[Misfit]:
    fields = type(config).model_fields
    for name, method in (("n_samples", "samples"), ("min_label_mass", "logprobs")):
        if config.method != method and getattr(config, name) != fields[name].default:
            yield Misfit((name,), f"means something with method: {method} only")


def _one_api_key(config: OpenAIConfig) -> Iterator[Misfit]:
    named = {name.casefold() for name in (*config.headers, *config.headers_from_env)}
    if config.api_key_env is not None and "authorization" in named:
        yield Misfit(("api_key_env",), "the Authorization header is set twice", "set api_key_env: null, or remove it")


class OpenAIConfig(Connection):
    """An OpenAI-compatible chat endpoint.

    Attributes:
        provider: ``openai``.
        url: the address of the endpoint itself, such as ``http://localhost:8000/v1/chat/completions``.
        model: the model's name, sent with every request.
        api_key_env: the environment variable of the key; null for a server that wants none.
        method: ``logprobs`` reads the probabilities of the first answer token; ``samples`` counts whole answers.
        n_samples: how many answers are counted.
        min_label_mass: the least probability that the options together must have for a case to count.
        instructions: the question about every input; the decision's description by default.
        temperature: the sampling temperature; the endpoint's own by default.
        seed: the sampling seed; none is sent by default.
        max_tokens: the longest answer in tokens; what the method needs by default.
    """

    combinations: ClassVar[tuple[Rule, ...]] = (*Connection.combinations, _settings_of_the_method, _one_api_key)

    provider: Annotated[Literal["openai"], BeforeValidator(as_text), SINCE_1]
    model: NonEmpty
    api_key_env: OrNull[EnvironmentName] = "OPENAI_API_KEY"
    method: Annotated[Literal["logprobs", "samples"], BeforeValidator(as_text)] = "logprobs"
    n_samples: Annotated[Integer, Field(ge=1, le=1000)] = 10
    min_label_mass: Share = 0.8
    instructions: OrNull[Text] = None
    temperature: OrNull[Temperature] = None
    seed: OrNull[Seed] = None
    max_tokens: OrNull[Annotated[Integer, Field(ge=1, le=100_000)]] = None

    @property
    def has_credentials(self) -> bool:
        """Whether anything sent comes from the environment."""
        return bool(self.headers_from_env) or self.api_key_env is not None


class PluginConfig(Plugin):
    """A backend of an installed package (entry point group ``robust.backends``); other keys are its own settings.

    Attributes:
        provider: the name under which the package registered it.
        model: the model's name.
    """

    model: OrNull[Text] = None


BackendConfig: TypeAlias = MockConfig | CallableConfig | HttpConfig | SystemOneConfig | OpenAIConfig | PluginConfig
BUILT_IN: Final[dict[str, type[Section]]] = {
    "mock": MockConfig,
    "callable": CallableConfig,
    "http": HttpConfig,
    "systemone": SystemOneConfig,
    "openai": OpenAIConfig,
}
BackendField: TypeAlias = Annotated[BackendConfig, BeforeValidator(by_provider(BUILT_IN, PluginConfig))]
