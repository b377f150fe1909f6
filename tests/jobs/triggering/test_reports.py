"""What an optimization shows: a page of its own, and JSON that skill-creator's tools read."""

import asyncio
import json
from pathlib import Path

import pytest

from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.evaluation import Ask
from jobs.triggering.optimization import Optimization
from jobs.triggering.report_page import Progress, find_changes, render_page
from jobs.triggering.result_json import make_evaluation_json, make_optimization_json
from jobs.triggering.split import Split
from tests.jobs.triggering.world import (
    NoTranscript,
    Writer,
    install,
    make_evaluator,
    make_optimizer,
    make_set,
)

HOSTILE = "</td><script>alert(1)</script><img src=//evil.example/x>"


def optimize(rule, scratch: Path, *, eval_set=None) -> tuple[Optimization, Split]:
    evaluator, _ = make_evaluator(rule)
    writer = Writer([json.dumps({"description": "good one"}), "?", "?", "?"])
    eval_set = eval_set or make_set(10, 10)
    optimizer = make_optimizer(evaluator, writer, eval_set, scratch)
    return asyncio.run(optimizer.run("poor", NoTranscript())), optimizer.split


def fires_with_good_words(ask: Ask) -> bool:
    return ask.query.should_trigger and "good" in ask.installed.skill.description


def test_the_json_holds_every_key_that_skill_creators_readers_use(tmp_path: Path):
    found, _ = optimize(fires_with_good_words, tmp_path)
    result = json.loads(json.dumps(make_optimization_json(found)))
    assert {
        "exit_reason": "all_passed (iteration 2)",
        "original_description": "poor",
        "best_description": "good one",
        "best_score": "8/8",
        "best_train_score": "12/12",
        "best_test_score": "8/8",
        "final_description": "good one",
        "iterations_run": 2,
        "holdout": 0.4,
        "train_size": 12,
        "test_size": 8,
    }.items() <= result.items()
    first = result["history"][0]
    assert {
        "iteration": 1,
        "description": "poor",
        "train_passed": 6,
        "train_failed": 6,
        "train_total": 12,
        "test_passed": 4,
        "test_failed": 4,
        "test_total": 8,
        "passed": 6,
        "failed": 6,
        "total": 12,
    }.items() <= first.items()
    assert first["results"] == first["train_results"]
    row = first["test_results"][0]
    assert {"query", "should_trigger", "trigger_rate", "triggers", "runs", "pass"} <= row.keys()
    assert (row["trigger_rate"], row["triggers"], row["runs"], row["pass"]) == (0.0, 0, 3, False)
    assert result["improved"] is True
    assert result["proof"]["interval"][0] > 0


async def test_an_evaluation_tells_what_was_not_measured(tmp_path: Path):
    evaluator, _ = make_evaluator(lambda ask: None if ask.query.id == "Q1" else True)
    results = await evaluator.evaluate(
        make_set(2, 1).queries, install("d", tmp_path), round_name="one"
    )
    found = json.loads(json.dumps(make_evaluation_json("pdf", "d", results)))
    assert found["summary"] == {"total": 3, "passed": 1, "failed": 1, "missing": 1}
    missing = found["results"][0]
    assert (missing["pass"], missing["trigger_rate"], missing["interval"]) == (None, None, None)
    assert missing["missing_because"] == ["the stream broke off"]
    assert (found["scores"]["precision"], found["scores"]["recall"]) == (0.5, 1.0)
    assert found["usage"]["requests"] == 3 * 3 + 2 * 3


def test_the_page_names_the_improvement_with_its_interval(tmp_path: Path):
    found, split = optimize(fires_with_good_words, tmp_path)
    page = render_page("pdf", "m", found, split)
    assert "Use the description of iteration 2." in page
    assert "by +50 percentage points" in " ".join(page.split())
    assert "<ins>good one</ins>" in page
    assert "<del>poor</del>" in page
    assert page.count('class="best"') == 1
    assert 'http-equiv="refresh"' not in page


def test_a_page_that_is_under_way_loads_itself_anew(tmp_path: Path):
    found, split = optimize(lambda _: False, tmp_path)
    running = found.model_copy(update={"exit_reason": "", "iterations": ()})
    page = render_page("pdf", "m", running, split, progress=Progress(12, 348))
    assert 'http-equiv="refresh"' in page
    assert "12 of at most 348 sessions" in page
    assert "Nothing has been measured yet." in page


def test_no_difference_leaves_the_original(tmp_path: Path):
    found, split = optimize(lambda _: False, tmp_path)
    page = " ".join(render_page("pdf", "m", found, split).split())
    assert "Keep the original description." in page


def test_nothing_that_others_wrote_is_markup_and_nothing_is_loaded(tmp_path: Path):
    entries = [(f"{HOSTILE} {n}", n % 2 == 0) for n in range(8)]
    found, split = optimize(lambda _: True, tmp_path, eval_set=make_eval_set(entries, "set"))
    iteration = found.iterations[0].model_copy(update={"description": HOSTILE})
    page = render_page(
        HOSTILE, HOSTILE, found.model_copy(update={"iterations": (iteration,)}), split
    )
    assert "<script" not in page
    assert "<img" not in page
    assert "src=" not in page.replace("src=//evil.example/x&gt;", "")
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("a b c", "a x c", [("same", "a"), ("removed", "b"), ("added", "x"), ("same", "c")]),
        ("a", "a b", [("same", "a"), ("added", "b")]),
        ("", "a", [("added", "a")]),
    ],
)
def test_changes_are_found_by_the_word(before: str, after: str, pieces: list[tuple[str, str]]):
    assert find_changes(before, after) == pieces
