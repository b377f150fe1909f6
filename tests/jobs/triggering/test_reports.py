"""What an optimization shows: a page of its own, and JSON that skill-creator's tools read."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.evaluation import Ask
from jobs.triggering.optimization import Optimization
from jobs.triggering.report_page import Progress, find_changes, find_exit_words, render_page
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
    flat = " ".join(page.split())
    assert "what it should 50 points more often than with the original (95% interval +" in flat
    assert "every query to learn from came out right in iteration 2" in flat
    assert "all_passed" not in page
    assert "<dt>Cost</dt>" in page
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


def test_the_fresh_comparison_stands_as_a_table_of_its_own(tmp_path: Path):
    found, split = optimize(fires_with_good_words, tmp_path)
    page = render_page("pdf", "m", found, split)
    fresh = page[page.index('class="fresh"') : page.index("<h2>Queries</h2>")]
    assert fresh.count('class="cell') == 2 * len(split.test)
    assert fresh.index("Original") < fresh.index("Iteration 2")
    assert "4 of 8" in fresh
    assert "8 of 8" in fresh
    assert 'class="fresh"' not in render_page(
        "pdf", "m", found.model_copy(update={"proof": None}), split
    )


def test_while_best_and_original_are_compared_no_iteration_is_under_way(tmp_path: Path):
    states: list[Optimization] = []
    evaluator, _ = make_evaluator(fires_with_good_words)
    writer = Writer([json.dumps({"description": "good one"}), "?", "?", "?"])
    optimizer = make_optimizer(evaluator, writer, make_set(10, 10), tmp_path)
    optimizer = replace(optimizer, changed=states.append)
    asyncio.run(optimizer.run("poor", NoTranscript()))
    *_, before, last = states
    assert (before.proof, last.proof is not None) == (None, True)
    page = render_page("pdf", "m", before, optimizer.split, progress=Progress(1, 2))
    assert "The best and the original are compared once more." in page
    assert "is under way" not in page
    assert "<dt>Cost so far</dt>" in page


def test_queries_are_listed_in_their_order_and_held_out_ones_marked(tmp_path: Path):
    found, split = optimize(fires_with_good_words, tmp_path)
    listed = render_page("pdf", "m", found, split).partition("<h2>Queries</h2>")[2]
    ids = re.findall(r"<code>(Q\d+)</code>", listed)
    assert ids == [f"Q{number}" for number in range(1, 21)]
    assert listed.count(", held out") == len(split.test)


def test_a_ratio_over_nothing_is_a_dash_that_says_why(tmp_path: Path):
    found, split = optimize(lambda _: False, tmp_path)
    page = render_page("pdf", "m", found, split)
    assert '<span title="the skill fired for none of these queries">\N{EN DASH} ' in page
    assert "unknown <small" not in page


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("max_iterations (5)", "the most iterations, 5, were tried"),
        ("no_proposal (it wrote {} (twice))", "the model had no usable proposal"),
        ("", ""),
    ],
)
def test_the_end_of_a_search_is_said_in_words(reason: str, words: str):
    assert find_exit_words(reason) == words


def test_a_search_that_came_to_no_end_says_why_and_decides_nothing(tmp_path: Path):
    found, split = optimize(fires_with_good_words, tmp_path)
    page = render_page("pdf", "m", found, split, stopped="Cancelled by <b>mona</b>.")
    assert "Cancelled by &lt;b&gt;mona&lt;/b&gt;." in page
    assert "Use the description" not in page
    assert 'http-equiv="refresh"' not in page


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
