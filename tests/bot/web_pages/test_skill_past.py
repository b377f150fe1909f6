"""What a skill's past says on its page: assertions over its runs, its description over versions."""

from datetime import timedelta
from pathlib import Path

from bot.blobs import Blobs
from jobs.planning.dedup import record_of
from jobs.results import RunRecord
from jobs.triggering.history import note_measurement
from tests.bot.web_pages.dashboard import dashboard
from tests.builders import NOON, a_repo
from tests.jobs.triggering.found import a_found
from tests.jobs.weak_evals.test_weakness import CASE, FF, FIRST, PP, a_run

HERE = f"/repos/acme/skills/skill?path={a_run(PP, FF).spec.skill.path}"


async def keep_runs(blobs: Blobs) -> list[RunRecord]:
    """Six runs, in each of which the first assertion is met with the skill alone."""
    records = []
    for number in range(6):
        run = a_run(PP, FF, number)
        ended = run.model_copy(update={"ended_at": NOON + timedelta(hours=number)})
        key = f"runs/{run.spec.run_id}/ended.json"
        await blobs.put(key, ended.model_dump_json().encode())
        records.append(record_of(ended))
    return records


async def test_an_assertion_that_tells_the_arms_apart_is_named(
    redis_url: str, tmp_path: Path
) -> None:
    records = await keep_runs(Blobs((tmp_path / "data" / "blobs").as_uri()))
    async with dashboard(redis_url, tmp_path, records) as there:
        await there.settle(HERE)
        page = await there.page(HERE)
        [row] = page.table("Assertions that tell the arms apart")
        assert row["Assertion"] == f"{FIRST.id} {FIRST.text}"
        assert row["Eval case"] == CASE.id
        assert (row["With skill"], row["Without"], row["Readings"]) == ("100%", "0%", "12")
        assert "better met with the skill in 6 of 6 trials, worse in 0" in row["What was seen"]


async def test_a_description_is_shown_over_versions(redis_url: str, tmp_path: Path) -> None:
    records = await keep_runs(Blobs((tmp_path / "data" / "blobs").as_uri()))
    blobs = Blobs((tmp_path / "data" / "blobs").as_uri())
    found = a_found(((True,), (True,)), repo=a_repo())
    old = found.make_history().model_copy(update={"run": "a", "skill_sha": "1" * 64})
    new = (
        a_found(repo=a_repo())
        .make_history()
        .model_copy(
            update={"run": "b", "skill_sha": "2" * 64, "ended_at": NOON + timedelta(days=1)}
        )
    )
    for one in (new, old):
        await note_measurement(one, blobs)
    async with dashboard(redis_url, tmp_path, records) as there:
        await there.settle(HERE)
        page = await there.page(HERE)
        rows = page.table("Does its description trigger?")
        assert [(row["Precision"], row["Recall"]) for row in rows] == [
            ("100%", "100%"),
            ("50%", "100%"),
        ]
        assert [row["Version"][:4] for row in rows] == ["2222", "1111"]
