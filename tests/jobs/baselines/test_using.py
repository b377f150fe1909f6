"""A kept session stands in for a new one only where both met the same world."""

from pathlib import Path
from typing import Any

import pytest

from jobs.baselines.kept import find_kept
from jobs.baselines.using import choose, render_refusals, take
from jobs.sessions.bundle import read_bundle
from jobs.sessions.run_limits import session_limits
from jobs.steps import SessionKey, stored_at
from jobs.values import Arm, RunSpec, SessionResult
from tests.jobs.baselines.world import Shop, a_baseline, a_spec

KEY = SessionKey(Arm.WITHOUT_SKILL, 1)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def met(**changes: Any) -> SessionResult:
    """The session with the skill, in the same world."""
    return a_baseline(arm=Arm.WITH_SKILL, skill_loaded=True, **changes)


async def chosen(shop: Shop, spec: RunSpec) -> dict[int, str]:
    limits = session_limits(shop.settings, spec.trials)
    return {trial: one.run for trial, one in (await choose(spec, limits, shop.world)).items()}


async def take_one(shop: Shop, tested: SessionResult, spec: RunSpec, folder: Path) -> bool:
    [kept] = await find_kept(spec, shop.limits, shop.world)
    folder.mkdir()
    return await take(kept, KEY, tested, spec, folder, shop.world)


async def test_it_takes_its_place_as_this_run_s_and_says_whose_it_is(
    shop: Shop, tmp_path: Path
) -> None:
    await shop.end(a_spec(), a_baseline(wall_s=33.0))
    spec = a_spec("b" * 12)
    assert await take_one(shop, met(), spec, tmp_path / "run")
    bundle = await shop.world.blobs.get(stored_at(KEY, spec))
    assert bundle is not None
    session = read_bundle(bundle, tmp_path / "read")
    assert (session.reused_from, session.wall_s, session.trial) == ("a" * 12, 33.0, 1)
    assert await render_refusals(spec, shop.world) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"served_models": ("claude-sonnet-4-6-20260202",)}, "different models"),
        ({"launcher_version": "2.1.198"}, "versions of the launcher"),
        ({"tools": ("Bash",)}, "different tools"),
        ({"tools": ()}, "one of the two does not tell which tools there were"),
        ({"sandbox": "docker"}, "kinds of sandbox"),
        ({"sandbox": ""}, "does not tell in which sandbox it was"),
        ({"environment": "sha256:1"}, "different environments"),
        ({"memory_mb": 512}, "different memory"),
        ({"memory_mb": None}, "does not tell how much memory it had"),
        ({"limits": None}, "does not tell what its limits were"),
    ],
)
async def test_one_that_met_another_world_does_not_and_the_report_says_why(
    shop: Shop, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """What only one of them tells is no match either."""
    await shop.end(a_spec(), a_baseline())
    spec = a_spec("b" * 12)
    assert not await take_one(shop, met(**changes), spec, tmp_path / "run")
    assert not await shop.world.blobs.exists(stored_at(KEY, spec))
    [remark] = await render_refusals(spec, shop.world)
    assert remark.startswith("The session without the skill ran anew: that of run aaaaaaaaaaaa")
    assert words in remark


async def test_one_that_was_swept_away_meanwhile_runs_anew(shop: Shop, tmp_path: Path) -> None:
    await shop.end(a_spec(), a_baseline())
    spec = a_spec("b" * 12)
    [kept] = await find_kept(spec, shop.limits, shop.world)
    await shop.world.blobs.delete(kept.key)
    assert not await take(kept, KEY, met(), spec, tmp_path, shop.world)
    [remark] = await render_refusals(spec, shop.world)
    assert "it is not kept any more" in remark


async def test_the_choice_stays_the_same_for_whoever_carries_the_run_on(shop: Shop) -> None:
    """Also where a newer session has come meanwhile, or there was none at first."""
    early = a_spec("e" * 12)
    assert await chosen(shop, early) == {}
    await shop.end(a_spec(), a_baseline())
    spec = a_spec("b" * 12)
    assert await chosen(shop, spec) == {1: "a" * 12}
    await shop.end(a_spec("c" * 12, fresh=True), a_baseline(wall_s=50.0))
    assert await chosen(shop, spec) == {1: "a" * 12}
    assert await chosen(shop, early) == {}
    assert await chosen(shop, a_spec("d" * 12)) == {1: "c" * 12}


async def test_no_kept_session_is_in_two_trials(shop: Shop) -> None:
    """Two for three trials: the third runs."""
    sessions = [a_baseline(trial=trial, wall_s=40.0 + trial) for trial in (1, 2)]
    await shop.end(a_spec(trials=3), *sessions)
    spec = a_spec("b" * 12, trials=3)
    kept = await choose(spec, session_limits(shop.settings, 3), shop.world)
    assert sorted(kept) == [1, 2]
    assert len({one.key for one in kept.values()}) == 2


async def test_a_trial_with_a_session_of_its_own_is_given_none(shop: Shop) -> None:
    """What a run that came to no end had left to this one."""
    await shop.end(a_spec(trials=2), a_baseline())
    spec = a_spec("b" * 12, trials=2)
    await shop.world.blobs.put(stored_at(KEY, spec), b"a bundle")
    assert await chosen(shop, spec) == {2: "a" * 12}
