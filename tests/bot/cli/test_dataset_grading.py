"""`skillbench dataset grade` and `regrade`: answers and reports graded without a target."""

import json

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
