"""Kinds of text that people write: issues, skills, eval files, rubrics, comments, markers.

Every reader is the real one, over a real commit of the demo's samples.
"""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import msgspec

from bot.payloads import Ignored, parse_event
from bot.queues import read_event, read_job
from bot.unreadable import Words, find_place
from config.log import Redactor
from config.repo_file import RepoFile
from handlers.command_lines import find_command_lines
from handlers.decisions import CancelRequests, Decision, Enqueue, Inquire, Reply
from handlers.events import Actor, EventRepository, IssueCommented
from handlers.issue_commented import on_issue_commented
from handlers.questions import HandlerContext, utc_now
from jobs.content.cases import all_cases, find_case
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.rubric import parse_rubric
from jobs.content.shelf import SkillShelf
from jobs.content.skill_file import parse_skill_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import copy_folder
from jobs.errors import Refused
from jobs.planning.legacy import find_legacy_reports
from jobs.planning.markers import find_markers
from jobs.ports import Permission
from jobs.reporting import escape
from tools.fuzz import samples
from tools.fuzz.kinds import Kind

DEMO = Path(__file__).parents[2] / "demo"
MENTION = "@skillbench"


def text_kinds(scratch: Path) -> list[Kind]:
    """The kinds of text, over a copy of the samples in `scratch`."""
    return [*content_kinds(scratch), *comment_kinds(), *queue_kinds()]


def content_kinds(scratch: Path) -> list[Kind]:
    """What an eval case and a skill are read from."""
    shelf = find_skills(copy_folder(DEMO / "sample", scratch / "sample"))
    issues = [path.read_bytes() for path in sorted((DEMO / "issues").glob("*.md"))]
    skills = [path.read_bytes() for path in sorted((DEMO / "sample").rglob("SKILL.md"))]
    evals = [path.read_bytes() for path in sorted((DEMO / "sample").rglob("evals/*.json"))]
    return [
        Kind(
            name="issue bodies",
            seeds=(*issues, samples.FORM),
            pieces=samples.ISSUE_PIECES,
            read=lambda content: read_issue(content, shelf),
        ),
        Kind(
            name="SKILL.md files",
            seeds=(*skills, samples.FRONT_MATTER),
            pieces=samples.FRONT_PIECES,
            read=read_skill,
            largest=1_000_000,
        ),
        Kind(
            name="eval files",
            seeds=(*evals, samples.EVALS),
            read=EvalFile(scratch / "evals").read,
            largest=1_000_000,
        ),
        Kind(
            name="rubrics",
            seeds=samples.RUBRICS,
            pieces=samples.RUBRIC_PIECES,
            read=lambda content: len(parse_rubric(_text(content))) > 0,
        ),
    ]


def comment_kinds() -> list[Kind]:
    """What people and reports say on issues."""
    return [
        Kind(
            name="comments with commands",
            seeds=samples.COMMENTS,
            pieces=samples.COMMENT_PIECES,
            read=read_comment,
            share=0.25,
        ),
        Kind(
            name="markers and older reports",
            seeds=samples.REPORTS,
            pieces=samples.MARKER_PIECES,
            read=read_markers,
            share=0.25,
        ),
        Kind(
            name="words in a report",
            seeds=(*samples.COMMENTS, *samples.REPORTS),
            pieces=samples.COMMENT_PIECES,
            read=show_words,
        ),
    ]


def queue_kinds() -> list[Kind]:
    """What comes through the door, lies in the queue and is logged."""
    return [
        Kind(name="payloads", seeds=samples.PAYLOADS, read=read_payload, share=0.25),
        Kind(name="queued jobs", seeds=samples.JOBS, read=read_queued),
        Kind(
            name="log lines",
            seeds=(samples.LOGGED, *samples.COMMENTS),
            pieces=samples.LOG_PIECES,
            read=hide,
        ),
    ]


def read_issue(content: bytes, shelf: SkillShelf) -> str:
    """A body is an eval case, or is refused in words that can be posted."""
    draft = draft_from_issue(1, _text(content))
    if draft.missing():
        return "incomplete"
    try:
        case = make_case(draft, shelf.snapshot, shelf)
    except Refused as refusal:
        escape.message(str(refusal)).encode()  # raises what it is to find
        return "refused"
    assert case.model_dump_json(), "a case can be stored"
    return "case"


def read_skill(content: bytes) -> str:
    """A SKILL.md is read, or refused for not being UTF-8."""
    try:
        read = parse_skill_file(content, "a/SKILL.md", "a")
    except Refused:
        return "refused"
    read.name.encode()  # raises where it cannot be written down
    return "warned" if read.warnings else "read"


class EvalFile:
    """A commit with one skill and one eval file, which changes."""

    def __init__(self, root: Path) -> None:
        self._file = root / "_automation" / "evals" / "one.json"
        self._file.parent.mkdir(parents=True)
        (root / "a").mkdir()
        (root / "a" / "SKILL.md").write_bytes(samples.FRONT_MATTER)
        (root / "data.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        self._shelf = find_skills(copy_folder(root, root.with_name("evals-commit")))
        self._file = self._shelf.snapshot.root / "_automation" / "evals" / "one.json"

    def read(self, content: bytes) -> str:
        """Every entry is a case or broken by name; asking for one by id gives or refuses."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_bytes(content)
        cases = all_cases(self._shelf.snapshot, self._shelf)
        with suppress(Refused):
            find_case(cases[0].id if cases else "x", self._shelf.snapshot, self._shelf)
        return f"{min(len(cases), 2)} cases"


class AnybodyMayWrite:
    """Answers every handler's question."""

    async def permission(self, _: str) -> Permission:
        return "write"

    async def is_labelled(self, *_: object, **__: object) -> bool:
        return False

    async def is_open(self, *_: object, **__: object) -> bool:
        return False

    async def repo_file(self) -> RepoFile:
        return RepoFile()


def read_comment(content: bytes) -> str:
    """A comment leads to a decision, and no reply of ours would make us answer ourselves."""
    body = _text(content)
    event = IssueCommented(
        delivery="d",
        repository=EventRepository(id=1, owner="acme", name="s", private=False, installation_id=7),
        sender=Actor(id=5, login="mona", is_bot=False),
        issue=1,
        is_pull_request=False,
        comment_id=9,
        body=body,
        body_before=None,
        created_at=utc_now(),
    )
    context = HandlerContext(mention=MENTION, allowed_owners=("*",), app_bot_login="bot[bot]")
    decision: Decision = asyncio.run(on_issue_commented(event, context, AnybodyMayWrite()))
    asked = decision.then if isinstance(decision, CancelRequests) else decision
    replies = [asked] if isinstance(asked, Reply) else []
    inquire = asked if isinstance(asked, Inquire) else None
    if isinstance(asked, Enqueue):
        replies, inquire = list(asked.replies), asked.inquire
        assert all(request.model_dump_json() for request in asked.requests), "it is JSON"
    if inquire is not None:
        replies += [inquire.beside] if inquire.beside else []
        assert all(inquiry.model_dump_json() for inquiry in inquire.inquiries), "it is JSON"
    for reply in replies:
        assert not find_command_lines(reply.body, MENTION), "a reply of ours is no command"
        assert len(reply.body) < 60_000, "a reply fits a comment"
    return type(decision).__name__


def read_markers(content: bytes) -> str:
    """A body's markers are found, whatever they hold."""
    body = _text(content)
    markers = find_markers(body)
    for record in markers.ours:
        assert record.model_dump_json(), "a record can be stored"
        assert not record.score or all(0 <= number <= 1 for number in record.score.values())
    legacy = (*markers.legacy, *find_legacy_reports(body))
    return "ours" if markers.ours else "legacy" if legacy else "none"


def show_words(content: bytes) -> str:
    """Whatever is shown in a report holds no marker and no command of ours."""
    text = _text(content)
    shown = (
        escape.inline(text), escape.inline(text, 80), escape.code(text), escape.message(text),
        escape.sentence(text, 200), escape.fenced(text, text[:8]), escape.link(text, text),
        escape.cell(text, 60),
    )  # fmt: skip
    for one in shown:
        markers = find_markers(one)
        assert not any((markers.ours, markers.legacy, markers.bears_ours)), "no marker is shown"
        assert not find_command_lines(one, MENTION), "no command is shown"
        one.encode()  # raises what it is to find
    return "shown"


def read_payload(content: bytes) -> str:
    """A body is an event, is ignored, or is no payload; an event survives the queue."""
    for name in ("issue_comment", "issues"):
        try:
            event = parse_event(name, content, "d-1")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(event, Ignored):
            continue
        stored = msgspec.json.encode({"version": 1, "event": event})
        assert read_event(msgspec.json.decode(stored)) == event, "it comes back as it was"
        return name
    return "turned away"


def read_queued(content: bytes) -> str:
    """Whatever lies in Redis is a job; what makes no sense is one that says so."""
    job = read_job(content, known=("handle_event", "carry_out_request"))
    argument = job["a"][0]
    try:
        read_event(argument)
    except msgspec.ValidationError:
        find_place(argument, Words())
    return str(job["f"])


def hide(content: bytes) -> str:
    """A planted secret never comes out of the redactor, whatever stands around it."""
    text = _text(content)
    whole = Redactor((samples.SECRET,)).hide(text + samples.SECRET + text)
    assert samples.SECRET not in whole, "the secret is hidden"
    assert json.dumps(whole), "a line can be written"
    return "hidden"


def _text(content: bytes) -> str:
    """Text as JSON could bring it, half characters included."""
    try:
        return content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace")
