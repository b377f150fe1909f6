"""The line of a report that says whether the measurement itself can be trusted."""

from collections import Counter

from jobs.health.weighing import find_health
from jobs.reporting import numbers
from jobs.reporting.arm_words import WORDS
from jobs.reporting.judges import name_relatives, warn_of_judge
from jobs.reporting.loaded import tell_loading
from jobs.reporting.machine import is_judges, is_split, name_machine
from jobs.reporting.soundness import warn_of_canaries
from jobs.reporting.trials import count_whole
from jobs.results import RunResult
from jobs.values import SessionEnd


def render_health(result: RunResult) -> str:
    """Whether the measurement itself can be trusted; what is wrong comes first."""
    warnings, good = tell_health(result)
    return f"**Health** {'⚠️' if warnings else '✅'} " + " · ".join(warnings + good)


def tell_health(result: RunResult) -> tuple[list[str], list[str]]:
    """What is wrong with a measurement, and what is well, as parts of that line."""
    warnings = [
        f"the session {WORDS[one.arm].phrase} ended by {one.end.value.replace('_', ' ')}"
        + (f" in trial {one.trial}" if result.trials else "")
        for one in result.sessions[: 4 * result.spec.trials]
        if one.end is not SessionEnd.COMPLETED
    ]
    good = [] if warnings else ["all sessions completed"]
    _tell_counts(result, warnings, good)
    _tell_free(result, good)
    tell_loading(result, warnings, good)
    if result.spec.vs == "self":
        good.append("both arms had the same version, so a difference is noise")
    if result.trials and len(result.whole_trials) < result.trials_wanted:
        warnings.append(f"{count_whole(result)} have a score")
    warnings += warn_of_canaries(result) + warn_of_judge(result)
    good += filter(None, [name_relatives(result)])
    _tell_agreement(result, warnings, good)
    quoted = [
        verdict.quote_found
        for row in result.assertions
        for verdict in (*row.with_skill, *row.without_skill)
        if verdict.credits and not verdict.by_machine
    ]
    if quoted:
        found = f"{sum(quoted)} of {len(quoted)} quotations found in the outputs"
        (good if all(quoted) else warnings).append(found)
    unmeasured, decided = name_machine(result)
    warnings += unmeasured
    good += decided
    if any(reading.injections for reading in result.passes):
        warnings.append("an output addresses the judge, see the notes on the judging")
    return warnings, good


def _tell_counts(result: RunResult, warnings: list[str], good: list[str]) -> None:
    """What was expected, what there was, and what counts, of sessions and of readings."""
    health = find_health(result)
    both = (("session", health.sessions), ("reading", health.readings))
    if all(one.agree for _, one in both):
        sessions, readings = (numbers.plural(one.expected, name) for name, one in both)
        good.append(f"{sessions} and {readings} expected, observed and scored")
        return
    warnings.append(
        "; ".join(
            f"{name}s: {one.expected} expected, {one.observed} observed, {one.scored} scored"
            for name, one in both
        )
    )


def _tell_free(result: RunResult, good: list[str]) -> None:
    """That the arm without a skill is proven to be one."""
    bare = [one for one in result.sessions if result.spec.skill_of(one.arm) is None]
    proven = all(one.skill_traces == () and not one.skills_listed for one in bare)
    if bare and proven:
        good.append("baseline proven free of the skill")


def _tell_agreement(result: RunResult, warnings: list[str], good: list[str]) -> None:
    """Whether both readings said the same, in each trial."""
    rows = [row for one in result.whole_trials for row in one.assertions] or result.assertions
    read = [row for row in rows if is_judges(row)]
    if not rows:  # no score, and so nothing to agree on
        return
    split, total = sum(is_split(row) for row in read), len(read)
    readings = Counter(reading.trial for reading in result.passes)
    single = [trial for trial, count in readings.items() if count == 1]
    if single:
        which = f" in {numbers.plural(len(single), 'trial')}" if result.trials else ""
        warnings.append(f"judged in one order only{which}")
    if len(single) < len(readings):
        agreed = f"readings in both orders agree on {total - split} of {total}"
        (warnings if split else good).append(f"{agreed} assertions")
