"""The page of a skill: what is known of it, as pictures and as numbers."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.bot.web_pages.dashboard import a_run, dashboard, sha_of, some_set
from tests.bot.web_pages.html_page import words
from tests.bot.web_pages.ledger_seed import HOSTILE, some_records

HERE = "/repos/acme/skills/skill?path=a/skill"
WITH_A_PICTURE = ("versions", "cost", "heat")


async def test_the_newest_set_is_told_first_with_its_method(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/skill", (0.2,) * 8)) as there:
        page = await there.page(HERE)
        assert page.h1 == "skill"
        [known] = (one for one in page.all("section") if one.get("aria-label") == "What is known")
        told = [words(one) for one in known.iter("p")]
        assert told[0] == (
            "helps skill with claude-sonnet-4-6: +20 points against no skill over 8 eval cases."
        )
        assert told[1] == "8 wins, 0 ties, 0 losses."
        assert "sign test" in told[2]
        tiles = {words(one[0]): words(one[1]) for one in page.all("dl")[0]}
        assert tiles["With skill, without"] == "70% and 50%"
        assert tiles["Change against the version before"] == "not measured"
        assert tiles["Spent this week"] == "$2.00"
        assert page.link("On GitHub") == "https://github.com/acme/skills/tree/HEAD/a/skill"


async def test_every_picture_has_its_numbers_in_a_table(redis_url: str, tmp_path: Path) -> None:
    records = [
        *some_set("a/skill", (0.1,) * 6, version=1, days_ago=5),
        *some_set("a/skill", (0.2,) * 6, version=2, days_ago=1),
        a_run("a/skill", 2, None, version=2, days_ago=0.5, model="gpt-5-mini"),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        pictures = {one.get("src", ""): one.get("alt", "") for one in page.all("img")}
        for kind in (*WITH_A_PICTURE, "badge"):
            [address] = (one for one in pictures if f"/{kind}.svg" in one)
            answer = await there.client.get(address)
            assert answer.headers["content-type"].startswith("image/svg+xml")
        assert not any("triggers" in one for one in pictures)
        newest, before = page.table("Scores over versions")
        assert newest["With skill"] == "70%"
        assert newest["Difference"] == "+20"
        assert before["Difference"] == "+10"
        assert page.link(newest["Version"]).startswith("https://github.com/acme/skills/commit/")
        assert page.table("Tokens and cost")[0]["Tokens with skill"] == "9k"
        heat = {row["Eval case"]: row for row in page.table("Eval cases and models")}
        assert heat["github-issue-2"]["claude-sonnet-4-6"] == "+20"
        assert heat["github-issue-2"]["gpt-5-mini"] == "no score"
        assert heat["github-issue-3"]["gpt-5-mini"] == "not run"
        assert "Its description has not been measured yet" in page.text


async def test_stale_eval_cases_and_the_change_are_told(redis_url: str, tmp_path: Path) -> None:
    records = [
        *some_set("a/skill", (0.2,) * 8, version=1, days_ago=5),
        *some_set("a/skill", (0.1,) * 5, version=2, days_ago=1),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        tiles = {words(one[0]): words(one[1]) for one in page.all("dl")[0]}
        change = tiles["Change against the version before"]
        assert change == "\N{MINUS SIGN}10 on 5 eval cases of both"
        assert tiles["Eval cases with a score"] == "8 3 stale"
        assert page.link("github-issue-8", page.all("main")[0]) == (
            "https://github.com/acme/skills/issues/8"
        )
        assert f"Before, at version {sha_of('a/skill', 1)[:7]}: helps +20 points" in page.text


async def test_other_conditions_are_sets_of_their_own(redis_url: str, tmp_path: Path) -> None:
    records = [
        *some_set("a/skill", (0.2,) * 8),
        *some_set("a/skill", (-0.2,) * 8, model="gpt-5-mini", days_ago=3),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        [other] = page.table("The newest set of each other set of conditions")
        assert other["Conditions"].startswith("gpt-5-mini api, forced")
        assert other["Against"] == "no skill"
        assert other["Verdict"].startswith("hurts")


async def test_the_badge_is_there_to_copy(redis_url: str, tmp_path: Path) -> None:
    changes = {"public_url": "https://bench.example"}
    async with dashboard(
        redis_url, tmp_path, some_set("a/skill", (0.2,) * 8), public_pages=True, **changes
    ) as there:
        await there.see("acme/skills", is_private=False)
        page = await there.page(HERE)
        assert words(page.by_id("markdown")) == (
            "[![skillbench](https://bench.example/charts/acme/skills/badge.svg?skill=a%2Fskill)]"
            "(https://bench.example/repos/acme/skills/skill?path=a%2Fskill)"
        )


async def test_the_newest_runs_lead_to_all_of_the_skill(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_records(200)) as there:
        page = await there.page("/repos/acme/skills/skill?path=text/word-count")
        assert len(page.table("Newest runs of word-count")) == 20
        assert page.link("All 50 runs of this skill") == (
            "/repos/acme/skills/runs?skill=text%2Fword-count"
        )


async def test_a_skill_without_a_score_shows_no_number(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, [a_run("a/skill", 1, None)]) as there:
        page = await there.page(HERE)
        assert "skill has no score yet" in page.text
        tiles = {words(one[0]): words(one[1]) for one in page.all("dl")[0]}
        assert tiles["Difference, in points"] == "not measured"
        assert tiles["With skill, without"] == "not measured"
        assert "No version has a score yet" in page.text


@pytest.mark.parametrize(
    "path", ["", "?path=", "?path=no/such", "?path=..%2F..", "?path=" + "x" * 5000]
)
async def test_what_is_no_skill_is_not_there(redis_url: str, tmp_path: Path, path: str) -> None:
    async with dashboard(redis_url, tmp_path, [a_run("a/skill", 1, 0.1)]) as there:
        answer = await there.client.get(f"/repos/acme/skills/skill{path}")
        assert answer.status_code == 404


async def test_texts_of_others_are_text_and_nothing_else(redis_url: str, tmp_path: Path) -> None:
    skill = f"x/{HOSTILE}"
    records = [
        *some_set(skill, (0.2,) * 3, commit="<b>", model=HOSTILE, days_ago=3),
        a_run(skill, 5, 0.2, eval_id=HOSTILE, launcher="api"),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page("/repos/acme/skills/skill?" + urlencode({"path": skill}))
        assert len(page.all("script")) == 1
        assert not page.all("b")
        assert {one.get("onerror") for one in page.root.iter()} == {None}
        assert "\u202e" not in page.text


async def test_a_skill_of_five_thousand_runs_is_cut_to_a_page(
    redis_url: str, tmp_path: Path
) -> None:
    records = some_records(5_000, skills=("a/skill",))
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        assert len(page.table("Scores over versions")) <= 60
        assert len(page.table("Newest runs of skill")) == 20


@pytest.mark.parametrize("changes", [{"vs": "self"}, {"pull": 9}, {"should_load": False}])
async def test_runs_that_make_no_point_are_not_said_to_be_none(
    redis_url: str, tmp_path: Path, changes: dict[str, Any]
) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/b", (0.1, 0.2), **changes)) as there:
        text = (await there.page("/repos/acme/skills/skill?path=a/b")).text
        assert "No run against no skill counts here yet." in text
        assert "has been run yet" not in text
        assert "2 runs, and none came to a score that counts" in text
