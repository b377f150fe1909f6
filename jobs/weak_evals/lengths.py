"""How long both outputs were as the judge saw them: judges tend to like what is longer."""

from jobs.judging.candidate_text import measure_shown
from jobs.judging.candidates import Candidates
from jobs.weak_evals.canary_check import OutputLength, OutputLengths

TOLD_FROM = 3
"""Times that one output is as long as the other from which on a reader is warned."""


def measure_lengths(candidates: Candidates, *, tested_first: bool, trial: int) -> OutputLengths:
    """Both outputs of a trial, before a judge's commands can change them. Blocks.

    `tested_first`: whether `candidate_1` is the output of the arm under test.
    """
    first, second = (
        OutputLength(characters=characters, files=files)
        for characters, files in (
            measure_shown(candidates.folder / name) for name in ("candidate_1", "candidate_2")
        )
    )
    tested, other = (first, second) if tested_first else (second, first)
    return OutputLengths(trial=trial, with_skill=tested, without_skill=other)
