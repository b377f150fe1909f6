"""A comment was written or changed: does it hold commands, and may they be carried out?

Everything that needs no question comes first: our own comments, other bots, comments in which
no line speaks to anybody. One comment gets at most one reply, whatever it got wrong.
"""

from collections.abc import Sequence

from config.repo_file import RepoFile
from handlers import replies
from handlers.asking import Asks, digest, find_asked_at, make_inquiries, make_requests
from handlers.command_lines import may_hold_commands
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
from handlers.commands import MAX_COMMANDS, new_commands
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Inquire, Reply
from handlers.events import IssueCommented
from handlers.help import help_text, not_understood
from handlers.permissions import Rights, find_rights, rights_for
from handlers.questions import HandlerContext, Questions, as_repo


async def on_issue_commented(
    event: IssueCommented, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a comment.

    Asks for the repository's file, which is kept, where a line begins like a mention; and for
    one permission where there are commands.
    """
    if (reason := context.reason_to_ignore(event.sender)) is not None:
        return Ignore(reason)
    if not may_hold_commands(event.body):
        return Ignore("no line of it speaks to anybody")
    login, owner = event.sender.login, event.repository.owner
    is_served = context.allows_owner(owner)
    repo_file = await questions.repo_file() if is_served else RepoFile()
    own = repo_file.mention or context.mention
    commands = new_commands(event.body, event.body_before, context.mention, own)
    if not commands:
        return Ignore("no new command in it")
    if not is_served:
        return _reply(event, replies.owner_not_allowed(login, owner), "owner")
    placed = [_placed(one, event) for one in commands]
    comment = _Comment(event, context, placed, mention=own, label=repo_file.labels.run)
    if all(isinstance(command, Help) for command in commands):
        return comment.answer_help()
    return comment.decide(await find_rights(event.sender, context, questions, repo_file))


class _Comment:
    """The commands of one comment, and what becomes of them."""

    def __init__(
        self,
        event: IssueCommented,
        context: HandlerContext,
        commands: Sequence[Command],
        *,
        mention: str,
        label: str,
    ) -> None:
        self._event = event
        self._context = context
        self._mention = mention
        self._label = label
        self._commands = commands
        self._asked_at = find_asked_at(event, context.clock())

    def decide(self, rights: Rights) -> Decision:
        """Decide by what the sender may: whoever may not do all of it gets one line."""
        needed = {right for command in self._commands for right in rights_for(command)}
        if (right := rights.lacks(needed)) is not None:
            login = self._event.sender.login
            body = replies.no_permission(login, right, rights.role_for(right))
            return _reply(self._event, body, "permission")
        asked = self._carry_out()
        cancels = [command for command in self._commands if isinstance(command, Cancel)]
        if cancels:
            return self._cancel(cancels, asked, rights)
        if asked.requests:
            return asked
        return asked.inquire or asked.replies[0]

    def answer_help(self) -> Reply:
        return _reply(self._event, self._help(), "help")

    def _help(self) -> str:
        """Everything about commands that the comment asks for; empty where it asks for none."""
        wanted = dict.fromkeys(one.about for one in self._commands if isinstance(one, Help))
        texts = [help_text(self._mention, about, self._label) for about in wanted]
        return "\n\n---\n\n".join(texts[:MAX_COMMANDS])

    def _cancel(self, cancels: Sequence[Cancel], asked: Enqueue, rights: Rights) -> CancelRequests:
        """Cancel first, wherever in the comment it stands; what it asks for is then new.

        Of several that cancel, one that names no run cancels all there is.
        """
        named = tuple(dict.fromkeys(one.run for one in cancels if one.run is not None))
        runs = named if all(one.run is not None for one in cancels) else ()
        event = self._event
        may_cancel_all = "cancel" in rights.may
        role = rights.role_for("cancel")
        nothing = replies.nothing_to_cancel(
            self._mention, may_cancel_all=may_cancel_all, runs=runs, role=role
        )
        return CancelRequests(
            repo=as_repo(event.repository),
            issue=event.issue,
            by=event.sender.login,
            asker=None if may_cancel_all else event.sender.login,
            runs=runs,
            comment_id=event.comment_id,
            nothing_to_cancel=_reply(event, nothing, "cancel"),
            then=asked,
        )

    def _carry_out(self) -> Enqueue:
        """The requests a comment makes, what it wants to know, and what is wrong with the rest."""
        asks: list[Asks] = []
        reads: list[Read] = []
        for command in self._commands:
            if isinstance(command, Asks):
                asks.append(command)
            elif isinstance(command, Read):
                reads.append(command)
        requests = make_requests(self._event, asks[:MAX_COMMANDS], self._asked_at)
        reply = self._reply_to_the_rest(is_cut=max(len(asks), len(reads)) > MAX_COMMANDS)
        inquiries = make_inquiries(self._event, reads[:MAX_COMMANDS], self._asked_at)
        if not inquiries:
            return Enqueue(tuple(requests), (reply,) if reply else ())
        names = [(one.name, one.request.model_dump(mode="json")) for one in inquiries]
        inquire = Inquire(
            inquiries=tuple(inquiries),
            issue=self._event.issue,
            tag=f"comment:{self._event.comment_id}:answer-{digest(names)}",
            comment_id=self._event.comment_id,
            beside=reply,
        )
        return Enqueue(tuple(requests), (), inquire)

    def _reply_to_the_rest(self, *, is_cut: bool) -> Reply | None:
        wrong = [command for command in self._commands if isinstance(command, Misunderstood)]
        problems = list(dict.fromkeys(command.problem for command in wrong))[:MAX_COMMANDS]
        if is_cut:
            problems.append(replies.commands_left_out(MAX_COMMANDS))
        if problems:
            about = {command.about for command in wrong} or {None}
            parts = [not_understood(self._mention, problems, about), self._help()]
            body = "\n\n---\n\n".join(part for part in parts if part)
            return _reply(self._event, body, digest(problems), is_puzzled=True)
        return self.answer_help() if self._help() else None


def _placed(command: Command, event: IssueCommented) -> Command:
    """The command, unless it means nothing where it was given."""
    name = _name(command)
    if event.is_pull_request and name and not COMMANDS[name].on_pull_requests:
        return Misunderstood(name, replies.not_on_pull_requests(name), name)
    if isinstance(command, Run) and command.head and not event.is_pull_request:
        return Misunderstood("run", replies.only_on_pull_requests(f"run @{command.head}"), "run")
    return command


def _name(command: Command) -> str:
    """The name of a command that does something; empty for the rest."""
    match command:
        case Run():
            return "run"
        case Trigger(kind=name) | Gather(kind=name) | Again(name=name) | Read(name=name):
            return name
        case Dataset():
            return "dataset"
        case Verdict():
            return "verdict"
        case _:
            return ""


def _reply(event: IssueCommented, body: str, topic: str, *, is_puzzled: bool = False) -> Reply:
    """One answer to the comment; the same comment and topic are answered once."""
    return Reply(
        issue=event.issue,
        body=body,
        tag=f"comment:{event.comment_id}:{topic}",
        reaction_to=event.comment_id if is_puzzled else None,
    )
