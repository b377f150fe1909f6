"""What a report says of the skill being loaded, where the agent could choose.

Where an eval case asks that the skill stays dormant, that is what it is about: the headline, what
to do, and the section on loading then all say how often it did, and whether it did harm.
"""

from jobs.health.loading import Effect, Loading, find_effects, find_loading
from jobs.reporting import numbers
from jobs.reporting.conclusion import Conclusion, sign
from jobs.results import RunResult


def render_loaded(result: RunResult) -> str:
    """The section on loading; empty where no agent could choose, or there is no score."""
    effects, loading = find_effects(result), find_loading(result)
    if effects is None or loading is None:
        return ""
    if not result.spec.eval_case.should_load:
        return f"### Did it stay dormant?\n\n{_render_dormant(result)}"
    if loading.all == 1:
        return f"### Did it load?\n\n{_render_one(effects.over_all, loaded=bool(loading.loaded))}"
    rows = [
        ("all trials: what installing it gives", effects.over_all),
        ("trials in which it was loaded", effects.where_loaded),
    ]
    table = "".join(
        f"| {name} | {_points(one)} | {one.trials if one else 0} |\n" for name, one in rows
    )
    note = (
        "*The agent chose the trials of the second row, no lot did: it describes, and proves less.*"
    )
    head = "| Over | Difference | Trials |\n|:--|--:|--:|\n"
    return f"### Did it load?\n\n{head}{table}\n{note}"


def tell_loading(result: RunResult, warnings: list[str], good: list[str]) -> None:
    """The words on it in the line on health."""
    loading = find_loading(result)
    if loading is None:
        told = [one.skill_loaded for one in result.sessions if one.skill_loaded is not None]
        loading = Loading(sum(told), len(told))
    if not loading.all:
        return
    if not result.spec.eval_case.should_load:
        words = f"skill dormant in {loading.dormant} of {loading.all}"
        (warnings if loading.loaded else good).append(words)
    elif not loading.loaded:
        warnings.append("the skill was never loaded, so the difference is not its doing")
    elif loading.dormant:
        warnings.append(f"skill loaded in {loading.loaded} of {loading.all} sessions that had it")
    else:
        good.append("skill loaded")


def render_dormant_headline(result: RunResult, conclusion: Conclusion) -> str:
    """The headline of an eval case for which the skill is to stay dormant; empty for others."""
    loading = find_loading(result)
    if loading is None or result.spec.eval_case.should_load:
        return ""
    direction = sign(conclusion.difference)
    harm = (
        f"and lower by {numbers.points(conclusion.difference)}"
        if direction < 0
        else "and did no harm"
    )
    icon = "🔴" if loading.loaded else "🟡" if direction < 0 else "🟢"
    return f"{icon} Stayed dormant in {loading.dormant} of {loading.all} sessions, {harm}"


def advise_dormant(result: RunResult, conclusion: Conclusion) -> str:
    """What to do about an eval case for which the skill is to stay dormant."""
    loading = find_loading(result)
    if loading is not None and loading.loaded:
        return (
            "Narrow the skill's description: it was loaded for a task that it is not meant for. "
            "The command `trigger` measures it."
        )
    if sign(conclusion.difference) < 0:
        return (
            "Look closer: the skill was not loaded, and the score with it installed is lower all "
            "the same. One eval case may do that by chance."
        )
    return "Nothing."


def _render_dormant(result: RunResult) -> str:
    loading, effects = find_loading(result), find_effects(result)
    if loading is None or effects is None:
        return ""
    return (
        f"This task is none for the skill. It was loaded in {loading.loaded} of {loading.all} "
        f"sessions that had it installed. The difference over {_trials(effects.over_all)} is "
        f"{_points(effects.over_all)}; not lower means that it did no harm. Whether the skill "
        "helps is not asked here, and a set's conclusion leaves this eval case out."
    )


def _render_one(effect: Effect, *, loaded: bool) -> str:
    if loaded:
        return (
            f"Loaded in the one trial: {_points(effect)} is the difference over all trials (1), "
            "and over those in which the skill was loaded (1)."
        )
    return (
        f"Not loaded in the one trial: {_points(effect)} is the difference over all trials (1). "
        "There is none in which the skill was loaded (0), so what it does then is not measured."
    )


def _points(effect: Effect | None) -> str:
    return "not measured" if effect is None else numbers.signed_points(effect.difference)


def _trials(effect: Effect) -> str:
    return numbers.plural(effect.trials, "trial")
