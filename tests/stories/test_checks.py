"""Checks by machine through the front door: run on both outputs, told, kept, stopped."""

import asyncio
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Gate, ScriptedModelApi, Stall
from demo.play import HERE, PERSON, seed_samples
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import cancelled
from tests.stories.test_crash import environment_of, is_judging, sessions, worker
from tests.stories.test_environments import BY_SCRIPT, TOOL, seeded

CHECK = """
import sys
text = open("output/profile.md").read()
print("looking for duplicates")
sys.exit("duplicate" not in text.casefold())
"""
CHECKS = """
## Checks
- finds the duplicates: `python3 tests/check.py`
- `test -s output/profile.md`
"""
PLAIN = "- The file `profile.md` exists\n"
SLEEP = f"sleep 4713.{os.getpid()}"
"""A command that nobody else on this machine runs."""


def with_check_file(github: LocalGitHub) -> RepositoryHandle:
    """The samples, and a program that decides about an output."""
    repository = seed_samples(github)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "tree"
        shutil.copytree(HERE / "sample", folder)
        (folder / "tests").mkdir()
        (folder / "tests" / "check.py").write_text(CHECK)
        repository.push(folder, by=PERSON)
    return repository


def add_to_case(scene: Scene, section: str, assertions: str = PLAIN) -> None:
    """Give the eval case of issue 1 more assertions and a section of checks."""
    body = scene.repository.issue(1).body.rstrip("\n")
    scene.repository.edit_issue(1, by=PERSON, body=f"{body}\n{assertions}{section}")


def row_of(report: str, name: str, part: str) -> list[str]:
    """The cells behind the first of a row in one folded part of a report."""
    section = report.split(f"<summary>{part}", 1)[1].split("</details>", 1)[0]
    row = next(line for line in section.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in row.strip("|").split(" | ")[1:]]


def sleepers() -> int:
    """How many processes of this machine run the long command."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        count += words[:2] == [part.encode() for part in SLEEP.split()]
    return count


async def test_checks_and_plain_assertions_are_decided_by_code_and_told(
    tmp_path: Path, app_key: str
) -> None:
    """Both arms, in the same table as the judge's; no session hears of them."""
    async with playing(tmp_path, app_key, seed=with_check_file) as scene:
        add_to_case(scene, CHECKS)
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        asked = [one for one in scene.stage.model_api.requests if not is_judging(one)]

    what, having, lacking = row_of(report, "C1", "⚙️ By machine: 2 checks, 1 plain assertion")
    assert what == "finds the duplicates<br>`python3 tests/check.py`"
    assert having == "✅ pass: Exit code 0."
    assert lacking == "❌ fail: Exit code 1."
    assert row_of(report, "C2", "⚙️ By machine")[2] == "❌ fail: Exit code 1."
    assert "**C1 without it**" in report
    assert "FileNotFoundError" in report.split("**C1 without it**")[1]
    assert "**C1 with the skill**" not in report, "what passes needs no output"

    _, having, lacking = row_of(report, "A6", "All 8 assertions with evidence")
    assert having.startswith("✅ pass ⚙️ by machine: profile.md is there, with ")
    assert "The judge said ❌ fail." in having
    assert lacking == "❌ fail ⚙️ by machine: There is no file profile.md."
    assert "code decided 3 of 8 assertions, 1 against the judge" in report
    assert "| **Score** | **8 / 8 (100%)** | **0 / 8 (0%)** |" in report
    assert "Withheld" not in report

    assert asked
    told = "\n".join(message.text for one in asked for message in one.messages)
    for word in ("check.py", "finds the duplicates", "profile.md` exists"):
        assert word not in told


async def test_lint_tells_what_code_decides(tmp_path: Path, app_key: str) -> None:
    """Which assertions, which commands beside which files, and what is amiss with them."""
    async with playing(tmp_path, app_key, seed=with_check_file) as scene:
        add_to_case(scene, f"{CHECKS}- `true`\n- `grep -q 'x output/profile.md`\n")
        scene.comment(1, "@skillbench lint")
        await scene.until(lambda: bool(scene.bot_comments(1)), "the answer")
        [said] = scene.bot_comments(1)
    assert "⚙️ By machine: A6 is verified by code" in said
    assert "⚙️ 4 checks run on each output" in said
    assert "- C1 finds the duplicates: `python3 tests/check.py`, beside `tests/check.py`" in said
    assert "| C3 | names neither `output/` nor a file of the repository" in said
    assert "| C4 | a quotation mark in it is never closed" in said


async def test_a_section_that_holds_no_command_is_answered_and_nothing_is_run(
    scene: Scene,
) -> None:
    """A check that would silently not run is worse than none."""
    add_to_case(scene, "\n## Checks\n\n```python\nassert True\n```\n")
    scene.label(1)
    await scene.label_gone(1)
    [said] = scene.bot_comments(1)
    assert "only a shell's lines are commands" in said
    assert scene.stage.model_api.requests == []


async def test_what_code_found_outlives_its_worker_and_is_found_once(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 while the judge reads: the successor tells what the first one's commands printed."""
    gate = Gate()
    api = ScriptedModelApi()
    api.fail(Stall(gate=gate), times=1, when=is_judging)
    random = "\n## Checks\n- `cat /proc/sys/kernel/random/uuid output/none`\n"
    async with playing(tmp_path, app_key, model_api=api, worker=False) as scene:
        add_to_case(scene, random)
        environment = environment_of(scene.stage.settings)
        runs = scene.stage.settings.data_dir / "blobs" / "runs"
        async with worker(environment) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            [stored] = [path.read_text() for path in runs.glob("*/checks-1.json")]
            paid = sessions(scene)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        async with worker(environment):
            await scene.label_gone(1)
        [report] = scene.reports(1)
        assert sessions(scene) == paid
    drawn = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", stored)
    assert len(drawn) == 2
    assert all(one in report for one in drawn)


async def test_a_cancel_ends_the_commands_within_seconds(tmp_path: Path, app_key: str) -> None:
    """Of another process, with everything they started."""
    async with playing(tmp_path, app_key, worker=False, check_timeout="PT10M") as scene:
        add_to_case(scene, f"\n## Checks\n- `{SLEEP} & {SLEEP}`\n")
        variables = environment_of(scene.stage.settings)
        async with worker(variables | {"SKILLBENCH_CHECK_TIMEOUT": "PT10M"}):
            scene.label(1)
            await scene.until(lambda: sleepers() == 4, "the commands of both arms")
            scene.comment(1, "@skillbench cancel")
            async with asyncio.timeout(30):
                while sleepers():
                    await asyncio.sleep(0.05)
            await scene.label_gone(1)
            assert "🛑 cancelled" in await cancelled(scene, 1)
        assert scene.reports(1) == []


async def test_judged_again_a_run_keeps_what_code_had_found(tmp_path: Path, app_key: str) -> None:
    """No command runs a second time, and the score stays what both say together."""
    async with playing(tmp_path, app_key, seed=with_check_file) as scene:
        add_to_case(scene, CHECKS)
        scene.label(1)
        await scene.label_gone(1)
        asked = scene.comment(1, "@skillbench rejudge --judge scripted-demo")
        await scene.reacted(1, asked, "rocket")
        first, again = scene.reports(1)
    assert '"score": {"with_skill": 1.0' in first
    assert '"score": {"with_skill": 1.0' in again
    assert "| **Now** | `scripted-demo` | 100% |" in again


async def test_checks_in_each_trial_are_told_with_how_often_they_passed(
    tmp_path: Path, app_key: str
) -> None:
    """Each trial's files by themselves."""
    async with playing(tmp_path, app_key, seed=with_check_file) as scene:
        add_to_case(scene, CHECKS)
        asked = scene.comment(1, "@skillbench run scripted-demo --trials 2")
        await scene.reacted(1, asked, "rocket")
        [report] = scene.reports(1)
    cells = row_of(report, "C1", "⚙️ By machine")
    assert cells[1:] == ["2 trials: ✅ pass: Exit code 0.", "2 trials: ❌ fail: Exit code 1."]
    assert "**C1 without it, trial 2**" in report


async def test_checks_run_in_the_environment_of_the_sessions(tmp_path: Path, app_key: str) -> None:
    """What its setup script installed is there."""
    async with playing(tmp_path, app_key, seed=seeded(BY_SCRIPT, TOOL)) as scene:
        add_to_case(scene, "\n## Checks\n- `prepared-tool | grep -q 'tool of both arms'`\n")
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
    assert row_of(report, "C1", "⚙️ By machine")[1:] == ["✅ pass: Exit code 0."] * 2
