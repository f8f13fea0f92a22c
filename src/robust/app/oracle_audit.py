"""The audit of an oracle as it is kept in a file; made by :func:`~robust.app.auditing.audit_oracle`."""

from __future__ import annotations

import os
from typing import Final, Self

from robust.app.audit_report import EXIT_CODES, AuditStatus, read_audit
from robust.canon import JsonObject, canonical_bytes, decode_own, parse_canonical
from robust.errors import IntegrityError
from robust.records.oracle_audit import OracleAuditRecord
from robust.store.attestations import evidence_output
from robust.store.files import read_file

MAX_AUDIT_BYTES: Final = 64 * 1024 * 1024


class OracleAudit(OracleAuditRecord):
    """What an audit found; frozen, and derived again whenever it is read.

    Attributes:
        facts: what was counted.
        digest: the digest of everything but ``observed``.
        observed: when, for how long, and by which version.
    """

    __slots__ = ()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read an audit and derive again what follows from its counts.

        Raises:
            UsageError: the file cannot be read.
            DataError: it is too large.
            IntegrityError: it is no audit, is damaged, or contradicts itself.
        """
        return cls.parse(read_file(path, MAX_AUDIT_BYTES), os.fspath(path))

    @classmethod
    def parse(cls, content: bytes, file: str) -> Self:
        """The audit in the content of its file, with what follows from its counts derived again.

        Raises:
            IntegrityError: it is no audit, is damaged, or contradicts itself.
        """
        data = parse_canonical(content.removesuffix(b"\n"), file=file)
        facts, derived, observed = read_audit(data, file)
        audit = cls(facts, derived, observed)
        if data.get("digest") != audit.digest:
            message = f"{data.get('digest')!r} is stored, {audit.digest!r} follows from the content"
            raise IntegrityError.of("contradiction", message, file=file, path="$.digest")
        return audit

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the audit atomically, as one canonical line.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
        """
        with evidence_output(path, overwrite=overwrite) as write:
            write(canonical_bytes(self.data) + b"\n")

    @property
    def data(self) -> JsonObject:
        """A fresh dict of the whole audit, ``digest`` and ``observed`` included."""
        content: JsonObject = decode_own(self.content)
        return {**content, "digest": self.digest, "observed": dict(self.observed)}

    @property
    def status(self) -> AuditStatus:
        """``pass``, ``fail`` or ``inconclusive``; ``measured`` without a limit; ``error`` without a verdict."""
        status: AuditStatus = decode_own(self.content)["status"]
        return status

    @property
    def exit_code(self) -> int:
        """0 for ``pass`` and ``measured``, 1 for ``fail`` and ``inconclusive``, 2 for ``error``."""
        return EXIT_CODES[self.status]

    @property
    def shares(self) -> JsonObject:
        """``accepted_invalid``, ``refused_valid`` and ``undecided``: ``value``, ``pairs``, ``of``, ``interval``."""
        shares: JsonObject = decode_own(self.content)["shares"]
        return shares

    @property
    def agreement(self) -> JsonObject | None:
        """How far a second oracle agrees: ``share``, ``kappa`` and its ``interval``; None without one."""
        agreement: JsonObject | None = decode_own(self.content)["agreement"]
        return agreement

    def __repr__(self) -> str:
        return f"<OracleAudit {self.status} {self.facts.oracle.name!r} {self.facts.pairs} pairs {self.digest[:19]}…>"
