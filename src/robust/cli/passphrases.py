"""Passphrases of keys: from the environment or a hidden prompt, never from an argument, and never shown."""

from __future__ import annotations

import getpass
import os
import sys
import warnings
from typing import TYPE_CHECKING, Final

from robust.cli.console import say
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.app.keys import SigningKey

VARIABLE: Final = "ROBUST_KEY_PASSPHRASE"
_HINT: Final = f"set {VARIABLE}, or run this on a terminal"


class Passphrases:
    """Where the passphrases of one command come from.

    What stands in the environment is taken out of it, so that no program that is started later inherits it.
    """

    def __init__(self) -> None:
        self._given = os.environ.pop(VARIABLE, None)

    @property
    def given(self) -> bool:
        """Whether the environment has one."""
        return self._given is not None

    def of_key(self, file: str | os.PathLike[str]) -> str:
        """The passphrase of a key.

        Raises:
            UsageError: the environment has none, and there is no terminal to ask on.
        """
        if self._given is not None:
            return self._given
        return _ask(f"passphrase of {ascii(os.fspath(file))[1:-1]}: ", os.fspath(file))

    def new(self) -> str:
        """A passphrase for a new key; asked for twice.

        Raises:
            UsageError: it is empty, two different ones were typed, or there is none and no terminal to ask on.
        """
        passphrase = self._given
        if passphrase is None:
            passphrase = _ask("new passphrase: ", None)
            if passphrase and _ask("the same again: ", None) != passphrase:
                message = "the two passphrases differ"
                raise UsageError.of(
                    "bad_passphrase", message, path="--passphrase", hint="nothing was written; try again"
                )
        if not passphrase:
            hint = "give one, or leave --passphrase out"
            raise UsageError.of("bad_passphrase", "the passphrase is empty", path="--passphrase", hint=hint)
        return passphrase


def open_key(file: str | os.PathLike[str], passphrases: Passphrases) -> SigningKey:
    """Read a private key, with a notice where others can read it, too.

    Raises:
        UsageError: it cannot be read, or is encrypted and there is no passphrase.
        DataError: it is no private key of Ed25519, or the passphrase does not open it.
    """
    from robust.app.keys import load_signing_key, others_can_read
    from robust.render.plain import safe

    key = load_signing_key(file, passphrase=lambda: passphrases.of_key(file))
    if others_can_read(file):
        say(
            f"notice: {safe(str(file))} is a private key that others on this machine can read; chmod 600 keeps it yours"
        )
    return key


def _ask(prompt: str, file: str | None) -> str:
    """Ask on the terminal, and nowhere else: what is typed is not shown."""
    if not _has_terminal():
        message = "the key needs a passphrase, and there is no terminal to ask on"
        raise UsageError.of("passphrase_needed", message, file=file, hint=_HINT)
    try:
        with warnings.catch_warnings():
            # It warns before it shows what is typed.
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(prompt)
    except KeyboardInterrupt:
        say("")
        raise
    except (EOFError, OSError, UnicodeError, getpass.GetPassWarning):
        # No cause: what was typed so far may be part of it.
        pass
    raise UsageError.of("passphrase_needed", "no passphrase could be read from the terminal", file=file, hint=_HINT)


def _has_terminal() -> bool:
    if os.name != "posix":
        return sys.stdin is not None and sys.stdin.isatty()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
