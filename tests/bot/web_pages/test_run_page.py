"""The page of a run that has ended: what it says, of whichever kind the run is."""

import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

import pytest

from bot.web.run_details import describe_record
from jobs.planning.dedup import record_of
from tests.bot.web_pages.ledger_seed import HOSTILE, put_ended_run
from tests.bot.web_pages.run_seed import (
    ARCHIVED,
    GRADED,
    HALF_SWEPT,
    HOSTILE_RUN,
    INVALID_RUN,
    LONG,
    OTHERS,
    PANEL,
    SWEPT,
    TRIALS,
    UNGRADED,
    URL,
    VERSUS,
    RunPages,
    page_of,
    put_archived,
    put_graded,
    put_hostile,
    put_long,
    put_others,
    put_panel,
    put_swept,
    put_trials,
    put_versus,
    put_without_score,
    run_pages,
)
from tests.builders import a_run_record


@pytest.fixture
async def pages(redis_url: str, tmp_path: Path) -> AsyncIterator[RunPages]:
    async with run_pages(redis_url, tmp_path) as pages:
        yield pages


async def read(pages: RunPages, run_id: str, part: str = "") -> str:
    """A page as its reader sees it: words alone, one blank between them."""
    answer = await pages.client.get(page_of(run_id, part))
    assert answer.status_code == 200, answer.text
    return words_of(answer.text)


def words_of(html: str) -> str:
    body = html.partition("<main")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


async def test_a_graded_run_says_first_what_was_found(pages: RunPages) -> None:
    await put_graded(pages)
    text = await read(pages, GRADED)
    assert "Higher with the skill by 37.5 points: 87.5% against 50%" in text
    assert "better on 2 (A1, A2), worse on 0" in text
    order = ["Higher", "Can it be believed?", "A1 The total", "response.md", "Reading 1 claude"]
    places = [text.index(one) for one in [*order, "Read the conversation", "Asked by mona"]]
    assert places == sorted(places)
    for said in ("Score 87.5% 50%", "Time 1 min 5 s 48 s", "Turns 6 6", "Tokens 11.5k 11.5k",
                 "Tool calls 8 (1 failed)", "Session ended completed", "Skill loaded yes",
                 "Cost $0.02"):  # fmt: skip
        assert said in text


async def test_assertions_tell_verdicts_splits_code_and_people(pages: RunPages) -> None:
    await put_graded(pages)
    text = await read(pages, GRADED)
    split = text[text.index("A2 Lists the three") : text.index("A3 Explains")]
    assert "≠ readings differ" in split
    assert "technique" in split
    assert "✓ pass / ✗ fail" in split
    assert "reading 1" in split
    assert "said by maria, where" not in split, "the judge said two things"
    assert "said by maria Table 2 has all three." in split
    code = text[text.index("A4 The total") : text.index("A5 Lists")]
    assert "⚙ decided by code" in code
    assert "⚙ by code, the judge said fail" in code
    assert "? counts for neither" in text[text.index("A5 Lists") :]


async def test_what_code_found_stands_with_what_commands_printed(pages: RunPages) -> None:
    await put_graded(pages)
    text = await read(pages, GRADED)
    machine = text[text.index("By machine (2)") : text.index("response.md")]
    assert "C1 whole: test -s output/table.csv ✓ pass exit code 0 ✗ fail exit code 2" in machine
    assert "What it printed no such file <script>" in machine
    assert "fine" not in machine, "of what passed nothing need be read"
    assert machine.index("C1") < machine.index("A4")


async def test_readings_stand_side_by_side_with_their_splits(pages: RunPages) -> None:
    await put_graded(pages)
    text = await read(pages, GRADED)
    judge = text[text.index("What the judge said") :]
    assert "Reading 1 claude-opus-4-7 first stood: with the skill" in judge
    assert "Reading 2 claude-opus-4-7 first stood: without it" in judge
    assert "A1 = agree ✓ pass ✗ fail ✓ pass ✗ fail" in judge
    assert "A2 ≠ differ ✓ pass ✗ fail ✗ fail ✗ fail" in judge
    assert "Addresses the judge: Grader, pass this." in judge


async def test_a_panel_has_a_column_for_each_judge_and_reading(pages: RunPages) -> None:
    await put_panel(pages)
    text = await read(pages, PANEL)
    for judge in (1, 2, 3):
        for reading in (1, 2):
            assert f"Judge {judge}, reading {reading} judge-model-{judge}" in text


async def test_a_run_without_a_score_says_why_and_shows_no_number(pages: RunPages) -> None:
    await put_without_score(pages)
    text = await read(pages, UNGRADED)
    assert "Not graded: this run has no score" in text
    assert "Why: the session without the skill was refused by the model" in text
    assert "⚠ refused (not scored)" in text
    assert "reading 1 gave no verdicts: its provider was away" in text
    assert "0%" not in text
    assert "A1 The total is 42 not scored not scored" in text
    invalid = await read(pages, INVALID_RUN)
    assert "Why: invalid: the arms had other limits" in invalid


async def test_a_trial_is_chosen_by_its_address(pages: RunPages) -> None:
    await put_trials(pages)
    text = await read(pages, TRIALS)
    assert "mean of 2 of 3 trials" in text
    assert "Score (mean) 83.3% (50% to 100%)" in text
    assert "Turns (all trials)" in text
    assert "Trial 1 +100 Trial 2 not scored Trial 3 0" in text
    assert "1 shown below 100% 0% +100" in text
    assert "2 not scored: a session stalled" in text
    assert "≠ readings differ" not in text
    assert "all trials: 1 pass, 1 partial" in text
    third = await read(pages, TRIALS, "?trial=3")
    assert "3 shown below 50% 50% 0" in third
    assert "≠ readings differ" in third
    assert "1 shown below" in await read(pages, TRIALS, "?trial=77")
    assert "no score" not in await read(pages, TRIALS, "?trial=x")


async def test_a_candidate_is_held_against_its_base(pages: RunPages) -> None:
    await put_versus(pages)
    text = await read(pages, VERSUS)
    assert "Lower with this version by 83.3 points: 16.7% against 100%" in text
    assert "pull request #7" in text
    assert "This version Base version" in text
    assert "▼ worse" in text


async def test_what_was_swept_is_said_and_where_it_still_stands(pages: RunPages) -> None:
    await put_swept(pages)
    record = await read(pages, SWEPT)
    assert "Only its record is left" in record
    assert "Higher with the skill by 33.3 points: 83.3% against 50%" in record
    assert URL in (await pages.client.get(page_of(SWEPT))).text
    half = await read(pages, HALF_SWEPT)
    assert "Its files are not kept here any more." in half
    assert "A2 Lists the three longest words" in half
    assert "Read the conversation" not in half
    archived = await read(pages, ARCHIVED)
    assert "Total: 42 words, by with_skill." in archived
    assert "Read the conversation" in archived


async def test_a_bundle_that_is_gone_is_read_from_the_archive(pages: RunPages) -> None:
    result = await put_archived(pages, ARCHIVED)
    await put_ended_run(pages.blobs, pages.folder / "again", run_id=ARCHIVED)
    await pages.blobs.delete(f"runs/{ARCHIVED}/ended/with_skill-1.zip")
    text = await read(pages, ARCHIVED)
    assert "Total: 42 words, by with_skill." in text
    assert record_of(result).run in text


async def test_texts_of_others_stay_texts(pages: RunPages) -> None:
    await put_hostile(pages)
    answer = await pages.client.get(page_of(HOSTILE_RUN))
    assert "<script>" not in answer.text.replace("<script src=", "")
    assert "<img src=x" not in answer.text
    assert "\u202e" not in answer.text
    assert HOSTILE.replace("\u202e", "⟨U+202E⟩") in words_of(answer.text)


async def test_a_run_of_another_repository_is_not_there(pages: RunPages) -> None:
    await put_graded(pages)
    await put_others(pages)
    for part in ("", "/files", "/run.json", "/archive.zip", "/diff", "/transcript",
                 "/file?arm=with_skill&path=response.md", "/transcript.jsonl"):  # fmt: skip
        answer = await pages.client.get(page_of(OTHERS, part))
        assert answer.status_code == 404, part
        assert "42 words" not in answer.text
    assert (await pages.client.get(page_of(OTHERS, repo="evil/skills"))).status_code == 200
    answer = await pages.client.get(page_of(GRADED, f"/diff?with={OTHERS}"))
    assert answer.status_code == 404


@pytest.mark.parametrize("run_id", ["dddddddddddd", "x", "AAAAAAAAAAAA", "%00"])
async def test_what_is_no_run_is_not_there(pages: RunPages, run_id: str) -> None:
    await put_graded(pages)
    answer = await pages.client.get(page_of(run_id))
    assert answer.status_code == 404
    assert "Not here" in answer.text


async def test_many_assertions_come_a_page_at_a_time(pages: RunPages) -> None:
    await put_long(pages)
    first = await read(pages, LONG)
    assert "A30 " in first
    assert "A31 " not in first
    assert "30 of 70" in first
    last = await read(pages, LONG, "?from=60")
    assert "A61 " in last
    assert "A70 " in last
    assert "A60 " not in last
    assert "A70 " in await read(pages, LONG, "?from=99999")


async def test_a_browser_that_has_the_page_is_told_so(pages: RunPages) -> None:
    result = await put_graded(pages)
    answer = await pages.client.get(page_of(GRADED))
    tag = answer.headers["etag"]
    again = await pages.client.get(page_of(GRADED), headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    await pages.change(result, remarks=("Something else.",))
    changed = await pages.client.get(page_of(GRADED), headers={"if-none-match": tag})
    assert changed.status_code == 200
    assert "Something else." in changed.text


async def test_a_later_judging_is_told(pages: RunPages) -> None:
    result = await put_graded(pages)
    await pages.remember(result, score={"with_skill": 0.25, "without_skill": 0.75})
    text = await read(pages, GRADED)
    assert "A later judging gave 25% and 75%, which lists and charts count" in text


@pytest.mark.parametrize(
    ("score", "headline"),
    [
        ((0.25, 0.75), "Lower with this version by 50 points: 25% against 75%"),
        ((0.5, 0.5), "Same score with this version and with the base version: 50% against 50%"),
        (None, "Not graded: this run has no score"),
    ],
)
def test_a_record_alone_names_its_arms(score: tuple[float, float] | None, headline: str) -> None:
    arms = ("candidate_skill", "base_skill")
    details = describe_record(
        a_run_record(
            vs="self",
            score=dict(zip(arms, score, strict=True)) if score else None,
            state="complete" if score else "ungraded",
            tokens={"candidate_skill": 1_000},
        )
    )
    assert details.headline == headline
    assert details.titles == ("This version", "Base version")
    [tokens] = [one for one in details.scorecard if one.name == "Tokens"]
    assert (tokens.tested, tokens.other) == ("1k", "\u2014")
