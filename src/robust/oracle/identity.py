"""Who the oracle is: its name, its version and the digest of its source, as far as they can be known."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import lru_cache
from typing import Any

from robust.canon import JsonObject, digest_bytes
from robust.errors import CaseError
from robust.records.failure import cap_text

MAX_NAME_CHARACTERS = 256


def oracle_identity(validator: object) -> JsonObject:
    """``name``, ``version`` and ``source_sha256`` of a validator.

    A declared ``name`` and ``version`` count; else the name is ``module.qualname``. The source digest is null where
    Python cannot show the source.
    """
    name = getattr(validator, "name", None)
    version = getattr(validator, "version", None)
    target: Any = validator if hasattr(validator, "__code__") else type(validator)
    if hasattr(validator, "__func__"):
        target = validator.__func__
    if not isinstance(name, str) or not name:
        name = f"{getattr(target, '__module__', None) or '?'}.{getattr(target, '__qualname__', '?')}"
    if not isinstance(version, str):
        version = None if version is None else str(version)
    digest = _source_digest(target) if getattr(target, "__hash__", None) else None
    return {
        "name": _short(name),
        "version": None if version is None else _short(version),
        "source_sha256": digest,
    }


@lru_cache(maxsize=256)
def _short(text: str) -> str:
    return cap_text(text, MAX_NAME_CHARACTERS)


@lru_cache(maxsize=256)
def _source_digest(target: Any) -> str | None:
    try:
        return digest_bytes(inspect.getsource(target).encode("utf-8", "surrogatepass"))
    except (OSError, TypeError, SyntaxError):
        return None


def import_path(validator: object) -> str:
    """The ``module:name`` under which a spawned worker can import a validator.

    Raises:
        CaseError: it cannot be imported: defined in ``__main__``, inside a function, or not a module's attribute.
    """
    if isinstance(validator, str):
        resolve(validator)
        return validator
    module_name = getattr(validator, "__module__", None) or type(validator).__module__
    module = sys.modules.get(module_name)
    names = [getattr(validator, "__qualname__", None)]
    names += [key for key, value in vars(module).items() if value is validator] if module else []
    for name in names:
        if isinstance(name, str) and module_name != "__main__" and _attribute(module, name) is validator:
            return f"{module_name}:{name}"
    raise CaseError.of(
        "not_importable",
        f"the validator {names[0] or validator!r} of module {module_name!r} cannot be imported by a worker",
        path="validator",
        hint="move it to the top level of a module that is not the script itself",
    )


def resolve(path: str) -> Any:
    """The object that ``module:name`` names.

    Raises:
        CaseError: the text is not of that form, or nothing is there.
    """
    module_name, _, name = path.partition(":")
    try:
        found = _attribute(importlib.import_module(module_name), name) if module_name and name else None
    except ImportError as error:
        raise CaseError.of("not_importable", f"cannot import {path!r}: {error}", path="validator") from error
    if found is None:
        hint = "write module:name of something callable"
        raise CaseError.of("not_importable", f"nothing is found at {path!r}", path="validator", hint=hint)
    return found


def _attribute(module: object, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
