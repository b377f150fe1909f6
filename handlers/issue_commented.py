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
from handlers.commands import MAX_COMMANDS, Command, Help, Misunderstood, Run, new_commands
from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import IssueCommented
from handlers.questions import HandlerContext, Questions, as_repo, may_spend
from jobs.requests import Request

_LATER = frozenset({"environment"})
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
    if (refusal := await _refusal(event, commands, context, questions)) is not None:
        return refusal
    return _carry_out(event, commands, context)


async def _refusal(
    event: IssueCommented,
    commands: Sequence[Command],
    context: HandlerContext,
    questions: Questions,
) -> Reply | None:
    """Why the commands are not carried out; asks last what has to be asked. Help is free."""
    login, owner = event.sender.login, event.repository.owner
    if not context.allows_owner(owner):
        return _reply(event, replies.owner_not_allowed(login, owner), "owner")
    if all(isinstance(command, Help) for command in commands):
        return None
    if event.is_pull_request:
        return _reply(event, replies.pull_requests_not_offered(), "pull-request")
    if not await may_spend(event.sender, context, questions):
        return _reply(event, replies.no_permission(login), "permission")
    return None


def _carry_out(
    event: IssueCommented, commands: Sequence[Command], context: HandlerContext
) -> Decision:
    runs = [command for command in commands if isinstance(command, Run)]
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
    if requests:
        return Enqueue(requests, tuple(answers))
    return answers[0]


def _requests(event: IssueCommented, runs: Sequence[Run], asked_at: datetime) -> list[Request]:
    """One request per command; equal commands of one comment are told apart by their ordinal."""
    repo = as_repo(event.repository)
    seen: Counter[Run] = Counter()
    requests = []
    for run in runs:
        said = {name: value for name, value in asdict(run).items() if name not in _LATER or value}
        key = f"comment:{repo.full_name}:{event.comment_id}:{_digest([said, seen[run]])}"
        seen[run] += 1
        requests.append(
            Request(
                key=key,
                repo=repo,
                issue=event.issue,
                asker=event.sender.login,
                origin="comment",
                comment_id=event.comment_id,
                models=run.models,
                skill=run.skill,
                eval_id=run.eval_id,
                launcher=run.launcher,
                environment=run.environment,
                force=run.force,
                asked_at=asked_at,
            )
        )
    return requests


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
