"""A page as a tree: what stands where, what it is called, where it leads."""

from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

import httpx

VOID = frozenset({"meta", "link", "input", "br", "img", "source"})


class _Reader(HTMLParser):
    """Builds the tree. Raises `AssertionError` where an element is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        if self._open:
            self.builder.data(data)

    def read(self, text: str) -> Element:
        self.feed(text)
        self.close()
        assert not self._open, f"<{self._open[-1]}> is never closed"
        return self.builder.close()


class HtmlPage:
    """One answer of the server."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        self.root = _Reader().read(answer.text)

    @property
    def text(self) -> str:
        """Everything that is read between the tags."""
        return words(self.root)

    @property
    def h1(self) -> str:
        """The one title."""
        [title] = self.all("h1")
        return words(title)

    def all(self, tag: str) -> list[Element]:
        return list(self.root.iter(tag))

    def by_id(self, name: str) -> Element:
        [found] = (one for one in self.root.iter() if one.get("id") == name)
        return found

    def section(self, title: str) -> Element:
        """The section that a heading names."""
        for section in self.all("section"):
            name = section.get("aria-labelledby")
            if name is not None and words(self.by_id(name)) == title:
                return section
        raise AssertionError(f"no section is called {title}")

    def table(self, caption: str) -> list[dict[str, str]]:
        """The rows of the table with this caption, each cell by the head of its column."""
        found = next((one for one in self.all("table") if _caption(one).startswith(caption)), None)
        assert found is not None, f"no table is called {caption}"
        [head] = found.iter("thead")
        names = [words(one) for one in head.iter("th")]
        [body] = found.iter("tbody")
        rows = [[words(cell) for cell in row] for row in body]
        assert all(len(row) == len(names) for row in rows)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def link(self, text: str, within: Element | None = None) -> str:
        """Where the first link of that text leads."""
        for one in (self.root if within is None else within).iter("a"):
            if words(one) == text:
                return one.get("href", "")
        raise AssertionError(f"no link says {text}")

    def check_form(self) -> None:
        """What every page must be, whoever reads it with whatever."""
        assert self.root.get("lang") == "en"
        assert len(self.all("h1")) == len(self.all("main")) == 1
        assert all(one.get("scope") in {"col", "row"} for one in self.all("th"))
        assert all(_caption(one) for one in self.all("table"))
        assert all(one.get("alt") for one in self.all("img"))
        labelled = {one.get("for") for one in self.all("label")}
        shown = (one for one in self.all("input") if one.get("type") != "hidden")
        for one in (*shown, *self.all("select"), *self.all("textarea")):
            assert one.get("id") in labelled, f"nothing says what {one.attrib} is for"
        ids = [one.get("id") for one in self.root.iter() if one.get("id")]
        assert len(ids) == len(set(ids))
        assert not any(one.get("style") or one.get("onclick") for one in self.root.iter())


def words(element: Element) -> str:
    """What stands in an element, on one line; without what only the eye is shown."""
    return " ".join("".join(_texts(element)).split())


def _texts(element: Element) -> Iterator[str]:
    if element.get("aria-hidden") == "true":
        return
    yield element.text or ""
    for one in element:
        yield " " if one.tag in {"br", "td", "th", "li", "p", "dd", "dt"} else ""
        yield from _texts(one)
        yield one.tail or ""


def _caption(table: Element) -> str:
    caption = table.find("caption")
    return "" if caption is None else words(caption)
