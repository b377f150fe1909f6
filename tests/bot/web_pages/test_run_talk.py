"""Transcripts as conversations, two runs side by side, and who sees any of it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from bot.store.seen_repos import RedisSeenRepos
from jobs.conversation import TranscriptEvent
from jobs.sessions.bundle import write_bundle
from jobs.sessions.transcript import JsonlTranscript
from jobs.values import Arm
from tests.bot.web_pages.ledger_seed import HOSTILE, some_files
from tests.bot.web_pages.run_seed import (
    GRADED,
    HALF_SWEPT,
    HOSTILE_RUN,
    OTHERS,
    SWEPT,
    TRIALS,
    VERSUS,
    RunPages,
    page_of,
    put_graded,
    put_hostile,
    put_others,
    put_swept,
    put_trials,
    put_versus,
    run_pages,
)
from tests.bot.web_pages.test_run_page import read, words_of
from tests.builders import NOON, a_repo

TALK = "/transcript?arm=with_skill&trial=1"
PARTS = ("", "/files", TALK, "/transcript.jsonl?arm=with_skill", "/file?arm=with_skill&path=x",
         "/archive.zip", "/run.json", "/diff")  # fmt: skip


@pytest.fixture
async def pages(redis_url: str, tmp_path: Path) -> AsyncIterator[RunPages]:
    async with run_pages(redis_url, tmp_path) as pages:
        yield pages


async def test_a_transcript_reads_as_a_conversation(pages: RunPages) -> None:
    await put_graded(pages)
    text = await read(pages, GRADED, TALK)
    order = ["Task 12:00:00 Count.", "System prompt You work.", "I look at the file first.",
             "bash wc -w input/a.txt", "Answered 42 input/a.txt", "read_file nowhere ✗ failed",
             "there is no such file", "cost usd 0.0123", "Done, as with_skill does.",
             "✓ completed"]  # fmt: skip
    places = [text.index(one) for one in order]
    assert places == sorted(places)
    html = (await pages.client.get(page_of(GRADED, TALK))).text
    assert html.count("<details>") >= 3
    assert "<script>" not in html


async def put_talk(pages: RunPages, texts: Sequence[str]) -> bytes:
    """A graded run whose session with the skill said these things; what was written of them."""
    result = await put_graded(pages)
    made = pages.folder / "talk"
    made.mkdir()
    with JsonlTranscript(made / "t.jsonl") as transcript:
        for text in texts:
            transcript.write(TranscriptEvent(NOON, "text", {"text": text, "model": text[:20]}))
    output = pages.folder / "made" / GRADED / "with_skill-1"
    write_bundle(made / "b.zip", result.sessions[0], made / "t.jsonl", output)
    await pages.blobs.put(f"runs/{GRADED}/ended/with_skill-1.zip", made / "b.zip")
    return (made / "t.jsonl").read_bytes()


async def test_half_characters_and_hidden_ones_are_shown_as_such(pages: RunPages) -> None:
    await put_talk(pages, ["half \ud83d", "turned \u202eround", "a\0b\x1b[31m", HOSTILE])
    text = await read(pages, GRADED, TALK)
    for shown in ("half \ufffd", "turned ⟨U+202E⟩round", "a⟨U+0000⟩b⟨U+001B⟩[31m"):
        assert shown in text
    assert "document.title='run'" in text


async def test_a_long_transcript_comes_a_page_at_a_time(pages: RunPages) -> None:
    written = await put_talk(pages, [f"remark {number}." for number in range(150)])
    first = await read(pages, GRADED, TALK)
    assert "remark 59." in first
    assert "remark 60." not in first
    assert "Page 1 of 3" in first
    last = await read(pages, GRADED, f"{TALK}&page=3")
    assert "remark 149." in last
    assert "Later" not in last
    whole = await pages.client.get(page_of(GRADED, "/transcript.jsonl?arm=with_skill"))
    assert whole.content == written
    assert whole.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("query", ["", "?arm=nobody", "?arm=with_skill&trial=9", "?trial=1"])
async def test_a_session_that_there_is_not_has_no_transcript(pages: RunPages, query: str) -> None:
    await put_graded(pages)
    answer = await pages.client.get(page_of(GRADED, f"/transcript{query}"))
    assert answer.status_code == 404
    assert "Not here" in answer.text


async def test_a_transcript_that_was_swept_is_said_to_be(pages: RunPages) -> None:
    await put_swept(pages)
    answer = await pages.client.get(page_of(HALF_SWEPT, TALK))
    assert answer.status_code == 404
    assert "not kept here any more" in answer.text


async def test_two_runs_tell_what_differs(pages: RunPages) -> None:
    await put_graded(pages)
    await put_versus(pages)
    text = await read(pages, GRADED, f"/diff?with={VERSUS}")
    assert "Higher with the skill by 37.5 points" in text
    assert "Lower with this version by 83.3 points" in text
    conditions = text[text.index("Conditions that differ") : text.index("Scores")]
    assert f"Compared with — version {'e' * 12}" in conditions
    assert "Model" not in conditions
    assert "Score 87.5% 16.7% 50% 100%" in text
    assert "A1 The total is 42 pass → fail fail → pass" in text
    files = text[text.index("Files that differ") :]
    assert f"1 added, 1 removed, from run {VERSUS} to {GRADED}" in files
    assert "+ Total: 42 words, by with_skill." in files
    assert "\N{MINUS SIGN} Total: 42 words, by candidate_skill." in files


async def test_one_trial_stands_beside_several_in_the_same_rows(pages: RunPages) -> None:
    await put_graded(pages)
    await put_trials(pages)
    text = await read(pages, GRADED, f"/diff?with={TRIALS}")
    assert "Trials 1 2 of 3 trials, each judged by itself" in text
    scores = text[text.index("Scores") : text.index("Assertions that differ")]
    assert "Score 87.5% 83.3% (50% to 100%) 50%" in scores
    assert "(mean)" not in scores
    assert "Of several trials the means; turns" in scores


async def test_a_run_is_chosen_from_those_of_its_skill(pages: RunPages) -> None:
    await put_graded(pages)
    await put_trials(pages)
    answer = await pages.client.get(page_of(GRADED, "/diff"))
    assert f'href="?with={TRIALS}"' in answer.text
    assert f'href="?with={GRADED}"' not in answer.text


async def test_a_run_whose_files_were_swept_is_compared_by_what_is_left(pages: RunPages) -> None:
    await put_graded(pages)
    await put_swept(pages)
    text = await read(pages, GRADED, f"/diff?with={SWEPT}")
    assert "The files of a run are not kept here any more." in text
    assert "Score 87.5% 83.3%" in text


async def test_a_run_of_another_repository_is_compared_under_its_whole_name(
    pages: RunPages,
) -> None:
    await put_graded(pages)
    await put_others(pages)
    await put_hostile(pages)
    text = await read(pages, GRADED, f"/diff?with=evil/skills/{OTHERS}")
    assert "of evil/skills" in text
    for named in (OTHERS, f"no/body/{OTHERS}", f"evil/skills/{GRADED}", "x", "/", "a/b/c/d"):
        answer = await pages.client.get(page_of(GRADED, f"/diff?with={named}"))
        assert answer.status_code == 404, named
    html = await pages.client.get(page_of(GRADED, f"/diff?with={HOSTILE_RUN}"))
    assert html.status_code == 200
    assert "<script>" not in html.text


@pytest.mark.parametrize("part", PARTS)
async def test_what_one_may_not_see_answers_like_what_is_not_there(
    redis_url: str, tmp_path: Path, part: str
) -> None:
    public = {"public_url": "https://bench.example", "public_pages": True}
    async with run_pages(redis_url, tmp_path, **public) as pages:
        await put_graded(pages)
        await put_others(pages)
        seen = RedisSeenRepos(pages.redis)
        await seen.see(a_repo(private=True))
        hidden = await pages.client.get(page_of(GRADED, part))
        nothing = await pages.client.get(page_of("dddddddddddd", part))
        assert (hidden.status_code, hidden.text) == (404, nothing.text)
        await seen.see(a_repo(owner="evil", name="skills", private=False))
        shown = await pages.client.get(page_of(OTHERS, "/run.json", repo="evil/skills"))
        assert shown.status_code == 200
        mixed = f"/diff?with=acme/skills/{GRADED}"
        across = await pages.client.get(page_of(OTHERS, mixed, repo="evil/skills"))
        assert across.status_code == 404
        await seen.see(a_repo(private=False), is_asked=True)
        assert (await pages.client.get(page_of(GRADED))).status_code == 200


async def test_a_table_as_large_as_may_be_hurts_nobody(pages: RunPages) -> None:
    row = b"0123456789," * 9 + b"end\n"
    large = b"a,b,c\n" + row * 500_000

    def files(arm: Arm) -> dict[str, bytes]:
        return {"large.csv": large if arm is Arm.WITH_SKILL else row, **some_files(arm)}

    await pages.put(GRADED, files=files)
    page = await pages.client.get(page_of(GRADED, "/files?path=large.csv"))
    assert page.status_code == 200
    assert len(page.content) < 1_000_000
    assert "Only the first 500 rows are shown." in words_of(page.text)
    address = page_of(GRADED, "/file?arm=with_skill&path=large.csv")
    size = 0
    async with pages.client.stream("GET", address) as answer:
        assert answer.headers["content-length"] == str(len(large))
        async for piece in answer.aiter_raw():
            size += len(piece)
    assert size == len(large)
