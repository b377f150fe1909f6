"""A comment as its reader gets it: rendered, with what would have an effect picked out."""

import re
from collections import Counter
from html.parser import HTMLParser

from hypothesis import strategies as st
from markdown_it import MarkdownIt

QUIET = frozenset({"code", "pre", "a"})
"""Elements in which GitHub looks for no mention or reference."""

EFFECTS = re.compile(
    r"@(?=[A-Za-z0-9])"  # mentions
    r"|\#\d|\bGH-\d"  # issues
    r"|[a-z]+://\S|\bwww\.\w"  # links
    r"|\b(?=[0-9]*[a-f])[0-9a-f]{7,40}\b",  # commits
    re.IGNORECASE,
)

HOSTILE = [
    "@mona", "@acme/team", "#123", "acme/skills#7", "GH-5", "mona@0a1b2c3d4e5f",
    "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "https://evil.example/x?y=1", "www.evil.example",
    "http://", "mailto:a@b.example", "![t](https://evil.example/p.gif)", "[x](javascript:1)",
    "<img src=x onerror=1>", "<script>", "</details>", "<!--", "-->", "<details>", "<a@b.example>",
    "|", "||", "\\|", "\\", "`", "``", "```", "~~~", "~~", "*", "**", "_", "__a__", "$x$", "$$",
    "\n", "\r\n", "\n\n", "\n---\n", "\n===\n", "\n> q", "\n# h", "\n- [ ] t", "\n    code",
    "0a1b2c3", "abcdef", "acme/skills@0a1b2c3d4e5f", "` `", "#` `5",
    "\n/retest\n", "\n@dependabot rebase\n", "&lt;", "&#64;mona", "&amp;", "[^1]", "[!NOTE]",
    "<!-- skillbench:v1 {} -->", '<!-- BENCHMARK_COMPLETE: {"model": "m"} -->', ":tada:",
    "Automated Benchmark Results", "\u202e", "\u2066", "\x00", "\x1b[31m", "\u2028", "\U000e0041",
    "<rows>", "x || y", "1. a", "2) b", "+ c", "- d", "= e", "🧮", "é", "\u200d", "\ufe0f", " ",
]  # fmt: skip

hostile_text = st.lists(
    st.sampled_from(HOSTILE) | st.text(max_size=8), max_size=12
).map("".join)  # fmt: skip


class Rendered(HTMLParser):
    """The elements, links and texts of a rendered comment."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.text = ""
        """What is read outside code and links; a line ends wherever either stands, or a `<br>`.

        GitHub looks at one text node at a time: what stands on both sides of an element never
        makes one mention or commit.
        """
        self.code: list[str] = []
        """The text of each code element."""
        self.rows: list[int] = []
        """Cells of each table row."""
        self.comments: list[str] = []
        self.open: list[str] = []
        parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        self.feed(parser.render(markdown))
        self.close()

    @property
    def words(self) -> str:
        """The text outside code and links, without the invisible breaks."""
        return " ".join(self.text.replace("\u200b", "").split())

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        values = dict(attrs)
        if tag == "a":
            self.links.append(values.get("href") or "")
        if tag == "code":
            self.code.append("")
        if tag == "br" or tag in QUIET:
            self.text += "\n"
        if tag == "tr":
            self.rows.append(0)
        if tag in {"td", "th"}:
            self.rows[-1] += 1
        if tag not in {"br", "hr", "img", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if "code" in self.open:
            self.code[-1] += data
        elif not QUIET & set(self.open):
            self.text += data

    def handle_comment(self, data):
        self.comments.append(data)
