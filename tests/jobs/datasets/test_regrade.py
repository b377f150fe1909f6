"""Dialogues that were saved are judged again, and answers from elsewhere are graded."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs.conversation import ConversationSpec
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue, Said, Turn
from jobs.datasets.kept_grades import KeptGrades
from jobs.datasets.loading import Dataset
from jobs.datasets.regrade import Grader, head_of_given, head_of_regraded, judges_of
from jobs.datasets.report import EVAL_ONLY
from jobs.datasets.results import CaseResult
from jobs.datasets.saved import Given, read_answers, read_saved
from jobs.datasets.suites import SuiteSettings
from jobs.errors import Refused
from jobs.values import Model
from tests.jobs.datasets.given import NOON, a_case, said
from tests.jobs.datasets.given_results import a_head, a_result, make_report
from tests.jobs.datasets.running import RuledAgent, dataset_world, right

EXACT = {"evaluator": "exact", "expected": ["Paris"]}


def a_dataset(*names: str, evaluator: dict[str, Any] = EXACT) -> Dataset:
    cases = tuple(a_case(evaluator, id=name, tags=("t",)) for name in names)
    return Dataset("capitals", "sample", SuiteSettings(), cases, "ab" * 32, "folder")


def lines(*answers: object) -> bytes:
    return "\n".join(json.dumps(one) for one in answers).encode()


def read(content: bytes, dataset: Dataset) -> Given:
    return read_answers(content, dataset, file="a.jsonl", now=NOON)


async def graded(given: Given, folder: Path, **changes: Any) -> list[CaseResult]:
    async with dataset_world(folder, RuledAgent(right)) as world:
        model = Model(asked="j", sent="j", identity="j", provider="anthropic")
        names = judges_of(given, "", "j")
        grader = Grader(
            world=world.cases,
            models=dict.fromkeys(names, model),
            asked="",
            default="j",
            kept=KeptGrades(world.keeping.blobs),
            **changes,
        )
        return [one async for one in grader.grade(given)]


def test_answers_are_read_and_what_is_missing_or_extra_is_named() -> None:
    content = b"\xef\xbb\xbf" + lines(
        {"id": "2", "answer": "x", "cost": 3}, {"id": "z", "answer": "y"}
    )
    given = read(content + b"\n\n", a_dataset("1", "2", "3"))
    assert [one.case.id for one in given.saved] == ["2"]
    assert given.saved[0].turns[0].reply is not None
    assert (given.missing, given.extra) == (("1", "3"), ("z",))


def test_every_line_that_is_no_answer_is_told_with_its_number() -> None:
    content = b'{\n[]\n{"id": "1"}\n{"id": 1, "answer": "x"}\n\xff\n' + lines(
        {"id": "1", "answer": "x"}, {"id": "1", "answer": "y"}
    )
    with pytest.raises(Refused) as refusal:
        read(content, a_dataset("1"))
    told = str(refusal.value).split("\n")[1:]
    assert [line.split(":")[1] for line in told] == ["1", "2", "3", "4", "5", "7"]
    assert "a.jsonl:3: answer: Field required" in told
    assert "a.jsonl:7: a second answer for `1`" in told


def test_answers_to_another_dataset_are_refused() -> None:
    with pytest.raises(Refused, match="no answer to a case of capitals/sample"):
        read(lines({"id": "z", "answer": "x"}), a_dataset("1"))


async def test_what_was_not_handed_in_is_in_no_average(tmp_path: Path) -> None:
    dataset = a_dataset("1", "2", "3")
    answers = lines({"id": "3", "answer": "Rome"}, {"id": "1", "answer": "Paris"})
    given = read(answers, dataset)
    results = await graded(given, tmp_path)
    assert [(one.id, one.grade.outcome) for one in results] == [("1", "pass"), ("3", "fail")]
    later = NOON + timedelta(minutes=1)
    head = head_of_given(given, dataset, judge="", clock=lambda: later, started_at=NOON)
    report = make_report(head, results)
    assert report["runtime_target"] is None
    assert report["avg_score"] == 0.5
    assert (report["missing_count"], report["missing_ids"]) == (1, ["2"])
    assert report["cases"][0]["target_type"] == EVAL_ONLY


def an_old_report(*results: CaseResult, **changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(make_report(a_head(**changes), results)))
    return found


def answered(name: str, text: str) -> CaseResult:
    return a_result(
        name, "fail", 0.0, dialogue=said(("a question", text)), eval_fields={"expected": ["Rome"]}
    )


async def test_a_dialogue_is_judged_by_the_case_as_it_is_now(tmp_path: Path) -> None:
    """Not by the one that the report quotes; what the target cost then is not spent again."""
    old = an_old_report(answered("1", "Paris"), answered("gone", "Rome"))
    given = read_saved(old, dataset := a_dataset("1", "2"))
    assert given.extra == ("gone",)
    [result] = await graded(given, tmp_path)
    assert result.grade.outcome == "pass"
    assert result.target_usage is not None
    assert result.target_usage.cost_usd == 0
    head = head_of_regraded(
        old, given, dataset, name="old.json", judge="j", clock=lambda: NOON, started_at=NOON
    )
    report = make_report(head, [result])
    assert report["dataset_provenance"] == {
        "source": "folder", "sha256": "ab" * 32, "regraded_from": "old.json",
    }  # fmt: skip
    assert report["runtime_target"] == {"type": "llm_api", "model": "claude-sonnet"}
    assert report["stats_by_tag"]["t"]["pass_count"] == 1
    assert report["cost_usd"] == 0


async def test_without_its_dataset_a_case_is_judged_as_the_report_quotes_it(
    tmp_path: Path,
) -> None:
    old = an_old_report(answered("1", "Rome"), answered("2", "Paris"))
    given = read_saved(old, None)
    assert "The dataset was not at hand" in given.notes[0]
    results = await graded(given, tmp_path)
    assert [one.grade.outcome for one in results] == ["pass", "fail"]
    head = head_of_regraded(
        old, given, None, name="old.json", judge="", clock=lambda: NOON, started_at=NOON
    )
    assert head.digest == old["dataset_provenance"]["sha256"]


async def test_a_dialogue_that_is_not_there_is_ungraded_and_not_wrong(tmp_path: Path) -> None:
    old = an_old_report(
        answered("1", "Paris"),
        a_result("2", "ungraded", dialogue=Dialogue()),
        answered("3", "Paris"),
    )
    old["cases"][2]["eval"]["trace"] = {"test_memory": "lost"}
    results = await graded(read_saved(old, a_dataset("1", "2", "3")), tmp_path)
    assert [one.grade.outcome for one in results] == ["pass", "ungraded", "ungraded"]
    assert results[1].grade.feedback == "the report holds no answer of the target to it"
    assert "cannot be read" in results[2].grade.feedback


async def test_a_dialogue_that_broke_off_is_no_answer(tmp_path: Path) -> None:
    half = said(("What of France?", "Paris"), ("Are you sure?", None))
    old = an_old_report(answered("1", "Paris"), a_result("2", "ungraded", dialogue=half))
    results = await graded(read_saved(old, a_dataset("1", "2")), tmp_path)
    assert [one.grade.outcome for one in results] == ["pass", "ungraded"]
    assert results[1].grade.feedback == "the report holds no answer of the target to turn 2"


async def test_a_user_who_was_silent_did_not_engage_when_judged_again_either(
    tmp_path: Path,
) -> None:
    silent = Dialogue(turns=(Turn(said=Said(text="[silence]", is_finished=True), said_at=NOON),))
    old = an_old_report(a_result("1", "fail", 0.0, dialogue=silent))
    case = a_case({"evaluator": "engagement"}, id="1",
                  history=[{"role": "assistant", "content": "Hello"}])  # fmt: skip
    dataset = Dataset("users", "round1", SuiteSettings(), (case,), "ab" * 32, "folder")
    (result,) = await graded(read_saved(old, dataset), tmp_path)
    assert result.grade.outcome == "fail"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"eval_type": "no_such"}, "there is no evaluator"),
        ({"eval_config": {"expected": 7}}, "eval.expected"),
        ({"eval_config": {"surprise": 1}}, "eval"),
    ],
)
def test_a_case_that_no_longer_can_be_graded_is_told(change: dict[str, Any], problem: str) -> None:
    old = an_old_report(answered("1", "Rome"))
    old["cases"][0] |= change
    with pytest.raises(Refused, match=problem):
        read_saved(old, None)


def test_a_report_without_a_case_of_the_dataset_is_refused() -> None:
    with pytest.raises(Refused, match="no case that could be graded"):
        read_saved(an_old_report(answered("1", "Rome")), a_dataset("2"))


async def test_many_are_graded_a_few_at_a_time_and_come_in_order(tmp_path: Path) -> None:
    names = [f"c{number:02}" for number in range(25)]
    given = read(lines(*({"id": one, "answer": "Paris"} for one in names)), a_dataset(*names))
    results = await graded(given, tmp_path, at_once=4)
    assert [one.id for one in results] == names


def test_each_judge_is_resolved_once() -> None:
    case = a_case({"evaluator": "semantic", "model": "own-judge"}, id="1")
    plain: DatasetCase = a_case({"evaluator": "semantic"}, id="2")
    dataset = Dataset("b", "d", SuiteSettings(), (case, plain), "ab" * 32, "folder")
    given = read(lines({"id": "1", "answer": "x"}, {"id": "2", "answer": "y"}), dataset)
    assert judges_of(given, "", "usual") == ["own-judge", "usual"]
    assert judges_of(given, "asked", "usual") == ["asked"]


async def test_a_grading_that_is_carried_on_asks_no_judge_twice(tmp_path: Path) -> None:
    """Until its report stands: whoever asks after that is given new verdicts."""
    dataset = a_dataset("1", "2", "3", evaluator={"evaluator": "semantic"})
    given = read(lines(*({"id": name, "answer": f"word {name}"} for name in "123")), dataset)
    names = ("goal_completion", "response_quality", "communication_experience")
    verdict = {"dimensions": [{"name": name, "score": 90, "reason": "it fits"} for name in names]}
    is_down = True

    async def judge(spec: ConversationSpec) -> str:
        return "!stalled" if is_down and "word 2" in spec.prompt else json.dumps(verdict)

    agent = RuledAgent(judge)
    async with dataset_world(tmp_path, agent) as world:
        model = Model(asked="j", sent="j", identity="j", provider="anthropic")
        grader = Grader(
            world=world.cases,
            models={"j": model},
            asked="",
            default="j",
            kept=KeptGrades(world.keeping.blobs),
        )

        async def asked_again() -> tuple[list[str], int]:
            before = len(agent.asked)
            results = [one async for one in grader.grade(given)]
            return [one.grade.outcome for one in results], len(agent.asked) - before

        outcomes, _ = await asked_again()
        assert [one == "ungraded" for one in outcomes] == [False, True, False]
        is_down = False
        outcomes, asked = await asked_again()
        assert ("ungraded" in outcomes, asked) == (False, 1)
        assert await asked_again() == (outcomes, 0)
        await grader.forget(given)
        assert await asked_again() == (outcomes, 3)
