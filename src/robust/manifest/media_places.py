"""Where the files of inputs lie: one path has one content, and is no folder of another."""

from __future__ import annotations

from collections.abc import Iterator

from robust.canon import fold
from robust.records.media import Media


class MediaPlaces:
    """The paths that cases name; those count as one that a file system without regard to case takes for one."""

    def __init__(self) -> None:
        # By folded path: hash, size, and the case that named it first; of folders only that case.
        self._files: dict[str, tuple[str, int, str]] = {}
        self._folders: dict[str, str] = {}

    def add(self, item: Media, case_id: str) -> Iterator[str]:
        """Note a file of a case; says why it cannot lie beside those that came before."""
        place = fold(item.path, space=False)
        sha256, size, first = self._files.setdefault(place, (item.sha256, item.bytes, case_id))
        if (sha256, size) != (item.sha256, item.bytes):
            yield (
                f"its media file {item.path!r} has {item.bytes} bytes of SHA-256 {item.sha256}, that of case {first!r} "
                f"{size} of {sha256}"
            )
        if place in self._folders:
            yield f"its media file {item.path!r} has the path of a folder that case {self._folders[place]!r} names"
        folder, slash, _ = place.rpartition("/")
        while slash:
            self._folders.setdefault(folder, case_id)
            if folder in self._files:
                yield f"the media file of case {self._files[folder][2]!r} has the path of a folder of {item.path!r}"
            folder, slash, _ = folder.rpartition("/")
