"""Sessions of a trigger evaluation in the real Claude Code, with the skills installed for real.

Nothing but the query is said to it. Before anything counts, the session must list just the
skills that were meant; it is stopped as soon as the skill under test was used, for nothing
that comes later can change the answer.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jobs.claude_code.conversation import CliConversations, Met, Talk
from jobs.claude_code.heard import Heard
from jobs.conversation import ConversationEnd
from jobs.errors import Transient
from jobs.models.prices import price_known
from jobs.models.tally import Tally
from jobs.ports import Clock
from jobs.proxy.connect import HostGate
from jobs.sessions.attempts import utc_now
from jobs.sessions.box import Bind
from jobs.sessions.prepared import PLAIN
from jobs.sessions.skill_tools import FOLDER
from jobs.sessions.workspace import Workspace
from jobs.triggering.ends import make_observation
from jobs.triggering.evaluation import Ask
from jobs.triggering.observations import Observation
from jobs.triggering.skill_use import SkillUse, make_watches
from jobs.triggering.stopping import until_used
from jobs.triggering.usage_sink import UsageSink


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeObserver:
    """Implements `jobs.triggering.evaluation.Observer`."""

    conversations: CliConversations
    scratch: Path
    clock: Clock = utc_now
    monotonic: Callable[[], float] = time.monotonic

    async def observe(self, ask: Ask) -> Observation:
        """One session; a sandbox that cannot start makes it an observation of nothing."""
        # reading the price list takes a third of a second, in which no stream would move on
        await asyncio.to_thread(price_known, ask.model.sent, ask.model.provider)
        workspace = await asyncio.to_thread(Workspace.make, self.scratch)
        noticed = asyncio.Event()
        watches = await asyncio.to_thread(make_watches, ask.installed)
        use = SkillUse(ask.installed.skill.name, watches, noticed.set)
        sink = UsageSink()
        heard = Heard(
            tally=Tally(ask.model, ask.limits), sink=sink, clock=self.clock, reads_skill=use.take
        )
        started = self.monotonic()
        try:
            end = await self._converse(ask, workspace, heard, noticed)
        except Transient as trouble:
            return Observation(
                query_id=ask.query.id, number=ask.number, fired=None, detail=str(trouble)
            )
        finally:
            await workspace.remove()
        usage = end.usage if end else sink.usage
        seen = make_observation(ask, use, end, usage=usage, wall_s=self.monotonic() - started)
        version = heard.started.version if heard.started else ""
        return seen.model_copy(update={"launcher_version": version})

    async def _converse(
        self, ask: Ask, workspace: Workspace, heard: Heard, noticed: asyncio.Event
    ) -> ConversationEnd | None:
        """The conversation's end; None where it was stopped because the skill was used."""
        (workspace.work / FOLDER).mkdir(parents=True)
        names = {one.name for one in (ask.installed.skill, *ask.installed.neighbours)}
        talk = Talk(
            model=ask.model,
            limits=ask.limits,
            system="",
            prompt=_as_words(ask.query.text),
            prepared=PLAIN,
            skills=frozenset(names),
            binds=[Bind(ask.installed.folder, f"/box/{FOLDER}")],
        )
        conversation = self.conversations.converse(talk, workspace, heard, Met(HostGate(())))
        return await until_used(conversation, noticed)


def _as_words(query: str) -> str:
    """A query that Claude Code takes for no command of its own: it looks at the first character.

    `/clear …` would never reach the model, and `/pdf …` would load the skill unasked.
    """
    return f"\n{query}" if query.startswith("/") else query
