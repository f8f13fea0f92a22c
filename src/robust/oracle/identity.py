"""Who the oracle is: its name, its version and the digest of its source, as far as they can be known."""

from __future__ import annotations

import importlib
import inspect
import sys
from functools import lru_cache, partial
from tokenize import TokenError
from typing import Any

from robust.canon import JsonObject, digest_bytes, exact_text
from robust.errors import CaseError
from robust.oracle.asked import AskedOracle
from robust.records.failure import cap_text, describe_exception

MAX_NAME_CHARACTERS = 256


def is_program(validator: object) -> bool:
    """Whether a validator is a program, a service or a combination, by its true type: a mock of one is none."""
    return issubclass(type(validator), AskedOracle)


def oracle_identity(validator: object) -> JsonObject:
    """``name``, ``version`` and ``source_sha256`` of a validator.

    A declared ``name`` and ``version`` count; else the name is ``module.qualname``. The source digest is null where
    Python cannot show the source, and for a program, a service or a combination, whose source is not that of the class
    which asks it. A partial is what it calls.

    Raises:
        CaseError: its name, its version, or what it is, cannot be read.
    """
    try:
        name = exact_text(getattr(validator, "name", None))
        version = exact_text(getattr(validator, "version", None))
        version = version if version is None or type(version) is str else exact_text(str(version))
        target = _implementation(validator)
        if type(name) is not str or not name:
            name = f"{getattr(target, '__module__', None) or '?'}.{getattr(target, '__qualname__', '?')}"
        hashable = not is_program(validator) and getattr(target, "__hash__", None)
        return {
            "name": _short(name),
            "version": None if version is None else _short(version),
            "source_sha256": _source_digest(target) if hashable else None,
        }
    except Exception as error:  # the validator is not ours
        message = f"the validator does not tell who it is: {describe_exception(error)}"
        raise CaseError.of("bad_oracle", message, path="validator", hint="check its name and version") from error


def _implementation(validator: Any) -> Any:
    """The function, or the class, whose source is the validator's."""
    while type(validator) is partial:
        validator = validator.func
    validator = getattr(validator, "__func__", validator)
    return validator if hasattr(validator, "__code__") or isinstance(validator, type) else type(validator)


@lru_cache(maxsize=256)
def _short(text: str) -> str:
    return cap_text(text, MAX_NAME_CHARACTERS)


@lru_cache(maxsize=256)
def _source_digest(target: Any) -> str | None:
    try:
        return digest_bytes(inspect.getsource(target).encode("utf-8", "surrogatepass"))
    except (OSError, TypeError, SyntaxError, TokenError):
        return None  # also where the file was changed since it was imported


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
    except (Exception, SystemExit) as error:  # importing runs the module
        message = f"cannot import {path!r}: {describe_exception(error)}"
        raise CaseError.of("not_importable", message, path="validator") from error
    if found is None:
        hint = "write module:name of something callable"
        raise CaseError.of("not_importable", f"nothing is found at {path!r}", path="validator", hint=hint)
    return found


def _attribute(module: object, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
