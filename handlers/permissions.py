"""Who may do what: by the role that GitHub reports, measured by what the repository's file asks.

`author_association` is never looked at: it reports members whose membership is hidden as mere
contributors. GitHub tells `triage` and `maintain` only in `role_name`.
"""

from collections.abc import Collection
from dataclasses import dataclass

from config.repo_file import RepoFile
from config.repo_sections import Right
from handlers.command_table import COMMANDS
from handlers.command_values import (
    Again,
    Cancel,
    Command,
    Dataset,
    Gather,
    Help,
    Misunderstood,
    Read,
    Run,
    Trigger,
    Verdict,
)
from handlers.events import Actor
from handlers.questions import HandlerContext, Questions

RIGHTS: tuple[Right, ...] = ("run", "override_budget", "cancel", "verdict", "read")
"""The weightiest first: of several that are lacking, the first is told."""
OF_TRUSTED_BOTS: frozenset[Right] = frozenset({"run", "read", "cancel"})
"""GitHub's endpoint knows no bots. That one is named by the operator lets it pass no budget of
the repository's, and makes no person of it, whose verdicts the judge's could be held against."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What one actor may do in one repository."""

    may: frozenset[Right]
    needed: RepoFile
    """Whose `permissions` say what would be needed."""

    def lacks(self, rights: Collection[Right]) -> Right | None:
        """The weightiest of these rights that is not there."""
        return next((one for one in RIGHTS if one in rights and one not in self.may), None)

    def role_for(self, right: Right) -> str:
        """The least role that has a right."""
        return str(getattr(self.needed.permissions, right))


async def find_rights(
    actor: Actor, context: HandlerContext, questions: Questions, repo_file: RepoFile
) -> Rights:
    """What an actor may do; asks one question, and none for a bot that the operator trusts."""
    if context.trusts_bot(actor):
        return Rights(OF_TRUSTED_BOTS, repo_file)
    role = await questions.permission(actor.login)
    may = frozenset(right for right in RIGHTS if repo_file.permissions.allow(right, role))
    return Rights(may, repo_file)


def rights_for(command: Command) -> tuple[Right, ...]:
    """What one must be allowed to for a command; for one with a slip in it, as without.

    To cancel needs none here: whoever may not cancel everything may take back their own.
    """
    match command:
        case Help() | Cancel():
            return ()
        case Misunderstood(about=name):
            return _of(name) if name else ("read",)
        case Read(name=name):
            return _of(name)
        case Again(name=name, override_budget=overrides):
            return (*_of(name), *_overriding(overrides=overrides))
        case Run(override_budget=overrides):
            return ("run", *_overriding(overrides=overrides))
        case Trigger() | Gather() | Dataset() | Verdict():
            return ("verdict",) if isinstance(command, Verdict) else ("run",)


def _of(name: str) -> tuple[Right, ...]:
    right = COMMANDS[name].right
    return (right,) if right else ()


def _overriding(*, overrides: bool) -> tuple[Right, ...]:
    return ("override_budget",) if overrides else ()
