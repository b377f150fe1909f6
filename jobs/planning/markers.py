"""The hidden lines in a report that make it readable for machines: written, found, read.

A marker is an HTML comment with JSON inside. Anyone who can comment can write one, so this
module only says what stands in a body and where; whom to believe is `dedup`'s to decide.
What stands in a quotation or in code is somebody talking about a marker, and is not found.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pydantic import ValidationError

from jobs.planning.model_names import identity
from jobs.results import RunRecord

VERSION = "skillbench:v1"
LEGACY = "BENCHMARK_COMPLETE"
LEGACY_UNFINISHED = "BENCHMARK_PARTIAL"

_OURS = re.compile(r"\s*skillbench:v\d+\b")
_PAYLOAD = re.compile(r"\s*(?:skillbench:v1|BENCHMARK_COMPLETE)\s*:?\s*(\{.*\})\s*", re.DOTALL)
# an unfinished comment runs to the end, as in a browser; that also keeps the search linear
_HTML = re.compile(
    r"<!--(.*?)(?:-->|\Z)|<(/?)(blockquote|q|pre|code|kbd|samp|tt|textarea|xmp)(?![\w-])",
    re.DOTALL | re.IGNORECASE,
)
_OPTIONAL = {
    "repo": "", "eval_digest": "", "skill": "", "launcher": "api", "mode": "forced", "vs": "none",
    "environment": "", "trials": 1, "judge": "", "judge_prompt": "", "model_asked": "",
}  # fmt: skip
"""What an early marker of ours may lack, with what it then meant."""


_WHERE_ANY = (
    "pull", "canary_passed", "guesser", "people", "lost", "loaded", "invalid", "sure", "stopped",
)  # fmt: skip
"""Fields that a marker of ours goes without where there is nothing to say."""


@dataclass(frozen=True, slots=True)
class LegacyRecord:
    """What an older report says was measured."""

    model: str
    """As written there: an id or a display name."""
    sha: str
    """The legacy SHA or its beginning, lower case."""
    eval_id: str | None = None


@dataclass(frozen=True, slots=True)
class Markers:
    """The markers of one comment body."""

    ours: tuple[RunRecord, ...] = ()
    legacy: tuple[LegacyRecord, ...] = ()
    bears_ours: bool = False
    """Whether a marker of ours stands in it, of any version and readable or not."""
    unfinished: bool = False
    """Whether an older runner marked its report as half done."""


def render_marker(record: RunRecord) -> str:
    """Our marker: every field of the record but its address, which only GitHub can give, and
    what there is none of.
    """
    left_out = {"url", *(name for name in _WHERE_ANY if not getattr(record, name))}
    if record.should_load:
        left_out.add("should_load")
    if record.guess is None:  # a wrong guess is one, too
        left_out.add("guess")
    return f"<!-- {VERSION} {to_json(record.model_dump(mode='json', exclude=left_out))} -->"


def render_legacy_marker(*, eval_id: str, model: str, legacy_sha: str) -> str:
    """The marker that tools written for the earlier runner look for."""
    fields = {"eval_id": eval_id, "model": model, "skill_sha": legacy_sha}
    return f"<!-- {LEGACY}: {to_json(fields)} -->"


def find_markers(body: str) -> Markers:
    """Every marker of a comment body that stands outside quotations and code."""
    if not any(word in body for word in ("skillbench:v", LEGACY, LEGACY_UNFINISHED)):
        return Markers()  # nearly every comment; parsing Markdown is the slow part
    found = list(find_comments(body))
    ours = [_read_ours(text) for text in found if _OURS.match(text)]
    legacy = [_read_legacy(text) for text in found if text.lstrip().startswith(LEGACY)]
    return Markers(
        ours=tuple(record for record in ours if record),
        legacy=tuple(record for record in legacy if record),
        bears_ours=bool(ours),
        unfinished=any(text.lstrip().startswith(LEGACY_UNFINISHED) for text in found),
    )


def _read_ours(text: str) -> RunRecord | None:
    """The record in a marker of ours; None where it cannot be read or lacks what counts."""
    fields = _payload(text)
    if not fields:
        return None
    known = _OPTIONAL | {name: fields[name] for name in RunRecord.model_fields if name in fields}
    known["url"] = ""
    known["score"] = _score(fields.get("score"))
    known.setdefault("model_identity", identity(str(known.get("model", ""))))
    try:
        return RunRecord.model_validate(known)
    except ValidationError:
        return None


def _read_legacy(text: str) -> LegacyRecord | None:
    fields = _payload(text) or {}
    model, sha, eval_id = (fields.get(name) for name in ("model", "skill_sha", "eval_id"))
    if not (isinstance(model, str) and isinstance(sha, str) and model.strip()):
        return None
    if not re.fullmatch(r"[0-9a-f]{7,64}", sha.strip().lower()):
        return None
    named = eval_id if isinstance(eval_id, str) and eval_id else None
    return LegacyRecord(model=model.strip(), sha=sha.strip().lower(), eval_id=named)


def _payload(text: str) -> dict[str, Any] | None:
    found = _PAYLOAD.fullmatch(text)
    if found is None:
        return None
    try:
        fields = json.loads(found.group(1))
        json.dumps(fields, ensure_ascii=False).encode()  # half a character could not be stored
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def _score(value: object) -> dict[str, float] | None:
    """Fractions by arm, or None as soon as one is no number from 0 to 1."""
    if not isinstance(value, dict) or not value:
        return None
    # compared before it is converted: a whole number of 400 digits is no float at all
    numbers = {
        str(arm): float(number)
        for arm, number in value.items()
        if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= 1
    }
    return numbers if len(numbers) == len(value) else None


def to_json(fields: dict[str, Any]) -> str:
    """JSON in which nothing can end an HTML comment, or vanish on the way through GitHub."""
    text = json.dumps(fields, ensure_ascii=False)
    return re.sub(r"[<>&]|-(?=-)|[^\x20-\x7e]", _escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    if character in "<>&-":
        return f"\\u{ord(character):04x}"
    return character if character.isprintable() else json.dumps(character)[1:-1]


def find_comments(body: str) -> Iterator[str]:
    """HTML comments outside quotations, code and elements that mean one of them."""
    quoting: list[str] = []
    for piece in _html_outside_quotes(MarkdownIt("commonmark").enable("table").parse(body)):
        for comment, closing, tag in _HTML.findall(piece):
            name = tag.lower()
            if not name:
                if not quoting:
                    yield comment
            elif not closing:
                quoting.append(name)
            elif name in quoting:
                del quoting[quoting.index(name) :]


def _html_outside_quotes(tokens: list[Token]) -> Iterator[str]:
    """Raw HTML of a document in order; code is a token of its own and so never among it."""
    depth = 0
    for token in tokens:
        depth += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if depth:
            continue
        if token.type == "html_block":
            yield token.content
        for child in token.children or ():
            if child.type == "html_inline":
                # inside a tag, what looks like a comment is the value of an attribute
                is_comment = child.content.startswith("<!--")
                yield child.content if is_comment else child.content.split("<!--")[0]
