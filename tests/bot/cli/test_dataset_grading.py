"""`skillbench dataset grade` and `regrade`: answers and reports graded without a target."""

import json

from demo.model_api import Gate
from tests.bot.cli.desk import Desk, reports


async def test_answers_from_elsewhere_are_graded_without_a_target(desk: Desk) -> None:
    answers = [{"id": "q-france", "answer": "Paris"}, {"id": "q-peru", "answer": "Cusco"}]
    path = desk.folder / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, answers)))
    ended = await desk.invoke("grade", "capitals", "sample", "answers.jsonl", "--data", "sets")
    assert ended.code == 0, ended.said
    report = ended.report
    assert (report["pass_count"], report["fail_count"], report["missing_count"]) == (1, 1, 2)
    assert report["avg_score"] == 0.5
    assert not desk.model.asked


async def test_an_answer_to_no_case_is_named_and_the_others_are_graded(desk: Desk) -> None:
    path = desk.folder / "answers.jsonl"
    path.write_text('{"id": "q-mars", "answer": "Olympus"}\n{"id": "q-peru", "answer": "Lima"}')
    ended = await desk.invoke("grade", "capitals", "sample", "answers.jsonl", "--data", "sets")
    assert ended.code == 0
    assert (ended.report["pass_count"], ended.report["extra_ids"]) == (1, ["q-mars"])
    assert "Answers that belong to no case: 1 (q-mars)." in ended.printed


async def test_a_report_is_graded_again_as_its_dataset_now_is(desk: Desk) -> None:
    first = await desk.run()
    path = desk.folder / "sets/capitals/sample.jsonl"
    path.write_text(path.read_text().replace('"Madrid"', '"Oslo"'))
    desk.model.asked = []
    again = await desk.invoke("regrade", *reports(first), "--data", "sets")
    assert again.code == 0, again.said
    assert again.report["pass_count"] == 4
    assert not desk.model.asked


async def test_no_judge_is_asked_where_the_report_could_not_be_kept(desk: Desk) -> None:
    (desk.folder / "answers.jsonl").write_text('{"id": "q-peru", "answer": "Lima"}')
    (desk.folder / "taken").mkdir()
    words = ["capitals", "sample", "answers.jsonl", "--data", "sets", "--output", "taken"]
    ended = await desk.invoke("grade", *words)
    assert (ended.code, ended.printed) == (2, "")
    assert "`taken` is a folder; --output names a file." in ended.said
    assert "Grading" not in ended.said


def judged(desk: Desk) -> tuple[str, ...]:
    """A dataset that a judge grades, with an answer to each case; gives the command."""
    path = desk.folder / "sets/capitals/sample.jsonl"
    cases = [json.loads(line) for line in path.read_text().splitlines()]
    by_judge = {"evaluator": "semantic", "criteria": [{"name": "right", "weight": 1}]}
    path.write_text("\n".join(json.dumps(case | {"eval": by_judge}) for case in cases))
    answers = [{"id": case["id"], "answer": "It is Rome."} for case in cases]
    (desk.folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    return ("grade", "capitals", "sample", "answers.jsonl", "--data", "sets", "-p", "1")


async def test_a_grading_that_was_stopped_goes_on_and_pays_for_nothing_twice(desk: Desk) -> None:
    words = judged(desk)
    desk.model.gate = Gate()
    stopped = await desk.invoke(*words)
    assert stopped.code == 130, stopped.said
    assert "the same command goes on from there" in stopped.said
    assert not list((desk.folder / "kept").glob("report/**/*.json")), "no half report"
    assert desk.model.asked == ["France", "Italy", "Spain"]
    desk.model.gate, desk.model.asked = None, []
    ended = await desk.invoke(*words)
    assert ended.code == 0, ended.said
    assert desk.model.asked == ["Spain", "Peru"]
    assert (ended.report["pass_count"], ended.report["missing_count"]) == (4, 0)
    desk.model.asked = []
    await desk.invoke(*words)
    assert len(desk.model.asked) == 4, "whoever asks once more is given new verdicts"


async def test_a_regrading_that_was_stopped_goes_on_too(desk: Desk) -> None:
    first = await desk.run()
    judged(desk)
    words = ("regrade", *reports(first), "--data", "sets", "-p", "1")
    desk.model.gate, desk.model.asked = Gate(), []
    assert (await desk.invoke(*words)).code == 130
    desk.model.gate, desk.model.asked = None, []
    ended = await desk.invoke(*words)
    assert ended.code == 0, ended.said
    assert desk.model.asked == ["Spain", "Peru"]
    assert ended.report["pass_count"] == 4
