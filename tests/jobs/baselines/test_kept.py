"""Which sessions without a skill are kept, for whom, and for how long."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from config.settings import Settings
from jobs.baselines.kept import find_kept
from jobs.requests import Repo
from jobs.sessions.run_limits import session_limits
from jobs.values import Arm, RunSpec, SessionEnd
from tests.builders import NOON, a_model, a_skill, an_eval_case, an_input_file
from tests.jobs.baselines.world import DAYS, Shop, a_baseline, a_spec


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


async def found(shop: Shop, spec: RunSpec) -> list[str]:
    """The runs whose sessions a run may use."""
    limits = session_limits(shop.settings, spec.trials)
    return [one.run for one in await find_kept(spec, limits, shop.world)]


@pytest.mark.parametrize(
    "changes",
    [
        {"skill": a_skill(sha="9" * 64)},
        {"skill": a_skill(path="text/other", name="other")},
        {"commit": "f" * 40},
        {"issue": 99, "asker": "hubot"},
        {"judge": a_model(sent="another-judge")},
        {"repo": Repo(owner="ACME", name="Skills", installation_id=7)},
    ],
    ids=["new version", "another skill", "another commit", "other people", "judge", "letters"],
)
async def test_what_the_session_does_not_depend_on_makes_no_difference(
    shop: Shop, changes: dict[str, Any]
) -> None:
    await shop.end(a_spec(), a_baseline())
    assert await found(shop, a_spec("b" * 12, **changes)) == ["a" * 12]


@pytest.mark.parametrize(
    "changes",
    [
        {"repo": Repo(owner="acme", name="other", installation_id=7)},
        {"eval_case": an_eval_case(digest="9" * 64)},
        {"eval_case": an_eval_case(id="github-issue-99")},
        {"eval_case": an_eval_case(inputs=(an_input_file(sha256="9" * 64),))},
        {"eval_case": an_eval_case(prompt="Something else.")},
        {"model": a_model(sent="another-model")},
        {"launcher": "claude-code"},
        {"mode": "installed"},
        {"environment": "e" * 64},
        {"trials": 2},
        {"vs": "self"},
        {"fresh": True},
        {"baseline_days": 0},
    ],
    ids=str,
)
async def test_under_other_conditions_nothing_is_used_again(
    shop: Shop, changes: dict[str, Any]
) -> None:
    """A trial of two may use half as much, so that it is another measurement."""
    await shop.end(a_spec(), a_baseline())
    assert await found(shop, a_spec("b" * 12, **changes)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"session_memory_mb": 512},
        {"session_max_turns": 7},
        {"max_usd_per_run": 1},
        {"sandbox": "docker"},
    ],
    ids=str,
)
async def test_other_settings_are_other_conditions(shop: Shop, changes: dict[str, Any]) -> None:
    await shop.end(a_spec(), a_baseline())
    shop.settings = Settings(_env_file=None, **changes)
    assert await found(shop, a_spec("b" * 12)) == []


@pytest.mark.parametrize(
    "session",
    [
        a_baseline(end=SessionEnd.MAX_COST),
        a_baseline(end=SessionEnd.ERROR),
        a_baseline(end=SessionEnd.RATE_LIMITED),
        a_baseline(end=SessionEnd.REFUSED),
        a_baseline(reused_from="c" * 12),
        a_baseline(skill_loaded=True),
        a_baseline(Arm.WITH_SKILL),
    ],
    ids=["money", "error", "rate", "refused", "used again", "skill seen", "with skill"],
)
async def test_what_is_no_baseline_is_not_kept(shop: Shop, session: Any) -> None:
    await shop.end(a_spec(), session)
    assert await found(shop, a_spec("b" * 12)) == []


@pytest.mark.parametrize("changes", [{"fresh": True}, {}])
async def test_a_run_that_used_none_leaves_its_own(shop: Shop, changes: dict[str, Any]) -> None:
    """Asking for both arms pays for the next ones, too."""
    await shop.end(a_spec(**changes), a_baseline())
    assert await found(shop, a_spec("b" * 12)) == ["a" * 12]


@pytest.mark.parametrize("changes", [{"baseline_days": 0}, {"vs": "self"}])
async def test_where_nothing_may_be_used_again_nothing_is_kept(
    shop: Shop, changes: dict[str, Any]
) -> None:
    await shop.end(a_spec(**changes), a_baseline())
    assert await found(shop, a_spec("b" * 12)) == []


async def test_a_session_grows_too_old_by_the_repository_s_word_of_today(shop: Shop) -> None:
    """Counted from its end, however often it was used in between."""
    await shop.end(a_spec(), a_baseline())
    ended = NOON + timedelta(seconds=48)
    for age, days, wanted in (
        (timedelta(days=DAYS), DAYS, 1),
        (timedelta(days=DAYS, seconds=1), DAYS, 0),
        (timedelta(days=2), 1, 0),
        (timedelta(days=20), 30, 1),
    ):
        shop.now = ended + age
        assert len(await found(shop, a_spec("b" * 12, baseline_days=days))) == wanted


async def test_the_newest_go_first_and_no_more_than_there_are_trials(shop: Shop) -> None:
    """Chosen by age alone."""
    for day, run in enumerate("cab"):
        at = NOON + timedelta(days=day)
        await shop.end(
            a_spec(run * 12, trials=2),
            *(a_baseline(started_at=at, wall_s=trial, trial=trial) for trial in (1, 2)),
        )
    shop.now = NOON + timedelta(days=3)
    assert await found(shop, a_spec("d" * 12, trials=2)) == ["b" * 12, "b" * 12]


async def test_one_session_that_two_runs_have_come_by_is_one(shop: Shop) -> None:
    """A run that was given up leaves its sessions to the next; either may end after all."""
    for run in "ab":
        await shop.end(a_spec(run * 12, trials=3), a_baseline())
    assert len(await found(shop, a_spec("c" * 12, trials=3))) == 1


async def test_what_was_swept_away_is_not_offered(shop: Shop) -> None:
    await shop.end(a_spec(), a_baseline())
    [one] = await find_kept(a_spec("b" * 12), shop.limits, shop.world)
    await shop.world.blobs.delete(one.key)
    assert await found(shop, a_spec("b" * 12)) == []


async def test_a_list_does_not_grow_for_ever(shop: Shop) -> None:
    for number in range(25):
        at = NOON + timedelta(minutes=number)
        await shop.end(a_spec(f"{number:012d}", trials=20), a_baseline(started_at=at))
    shop.now = NOON + timedelta(hours=1)
    runs = await found(shop, a_spec("b" * 12, trials=20))
    assert (len(runs), runs[0]) == (20, f"{24:012d}")
