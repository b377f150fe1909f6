"""What a judge repeats of an assertion ties its verdict to that assertion and no other."""

import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.judging.answers import parse_answer
from jobs.judging.echoes import fits_echo, get_opening
from jobs.judging.scrub import Scrubber
from jobs.values import Assertion
from tests.builders import a_skill, an_eval_case
from tests.jobs.judging.scripted_agent import an_answer, an_entry

TARBALL = Path(__file__).parents[4] / "shared" / "data" / "pharma" / "pharma-skills.tar.gz"


def number(texts: list[str]) -> tuple[Assertion, ...]:
    return tuple(Assertion(id=f"A{at}", text=text) for at, text in enumerate(texts, start=1))


def load_real_cases() -> list[dict]:
    with tarfile.open(TARBALL) as archive:
        members = [item for item in archive if "/_automation/evals/" in item.name]
        contents = [archive.extractfile(item) for item in members if item.isfile()]
        return [json.load(content) for content in contents if content]


@pytest.mark.parametrize(
    ("texts", "openings"),
    [
        (["N is below 450"], ["N is below 450"]),
        (["one two three four five six seven"], ["one two three four five six"]),
        (
            ["a b c d e f g, then x", "a b c d e f g, then y", "z"],
            ["a b c d e f g, then x", "a b c d e f g, then y", "z"],
        ),
        (["N < 5", "N > 5"], ["N < 5", "N > 5"]),
    ],
)
def test_an_opening_is_as_long_as_it_takes(texts: list[str], openings: list[str]) -> None:
    assertions = number(texts)
    assert [get_opening(item, assertions) for item in assertions] == openings


TEXTS = st.lists(
    st.lists(st.sampled_from(["N", "is", "below", "450", "<", "the", "ß", "½", "İ", "plan"]))
    .map(" ".join)
    .filter(str.strip)
    | st.text(min_size=1, max_size=20),
    min_size=1,
    max_size=5,
)


@given(TEXTS)
def test_the_words_a_judge_is_asked_to_repeat_always_fit(texts: list[str]) -> None:
    assertions = number(texts)
    by_id = {item.id: item.text for item in assertions}
    for item in assertions:
        assert fits_echo(get_opening(item, assertions), item, by_id)


@pytest.mark.shared
@pytest.mark.skipif(
    not TARBALL.exists(), reason="the shared pharma data is not beside the checkout"
)
def test_every_real_rubric_is_read_whole_and_its_shift_is_noticed() -> None:
    rubrics = [number(case["assertions"]) for case in load_real_cases() if case["assertions"]]
    assert len(rubrics) >= 25
    for rubric in rubrics:
        entries = [
            an_entry(item, name, echo=get_opening(item, rubric))
            for item in rubric
            for name in ("candidate_1", "candidate_2")
        ]
        assert len(parse_answer(an_answer(entries), rubric).verdicts) == 2 * len(rubric)
        shifted = [
            entry | {"assertion": item.id}
            for entry, item in zip(entries[::2], rubric[1:], strict=False)
        ]
        assert parse_answer(an_answer(shifted), rubric).verdicts == {}


@pytest.mark.shared
@pytest.mark.skipif(
    not TARBALL.exists(), reason="the shared pharma data is not beside the checkout"
)
def test_no_real_task_loses_its_own_words_to_scrubbing() -> None:
    for case in load_real_cases():
        assertions = number(case["assertions"] or ["It is there"])
        for target in case.get("target_skills") or ["none"]:
            skill = a_skill(path=target, name=target.rpartition("/")[2])
            scrubber = Scrubber(skill, an_eval_case(prompt=case["prompt"], assertions=assertions))
            for text in (case["prompt"], *(item.text for item in assertions)):
                assert scrubber.scrub(text) == (text, 0)
