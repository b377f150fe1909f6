"""Planted leaks: what scrubbing leaves of them, and what the guesser's hit rate then says."""

from collections.abc import Sequence
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory

from demo.model_api.guesser import guess_from
from jobs.judging.blind import candidate_1_is, get_arm, get_first_arm
from jobs.judging.candidates import prepare_candidates
from jobs.leaks.guesser import choose_order
from jobs.leaks.question import read_answer, render_question
from jobs.statistics.intervals import find_rate_interval
from jobs.values import Arm, Assertion, EvalCase, Skill
from tools.simulate.section import Promise, Section, allowance, percent

MOST_RUNS = 200
"""For each planted leak: each run is two folders of files."""
PLANTED = (
    ("the skill's name", "Counted as the word-count skill says."),
    ("a path", "See skills/word-count/SKILL.md for how words are split."),
    ("the word skill", "I followed the skill's checklist."),
    ("an arm's name", "Made with_skill, by word-count."),
    ("a file's name", "Following SKILL.md, hyphens join words."),
)
GUESSES = (5, 10, 20, 50, 100, 200)
FALSE_ALARM = 0.04
"""How often at most a blind series lies above one half: Wilson's 2.5 % holds on average only."""

SKILL = Skill(
    path="skills/word-count",
    name="word-count",
    description="Counts words in text files.",
    sha="a" * 64,
    legacy_sha="b" * 64,
    size_bytes=1,
)
CASE = EvalCase(
    id="simulated",
    prompt="Count the words of the poem.",
    expected_output="",
    assertions=(Assertion(id="A1", text="The total is 42"),),
    target_skills=("word-count",),
    source="issue",
    digest="d" * 64,
)


def simulate_leaks(sets: int, seed: int, scrubbed_of: Sequence[Skill] = (SKILL,)) -> list[Section]:
    """As many runs as there are sets elsewhere, up to a few hundred, for each planted leak."""
    return [_plant(min(sets, MOST_RUNS), seed, scrubbed_of), _count_alarms()]


def count_right(planted: str, runs: int, seed: int, scrubbed_of: Sequence[Skill]) -> int:
    """How often the scripted guesser names the output with the planted words, over real copies.

    They are scrubbed of what gives away these skills; of none, nothing is.
    """
    right = 0
    with TemporaryDirectory() as scratch:
        for number in range(runs):
            run_id = f"{seed:04x}{number:08x}"
            order = choose_order(run_id)
            first = candidate_1_is(CASE.id, SKILL.sha)
            folder = Path(scratch) / run_id
            shown = prepare_candidates(
                _write_outputs(folder, seed + number, planted),
                CASE,
                scrubbed_of,
                folder / "shown",
                get_first_arm(order, first),
            )
            answered = read_answer(guess_from(render_question(CASE, SKILL, shown.folder)))
            if answered is None:
                raise ValueError("the scripted guesser named nobody")
            right += get_arm(answered.candidate, order, first) is Arm.WITH_SKILL
    return right


def _write_outputs(folder: Path, number: int, planted: str) -> dict[Arm, Path]:
    """Two outputs that differ in figures, and in the planted words and a file's name."""
    written = (
        (Arm.WITH_SKILL, planted, "word-count-skill.md", number),
        (Arm.WITHOUT_SKILL, "Counted by hand, twice.", "table.md", number + 1_000),
    )
    for arm, line, name, total in written:
        output = folder / arm
        output.mkdir(parents=True)
        (output / "response.md").write_text(f"# Words\n{line}\nTotal: {total} words.\n")
        (output / name).write_text("By length: 3, 4, 5.\n")
    return {arm: folder / arm for arm, *_ in written}


def _plant(runs: int, seed: int, scrubbed_of: Sequence[Skill]) -> Section:
    rows, found, off = [], 1.0, 0.0
    for name, words in PLANTED:
        seen = count_right(words, runs, seed, ()) / runs
        left = count_right(words, runs, seed, scrubbed_of) / runs
        found, off = min(found, seen), max(off, abs(left - 1 / 2))
        rows.append((name, percent(seen), percent(left)))
    return Section(
        "Planted leaks",
        f"{runs:,} runs a row, in which the output with the skill says so, and has a file named "
        "after it. A scripted guesser looks for such words, and tosses a coin where there are "
        "none. Its hit rate:",
        ("planted", "scrubbing off", "scrubbed"),
        rows,
        (
            Promise("without scrubbing the guesser finds them", percent(found), found == 1),
            Promise(
                "scrubbed, it is right no more often than chance",
                f"at most {100 * off:.1f} points from one half",
                off <= allowance(1 / 2, runs),
            ),
        ),
    )


def _count_alarms() -> Section:
    """Exactly, for outputs that give nothing away: all counts that there can be, by their odds."""
    rows, most = [], 0.0
    for guesses in GUESSES:
        fewest = next(
            (right for right in range(guesses + 1) if _lies_above(right, guesses)), guesses + 1
        )
        ways = sum(comb(guesses, right) for right in range(fewest, guesses + 1))
        alarm = ways / 2**guesses
        most = max(most, alarm)
        rows.append((str(guesses), str(fewest), percent(alarm)))
    return Section(
        "What a hit rate says of outputs that give nothing away",
        "How many guesses of all must be right before the interval lies above one half, and how "
        "often chance alone does it at one look.",
        ("guesses", "right", "by chance"),
        rows,
        (
            Promise(
                f"chance alone does it at most {percent(FALSE_ALARM)} of the time",
                percent(most),
                most <= FALSE_ALARM,
            ),
        ),
    )


def _lies_above(right: int, guesses: int) -> bool:
    interval = find_rate_interval(right, guesses)
    return interval is not None and interval.low > 1 / 2
