"""Both outputs are measured as the judge is shown them, by arm whatever the order."""

from pathlib import Path

import pytest

from jobs.judging.candidate_text import FILE_CHARACTERS, measure_shown
from jobs.judging.candidates import Candidates
from jobs.readings import ScrubCount
from jobs.weak_evals.canary_check import OutputLength, OutputLengths
from jobs.weak_evals.lengths import measure_lengths


def some_candidates(folder: Path, first: str, second: str) -> Candidates:
    for name, text in (("candidate_1", first), ("candidate_2", second)):
        (folder / name).mkdir(parents=True)
        (folder / name / "response.md").write_text(text)
    (folder / "candidate_1" / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return Candidates(folder, ScrubCount(with_skill=0, without_skill=0))


@pytest.mark.parametrize("tested_first", [True, False])
def test_each_length_goes_to_its_arm(tmp_path: Path, *, tested_first: bool) -> None:
    candidates = some_candidates(tmp_path, "x" * 300, "y" * 100)
    lengths = measure_lengths(candidates, tested_first=tested_first, trial=2)
    first, second = OutputLength(characters=300, files=2), OutputLength(characters=100, files=1)
    tested, other = (first, second) if tested_first else (second, first)
    assert lengths == OutputLengths(trial=2, with_skill=tested, without_skill=other)
    assert lengths.ratio == 3


def test_what_is_cut_from_a_prompt_was_not_shown(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("x" * (FILE_CHARACTERS + 5_000))
    for number in range(4):
        (tmp_path / f"more-{number}.txt").write_text("y" * FILE_CHARACTERS)
    assert measure_shown(tmp_path) == (3 * FILE_CHARACTERS, 5)


def lengths_of(tested: int, other: int) -> OutputLengths:
    both = [OutputLength(characters=count, files=1) for count in (tested, other)]
    return OutputLengths(trial=1, with_skill=both[0], without_skill=both[1])


def test_the_ratio_is_that_of_the_longer_one_whichever_it_is() -> None:
    assert lengths_of(300, 100).ratio == 3
    assert lengths_of(10, 40).ratio == 4
    assert lengths_of(100, 100).ratio == 1


def test_no_text_at_all_has_no_ratio() -> None:
    assert lengths_of(0, 100).ratio is None
