"""Eval cases and models side by side."""

import pytest

from tests.jobs.conclusions.records import against_itself, scored, unscored
from tests.jobs.dashboard.figures import GPT, NEW, OLD, SONNET, make_figures, measured


def test_a_cell_shows_the_latest_run_of_its_eval_case_on_its_model() -> None:
    runs = [
        *measured(OLD, [(0.6, 0.5), (0.7, 0.5)], **SONNET),
        *measured(OLD, [(0.9, 0.5)], day=1, **SONNET),
        *measured(OLD, [(0.2, 0.5)], **GPT),
    ]
    cells = make_figures(runs).cells
    assert [(one.eval_id, one.model) for one in cells] == [
        ("e0", "claude-sonnet-4-6"),
        ("e0", "gpt-5-mini"),
        ("e1", "claude-sonnet-4-6"),
    ]
    assert [one.difference for one in cells] == pytest.approx([0.4, -0.3, 0.2])
    assert cells[0].run == runs[2].run


def test_a_latest_run_without_a_score_shows_none_and_no_older_number() -> None:
    runs = [*measured(OLD, [(0.9, 0.5)]), unscored("e0", skill_sha=OLD, run="zzz")]
    later = runs[1].model_copy(update={"finished_at": runs[0].ended_at.replace(hour=20)})
    [cell] = make_figures([runs[0], later]).cells
    assert (cell.difference, cell.run) == (None, "zzz")


def test_cells_of_an_earlier_version_are_stale() -> None:
    runs = [*measured(OLD, [(0.6, 0.5)] * 2), *measured(NEW, [(0.7, 0.5)], day=1)]
    figures = make_figures(runs)
    assert [(one.eval_id, one.is_stale) for one in figures.cells] == [("e0", False), ("e1", True)]
    assert figures.card.stale == ("e1",)


def test_an_eval_case_is_stale_on_one_model_and_fresh_as_a_whole() -> None:
    """Its newest score, on any model, is of the newest version."""
    runs = [*measured(OLD, [(0.6, 0.5)], **GPT), *measured(NEW, [(0.7, 0.5)], day=1, **SONNET)]
    figures = make_figures(runs)
    assert [(one.model, one.is_stale) for one in figures.cells] == [
        ("claude-sonnet-4-6", False),
        ("gpt-5-mini", True),
    ]
    assert figures.card.stale == ()


def test_names_of_one_model_are_one_column() -> None:
    """Under the name of its last run."""
    runs = [
        *measured(OLD, [(0.6, 0.5)], **SONNET),
        *measured(OLD, [(0.7, 0.5)], day=1, **SONNET | {"model": "anthropic/claude-sonnet-4.6"}),
    ]
    figures = make_figures(runs)
    assert [one.model for one in figures.cells] == ["anthropic/claude-sonnet-4.6"]
    assert {one.model for one in figures.versions} == {"anthropic/claude-sonnet-4.6"}


def test_what_was_not_held_against_no_skill_has_no_cell() -> None:
    assert make_figures(against_itself([0.1, 0.2])).cells == ()


def test_of_an_eval_case_that_was_rewritten_the_present_text_counts() -> None:
    older = scored("e0", 1.0, 0.0, eval_digest="a" * 64, **SONNET)
    newer = measured(OLD, [(0.6, 0.5)], day=1, eval_digest="b" * 64, **GPT)
    assert [one.model for one in make_figures([older, *newer]).cells] == ["gpt-5-mini"]
