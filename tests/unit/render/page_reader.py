"""Pages as a reader of HTML that is not ours takes them, and what holds of every one."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

_VOID = {"meta", "wbr", "input", "br", "hr"}
_SHAPES = {"rect", "line", "circle"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _SHAPES, tag
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a page has no comments: {data}")


class ReadPage:
    """What is in a page: its tags with their attributes in order, and its text."""

    def __init__(self, text: str) -> None:
        reader = _Reader()
        reader.feed(text)
        reader.close()
        assert reader.open == []
        self.tags = reader.tags
        self.names = [name for name, _ in reader.tags]
        self.text = "".join(data for name, data in reader.texts if name not in ("style", "script"))
        self.scripts = [data for name, data in reader.texts if name == "script"]
        self.styles = [data for name, data in reader.texts if name == "style"]

    def attributes(self, name: str) -> list[dict[str, str | None]]:
        """Those of each element of a name."""
        return [attributes for tag, attributes in self.tags if tag == name]

    def classes(self, name: str) -> list[str]:
        """The classes of each element of a name that has some."""
        return [str(attributes["class"]) for attributes in self.attributes(name) if "class" in attributes]


def read_page(text: str) -> ReadPage:
    """Hold a page to what holds of all: it fetches nothing, runs one script, hides nothing; gives what is in it."""
    page = ReadPage(text)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert not text.endswith("\n")
    assert all(char.isprintable() or char in "\n\t" for char in text)
    (policy,) = [
        str(each["content"]) for each in page.attributes("meta") if each.get("http-equiv") == "Content-Security-Policy"
    ]
    for kind, found in (("script", page.scripts), ("style", page.styles)):
        (source,) = found
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        assert not any(name.startswith("on") or name in ("style", "src", "action") for name in attributes)
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
        for name in ("aria-labelledby", "data-copy"):
            assert set(str(attributes.get(name, "")).split()) <= set(ids)
    targets = {str(each["href"]).removeprefix("#") for each in page.attributes("a")}
    assert targets <= set(ids)
    return page


def shape(page: ReadPage) -> list[tuple[str, Any]]:
    """The tags of a page with their classes, whatever its texts are; not where a long name may be broken."""
    return [(name, attributes.get("class")) for name, attributes in page.tags if name != "wbr"]


def words(text: str) -> str:
    """A text with its white space as HTML shows it."""
    return re.sub(r"\s+", " ", text).strip()
