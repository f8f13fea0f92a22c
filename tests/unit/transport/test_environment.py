"""What of the environment concerns connections, and that nothing else does; what the HTTP libraries may log."""

from __future__ import annotations

import asyncio
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from robust.errors import BackendError
from robust.transport.client import HttpClient, HttpLimits, Response
from robust.transport.endpoint import Endpoint
from robust.transport.failures import Unavailable
from tests.raw_server import raw_server
from tests.servers import decision_server

ASKED = b'{"decision": {"labels": ["yes", "no"]}, "input": ""}'
HUSH = "hush-hush-4711"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine that runs the tests has set."""
    for name in (*PROXIES, "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def post(url: str, headers: dict[str, str] | None = None, client: HttpClient | None = None) -> Response:
    """One post."""

    async def once() -> Response:
        used = client or HttpClient(HttpLimits(timeout_s=10))
        try:
            return await used.post(Endpoint.of(url, headers or {}), ASKED)
        finally:
            await used.aclose()

    return asyncio.run(once())


def test_plain_http_never_takes_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would read what is sent."""
    with raw_server([b"HTTP/1.1 500 no\r\n\r\n"]) as proxy, decision_server() as server:
        for name in PROXIES[:3]:
            monkeypatch.setenv(name, proxy.address)
        assert post(server.url).status == 200
        assert proxy.requests == []


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_a_proxy_of_https_sees_the_host_and_no_credential(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It is asked for a tunnel; where it refuses, the server is unavailable, and nothing it says is told."""
    with raw_server([f"HTTP/1.1 403 {HUSH}\r\n\r\n".encode()]) as proxy:
        monkeypatch.setenv(name, proxy.address)
        with pytest.raises(Unavailable) as caught:
            post("https://service.invalid/v1", {"Authorization": f"Bearer {HUSH}"})
        (asked,) = proxy.requests
    assert asked.startswith(b"CONNECT service.invalid:443 HTTP/1.1\r\n")
    assert HUSH.encode() not in asked
    assert str(caught.value) == "the proxy did not let the request through"


def test_hosts_may_be_kept_from_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """By NO_PROXY, as everywhere."""
    with raw_server([b""]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        monkeypatch.setenv("NO_PROXY", "other.example, service.invalid")
        with pytest.raises(Unavailable):
            post("https://service.invalid/v1")
        assert proxy.requests == []


@pytest.mark.parametrize("proxy", ["socks5://user:hush-hush-4711@127.0.0.1:1", "http://[::1", "://", "ftp://a"])
def test_a_proxy_that_cannot_be_one_is_said_without_showing_it(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    """It may hold a password."""
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(BackendError) as caught:
        post("https://service.invalid/v1")
    assert caught.value.code == "bad_proxy"
    assert "hush" not in str(caught.value)


def test_no_credential_is_taken_from_a_netrc_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is sent is what the contract names."""
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"default login somebody password {HUSH}\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    with decision_server() as server:
        post(server.url)
        assert "authorization" not in server.seen[0].headers


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A certificate for 127.0.0.1 signed by itself, and its key, made for these tests."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
    ]
    subprocess.run([*command, *names, "-keyout", key, "-out", made], check=True, capture_output=True)
    yield made, key


def test_certificates_are_checked_against_those_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, certificate: tuple[Path, Path]
) -> None:
    """A server that signed its own is unavailable, until SSL_CERT_FILE vouches for it."""
    made, key = certificate
    with decision_server(ssl_certfile=made, ssl_keyfile=key) as server:
        with pytest.raises(Unavailable) as caught:
            post(server.url)
        assert str(caught.value) == "the server's certificate could not be verified"
        assert server.seen == []
        monkeypatch.setenv("SSL_CERT_FILE", str(made))
        assert post(server.url).status == 200


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_certificates_that_cannot_be_read_are_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    """Before anything is sent."""
    path = tmp_path / "certificates.pem"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(BackendError) as caught:
        post("https://127.0.0.1:9/")
    assert caught.value.code == "bad_certificates"


def test_what_the_http_libraries_log_is_redacted(caplog: pytest.LogCaptureFixture) -> None:
    """Response headers are logged when debugging, and a server may echo credentials in them."""
    caplog.set_level(logging.DEBUG)
    client = HttpClient(HttpLimits(), lambda text: text.replace(HUSH, "[gone]"))
    again = HttpClient(HttpLimits(), lambda text: text)
    with decision_server() as server:
        for each in (client, again):
            assert post(server.at("echo"), {"X-Secret": HUSH}, each).header("x-echo-x-secret") == HUSH
    messages = [record.getMessage() for record in caplog.records]
    assert HUSH not in "".join(messages)
    # The header was logged; whose redaction came first depends on what other clients this process still has.
    assert any("x-echo-x-secret" in message for message in messages)
