"""The controls: a broken harness is told from a bad skill before anything is measured."""

from pathlib import Path

import pytest

from jobs.content.skill_file import parse_skill_file
from jobs.errors import Refused, Transient
from jobs.triggering.controls import NAME, POSITIVE, check_harness
from tests.jobs.triggering.world import MemoryBlobs, make_evaluator


async def test_a_sound_harness_passes_with_two_sessions(tmp_path: Path):
    evaluator, observer = make_evaluator(lambda ask: ask.query == POSITIVE)
    results = await check_harness(evaluator, tmp_path)
    assert [result.verdict for result in results] == ["pass", "pass"]
    assert len(observer.asked) == 2
    own = tmp_path / "controls" / NAME / "SKILL.md"
    assert parse_skill_file(own.read_bytes(), "SKILL.md", NAME).warnings == ()


async def test_a_model_may_miss_once(tmp_path: Path):
    missed = iter([False, False, True, False])
    evaluator, observer = make_evaluator(lambda _: next(missed), at_once=1)
    results = await check_harness(evaluator, tmp_path)
    assert [result.verdict for result in results] == ["fail", "pass", "pass", "pass"]
    assert len(observer.asked) == 4


@pytest.mark.parametrize(
    ("fires", "said"),
    [
        (False, "was not used when it stood there"),
        (True, "the same skill was used for a sum"),
    ],
)
async def test_a_broken_harness_is_named_and_the_skill_is_cleared(
    fires: bool, said: str, tmp_path: Path
):
    evaluator, _ = make_evaluator(lambda _: fires)
    with pytest.raises(Refused) as refusal:
        await check_harness(evaluator, tmp_path)
    assert said in str(refusal.value)
    assert "The skill is not to blame" in str(refusal.value)


async def test_a_harness_that_was_mended_passes_the_next_check(tmp_path: Path):
    blobs = MemoryBlobs()
    broken, _ = make_evaluator(lambda _: False, blobs)
    with pytest.raises(Refused):
        await check_harness(broken, tmp_path)
    mended, observer = make_evaluator(lambda ask: ask.query == POSITIVE, blobs)
    await check_harness(mended, tmp_path)
    assert len(observer.asked) == 2


async def test_the_rate_asked_of_the_skill_judges_no_harness(tmp_path: Path):
    evaluator, _ = make_evaluator(lambda ask: ask.query == POSITIVE, threshold=0)
    results = await check_harness(evaluator, tmp_path)
    assert [result.verdict for result in results] == ["pass", "pass"]


async def test_sessions_that_break_show_nothing_about_the_harness(tmp_path: Path):
    evaluator, _ = make_evaluator(lambda _: None)
    with pytest.raises(Transient, match="the stream broke off"):
        await check_harness(evaluator, tmp_path)
