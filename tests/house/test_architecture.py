"""The table of the architecture: who may import whom, and how large things may become."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "robust"
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

BASE = {"errors", "version", "canon"}
# Rooms, and what each may import besides errors and canon.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "version": set(),
    # Where public names are defined: nothing but text.
    "homes": set(),
    "canon": set(),
    "records": set(),
    "stats": set(),
    "transforms": {"records"},
    "oracle": {"records", "transforms", "transport"},
    "relations": {"records", "stats", "transforms", "oracle"},
    "population": {"records", "stats", "transforms", "oracle"},
    "manifest": {"records"},
    "transport": set(),
    "backends": {"records", "transport"},
    "signing": {"records"},
    "run": {"records", "stats", "transforms", "oracle", "relations", "manifest"},
    "store": {"records"},
    "render": {"records", "stats"},
    "app": {
        *("records", "stats", "transforms", "oracle", "relations", "population", "manifest", "transport", "backends"),
        *("signing", "run", "store", "render"),
    },
    "cli": {"app", "render", "records"},
    "__main__": {"cli"},
    # What pytest loads when it starts: it leads to the public functions.
    "pytest_plugin": {"app", "render", "records"},
}
# Third-party modules and hashing, with the rooms that may use them.
HOMES: dict[str, set[str]] = {
    "orjson": {"canon"},
    "hashlib": {"canon"},
    "rfc8785": {"canon"},
    # Models live in records; manifest and store only translate their ValidationError into located problems.
    "pydantic": {"records", "manifest", "store"},
    "pydantic_core": {"records"},
    "yaml": {"store"},
    "sqlite3": {"store"},
    "filelock": {"store"},
    "typer": {"cli"},
    "click": {"cli"},
    "rich": {"cli"},
    # Population tests are arrays through and through: models take and give them. Outputs of any system may be arrays.
    "numpy": {"stats", "population", "relations"},
    "narwhals": {"population"},
    "scipy": {"stats"},
    "httpx": {"transport"},
    "stamina": {"transport"},
    "cryptography": {"signing"},
    "hypothesis": {"app"},
    "pytest": {"pytest_plugin"},
    "jinja2": {"render"},
    "junitparser": {"render"},
}
# Records have no I/O, no clock and no randomness.
KEPT_OUT = {
    "records": {"io", "os", "pathlib", "time", "datetime", "random", "secrets", "socket", "subprocess", "tempfile"},
    "manifest": {"io", "os", "pathlib", "time", "datetime", "random", "secrets", "socket", "subprocess", "tempfile"},
    "relations": {"io", "os", "pathlib", "time", "random", "socket", "subprocess"},
    "population": {"io", "os", "pathlib", "time", "random", "socket", "subprocess"},
    "stats": {"io", "os", "pathlib", "time", "random", "socket", "subprocess"},
    "render": {"subprocess", "socket", "random"},
}


class Import(NamedTuple):
    """One import: the module that imports, what it imports, and the names that it takes from there."""

    importer: str
    imported: str
    names: tuple[str, ...]


def modules() -> dict[str, Path]:
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import that can happen at run time, also inside functions; not those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        yield from statements(child)


def imports() -> Iterator[Import]:
    for module, path in MODULES.items():
        for statement in statements(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    yield Import(module, alias.name, ())
            else:
                assert statement.level == 0, f"{module} has a relative import"
                yield Import(module, statement.module or "", tuple(alias.name for alias in statement.names))


IMPORTS = list(imports())


def room(module: str) -> str:
    """The room of a module of ours; the package itself is a room too."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "robust"


def ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] == "robust"


def find_cycle(edges: dict[str, set[str]]) -> list[str] | None:
    """Some cycle of a graph, if there is one."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str] | None:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        found = next(filter(None, (visit(other, [*path, node]) for other in sorted(edges.get(node, ())))), None)
        done.add(node)
        return found

    return next(filter(None, (visit(node, []) for node in sorted(edges))), None)


def test_every_room_has_its_line_in_the_table() -> None:
    """A new folder or module at the top needs a decision."""
    assert {room(module) for module in MODULES} - {"robust"} <= set(MAY_IMPORT)


def test_rooms_import_only_what_the_table_allows() -> None:
    """Errors and canon are for everybody; the rest is in the table."""
    wrong = [
        each
        for each in IMPORTS
        if ours(each.imported)
        and room(each.importer) != "robust"
        and room(each.imported) not in MAY_IMPORT[room(each.importer)] | BASE | {room(each.importer)}
    ]
    assert wrong == []


def test_canon_and_errors_import_nothing_of_ours() -> None:
    """But canon the errors."""
    found = {(room(each.importer), room(each.imported)) for each in IMPORTS if ours(each.imported)}
    assert {pair for pair in found if pair[0] in BASE and pair[0] != pair[1]} <= {("canon", "errors")}


def test_the_package_itself_imports_nothing_at_once() -> None:
    """Its names are resolved when they are first used; where they live is text."""
    assert {each.imported for each in IMPORTS if each.importer == "robust"} <= _LIGHT
    assert {each.imported for each in IMPORTS if each.importer == "robust.homes"} <= _LIGHT


_LIGHT = {"__future__", "importlib", "typing", "robust.homes"}


def test_heavy_modules_have_one_home() -> None:
    """JSON, hashing, models, YAML, databases, locks and the terminal are each used in the rooms that own them."""
    wrong = [
        each
        for each in IMPORTS
        if (top := each.imported.split(".")[0]) in HOMES and room(each.importer) not in HOMES[top]
    ]
    assert wrong == []


def test_rooms_that_only_translate_errors_take_nothing_else_of_pydantic() -> None:
    """Outside records: the ValidationError, and BaseModel to walk a model's fields for suggestions."""
    taken = {
        name
        for each in IMPORTS
        if each.imported.split(".")[0] == "pydantic" and room(each.importer) != "records"
        for name in each.names
    }
    assert taken <= {"ValidationError", "BaseModel"}


@pytest.mark.parametrize("name", KEPT_OUT)
def test_pure_rooms_keep_the_world_out(name: str) -> None:
    """No files, clocks, random numbers or processes where only values go in and out."""
    found = [each for each in IMPORTS if room(each.importer) == name and each.imported.split(".")[0] in KEPT_OUT[name]]
    assert found == []


def test_there_is_no_cycle_between_rooms() -> None:
    """Nothing flows back."""
    edges: dict[str, set[str]] = {}
    for each in IMPORTS:
        if ours(each.imported) and room(each.importer) != room(each.imported):
            edges.setdefault(room(each.importer), set()).add(room(each.imported))
    assert find_cycle(edges) is None


def test_there_is_no_cycle_between_modules() -> None:
    """Imports inside functions count."""
    edges: dict[str, set[str]] = {}
    for each in IMPORTS:
        if ours(each.imported):
            targets = [f"{each.imported}.{name}" for name in each.names if f"{each.imported}.{name}" in MODULES]
            edges.setdefault(each.importer, set()).update(targets or [each.imported])
    assert find_cycle(edges) is None


def test_the_search_for_cycles_finds_them() -> None:
    """Otherwise the two tests above would mean nothing."""
    assert find_cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert find_cycle({"a": {"b", "c"}, "b": {"c"}}) is None


def test_files_are_small() -> None:
    """None past 400 lines."""
    sizes = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: size for module, size in sizes.items() if size > MAX_FILE_LINES} == {}


def test_functions_are_small() -> None:
    """Under 60 lines each, not counting the docstring, which may be as long as its arguments need."""
    large = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if ast.get_docstring(node) is not None:
                    lines -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
                if lines >= MAX_FUNCTION_LINES:
                    large[f"{module}.{node.name}"] = lines
    assert large == {}
