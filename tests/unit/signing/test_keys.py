"""Keys: read from every form that openssl and OpenSSH write, refused in one clear sentence, and never shown."""

from __future__ import annotations

import base64
import copy
import hashlib
import pickle
import traceback
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from robust import DataError, PublicKey, UsageError
from robust.signing.keys import MAX_KEY_BYTES, generate_key, read_public_key, read_signing_key
from tests.key_files import SMALL_ORDER, never_asked, new_keys, openssl, private_of
from tests.programs import python

PASSPHRASE = "zwölf Birnen 梨"  # noqa: S105 - of keys that live as long as a test
SSH = (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
P = 2**255 - 19


def ssh_key() -> tuple[bytes, bytes]:
    """A private and a public key in the forms of OpenSSH, with a comment."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    return private, key.public_key().public_bytes(*SSH) + b" anna at work\n"


def encrypted_ssh_key() -> bytes:
    """What tells of an encrypted key of OpenSSH (PROTOCOL.key of OpenSSH), around bytes that no passphrase opens."""
    private = Ed25519PrivateKey.generate().public_key()
    blob = ssh_text(b"ssh-ed25519") + ssh_text(private.public_bytes_raw())
    parts = [b"aes256-ctr", b"bcrypt", ssh_text(bytes(16)) + (16).to_bytes(4, "big")]
    content = b"openssh-key-v1\0" + b"".join(map(ssh_text, parts)) + (1).to_bytes(4, "big")
    label = b"OPENSSH PRIVATE " + b"KEY-----\n"
    encoded = base64.encodebytes(content + ssh_text(blob) + ssh_text(bytes(144)))
    return b"-----BEGIN " + label + encoded + b"-----END " + label


def ssh_text(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def public_code(data: bytes) -> str:
    with pytest.raises(DataError) as caught:
        read_public_key(data, file="k.pem")
    assert str(caught.value).startswith("k.pem: ")
    return caught.value.code


def private_code(data: bytes, passphrase: bytes | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read_signing_key(data, file="k.pem", passphrase=never_asked if passphrase is None else lambda: passphrase)
    assert str(caught.value).startswith("k.pem: ")
    return caught.value.code


def test_the_id_is_what_openssl_and_sha256sum_give() -> None:
    """So that a reader can compare it without this package."""
    public = generate_key().public
    der = openssl("pkey", "-pubin", "-outform", "DER", data=public.to_pem())
    assert public.key_id == "sha256:" + hashlib.sha256(der).hexdigest()


@pytest.mark.parametrize("cipher", [(), ("-aes256", "-pass", f"pass:{PASSPHRASE}")])
def test_keys_of_openssl_sign_here(cipher: tuple[str, ...]) -> None:
    """Plain, and encrypted under a passphrase that is not ASCII."""
    data = openssl("genpkey", "-algorithm", "ed25519", *cipher)
    key = private_of(data, PASSPHRASE if cipher else None)
    assert key.public.verifies(key.sign(b"said"), b"said")
    readable = openssl("pkey", "-pubout", "-passin", f"pass:{PASSPHRASE}", data=data)
    assert read_public_key(readable) == key.public


@pytest.mark.parametrize("passphrase", [None, PASSPHRASE, "x" * 1023])
def test_openssl_reads_the_keys_that_are_made_here(tmp_path: Path, passphrase: str | None) -> None:
    """Plain, and encrypted with AES-256."""
    key = generate_key()
    file = tmp_path / "k.pem"
    file.write_bytes(key.to_pem(None if passphrase is None else passphrase.encode()))
    assert (b"ENCRYPTED" in file.read_bytes()) == (passphrase is not None)
    read = openssl("pkey", "-in", file, "-passin", f"pass:{passphrase}", "-pubout")
    assert read == key.public.to_pem()


def test_keys_of_openssh_are_read() -> None:
    """The private file, and the one line of the public one with its comment."""
    private, public = ssh_key()
    key = private_of(private)
    assert read_public_key(public) == key.public
    assert read_public_key(b"\n# of anna\n" + public) == key.public


def test_an_encrypted_key_of_openssh_without_its_package_says_what_to_do(tmp_path: Path) -> None:
    """The library opens it with the package bcrypt alone."""
    (tmp_path / "id_ed25519").write_bytes(encrypted_ssh_key())
    code = """
import sys
sys.modules["bcrypt"] = None
from robust import DataError, load_signing_key
try:
    load_signing_key(sys.argv[1], passphrase=sys.argv[2])
except DataError as error:
    print(error.code, "install the package bcrypt" in str(error))
"""
    done = python(code, str(tmp_path / "id_ed25519"), PASSPHRASE)
    assert (done.stdout, done.stderr) == ("unsupported_key True\n", "")


def test_one_key_in_two_forms_is_one_key() -> None:
    """PEM and the line of OpenSSH."""
    key = Ed25519PrivateKey.generate()
    line = key.public_key().public_bytes(*SSH)
    pem = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert read_public_key(line) == read_public_key(pem)
    assert len({read_public_key(line), read_public_key(pem)}) == 1


@pytest.mark.parametrize("change", [lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\xef\xbb\xbf" + data])
def test_files_that_went_through_windows_are_read(change: object) -> None:
    """CRLF at the ends of lines, or a byte order mark."""
    assert callable(change)
    key = generate_key()
    assert private_of(change(key.to_pem(None))).public == key.public
    assert read_public_key(change(key.public.to_pem())) == key.public
    private, public = ssh_key()
    assert private_of(change(private)).public == read_public_key(change(public))


def test_text_around_a_key_is_passed_over() -> None:
    """As openssl writes it with -text, which shows the key; the errors never do."""
    key = generate_key()
    shown = openssl("pkey", "-text", data=key.to_pem(None))
    assert private_of(shown).public == key.public


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (rsa.generate_private_key(65537, 2048), "RSA"),
        (ec.generate_private_key(ec.SECP256R1()), "EC"),
        (x25519.X25519PrivateKey.generate(), "X25519"),
        (ed448.Ed448PrivateKey.generate(), "Ed448"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_other_kinds_of_key_are_named(key: serialization.NoEncryption, kind: str) -> None:
    """Private and public, encrypted or not."""
    assert isinstance(
        key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | x25519.X25519PrivateKey | ed448.Ed448PrivateKey
    )
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    plain = key.private_bytes(pem, pkcs8, serialization.NoEncryption())
    locked = key.private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"pw"))
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(DataError, match=f"a key of kind {kind}; only Ed25519 is taken"):
        read_signing_key(plain, passphrase=never_asked)
    with pytest.raises(DataError, match=f"a key of kind {kind}; only Ed25519 is taken"):
        read_signing_key(locked, passphrase=lambda: b"pw")
    with pytest.raises(DataError, match=f"a key of kind {kind}; only Ed25519 is taken"):
        read_public_key(public)


@pytest.mark.parametrize(
    "arguments",
    [
        ("genrsa", "-traditional", "1024"),
        ("genrsa", "-traditional", "-aes256", "-passout", "pass:abcd", "1024"),
        ("ecparam", "-name", "prime256v1", "-genkey"),
        ("genpkey", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048"),
    ],
)
def test_keys_in_older_forms_are_of_another_kind(arguments: tuple[str, ...]) -> None:
    """No passphrase is asked for what cannot be used."""
    assert private_code(openssl(*arguments)) == "wrong_key_kind"


def test_public_keys_of_other_kinds_in_forms_of_openssh_are_named() -> None:
    """With the name that stands in the line."""
    line = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(*SSH)
    with pytest.raises(DataError, match="a key of kind ecdsa-sha2-nistp256"):
        read_public_key(line)
    with pytest.raises(DataError, match=r"sk-ssh-ed25519@openssh\.com; only Ed25519 is taken"):
        read_public_key(b"sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t")
    assert public_code(openssl("rsa", "-RSAPublicKey_out", data=openssl("genrsa", "1024"))) == "wrong_key_kind"


def test_the_wrong_half_of_a_pair_is_told() -> None:
    """In each form; the private half of the wrong file is not shown."""
    key = Ed25519PrivateKey.generate()
    pem, ssh, pkcs8 = (
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.PrivateFormat.PKCS8,
    )
    for data in (
        key.private_bytes(pem, pkcs8, serialization.NoEncryption()),
        key.private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"pw")),
        key.private_bytes(pem, ssh, serialization.NoEncryption()),
    ):
        assert public_code(data) == "private_key"
    public = key.public_key()
    assert private_code(public.public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)) == "public_key"
    assert private_code(public.public_bytes(*SSH)) == "public_key"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"\x00\xff" * 100,
        b"-----BEGIN PUBLIC KEY-----\n",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        b"ssh-ed25519 AAAA",
        b"ssh-ed25519 ",
        "-----BEGIN PUBLIC KEY-----".encode("utf-16"),
    ],
)
def test_what_is_no_key_is_refused(data: bytes) -> None:
    """With what to do instead, and nothing of the content."""
    assert public_code(data) in ("bad_key", "private_key", "wrong_key_kind")
    assert private_code(data) in ("bad_key", "public_key")


def test_keys_of_algorithms_that_nobody_knows_are_of_another_kind() -> None:
    """Under an object identifier of none."""
    algorithm = bytes.fromhex("300506032a0304")
    public = b"\x30\x0c" + algorithm + bytes.fromhex("03030000ff")
    private = b"\x30\x0f" + bytes.fromhex("020100") + algorithm + bytes.fromhex("0403040100")
    for data, label, read in ((public, b"PUBLIC", public_code), (private, b"PRIVATE", private_code)):
        whole = b"\x30" + bytes([len(data) - 2]) + data[2:]
        lines = [b"-----BEGIN " + label + b" KEY-----", base64.b64encode(whole), b"-----END " + label + b" KEY-----"]
        assert read(b"\n".join(lines)) == "wrong_key_kind"


def test_files_with_several_keys_are_refused() -> None:
    """Which of them is meant cannot be told."""
    first, second = new_keys(2)
    assert public_code(first.public.to_pem() + second.public.to_pem()) == "several_keys"
    assert private_code(first.to_pem(None) + second.to_pem(None)) == "several_keys"
    line = Ed25519PrivateKey.generate().public_key().public_bytes(*SSH)
    assert public_code(line + b"\n" + line) == "several_keys"


def test_a_certificate_says_how_to_get_its_key(tmp_path: Path) -> None:
    """Rather than that it cannot be read."""
    (tmp_path / "k.pem").write_bytes(generate_key().to_pem(None))
    made = openssl("req", "-x509", "-key", tmp_path / "k.pem", "-subj", "/CN=a", "-days", "1")
    with pytest.raises(DataError, match="openssl x509 -noout -pubkey"):
        read_public_key(made)


def test_large_files_are_no_keys() -> None:
    """A key has a few hundred bytes."""
    assert public_code(b"x" * (MAX_KEY_BYTES + 1)) == "too_large"
    assert private_code(b"x" * (MAX_KEY_BYTES + 1)) == "too_large"


def test_a_wrong_an_empty_and_a_failing_passphrase() -> None:
    """One clear error; what the caller's function raises passes through."""
    data = generate_key().to_pem(PASSPHRASE.encode())
    assert private_code(data, b"another") == "bad_passphrase"
    assert private_code(data, b"") == "bad_passphrase"

    def fails() -> bytes:
        raise UsageError.of("passphrase_needed", "nobody to ask")

    with pytest.raises(UsageError, match="nobody to ask"):
        read_signing_key(data, passphrase=fails)


@pytest.mark.parametrize("passphrase", [b"", b"x" * 1024])
def test_passphrases_that_cannot_be_used_are_refused(passphrase: bytes) -> None:
    """An empty one would look like protection, and openssl takes 1023 bytes."""
    with pytest.raises(UsageError) as caught:
        generate_key().to_pem(passphrase)
    assert caught.value.code == "bad_passphrase"


def test_nothing_of_a_key_or_a_passphrase_is_shown() -> None:
    """In no representation, message or traceback; and a key can be neither pickled nor copied."""
    key = generate_key()
    secret = key.to_pem(None).splitlines()[1].decode()
    data = key.to_pem(PASSPHRASE.encode())
    texts = [repr(key), str(key), f"{key}", repr([key]), repr(key.public)]
    assert texts[0] == f"<SigningKey {key.public.key_id}>"
    for wrong in (b"almost " + PASSPHRASE.encode(), b""):
        try:
            read_signing_key(data, file="k.pem", passphrase=lambda wrong=wrong: wrong)  # type: ignore[misc]
        except DataError as error:
            texts += [str(error), repr(error), "".join(traceback.format_exception(error))]
    assert len(texts) == 11
    for text in texts:
        assert secret not in text
        assert "Birnen" not in text
        assert data.splitlines()[2].decode() not in text
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            use(key)
    assert not hasattr(key, "__dict__")


@pytest.mark.parametrize("raw", SMALL_ORDER)
def test_keys_with_which_forged_signatures_fit_are_refused(raw: str) -> None:
    """The library verifies with them; as PEM they are refused like everywhere."""
    with pytest.raises(DataError) as caught:
        PublicKey(bytes.fromhex(raw))
    assert caught.value.code == "weak_key"
    info = bytes.fromhex("302a300506032b6570032100" + raw)
    assert public_code(
        openssl("base64", data=info).join([b"-----BEGIN PUBLIC KEY-----\n", b"-----END PUBLIC KEY-----\n"])
    ) == ("weak_key")


def test_the_library_does_accept_signatures_by_such_keys() -> None:
    """Otherwise the tests above would guard against nothing: with the key 1, R = 1 and S = 0 fit every message."""
    one = bytes.fromhex(SMALL_ORDER[2])
    loaded = serialization.load_der_public_key(bytes.fromhex("302a300506032b6570032100") + one)
    loaded.verify(one + bytes(32), b"whatever")  # type: ignore[union-attr,call-arg]


@pytest.mark.parametrize("y", [P, P + 1, P + 18, 2**255 - 1])
def test_a_second_encoding_of_a_point_is_refused(y: int) -> None:
    """One key could count for two."""
    for sign in (0, 1 << 255):
        with pytest.raises(DataError):
            PublicKey((y | sign).to_bytes(32, "little"))


@pytest.mark.parametrize("raw", [b"", b"x" * 31, b"x" * 33, (2).to_bytes(32, "little")])
def test_bytes_that_are_no_point_are_no_key(raw: bytes) -> None:
    """Of a wrong length, or beside the curve."""
    with pytest.raises(DataError):
        PublicKey(raw)


@pytest.mark.parametrize("length", [0, 1, 63, 65, 128])
def test_signatures_of_a_wrong_length_do_not_verify(length: int) -> None:
    """And raise nothing."""
    key = generate_key()
    assert not key.public.verifies((key.sign(b"m") * 2)[:length], b"m")


def test_a_signature_has_one_form() -> None:
    """Its second half is below the order of the group: adding that makes no second signature (RFC 8032, 5.1.7)."""
    key = generate_key()
    signature = key.sign(b"m")
    order = 2**252 + 27742317777372353535851937790883648493
    moved = int.from_bytes(signature[32:], "little") + order
    assert key.public.verifies(signature, b"m")
    assert not key.public.verifies(signature[:32] + moved.to_bytes(32, "little"), b"m")
