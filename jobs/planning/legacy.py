"""Reports in the prose of the earlier runner: which model, which version of the skill.

Such a report says *Automated Benchmark Results* at the start of a line and names its model
and *Skill version* in a table or after a colon, with or without back-ticks and bold. It is
display text and was never meant for machines, so only these shapes are read, and nothing
that is quoted or stands in code.
"""

import re

from markdown_it import MarkdownIt

from jobs.planning.markers import LegacyRecord

_TITLE = re.compile(r"^[^A-Za-z0-9`\n]*Automated Benchmark Results\b.*$", re.MULTILINE)
_UNFINISHED = re.compile(r"\bin progress\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FIELD = re.compile(
    r"^[ \t|+-]*_*(model|skill version|eval id)_*(?:[ \t]*\([^()\n]*\))?[ \t]*[|:][ \t]*(.*)$",
    re.IGNORECASE | re.MULTILINE,
)
# a prefix of 7 characters or more, standing by itself: not a part of a longer word or number
_SHA = re.compile(r"(?<![\w.-])[0-9a-f]{7,64}(?![\w-])", re.IGNORECASE)
_HIDDEN_BLOCKS = frozenset({"blockquote_open", "fence", "code_block"})


def find_legacy_reports(body: str) -> tuple[LegacyRecord, ...]:
    """What a legacy prose report was about; empty if the body is none, or a half-done one.

    Several records mean that its *Skill version* names several commits or digests.
    """
    if "Automated Benchmark Results" not in body:
        return ()
    text = _COMMENT.sub("", _visible_text(body))
    title = _TITLE.search(text)
    if title is None or _UNFINISHED.search(_CODE_SPAN.sub("", title.group())):
        return ()
    fields = _fields(text[title.end() :])
    model = fields.get("model", "")
    if not model:
        return ()
    return tuple(
        LegacyRecord(model=model, sha=sha.lower(), eval_id=fields.get("eval id") or None)
        for sha in _SHA.findall(fields.get("skill version", ""))
    )


def _fields(text: str) -> dict[str, str]:
    """The first value of each known field, without back-ticks, bold and further cells."""
    plain = re.sub(r"[*`]", "", text)
    found: dict[str, str] = {}
    for name, value in _FIELD.findall(plain):
        found.setdefault(" ".join(name.lower().split()), value.split("|")[0].strip())
    return found


def _visible_text(body: str) -> str:
    """The body's lines without those of quotations and code blocks."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for token in MarkdownIt("commonmark").enable("table").parse("\n".join(lines)):
        if token.type in _HIDDEN_BLOCKS and token.map:
            start, end = token.map
            lines[start:end] = [""] * (end - start)
    return "\n".join(lines)
