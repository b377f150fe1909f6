"""The page of a repository: its skills in order, what is stale, its newest runs."""

from pathlib import Path

import pytest

from tests.bot.web_pages.dashboard import ELSEWHERE, a_run, dashboard, some_set
from tests.bot.web_pages.html_page import HtmlPage, words
from tests.bot.web_pages.ledger_seed import HOSTILE, some_records

HERE = "/repos/acme/skills"
SKILLS = "Skills of acme/skills"


def names(page: HtmlPage) -> list[str]:
    return [row[next(iter(row))].split()[0] for row in page.table(SKILLS)]


async def test_a_repository_shows_its_skills_and_where_it_is(
    redis_url: str, tmp_path: Path
) -> None:
    records = [*some_set("a/helps", (0.2,) * 8), *some_set("b/other", (0.1,), repo="acme/else")]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        assert page.h1 == "acme/skills"
        assert page.link("On GitHub") == "https://github.com/acme/skills"
        assert names(page) == ["helps"]
        assert page.link("Overview") == "/"
        [row] = page.table(SKILLS)
        assert row["Spent this week"] == "$2.00"
        [chart] = page.all("img")
        assert chart.get("src") == "/charts/acme/skills/difference.svg"
        assert "helps" in (chart.get("alt") or "")
        [dark] = page.all("source")
        assert dark.get("srcset") == "/charts/acme/skills/difference.svg?theme=dark"
        assert dark.get("media") == "(prefers-color-scheme: dark)"
        for address in (chart.get("src"), dark.get("srcset")):
            answer = await there.client.get(address or "")
            assert answer.headers["content-type"].startswith("image/svg+xml")


async def test_skills_are_put_in_order_by_the_heads_of_columns(
    redis_url: str, tmp_path: Path
) -> None:
    records = [
        *some_set("x/beta", (0.3,) * 8, days_ago=3),
        *some_set("x/Alpha", (0.1,) * 8, version=1, days_ago=6),
        *some_set("x/Alpha", (0.2,) * 8, version=2, days_ago=2),
        *some_set("x/gamma", (0.2,) * 8, version=1, days_ago=6),
        *some_set("x/gamma", (-0.2,) * 8, version=2, days_ago=1),
        a_run("x/none", 1, None, days_ago=9),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        assert names(page) == ["gamma", "Alpha", "beta", "none"]

        async def turn(page: HtmlPage, head: str) -> HtmlPage:
            [link] = (one for one in page.all("a") if words(one) == head)
            return await there.page(HERE + (link.get("href") or ""))

        by_name = await turn(page, "Skill")
        assert names(by_name) == ["Alpha", "beta", "gamma", "none"]
        assert names(await turn(by_name, "Skill")) == ["none", "gamma", "beta", "Alpha"]
        by_difference = await turn(page, "Difference")
        assert names(by_difference) == ["beta", "Alpha", "gamma", "none"]
        assert names(await turn(by_difference, "Difference"))[-1] == "none"
        by_change = await turn(page, "Change")
        assert names(by_change)[:2] == ["gamma", "Alpha"]
        assert [one.get("aria-sort") for one in by_change.all("th") if one.get("aria-sort")] == [
            "ascending"
        ]


async def test_stale_eval_cases_are_named_with_their_issues(redis_url: str, tmp_path: Path) -> None:
    records = [
        *some_set("a/skill", (0.2,) * 4, version=1, days_ago=5),
        *some_set("a/skill", (0.2,) * 2, version=2, days_ago=1),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        stale = page.section("Stale eval cases")
        assert [words(one) for one in stale.iter("li")] == ["skill: github-issue-3, github-issue-4"]
        assert page.link("github-issue-3", stale) == "https://github.com/acme/skills/issues/3"
        [row] = page.table(SKILLS)
        assert row["Eval cases"] == "4 2 stale"


async def test_the_newest_runs_stand_there_and_lead_to_all(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_records(40)) as there:
        page = await there.page(HERE)
        rows = page.table("Newest runs of acme/skills")
        assert len(rows) == 10
        assert page.link(rows[0]["Run"]) == f"/repos/acme/skills/runs/{rows[0]['Run']}"
        assert page.link("All 40 runs") == "/repos/acme/skills/runs"


async def test_more_skills_than_a_page_holds_are_turned_over(
    redis_url: str, tmp_path: Path
) -> None:
    records = [a_run(f"s/skill-{number:02}", 1, 0.1) for number in range(53)]
    async with dashboard(redis_url, tmp_path, records) as there:
        first, second = await there.page(HERE), await there.page(HERE + "?page=2")
        assert [len(names(one)) for one in (first, second)] == [50, 3]
        assert len({*names(first), *names(second)}) == 53
        assert names(await there.page(HERE + "?q=skill-07")) == ["skill-07"]


@pytest.mark.parametrize("path", ["", "/runs", "/skill?path=a/b"])
async def test_what_one_may_not_see_answers_like_what_does_not_exist(
    redis_url: str, tmp_path: Path, path: str
) -> None:
    records = [a_run("a/b", 1, 0.1), a_run("a/b", 1, 0.1, repo="acme/secret")]
    async with dashboard(redis_url, tmp_path, records, public_pages=True) as there:
        await there.see("acme/skills", is_private=False)
        await there.see("acme/secret", is_private=True)
        client = there.client
        answers = [
            await client.get(f"/repos/{name}{path}", headers=ELSEWHERE)
            for name in ("acme/secret", "acme/nothing", "..%2f..%2fetc/x")
        ]
        assert {one.status_code for one in answers} == {404}
        assert len({one.text for one in answers}) == 1
        assert {one.headers["cache-control"] for one in answers} == {"no-store"}
        assert HtmlPage(answers[0]).link("Sign in") == "/sign-in"
        seen = await client.get(f"/repos/acme/skills{path}", headers=ELSEWHERE)
        assert (seen.status_code, seen.headers["cache-control"]) == (200, "public, max-age=60")
        assert (await client.get(f"/repos/acme/secret{path}")).status_code == 200


async def test_a_page_is_sent_anew_only_when_something_is(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, [a_run("a/b", 1, 0.1)]) as there:
        for path in (HERE, HERE + "/runs", HERE + "/skill?path=a/b"):
            known = await there.settle(path)
            await there.put(a_run("a/b", 2, 0.1, days_ago=0.5, run=f"{len(path):012x}"))
            assert (await there.client.get(path, headers=known)).status_code == 200


async def test_a_repository_in_which_nothing_was_run_says_how_to_begin(
    redis_url: str, tmp_path: Path
) -> None:
    async with dashboard(redis_url, tmp_path) as there:
        await there.see("acme/fresh", is_private=True)
        page = await there.page("/repos/ACME/Fresh")
        assert page.h1 == "acme/fresh"
        assert "Nothing has been measured here yet" in page.text
        assert not page.all("img")


async def test_names_of_others_are_text_and_nothing_else(redis_url: str, tmp_path: Path) -> None:
    skill = f"x/{HOSTILE}"
    records = [
        *some_set(skill, (0.1,) * 3, days_ago=4),
        a_run(skill, 9, 0.1, version=2, eval_id=HOSTILE, url="javascript:alert(1)"),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page(HERE)
        scripts = [(one.get("src") or "").partition("?")[0] for one in page.all("script")]
        assert scripts == ["/static/page.js", "/static/live.js"]
        assert {one.get("onerror") for one in page.root.iter()} == {None}
        assert not any((one.get("href") or "").startswith("javascript") for one in page.all("a"))
