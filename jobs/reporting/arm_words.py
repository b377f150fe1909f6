"""How the two arms of a run are called in everything people read."""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.reporting import numbers
from jobs.values import SKILL_OR_NONE, TWO_VERSIONS, Arm, RunSpec


@dataclass(frozen=True, slots=True)
class ArmWords:
    """One arm's names."""

    title: str
    """Heads a column, begins a line: `With the skill`, `Base version`."""
    phrase: str
    """Follows what was done or found: `with the skill`, `without it`."""


WORDS = {
    Arm.WITH_SKILL: ArmWords("With the skill", "with the skill"),
    Arm.WITHOUT_SKILL: ArmWords("Without it", "without it"),
    Arm.CANDIDATE_SKILL: ArmWords("This version", "with this version"),
    Arm.BASE_SKILL: ArmWords("Base version", "with the base version"),
}


def words_of(spec: RunSpec) -> tuple[ArmWords, ArmWords]:
    """The words for a run's arms, the one under test first."""
    tested, other = spec.arms
    return WORDS[tested], WORDS[other]


def get_scores(score: Mapping[str, float] | None) -> tuple[float, float] | None:
    """Both fractions of a record, the arm under test first; None where one is missing."""
    for tested, other in (SKILL_OR_NONE, TWO_VERSIONS):
        if score and tested in score and other in score:
            return score[tested], score[other]
    return None


def score_words(score: Mapping[str, float] | None) -> str:
    """`83.3% with the skill, 50% without it`; empty where there is no score."""
    found = get_scores(score)
    if score is None or found is None:
        return ""
    arms = SKILL_OR_NONE if Arm.WITH_SKILL in score else TWO_VERSIONS
    shown = [
        f"{numbers.percent(one)} {WORDS[arm].phrase}" for one, arm in zip(found, arms, strict=True)
    ]
    return ", ".join(shown)
