"""The blind map: who is candidate_1, and back again."""

import hashlib
import json
from pathlib import Path

import pytest

from jobs.judging.blind import (
    candidate_1_is,
    get_arm,
    get_first_arm,
    get_other_arm,
    unblind_text,
)
from jobs.values import SKILL_OR_NONE, TWO_VERSIONS, Arm
from tests.builders import A_SHA

GOLDEN = Path(__file__).parents[4] / "shared" / "data" / "pharma" / "golden.json"


def test_an_even_first_byte_shows_the_arm_with_the_skill_first() -> None:
    ids = [f"github-issue-{number}" for number in range(1, 41)]
    first_bytes = {name: hashlib.sha256(f"{name}:{A_SHA}".encode()).hexdigest()[:2] for name in ids}
    shown = {name: candidate_1_is(name, A_SHA) for name in ids}
    assert {name for name in ids if shown[name] is Arm.WITH_SKILL} == {
        name for name, byte in first_bytes.items() if byte[1] in "02468ace"
    }
    assert set(shown.values()) == set(SKILL_OR_NONE)


def test_two_versions_are_mapped_like_the_skill_and_none() -> None:
    """Even shows the version under test first, as the design has it."""
    for number in range(1, 41):
        plain = candidate_1_is(f"case-{number}", A_SHA)
        versions = candidate_1_is(f"case-{number}", A_SHA, TWO_VERSIONS)
        assert (plain is Arm.WITH_SKILL) is (versions is Arm.CANDIDATE_SKILL)
        assert get_other_arm(versions) in TWO_VERSIONS
        assert get_other_arm(get_other_arm(versions)) is versions


def test_the_second_pass_swaps_the_candidates() -> None:
    for first in Arm:
        assert get_first_arm(1, first) is first
        assert get_first_arm(2, first) is not first
        assert get_arm("candidate_1", 1, first) is get_arm("candidate_2", 2, first) is first
        assert get_arm("candidate_2", 1, first) is get_arm("candidate_1", 2, first) is not first


@pytest.mark.parametrize(
    ("written", "number", "shown"),
    [
        ("candidate_1 is longer", 1, "the output with the skill is longer"),
        ("Candidate 2 is longer", 1, "The output without the skill is longer"),
        ("candidate_1 is longer", 2, "the output without the skill is longer"),
        (
            "the candidate-2 names N, candidate_1 does not",
            1,
            "the output without the skill names N, the output with the skill does not",
        ),
        ("candidate_1/report.md: odd", 1, "the output with the skill, report.md: odd"),
        ("candidate_12 and candidates", 1, "candidate_12 and candidates"),
    ],
)
def test_a_judges_words_are_translated_back(written: str, number: int, shown: str) -> None:
    assert unblind_text(written, number, Arm.WITH_SKILL) == shown


@pytest.mark.shared
@pytest.mark.skipif(not GOLDEN.exists(), reason="the shared pharma data is not beside the checkout")
def test_the_rule_agrees_with_what_the_earlier_runner_did() -> None:
    cases = [
        case
        for case in json.loads(GOLDEN.read_text())["evals"]
        if "candidate_1_with_legacy_sha" in case
    ]
    assert len(cases) >= 20
    for case in cases:
        expected = Arm(case["candidate_1_with_legacy_sha"])
        assert candidate_1_is(case["id"], case["legacy_sha"]) is expected, case["id"]
