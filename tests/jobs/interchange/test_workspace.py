"""Runs written out for skill-creator's viewer: all that it reads, and no invented figure."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs.again.kept_runs import KeptRun
from jobs.errors import Refused
from jobs.interchange.benchmark import make_benchmark
from jobs.interchange.comparison import make_comparison
from jobs.interchange.workspace import write_workspace
from jobs.reporting.archive import ArchiveContent, make_archive, session_folder
from jobs.scores import AssertionScore, TrialResult
from jobs.values import Arm
from tests.bot.cli.processes import WAIT_S, environment
from tests.builders import (
    a_pass,
    a_result,
    a_run_spec,
    a_session,
    an_arm_score,
    an_assertion_score,
    an_eval_case,
    an_ungraded_result,
    some_assertions,
)
from tests.jobs.again.test_kept_runs import a_run


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_run_becomes_a_folder_that_the_viewer_opens(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "made")
    target = tmp_path / "workspace"
    write_workspace([KeptRun(result=result, bundles=bundles)], target)
    run = target / "eval-1/with_skill/run-1"
    assert (run / "outputs/report.md").read_text() == "forty-two words\n"
    grading = read(run / "grading.json")
    assert grading["summary"] == {"passed": 2, "failed": 1, "total": 3, "pass_rate": 0.6667}
    assert set(grading["expectations"][0]) == {"text", "passed", "evidence"}
    assert grading["execution_metrics"]["total_tool_calls"] == 8
    assert grading["timing"]["executor_duration_seconds"] == 65.0
    assert read(target / "eval-1/eval_metadata.json")["prompt"] == result.spec.eval_case.prompt
    comparison = read(target / "eval-1/comparison-1.json")
    assert comparison["winner"] == "A"
    assert comparison["expectation_results"]["B"]["passed"] == 1


def test_the_benchmark_has_every_field_that_the_viewer_reads(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "made")
    target = tmp_path / "workspace"
    write_workspace([KeptRun(result=result, bundles=bundles)], target)
    benchmark = read(target / "benchmark.json")
    assert set(benchmark) == {"metadata", "runs", "run_summary", "notes"}
    assert benchmark["metadata"]["evals_run"] == [1]
    assert [run["configuration"] for run in benchmark["runs"]] == ["with_skill", "without_skill"]
    assert set(benchmark["runs"][0]["result"]) == {
        "pass_rate", "passed", "failed", "total", "time_seconds", "tokens", "tool_calls", "errors",
    }  # fmt: skip
    summary = benchmark["run_summary"]
    assert set(summary["with_skill"]["pass_rate"]) == {"mean", "stddev", "min", "max"}
    assert summary["delta"] == {"pass_rate": "+0.33", "time_seconds": "+17.0", "tokens": "+0"}
    assert any("not known, and not zero" in note for note in benchmark["notes"])


def with_trials(rows: list[tuple[AssertionScore, ...]]) -> Any:
    spec = a_run_spec(trials=len(rows), eval_case=an_eval_case(assertions=some_assertions(1)))
    sessions = tuple(
        a_session(arm, trial=number, wall_s=10.0 * number)
        for number in range(1, len(rows) + 1)
        for arm in spec.arms
    )
    trials = tuple(
        TrialResult(
            number=number,
            assertions=row,
            with_skill=an_arm_score(1, 0, 0) if row else None,
            without_skill=an_arm_score(0, 0, 1) if row else None,
            ungraded_reason=None if row else "the model API was away",
        )
        for number, row in enumerate(rows, start=1)
    )
    return a_result(spec=spec, sessions=sessions, trials=trials, assertions=rows[0])


def test_trials_are_runs_of_one_eval_and_a_lost_one_is_in_no_figure() -> None:
    row = (an_assertion_score(some_assertions(1)[0]),)
    benchmark = make_benchmark([with_trials([row, (), row])])
    assert [run["run_number"] for run in benchmark["runs"]] == [1, 1, 2, 2]
    assert benchmark["run_summary"]["with_skill"]["time_seconds"] == {
        "mean": 20.0, "stddev": 14.1421, "min": 10.0, "max": 30.0,
    }  # fmt: skip
    assert benchmark["metadata"]["runs_per_configuration"] == 2


def test_a_run_without_a_score_is_told_and_never_a_zero() -> None:
    benchmark = make_benchmark([a_result(), an_ungraded_result(spec=a_run_spec(run_id="0" * 12))])
    assert len(benchmark["runs"]) == 2
    assert any("has no score and is in no figure" in note for note in benchmark["notes"])
    assert make_comparison(an_ungraded_result(), 1) is None


def test_what_could_not_be_verified_is_no_expectation() -> None:
    case = an_eval_case(assertions=some_assertions(2))
    rows = tuple(
        an_assertion_score(assertion, words, ("pass", "pass"))
        for assertion, words in zip(
            case.assertions, (("cannot_verify", "cannot_verify"), ("pass", "partial")), strict=True
        )
    )
    result = a_result(spec=a_run_spec(eval_case=case), assertions=rows)
    [tested, other] = make_benchmark([result])["runs"]
    assert (tested["result"]["total"], tested["result"]["passed"]) == (1, 0)
    assert (other["result"]["total"], other["result"]["passed"]) == (1, 1)
    assert tested["expectations"][0]["evidence"].startswith("pass: ")


def test_two_versions_bear_the_names_that_the_viewer_knows() -> None:
    skill = a_run_spec().skill
    spec = a_run_spec(vs=f"sha:{'c' * 64}", other=skill.model_copy(update={"sha": "c" * 64}))
    sessions = a_session(Arm.CANDIDATE_SKILL), a_session(Arm.BASE_SKILL)
    result = a_result(spec=spec, sessions=sessions, candidate_1_is=Arm.CANDIDATE_SKILL)
    benchmark = make_benchmark([result])
    assert {run["configuration"] for run in benchmark["runs"]} == {"with_skill", "without_skill"}
    assert any("version that it is compared with" in note for note in benchmark["notes"])


def test_the_judges_words_name_the_arms_and_no_candidates() -> None:
    """In pass 1 `candidate_1` is the arm with the skill here, in pass 2 it is the other."""
    passes = tuple(
        a_pass(number, observations=(f"candidate_{number} is longer.",)) for number in (1, 2)
    )
    comparison = make_comparison(a_result(passes=passes), 1)
    assert comparison is not None
    assert "candidate" not in comparison["reasoning"]
    first, second, _ = comparison["reasoning"].split(" is longer.")
    assert first.strip() == second.strip()


def test_a_broken_bundle_leaves_no_half_of_a_workspace(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "made")
    list(bundles.values())[-1].write_bytes(b"no zip")
    target = tmp_path / "out" / "workspace"
    with pytest.raises(ValueError, match="not a session's bundle"):
        write_workspace([KeptRun(result=result, bundles=bundles)], target)
    assert list(target.parent.iterdir()) == []


def test_nothing_is_written_over_and_skills_are_not_mixed(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "made")
    kept = KeptRun(result=result, bundles=bundles)
    with pytest.raises(Refused, match="holds something already"):
        write_workspace([kept], tmp_path)
    skill = result.spec.skill.model_copy(update={"path": "other"})
    other = result.model_copy(update={"spec": result.spec.model_copy(update={"skill": skill})})
    with pytest.raises(Refused, match="several skills"):
        write_workspace([kept, KeptRun(result=other, bundles=bundles)], tmp_path / "new")
    lost = KeptRun(result=an_ungraded_result(), bundles=bundles)
    with pytest.raises(Refused, match="none of these runs has a score"):
        write_workspace([lost], tmp_path / "new")
    assert not (tmp_path / "new").exists()


async def exported(folder: Path, archive: Path, target: Path) -> tuple[int | None, str, str]:
    """What `skillbench export` ended with, printed and said."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "export", str(archive), "--to", str(target)),
        cwd=folder,
        env=environment(folder, {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, said = await asyncio.wait_for(process.communicate(), 4 * WAIT_S)
    return process.returncode, printed.decode(), said.decode()


async def test_an_archive_is_exported_by_a_command(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "made", trials=2)
    row = result.assertions
    scores = {"with_skill": an_arm_score(2, 1, 0), "without_skill": an_arm_score(1, 1, 1)}
    trials = tuple(TrialResult(number=n, assertions=row, **scores) for n in (1, 2))
    result = result.model_copy(update={"trials": trials})
    named = {session_folder(k.arm, k.trial, result.spec): path for k, path in bundles.items()}
    archive = await make_archive(ArchiveContent(result=result, bundles=named), tmp_path)
    target = tmp_path / "workspace"
    code, printed, said = await exported(tmp_path, archive.path, target)
    assert code == 0, said
    assert "4 sessions of 1 run" in printed
    assert len(list(target.glob("eval-1/*/run-*/outputs/report.md"))) == 4
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04 no archive")
    code, _, said = await exported(tmp_path, broken, tmp_path / "new")
    assert (code, "is no archive of a run" in said) == (2, True)
    assert not (tmp_path / "new").exists()
