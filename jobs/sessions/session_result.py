"""From how a conversation ended and what it left to the result of a session.

Pure but for the last message, which is saved beside the collected files: an answer given
in words is an answer too. Decides the end `no_output`; no other end is changed here.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from jobs.conversation import ConversationEnd
from jobs.judging.reading import add_usage
from jobs.sessions.collect import Collected
from jobs.sessions.session_spec import SessionSpec
from jobs.values import Limits, OutputFile, SessionEnd, SessionResult, Usage

RESPONSE = "response.md"
NOTHING = Collected((), ())
_UNUSED = Usage(cost_usd=Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one attempt at a session did and left."""

    started_at: datetime
    ended_at: datetime
    end: ConversationEnd
    collected: Collected = NOTHING
    skill_loaded: bool = False
    transcript_truncated: bool = False
    launcher_version: str = ""
    tools: tuple[str, ...] = ()
    refused_hosts: tuple[str, ...] = ()
    environment: str = ""
    sandbox: str = ""
    memory_mb: int | None = None
    skills_listed: tuple[str, ...] | None = None
    skill_traces: tuple[str, ...] | None = None


def save_response(text: str, collected: Collected, folder: Path) -> Collected:
    """Add a session's last message to what was collected; a file of that name is kept. Blocks."""
    if not text.strip():
        return collected
    taken = {file.path.split("/")[0] for file in collected.files}
    name, number = RESPONSE, 1
    while name in taken:
        number += 1
        name = f"response_{number}.md"
    content = text.strip().encode("utf-8", "replace") + b"\n"
    (folder / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    response = OutputFile(path=name, size_bytes=len(content), sha256=digest)
    files = sorted((*collected.files, response), key=lambda file: file.path.encode())
    return Collected(tuple(files), collected.left_out)


def make_result(
    session: SessionSpec, attempt: Attempt, earlier: SessionResult | None
) -> SessionResult:
    """The result of an attempt; `earlier` is the one that failed before it and is paid for."""
    end, files = attempt.end, attempt.collected.files
    session_end, detail = SessionEnd(end.end), end.detail
    if session_end is SessionEnd.COMPLETED and not files:
        session_end, detail = SessionEnd.NO_OUTPUT, "it left no file and no last message"
    return SessionResult(
        arm=session.arm,
        end=session_end,
        detail=detail,
        started_at=attempt.started_at,
        wall_s=max(0.0, (attempt.ended_at - attempt.started_at).total_seconds()),
        turns=end.turns,
        tool_calls=end.tool_calls,
        failed_tool_calls=end.failed_tool_calls,
        retries=end.retries + (earlier.retries + 1 if earlier else 0),
        usage=add_usage(earlier.usage, end.usage) if earlier else end.usage,
        skill_loaded=attempt.skill_loaded if session.skill_folder is not None else None,
        served_models=end.served_models,
        outputs=files,
        left_out=attempt.collected.left_out,
        transcript_truncated=attempt.transcript_truncated,
        launcher_version=attempt.launcher_version,
        tools=attempt.tools,
        refused_hosts=attempt.refused_hosts,
        environment=attempt.environment,
        sandbox=attempt.sandbox,
        memory_mb=attempt.memory_mb,
        skills_listed=attempt.skills_listed,
        skill_traces=attempt.skill_traces,
        limits=earlier.limits if earlier else session.limits,
        trial=session.trial,
    )


def get_limits_left(limits: Limits, used: Usage) -> Limits | None:
    """The limits of another attempt: as before, less the tokens and money that are gone.

    None where nothing is left to try with.
    """
    tokens = limits.total_tokens - used.total_tokens
    cost_usd = limits.cost_usd - (used.cost_usd or 0)
    if tokens <= 0 or cost_usd <= 0:
        return None
    return limits.model_copy(update={"total_tokens": tokens, "cost_usd": cost_usd})


def no_conversation(detail: str) -> ConversationEnd:
    """The end of a conversation that never began."""
    return ConversationEnd(
        end="error",
        detail=detail,
        last_text="",
        turns=0,
        tool_calls=0,
        failed_tool_calls=0,
        retries=0,
        usage=_UNUSED,
        served_models=(),
    )


def broken(end: ConversationEnd, detail: str) -> ConversationEnd:
    """A conversation that the platform spoilt, however it ended; what it used stays used."""
    return end.model_copy(update={"end": "error", "detail": detail})
