"""What form of key a file holds, told before anything is decoded, so that a wrong file gets a clear answer."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, Literal, TypeAlias

from robust.errors import DataError

MAX_KEY_BYTES: Final = 64 * 1024
Form: TypeAlias = Literal["pem", "openssh"]
_LABEL: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_SSH_LINE: Final = re.compile(rb"(ssh|sk-ssh|ecdsa|sk-ecdsa)-[\w@.-]+[ \t]")
_SSH_BODY: Final = re.compile(rb"-----BEGIN OPENSSH PRIVATE KEY-----(.*?)-----END", re.DOTALL)
# The name of the cipher stands first (PROTOCOL.key of OpenSSH).
_SSH_START: Final = b"openssh-key-v1\0"
_SSH_IN_THE_CLEAR: Final = _SSH_START + b"\0\0\0\x04none"
_BOM: Final = b"\xef\xbb\xbf"
_MAKE: Final = "make one with robust keys generate, openssl genpkey -algorithm ed25519, or ssh-keygen -t ed25519"
_PUBLIC_OF: Final = "give the public half; openssl pkey -in KEY -pubout writes it"


def public_form(data: bytes, file: str | None) -> tuple[Form, bytes]:
    """The form of a public key, and the bytes to decode.

    Raises:
        DataError: it is too large, holds a private key, several keys, or none in a form that is known here.
    """
    labels = _labels(data, file)
    if any(label.endswith("PRIVATE KEY") for label in labels):
        raise DataError.of("private_key", "a private key, where a public one is due", file=file, hint=_PUBLIC_OF)
    if labels == ["PUBLIC KEY"]:
        return "pem", data.removeprefix(_BOM)
    if labels == ["CERTIFICATE"]:
        hint = "take the key out with openssl x509 -noout -pubkey -in FILE"
        raise DataError.of("bad_key", "a certificate, where a public key is due", file=file, hint=hint)
    if labels:
        raise wrong_kind(_kind_of(labels[0]), file)
    lines = _ssh_lines(data)
    if len(lines) > 1:
        raise _several(file)
    if not lines:
        raise unreadable_key(file)
    kind = lines[0].split(maxsplit=1)[0]
    if kind != b"ssh-ed25519":
        # Also a certificate, or a key in a hardware token, whose signatures are over something else.
        raise wrong_kind(kind[:60].decode("ascii", "replace"), file)
    return "openssh", lines[0]


def private_form(data: bytes, file: str | None) -> tuple[Form, bytes, bool]:
    """The form of a private key, the bytes to decode, and whether they are encrypted.

    Raises:
        DataError: it is too large, holds a public key, several keys, or none in a form that is known here.
    """
    labels = _labels(data, file)
    if labels == ["OPENSSH PRIVATE KEY"]:
        return "openssh", data.removeprefix(_BOM), _is_encrypted_ssh(data)
    if labels in (["PRIVATE KEY"], ["ENCRYPTED PRIVATE KEY"]):
        return "pem", data.removeprefix(_BOM), labels == ["ENCRYPTED PRIVATE KEY"]
    if labels == ["PUBLIC KEY"] or (not labels and _ssh_lines(data)):
        hint = "give the file of the private half"
        raise DataError.of("public_key", "a public key, where a private one is due", file=file, hint=hint)
    if labels:
        raise wrong_kind(_kind_of(labels[0]), file)
    raise unreadable_key(file)


def _labels(data: bytes, file: str | None) -> list[str]:
    """The labels of the PEM blocks of a file, of which there may be one."""
    if len(data) > MAX_KEY_BYTES:
        message = f"over {MAX_KEY_BYTES} bytes; this is no key"
        raise DataError.of("too_large", message, file=file, hint=_MAKE)
    labels = [label.decode("ascii") for label in _LABEL.findall(data)]
    # The parameters that openssl writes before an EC key are no key.
    labels = [label for label in labels if label != "EC PARAMETERS"] or labels
    if len(labels) > 1:
        raise _several(file)
    return labels


def _ssh_lines(data: bytes) -> list[bytes]:
    lines = [line.strip() for line in data.removeprefix(_BOM).splitlines()]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    return lines if lines and all(map(_SSH_LINE.match, lines)) else []


def _is_encrypted_ssh(data: bytes) -> bool:
    """Whether the private key of OpenSSH names a cipher; a damaged one names none."""
    found = _SSH_BODY.search(data)
    try:
        content = b"" if found is None else base64.b64decode(found[1])
    except binascii.Error:
        return False
    return content.startswith(_SSH_START) and not content.startswith(_SSH_IN_THE_CLEAR)


def _kind_of(label: str) -> str:
    return label.removesuffix(" PRIVATE KEY").removesuffix(" PUBLIC KEY").removesuffix(" PARAMETERS")


def _several(file: str | None) -> DataError:
    hint = "keep each key in a file of its own"
    return DataError.of("several_keys", "the file holds more than one key", file=file, hint=hint)


def wrong_kind(kind: str, file: str | None) -> DataError:
    """The error for a key that is none of Ed25519."""
    return DataError.of("wrong_key_kind", f"a key of kind {kind}; only Ed25519 is taken", file=file, hint=_MAKE)


def unreadable_key(file: str | None) -> DataError:
    """The error for a file without a key that can be read; nothing of its content is shown."""
    return DataError.of("bad_key", "no key in PEM or OpenSSH form can be read from this file", file=file, hint=_MAKE)
