"""`skillbench run` as a process on the sample folder, with the scripted model on a socket."""

import asyncio
import shutil
import sys
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.model_api import ScriptedModelApi
from jobs.results import RunResult
from tests.bot.cli.processes import WAIT_S, environment

SAMPLE = Path(__file__).parents[3] / "demo/sample"
ONLY_CASE = "_automation/evals/github-issue-2.json"


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int | None
    printed: str
    said: str


Run = Callable[..., Awaitable[Ended]]


@pytest.fixture
async def run(tmp_path: Path) -> AsyncIterator[Run]:
    """`skillbench run WORDS` in an empty folder."""
    async with ScriptedModelApi().serve() as api:
        settings = {"model": "scripted-demo", "judge_model": "scripted-demo-judge"}
        variables = environment(tmp_path, settings) | {
            "ANTHROPIC_API_KEY": "scripted",
            "ANTHROPIC_BASE_URL": api.anthropic_url,
        }

        async def invoke(*words: str) -> Ended:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "run", *words),
                cwd=tmp_path,
                env=variables,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            printed, said = await asyncio.wait_for(process.communicate(), WAIT_S)
            return Ended(process.returncode, printed.decode(), said.decode())

        yield invoke


async def test_a_comparison_leaves_report_result_and_archive(run: Run, tmp_path: Path) -> None:
    ended = await run(str(SAMPLE), "--skill", "release-notes", "--eval", "github-issue-2")
    assert ended.code == 0, ended.said
    assert ended.printed == "skillbench-report/report.md\n"
    assert "with skill 100%, without 0%" in ended.said
    folder = tmp_path / "skillbench-report"
    result = RunResult.model_validate_json((folder / "result.json").read_bytes())
    assert result.graded
    assert "**release-notes**" in (folder / "report.md").read_text()
    [archive] = folder.glob("*.zip")
    assert zipfile.ZipFile(archive).testzip() is None


async def test_the_only_case_of_a_folder_need_not_be_named(run: Run) -> None:
    assert (await run(str(SAMPLE), "--skill", "release-notes")).code == 0


async def test_a_skill_s_own_case_is_named_by_its_short_id(run: Run, tmp_path: Path) -> None:
    """Though an issue's case of another skill bears the number, too."""
    folder = tmp_path / "skills"
    shutil.copytree(SAMPLE, folder)
    (folder / "csv-profile/evals").mkdir()
    (folder / "csv-profile/evals/evals.json").write_text(
        '{"evals": [{"id": 2, "prompt": "Profile the table.", "files": ["examples/visits.csv"],'
        ' "expectations": ["Duplicate rows: 2"]}]}'
    )
    ended = await run(str(folder), "--skill", "csv-profile", "--eval", "2")
    result = (tmp_path / "skillbench-report" / "result.json").read_bytes()
    assert RunResult.model_validate_json(result).spec.eval_case.id == "csv-profile#2", ended.said


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--skill", "nosuch"), "It holds `csv-profile`, `release-notes`"),
        (("--eval", "nosuch"), "such as `github-issue-2`"),
        (("--environment", "r-farma"), "Did you mean `r-pharma`?"),
        (("--skill", "csv-profile"), "no eval case is for the skill `csv-profile`"),
        (("--output", "taken"), "the folder `taken` cannot be made"),
        (("--mode", "pasted"), "'pasted' is not one of 'forced'"),
    ],
)
async def test_what_cannot_be_run_is_refused_with_the_choices(
    run: Run, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "taken").write_text("a file")
    ended = await run(str(SAMPLE), *words)
    assert ended.code == 2
    assert reason in ended.said
    assert not (tmp_path / "skillbench-report").exists()


async def test_several_cases_are_listed(run: Run, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "skills")
    case = tmp_path / "skills" / ONLY_CASE
    case.with_name("second.json").write_text(case.read_text().replace("github-issue-2", "second"))
    ended = await run("skills")
    assert ended.code == 2
    assert "--eval: `github-issue-2`, `second`" in ended.said


async def test_a_folder_without_cases_is_told_where_to_read_on(run: Run, tmp_path: Path) -> None:
    ended = await run(str(tmp_path))
    assert ended.code == 2
    assert "docs/eval-cases.md" in ended.said


async def test_an_environment_of_the_folder_is_prepared_and_checked_before_anything_is_spent(
    run: Run, tmp_path: Path
) -> None:
    """The same words as on GitHub: what is missing ends it, what is there stands in the report."""
    folder = tmp_path / "skills"
    shutil.copytree(SAMPLE, folder)
    (folder / ".github").mkdir()
    (folder / ".github" / "skillbench.yml").write_text(
        "environments:\n"
        "  bare: {packages: {commands: [sh, no-such-tool]}}\n"
        "  tools: {setup: setup.sh, packages: {commands: [made-here]}}\n"
    )
    (folder / "setup.sh").write_text("ln -s /bin/true /opt/environment/bin/made-here")
    words = (str(folder), "--skill", "release-notes", "--environment")
    ended = await run(*words, "bare")
    assert ended.code == 2
    assert "`no-such-tool` (command): there is no such command" in ended.said
    assert not list(tmp_path.glob("skillbench-report/*"))
    ended = await run(*words, "tools")
    assert ended.code == 0, ended.said
    assert "made-here (command)" in (tmp_path / "skillbench-report" / "report.md").read_text()


async def test_what_the_command_says_wins_over_the_folder(run: Run, tmp_path: Path) -> None:
    """The folder asks for two trials and another judge, the command for three and its own."""
    folder = tmp_path / "folder"
    shutil.copytree(SAMPLE, folder)
    repo_file = folder / ".github" / "skillbench.yml"
    repo_file.parent.mkdir()
    repo_file.write_text("trials: 2\njudge: no-such-model\n", encoding="utf-8")
    words = ("--skill", "release-notes", "--eval", "github-issue-2", "--trials", "3")
    ended = await run(str(folder), *words, "--judge", "scripted-demo")
    assert ended.code == 0, ended.said
    text = (tmp_path / "skillbench-report" / "result.json").read_bytes()
    result = RunResult.model_validate_json(text)
    assert (result.spec.trials, len(result.trials)) == (3, 3)
    assert result.spec.judge.sent == "scripted-demo"


async def test_trials_may_be_added_until_it_is_sure(run: Run, tmp_path: Path) -> None:
    """The same rule as on GitHub, with a cap or a tier."""
    words = (str(SAMPLE), "--skill", "release-notes", "--until-sure", "--trials", "9")
    ended = await run(*words)
    assert ended.code == 0, ended.said
    text = (tmp_path / "skillbench-report" / "result.json").read_bytes()
    result = RunResult.model_validate_json(text)
    assert result.stopped is not None
    assert (result.stopped.why, len(result.trials), result.stopped.most) == ("higher", 8, 9)
    ended = await run(*words[:3], "--tier", "thorough", "--trials", "7")
    assert ended.code == 2
    assert "7 trials can never be enough" in ended.said
