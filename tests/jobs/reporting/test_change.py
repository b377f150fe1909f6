"""How a result compares with the one before it."""

import pytest

from jobs.reporting.change import compare_amounts, compare_scores, render_change
from jobs.results import RunRecord
from tests.builders import a_run_record

SKILL = "with_skill"


def record(score: float | None, tokens: int | None, wall_s: float | None) -> RunRecord:
    return a_run_record(
        skill_sha="abcdef123456" + "0" * 52,
        score=None if score is None else {SKILL: score},
        tokens=None if tokens is None else {SKILL: tokens},
        wall_s=None if wall_s is None else {SKILL: wall_s},
        url="https://github.com/acme/skills/issues/7#issuecomment-1",
    )


def test_it_names_the_version_and_the_changes() -> None:
    assert render_change(record(0.92, 11_000, 50.0), record(0.75, 12_300, 48.0)) == (
        "**With the skill, against its previous version** "
        "[`abcdef123456`](https://github.com/acme/skills/issues/7#issuecomment-1): "
        "score 75% → 92% ▲ 17 points · tokens 11k ▼ 11% · time 50 s ▲ 4%"
    )


def test_what_nobody_noted_is_no_zero() -> None:
    text = render_change(record(0.5, None, 50.0), record(0.75, 12_300, None))
    assert text.endswith("score 75% → 50% ▼ 25 points · tokens — · time 50 s")


def test_without_a_score_on_both_sides_nothing_is_said() -> None:
    assert render_change(record(None, 1, 1.0), record(0.75, 1, 1.0)) == ""
    assert render_change(record(0.75, 1, 1.0), record(None, 1, 1.0)) == ""
    assert render_change(record(0.75, 1, 1.0), None) == ""


@pytest.mark.parametrize(
    ("now", "before", "shown"),
    [(1.0, 0.75, "▲ 25 points"), (0.75, 1.0, "▼ 25 points"), (0.1 + 0.2, 0.3, "=")],
)
def test_scores_in_points(now: float, before: float, shown: str) -> None:
    assert compare_scores(now, before) == shown


@pytest.mark.parametrize(
    ("now", "before", "shown"),
    [(110, 100, "▲ 10%"), (90, 100, "▼ 10%"), (100.2, 100, "="), (5, 0, ""), (0, 100, "▼ 100%")],
)
def test_amounts_in_per_cent(now: float, before: float, shown: str) -> None:
    assert compare_amounts(now, before) == shown
