"""Environments from the repository's file to the comment: prepared, checked, met by both arms."""

import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, Call, Reply, ScriptedModelApi
from demo.model_api.behaviour import behave
from demo.model_api.steps import Step
from demo.play import HERE, seed_samples
from tests.jobs.environments.making import needs_r
from tests.stories.scene import PERSON, Scene, playing
from tests.stories.test_crash import environment_of, is_judging, worker

R_CHECK = """
environments:
  r-check:
    packages:
      r: [{packages}]
      commands: [Rscript]
"""
BY_SCRIPT = """
environment: tools
environments:
  tools:
    setup: setup.sh
    packages:
      commands: [prepared-tool]
"""
TOOL = """
for place in /box /home /opt /run /tmp /root /var; do
  find $place -name SKILL.md 2>/dev/null | grep . && exit 9
done
echo "installing the tool"
printf '#!/bin/sh\\necho "the tool of both arms"\\n' > /opt/environment/bin/prepared-tool
chmod +x /opt/environment/bin/prepared-tool
"""
BROKEN = "echo fetching\necho 'cannot find `libfoo`' >&2\nexit 3\n"

Seed = Callable[[LocalGitHub], RepositoryHandle]


def define(repository: RepositoryHandle, definitions: str, script: str = "") -> None:
    """Commit the samples with a file that defines environments, and a setup script."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "tree"
        shutil.copytree(HERE / "sample", folder)
        (folder / ".github").mkdir()
        (folder / ".github" / "skillbench.yml").write_text(definitions)
        if script:
            (folder / "setup.sh").write_text(script)
        repository.push(folder, by=PERSON)


def seeded(definitions: str, script: str = "") -> Seed:
    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        define(repository, definitions, script)
        return repository

    return seed


async def spending(scene: Scene) -> list[str]:
    """What Redis knows of money set aside or spent."""
    async with Redis.from_url(scene.stage.settings.redis_url) as redis:
        return [key.decode() async for key in redis.scan_iter("skillbench:budget*")]


@needs_r
async def test_a_missing_package_ends_the_request_with_the_list_and_costs_nothing(
    tmp_path: Path, app_key: str
) -> None:
    """One comment, which says what is missing; then the maintainer mends it and asks again."""
    seed = seeded(R_CHECK.format(packages="jsonlite, digest, gsDesign"))
    async with playing(tmp_path, app_key, seed=seed) as scene:
        asked = scene.comment(2, "@skillbench run --environment r-check")
        await scene.reacted(2, asked, "confused")
        [said] = scene.bot_comments(2)
        assert "### 🚫 Not started" in said
        assert "the environment `r-check` lacks what it is said to hold" in said
        assert "\n- `gsDesign` (R package): there is no package called ‘gsDesign’" in said
        assert "jsonlite" not in said
        assert scene.stage.model_api.requests == []
        assert await spending(scene) == []

        define(scene.repository, R_CHECK.format(packages="jsonlite, digest"))
        asked = scene.comment(2, "@skillbench run --environment r-check")
        await scene.reacted(2, asked, "rocket")
        assert await spending(scene) != []
        [report] = scene.reports(2)
        for fact in ("r-check", "R 4.", "jsonlite 1.", "digest 0.", "Rscript"):
            assert fact in report


@needs_r
async def test_a_label_is_taken_off_when_the_environment_is_not_ready(
    tmp_path: Path, app_key: str
) -> None:
    """The request has ended, however it was asked for; the label makes room for another."""
    seed = seeded("environment: r-check" + R_CHECK.format(packages="gsDesign"))
    async with playing(tmp_path, app_key, seed=seed) as scene:
        scene.label(1)
        await scene.label_gone(1)
        assert len(scene.bot_comments(1)) == 1
        assert "`gsDesign`" in scene.bot_comments(1)[0]
        assert scene.reactions(1) == ["eyes", "confused"]
        assert scene.repository.labels(1) == []


def use_the_tool(asked: Asked) -> Step:
    """A session's first step: run what the environment has put on the path."""
    if is_judging(asked) or asked.turn > 0:
        return behave(asked)
    command = "prepared-tool > output/tool.txt; touch /opt/environment/written"
    return Reply(calls=(Call("Bash", {"command": command}),))


async def test_what_a_setup_script_installs_is_met_by_the_sessions_of_both_arms(
    tmp_path: Path, app_key: str
) -> None:
    """From the script's text in the repository to the outputs of both sessions."""
    api = ScriptedModelApi(behaviour=use_the_tool)
    seed = seeded(BY_SCRIPT, TOOL)
    async with playing(tmp_path, app_key, seed=seed, model_api=api) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert "tools" in report
        assert "prepared-tool (command)" in report
        [folder] = (tmp_path / "data" / "environments").iterdir()
        assert not (folder / "environment" / "written").exists()
        outputs = [
            result.text
            for asked in scene.stage.model_api.requests
            if not is_judging(asked)
            for result in asked.last.results
        ]
        assert len([text for text in outputs if "Read-only file system" in text]) == 2
        assert "not found" not in "".join(outputs)


async def test_a_script_that_fails_is_answered_with_its_last_lines_and_may_be_mended(
    tmp_path: Path, app_key: str
) -> None:
    """What the maintainer needs to mend it stands in the comment, as text and nothing else."""
    async with playing(tmp_path, app_key, seed=seeded(BY_SCRIPT, BROKEN)) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [said] = scene.bot_comments(1)
        assert "the setup script of the environment `tools` ended with exit code 3" in said
        assert "- `fetching`\n- `cannot find 'libfoo'`" in said
        assert scene.stage.model_api.requests == []
        assert list((tmp_path / "data" / "environments").iterdir()) == []

        define(scene.repository, BY_SCRIPT, TOOL)
        scene.label(1)
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1


async def test_a_script_that_hangs_ends_after_the_operators_time(
    tmp_path: Path, app_key: str
) -> None:
    """Whoever asked is told, and nothing of the script goes on."""
    limits = {"setup_timeout": timedelta(seconds=1)}
    seed = seeded(BY_SCRIPT, "echo waiting for a mirror\nsleep 1000\n")
    async with playing(tmp_path, app_key, seed=seed, **limits) as scene:
        asked = scene.comment(1, "@skillbench run")
        await scene.reacted(1, asked, "confused")
        [said] = scene.bot_comments(1)
        assert "did not end within 1 seconds. Its last lines:" in said
        assert "- `waiting for a mirror`" in said
        assert scene.stage.model_api.requests == []


@pytest.mark.slow  # three processes start, and a dead one's lease has to end
async def test_a_worker_killed_during_the_setup_is_followed_by_one_that_prepares_anew(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while the script runs: the next worker begins again, the report comes once."""
    kept = tmp_path / "data" / "environments"
    waiting = """
touch /opt/environment/begun
while ! rm /opt/environment/go 2>/dev/null; do sleep 0.05; done
"""
    seed = seeded(BY_SCRIPT, waiting + TOOL)
    async with playing(tmp_path, app_key, seed=seed, worker=False) as scene:

        def building() -> list[Path]:
            return list(kept.glob("building-*/work/environment/begun"))

        environment = environment_of(scene.stage.settings)
        async with worker(environment) as first:
            scene.label(1)
            await scene.until(
                lambda: bool(building()) and "🧰 preparing" in "".join(scene.bot_comments(1)),
                "the beginning of the setup",
            )
            [living] = scene.bot_comments(1)
            assert "the environment `tools`" in living
            first.kill()
            await first.wait()
        [left] = building()
        async with worker(environment):
            await scene.until(lambda: building() not in ([], [left]), "the setup's second try")
            (building()[0].parent / "go").touch()
            await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert [len(path.name) for path in kept.iterdir()] == [64]
