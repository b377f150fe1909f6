"""Figures are what the ledger says, of none, one and thousands of runs."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.blobs import Blobs
from bot.redis_clients import connect_briefly
from bot.store.index_upkeep import RUNS
from bot.store.ledger import RedisLedger
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
from bot.web.figures import Figures
from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.skill import SkillRuns, make_skill_figures
from jobs.errors import Transient
from jobs.requests import Repo
from jobs.results import LONG_AGO
from jobs.triggering.history import note_measurement
from tests.bot.web_pages.figures_scene import HERE, NOW, Scene
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, put_records, some_records
from tests.builders import a_run_record
from tests.jobs.triggering.test_history import a_record as a_trigger_record


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


async def test_what_another_skill_was_measured_with_since_makes_scores_old(scene: Scene) -> None:
    first, second = (
        a_run_record(run=name * 12, skill=f"skills/{name}", finished_at=NOW) for name in "ab"
    )
    later = {"finished_at": NOW + timedelta(minutes=1), "eval_digest": "e" * 64}
    edited = first.model_copy(update=later | {"run": "c" * 12})
    proposed = edited.model_copy(update={"run": "d" * 12, "pull": 9, "eval_digest": "f" * 64})
    await put_records(scene.redis, [edited, first, second, proposed])
    for made_anew in (False, True):
        if made_anew:
            await RedisLedger(scene.redis).index(REPO)
        old, new = [await scene.figures().skill(HERE, one.skill) for one in (second, first)]
        assert old is not None
        assert new is not None
        assert (old.card.latest, old.cells, old.card.runs) == (None, (), 1)
        assert new.card.latest is not None
        assert [cell.run for cell in new.cells] == [edited.run]


async def test_of_many_runs_the_newest_thousand_are_read_and_all_are_counted(scene: Scene) -> None:
    await scene.put(1_100, skills=["only"])
    found = await scene.figures().skill(HERE, "only")
    assert found is not None
    assert (found.card.runs, found.card.read) == (1_100, 1_000)


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
