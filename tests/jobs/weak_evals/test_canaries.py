"""Canaries are read once for a case, a judge and a wording, and what they satisfy is told."""

from pathlib import Path

import pytest

from jobs.results import RunResult
from jobs.values import SessionEnd
from jobs.weak_evals.canaries import (
    count_unread,
)
from tests.builders import (
    a_judge_model,
    a_model,
    a_result,
    a_run_spec,
    a_session,
    an_eval_case,
    an_input_file,
    an_ungraded_result,
)
from tests.jobs.weak_evals.canary_scene import (
    ALL_FAIL,
    CASE,
    FOOLED,
    PRICE,
    Scene,
    another_run,
    says,
)


async def test_a_case_that_no_canary_passes_is_told_so(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    check = await scene.check()
    assert check is not None
    assert (check.satisfied, check.problem, check.lets_one_pass) == ((), "", False)
    assert check.assertions == tuple(one.id for one in CASE.assertions)
    assert (check.usage.cost_usd, scene.paid) == (PRICE, [PRICE])
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_an_assertion_that_a_canary_passes_is_named_with_the_canary(tmp_path: Path) -> None:
    check = await Scene(tmp_path, [FOOLED]).check()
    assert check is not None
    assert check.passed_assertions == ("A2",)
    [said] = check.satisfied_by("A2")
    assert (said.canary, said.verdict, said.reason) == ("fluent", "pass", "It says so.")
    assert not check.lets_one_pass


@pytest.mark.parametrize("fooled_by", ["fluent", "addressing"])
async def test_a_canary_that_passes_everything_is_noticed(tmp_path: Path, fooled_by: str) -> None:
    answer = says(lambda _, canary: "pass" if canary == fooled_by else "fail")
    check = await Scene(tmp_path, [answer]).check()
    assert check is not None
    assert check.lets_one_pass


async def test_two_canaries_that_pass_a_half_each_are_not_one_that_passes_all(
    tmp_path: Path,
) -> None:
    answer = says(lambda one, canary: "pass" if (one == "A1") == (canary == "fluent") else "fail")
    check = await Scene(tmp_path, [answer]).check()
    assert check is not None
    assert (len(check.passed_assertions), check.lets_one_pass) == (len(CASE.assertions), False)


async def test_what_is_half_satisfied_is_told_and_passes_nothing(tmp_path: Path) -> None:
    check = await Scene(tmp_path, [says(lambda *_: "partial")]).check()
    assert check is not None
    assert len(check.satisfied) == 2 * len(CASE.assertions)
    assert (check.passed_assertions, check.lets_one_pass) == ((), False)


async def test_the_judge_is_given_the_inputs_and_the_shape_of_any_reading(tmp_path: Path) -> None:
    case = an_eval_case(inputs=(an_input_file(alias="input/input_001.csv"),))
    scene = Scene(tmp_path, [ALL_FAIL])
    await scene.check(a_result(spec=a_run_spec(eval_case=case)))
    assert scene.sandbox.seen == [
        "candidate_1/response.md",
        "candidate_2/response.md",
        "input/input_001.csv",
    ]
    assert not any("canar" in name for name in scene.staged)


@pytest.mark.parametrize(
    "changes",
    [{}, {"model": a_model(sent="gpt-5", identity="gpt5")}, {"vs": "self"}, {"trials": 5}],
)
async def test_other_runs_of_the_case_share_the_reading(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    scene = Scene(tmp_path, [FOOLED])
    first = await scene.check()
    assert await scene.check(another_run(**changes)) == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


@pytest.mark.parametrize(
    "changes",
    [{"judge": a_judge_model(sent="other")}, {"eval_case": an_eval_case(digest="e" * 64)}],
)
async def test_another_judge_or_version_of_the_case_is_read_anew(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    await scene.check()
    await scene.check(another_run(**changes))
    assert len(scene.agent.asked) == 2


@pytest.mark.parametrize(
    "result",
    [
        an_ungraded_result(),
        a_result(
            sessions=tuple(
                a_session(arm, end=SessionEnd.NO_OUTPUT, outputs=()) for arm in a_run_spec().arms
            )
        ),
        a_result(spec=a_run_spec(canaries=False)),
    ],
)
async def test_nothing_is_asked_where_no_result_could_count(
    tmp_path: Path, result: RunResult
) -> None:
    scene = Scene(tmp_path, [FOOLED])
    assert await scene.check(result) is None
    assert (scene.agent.asked, scene.paid) == ([], [])


async def test_a_later_judging_is_told_of_its_own_judge(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED, ALL_FAIL])
    await scene.check()
    spec = a_run_spec(judge=a_judge_model(sent="other"))
    check = await scene.check(a_result(spec=spec, judging="ba9876543210"))
    assert check is not None
    assert (check.judge, check.satisfied) == ("other", ())


async def test_readings_that_are_to_be_paid_are_counted_once_each(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    other_model = a_run_spec(run_id="0" * 12, model=a_model(sent="gpt-5"))
    other_case = a_run_spec(eval_case=an_eval_case(digest="e" * 64))
    off = a_run_spec(eval_case=an_eval_case(digest="f" * 64), canaries=False)
    specs = [a_run_spec(), other_model, other_case, off]
    assert await count_unread(specs, scene.blobs) == 2
    await scene.check()
    assert await count_unread(specs, scene.blobs) == 1
