"""What a manifest says of the manifests that it was made from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from robust.canon import JsonObject

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest

MADE_FROM: Final = "made_from"


def made_from(
    operation: str, manifests: Iterable[FrozenManifest], provenance: JsonObject, **details: object
) -> JsonObject:
    """A provenance that names the operation, and the manifests by digest, in an order that depends on nothing else.

    ``parent`` in the header is kept for extensions, which promise that nothing was moved or dropped.
    """
    named = sorted({(item.digest, item.name) for item in manifests})
    told = {
        "operation": operation,
        "manifests": [{"digest": digest, "name": name} for digest, name in named],
        **details,
    }
    return {**provenance, MADE_FROM: told}
