"""Two workers that share a Redis and a bucket, and no disk."""

import asyncio
import signal
from pathlib import Path

from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.s3 import Bucket, bucket
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_cancel import has_skill, lacks_skill
from tests.stories.test_crash import environment_of, worker


def machine(scene: Scene, s3: Bucket, folder: Path) -> dict[str, str]:
    """A worker's variables, with a disk of its own."""
    folder.mkdir()
    own = {"SKILLBENCH_DATA_DIR": str(folder), "TMPDIR": str(folder)}
    return environment_of(scene.stage.settings) | s3.environment | own


async def test_another_machine_goes_on_from_the_session_that_was_stored(
    tmp_path: Path, app_key: str
) -> None:
    """The first is killed with one session ended and one under way; the second pays for one."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lacks_skill)
    async with (
        bucket() as s3,
        playing(tmp_path, app_key, model_api=api, worker=False, blob_url=s3.address) as scene,
    ):
        async with worker(machine(scene, s3, tmp_path / "one")) as first:
            scene.label(1)
            await asyncio.wait_for(gate.reached.wait(), 120)
            async with asyncio.timeout(WAIT_S):
                while "with_skill-1.zip" not in (await s3.keys()).replace("without_skill", ""):
                    await asyncio.sleep(0.1)
            first.send_signal(signal.SIGKILL)
            await first.wait()
        paid = [asked for asked in api.requests if has_skill(asked)]
        assert paid
        async with worker(machine(scene, s3, tmp_path / "two")):
            await scene.label_gone(1)
        assert [asked for asked in api.requests if has_skill(asked)] == paid
        [report] = scene.reports(1)
        assert "With the skill" in report
        assert "ended.json" in await s3.keys()
    for folder in ("one", "two"):
        assert not (tmp_path / folder / "blobs").exists()
