"""Which candidate is which arm.

The map follows from the eval id and the skill SHA alone, so anyone can recompute it
after the score and nobody has to be believed. Nothing here is shown to a judge: the map
is only applied before a reading (folders) and undone after it (scores, text).
"""

import hashlib
import re
from typing import Literal, get_args

from jobs.readings import Verdict
from jobs.values import SKILL_OR_NONE, TWO_VERSIONS, Arm, Arms, CandidateName

PassNumber = Literal[1, 2]

CANDIDATE_NAMES: tuple[CandidateName, ...] = get_args(CandidateName)

ARM_TITLES: dict[Arm, str] = {
    Arm.WITH_SKILL: "the output with the skill",
    Arm.WITHOUT_SKILL: "the output without the skill",
    Arm.CANDIDATE_SKILL: "the output with this version",
    Arm.BASE_SKILL: "the output with the base version",
}
"""How an arm is called in a sentence for a reader."""

_MENTION = re.compile(r"\b(?:the\s+)?candidate[\s_-]?([12])\b(/?)", re.IGNORECASE)
"""`candidate_1`, `Candidate 1`, `the candidate-1`, `candidate_1/` before a file name."""


def candidate_1_is(eval_id: str, skill_sha: str, arms: Arms = SKILL_OR_NONE) -> Arm:
    """The arm that pass 1 shows as `candidate_1`.

    The first byte of SHA-256(`eval_id:skill_sha`) decides: even is the arm under test, which
    is the one with the skill, or with its candidate version.
    """
    digest = hashlib.sha256(f"{eval_id}:{skill_sha}".encode()).digest()
    return arms[digest[0] % 2]


def get_arms(arm: Arm) -> Arms:
    """Both arms of the comparison that `arm` belongs to, the one under test first."""
    return SKILL_OR_NONE if arm in SKILL_OR_NONE else TWO_VERSIONS


def get_other_arm(arm: Arm) -> Arm:
    """The arm that `arm` is compared with."""
    tested, other = get_arms(arm)
    return other if arm is tested else tested


def get_first_arm(number: PassNumber, first: Arm) -> Arm:
    """The arm shown as `candidate_1` in a pass; `first` is the one of pass 1, pass 2 swaps."""
    return first if number == 1 else get_other_arm(first)


def get_arm(candidate: CandidateName, number: PassNumber, first: Arm) -> Arm:
    """The arm behind a candidate of a pass; `first` is `candidate_1` of pass 1."""
    shown_first = get_first_arm(number, first)
    return shown_first if candidate == "candidate_1" else get_other_arm(shown_first)


def unblind_text(text: str, number: PassNumber, first: Arm) -> str:
    """What a judge wrote in a pass, with the arms in place of `candidate_1`, `Candidate 2` …"""

    def name_arm(match: re.Match[str]) -> str:
        candidate: CandidateName = "candidate_1" if match[1] == "1" else "candidate_2"
        title = ARM_TITLES[get_arm(candidate, number, first)]
        title = title.capitalize() if match[0][0].isupper() else title
        return f"{title}, " if match[2] else title

    return _MENTION.sub(name_arm, text)


def call_outputs(verdict: Verdict) -> str:
    """The judge's reason for a verdict, each candidate in it called this output or the other."""

    def name(match: re.Match[str]) -> str:
        own = match[1] == verdict.candidate[-1]
        title = "this output" if own else "the other output"
        title = title.capitalize() if match[0][0].isupper() else title
        return f"{title}, " if match[2] else title

    return _MENTION.sub(name, verdict.reason or verdict.evidence)
