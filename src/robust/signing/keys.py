"""Ed25519 keys: made, read from the forms of openssl and OpenSSH, and used. Nothing of a private key is ever shown."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from robust.canon import digest_bytes
from robust.errors import DataError, UsageError
from robust.signing.curve import is_sound_point
from robust.signing.key_forms import MAX_KEY_BYTES, private_form, public_form, unreadable_key, wrong_kind

__all__ = ["MAX_KEY_BYTES", "PublicKey", "SigningKey", "generate_key", "read_public_key", "read_signing_key"]

# The DER of SubjectPublicKeyInfo before the 32 bytes of an Ed25519 key (RFC 8410, 4).
_SPKI: Final = bytes.fromhex("302a300506032b6570032100")
_MAX_PASSPHRASE: Final = 1023
_GIVE: Final = "give the passphrase of this key"
_UNKNOWN_KIND: Final = "that is unknown here"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """An Ed25519 public key.

    Attributes:
        raw: its 32 bytes (RFC 8032, 5.1.5).

    Raises:
        DataError: ``weak_key``: the bytes are no point of large prime order, so that signatures would prove nothing.
    """

    raw: bytes

    def __post_init__(self) -> None:
        if not is_sound_point(self.raw):
            message = "this is no sound Ed25519 key: signatures that fit it show nothing"
            raise DataError.of("weak_key", message, hint="ask the signer for the key again")

    @property
    def key_id(self) -> str:
        """The digest of the key as DER: what ``openssl pkey -pubin -outform DER | sha256sum`` gives."""
        return digest_bytes(_SPKI + self.raw)

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Whether a signature is of this key over these very bytes; one of a wrong length is none."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    def to_pem(self) -> bytes:
        """The key as SubjectPublicKeyInfo in PEM, as openssl reads it."""
        return Ed25519PublicKey.from_public_bytes(self.raw).public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    def __repr__(self) -> str:
        return f"<PublicKey {self.key_id}>"


class SigningKey:
    """An Ed25519 private key; its representation shows its id only, and it cannot be pickled or copied."""

    __slots__ = ("_key", "_public")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._public = PublicKey(key.public_key().public_bytes_raw())

    @property
    def public(self) -> PublicKey:
        """The public half."""
        return self._public

    @property
    def key_id(self) -> str:
        """The id of the public half."""
        return self._public.key_id

    def sign(self, message: bytes) -> bytes:
        """The signature over some bytes: 64 bytes, the same each time (RFC 8032, 5.1.6)."""
        return self._key.sign(message)

    def to_pem(self, passphrase: bytes | None) -> bytes:
        """The key as PKCS#8 in PEM, as openssl reads it.

        Args:
            passphrase: encrypts it (PBES2 with AES-256); None leaves it in the clear.

        Raises:
            UsageError: ``bad_passphrase``: it is empty, or longer than openssl takes.
        """
        if passphrase is not None and not 0 < len(passphrase) <= _MAX_PASSPHRASE:
            message = f"a passphrase has 1 to {_MAX_PASSPHRASE} bytes in UTF-8"
            raise UsageError.of("bad_passphrase", message, hint="give another, or none")
        encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if passphrase is not None:
            encryption = serialization.BestAvailableEncryption(passphrase)
        return self._key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)

    def __repr__(self) -> str:
        return f"<SigningKey {self.key_id}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a private key is not pickled or copied")


def generate_key() -> SigningKey:
    """A new key from the system's random source."""
    return SigningKey(Ed25519PrivateKey.generate())


def read_public_key(data: bytes, *, file: str | None = None) -> PublicKey:
    """Read a public key: PEM as openssl writes it, or the one line of OpenSSH.

    Args:
        data: the content of the file.
        file: the name that errors give.

    Raises:
        DataError: ``private_key``, ``wrong_key_kind``, ``several_keys``, ``weak_key``, ``too_large``, or ``bad_key``
            for everything else that is no public key.
    """
    form, content = public_form(data, file)
    load = serialization.load_pem_public_key if form == "pem" else serialization.load_ssh_public_key
    try:
        key = _quietly(load, content)
    except UnsupportedAlgorithm:
        raise wrong_kind(_UNKNOWN_KIND, file) from None
    except (ValueError, TypeError):
        raise unreadable_key(file) from None
    if not isinstance(key, Ed25519PublicKey):
        raise wrong_kind(type(key).__name__.removesuffix("PublicKey"), file)
    try:
        return PublicKey(key.public_bytes_raw())
    except DataError as error:
        raise error.located(file=file) from None


def read_signing_key(data: bytes, *, file: str | None = None, passphrase: Callable[[], bytes]) -> SigningKey:
    """Read a private key: PKCS#8 in PEM as openssl writes it, or the form of OpenSSH.

    Args:
        data: the content of the file.
        file: the name that errors give.
        passphrase: asked once, and only for a key that is encrypted.

    Raises:
        DataError: ``public_key``, ``wrong_key_kind``, ``several_keys``, ``bad_passphrase``, ``unsupported_key``,
            ``too_large``, or ``bad_key`` for everything else that is no private key.
    """
    form, content, encrypted = private_form(data, file)
    load = serialization.load_pem_private_key if form == "pem" else serialization.load_ssh_private_key
    secret = passphrase() if encrypted else None
    if secret is not None and not secret:
        raise DataError.of("bad_passphrase", "the passphrase is empty", file=file, hint=_GIVE)
    key: Any = None
    try:
        key = _quietly(load, content, secret)
    except UnsupportedAlgorithm:
        if not encrypted:
            raise wrong_kind(_UNKNOWN_KIND, file) from None
        message = "the key is encrypted in a way that is unknown here"
        hint = "for a key of OpenSSH install the package bcrypt; or use one that openssl made"
        raise DataError.of("unsupported_key", message, file=file, hint=hint) from None
    except (ValueError, TypeError):
        if not encrypted:
            raise unreadable_key(file) from None
        message = "the passphrase does not open this key, or the key is damaged"
        raise DataError.of("bad_passphrase", message, file=file, hint=_GIVE) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise wrong_kind(type(key).__name__.removesuffix("PrivateKey"), file)
    return SigningKey(key)


def _quietly(load: Callable[..., Any], *arguments: bytes | None) -> Any:
    """Load a key; that its kind will go some day need not be told of what is refused anyway."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(*arguments)
