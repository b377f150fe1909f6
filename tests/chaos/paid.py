"""What the model was paid for: every answer it gave, and for which session or judge's pass."""

import random
import time
from dataclasses import dataclass, field, replace

from demo.model_api import Asked, Reply
from demo.model_api.behaviour import behave
from jobs.judging.prompt import SYSTEM as JUDGE_SYSTEM
from jobs.values import Arm
from tests.canaries import is_about_canaries
from tests.chaos.askings import WORD

JUDGE = "judge"
CANARIES = "canaries"
SKILL = "BEGIN SKILL.md"
SLOWEST_EVENT_S = 0.15
"""A session takes seconds, so that it can be hit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that was paid for."""

    at: float
    """Seconds since the epoch."""
    word: int
    """Which task it belongs to."""
    part: str
    """An arm's name, `judge`, or `canaries`."""
    is_first: bool
    """Whether a conversation began with it."""


@dataclass(eq=False)
class Paid:
    """Answers as the demo's model does, slowly, and keeps count."""

    rng: random.Random
    answers: list[Answer] = field(default_factory=list)

    def behave(self, asked: Asked) -> Reply:
        found = WORD.search(f"{asked.prompt}\n{asked.system}")
        if is_about_canaries(asked):
            part = CANARIES
        elif asked.system.strip() == JUDGE_SYSTEM.strip():
            part = JUDGE
        else:
            part = (Arm.WITH_SKILL if SKILL in asked.prompt else Arm.WITHOUT_SKILL).value
        word = int(found[1]) if found else -1
        self.answers.append(Answer(time.time(), word, part, asked.turn == 0))
        return replace(behave(asked), pause_s=self.rng.uniform(0.0, SLOWEST_EVENT_S))

    def begun(self, word: int, part: str) -> int:
        """How many conversations about a task have begun."""
        return sum(one.is_first for one in self._of(word, part))

    def after(self, word: int, part: str, moment: float) -> list[float]:
        """When answers were paid after a moment."""
        return [one.at for one in self._of(word, part) if one.at > moment]

    def _of(self, word: int, part: str) -> list[Answer]:
        return [one for one in self.answers if (one.word, one.part) == (word, part)]
