"""Which assertions of an eval case tell nothing, told from several runs of it.

A trial is one observation of an assertion in each arm. An assertion that comes out the same in
both arms every time tells nothing apart. One that comes out otherwise under the very same
conditions tells little, and so does one on which the order of the outputs decides.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from jobs.judging.judges import judged_by
from jobs.reporting import numbers
from jobs.requests import Value
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm, Assertion, RunSpec
from jobs.weak_evals.canary_check import CanaryCheck
from jobs.weak_evals.words import NAMES, advise

FEWEST_RUNS = 2
"""One run says little about a case."""
FEWEST_TRIALS = 3
"""Under the same conditions, before it is told that an assertion flips."""
FLIPS = 1 / 4
"""Least share of the rarer outcome: one of four trials, not one of twenty."""
FEWEST_SPLITS = 2
SPLITS = 1 / 3
"""Least share of trials in which the readings of both orders differ."""

Kind = Literal["canary", "always_pass", "always_fail", "never_verified", "flips", "splits"]


class Weakness(Value):
    """Something that makes an assertion worth less, with what to do about it."""

    assertion: Assertion
    kind: Kind
    what: str
    """What was seen, after the assertion's name; made by code, safe to show."""
    advice: str


class Seen(NamedTuple):
    """One trial of a run, as far as one assertion goes."""

    spec: RunSpec
    prompt_version: str
    row: AssertionScore


def find_weak(
    assertions: Sequence[Assertion],
    results: Sequence[RunResult],
    canaries: CanaryCheck | None = None,
) -> tuple[Weakness, ...]:
    """What is weak about the assertions of one eval case, in their order.

    `results` are graded runs of this very version of the case, with any skill, model and judge;
    `canaries` the last reading of its canaries. An assertion that some run did not score is told
    by nothing but its canaries.
    """
    found: list[Weakness] = []
    for one in assertions:
        runs = [(result, list_seen(result, one.id)) for result in results]
        found += _of_canaries(one, canaries)
        if all(trials for _, trials in runs):
            found += _of_one(one, runs)
    return tuple(found)


def list_seen(result: RunResult, name: str) -> list[Seen]:
    """What an assertion came to in each trial of a run."""
    version = next((one.prompt_version for one in result.passes), "")
    trials = [one.assertions for one in result.whole_trials] or [result.assertions]
    return [
        Seen(result.spec, version, row)
        for rows in trials
        for row in rows
        if row.assertion.id == name
    ]


def _of_canaries(one: Assertion, check: CanaryCheck | None) -> Iterator[Weakness]:
    said = [
        verdict
        for verdict in (check.satisfied_by(one.id) if check else ())
        if verdict.verdict == "pass"
    ]
    if said:
        names = " and by ".join(dict.fromkeys(NAMES[verdict.canary] for verdict in said))
        what = f"is satisfied by {names}"
        yield Weakness(assertion=one, kind="canary", what=what, advice=advise(said))


def _of_one(one: Assertion, runs: Sequence[tuple[RunResult, list[Seen]]]) -> Iterator[Weakness]:
    trials = [seen for _, each in runs for seen in each]
    # that two versions of a skill fulfil an assertion alike says nothing against it
    against_none = [each for result, each in runs if result.spec.vs == "none"]
    if len(against_none) >= FEWEST_RUNS:
        yield from _always(one, against_none)
    yield from _flips(one, trials)
    yield from _splits(one, trials)


def _always(one: Assertion, runs: Sequence[list[Seen]]) -> Iterator[Weakness]:
    rows = [seen.row for each in runs for seen in each]
    words = {said.verdict for row in rows for said in (*row.with_skill, *row.without_skill)}
    of_all = numbers.plural(len(runs), "past run")
    if words == {"pass"}:
        yield Weakness(
            assertion=one,
            kind="always_pass",
            what=f"passed in both arms of all {of_all}",
            advice="it tells nothing apart; ask for more, or take it out",
        )
    elif words == {"fail"}:
        yield Weakness(
            assertion=one,
            kind="always_fail",
            what=f"failed in both arms of all {of_all}",
            advice="no answer has fulfilled it; is it possible, and is it asked for?",
        )
    elif not any(row.counted for row in rows):
        yield Weakness(
            assertion=one,
            kind="never_verified",
            what=f"could be verified in none of {of_all}",
            advice="it counts for nothing; ask for what the outputs themselves can show",
        )


def _flips(one: Assertion, trials: Sequence[Seen]) -> Iterator[Weakness]:
    """Where the same model did the same under the same judge, and it came out otherwise."""
    outcomes: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for seen in trials:
        for arm, said in zip(
            seen.spec.arms, (seen.row.with_skill, seen.row.without_skill), strict=True
        ):
            words = {verdict.verdict for verdict in said}
            if words in ({"pass"}, {"fail"}):  # what the readings differ on is told as a split
                outcomes[_conditions(seen, arm)][words.pop()] += 1
    flipping = [
        counts
        for counts in outcomes.values()
        if counts.total() >= FEWEST_TRIALS
        and min(counts["pass"], counts["fail"]) > 0
        and min(counts["pass"], counts["fail"]) / counts.total() >= FLIPS
    ]
    if flipping:
        worst = max(flipping, key=lambda counts: min(counts["pass"], counts["fail"]))
        yield Weakness(
            assertion=one,
            kind="flips",
            what=f"passed in {worst['pass']} of {worst.total()} trials under the same conditions",
            advice="say more exactly what one would see, or take more trials",
        )


def _conditions(seen: Seen, arm: Arm) -> tuple[str, ...]:
    """All that an outcome depends on, but chance."""
    spec, skill = seen.spec, seen.spec.skill_of(arm)
    of_skill = (skill.sha, spec.mode) if skill else ("", "")
    work = (spec.model.identity, spec.launcher, spec.environment)
    return (*of_skill, *work, judged_by(spec), seen.prompt_version)


def _splits(one: Assertion, trials: Sequence[Seen]) -> Iterator[Weakness]:
    split = sum(seen.row.split for seen in trials)
    if split >= FEWEST_SPLITS and split / len(trials) >= SPLITS:
        yield Weakness(
            assertion=one,
            kind="splits",
            what=f"split the judge's readings in {split} of {len(trials)} trials",
            advice="two readers may differ on it; name what one would see",
        )
