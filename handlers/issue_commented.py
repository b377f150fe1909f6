"""A comment was written or changed: does it hold commands, and may they be carried out?

Everything that needs no question comes first: our own comments, other bots, comments
without a command. One comment gets at most one reply, whatever it got wrong.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from handlers import replies
from handlers.commands import (
    MAX_COMMANDS,
    Cancel,
    Command,
    Help,
    Misunderstood,
    Run,
    Trigger,
    new_commands,
)
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Reply
from handlers.events import IssueCommented
from handlers.questions import HandlerContext, Questions, as_repo, may_spend
from jobs.requests import Request, TriggerOptions

_LATER = frozenset({"environment", "mode"})
"""Options younger than the first release: a command without them keeps the key it had, so that
a comment delivered again after an update asks for nothing new."""


async def on_issue_commented(
    event: IssueCommented, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a comment; asks at most one question, and none if nobody speaks to us."""
    if (reason := context.reason_to_ignore(event.sender)) is not None:
        return Ignore(reason)
    commands = new_commands(event.body, event.body_before, context.mention)
    if not commands:
        return Ignore("no new command in it")
    login, owner = event.sender.login, event.repository.owner
    if not context.allows_owner(owner):
        return _reply(event, replies.owner_not_allowed(login, owner), "owner")
    is_free = all(isinstance(command, Help) for command in commands)
    if event.is_pull_request and not is_free:
        return _reply(event, replies.pull_requests_not_offered(), "pull-request")
    may = is_free or await may_spend(event.sender, context, questions)
    return _decide(event, commands, context, may=may)


def _decide(
    event: IssueCommented, commands: Sequence[Command], context: HandlerContext, *, may: bool
) -> Decision:
    """Decide by what the sender may: without permission, only take back what they asked for."""
    login = event.sender.login
    if not may and not all(isinstance(command, Help | Cancel) for command in commands):
        return _reply(event, replies.no_permission(login), "permission")
    asked = _carry_out(event, commands, context)
    if any(isinstance(command, Cancel) for command in commands):
        return _cancel(event, context, asked, asker=None if may else login)
    return asked if asked.requests else asked.replies[0]


def _cancel(
    event: IssueCommented, context: HandlerContext, asked: Enqueue, *, asker: str | None
) -> CancelRequests:
    """Cancel first, wherever in the comment it stands; what it asks for is then new."""
    nothing = replies.nothing_to_cancel(context.mention, may_cancel_all=asker is None)
    return CancelRequests(
        repo=as_repo(event.repository),
        issue=event.issue,
        by=event.sender.login,
        asker=asker,
        comment_id=event.comment_id,
        nothing_to_cancel=_reply(event, nothing, "cancel"),
        then=asked,
    )


def _carry_out(
    event: IssueCommented, commands: Sequence[Command], context: HandlerContext
) -> Enqueue:
    """The requests a comment makes, and what there is to say about the rest of it."""
    runs = [command for command in commands if isinstance(command, Run | Trigger)]
    asked_at = event.created_at
    if event.body_before is not None:  # of an edit, too, a time that another delivery shares
        asked_at = event.changed_at or context.clock()
    requests = tuple(_requests(event, runs[:MAX_COMMANDS], asked_at))
    problems = [command.problem for command in commands if isinstance(command, Misunderstood)]
    problems = list(dict.fromkeys(problems))[:MAX_COMMANDS]
    if len(runs) > MAX_COMMANDS:
        problems.append(replies.commands_left_out(MAX_COMMANDS))
    answers: list[Reply] = []
    if problems:
        body = replies.not_understood(context.mention, problems)
        answers = [_reply(event, body, _digest(problems), is_puzzled=True)]
    elif any(isinstance(command, Help) for command in commands):
        answers = [_reply(event, replies.help_text(context.mention), "help")]
    return Enqueue(requests, tuple(answers))


def _requests(
    event: IssueCommented, commands: Sequence[Run | Trigger], asked_at: datetime
) -> list[Request]:
    """One request per command; equal commands of one comment are told apart by their ordinal."""
    repo = as_repo(event.repository)
    seen: Counter[Run | Trigger] = Counter()
    requests = []
    for command in commands:
        said = asdict(command)
        said = {name: value for name, value in said.items() if name not in _LATER or value}
        key = f"comment:{repo.full_name}:{event.comment_id}:{_digest([said, seen[command]])}"
        seen[command] += 1
        request = Request(
            key=key,
            repo=repo,
            issue=event.issue,
            asker=event.sender.login,
            origin="comment",
            comment_id=event.comment_id,
            models=command.models,
            skill=command.skill,
            launcher=command.launcher,
            force=command.force,
            asked_at=asked_at,
        )
        requests.append(request.model_copy(update=_find_own_fields(command)))
    return requests


def _find_own_fields(command: Run | Trigger) -> dict[str, object]:
    """What only one kind of command says."""
    if isinstance(command, Run):
        return {
            "eval_id": command.eval_id,
            "environment": command.environment,
            "mode": command.mode,
        }
    options = TriggerOptions(
        eval_set=command.eval_set,
        alone=command.alone,
        runs_per_query=command.runs_per_query,
        max_iterations=command.max_iterations,
        confirmed=command.confirmed,
    )
    return {"kind": command.kind, "triggering": options}


def _reply(event: IssueCommented, body: str, topic: str, *, is_puzzled: bool = False) -> Reply:
    """One answer to the comment; the same comment and topic are answered once."""
    return Reply(
        issue=event.issue,
        body=body,
        tag=f"comment:{event.comment_id}:{topic}",
        reaction_to=event.comment_id if is_puzzled else None,
    )


def _digest(value: object) -> str:
    """Twelve hexadecimal digits that stand for a value of plain JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
