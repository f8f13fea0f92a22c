"""The ``source`` of the ``paraphrase`` property: who words the input anew."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from robust.records.backend_config import Temperature
from robust.records.connection import MAX_TIMEOUT_S
from robust.records.credentials import EnvironmentName, Url
from robust.records.providers import Plugin, by_provider
from robust.records.scalars import NonEmpty, Number, OrNull, Text, as_text
from robust.records.section import Section


class IdentitySource(Section):
    """The same input again: whether a model answers alike when asked twice.

    Attributes:
        provider: ``identity``.
    """

    provider: Annotated[Literal["identity"], BeforeValidator(as_text)] = "identity"


class FileSource(Section):
    """Rows ``{"id": ..., "paraphrases": [...]}`` or ``{"input": ..., "paraphrases": [...]}``.

    Attributes:
        provider: ``file``.
        path: the JSON Lines file, relative to the contract.
    """

    provider: Annotated[Literal["file"], BeforeValidator(as_text)]
    path: NonEmpty


class OpenAISource(Section):
    """A model behind an OpenAI-compatible chat endpoint; it must not be the tested one.

    Attributes:
        provider: ``openai``.
        model: the model's name.
        url: the address of the API; ``/chat/completions`` is added.
        api_key_env: the environment variable of the key; null for a server that wants none.
        timeout_s: seconds for a whole call.
        temperature: the sampling temperature.
        instructions: what the model is told, instead of the built-in text.
    """

    provider: Annotated[Literal["openai"], BeforeValidator(as_text)]
    model: NonEmpty
    url: Url = "https://api.openai.com/v1"
    api_key_env: OrNull[EnvironmentName] = "OPENAI_API_KEY"
    timeout_s: Annotated[Number, Field(gt=0, le=MAX_TIMEOUT_S)] = 60.0
    temperature: Temperature = 0.0
    instructions: OrNull[Text] = None


class PluginSource(Plugin):
    """A paraphraser of an installed package (entry point group ``robust.paraphrasers``); other keys are its settings.

    Attributes:
        provider: the name under which the package registered it.
    """


ParaphraseSource: TypeAlias = IdentitySource | FileSource | OpenAISource | PluginSource
BUILT_IN: Final[dict[str, type[Section]]] = {
    "identity": IdentitySource,
    "file": FileSource,
    "openai": OpenAISource,
}
SourceField: TypeAlias = Annotated[
    ParaphraseSource, BeforeValidator(by_provider(BUILT_IN, PluginSource, default="identity"))
]
