"""A case in a report, written in the shape that existing tools read, and read back from it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from jobs.datasets.cases import Attachment
from jobs.datasets.dialogue import Chunk, Reply, Said, ToolUse, Turn
from jobs.datasets.results import CaseResult
from jobs.values import Usage

RESULT_WORDS = {"ungraded": "error"}
"""Outcomes that the older reports call otherwise."""
_ROLES = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}


def render_case(one: CaseResult) -> dict[str, Any]:
    """One case with everything that was said and found."""
    grade = one.grade
    return {
        "id": one.id,
        "title": one.title,
        "user_type": one.user_type,
        "target_type": one.target_type,
        "eval_type": one.evaluator,
        "eval": {
            "result": RESULT_WORDS.get(grade.outcome, grade.outcome),
            "score": grade.score,
            "raw_score": grade.raw_score,
            "feedback": grade.feedback,
            "by_tag": grade.by_tag,
            "trouble": one.trouble,
            "trace": {
                "history": [
                    {"type": _ROLES[said["role"]], "content": said["content"]}
                    for said in one.history
                ],
                "test_memory": [_render_turn(turn) for turn in one.dialogue.turns],
                "target_memory": [],
                "eval_detail": grade.detail,
            },
        },
        "cost": {
            "test": one.user_usage and render_usage(one.user_usage),
            "eval": one.judge_usage and {one.judge: render_usage(one.judge_usage)},
            "target": one.target_usage and render_usage(one.target_usage),
            "total_usd": None if one.cost_usd is None else float(one.cost_usd),
        },
        "start": one.started_at.isoformat(),
        "end": one.ended_at.isoformat(),
        "attempts": one.attempts,
        "tags": list(one.tags),
        "target_config": one.target_fields,
        "eval_config": one.eval_fields,
    }


def render_usage(usage: Usage) -> dict[str, Any]:
    """Tokens and money; `cost_usd` is `null` where the price is not known."""
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "total_tokens": usage.total_tokens,
        "cost_usd": None if usage.cost_usd is None else float(usage.cost_usd),
    }


def _render_turn(turn: Turn) -> dict[str, Any]:
    said, reply = turn.said, turn.reply
    return {
        "test_reaction": {
            "action": {
                "type": "custom" if said.attachments else "semantic",
                "semantic_content": said.text,
                "attachments": [one.model_dump(mode="json") for one in said.attachments],
            },
            "reason": said.reason,
            "is_finished": said.is_finished,
        },
        "test_reaction_time": turn.said_at.isoformat(),
        "target_response": reply and _render_reply(reply),
        "target_response_time": turn.replied_at and turn.replied_at.isoformat(),
    }


def _render_reply(reply: Reply) -> dict[str, Any]:
    return {
        "type": "message",
        "message_list": [
            {"content": reply.text, "type": "reply"},
            *(one.model_dump(mode="json", exclude_none=True) for one in reply.chunks),
        ],
        "tool_calls": [
            {"name": one.name, "args": one.arguments, "result": one.result}
            for one in reply.tool_calls
        ],
        "usage": reply.usage and render_usage(reply.usage),
        "model": reply.model,
        "first_token_s": reply.first_token_s,
    }


def read_turns(trace: Mapping[str, Any]) -> list[Turn]:
    """The turns of a case's trace, ours or an older tool's. Raises `ValueError`."""
    memory = trace.get("test_memory")
    if not isinstance(memory, list):
        raise ValueError("trace.test_memory is no list")  # noqa: TRY004
    turns = []
    for entry in memory:
        reaction, response = _object(entry, "test_reaction"), entry.get("target_response")
        said = _read_said(reaction, is_answered=response is not None)
        if not said.text and not said.attachments and response is None:
            continue  # how an older tool notes that the script has come to its end
        reply = _read_reply(response) if isinstance(response, dict) else None
        replied = entry.get("target_response_time")
        turns.append(
            Turn(
                said=said,
                said_at=_time(entry.get("test_reaction_time")),
                reply=reply,
                replied_at=_time(replied) if reply is not None and replied else None,
            )
        )
    return turns


def _read_said(reaction: Mapping[str, Any], *, is_answered: bool) -> Said:
    action = _object(reaction, "action")
    texts = (action.get(f"{kind}_content") for kind in ("semantic", "message", "custom"))
    attachments = []
    for number, one in enumerate(action.get("attachments") or ()):
        try:
            attachments.append(Attachment.model_validate(one))
        except ValidationError:
            raise ValueError(f"attachment {number + 1} of a turn cannot be read") from None
    return Said(
        text=next((one for one in texts if isinstance(one, str) and one), ""),
        attachments=tuple(attachments),
        reason=str(reaction.get("reason") or ""),
        is_finished=reaction.get("is_finished") is True and not is_answered,
    )


def _read_reply(response: Mapping[str, Any]) -> Reply:
    messages = response.get("message_list")
    if not isinstance(messages, list):
        raise ValueError("target_response.message_list is no list")  # noqa: TRY004
    texts, chunks = [], []
    for one in messages:
        kind = one.get("type") if isinstance(one, dict) else None
        if kind in {None, "reply"} and isinstance(one, dict):
            texts.append(str(one.get("content") or ""))
        elif isinstance(one, dict):
            stamp = _number(one.get("timestamp"))
            chunks.append(Chunk(type=str(kind), content=one.get("content"), timestamp=stamp))
    calls = response.get("tool_calls") or []
    model = response.get("model")
    return Reply(
        text="\n".join(texts),
        chunks=tuple(chunks),
        tool_calls=tuple(_read_call(call) for call in calls if isinstance(call, dict)),
        usage=_read_usage(response.get("usage")),
        model=model if isinstance(model, str) else "",
        first_token_s=_number(response.get("first_token_s")),
    )


def _read_call(call: Mapping[str, Any]) -> ToolUse:
    arguments = call.get("args")
    return ToolUse(
        name=str(call.get("name")),
        arguments=arguments if isinstance(arguments, dict) else {},
        result=str(call.get("result") or ""),
    )


def _read_usage(written: object) -> Usage | None:
    """A usage as we write it; what an older tool noted by model has no requests, and is none."""
    if not isinstance(written, dict) or "requests" not in written:
        return None
    fields = {name: value for name, value in written.items() if name != "total_tokens"}
    if fields.get("cost_usd") is not None:  # by its digits: a float's tail is no money
        fields["cost_usd"] = str(fields["cost_usd"])
    try:
        return Usage.model_validate(fields)
    except ValidationError:
        raise ValueError("the usage of an answer cannot be read") from None


def _number(written: object) -> float | None:
    is_number = isinstance(written, int | float) and not isinstance(written, bool)
    return float(written) if is_number and isinstance(written, int | float) else None


def _object(content: object, name: str) -> dict[str, Any]:
    value = content.get(name) if isinstance(content, dict) else None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no object")  # noqa: TRY004
    return value


def _time(written: object) -> datetime:
    if not isinstance(written, str):
        raise ValueError("a turn has no time")  # noqa: TRY004
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo else moment.astimezone()
