"""The list of a repository's runs: all of them, narrowed and turned over."""

from pathlib import Path

import pytest

from tests.bot.web_pages.dashboard import a_run, dashboard
from tests.bot.web_pages.html_page import HtmlPage, words
from tests.bot.web_pages.ledger_seed import MODELS, SKILLS, some_records

HERE = "/repos/acme/skills/runs"
CAPTION = "Runs of acme/skills"


def ids(page: HtmlPage) -> list[str]:
    return [row["Run"] for row in page.table(CAPTION)]


async def test_every_run_stands_once_over_all_parts(redis_url: str, tmp_path: Path) -> None:
    records = some_records(120)
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        assert page.h1 == "Runs of acme/skills"
        assert "120 runs" in page.text
        found = ids(page)
        for size in (50, 20):
            page = await there.page(page.link("Older"))
            assert len(ids(page)) == size
            found += ids(page)
        assert found == [one.run for one in reversed(records)]
        assert page.link("Newest") == HERE
        assert not [one for one in page.all("a") if words(one) == "Older"]


async def test_runs_are_narrowed_by_skill_model_and_state(redis_url: str, tmp_path: Path) -> None:
    records = some_records(120)
    async with dashboard(redis_url, tmp_path, records) as there:
        for name, value in (("skill", SKILLS[2]), ("model", MODELS[1]), ("state", "ungraded")):
            answer = await there.client.get(HERE, params={name: value})
            page = HtmlPage(answer)
            wanted = [one.run for one in reversed(records) if getattr(one, name) == value]
            assert ids(page) == wanted[:50]
            assert f"{len(wanted)} runs that fit" in page.text
            field = page.by_id(name)
            chosen = [one for one in field.iter("option") if one.get("selected") is not None]
            assert (chosen[0].get("value") if chosen else field.get("value")) == value
        page = await there.page(HERE + "?state=ungraded")
        assert {row["Difference"] for row in page.table(CAPTION)} == {"not measured"}


async def test_a_choice_is_kept_from_part_to_part(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_records(240)) as there:
        page = await there.page(HERE + "?skill=text/word-count")
        rest = await there.page(page.link("Older"))
        assert {row["Skill"] for row in rest.table(CAPTION)} == {"text/word-count"}
        assert len(ids(rest)) == 10


async def test_a_run_is_shown_with_what_is_known_of_it(redis_url: str, tmp_path: Path) -> None:
    records = [
        a_run("a/b", 1, 0.25),
        a_run("a/b", 2, None, cost_usd=None, url="", days_ago=2),
        a_run("a/b", 3, 0.1, pull=12, vs="base", days_ago=3),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        graded, lost, pull = page.table(CAPTION)
        assert graded["With / without"] == "75% / 50%"
        assert graded["Difference"] == "+25"
        assert graded["Cost"] == "$0.25"
        assert page.link("on GitHub") == records[0].url
        assert lost["With / without"] == lost["Difference"] == "not measured"
        assert lost["Cost"] == "unknown"
        assert lost["Report"] == "not posted"
        assert pull["Eval case"] == "github-issue-3 pull request #12"
        assert pull["Model"] == "claude-sonnet-4-6 against base"


@pytest.mark.parametrize(
    "query",
    ["after=nothing", "after=%00", "state=zzz", "model=<script>", "skill=..%2F..",
     "skill=" + "x" * 5000],
)  # fmt: skip
async def test_an_odd_query_is_no_error(redis_url: str, tmp_path: Path, query: str) -> None:
    async with dashboard(redis_url, tmp_path, some_records(3)) as there:
        page = await there.page(f"{HERE}?{query}")
        assert len(page.all("script")) == 1


async def test_five_thousand_runs_are_fifty_a_page(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_records(5_000)) as there:
        page = await there.page(HERE)
        assert "5,000 runs" in page.text
        assert len(ids(page)) == 50
