"""Payloads about pull requests, their labels, and the buttons of the check runs on them.

A check run's own list of pull requests is empty for a fork, so which one it is about is read
from the tag that we gave it.
"""

import re
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from bot.payload_parts import NOT_BY_THE_APP, Account, Installation, Repository
from handlers.events import (
    CheckButton,
    CheckRunAsked,
    IssueLabelled,
    IssueUnlabelled,
    PullChange,
    PullRequestChanged,
    Pushed,
)
from jobs.requests import CONFIG_CHECK, PULL_CHECK, PUSH_CHECK

CHANGES: dict[str, PullChange] = {
    "opened": "opened",
    "reopened": "opened",
    "ready_for_review": "opened",
    "synchronize": "pushed",
    "closed": "closed",
    "edited": "retargeted",
}
LABEL_CHANGES = ("labeled", "unlabeled")
"""On an issue these are told under another name."""
_TAG = re.compile(rf"{PULL_CHECK}([1-9][0-9]{{0,9}})")
CHECK_CHANGES = ("requested_action", "rerequested")
BUTTONS: dict[str, CheckButton] = {"run": "run", "rerun-failed": "rerun-failed"}
"""By the identifier that a button bears."""


class _Head(msgspec.Struct):
    sha: str


class _Pull(msgspec.Struct):
    number: int
    head: _Head
    updated_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class _Changes(msgspec.Struct):
    base: dict[str, object] | None = None


class _PullPayload(msgspec.Struct):
    action: Literal["opened", "reopened", "ready_for_review", "synchronize", "closed", "edited"]
    pull_request: _Pull
    repository: Repository
    sender: Account
    changes: _Changes | None = None
    """Of an edit: what was changed, with its former value."""
    installation: Installation | None = None


class _Label(msgspec.Struct):
    name: str


class _LabelPayload(msgspec.Struct):
    action: Literal["labeled", "unlabeled"]
    pull_request: _Pull
    label: _Label
    repository: Repository
    sender: Account
    installation: Installation | None = None


class _Check(msgspec.Struct):
    head_sha: str
    external_id: str | None = None


class _Pressed(msgspec.Struct):
    identifier: str = ""


class _CheckPayload(msgspec.Struct):
    action: Literal["requested_action", "rerequested"]
    check_run: _Check
    repository: Repository
    sender: Account
    requested_action: _Pressed | None = None
    installation: Installation | None = None


_pull_payload = msgspec.json.Decoder(_PullPayload)
_label_payload = msgspec.json.Decoder(_LabelPayload)
_check_payload = msgspec.json.Decoder(_CheckPayload)


def parse_pull_request(body: bytes, delivery: str) -> PullRequestChanged | str:
    """The event of a `pull_request` delivery, or why it is none. Raises `msgspec.DecodeError`."""
    payload = _pull_payload.decode(body)
    if payload.installation is None:
        return NOT_BY_THE_APP
    if payload.action == "edited" and (payload.changes is None or payload.changes.base is None):
        return "neither head nor base was changed"
    return PullRequestChanged(
        delivery=delivery,
        repository=payload.repository.as_event_repository(payload.installation),
        sender=payload.sender.as_actor(),
        issue=payload.pull_request.number,
        change=CHANGES[payload.action],
        head=payload.pull_request.head.sha,
        at=payload.pull_request.updated_at,
    )


def parse_pull_label(body: bytes, delivery: str) -> IssueLabelled | IssueUnlabelled | str:
    """The event of a label on a pull request, or why it is none. Raises `msgspec.DecodeError`."""
    payload = _label_payload.decode(body)
    if payload.installation is None:
        return NOT_BY_THE_APP
    repository = payload.repository.as_event_repository(payload.installation)
    if payload.action == "unlabeled":
        return IssueUnlabelled(
            delivery=delivery,
            repository=repository,
            sender=payload.sender.as_actor(),
            issue=payload.pull_request.number,
            label=payload.label.name,
            at=payload.pull_request.updated_at,
        )
    return IssueLabelled(
        delivery=delivery,
        repository=repository,
        sender=payload.sender.as_actor(),
        issue=payload.pull_request.number,
        is_pull_request=True,
        labels=(payload.label.name,),
        at=payload.pull_request.updated_at,
    )


def parse_check_run(body: bytes, delivery: str) -> CheckRunAsked | Pushed | str:
    """The event of a `check_run` delivery, or why it is none. Raises `msgspec.DecodeError`."""
    payload = _check_payload.decode(body)
    if payload.installation is None:
        return NOT_BY_THE_APP
    if (payload.check_run.external_id or "").startswith(PUSH_CHECK):
        return _push_again(payload, payload.installation, delivery)
    if payload.check_run.external_id == f"{CONFIG_CHECK}{payload.check_run.head_sha}":
        return _config_again(payload, payload.installation, delivery)
    named = _TAG.fullmatch(payload.check_run.external_id or "")
    if named is None:
        return "no check run of ours on a pull request"
    pressed = payload.requested_action
    button: CheckButton | None = "run"  # GitHub's own button, to run it again
    if payload.action == "requested_action":
        button = BUTTONS.get(pressed.identifier) if pressed else None
    if button is None:
        return "no button of ours"
    return CheckRunAsked(
        delivery=delivery,
        repository=payload.repository.as_event_repository(payload.installation),
        sender=payload.sender.as_actor(),
        issue=int(named[1]),
        button=button,
        head=payload.check_run.head_sha,
    )


def _push_again(payload: _CheckPayload, installation: Installation, delivery: str) -> Pushed | str:
    """The push whose check run shall be made again; it has no buttons but GitHub's own."""
    commits = (payload.check_run.external_id or "").removeprefix(PUSH_CHECK)
    before, _, after = commits.partition("-")
    if payload.action != "rerequested" or after != payload.check_run.head_sha:
        return "no button of ours"
    return Pushed(
        delivery=delivery,
        repository=payload.repository.as_event_repository(installation),
        sender=payload.sender.as_actor(),
        before=before,
        after=after,
        touches_skills=False,
        asked_again=True,
    )


def _config_again(
    payload: _CheckPayload, installation: Installation, delivery: str
) -> Pushed | str:
    """The commit whose file of the repository shall be checked again."""
    if payload.action != "rerequested":
        return "no button of ours"
    return Pushed(
        delivery=delivery,
        repository=payload.repository.as_event_repository(installation),
        sender=payload.sender.as_actor(),
        before=None,
        after=payload.check_run.head_sha,
        touches_skills=False,
        touches_config=True,
        asked_again=True,
    )
