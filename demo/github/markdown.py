"""Markdown as GitHub shows it in comments: GFM, sanitised HTML, mentions and references.

Mentions and references are found in the finished text, so that an escape which would not
keep GitHub from linking does not keep us either. Every account is taken to exist: a mention
that slipped through must show. No picture is loaded from elsewhere; its text stands instead.
"""

import re
from functools import lru_cache
from html import escape
from html.parser import HTMLParser

import nh3
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm import gfm_plugin

# fmt: off
_TAGS = {
    "a", "abbr", "b", "bdo", "blockquote", "br", "caption", "cite", "code", "dd", "del",
    "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "i", "img", "input", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q",
    "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "ul",
    "var", "wbr",
}
# fmt: on
_ATTRIBUTES: dict[str, set[str]] = {
    "*": {"align", "title", "id", "dir", "lang", "class"},
    "a": {"href", "name"},
    "details": {"open"},
    "img": {"src", "alt", "width", "height"},
    "input": {"type", "checked", "disabled"},
    "li": {"value"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "style"},
    "th": {"colspan", "rowspan", "style"},
    "time": {"datetime"},
}
_OUR_CLASSES = re.compile(
    r"^(contains-task-list|task-list-item(-checkbox)?|markdown-alert[a-z-]*|footnote[a-z-]*"
    r"|language-[\w+#.-]+)$"
)
_FILTERED = re.compile(
    r"<(?=/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)\b)",
    re.IGNORECASE,
)
"""GFM's "disallowed raw HTML": the bracket is shown instead of meant."""

_REFERENCE = re.compile(
    r"(?<![\w@/.`-])(?:"
    r"@(?P<login>[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38})(?![\w-])"
    r"|(?:(?P<repository>[\w.-]+/[\w.-]+))?\#(?P<number>\d+)\b"
    r"|GH-(?P<short>\d+)\b"
    r")"
)
_VOID = {"br", "hr", "img", "input", "wbr"}
_UNLINKED = {"a", "code", "pre", "tt", "kbd", "samp"}


@lru_cache(maxsize=2)
def _parser(*, breaks: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "breaks": breaks})
    gfm_plugin(parser)
    return parser


@lru_cache(maxsize=512)
def render_markdown(text: str, *, repository: str, is_file: bool = False) -> str:
    """Safe HTML of a comment in a repository (`owner/name`, for its `#12`), or of a file.

    A line's end in a comment breaks the line, in a file it does not.
    """
    parser = _parser(breaks=not is_file)
    tokens = parser.parse(text)
    for token in tokens:
        for part in [token, *(token.children or [])]:
            if part.type in {"html_block", "html_inline"}:
                part.content = _FILTERED.sub("&lt;", part.content)
    html = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_filter_attribute,
        clean_content_tags=set(),
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
    linker = _Linker(repository)
    linker.feed(clean)
    linker.close()
    return "".join(linker.parts)


def _filter_attribute(_tag: str, name: str, value: str) -> str | None:
    if name == "class":
        kept = [word for word in value.split() if _OUR_CLASSES.match(word)]
        return " ".join(kept) or None
    if name == "style":
        return value if re.fullmatch(r"text-align:(left|center|right);?", value) else None
    if name == "id":
        # footnotes refer to each other by id; what a text names itself cannot shadow the page
        return value if re.fullmatch(r"fn(ref)?\d+(:\d+)?", value) else f"user-content-{value}"
    return value


class _Linker(HTMLParser):
    """Writes sanitised HTML out again, with mentions and references made links."""

    def __init__(self, repository: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._repository = repository
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "img":
            words = values.get("alt") or values.get("src") or "image"
            self.parts.append(f'<span class="no-image">{escape(words)}</span>')
            return
        if tag == "input":
            checked = " checked" if "checked" in values else ""
            if values.get("type") == "checkbox":
                self.parts.append(f'<input type="checkbox" disabled{checked}>')
            return
        if tag not in _VOID:
            self._inside.append(tag)
        written = "".join(
            f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attrs
        )
        self.parts.append(f"<{tag}{written}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass
        self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if _UNLINKED.intersection(self._inside):
            self.parts.append(escape(data))
            return
        done = 0
        for match in _REFERENCE.finditer(data):
            self.parts.append(escape(data[done : match.start()]))
            self.parts.append(self._link(match))
            done = match.end()
        self.parts.append(escape(data[done:]))

    def _link(self, match: re.Match[str]) -> str:
        shown = escape(match[0])
        if match["login"]:
            return f'<a class="user-mention" href="/{match["login"]}">{shown}</a>'
        repository = match["repository"] or self._repository
        number = match["number"] or match["short"]
        return f'<a class="issue-link" href="/{repository}/issues/{number}">{shown}</a>'
