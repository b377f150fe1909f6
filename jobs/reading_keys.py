"""Which readings of a judge a run has: two orders, by each judge, in every trial."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from jobs.judging.blind import PassNumber
from jobs.judging.judges import judges_of
from jobs.readings import JudgePass, LostReading
from jobs.values import RunSpec

PASSES: tuple[PassNumber, PassNumber] = (1, 2)


class ReadingKey(NamedTuple):
    """Which reading of a run."""

    number: PassNumber
    trial: int = 1
    judge: int = 1

    @property
    def step(self) -> str:
        """The name under which the reading is begun and kept."""
        return f"{self._of_judge}pass-{self.number}{self._of_trial}"

    @property
    def transcript(self) -> str:
        """The file name of its transcript in the run's folder."""
        return f"{self._of_judge}judge-{self.number}{self._of_trial}.jsonl"

    @property
    def _of_judge(self) -> str:
        """What names of the only judge go without, and those of the first trial: older runs had
        no other.
        """
        return "" if self.judge == 1 else f"panel-{self.judge}-"

    @property
    def _of_trial(self) -> str:
        return "" if self.trial == 1 else f"-trial-{self.trial}"


def reading_keys(spec: RunSpec, trials: Iterable[int]) -> tuple[ReadingKey, ...]:
    """Every reading of these trials of a run: trial after trial, judge after judge."""
    judges = range(1, len(judges_of(spec)) + 1)
    return tuple(
        ReadingKey(number, trial, judge)
        for trial in trials
        for judge in judges
        for number in PASSES
    )


def key_of(reading: JudgePass | LostReading) -> ReadingKey:
    """Which reading it is that ended."""
    return ReadingKey(reading.number, reading.trial, reading.judge)


def transcripts_in(folder: Path, spec: RunSpec, trials: Iterable[int]) -> list[Path]:
    """Where the transcripts of a run's readings lie in its folder, as far as there are any."""
    return [folder / key.transcript for key in reading_keys(spec, trials)]
