"""Figures follow the ledger, are made once for each of its states, and say when they lag behind."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.redis_clients import connect_briefly
from bot.store.figures_shelf import FIGURES
from bot.store.index_upkeep import RUNS
from bot.store.ledger import RedisLedger
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
from bot.web.aside import Aside
from bot.web.figures import Figures
from bot.web.figures_kept import SAID_AFTER
from bot.web.figures_making import MADE_ANEW
from config.settings import Settings
from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.skill import SkillRuns, make_skill_figures
from jobs.errors import Transient
from jobs.requests import Repo
from jobs.results import LONG_AGO
from jobs.triggering.history import note_measurement
from tests.bot.web import some_settings
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, put_records, some_records
from tests.builders import a_run_record
from tests.jobs.triggering.test_history import a_record as a_trigger_record

WAIT_S = 60.0
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HERE = SeenRepo(full_name=REPO, is_private=False, installation_id=7, seen_at=NOW)


class WatchedAside(Aside):
    """Does its work when it is let, and counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self.trouble: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        await self.gate.wait()
        if self.trouble is not None:
            raise self.trouble
        self.done.append(work.__name__)
        return await super().run(work, *args, **kwargs)


@dataclass
class Scene:
    """One web process's figures, over a clock that is set by hand."""

    redis: Redis
    settings: Settings
    aside: WatchedAside
    now: datetime = NOW
    opened: list[Figures] = field(default_factory=list)

    def figures(self, **changes: Any) -> Figures:
        """Those of one more process, which waits for a loaded machine."""
        given = {"first_wait_s": WAIT_S} | changes
        made = Figures(self.redis, self.settings, self.aside, lambda: self.now, **given)
        self.opened.append(made)
        return made

    async def put(self, count: int, **changes: Any) -> None:
        await put_records(self.redis, some_records(count, until=NOW, **changes))


@pytest.fixture
async def scene(redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    scene = Scene(redis, some_settings(redis_url, data_dir=tmp_path / "data"), WatchedAside())
    yield scene
    for figures in scene.opened:
        await figures.close()
    scene.aside.close()


async def until(holds: Callable[[], Any]) -> None:
    """Wait for what is being made behind."""
    async with asyncio.timeout(WAIT_S):
        while not await holds():
            await asyncio.sleep(0.01)


async def test_an_empty_ledger_has_nothing_to_show(scene: Scene) -> None:
    figures = scene.figures()
    assert await figures.repos() == []
    assert await figures.repo(REPO) is None
    [shown] = await figures.overview([HERE])
    assert (shown.repo, shown.cards, shown.spend_week_usd) == (REPO, (), 0)
    assert await figures.skill(HERE, SKILLS[0]) is None
    found = await figures.runs(HERE)
    assert (found.rows, found.total, found.next) == ((), 0, "")
    assert await figures.record(HERE, "a" * 12) is None
    assert scene.aside.done == []


async def test_a_repository_that_was_seen_is_there_without_a_run(scene: Scene) -> None:
    seen = RedisSeenRepos(scene.redis, lambda: NOW)
    await seen.see(Repo(owner="acme", name="skills", installation_id=7))
    assert await scene.figures().repo("ACME/Skills") == HERE
    assert await scene.figures().repos() == []


async def test_a_repository_of_which_nobody_said_so_counts_as_private(scene: Scene) -> None:
    await RedisLedger(scene.redis).note(a_run_record(repo="Acme/Old"))
    known = SeenRepo(full_name="Acme/Old", is_private=True, installation_id=0, seen_at=LONG_AGO)
    assert await scene.figures().repos() == [known]
    assert await scene.figures().repo("acme/old") == known


async def test_figures_are_what_the_records_say(scene: Scene) -> None:
    records = some_records(300, until=NOW)
    await put_records(scene.redis, records)
    figures = scene.figures()
    path = SKILLS[0]
    own = [one for one in records if one.skill == path]
    limits = Thresholds.of(scene.settings)
    expected = make_skill_figures(SkillRuns(REPO, path, own, len(own)), limits, NOW)
    found = await figures.skill(HERE, path)
    assert found is not None
    assert found.card.made_at == NOW
    assert found.sets == expected.sets
    assert found.versions == expected.versions
    assert found.cells == expected.cells
    assert found.card.model_copy(update={"made_at": None}) == expected.card
    [shown] = await figures.overview([HERE])
    assert next(card for card in shown.cards if card.skill == path) == found.card
    assert [card.skill for card in shown.cards] == [SKILLS[(299 - at) % 4] for at in range(4)]
    assert shown.spend_week_usd == pytest.approx(sum(card.spend_week_usd for card in shown.cards))


async def test_of_many_runs_the_newest_thousand_are_read_and_all_are_counted(scene: Scene) -> None:
    await scene.put(1_100, skills=["only"])
    found = await scene.figures().skill(HERE, "only")
    assert found is not None
    assert (found.card.runs, found.card.read) == (1_100, 1_000)


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


async def test_a_list_of_runs_is_chosen_and_goes_on(scene: Scene) -> None:
    records = some_records(120, until=NOW)
    await put_records(scene.redis, records)
    figures = scene.figures()
    first = await figures.runs(HERE, model=MODELS[0], most=10)
    rest = await figures.runs(HERE, model=MODELS[0], most=200, after=first.next)
    meant = [one.run for one in reversed(records) if one.model == MODELS[0]]
    assert [row.run for row in (*first.rows, *rest.rows)] == meant
    assert (first.total, rest.next) == (len(meant), "")
    anew = await figures.runs(HERE, model=MODELS[0], most=10, after="no such place")
    assert anew == first
    assert await figures.models(HERE) == sorted(MODELS)
    assert await figures.models(HERE, "no/such") == []
    assert await figures.record(HERE, records[3].run) == records[3]


async def test_a_description_is_shown_although_nothing_else_was_measured(scene: Scene) -> None:
    measured = a_trigger_record(repo=REPO, skill="only/described", ended_at=NOW)
    await note_measurement(measured, Blobs(scene.settings.blobs))
    found = await scene.figures().skill(HERE, "only/described")
    assert found is not None
    assert [point.run for point in found.triggers] == [measured.run]
    assert (found.card.runs, found.card.latest, found.card.made_at) == (0, None, NOW)


async def test_descriptions_that_cannot_be_read_are_said_to_lack(scene: Scene) -> None:
    await scene.put(4)
    folder = Path(scene.settings.blobs.removeprefix("file://"))
    await asyncio.to_thread(folder.mkdir, parents=True)
    (folder / "triggering").write_text("no folder")
    found = await scene.figures().skill(HERE, SKILLS[0])
    assert found is not None
    assert found.is_partial
    assert found.card.made_at == NOW


async def test_records_that_nobody_can_read_keep_no_page_from_being_shown(scene: Scene) -> None:
    await scene.put(8)
    odd = a_run_record(repo=REPO, run="e" * 12, skill=SKILLS[0], finished_at=NOW)
    newer = odd.model_dump_json().replace('"trials"', '"what_a_later_version_writes": 1, "trials"')
    await scene.redis.execute_command("HSET", RUNS + REPO, odd.run, newer)
    figures = scene.figures()
    assert await figures.repo(REPO) is not None
    found = await figures.runs(HERE)
    assert (len(found.rows), found.total) == (8, 9)
    assert await figures.record(HERE, odd.run) is None
    page = await figures.skill(HERE, SKILLS[0])
    assert page is not None
    assert page.card.runs == 3


async def test_figures_need_redis(scene: Scene, tmp_path: Path) -> None:
    away = Figures(connect_briefly(f"unix://{tmp_path}/none.sock"), scene.settings, scene.aside)
    for asked in (
        away.repos(), away.repo(REPO), away.overview([HERE]), away.skill(HERE, SKILLS[0]),
        away.runs(HERE), away.record(HERE, "a" * 12), away.version(HERE), away.models(HERE),
    ):  # fmt: skip
        with pytest.raises(Transient, match="Redis is away"):
            await asked
