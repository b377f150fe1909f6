"""A case in a report, written in the shape that existing tools read, and read back from it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

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
        action = _object(reaction, "action")
        text = next(
            (
                one
                for name in ("semantic_content", "message_content", "custom_content")
                if isinstance(one := action.get(name), str) and one
            ),
            "",
        )
        finished = reaction.get("is_finished") is True
        if not text and response is None:
            continue  # how an older tool notes that the script has come to its end
        turns.append(
            Turn(
                said=Said(text=text, is_finished=finished and response is None),
                said_at=_time(entry.get("test_reaction_time")),
                reply=_read_reply(response) if isinstance(response, dict) else None,
                replied_at=_time(entry["target_response_time"])
                if isinstance(response, dict) and entry.get("target_response_time")
                else None,
            )
        )
    return turns


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
            stamp = one.get("timestamp")
            is_number = isinstance(stamp, int | float) and not isinstance(stamp, bool)
            chunks.append(
                Chunk(
                    type=str(kind),
                    content=one.get("content"),
                    timestamp=float(stamp) if is_number and stamp is not None else None,
                )
            )
    calls = response.get("tool_calls") or []
    tools = [
        ToolUse(name=str(call.get("name")), result=str(call.get("result") or ""))
        for call in calls
        if isinstance(call, dict)
    ]
    return Reply(text="\n".join(texts), chunks=tuple(chunks), tool_calls=tuple(tools))


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
