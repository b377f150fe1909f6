"""Nobody asks, and what has been measured least is measured: by the clock, or by the operator."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.cli.next_eval import ALL_TAKEN, CHOSEN, UP_TO_DATE, Wanted, run_next
from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE, seed_samples
from tests.stories.scene import PERSON, Scene, playing

EVERY_MINUTE = 'schedule: {sweep: "* * * * *"}\n'
OWN_CASE = {
    "skill_name": "csv-profile",
    "evals": [
        {
            "id": 1,
            "prompt": "Profile the attached table.",
            "files": ["examples/visits.csv"],
            "expected_output": "A profile.",
            "expectations": ["Names every column"],
        }
    ],
}


def seed(github: LocalGitHub, *, folder: Path, own_case: bool = False) -> RepositoryHandle:
    """The samples with a schedule; issue 1 is marked as an eval case, or the skill brings one."""
    repository = seed_samples(github)
    shutil.copytree(HERE / "sample", folder)
    (folder / ".github").mkdir()
    (folder / ".github/skillbench.yml").write_text(EVERY_MINUTE)
    if own_case:
        shutil.rmtree(folder / "_automation")
        (folder / "csv-profile/evals").mkdir()
        (folder / "csv-profile/evals/evals.json").write_text(json.dumps(OWN_CASE))
    else:
        repository.label(1, "benchmark", by=PERSON)
    repository.push(folder, by=PERSON)
    return repository


@asynccontextmanager
async def scheduled(
    folder: Path, app_key: str, *, worker: bool = True, own_case: bool = False
) -> AsyncIterator[Scene]:
    seeding = partial(seed, folder=folder / "pushed", own_case=own_case)
    async with playing(folder / "bot", app_key, seed=seeding, worker=worker) as scene:
        yield scene


async def say_next(scene: Scene, scratch: Path, **options: bool) -> int:
    """`skillbench next sample-org/skills`, beside the running bot."""
    given = {"dry_run": False, "as_json": False} | options
    wanted = Wanted("sample-org/skills", None, **given)
    scratch.mkdir()
    return await asyncio.to_thread(run_next, wanted, scene.stage.settings, scratch)


def read_json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What was printed as JSON, among what the bot in this process has logged meanwhile."""
    out = capsys.readouterr().out
    return dict(json.JSONDecoder().raw_decode(out, out.index("{\n"))[0])


async def test_a_sweep_measures_one_case_and_tells_it_on_its_issue(
    tmp_path: Path, app_key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The operator takes the other one, and then everything is up to date."""
    async with scheduled(tmp_path, app_key) as scene:
        await scene.until(lambda: bool(scene.reports(1) or scene.reports(2)), "the sweep's report")
        first, second = (1, 2) if scene.reports(1) else (2, 1)
        assert "Asked for by the schedule." in scene.bot_comments(first)[0]
        assert scene.reports(second) == []
        assert await say_next(scene, tmp_path / "a", dry_run=True) == CHOSEN
        assert f"github-issue-{second} is next" in capsys.readouterr().out
        assert await say_next(scene, tmp_path / "b") == CHOSEN
        assert f"github-issue-{second} was put on the queue" in capsys.readouterr().out
        await scene.until(lambda: len(scene.reports(second)) == 1, "the operator's report")
        assert await say_next(scene, tmp_path / "c", as_json=True) == UP_TO_DATE
        told = read_json(capsys)
        assert (told["status"], told["evals"], told["pending"]) == ("UP_TO_DATE", 2, [])


async def test_a_case_that_no_issue_holds_is_told_on_the_commit(
    tmp_path: Path, app_key: str
) -> None:
    async with scheduled(tmp_path, app_key, own_case=True) as scene:
        said = scene.repository.repository.commit_comments
        await scene.until(lambda: bool(said), "a report on the commit")
        (report,) = said
        assert report.commit == scene.repository.head
        assert "csv-profile#1" in report.body
        assert [scene.bot_comments(number) for number in (1, 2, 3)] == [[], [], []]


async def test_what_was_taken_is_taken_by_nobody_else(
    tmp_path: Path, app_key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No worker is there, so nothing of it is measured."""
    async with scheduled(tmp_path, app_key, worker=False) as scene:
        assert await say_next(scene, tmp_path / "a", as_json=True) == CHOSEN
        first = read_json(capsys)
        assert await say_next(scene, tmp_path / "b", as_json=True) == CHOSEN
        second = read_json(capsys)
        assert first["taken"] == []
        assert second["taken"] == [first["chosen"]["eval_id"]]
        assert {first["chosen"]["issue"], second["chosen"]["issue"]} == {1, 2}
        assert await say_next(scene, tmp_path / "c") == ALL_TAKEN
        table = capsys.readouterr().out
        assert table.count("taken this week") == 2
        assert "ALL_TAKEN: sample-org/skills on scripted-demo" in table
