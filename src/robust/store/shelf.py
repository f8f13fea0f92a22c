"""Cases put aside in a temporary file, to be read again in their order or looked up by their ids."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from robust.canon import decode_own, key_of, nfc
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.store.files import not_put_aside

_IN_MEMORY: Final = 16 * 1024 * 1024


class CaseShelf:
    """Cases by their ids; in memory is nothing but a key for each id.

    Up to 16 MiB of cases stay in memory; beyond that they go to a temporary file without a name. One thread at a time.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, prefix="robust-")  # noqa: SIM115 - see close
        self._places: dict[bytes, int] = {}
        self._size = 0

    def put(self, case: Case) -> None:
        """Keep a case; the last one of an id is the one that is looked up.

        Raises:
            CaseError: it is not portable JSON.
            UsageError: the folder for temporary files cannot be written, as on a full disk.
        """
        line = canonical_case(case) + b"\n"
        try:
            self._file.seek(self._size)
            self._file.write(line)
        except OSError as error:
            raise not_put_aside(error, "cases") from None
        self._places[_key(case.case_id)] = self._size
        self._size += len(line)

    def reserve(self, case_id: str) -> None:
        """Count an id as taken, without a case."""
        self._places.setdefault(_key(case_id), -1)

    def __contains__(self, case_id: object) -> bool:
        """Whether an id is taken, also in another normal form."""
        return isinstance(case_id, str) and _key(case_id) in self._places

    def get(self, case_id: str) -> Case | None:
        """The case of an id, as it is stored; None where there is none."""
        place = self._places.get(_key(case_id), -1)
        return None if place < 0 else self._at(place)[0]

    def __iter__(self) -> Iterator[Case]:
        """Every case, in the order in which they were put."""
        place = 0
        while place < self._size:
            case, place = self._at(place)
            yield case

    def _at(self, place: int) -> tuple[Case, int]:
        self._file.seek(place)
        line = self._file.readline()
        return Case.from_json(decode_own(line)), place + len(line)

    def close(self) -> None:
        """Let go of the temporary file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _key(case_id: str) -> bytes:
    # As everywhere, ids that are equal after normalisation are one.
    return key_of(nfc(case_id))
