"""What of the environment concerns connections: certificates, and the way out through a proxy. Never credentials.

Taken are ``SSL_CERT_FILE`` and ``SSL_CERT_DIR``, and for https alone ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``: a
proxy of an encrypted connection sees the host's name and nothing else. A request over plain http never takes a proxy,
which would read its credentials and its input. ``.netrc`` is never read: what is sent is what the contract names.
"""

from __future__ import annotations

import ssl
import urllib.request

import httpx

from robust.errors import BackendError


def tls_context(url: httpx.URL) -> ssl.SSLContext:
    """The TLS settings for an address: certificates are checked, against those of the environment or the usual ones.

    Raises:
        BackendError: the environment names certificates that cannot be read.
    """
    if url.scheme != "https":
        # Never used, but each connection would make one of its own.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        problem = type(error).__name__
    raise BackendError.of(
        "bad_certificates",
        f"the certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be read ({problem})",
        hint="set it to a PEM file, or unset it",
    )


def proxy_for(url: httpx.URL) -> httpx.Proxy | None:
    """The proxy through which an address is reached, if any.

    Raises:
        BackendError: the environment names a proxy that is no http or https address.
    """
    if url.scheme != "https" or urllib.request.proxy_bypass(url.host):
        return None
    proxies = urllib.request.getproxies()
    named = proxies.get("https") or proxies.get("all")
    if not named:
        return None
    try:
        proxy = httpx.Proxy(named if "://" in named else f"http://{named}")
    except (ValueError, httpx.InvalidURL):
        proxy = None
    if proxy is not None and proxy.url.scheme in ("http", "https") and proxy.url.host:
        return proxy
    # Not shown: it may hold a password.
    message = "the proxy that HTTPS_PROXY or ALL_PROXY names is no http or https address"
    raise BackendError.of("bad_proxy", message, hint="set it to http://host:port, or add the host to NO_PROXY")
