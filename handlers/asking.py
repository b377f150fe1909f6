"""What commands ask for: requests for the queue, and questions that are answered at once.

A request's key stands for the comment and for what the command says, so that a delivery that
comes again asks for nothing new. It must not change for a command written before: options and
commands that came later are left out of it where they are not used.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from handlers.command_values import Again, Command, Dataset, Gather, Read, Run, Trigger, Verdict
from handlers.events import IssueCommented
from handlers.questions import as_repo
from jobs.requests import LATEST, Inquiry, Request, TriggerOptions

Asks = Run | Trigger | Again | Verdict | Gather | Dataset
"""Commands that put a request on the queue."""

_LATER = frozenset(
    {
        *("environment", "mode", "vs", "trials", "judge", "fresh", "override_budget", "head"),
        *("until_sure", "tier"),
    }
)
"""Options younger than the first release: a command without them keeps the key it had, so that
a comment delivered again after an update asks for nothing new."""
_ONE_TRIAL = ("trials", 1)
"""What could be said before it meant anything, and made no other key then."""


def make_requests(
    event: IssueCommented, commands: Sequence[Asks], asked_at: datetime
) -> list[Request]:
    """One request per command; equal commands of one comment are told apart by their ordinal."""
    seen: Counter[str] = Counter()
    requests = []
    for command in commands:
        said = _said(command)
        ordinal = seen[digest(said)]
        seen[digest(said)] += 1
        repository = as_repo(event.repository).full_name
        key = f"comment:{repository}:{event.comment_id}:{digest([said, ordinal])}"
        requests.append(_request(event, command, key, asked_at))
    return requests


def make_inquiries(
    event: IssueCommented, commands: Sequence[Read], asked_at: datetime
) -> list[Inquiry]:
    """What each reading command asks, once."""
    return [
        Inquiry(name=command.name, request=_request(event, command.run, "", asked_at, command))
        for command in dict.fromkeys(commands)
    ]


def digest(value: object) -> str:
    """Twelve hexadecimal digits that stand for a value of plain JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def _said(command: Asks) -> dict[str, Any]:
    """What a command says, as plain JSON, without what was not yet there to be said."""
    if isinstance(command, Dataset):
        options = command.options.model_dump(mode="json", exclude_defaults=True)
        return {"dataset": options, "model": command.model}
    if isinstance(command, Verdict):
        return {"verdict": command.said.model_dump(mode="json"), "run": command.run}
    said = asdict(command)
    return {
        name: value
        for name, value in said.items()
        if name not in _LATER or (value and (name, value) != _ONE_TRIAL)
    }


def _request(
    event: IssueCommented,
    command: Asks,
    key: str,
    asked_at: datetime,
    reading: Read | None = None,
) -> Request:
    request = Request(
        key=key,
        repo=as_repo(event.repository),
        issue=event.issue,
        is_pull_request=event.is_pull_request,
        asker=event.sender.login,
        origin="comment",
        comment_id=event.comment_id,
        asked_at=asked_at,
    )
    said = _fields(command)
    if reading is not None and reading.name != "estimate":
        said["skill"] = reading.skill
    return request.model_copy(update=said)


def _fields(command: Command) -> dict[str, object]:
    """What only one kind of command says, in the words of a request."""
    said: dict[str, object] = {}
    match command:
        case Run():
            said = {one.name: getattr(command, one.name) for one in fields(command)}
        case Trigger():
            said = _trigger_fields(command)
        case Again():
            said = _again_fields(command)
        case Verdict():
            said = {"kind": "verdict", "verdict": command.said, "run": command.run}
        case Gather():
            said = {"kind": command.kind, "skill": command.skill}
        case Dataset():
            models = (command.model,) if command.model else ()
            said = {"kind": "dataset", "dataset": command.options, "models": models}
    return said


def _again_fields(command: Again) -> dict[str, object]:
    said: dict[str, object] = {"override_budget": command.override_budget}
    if command.name == "rerun":
        return said | {"only_failed": True}
    if command.name == "retry":
        return said | {"run": command.run or LATEST, "force": True}
    return said | {"kind": command.name, "run": command.run, "judge": command.judge}


def _trigger_fields(command: Trigger) -> dict[str, object]:
    options = TriggerOptions(
        eval_set=command.eval_set,
        alone=command.alone,
        runs_per_query=command.runs_per_query,
        max_iterations=command.max_iterations,
        confirmed=command.confirmed,
    )
    return {
        "kind": command.kind,
        "models": command.models,
        "skill": command.skill,
        "launcher": command.launcher,
        "force": command.force,
        "triggering": options,
    }


def find_asked_at(event: IssueCommented, now: datetime) -> datetime:
    """When it was asked for; of an edit, a time that another delivery of it shares."""
    if event.body_before is None:
        return event.created_at
    return event.changed_at or now
