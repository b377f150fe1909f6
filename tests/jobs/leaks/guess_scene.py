"""A world in which the guesser says what a test wants."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from bot.blobs import Blobs
from config.settings import Settings
from jobs.judging.blind import get_first_arm
from jobs.judging.judge import AgentJudge
from jobs.leaks.guess import Guess
from jobs.leaks.guesser import ask_guesser, choose_order, guess_limits, with_guess
from jobs.results import RunResult
from jobs.sandbox import SandboxMaker
from jobs.sessions.bundle import write_bundle
from jobs.steps import SessionKey
from jobs.values import Arm, Model, OutputFile
from jobs.world import RunWorld
from tests.builders import a_model, a_result
from tests.jobs.judging.scripted_agent import FiveTools, FolderOnly, Reply, ScriptedAgent
from tests.jobs.weak_evals.canary_scene import Purse

SETTINGS = Settings(_env_file=None, guesser_share=1)
MOST = guess_limits(SETTINGS).cost_usd
PRICE = Decimal("0.01")
"""Of one answer of the scripted agent."""


def says(candidate: str, reason: str = "Only candidate_1 has notes.") -> str:
    return json.dumps({"had_the_skill": candidate, "reason": reason})


def find_right(result: RunResult) -> str:
    """The candidate that had the skill, as the guesser is shown both."""
    first = get_first_arm(choose_order(result.spec.run_id), result.candidate_1_is)
    return "candidate_1" if first is Arm.WITH_SKILL else "candidate_2"


@dataclass
class Catalog:
    """Knows every model, unless it is told to fail."""

    problem: Exception | None = None

    async def resolve(self, asked: str) -> Model:
        if self.problem:
            raise self.problem
        return a_model(asked=asked, sent=f"{asked}-4-5")


@dataclass
class Scene:
    """What a guess needs of the world."""

    folder: Path
    replies: Sequence[Reply]
    purse: Purse = field(default_factory=Purse)
    catalog: Catalog = field(default_factory=Catalog)
    settings: Settings = SETTINGS
    texts: dict[Arm, str] = field(
        default_factory=lambda: {Arm.WITH_SKILL: "A poem.", Arm.WITHOUT_SKILL: "Some verse."}
    )

    def __post_init__(self) -> None:
        self.agent = ScriptedAgent(self.replies)
        judge = AgentJudge(self.agent, cast("SandboxMaker", FolderOnly()), lambda _: FiveTools())
        self.blobs = Blobs((self.folder / "blobs").as_uri())
        self.world = cast(
            "RunWorld",
            SimpleNamespace(
                blobs=self.blobs,
                budget=self.purse,
                catalog=self.catalog,
                judge=judge,
                settings=self.settings,
                scratch=self.folder / "scratch",
            ),
        )

    def bundles(self, result: RunResult) -> dict[SessionKey, Path]:
        """A bundle for each session of the result, with its arm's text as the last message."""
        made = {}
        for session in result.sessions:
            key = SessionKey(session.arm, session.trial)
            text = self.texts.get(session.arm, "") + f" Trial {session.trial}."
            output = self.folder / "outputs" / key.step
            output.mkdir(parents=True, exist_ok=True)
            (output / "response.md").write_text(text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            file = OutputFile(path="response.md", size_bytes=len(text), sha256=digest)
            made[key] = self.folder / key.bundle
            whole = session.model_copy(update={"outputs": (file,)})
            write_bundle(made[key], whole, self.folder / "none.jsonl", output)
        return made

    async def guess(self, result: RunResult | None = None) -> Guess | None:
        asked = result or a_result()
        await ask_guesser(asked, self.bundles(asked), self.world)
        return (await with_guess(asked, self.world.blobs)).guess

    @property
    def paid(self) -> list[Decimal]:
        return list(self.purse.taken.values())
