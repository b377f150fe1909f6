"""Figures as they are written, and lists in the order that is asked for."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.choices import Choice, choose, find_better, find_worse, take_part
from bot.web.shell import render, render_part
from bot.web.showing import (
    find_address,
    find_issue,
    show_change,
    show_day,
    show_interval,
    show_points,
    show_skill,
    show_spend,
    show_time,
)
from bot.web.skill_page import Shown
from jobs.dashboard.values import RunRows, SetFigures, SkillCard, SkillFigures, Whiskers, name_skill
from tests.bot.web_pages.html_page import HtmlPage

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MINUS = "\N{MINUS SIGN}"


def a_card(name: str, difference: float | None = 0.1, **changes: object) -> SkillCard:
    latest = None
    if difference is not None:
        latest = SetFigures(
            model="m", judge="j", launcher="api", mode="forced", environment="", vs="none",
            sha="ab", word="helps", reason="", method="", evals=8, wins=7, ties=1, losses=0,
            with_skill=0.6, without_skill=0.5, whiskers=Whiskers(difference=difference),
            ended_at=NOON,
        )  # fmt: skip
    values = {
        "repo": "acme/skills", "skill": name, "name": name_skill("acme/skills", name), "sha": "ab",
        "latest": latest, "made_at": NOON, "ended_at": NOON,
    }  # fmt: skip
    return SkillCard.model_validate(values | changes)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.183, "+18.3"), (-0.05, f"{MINUS}5"), (0.0, "0"), (1e-12, "0"), (0.0004, "+<0.1"),
        (-0.0004, f"{MINUS}<0.1"), (1.0, "+100"), (None, "not measured"), (0.1996, "+20"),
    ],
)  # fmt: skip
def test_differences_are_signed_points_or_words(value: float | None, shown: str) -> None:
    assert show_points(value) == shown


def test_a_set_without_an_interval_says_so() -> None:
    assert show_interval(Whiskers(difference=0.1)) == "no interval"
    assert show_interval(Whiskers(difference=0.1, low=-0.02, high=0.2)) == f"{MINUS}2 to +20"


def test_a_change_that_rounds_to_nothing_has_no_direction() -> None:
    assert [show_change(value).mark for value in (None, 0.0002, 0.01, -0.01)] == ["", "", "▲", "▼"]


def test_money_that_is_not_known_is_no_zero() -> None:
    assert show_spend(0.0, is_partial=False) == "$0.00"
    assert show_spend(0.0, is_partial=True) == "unknown"
    assert show_spend(1.5, is_partial=True) == "at least $1.50"


def test_moments_are_utc_and_can_be_read_by_programs() -> None:
    there = datetime(2026, 5, 5, 1, 30, tzinfo=UTC).astimezone()
    assert str(show_time(there)) == (
        '<time datetime="2026-05-05T01:30Z">2026-05-05 01:30 UTC</time>'
    )
    assert show_day(None) == "not known"


def test_the_repositorys_own_skill_has_its_name() -> None:
    assert show_skill(a_card(".")) == "skills"
    assert len(show_skill(a_card("x" * 500))) < 60


@pytest.mark.parametrize(
    ("eval_id", "issue"),
    [("github-issue-21", 21), ("github-issue-0", None), ("x/github-issue-2", None),
     ("github-issue-²", None), ("github-issue-1\n", None), ("skills/a#b", None)],
)  # fmt: skip
def test_only_an_issues_own_eval_case_leads_to_an_issue(eval_id: str, issue: int | None) -> None:
    assert find_issue(eval_id) == issue


def test_only_addresses_of_the_web_are_led_to() -> None:
    assert find_address("https://github.com/a/b") == "https://github.com/a/b"
    assert find_address("javascript:alert(1)") == ""
    assert find_address("") == ""


def test_what_was_never_measured_stands_last_in_either_direction() -> None:
    cards = [a_card("none", None), a_card("low", -0.2), a_card("high", 0.3)]
    for turned, wanted in ((False, ["high", "low", "none"]), (True, ["low", "high", "none"])):
        found = choose(cards, Choice(sort="difference", is_turned=turned))
        assert [one.name for one in found] == wanted


def test_what_got_worse_begins_with_what_was_measured_last() -> None:
    old = a_card("old", change=-0.3)
    assert old.latest is not None
    later = old.latest.model_copy(update={"ended_at": NOON + timedelta(days=1)})
    cards = [
        old,
        a_card("new", change=-0.1, latest=later),
        a_card("even", change=0.0),
        a_card("rounded", change=-0.0001),
        a_card("better", change=0.1),
        a_card("first"),
    ]
    assert [one.name for one in find_worse(cards)] == ["new", "old"]
    assert [one.name for one in find_better(cards)] == ["better"]


def test_a_page_that_is_not_there_is_the_last_one() -> None:
    part = take_part(list(range(45)), 99, 20)
    assert (list(part.items), part.page, part.pages, part.total) == ([40, 41, 42, 43, 44], 3, 3, 45)
    assert take_part([], 2, 20).pages == 1


def test_a_choice_stands_whole_in_the_address_of_another_page() -> None:
    choice = Choice.read({"q": " a  b&c ", "word": "hurts", "sort": "-change", "page": "4"})
    assert choice.query(page=2) == "?q=a+b%26c&word=hurts&sort=-change&page=2"
    assert choice.query(word="") == "?q=a+b%26c&sort=-change"
    assert choice.direction("change") == "descending"
    assert choice.sorting("change") == "?q=a+b%26c&word=hurts&sort=change"


def test_figures_that_are_still_made_are_neither_zero_nor_unmeasured() -> None:
    card = a_card("new", None, made_at=None)
    shown = render_part("figures.html", "skills", [card], "Skills")
    assert shown.count("being counted") == 6
    assert "not measured" not in shown
    assert choose([card], Choice(word="not measured")) == []
    behind = render_part("figures.html", "skills", [a_card("old", is_behind=True)], "Skills")
    assert "newer runs are being counted" in behind


def test_nor_are_they_on_the_page_of_a_skill() -> None:
    found = SkillFigures(card=a_card("new", None, made_at=None, sha=""), is_partial=True)
    repo = SeenRepo(full_name="acme/skills", is_private=False, installation_id=1, seen_at=NOON)
    page = render(
        "skill.html", Visitor(""), here="", web_url="https://github.com", mention="@skillbench",
        repo=repo, card=found.card, newest=None, headline="", found=found, shown=Shown.of(found),
        others=[], runs=RunRows(rows=(), total=0), badge="",
    )  # fmt: skip
    text = HtmlPage(httpx.Response(200, headers=page.headers, content=bytes(page.body))).text
    assert text.count("being counted") == 11  # six tiles, four pictures, what is said of it all
    for word in ("not measured", "none", "$0.00", "No version", "newest version"):
        assert word not in text
