"""Evaluations: every query as often as wanted, nothing twice, and nothing made up."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.triggering.evaluation import ATTEMPTS, Ask
from jobs.triggering.observations import Observation
from jobs.triggering.provider_slots import ProviderSlots
from jobs.triggering.scores import sum_usage
from tests.jobs.triggering.world import MemoryBlobs, install, make_evaluator, make_set


async def test_every_query_is_asked_once_before_any_is_asked_twice():
    evaluator, observer = make_evaluator(lambda ask: ask.query.should_trigger, at_once=1)
    results = await evaluator.evaluate(
        make_set(2, 1).queries, install("d", Path()), round_name="one"
    )
    assert [(ask.number, ask.query.id) for ask in observer.asked] == [
        (number, query) for number in (1, 2, 3) for query in ("Q1", "Q2", "Q3")
    ]
    assert [(result.query.id, result.rate, result.verdict) for result in results] == [
        ("Q1", 1.0, "pass"),
        ("Q2", 1.0, "pass"),
        ("Q3", 0.0, "pass"),
    ]


async def test_what_was_seen_is_not_asked_again_by_whoever_carries_on():
    blobs = MemoryBlobs()
    first, seen = make_evaluator(lambda ask: True if ask.number == 1 else None, blobs)
    await first.evaluate(make_set(1, 1).queries, install("d", Path()), round_name="one")
    second, again = make_evaluator(lambda _: False, blobs)
    results = await second.evaluate(make_set(1, 1).queries, install("d", Path()), round_name="one")
    assert {(ask.query.id, ask.number) for ask in seen.asked if ask.number == 1} == {
        ("Q1", 1),
        ("Q2", 1),
    }
    assert all(ask.number > 1 for ask in again.asked)
    assert [result.fired for result in results] == [1, 1]


async def test_another_round_or_another_description_is_asked_anew():
    blobs = MemoryBlobs()
    evaluator, observer = make_evaluator(lambda _: True, blobs, runs_per_query=1)
    queries = make_set(1, 0).queries
    for description, round_name in (("d", "one"), ("d", "two"), ("e", "one"), ("d", "one")):
        await evaluator.evaluate(queries, install(description, Path()), round_name=round_name)
    assert len(observer.asked) == 3


async def test_a_session_that_breaks_is_asked_again_and_its_cost_is_counted():
    broken = iter([None, True])
    evaluator, _ = make_evaluator(lambda _: next(broken), runs_per_query=1)
    (result,) = await evaluator.evaluate(
        make_set(1, 0).queries, install("d", Path()), round_name="one"
    )
    assert result.verdict == "pass"
    assert sum_usage([result]).cost_usd == Decimal("0.02")


async def test_sessions_that_keep_breaking_are_missing_and_are_tried_again_later():
    blobs = MemoryBlobs()
    evaluator, observer = make_evaluator(lambda _: None, blobs, runs_per_query=1)
    (result,) = await evaluator.evaluate(
        make_set(1, 0).queries, install("d", Path()), round_name="one"
    )
    assert (result.verdict, result.rate) == ("missing", None)
    assert result.observations[0].detail == "the stream broke off"
    assert len(observer.asked) == ATTEMPTS
    assert sum_usage([result]).requests == ATTEMPTS
    assert blobs.kept == {}


@pytest.mark.parametrize("at_once", [1, 4])
async def test_no_more_sessions_go_on_together_than_allowed(at_once: int):
    going, most = 0, 0

    class Counting:
        async def observe(self, ask: Ask) -> Observation:
            nonlocal going, most
            going += 1
            most = max(most, going)
            await asyncio.sleep(0)
            going -= 1
            return Observation(query_id=ask.query.id, number=ask.number, fired=True)

    evaluator, _ = make_evaluator(lambda _: True, at_once=at_once)
    object.__setattr__(evaluator, "observer", Counting())
    queries = make_set(4, 4).queries
    await asyncio.gather(  # as best and original are compared
        evaluator.evaluate(queries, install("d", Path()), round_name="one"),
        evaluator.evaluate(queries, install("e", Path()), round_name="one"),
    )
    assert most == at_once


async def test_measurements_share_the_slots_of_their_provider_and_none_waits_for_the_others_end():
    going, most = 0, 0
    ended: list[str] = []

    class Counting:
        async def observe(self, ask: Ask) -> Observation:
            nonlocal going, most
            going += 1
            most = max(most, going)
            await asyncio.sleep(0)
            going -= 1
            ended.append(ask.installed.skill.description)
            return Observation(query_id=ask.query.id, number=ask.number, fired=True)

    slots = ProviderSlots()
    running = []
    for number in range(3):
        evaluator, _ = make_evaluator(lambda _: True, at_once=2)
        shared = replace(evaluator, observer=Counting(), provider_slots=slots.get("anthropic", 2))
        running.append(
            shared.evaluate(make_set(4, 4).queries, install(str(number), Path()), round_name="one")
        )
    await asyncio.gather(*running)
    assert most == 2
    assert set(ended[:12]) == {"0", "1", "2"}
    assert slots.get("anthropic", 2) is not slots.get("openai", 2)
