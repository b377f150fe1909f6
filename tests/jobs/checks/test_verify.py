"""What code found is stored, so that it is found once, whatever happens to the worker."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.checks.check import Check
from jobs.checks.verdict import MachineVerdict
from jobs.checks.verify import TrialOutputs, verify_trial
from jobs.keeping import MOST_LOST
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.prepared import PLAIN
from jobs.values import Arm, Assertion
from jobs.world import RunWorld
from tests.builders import NOON, a_run_spec, an_eval_case

PLAIN_ONE = Assertion(id="A1", text="The file `report.json` parses as JSON")
OTHER = Assertion(id="A2", text="The report explains what was dropped")


def a_world(tmp_path: Path) -> RunWorld:
    return RunWorld(
        launchers=cast("Any", None),
        environments=cast("Any", None),
        sandboxes=BubblewrapMaker(),
        judge=cast("Any", None),
        catalog=cast("Any", None),
        blobs=Blobs(f"file://{tmp_path}/blobs"),
        budget=cast("Any", None),
        settings=Settings(_env_file=None, data_dir=tmp_path, session_memory_mb=256),
        clock=lambda: NOON,
        scratch=tmp_path / "scratch",
    )


def outputs(tmp_path: Path, command: str) -> TrialOutputs:
    case = an_eval_case(
        assertions=(PLAIN_ONE, OTHER), checks=(Check(id="C1", command=command),), inputs=()
    )
    folders = {}
    for arm, text in ((Arm.WITH_SKILL, "{}"), (Arm.WITHOUT_SKILL, "{")):
        folders[arm] = tmp_path / f"{arm}-unpacked"
        folders[arm].mkdir(exist_ok=True)
        (folders[arm] / "report.json").write_text(text)
    for name in ("input", "files"):
        (tmp_path / name).mkdir(exist_ok=True)
    return TrialOutputs(
        spec=a_run_spec(eval_case=case),
        outputs=folders,
        inputs=tmp_path / "input",
        files=tmp_path / "files",
        prepared=PLAIN,
        folder=tmp_path / "run",
        trial=2,
    )


def words(verdicts: tuple[MachineVerdict, ...]) -> dict[tuple[str, str], str | None]:
    assert {one.trial for one in verdicts} == {2}
    return {(one.assertion, one.arm.value): one.verdict for one in verdicts}


async def test_both_arms_are_verified_and_only_what_code_can_tell(tmp_path: Path) -> None:
    given = outputs(tmp_path, "grep -q } output/report.json")
    assert words(await verify_trial(given, a_world(tmp_path))) == {
        ("A1", "with_skill"): "pass",
        ("A1", "without_skill"): "fail",
        ("C1", "with_skill"): "pass",
        ("C1", "without_skill"): "fail",
    }


async def test_what_was_found_is_not_looked_for_again(tmp_path: Path) -> None:
    world = a_world(tmp_path)
    first = await verify_trial(outputs(tmp_path, "true"), world)
    given = outputs(tmp_path, "false")
    (given.outputs[Arm.WITH_SKILL] / "report.json").unlink()
    assert await verify_trial(given, world) == first


async def test_commands_that_took_their_workers_down_are_not_begun_again(tmp_path: Path) -> None:
    world, given = a_world(tmp_path), outputs(tmp_path, "true")
    key = f"runs/{given.spec.run_id}/checks-2.begun"
    await world.blobs.put(key, str(MOST_LOST).encode())
    found = words(await verify_trial(given, world))
    assert found["C1", "with_skill"] is found["C1", "without_skill"] is None
    assert found["A1", "with_skill"] == "pass"


async def test_a_worker_that_was_told_to_leave_counts_as_no_loss(tmp_path: Path) -> None:
    world, given = a_world(tmp_path), outputs(tmp_path, "echo > begun; sleep 987653")
    for _ in range(MOST_LOST + 1):
        work = asyncio.create_task(verify_trial(given, world))
        async with asyncio.timeout(30):
            while not list(given.folder.rglob("begun")):
                await asyncio.sleep(0.02)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    assert words(await verify_trial(outputs(tmp_path, "true"), world))["C1", "with_skill"] == "pass"


async def test_without_commands_nothing_is_kept(tmp_path: Path) -> None:
    """What is read off the files alone is read again."""
    world, given = a_world(tmp_path), outputs(tmp_path, "true")
    case = given.spec.eval_case.model_copy(update={"checks": ()})
    plain = replace(given, spec=given.spec.model_copy(update={"eval_case": case}))
    assert words(await verify_trial(plain, world)) == {
        ("A1", "with_skill"): "pass",
        ("A1", "without_skill"): "fail",
    }
    assert not list((tmp_path / "blobs").rglob("checks-*"))
