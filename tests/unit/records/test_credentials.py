"""Credentials in names, addresses and settings: what is taken for one, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from robust.records.credentials import (
    EnvironmentName,
    Url,
    credentials_in,
    holds_credential,
    names_credential,
    origin,
)

URL = TypeAdapter(Url)
VARIABLE = TypeAdapter(EnvironmentName)


@pytest.mark.parametrize(
    "name",
    [
        *("Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "x-api-key"),
        *("apikey", "apiKey", "API_KEY", "key", "X-Auth-Token", "access_token", "clientSecret", "password", "passwd"),
        *("Ocp-Apim-Subscription-Key", "Private-Token", "private_key", "X-Amz-Signature", "sig", "jwt", "bearer"),
    ],
)
def test_names_of_credentials_are_known(name: str) -> None:
    """Headers, query parameters and settings in any spelling."""
    assert names_credential(name)


@pytest.mark.parametrize(
    "name",
    [
        *("X-Trace", "Content-Type", "Idempotency-Key", "max_tokens", "token_limit", "sort_key", "key_field", "", "42"),
        *("api_key_env", "bearer_token_env", "tokenizer", "author", "monkey", "keyboard", "password_rules", "design"),
    ],
)
def test_other_names_are_not_taken_for_them(name: str) -> None:
    """The last word counts, and a key is one only if it opens something."""
    assert not names_credential(name)


@pytest.mark.parametrize(
    "text",
    [
        *("Bearer none-of-these", "basic dXNlcjpub25l", "https://user:none@host/", "see ftp://none@host now"),
        *("https://host/?token=none", "https://host/a?b=c&access_token=none#d"),
    ],
)
def test_texts_of_the_form_of_a_credential_are_known(text: str) -> None:
    """A scheme with a value, user information, a secret parameter."""
    assert holds_credential(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bearer",
        "the bearer of news",
        "a@b.example",
        "https://host/a@b",
        "https://host/?q=token",
        "token=none",
        "x?token=y",
    ],
)
def test_other_texts_are_not(text: str) -> None:
    """Words, mail addresses, an at sign in a path, a parameter's value."""
    assert not holds_credential(text)


@pytest.mark.parametrize(
    "url",
    [
        *("http://host", "https://host.example:8443/a/b?c=d#e", "http://127.0.0.1:1", "http://[::1]:8080/x"),
        *("HTTPS://Host/", "http://bücher.example/ß", "http://host/a@b?next=x@y"),
    ],
)
def test_good_addresses_are_kept_as_they_are_written(url: str) -> None:
    """Any host and port over http or https."""
    assert URL.validate_python(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "host",
            "//host",
            "ftp://host",
            "http://",
            "http:///path",
            "https:host",
            "file:///etc/passwd",
            "http://h:0",
        ),
        *(
            "http://h:99999",
            "http://h:x",
            "http://[::1",
            "http://h/a b",
            "http://h\\@other",
            "http://h/\n",
            "http://h\x00",
        ),
        "http://" + "h" * 3000,
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    """Other schemes, no host, ports beyond all ports, blanks, controls and backslashes, enormous ones."""
    with pytest.raises(ValidationError):
        URL.validate_python(url)


@pytest.mark.parametrize(
    "url", ["http://user@host", "https://user:none@host/", "http://@host", "http://h/?api_key=none"]
)
def test_an_address_with_a_credential_is_refused_without_showing_it(url: str) -> None:
    """The message names the parameter at most."""
    with pytest.raises(ValidationError) as caught:
        URL.validate_python(url)
    (error,) = caught.value.errors(include_url=False)
    assert error["type"] == "credential"
    assert "none" not in error["msg"]


@pytest.mark.parametrize("name", ["TOKEN", "_t0", "lower_case"])
def test_names_of_environment_variables(name: str) -> None:
    """Letters, digits and underscores, as every shell can set them."""
    assert VARIABLE.validate_python(name) == name


@pytest.mark.parametrize("name", ["", "1st", "sk-none-of-these", "A B", "A=B", "É", "A\n"])
def test_what_looks_like_a_value_is_no_name_of_a_variable(name: str) -> None:
    """It may be the secret itself, so the message does not show it."""
    with pytest.raises(ValidationError) as caught:
        VARIABLE.validate_python(name)
    assert caught.value.errors(include_url=False)[0]["type"] == "credential"


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ({"api_key": "none"}, [("api_key",)]),
        ({"a": [{"password": "none"}, "Bearer none-of-these"]}, [("a", 0, "password"), ("a", 1)]),
        ({"url": "https://u:none@host"}, [("url",)]),
        ({"token": None, "password": "", "max_tokens": 5, "api_key": 7, "api_key_env": "KEY"}, []),
        ({"token": {"limit": "ten"}}, []),
    ],
)
def test_credentials_in_free_settings_are_placed(settings: Any, places: list[tuple[str | int, ...]]) -> None:
    """At any depth; numbers, nulls and names of variables are none."""
    assert [misfit.place for misfit in credentials_in(settings, ())] == places


def test_an_origin_is_scheme_host_and_port() -> None:
    """With the scheme's own port where none is written; case does not count."""
    assert origin("HTTPS://Host.example/a") == origin("https://host.example:443/b")
    assert origin("http://host") != origin("https://host")
    assert origin("http://host:8080") != origin("http://host")
