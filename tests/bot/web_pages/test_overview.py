"""The overview: every skill that a visitor sees, what changed, what goes on."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.bot.web_pages.dashboard import ELSEWHERE, a_run, dashboard, some_set
from tests.bot.web_pages.html_page import HtmlPage, words
from tests.bot.web_pages.ledger_seed import HOSTILE, some_records

BETTER, WORSE = (0.2,) * 8, (-0.2,) * 8


async def test_with_nothing_measured_the_page_says_how_to_begin(
    redis_url: str, tmp_path: Path
) -> None:
    async with dashboard(redis_url, tmp_path) as there:
        page = await there.page("/")
        assert page.h1 == "Overview"
        assert "Nothing has been measured yet" in page.text
        assert "needs-benchmark" in page.text
        assert "@skillbench run" in page.text
        assert not page.all("table")
        assert not page.all("img")
        navigation = [words(one) for one in page.all("nav")[0].iter("a")]
        assert navigation[:2] == ["Overview", "Queue"]


async def test_every_skill_stands_with_its_newest_figures(redis_url: str, tmp_path: Path) -> None:
    records = [
        *some_set("a/helps", BETTER),
        *some_set("b/hurts", WORSE),
        *some_set("c/few", (0.2, 0.2)),
        a_run("d/lost", 1, None),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page("/")
        rows = {row["Skill"]: row for row in page.table("Skills of acme/skills")}
        helps = rows["helps a/helps"]
        assert helps["Verdict"].startswith("helps claude-sonnet-4-6")
        assert helps["Difference"].startswith("+20 ")
        assert helps["Won / tied / lost"] == "8 won, 0 tied, 0 lost"
        assert helps["Eval cases"] == "8"
        assert rows["hurts b/hurts"]["Verdict"].startswith("hurts ")
        assert rows["hurts b/hurts"]["Difference"].startswith("\N{MINUS SIGN}20 ")
        few = rows["few c/few"]
        assert few["Verdict"].startswith("underpowered ")
        assert few["Difference"] == "+20 no interval"
        assert few["Change"] == "not measured"
        assert page.link("helps") == "/repos/acme/skills/skill?path=a%2Fhelps"
        assert page.link("acme/skills") == "/repos/acme/skills"


async def test_what_was_not_measured_is_said_in_words(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, [a_run("d/lost", 1, None)]) as there:
        [row] = (await there.page("/")).table("Skills of acme/skills")
        assert row["Verdict"] == row["Difference"] == row["Change"] == "not measured"
        assert row["Won / tied / lost"] == "not measured"
        assert row["Eval cases"] == "none scored"


async def test_what_got_worse_stands_first_and_the_newest_of_it_before_the_others(
    redis_url: str, tmp_path: Path
) -> None:
    records = [
        *some_set("a/old", BETTER, version=1, days_ago=40),
        *some_set("a/old", (0.1,) * 8, version=2, days_ago=30),
        *some_set("b/new", BETTER, version=1, days_ago=5),
        *some_set("b/new", (0.15,) * 8, version=2, days_ago=2),
        *some_set("c/up", (0.1,) * 8, version=1, days_ago=5),
        *some_set("c/up", BETTER, version=2, days_ago=2),
        *some_set("d/first", BETTER),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        page = await there.page("/")
        changed = page.section("What changed")
        told = [words(one) for one in changed.iter("li")]
        assert [one.split()[:2] for one in told] == [
            ["\N{MINUS SIGN}5", "new"],
            ["\N{MINUS SIGN}10", "old"],
            ["+10", "up"],
        ]
        assert ["this week" in one for one in told] == [True, False, True]
        rows = {row["Skill"]: row["Change"] for row in page.table("Skills of acme/skills")}
        assert rows["new b/new"] == "\N{MINUS SIGN}5 on 8 of both"
        assert rows["first d/first"] == "not measured"


async def test_a_version_that_was_measured_with_one_eval_case_is_not_called_worse(
    redis_url: str, tmp_path: Path
) -> None:
    records = [
        *some_set("a/begun", BETTER, version=0, days_ago=9),
        a_run("a/begun", 1, -0.3, version=1, days_ago=1),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        changed = (await there.page("/")).section("What changed")
        assert "Worse" not in words(changed)
        assert "No skill is worse than its version before, as far as" in words(changed)
        [told] = [words(one) for one in changed.iter("li")]
        assert told.startswith(f"begun acme/skills · 1 of {len(BETTER)} eval cases so far · before")
        await there.put(*(a_run("a/begun", number, -0.3, days_ago=0.5) for number in range(2, 6)))
        async with asyncio.timeout(60):  # figures that are old are made behind whoever looks
            while "Worse than the version before" not in (await there.page("/")).text:
                pass


async def test_spend_is_at_least_what_is_known_where_a_price_is_not(
    redis_url: str, tmp_path: Path
) -> None:
    priced = some_set("a/known", BETTER[:2])
    old = some_set("a/known", BETTER, version=0, days_ago=9)
    async with dashboard(redis_url, tmp_path, [*priced, *old]) as there:
        page = await there.page("/")
        assert "spent this week $0.50" in page.text
        assert [row["Spent this week"] for row in page.table("Skills of acme/skills")] == ["$0.50"]
        await there.put(a_run("b/unknown", 1, 0.1, cost_usd=None))
        assert "spent this week at least $0.50" in (await there.page("/")).text


async def test_skills_are_found_by_text_and_word_without_a_script(
    redis_url: str, tmp_path: Path
) -> None:
    records = [
        *some_set("text/Word-Count", BETTER),
        *some_set("data/tables", WORSE),
        *some_set("text/other", WORSE, repo="globex/more"),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:

        async def found(query: str) -> list[str]:
            page = await there.page(f"/?{query}")
            return [words(one).split()[0] for one in page.all("th") if one.get("scope") == "row"]

        assert await found("q=word-count") == ["Word-Count"]
        assert await found("q=GLOBEX+text") == ["other"]
        assert await found("word=hurts&sort=name") == ["tables", "other"]
        assert await found("word=hurts&q=acme") == ["tables"]
        assert await found("q=nowhere") == []
        assert "No skill fits" in (await there.page("/?q=nowhere")).text
        page = await there.page("/?q=word")
        assert page.by_id("q").get("value") == "word"
        assert "1 of 3 skills" in page.text
        chips = [words(one) for one in page.root.iter("nav") if one.get("aria-label") == "Verdicts"]
        assert chips == ["all 3 helps 1 hurts 2"]


@pytest.mark.parametrize(
    "query",
    ["page=0", "page=99999999999", "page=x", "sort=zzz", "sort=--name", "word=<b>", "q=%00%ff",
     "q=" + "x" * 5000, "page=²", "sort=-change&word=invalid&page=3"],
)  # fmt: skip
async def test_an_odd_query_is_no_error(redis_url: str, tmp_path: Path, query: str) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/b", BETTER[:1])) as there:
        assert (await there.page(f"/?{query}")).h1 == "Overview"


async def test_many_repositories_are_turned_over_and_many_skills_folded(
    redis_url: str, tmp_path: Path
) -> None:
    names = [f"org/repo-{number:02}" for number in range(23)]
    records = [a_run("a/skill", 1, 0.1, repo=name) for name in names]
    records += [a_run(f"s/skill-{number:02}", 1, 0.1, repo=names[0]) for number in range(15)]
    async with dashboard(redis_url, tmp_path, records) as there:
        first, second = await there.page("/"), await there.page("/?page=2")
        shown = [_repositories(page) for page in (first, second)]
        assert [len(one) for one in shown] == [20, 3]
        assert sorted(shown[0] + shown[1]) == names
        assert len(first.table(f"Skills of {names[0]}")) == 12
        assert first.link(f"All 16 skills of {names[0]}").startswith("/repos/org/repo-00")
        assert first.link("Next") == "?page=2"
        assert _repositories(await there.page("/?page=99")) == shown[1]


def _repositories(page: HtmlPage) -> list[str]:
    return [words(one) for one in page.all("h2") if "/" in words(one)]


async def test_what_runs_and_waits_is_told_of_the_repositories_that_are_shown(
    redis_url: str, tmp_path: Path
) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/b", BETTER)) as there:
        assert "Nothing runs and nothing waits" in (await there.page("/")).text
        await there.ask("one", skill="a/b")
        await there.ask("two", kind="trigger")
        await there.ask("three", repo="stranger/unseen", asker="nobody-here")
        await there.begin("one")
        page = await there.page("/")
        now = page.section("Requests")
        assert "1 running, 1 queued" in words(now)
        assert [words(one).split(" 2")[0] for one in now.iter("li")] == [
            "running run claude-sonnet --skill a/b acme/skills#21 · mona ·",
            "waits trigger claude-sonnet acme/skills#21 · mona ·",
        ]
        assert page.link("Queue", now) == "/queue"
        assert "nobody-here" not in page.text


async def test_an_unchanged_page_is_not_sent_twice(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/b", BETTER)) as there:
        known = await there.settle("/")
        assert (await there.client.get("/?sort=name", headers=known)).status_code == 200
        await there.put(a_run("a/new", 1, 0.1))
        assert (await there.client.get("/", headers=known)).status_code == 200
        known = await there.settle("/")
        await there.ask("one")
        assert (await there.client.get("/", headers=known)).status_code == 200


async def test_strangers_see_public_repositories_where_the_operator_shows_them(
    redis_url: str, tmp_path: Path
) -> None:
    records = [
        *some_set("a/open", BETTER),
        *some_set("a/closed", BETTER, repo="acme/secret"),
        *some_set("a/unsure", BETTER, repo="acme/unseen"),
    ]
    async with dashboard(redis_url, tmp_path, records, public_pages=True) as there:
        await there.see("acme/skills", is_private=False)
        await there.see("acme/secret", is_private=True)
        await there.ask("hidden", repo="acme/secret")
        page = await there.page("/", **ELSEWHERE)
        assert [words(one) for one in page.all("h2")].count("acme/skills") == 1
        assert "secret" not in page.text
        assert "unseen" not in page.text
        assert "Nothing runs" in page.text
        assert [words(one) for one in page.all("nav")[0].iter("a")] == ["Overview", "Queue"]
        answer = await there.client.get("/", headers=ELSEWHERE)
        assert answer.headers["cache-control"] == "public, max-age=60"
        assert "cookie" in answer.headers["vary"]
        own = await there.client.get("/")
        assert own.headers["etag"] != answer.headers["etag"]
        assert "acme/secret" in own.text


async def test_strangers_are_led_to_the_sign_in_where_nothing_is_shown(
    redis_url: str, tmp_path: Path
) -> None:
    async with dashboard(redis_url, tmp_path, some_set("a/b", BETTER)) as there:
        answer = await there.client.get("/", headers=ELSEWHERE)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert "acme" not in answer.text


async def test_a_stranger_reads_how_to_sign_in_where_nothing_is_public(
    redis_url: str, tmp_path: Path
) -> None:
    async with dashboard(redis_url, tmp_path, public_pages=True) as there:
        page = await there.page("/", **ELSEWHERE)
        assert "No public repository has been measured yet" in page.text
        assert page.link("Sign in", page.all("main")[0]) == "/sign-in"


async def test_names_of_others_break_out_of_nothing(redis_url: str, tmp_path: Path) -> None:
    skill = f"skills/{HOSTILE}"
    records = [
        *some_set(skill, BETTER, model=HOSTILE, days_ago=9),
        *some_set(skill, WORSE, model=HOSTILE, version=2),
    ]
    async with dashboard(redis_url, tmp_path, records) as there:
        await there.ask("odd", asker=HOSTILE, models=(HOSTILE,), skill=skill)
        page = await there.page("/")
        scripts = [(one.get("src") or "").partition("?")[0] for one in page.all("script")]
        assert scripts == ["/static/page.js", "/static/live.js"]
        assert {one.get("onerror") for one in page.root.iter()} == {None}
        assert "\u202e" not in page.text
        assert "<script>document.title='run'</script>" in page.text
        assert all(re.match(r"/charts/acme/skills/difference\.svg", one.get("src", ""))
                   for one in page.all("img"))  # fmt: skip


async def test_a_ledger_of_thousands_of_runs_is_shown_whole(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path, some_records(5_000)) as there:
        page = await there.page("/")
        assert len(page.table("Skills of acme/skills")) == 4
