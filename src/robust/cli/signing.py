"""``robust keys`` and ``robust sign``: who answers for evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from robust.cli.console import finish, guarded, out, out_json, say
from robust.cli.passphrases import VARIABLE, Passphrases, open_key
from robust.errors import DataError, RobustError

if TYPE_CHECKING:
    from robust.app.keys import SigningKey
    from robust.app.signing import Signed

application = typer.Typer(help="Make and show the keys that sign evidence.", no_args_is_help=True)
# Texts, so that an empty one is told as such and not as the folder that one is in; paths otherwise are checked where
# they are opened, so that one that may not be read hides nothing of the others.
KeyFile = Annotated[
    str,
    typer.Option(
        "--key",
        metavar="FILE",
        help=f"The private key (Ed25519: PKCS#8 PEM or OpenSSH). If encrypted: {VARIABLE}, or a prompt.",
    ),
]
SignWith = Annotated[
    str | None,
    typer.Option(
        "--sign",
        metavar="KEY",
        help=f"Sign what is written with this private key. If encrypted: {VARIABLE}, or a prompt.",
    ),
]


@application.command("generate")
@guarded
def generate(
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where to; made if missing, mode 0700.")
    ],
    name: Annotated[str, typer.Option(help="What the files are called: NAME.key.pem and NAME.pub.pem.")] = "signing",
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help=f"Encrypt the private key: {VARIABLE}, or a hidden prompt.")
    ] = False,
) -> None:
    """Make an Ed25519 key pair; files that are there are never written over."""
    from robust.app.keys import generate_keys
    from robust.render.plain import safe

    passphrases = Passphrases()
    files = generate_keys(output, name=name, passphrase=passphrases.new() if passphrase else None)
    if passphrases.given and not passphrase:
        say(f"notice: {VARIABLE} was not used; --passphrase encrypts the private key with it")
    out(f"private  {safe(str(files.private))}  ({'encrypted' if passphrase else 'not encrypted'}; keep it to yourself)")
    out(f"public   {safe(str(files.public))}  (hand it out)")
    out(f"key id   {files.key_id}")


@application.command("show")
@guarded
def show(
    files: Annotated[list[Path], typer.Argument(readable=False, help="Public or private keys.")],
    *,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the keys are shown.")
    ] = "text",
) -> None:
    """Show the ids of keys; for a public key also: openssl pkey -pubin -in FILE -outform DER | sha256sum."""
    from robust.render.plain import safe

    passphrases = Passphrases()
    shown: list[dict[str, str]] = []
    failed: list[RobustError] = []
    for file in files:
        try:
            key_id, kind = _identity(file, passphrases)
        except RobustError as error:
            failed.append(error)
            continue
        shown.append({"file": str(file), "key_id": key_id, "kind": f"Ed25519 {kind} key"})
        if output_format == "text":
            out(f"{key_id}  Ed25519 {kind} key  {safe(str(file))}")
    if output_format == "json":
        out_json(shown)
    _finish(failed)


def _identity(file: Path, passphrases: Passphrases) -> tuple[str, str]:
    from robust.app.keys import load_public_key

    try:
        return load_public_key(file).key_id, "public"
    except DataError as error:
        if error.code != "private_key":
            raise
    return open_key(file, passphrases).key_id, "private"


@guarded
def sign(
    paths: Annotated[list[Path], typer.Argument(readable=False, help="Runs, manifests or other evidence.")],
    *,
    key: KeyFile,
    claim: Annotated[
        str | None, typer.Option(help="What you say of the evidence; signed by itself, with --name.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Your name, for a claim.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an attestation of other content, or a damaged one.")
    ] = False,
) -> None:
    """Sign evidence after checking it. Signatures of others are kept. Exit 3: something does not hold."""
    from robust.app.signing import check_claim_of
    from robust.app.signing import sign as sign_one

    check_claim_of(claim, name)
    opened = open_key(key, Passphrases())
    failed: list[RobustError] = []
    for path in paths:
        try:
            out(_signed_text(sign_one(path, opened, claim=claim, name=name, overwrite=overwrite)))
        except RobustError as error:
            failed.append(error)
    _finish(failed)


def key_of(file: str | None) -> SigningKey | None:
    """The key that ``--sign`` names, opened before anything is done."""
    return None if file is None else open_key(file, Passphrases())


def sign_written(file: Path, key: SigningKey, *, overwrite: bool) -> None:
    """Sign a file that was just written; the attestation of one that it replaced is replaced, too."""
    from robust.app.signing import sign as sign_one

    say_signed(sign_one(file, key, overwrite=overwrite))


def say_signed(signed: Signed) -> None:
    """Tell where the attestation of what was just written is."""
    say(_signed_text(signed))


def _signed_text(signed: Signed) -> str:
    from robust.render.plain import plural, safe

    place = f"{safe(str(signed.file))} ({plural(signed.signatures, 'signature')})"
    return f"signed    {place}" if signed.added else f"signed    {place}; this key had signed it before"


def _finish(failed: list[RobustError]) -> None:
    """Tell what failed, and end with the exit code of the worst."""
    from robust.render.evidence import problem_text

    for error in failed:
        for problem in error.problems:
            say(problem_text(problem))
    if failed:
        finish(max(error.exit_code for error in failed))
