"""Passphrases: typed without being shown, or from the environment, which does not keep them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from robust.cli.passphrases import VARIABLE, Passphrases
from tests.key_files import openssl
from tests.run_fixtures import COMMAND

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs terminals of POSIX")
PASSPHRASE = "zwölf Birnen 梨"  # noqa: S105 - of keys that live as long as a test
# A process that has this terminal and no other.
ON_TERMINAL = """
import fcntl, os, signal, sys, termios
# Whoever runs these tests in the background may have made interrupts be ignored.
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A command on a terminal of its own, to be typed into."""

    def __init__(self, arguments: Sequence[str | Path], folder: Path) -> None:
        self._leader, follower = pty.openpty()
        self.shown = ""
        self.echoes = False
        self._process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, COMMAND, *arguments],
            cwd=folder,
            stdin=follower,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != VARIABLE},
        )
        os.close(follower)

    def answer(self, prompt: str, typed: str) -> None:
        """Wait for a prompt, and type."""
        start = len(self.shown)
        while prompt not in self.shown[start:]:
            self.shown += os.read(self._leader, 4096).decode()
        os.write(self._leader, typed.encode())

    def end(self) -> tuple[int, str, str]:
        """The exit code, and what was written to the standard streams."""
        output, messages = self._process.communicate(timeout=60)
        self.echoes = bool(termios.tcgetattr(self._leader)[3] & termios.ECHO)
        os.set_blocking(self._leader, False)
        for piece in self._left():
            self.shown += piece.decode()
        os.close(self._leader)
        return self._process.returncode, output, messages

    def _left(self) -> Iterator[bytes]:
        try:
            while piece := os.read(self._leader, 4096):
                yield piece
        except OSError:  # how Linux says that nobody is there
            return


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """The file of an encrypted key."""
    file = tmp_path / "k.pem"
    file.write_bytes(openssl("genpkey", "-algorithm", "ed25519", "-aes256", "-pass", f"pass:{PASSPHRASE}"))
    file.chmod(0o600)
    return file


def test_a_passphrase_is_typed_without_being_shown(tmp_path: Path, locked: Path) -> None:
    """The prompt names the file, and stands on the terminal alone."""
    terminal = Terminal(["keys", "show", locked.name], tmp_path)
    terminal.answer("passphrase of k.pem: ", f"{PASSPHRASE}\n")
    code, output, messages = terminal.end()
    assert (code, messages) == (0, "")
    assert output.endswith("  Ed25519 private key  k.pem\n")
    assert "Birnen" not in terminal.shown
    assert "passphrase" not in output


def test_a_new_passphrase_is_typed_twice(tmp_path: Path) -> None:
    """It then opens the key, here and for openssl."""
    terminal = Terminal(["keys", "generate", "-o", "keys", "--passphrase"], tmp_path)
    terminal.answer("new passphrase: ", f"{PASSPHRASE}\n")
    terminal.answer("the same again: ", f"{PASSPHRASE}\n")
    code, output, _ = terminal.end()
    assert code == 0
    assert "(encrypted; keep it to yourself)" in output
    public = openssl("pkey", "-in", tmp_path / "keys" / "signing.key.pem", "-passin", f"pass:{PASSPHRASE}", "-pubout")
    assert public == (tmp_path / "keys" / "signing.pub.pem").read_bytes()


@pytest.mark.parametrize(
    ("typed", "message"),
    [(["one\n", "another\n"], "the two passphrases differ"), (["\n"], "the passphrase is empty")],
)
def test_a_new_passphrase_that_is_not_sure_makes_no_key(tmp_path: Path, typed: list[str], message: str) -> None:
    """Two that differ, or an empty one."""
    terminal = Terminal(["keys", "generate", "-o", "keys", "--passphrase"], tmp_path)
    for prompt, text in zip(("new passphrase: ", "the same again: "), typed, strict=False):
        terminal.answer(prompt, text)
    code, output, messages = terminal.end()
    assert (code, output) == (2, "")
    assert f"error[bad_passphrase]: --passphrase: {message}" in messages
    assert "another" not in messages
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        ("\x03", 130, "error[interrupted]"),
        ("\x04", 2, "error[passphrase_needed]: k.pem: no passphrase could be read from the terminal"),
        ("wrong\n", 2, "error[bad_passphrase]: k.pem: the passphrase does not open this key"),
        ("\n", 2, "error[bad_passphrase]: k.pem: the passphrase is empty"),
    ],
)
def test_an_answer_that_opens_nothing_ends_the_command(
    tmp_path: Path, locked: Path, typed: str, code: int, message: str
) -> None:
    """Ctrl-C, the end of the input, a wrong and an empty passphrase; and the terminal shows again what is typed."""
    terminal = Terminal(["keys", "show", locked.name], tmp_path)
    terminal.answer("passphrase of k.pem: ", typed)
    ended, output, messages = terminal.end()
    assert (ended, output, terminal.echoes) == (code, "", True)
    assert message in messages
    assert "Traceback" not in messages


def test_without_a_terminal_nothing_is_asked(tmp_path: Path, locked: Path) -> None:
    """Also not of a standard input that has an answer: it would be shown."""
    done = subprocess.run(
        [COMMAND, "keys", "show", locked.name],
        cwd=tmp_path,
        input=f"{PASSPHRASE}\n",
        capture_output=True,
        encoding="utf-8",
        start_new_session=True,
        env={name: value for name, value in os.environ.items() if name != VARIABLE},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error[passphrase_needed]: k.pem: the key needs a passphrase, and there is no terminal to ask on; "
        f"set {VARIABLE}, or run this on a terminal\n"
    )


@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}])
def test_the_environment_is_asked_first_in_any_locale(tmp_path: Path, locked: Path, locale: dict[str, str]) -> None:
    """The bytes of a passphrase are those of UTF-8."""
    done = subprocess.run(
        [COMMAND, "keys", "show", locked.name],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **locale, VARIABLE: PASSPHRASE},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_environment_does_not_keep_a_passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is started later, such as an oracle, would inherit it."""
    monkeypatch.setenv(VARIABLE, PASSPHRASE)
    passphrases = Passphrases()
    assert VARIABLE not in os.environ
    assert (passphrases.given, passphrases.of_key(Path("k")), passphrases.new()) == (True, PASSPHRASE, PASSPHRASE)
    assert PASSPHRASE not in repr(passphrases)
    assert Passphrases().given is False
