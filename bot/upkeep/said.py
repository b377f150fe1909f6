"""What the comments of a repository tell about requests: answered, under way, or unheard.

Reads only our own comments for what we did, and only people's for what they asked. A comment
of ours is known by its App, never by what stands in it.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from bot.github.listings import FoundComment
from bot.github.tags import find_tag
from handlers.command_values import Cancel
from handlers.commands import new_commands
from jobs.living_comment import find_asked, is_under_way

ENDING = "end:"
"""Begins the tag of a request's last words; the tag of its asking follows."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An asking, as the tag of its comment names it."""

    key: str
    at: datetime
    issue: int


@dataclass(slots=True)
class Said:
    """What was said in a repository."""

    unfinished: dict[str, Asked] = field(default_factory=dict)
    """Askings whose living comment says that they go on, by tag."""
    answered: set[str] = field(default_factory=set)
    """Keys of requests that a comment of ours answers, finished or not."""
    commands: list[FoundComment] = field(default_factory=list)
    """People's comments with commands in them, oldest first."""

    def begun_at(self, key: str) -> datetime | None:
        """The time of the latest asking under this key that was left in the middle."""
        return max((one.at for one in self.unfinished.values() if one.key == key), default=None)


async def read_said(comments: AsyncIterator[FoundComment], *mentions: str) -> Said:
    """What these comments tell; commands begin with one of the mentions."""
    said, ended = Said(), set[str]()
    async for found in comments:
        if found.comment.by_this_app:
            tag = find_tag(found.comment.body) or ""
            asking = tag.removeprefix(ENDING)
            asked = find_asked(asking)
            if asked is None:
                continue
            said.answered.add(asked[0])
            if tag.startswith(ENDING):
                ended.add(asking)
            elif is_under_way(found.comment.body):
                said.unfinished[tag] = Asked(*asked, found.issue)
        elif _asks(found, mentions):
            said.commands.append(found)
    for tag in ended:
        said.unfinished.pop(tag, None)
    said.commands.sort(key=lambda found: found.comment.created_at)
    return said


def _asks(found: FoundComment, mentions: Sequence[str]) -> bool:
    body = found.comment.body
    if found.by is None or not any(one.casefold() in body.casefold() for one in mentions):
        return False
    commands = new_commands(body, None, *mentions)
    # whatever asks is answered however late; what should have been stopped is over
    return bool(commands) and not any(isinstance(command, Cancel) for command in commands)
