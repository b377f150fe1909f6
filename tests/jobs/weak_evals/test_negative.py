"""What only says what must not be there is recognised, and fails where nothing was handed in."""

from pathlib import Path
from time import process_time

import pytest

from jobs.readings import JudgePass
from jobs.values import Assertion
from jobs.weak_evals.negative import find_negatives, is_negative
from tests.builders import an_eval_case
from tests.jobs.judging.readings import read_pass
from tests.jobs.judging.scripted_agent import ScriptedAgent, an_answer, entries_for, wanted_in

NEGATIVE = (
    "Does not mention any patient by name",
    "The report doesn't invent references",
    "Avoids causal language",
    "No file is overwritten",
    "The answer contains no marketing words",
    "It never recommends a dose",
    "The code is free of warnings",
    "Contains neither names nor addresses",
    "Refrains from giving a diagnosis",
    "Excludes patients under 18",
)
POSITIVE = (
    "States that no patient was lost to follow-up",
    "Uses a log scale instead of a linear one",
    "Does not stop at the mean but reports the spread",
    "Names 3 limits, none of them about cost",
    "Contains no names except those of the authors",
    "The total is 42",
)


@pytest.mark.parametrize("text", NEGATIVE)
def test_what_must_not_be_there_is_recognised(text: str) -> None:
    assert is_negative(text)


@pytest.mark.parametrize("text", POSITIVE)
def test_what_must_be_there_is_none(text: str) -> None:
    assert not is_negative(text)


def test_negative_ones_are_told_by_their_ids() -> None:
    assertions = [Assertion(id=f"A{n}", text=text) for n, text in enumerate(POSITIVE[:2], 1)]
    assertions.append(Assertion(id="A3", text=NEGATIVE[0]))
    assert find_negatives(assertions) == ("A3",)


@pytest.mark.parametrize("text", ["word " * 50_000, "a" * 200_000, "does " * 40_000, " " * 100_000])
def test_a_hostile_assertion_is_looked_at_in_no_time(text: str) -> None:
    began = process_time()
    is_negative(text)
    assert process_time() - began < 1


async def test_a_candidate_without_output_fails_what_only_says_what_must_not_be_there(
    tmp_path: Path,
) -> None:
    """By rule: the judge, who would pass it, is not even asked about the empty one."""
    case = an_eval_case(
        assertions=tuple(Assertion(id=f"A{n}", text=text) for n, text in enumerate(NEGATIVE, 1))
    )
    agent = ScriptedAgent([an_answer(entries_for(case.assertions))])
    reading = await read_pass(
        tmp_path, case=case, files={"candidate_1/report.md": "42"}, agent=agent
    )
    assert isinstance(reading, JudgePass)
    said = {(one.assertion, one.candidate): one.verdict for one in reading.verdicts}
    assert {said[one.id, "candidate_2"] for one in case.assertions} == {"fail"}
    assert {said[one.id, "candidate_1"] for one in case.assertions} == {"pass"}
    assert {candidate for _, candidate in wanted_in(agent.asked[0])} == {"candidate_1"}
