"""Figures are made once for each state of the ledger, and say when they lag behind it."""

import asyncio
from datetime import timedelta

from bot.store.figures_shelf import FIGURES
from bot.web.figures_kept import SAID_AFTER
from bot.web.figures_making import MADE_ANEW
from jobs.errors import Transient
from tests.bot.web_pages.figures_scene import HERE, NOW, Scene, until
from tests.bot.web_pages.ledger_seed import REPO, SKILLS, put_records
from tests.builders import a_run_record


async def test_however_many_ask_it_is_made_once(scene: Scene) -> None:
    await scene.put(40)
    first, second = scene.figures(), scene.figures()
    await asyncio.gather(
        *(figures.overview([HERE]) for figures in (first, second) for _ in range(5)),
        *(figures.skill(HERE, SKILLS[1]) for figures in (first, second) for _ in range(5)),
    )
    assert scene.aside.done.count("work_out") == len(SKILLS)


async def test_a_new_process_finds_what_another_made(scene: Scene) -> None:
    await scene.put(40)
    before = await scene.figures().overview([HERE])
    scene.aside.trouble = Transient("there is nothing to work out")
    assert await scene.figures().overview([HERE]) == before


async def test_a_new_run_is_shown_once_its_figures_are_made(scene: Scene) -> None:
    await scene.put(40)
    figures = scene.figures()
    [before] = await figures.overview([HERE])
    done = len(scene.aside.done)
    await put_records(scene.redis, [a_run_record(repo=REPO, skill=SKILLS[2], finished_at=NOW)])
    scene.aside.gate.clear()
    [old] = await figures.overview([HERE])
    assert {card.skill: card for card in old.cards} == {one.skill: one for one in before.cards}
    assert old.cards[0].skill == SKILLS[2]
    scene.aside.gate.set()

    async def is_new() -> bool:
        [now] = await figures.overview([HERE])
        return now.cards[0].runs == 11

    await until(is_new)
    assert scene.aside.done[done:] == ["work_out"]


async def test_figures_that_lag_behind_say_so_after_a_minute(scene: Scene) -> None:
    await scene.put(40)
    figures = scene.figures()
    await figures.overview([HERE])
    await put_records(scene.redis, [a_run_record(repo=REPO, skill=SKILLS[2], finished_at=NOW)])
    scene.aside.gate.clear()
    versions = []
    for later, is_behind in [(timedelta(0), False), (SAID_AFTER * 1.1, True)]:
        scene.now = NOW + later
        versions.append(await figures.version(HERE))
        [shown] = await figures.overview([HERE])
        assert [card.is_behind for card in shown.cards] == [is_behind, False, False, False]
    assert versions[0] != versions[1]


async def test_money_of_the_week_is_counted_anew_each_hour(scene: Scene) -> None:
    await scene.put(8)
    figures = scene.figures()
    [before] = await figures.overview([HERE])
    assert before.spend_week_usd > 0
    scene.now = NOW + timedelta(days=8)

    async def is_zero() -> bool:
        await figures.version(HERE)  # whoever asks for no more has it made anew, too
        [now] = await figures.overview([HERE])
        return now.spend_week_usd == 0

    await until(is_zero)
    done = len(scene.aside.done)
    scene.now += MADE_ANEW / 2
    await figures.overview([HERE])
    assert len(scene.aside.done) == done


async def test_a_version_changes_with_what_is_shown_and_with_nothing_else(scene: Scene) -> None:
    await scene.put(40)
    figures = scene.figures()
    first = await figures.version(HERE)
    await figures.overview([HERE])
    made = await figures.version(HERE)
    assert made != first
    assert await scene.figures().version(HERE) == made
    of_skills = [await figures.version(HERE, skill) for skill in SKILLS[:2]]
    await put_records(scene.redis, [a_run_record(repo=REPO, skill=SKILLS[0], finished_at=NOW)])
    assert await figures.version(HERE) != made
    assert await figures.version(HERE, SKILLS[0]) != of_skills[0]
    assert await figures.version(HERE, SKILLS[1]) == of_skills[1]


async def test_an_emptied_redis_shows_nothing_that_it_forgot(scene: Scene) -> None:
    await scene.put(40)
    figures = scene.figures()
    await figures.overview([HERE])
    version = await figures.version(HERE)
    await scene.redis.flushall()
    [shown] = await figures.overview([HERE])
    assert shown.cards == ()
    assert await figures.skill(HERE, SKILLS[0]) is None
    await scene.put(40)
    [shown] = await figures.overview([HERE])
    assert sum(card.runs for card in shown.cards) == 40
    assert await figures.version(HERE) != version


async def test_what_cannot_be_made_is_said_to_be_unknown(scene: Scene) -> None:
    """Not shown as zero, and not tried again with every page."""
    await scene.put(40)
    scene.aside.trouble = Transient("its process was lost")
    figures = scene.figures()
    for _ in range(2):
        [shown] = await figures.overview([HERE])
        assert [(card.made_at, card.latest, card.runs) for card in shown.cards] == 4 * [
            (None, None, 10)
        ]
        assert shown.is_spend_partial
        found = await figures.skill(HERE, SKILLS[0])
        assert found is not None
        assert found.is_partial
        assert found.card == next(card for card in shown.cards if card.skill == SKILLS[0])


async def test_what_takes_long_is_not_waited_for(scene: Scene) -> None:
    await scene.put(4)
    scene.aside.gate.clear()
    figures = scene.figures(first_wait_s=0.01)
    [shown] = await figures.overview([HERE])
    assert {card.made_at for card in shown.cards} == {None}
    scene.aside.gate.set()

    async def is_made() -> bool:
        [now] = await figures.overview([HERE])
        return all(card.made_at == NOW for card in now.cards)

    await until(is_made)


async def test_figures_that_redis_lost_alone_are_made_anew(scene: Scene) -> None:
    """As where memory was short and something was thrown out."""
    await scene.put(4)
    await scene.figures().overview([HERE])
    async for key in scene.redis.scan_iter(f"{FIGURES}card:*"):
        await scene.redis.delete(key)
    async for key in scene.redis.scan_iter(f"{FIGURES}skill:*"):
        await scene.redis.delete(key)
    [shown] = await scene.figures().overview([HERE])
    assert {card.made_at for card in shown.cards} == {NOW}


async def test_figures_of_other_rules_are_made_anew(scene: Scene) -> None:
    await scene.put(40)
    await scene.figures().overview([HERE])
    scene.settings = scene.settings.model_copy(update={"set_fewest": 2})
    await scene.figures().overview([HERE])
    assert scene.aside.done.count("work_out") == 2 * len(SKILLS)
