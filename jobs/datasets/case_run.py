"""One case from its first word to its grade. Nothing of it stops the cases beside it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import structlog

from jobs.conversation import Agent
from jobs.datasets.cases import AutoUser, DatasetCase
from jobs.datasets.dialogue import Dialogue, Reply, Turn
from jobs.datasets.grades import Grade, Grading, Programs, Ungraded
from jobs.datasets.judge import ModelJudge
from jobs.datasets.results import CaseResult, Trouble
from jobs.datasets.users import PlayedSpeaker, ScriptedSpeaker, Speaker, UserFailed
from jobs.errors import Error
from jobs.evaluators.kg_qa import HINT
from jobs.evaluators.registry import find_evaluator
from jobs.judging.reading import add_usage
from jobs.ports import Clock
from jobs.targets.registry import TARGETS
from jobs.targets.target import Conversation, TargetFailed, TargetFields, TargetWorld
from jobs.values import Model, Usage

ABOUT_THE_USER = "engagement"
"""The evaluator that needs no answer of the target: it looks at what the user does."""

Watch = Callable[[Dialogue], Awaitable[None]]
"""Sees the dialogue after each turn."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSpec:
    """One case with everything that its run depends on, resolved."""

    case: DatasetCase
    target_type: str
    fields: TargetFields
    judge: Model | None
    """None where the evaluator asks nobody."""
    user_model: Model | None
    """Who plays a user that a model plays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWorld:
    """What running cases needs."""

    target: TargetWorld
    agent: Agent
    programs: Programs
    clock: Clock


async def run_case(spec: CaseSpec, world: CaseWorld, watch: Watch) -> CaseResult:
    """Run and grade one case; raises nothing but `CancelledError`.

    What went wrong makes the case ungraded, with the dialogue as far as it came.
    """
    under_way = _UnderWay(spec, world)
    speaker = _make_speaker(spec, world)

    async def talk_and_grade() -> Grade:
        await _talk(spec, world, speaker, under_way.turns, watch)
        return await under_way.grade()

    grade, trouble = await _ended(spec, talk_and_grade)
    result = under_way.result(grade, trouble)
    usage = speaker.usage if speaker.usage.requests else None
    return result.model_copy(update={"user_usage": usage})


async def grade_answers(spec: CaseSpec, turns: Sequence[Turn], world: CaseWorld) -> CaseResult:
    """Grade what was said elsewhere, or before; raises nothing but `CancelledError`."""
    under_way = _UnderWay(spec, world)
    under_way.turns.extend(turns)
    grade, trouble = await _ended(spec, under_way.grade)
    return under_way.result(grade, trouble)


async def _ended(
    spec: CaseSpec, work: Callable[[], Awaitable[Grade]]
) -> tuple[Grade, Trouble | None]:
    """What the work came to: a grade, or whose fault it is that there is none."""
    try:
        return await work(), None
    except TargetFailed as failure:
        return _ungraded(str(failure)), "target"
    except UserFailed as failure:
        return _ungraded(str(failure)), "user"
    except Ungraded as reason:
        return _ungraded(str(reason)), "judge"
    except Error as refusal:
        return _ungraded(str(refusal)), "case"
    except Exception:
        log.exception("case_failed", case=spec.case.id)
        return _ungraded("this failed on our side; the log says why"), "defect"


class _UnderWay:
    """A case in the middle of its run."""

    def __init__(self, spec: CaseSpec, world: CaseWorld) -> None:
        self._spec = spec
        self._world = world
        self._judge = ModelJudge(world.agent, spec.judge)
        self._started_at = world.clock()
        self.turns: list[Turn] = []

    async def grade(self) -> Grade:
        dialogue = Dialogue(turns=tuple(self.turns))
        if not dialogue.replies and self._spec.case.evaluator != ABOUT_THE_USER:
            raise UserFailed("the user ended the dialogue before the target was asked anything")
        given = Grading(
            self._spec.case,
            dialogue,
            self._judge,
            self._world.programs,
        )
        return await find_evaluator(self._spec.case.evaluator).grade(given)

    def result(self, grade: Grade, trouble: Trouble | None) -> CaseResult:
        spec, case, used = self._spec, self._spec.case, self._judge.usage
        return CaseResult(
            id=case.id,
            title=case.title,
            tags=case.tags,
            user_type=case.user.type,
            evaluator=case.evaluator,
            target_type=spec.target_type,
            target_fields=spec.fields.model_dump(mode="json", exclude_none=True),
            eval_fields=case.evaluator_fields,
            history=tuple({"role": one.role, "content": one.content} for one in case.history),
            dialogue=Dialogue(turns=tuple(self.turns)),
            grade=grade,
            trouble=trouble,
            started_at=self._started_at,
            ended_at=self._world.clock(),
            target_usage=_sum([turn.reply.usage for turn in self.turns if turn.reply]),
            judge_usage=used if used.requests else None,
            judge=spec.judge.sent if spec.judge and used.requests else "",
        )


def _make_speaker(spec: CaseSpec, world: CaseWorld) -> Speaker:
    user = spec.case.user
    if isinstance(user, AutoUser):
        if spec.user_model is None:
            raise ValueError("a case whose user is played needs a model for that")
        return PlayedSpeaker(spec.case, user, world.agent, spec.user_model)
    return ScriptedSpeaker(user)


async def _talk(
    spec: CaseSpec, world: CaseWorld, speaker: Speaker, turns: list[Turn], watch: Watch
) -> None:
    """Let user and target talk until the user is finished; `turns` grows on the way."""
    kind = TARGETS[spec.target_type]
    conversation = await kind.open(spec.fields, spec.case, world.target)
    try:
        while True:
            said = await speaker.speak(turns)
            said_at = world.clock()
            if said.is_finished:
                if said.text:
                    turns.append(Turn(said=said, said_at=said_at))
                return
            turns.append(Turn(said=said, said_at=said_at))
            await watch(Dialogue(turns=tuple(turns)))
            reply = await _ask(conversation, turns, spec.case)
            turns[-1] = turns[-1].model_copy(update={"reply": reply, "replied_at": world.clock()})
            await watch(Dialogue(turns=tuple(turns)))
    finally:
        await conversation.close()


async def _ask(conversation: Conversation, turns: list[Turn], case: DatasetCase) -> Reply:
    """The target's answer; the last scripted question of a `kg_qa` case says how to end it."""
    said = turns[-1].said
    if case.evaluator == "kg_qa" and len(turns) == case.user.most_turns:
        hint = case.eval.get("answer_format_hint", HINT)
        if hint:
            said = said.model_copy(update={"text": f"{said.text}\n\n{hint}"})
    return await conversation.reply(said)


def _ungraded(reason: str) -> Grade:
    return Grade(outcome="ungraded", feedback=reason)


def _sum(usages: list[Usage | None]) -> Usage | None:
    """All that a target used; None where it once did not say."""
    total = Usage(cost_usd=Decimal(0))
    for usage in usages:
        if usage is None:
            return None
        total = add_usage(total, usage)
    return total if usages else None
