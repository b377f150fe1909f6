"""Money of a repository: told beforehand, refused with the numbers, let pass by who may."""

from decimal import Decimal
from pathlib import Path

from inline_snapshot import snapshot
from redis.asyncio import Redis

from bot.store.budget import RedisBudget
from demo.model_api import ScriptedModelApi
from tests.money import spent_today
from tests.stories.scene import Scene, playing, steady
from tests.stories.test_cancel import MODEL, MODELS
from tests.stories.test_environments import define, seeded
from tests.stories.test_waiting import told

SMALL_DAY = "budgets:\n  per_day: 3\n"
SMALL_BOTH = "budgets:\n  per_day: 3\n  per_run: 2\n"


def priced() -> ScriptedModelApi:
    return ScriptedModelApi(models=MODELS)


async def set_aside_today(scene: Scene) -> Decimal:
    settings = scene.stage.settings
    async with Redis.from_url(settings.redis_url) as redis:
        return await spent_today(RedisBudget(redis, per_day=settings.max_usd_per_day))


async def test_a_run_that_the_day_has_no_room_for_is_refused_with_the_numbers(
    tmp_path: Path, app_key: str
) -> None:
    """Before anything is spent, and without a comment that lives."""
    seed = seeded(SMALL_DAY)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=priced(), judge_model=MODEL
    ) as scene:
        asked = scene.comment(2, f"@skillbench run {MODEL}")
        await scene.reacted(2, asked, "confused")
        assert scene.stage.model_api.requests == []
        assert await set_aside_today(scene) == 0
        [_] = scene.bot_comments(2)
        assert steady(told(scene, 2)) == snapshot("""\
🚫 **Not started:** today's budget of sample-org/skills is 3.00 USD (`budgets.per_day` in \
`.github/skillbench.yml`): 0.00 USD are spent, 0.00 USD are set aside for runs under way, and a \
run needs up to 5.00 USD. That is more than a whole day's: `budgets.per_run` can lower what a run \
may cost. A maintainer can let it pass with `--override-budget`.

<sub>All commands: `@skillbench help`</sub>
""")


async def test_a_lower_limit_of_a_run_lets_it_into_the_day(tmp_path: Path, app_key: str) -> None:
    """The repository's own limit of a run is what it sets aside, and what is told."""
    seed = seeded(SMALL_BOTH)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=priced(), judge_model=MODEL
    ) as scene:
        asked = scene.comment(2, f"@skillbench run {MODEL}")
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 1
        assert 0 < await set_aside_today(scene) < Decimal("0.50")


async def test_a_maintainer_lets_a_run_pass_the_repositorys_budgets(
    tmp_path: Path, app_key: str
) -> None:
    seed = seeded(SMALL_DAY)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=priced(), judge_model=MODEL
    ) as scene:
        scene.github.add_person("olga", {"sample-org/skills": "maintain"})
        asked = scene.comment(2, f"@skillbench run {MODEL} --override-budget", by="olga")
        await scene.reacted(2, asked, "rocket")
        assert len(scene.reports(2)) == 1


async def test_nobody_lets_a_run_pass_the_operators_limit(tmp_path: Path, app_key: str) -> None:
    async with playing(
        tmp_path, app_key, model_api=priced(), judge_model=MODEL, max_usd_per_day=Decimal(4)
    ) as scene:
        scene.github.add_person("olga", {"sample-org/skills": "maintain"})
        asked = scene.comment(2, f"@skillbench run {MODEL} --override-budget", by="olga")
        await scene.reacted(2, asked, "confused")
        assert "SKILLBENCH_MAX_USD_PER_DAY" in told(scene, 2)
        assert scene.stage.model_api.requests == []


async def test_a_run_that_is_expected_to_cost_more_than_its_limit_is_refused(
    tmp_path: Path, app_key: str
) -> None:
    """What the first run took is known; the second is expected to take as much."""
    async with playing(tmp_path, app_key, model_api=priced(), judge_model=MODEL) as scene:
        first = scene.comment(2, f"@skillbench run {MODEL}")
        await scene.reacted(2, first, "rocket")
        define(scene.repository, "budgets:\n  per_run: 0.01\n")
        paid = len(scene.stage.model_api.requests)
        again = scene.comment(2, f"@skillbench run {MODEL} --force")
        await scene.reacted(2, again, "confused")
        assert "from 1 past run, and the limit of one run is 0.01 USD" in told(scene, 2)
        assert "`budgets.per_run`" in told(scene, 2)
        assert len(scene.stage.model_api.requests) == paid


async def test_the_second_run_says_what_the_first_one_took(tmp_path: Path, app_key: str) -> None:
    """The acknowledgement rests on it; it stands in the history of the comment's edits."""
    async with playing(tmp_path, app_key, model_api=priced(), judge_model=MODEL) as scene:
        first = scene.comment(2, f"@skillbench run {MODEL}")
        await scene.reacted(2, first, "rocket")
        second = scene.comment(2, f"@skillbench run {MODEL} --force")
        await scene.reacted(2, second, "rocket")
        posted = [
            str(one.request_body["body"])
            for one in scene.github.requests
            if one.method == "POST" and one.path.endswith("/issues/2/comments")
        ]
        expected = [body for body in posted if "**Expected:**" in body]
        assert "no past runs to go by; &#36;5.00 at most by the limit" in expected[0]
        assert "from 1 past run of this eval case with this model" in expected[1]
