"""Pictures of every kind, in both themes, as SVG and PNG, of anything that may be measured."""

import html
import logging
import re
import struct
from typing import get_args
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from bot.charts.drawing import draw_chart
from bot.charts.subject import Subject, describe
from bot.charts.texts import points
from jobs.dashboard.addresses import ChartKind, Picture, Theme, badge_markdown
from jobs.dashboard.values import Whiskers
from tests.bot.charts.given import COUNTS, HOSTILE, KINDS, a_card, a_set, subjects

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {
    "svg", "g", "path", "rect", "text", "tspan", "defs", "clipPath", "use", "style", "title",
    "desc", "pattern", "line",
}  # fmt: skip
"""Elements that only draw."""


def words_of(svg: bytes) -> str:
    root = ET.fromstring(svg)
    return " ".join(one.text or "" for one in root.iter(f"{SVG}text"))


def draw_badge(**changes: object) -> str:
    [subject] = subjects("badge", 1)
    assert subject.figures is not None
    figures = subject.figures.model_copy(update={"card": a_card(**changes)})
    return words_of(draw_chart(subject.model_copy(update={"figures": figures}), "light", "svg"))


def assert_holds_only_a_picture(svg: bytes) -> None:
    """No script, no handler, no address of anything outside."""
    root = ET.fromstring(svg)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in DRAWN, element.tag
        for name, value in element.attrib.items():
            local = name.rpartition("}")[2]
            assert not local.lower().startswith("on"), name
            if local in {"href", "src"}:
                assert value.startswith("#"), value
            for address in re.findall(r"url\(([^)]*)\)", value):
                assert address.startswith("#"), value
    assert root.get("role") == "img"
    assert [one.tag for one in list(root)[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert b"<!DOCTYPE" not in svg
    for text in root.iter(f"{SVG}text"):
        assert "system-ui" in text.get("style", "") or "Verdana" in text.get("style", "")


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("theme", get_args(Theme))
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_of_none_one_and_many(
    kind: ChartKind, theme: Theme, count: str, caplog: pytest.LogCaptureFixture
) -> None:
    for subject in subjects(kind, COUNTS[count]):
        svg = draw_chart(subject, theme, "svg")
        assert_holds_only_a_picture(svg)
        assert words_of(svg)
        png = draw_chart(subject, theme, "png")
        width, height = struct.unpack(">II", png[16:24])
        assert png.startswith(b"\x89PNG")
        assert width == 1440 or kind == "badge"
        assert height < 6_000
    assert not caplog.records


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_drawn_as_text_and_nothing_is_logged(
    kind: ChartKind, caplog: pytest.LogCaptureFixture
) -> None:
    """Formulas, markup, control characters, scripts that no font has, names without end."""
    with caplog.at_level(logging.DEBUG, "bot"):
        for subject in subjects(kind, 8, HOSTILE):
            svg = draw_chart(subject, "dark", "svg")
            assert_holds_only_a_picture(svg)
            assert not set("\u202e\x00\x1b\ufffe") & set(svg.decode())
            assert draw_chart(subject, "dark", "png")
        for subject in subjects(kind, 2, "W" * 100_000 + HOSTILE):
            assert len(draw_chart(subject, "light", "svg")) < 200_000
    assert not caplog.records


def test_a_formula_stays_the_name_that_it_is() -> None:
    [_, repository] = subjects("difference", 1, "$x^2$")
    assert "$x^2$" in words_of(draw_chart(repository, "light", "svg"))


@pytest.mark.parametrize("picture", get_args(Picture))
@pytest.mark.parametrize("kind", KINDS)
def test_equal_data_give_equal_bytes(kind: ChartKind, picture: Picture) -> None:
    """Caches on the way keep what has not changed."""
    once, again = (
        [draw_chart(one, "light", picture) for one in subjects(kind, 9)] for _ in range(2)
    )
    assert once == again


def test_themes_differ() -> None:
    for kind in set(KINDS) - {"badge"}:
        subject = subjects(kind, 3)[0]
        assert draw_chart(subject, "light", "svg") != draw_chart(subject, "dark", "svg")


def test_a_badge_claims_only_what_is_shown() -> None:
    assert "+18 pts with skill (n=5)" in draw_badge()
    hurts = a_set(word="hurts", evals=6, whiskers=Whiskers(difference=-0.07))
    assert "−7 pts with skill (n=6)" in draw_badge(latest=hurts)
    assert "not measured yet" in draw_badge(latest=None)
    for word, said in (
        ("no difference shown", "no difference shown (n=5)"),
        ("underpowered", "too few evals to say (n=5)"),
        ("invalid", "invalid"),
    ):
        drawn = draw_badge(latest=a_set(word=word))
        assert said in drawn
        assert "pts" not in drawn


def test_skills_stand_in_order_with_words_beside_their_dots() -> None:
    """Colour alone says nothing."""
    cards = tuple(
        a_card(name=name, latest=a_set(word=word, whiskers=Whiskers(difference=difference)))
        for name, word, difference in (
            ("worse", "hurts", -0.12), ("better", "helps", 0.3), ("same", "invalid", 0.0),
        )
    )  # fmt: skip
    subject = Subject(kind="difference", repo="acme/skills", cards=cards)
    said = words_of(draw_chart(subject, "light", "svg"))
    assert said.index("better") < said.index("same") < said.index("worse")
    for words in ("+30 pts", "helps (n=5)", "0 pts", "invalid (n=5)", "−12 pts", "hurts (n=5)"):
        assert words in said


def test_what_has_no_room_is_counted() -> None:
    for kind, words in (
        ("difference", "21 more sets not shown"),
        ("versions", "29 older versions not shown"),
        ("cost", "older versions not shown"),
        ("heat", "11 more eval cases not shown"),
        ("triggers", "29 older versions not shown"),
    ):
        assert words in words_of(draw_chart(subjects(kind, 41)[0], "light", "svg")), kind


def test_nothing_measured_is_told_and_not_drawn_as_zero() -> None:
    for kind, words in (
        ("difference", "Nothing has a score yet"),
        ("versions", "No version has a score yet"),
        ("cost", "Neither tokens nor prices are known yet"),
        ("heat", "No eval case was measured yet"),
        ("triggers", "Its description has not been measured yet"),
    ):
        said = words_of(draw_chart(subjects(kind, 0)[0], "light", "svg"))
        assert words in said
        assert "0" not in said


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_says_what_it_shows(kind: ChartKind) -> None:
    """Whoever does not see it hears its numbers, and how many there are more."""
    for subject in subjects(kind, 9):
        said = describe(subject)
        assert f">{said.split(':', maxsplit=1)[0]}" in draw_chart(subject, "light", "svg").decode()
        assert any(character.isdigit() for character in said)


@pytest.mark.parametrize("skill", [".", "text/word-count", "a b/(c) & <d>[e]`f`\"g\"'h' é\n"])
def test_the_badge_for_a_readme_is_one_picture_in_one_link(skill: str) -> None:
    """Whatever a folder is called."""
    markdown = badge_markdown("https://bot.example", "acme/skills", skill)
    rendered = MarkdownIt("commonmark").render(markdown)
    [image] = re.findall(r'<img src="([^"]*)"', rendered)
    [page] = re.findall(r'<a href="([^"]*)"', rendered)
    for address, name, path in (
        (image, "skill", "/charts/acme/skills/badge.svg"),
        (page, "path", "/repos/acme/skills/skill"),
    ):
        parts = urlsplit(html.unescape(address))
        assert parts.path == path
        assert parse_qs(parts.query) == {name: [skill]}


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (0.0, "0 pts"), (-0.0, "0 pts"), (1e-12, "0 pts"), (-0.0004, "\N{MINUS SIGN}<0.1 pts"),
        (0.0005, "+0.1 pts"), (-0.004, "\N{MINUS SIGN}0.4 pts"), (0.00996, "+1 pts"),
        (0.115, "+12 pts"), (1.0, "+100 pts"), (-1.0, "\N{MINUS SIGN}100 pts"),
    ],
)  # fmt: skip
def test_small_differences_keep_their_sign_and_none_has_none(difference: float, said: str) -> None:
    assert points(difference) == said


def test_tokens_that_nobody_counted_have_no_scale() -> None:
    [subject] = subjects("cost", 1)
    assert subject.figures is not None
    [point] = subject.figures.versions
    lacking = point.model_copy(update={"tokens_with": None, "tokens_without": None})
    figures = subject.figures.model_copy(update={"versions": (lacking,)})
    told = words_of(draw_chart(subject.model_copy(update={"figures": figures}), "light", "svg"))
    assert "No tokens were counted" in told
    assert told.split().count("0") == 1  # that of the money


def test_long_ids_of_eval_cases_are_told_apart() -> None:
    [subject] = subjects("heat", 1)
    assert subject.figures is not None
    cell, skill = subject.figures.cells[0], subject.figures.card.skill
    ids = [f"{skill}#{'a-rather-long-name-' * 9}{number}" for number in range(3)]
    cells = tuple(cell.model_copy(update={"eval_id": one}) for one in ids)
    figures = subject.figures.model_copy(update={"cells": cells})
    svg = draw_chart(subject.model_copy(update={"figures": figures}), "light", "svg")
    names = [word for word in words_of(svg).split() if "…" in word]
    assert len(set(names)) == 3
    assert all(name.startswith("a-rather") for name in names)
