"""GitHub in every kind of trouble at once, and a repository that is renamed during its run."""

import asyncio
from pathlib import Path

from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_crash import is_judging


async def test_trouble_that_passes_costs_time_alone(scene: Scene) -> None:
    """An expired token, a secondary limit, 5xx, slow answers, a lost answer: one report."""
    faults = scene.github.faults
    faults.latency(0.2, on="GET *", times=20)
    faults.answer(503, on="GET */permission", times=1)
    faults.answer(500, on="GET */tarball/*", times=1)
    faults.secondary_limit(on="POST */comments", times=1, retry_after_s=1)
    faults.drop_connection(on="PATCH */comments/*", times=1, after_effect=True)
    scene.label(1)
    await scene.until(lambda: bool(scene.bot_comments(1)), "the acknowledgement")
    for installation in scene.github.site.state.installations:
        scene.github.site.tokens.revoke_all(installation)
    await scene.label_gone(1)
    assert len(scene.reports(1)) == 1
    assert len(scene.bot_comments(1)) == 2
    assert scene.reactions(1) == ["eyes", "rocket"]


async def test_a_repository_that_is_renamed_during_its_run_gets_its_report(
    tmp_path: Path, app_key: str
) -> None:
    """Its old address leads to the new one, for reads and for writes."""
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        scene.repository.rename("better-skills")
        gate.released.set()
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1
        assert scene.reactions(1) == ["eyes", "rocket"]
