"""The skill's picture in a report, where everybody may see it."""

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from config.settings import Settings
from jobs.reporting.chart import LONGEST, render_chart
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import CAP, size
from jobs.reporting.report import render_report
from jobs.requests import Repo
from jobs.results import RunResult
from tests.builders import a_result, a_run_spec, an_ungraded_result
from tests.jobs.reporting.rendered import HOSTILE, Rendered

OPEN = Repo(owner="acme", name="skills", installation_id=7)


def some_settings(**changes: Any) -> Settings:
    values = {"public_url": "https://bot.example", "public_pages": True}
    return Settings(_env_file=None, **(values | changes))


def a_told_result(**spec: Any) -> RunResult:
    return a_result(spec=a_run_spec(**({"repo": OPEN} | spec)))


def test_a_picture_has_both_themes_a_number_and_links() -> None:
    shown = render_chart(a_told_result(), some_settings())
    rendered = Rendered(shown)
    assert rendered.tags["picture"] == rendered.tags["source"] == rendered.tags["img"] == 1
    assert 'media="(prefers-color-scheme: dark)"' in shown
    assert "theme=dark" in re.search(r'srcset="([^"]*)"', shown)[1]
    assert "points" in re.search(r'alt="([^"]*)"', shown)[1]
    assert "https://bot.example/repos/acme/skills/runs/" in shown
    assert shown.count("https://bot.example/repos/acme/skills/skill?path=") == 2


@pytest.mark.parametrize(
    ("settings", "spec"),
    [
        ({"public_pages": False}, {}),
        ({"public_url": ""}, {}),
        ({"public_url": "http://bot.example"}, {}),
        ({}, {"repo": OPEN.model_copy(update={"private": True})}),
        ({}, {"repo": OPEN.model_copy(update={"installation_id": 0})}),
        ({}, {"pull": 5}),
        ({}, {"vs": "sha:" + "ab" * 32}),
    ],
)
def test_no_picture_where_nobody_would_see_the_run_in_it(
    settings: dict[str, Any], spec: dict[str, Any]
) -> None:
    assert not render_chart(a_told_result(**spec), some_settings(**settings))


def test_a_run_without_a_score_has_no_picture() -> None:
    lost = an_ungraded_result()
    told = lost.model_copy(update={"spec": lost.spec.model_copy(update={"repo": OPEN})})
    assert not render_chart(told, some_settings())


@pytest.mark.parametrize("text", [*HOSTILE, '"><script>alert(1)</script>', "' onload=x '"])
def test_a_name_breaks_out_of_no_attribute(text: str) -> None:
    spec = a_run_spec(repo=OPEN)
    path = f"skills/{text}/x"
    skill = spec.skill.model_copy(update={"path": path, "name": text})
    result = a_result(spec=spec.model_copy(update={"skill": skill}))
    shown = render_chart(result, some_settings())
    rendered = Rendered(shown)
    assert set(rendered.tags) == {"p", "a", "picture", "source", "img", "sub"}
    assert not rendered.comments
    source = html.unescape(re.search(r' src="([^"]*)"', shown)[1])
    assert parse_qs(urlsplit(source).query, keep_blank_values=True)["skill"] == [path]


def test_a_path_that_is_too_long_for_an_address_has_no_picture() -> None:
    spec = a_run_spec(repo=OPEN)
    skill = spec.skill.model_copy(update={"path": "é" * LONGEST})
    assert not render_chart(
        a_result(spec=spec.model_copy(update={"skill": skill})), some_settings()
    )


@pytest.mark.parametrize("verbosity", ["short", "normal", "full"])
def test_a_picture_is_whole_or_not_there_however_much_a_report_holds(verbosity: Any) -> None:
    result = a_told_result()
    chart = render_chart(result, some_settings())
    files = (("big.txt", "x" * 200_000),)
    context = ReportContext(
        chart=chart, with_skill_files=files, without_skill_files=files, verbosity=verbosity
    )
    report = render_report(result, context)
    assert size(report) <= CAP + 1
    assert report.count(chart) == 1
    assert report.index("## ") < report.index(chart)
    plain = render_report(result, ReportContext(chart="", verbosity=verbosity))
    assert "<picture" not in plain
