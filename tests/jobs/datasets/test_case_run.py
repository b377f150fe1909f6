"""One case from its first word to its grade, with everything that can break on the way."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from jobs.conversation import ConversationEnd, ConversationSpec, TranscriptSink
from jobs.datasets.case_run import CaseSpec, CaseWorld, run_case
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.results import CaseResult
from jobs.datasets.suites import SuiteSettings
from jobs.errors import Refused
from jobs.targets.registry import make_fields
from jobs.targets.target import TargetWorld
from jobs.values import Limits, Model
from tests.jobs.datasets.given import NOON, NoPrograms, a_case
from tests.jobs.datasets.running import end_with

LIMITS = Limits(wall_s=9, idle_s=9, turns=9, output_tokens=9, total_tokens=9, cost_usd=Decimal(9))
EXACT = {"evaluator": "exact", "expected": ["Paris"]}


def a_model(name: str) -> Model:
    return Model(asked=name, sent=name, identity=name, provider="anthropic")


@dataclass(slots=True)
class SmallAgent:
    """A model that answers by a rule; "!stalled" and such are ends."""

    answer: Callable[[ConversationSpec], str]
    asked: list[ConversationSpec] = field(default_factory=list)

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        self.asked.append(spec)
        return end_with(self.answer(spec), spec, transcript)


class Catalog:
    """Knows every model but one."""

    async def resolve(self, asked: str) -> Model:
        if asked == "nobody":
            raise Refused("no provider knows `nobody`")
        return a_model(asked)

    def price_known(self, _: Model) -> bool:
        return True


async def run(
    case: DatasetCase, answer: Callable[[ConversationSpec], str], tmp_path: Path, **given: str
) -> tuple[CaseResult, SmallAgent]:
    agent = SmallAgent(answer)
    settings = SuiteSettings.model_validate({"target": {"type": "llm_api", "model": "m"}})
    choice = settings.choose_target(None, ("llm_api",))
    async with httpx.AsyncClient() as http:
        target = TargetWorld(
            agent=agent,
            catalog=Catalog(),
            http=http,
            sandboxes=None,
            environment={},
            limits=LIMITS,
            suite=None,
            scratch=tmp_path,
        )
        world = CaseWorld(target=target, agent=agent, programs=NoPrograms(), clock=lambda: NOON)
        spec = CaseSpec(
            case=case,
            target_type="llm_api",
            fields=make_fields(choice, case, given),
            judge=a_model("judge"),
            user_model=a_model("user"),
        )
        seen: list[Dialogue] = []

        async def watch(dialogue: Dialogue) -> None:
            await asyncio.sleep(0)
            seen.append(dialogue)

        result = await run_case(spec, world, watch)
        assert len(seen) == 2 * len(result.dialogue.replies) + (result.trouble == "target")
        return result, agent


async def test_a_scripted_case_is_asked_answered_and_graded(tmp_path: Path) -> None:
    result, agent = await run(a_case(EXACT), lambda _: "Paris", tmp_path)
    assert (result.grade.outcome, result.trouble) == ("pass", None)
    assert result.target_fields == {"model": "m"}
    assert result.cost_usd == Decimal("0.01")
    assert [spec.prompt for spec in agent.asked] == ["a question"]


async def test_history_comes_first_and_every_turn_sees_those_before(tmp_path: Path) -> None:
    history = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
        {"role": "user", "content": "by the way"},
    ]
    user = {"type": "manual", "strict_inputs": ["one", "two"]}
    case = a_case(EXACT, history=history, user=user)
    _, agent = await run(case, lambda spec: f"to {spec.prompt}", tmp_path)
    first, second = agent.asked
    assert first.system.endswith("Be brief.")
    assert list(first.earlier) == [("hi", "hello")]
    assert first.prompt == "by the way\n\none"
    assert list(second.earlier)[-1] == ("by the way\n\none", "to by the way\n\none")
    assert second.prompt == "two"


async def test_a_target_that_fails_is_ungraded_with_what_was_said(tmp_path: Path) -> None:
    user = {"type": "manual", "strict_inputs": ["one", "two"]}
    ends = iter(["Paris", "!rate_limited"])
    result, _ = await run(a_case(EXACT, user=user), lambda _: next(ends), tmp_path)
    assert (result.grade.outcome, result.trouble) == ("ungraded", "target")
    assert "rate_limited" in result.grade.feedback
    assert [turn.said.text for turn in result.dialogue.turns] == ["one", "two"]


async def test_a_model_plays_the_user_until_it_is_finished(tmp_path: Path) -> None:
    user = {"type": "auto", "goal": "ask", "strict_inputs": ["my knee hurts"], "max_turns": 4}
    said = iter(['{"content": "since May"}', '{"content": "bye", "is_finished": true}'])

    def answer(spec: ConversationSpec) -> str:
        return next(said) if spec.model.sent == "user" else "Paris"

    result, agent = await run(a_case(EXACT, user=user), answer, tmp_path)
    texts = [turn.said.text for turn in result.dialogue.turns]
    assert texts == ["my knee hurts", "since May", "bye"]
    assert len(result.dialogue.replies) == 2, "the last word is not sent"
    assert result.user_usage is not None
    assert result.user_usage.requests == 2
    played = next(spec for spec in agent.asked if spec.model.sent == "user")
    assert played.prompt == "Paris", "the target's words come in"


async def test_the_limit_of_turns_holds_and_silence_ends_at_once(tmp_path: Path) -> None:
    user = {"type": "auto", "goal": "ask", "max_turns": 2}

    def endless(spec: ConversationSpec) -> str:
        return '{"content": "and?"}' if spec.model.sent == "user" else "Paris"

    def silent(spec: ConversationSpec) -> str:
        return '{"decision": "silence"}' if spec.model.sent == "user" else "Paris"

    result, _ = await run(a_case(EXACT, user=user), endless, tmp_path)
    assert len(result.dialogue.replies) == 2
    result, agent = await run(a_case(EXACT, user=user), silent, tmp_path)
    assert [turn.said.text for turn in result.dialogue.turns] == ["[silence]"]
    assert len(agent.asked) == 1
    assert (result.grade.outcome, result.trouble) == ("ungraded", "user"), "nobody was asked"
    greeted = a_case({"evaluator": "engagement"}, user=user,
                     history=[{"role": "assistant", "content": "Hello"}])  # fmt: skip
    result, _ = await run(greeted, silent, tmp_path)
    assert (result.grade.outcome, result.trouble) == ("fail", None), "it is about the user"


async def test_half_characters_of_target_and_judge_can_be_stored(tmp_path: Path) -> None:
    rubric = [{"criterion": "names it", "points": 1}]

    def answer(spec: ConversationSpec) -> str:
        if spec.model.sent == "judge":
            return '{"criteria_met": true, "explanation": "good \\ud800"}'
        return "Paris \ud83d"

    case = a_case({"evaluator": "healthbench", "rubrics": rubric})
    result, _ = await run(case, answer, tmp_path)
    stored = CaseResult.model_validate_json(result.model_dump_json())
    assert stored.dialogue.replies[0].text == "Paris ?"
    assert stored.grade.detail["rubric_results"][0]["explanation"] == "good ?"


async def test_a_user_that_cannot_be_read_leaves_the_case_ungraded(tmp_path: Path) -> None:
    user = {"type": "auto", "goal": "ask"}
    result, agent = await run(a_case(EXACT, user=user), lambda _: "hm", tmp_path)
    assert (result.grade.outcome, result.trouble) == ("ungraded", "user")
    assert len(agent.asked) == 3


async def test_a_judge_that_is_read_on_its_second_try_has_judged(tmp_path: Path) -> None:
    rubric = [{"criterion": "names it", "points": 1}]
    answers = iter(["Well.", '```json\n{"criteria_met": true}\n```'])

    def answer(spec: ConversationSpec) -> str:
        return next(answers) if spec.model.sent == "judge" else "Paris"

    case = a_case({"evaluator": "healthbench", "rubrics": rubric})
    result, _ = await run(case, answer, tmp_path)
    assert (result.grade.score, result.judge) == (1, "judge")
    assert result.judge_usage is not None
    assert result.judge_usage.requests == 2

    def prose(spec: ConversationSpec) -> str:
        return "Well." if spec.model.sent == "judge" else "Paris"

    result, _ = await run(case, prose, tmp_path)
    assert (result.grade.outcome, result.trouble) == ("ungraded", "judge")
    assert result.grade.score is None


async def test_fields_are_the_suites_then_the_cases_then_what_was_typed(tmp_path: Path) -> None:
    overrides = {"llm_api": {"model": "of the case"}}
    user = {"type": "manual", "strict_inputs": ["q"], "target_overrides": overrides}
    result, _ = await run(a_case(EXACT, user=user), lambda _: "Paris", tmp_path)
    assert result.target_fields["model"] == "of the case"
    result, _ = await run(a_case(EXACT, user=user), lambda _: "Paris", tmp_path, model="typed")
    assert result.target_fields["model"] == "typed"
    with pytest.raises(Refused, match="no field `colour`"):
        await run(a_case(EXACT), lambda _: "Paris", tmp_path, colour="red")


async def test_a_model_that_nobody_knows_is_the_cases_trouble(tmp_path: Path) -> None:
    result, agent = await run(a_case(EXACT), lambda _: "Paris", tmp_path, model="nobody")
    assert (result.grade.outcome, result.trouble) == ("ungraded", "case")
    assert not agent.asked
