"""How the verdict on a set reads: in a line, with its method, and beside others.

Pure text from values, as Markdown; every name goes through `escape`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from jobs.conclusions.repeats import Repeats
from jobs.conclusions.sets import EvalSet
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import SetVerdict
from jobs.reporting import escape, numbers
from jobs.statistics.intervals import Interval
from jobs.statistics.sequential import find_threshold
from jobs.usual_modes import USUAL_MODES

SIGNS = {
    "helps": "🟢",
    "hurts": "🔴",
    "no difference shown": "⚪",
    "underpowered": "🔍",
    "invalid": "⚠️",
}
NAME = 80
CLAIMS = frozenset({"helps", "hurts"})


class Concluded(NamedTuple):
    """A set with its verdict."""

    found: EvalSet
    verdict: SetVerdict


def name_conditions(found: EvalSet) -> str:
    """The model, and whatever of the conditions is not as usual: `m` in claude-code, …"""
    key = found.key
    parts = [escape.code(found.newest.model, NAME)]
    if key.launcher != "api":
        parts[0] += f" in {escape.inline(key.launcher, 40)}"
    if key.mode != next((mode for name, mode in USUAL_MODES.items() if name == key.launcher), ""):
        parts.append(escape.inline(key.mode, 40))
    if key.environment:
        parts.append(f"environment {escape.code(key.environment[:12])}")
    if key.vs.startswith("sha:"):
        parts.append(f"against version {escape.code(key.vs.removeprefix('sha:')[:12])}")
    return ", ".join(parts)


def say_verdict(verdict: SetVerdict) -> str:
    """`🟢 **helps**`."""
    return f"{SIGNS[verdict.word]} **{verdict.word}**"


def count_evals(verdict: SetVerdict) -> str:
    """`7 wins, 1 tie, 0 losses of 8 eval cases`."""
    signs = verdict.signs
    counts = [
        numbers.plural(signs.wins, "win"),
        numbers.plural(signs.ties, "tie"),
        numbers.plural(signs.losses, "loss", "losses"),
    ]
    return f"{', '.join(counts)} of {numbers.plural(verdict.evals, 'eval case')}"


def render_line(one: Concluded, *, names_skill: bool = False) -> str:
    """What a report says of the set that its run belongs to, or a request of one of its sets."""
    verdict = one.verdict
    said = f"{say_verdict(verdict)}, {count_evals(verdict)}, on average {_difference(verdict)}"
    whose = f"set of {escape.code(one.found.key.skill, NAME)}" if names_skill else "skill's set"
    return f"**With this, the {whose}** on {name_conditions(one.found)}: {said}{_rest(verdict)}"


def render_earlier(one: Concluded) -> str:
    """A set of an earlier version, in a line."""
    verdict = one.verdict
    return (
        f"⏳ Before, at version {escape.code(one.found.key.sha[:12])}: {say_verdict(verdict)}, "
        f"{count_evals(verdict)}, on average {_difference(verdict)}."
    )


def render_block(one: Concluded, limits: Thresholds, *, mention: str) -> str:
    """A set's verdict with its figures, its A/A runs and its method."""
    verdict = one.verdict
    gain = "—, nothing was left to gain" if verdict.gain is None else _signed(verdict.gain)
    said = (
        f"{say_verdict(verdict)} on {name_conditions(one.found)}: {count_evals(verdict)}"
        f"{_rest(verdict)}."
    )
    figures = [
        f"- Mean difference: {_difference(verdict)}; normalized gain {gain}",
        f"- {say_repeats(verdict.repeats, mention=mention)}",
    ]
    method = f"<sub>{render_method(one, limits)}</sub>"
    return "\n\n".join([said, "\n".join(figures), method])


def render_repeats_line(one: Concluded) -> str:
    """What a report of a version against itself says of the set that it belongs to."""
    conditions = name_conditions(one.found)
    said = say_repeats(one.verdict.repeats, mention="").removeprefix("A/A: ")
    return f"**With this, A/A of the skill's set** on {conditions}: {said}"


def render_method(one: Concluded, limits: Thresholds) -> str:
    """How the word comes about, in one line."""
    verdict, key = one.verdict, one.found.key
    judge = one.found.newest.judge_served or one.found.newest.judge
    parts = [
        (
            f"Method: {say_test(verdict, limits)}, at least {limits.fewest} eval cases that differ "
            f"(here {verdict.differing}), net wins of at least {limits.net_wins:.0%} of all "
            f"(here {verdict.net:.0%})"
        ),
        (
            "interval of the mean paired difference, clustered by eval case and input files "
            f"({numbers.plural(verdict.clusters, 'cluster')})"
        ),
        f"judge {escape.code(judge, NAME)}"
        + (f", prompt {escape.code(key.judge_prompt[:12])}" if key.judge_prompt else ""),
    ]
    parts += [said] if (said := say_repeated(one.found)) else []
    return "; ".join(parts) + "."


def say_repeated(found: EvalSet) -> str:
    """How many eval cases have several runs, in half a sentence; empty where none has."""
    if not found.repeated:
        return ""
    cases = numbers.plural(found.repeated, "eval case was", "eval cases were")
    return f"{cases} measured more than once, of which the latest run counts"


def say_interval(interval: Interval) -> str:
    """`+25 to +58.5 points`."""
    low, high = map(numbers.signed_points, interval)
    return f"{low.removesuffix(' points')} to {high}"


def say_repeats(repeats: Repeats | None, *, mention: str) -> str:
    """What the A/A runs say, and plainly where the rule passes them too often."""
    if repeats is None:
        command = escape.code(f"{mention} run --vs self", 100)
        return f"A/A: not measured; {command} on its eval cases tells what noise looks like."
    flips, wins, rounds = repeats.flips, repeats.false_wins, repeats.rounds
    said = (
        f"A/A: {flips.successes} of {numbers.plural(flips.trials, 'run')} of the same version "
        f"against itself pointed to a winner (flip rate {_rate(repeats.flip_interval, *flips)}), "
        f"{wins.successes} to the tested arm (false wins "
        f"{_rate(repeats.false_win_interval, *wins)})"
    )
    if not rounds.trials:
        return f"{said}; too few for the rule itself."
    often = f"{rounds.successes} of {numbers.plural(rounds.trials, 'round')}"
    if repeats.passes_too_often:
        return (
            f"{said}. ⚠️ **The rule finds a difference between identical arms in {often}, more "
            f"often than the {repeats.alpha:.0%} that it may: do not rely on its word.**"
        )
    return f"{said}; the rule itself passed {often}."


def say_multiplicity(concluded: Sequence[Concluded], limits: Thresholds) -> str:
    """What it means that several verdicts stand side by side; empty for one."""
    count = len(concluded)
    if count < 2:
        return ""
    by_chance = 1 - (1 - limits.alpha) ** count
    claims = [one.verdict for one in concluded if one.verdict.word in CLAIMS]
    strict = sum(_is_shown_strictly(one, limits.alpha / count) for one in claims)
    kept = (
        f" Held to {limits.alpha / count:.2g} each (Bonferroni), {strict} of "
        f"{numbers.plural(len(claims), 'claim')} would stand."
        if claims
        else ""
    )
    return (
        f"{count} verdicts stand side by side, each with its own chance of {limits.alpha:.0%} to "
        f"say *helps* where nothing does, so by chance alone at least one would in up to "
        f"{by_chance:.0%} of such lists."
        f"{kept}"
    )


def _is_shown_strictly(verdict: SetVerdict, alpha: float) -> bool:
    if verdict.evidence is not None:
        return verdict.evidence >= find_threshold(alpha)
    chance = verdict.signs.p_higher if verdict.word == "helps" else verdict.signs.p_lower
    return chance is not None and chance <= alpha


def _rest(verdict: SetVerdict) -> str:
    """Why it is no claim, and how many eval cases it takes."""
    if verdict.word in CLAIMS:
        return ""
    said = f"; {verdict.reason}"
    if verdict.needed is None or verdict.needed <= verdict.evals:
        return said
    needed = numbers.plural(verdict.needed, "eval case")
    if verdict.clusters < verdict.evals:  # more of those that share theirs would not do
        needed += " with input files of their own"
    if verdict.word == "underpowered":
        return f"{said}; {needed} like these would be enough"
    return f"{said}; it takes {needed} to see a difference like the one that was seen"


def _difference(verdict: SetVerdict) -> str:
    said = numbers.signed_points(verdict.difference)
    if verdict.interval is None:
        return f"{said} (no interval: too few eval cases, or no spread)"
    return f"{said} (95 % interval {say_interval(verdict.interval)})"


def say_test(verdict: SetVerdict, limits: Thresholds) -> str:
    """By what the word was decided: plain text, `exact one-sided sign test …, p = 0.031 …`."""
    if verdict.evidence is not None:
        return (
            f"evidence that may be looked at any time, {verdict.evidence:,.1f} (at least "
            f"{find_threshold(limits.alpha):,.0f})"
        )
    ahead = verdict.signs.wins >= verdict.signs.losses
    chance = verdict.signs.p_higher if ahead else verdict.signs.p_lower
    shown = "no p" if chance is None else f"p = {chance:.2g}"
    return f"exact one-sided sign test over eval cases, {shown} (at most {limits.alpha:g})"


def _rate(interval: Interval | None, successes: int, trials: int) -> str:
    rate = numbers.percent(successes / trials)
    if interval is None:
        return rate
    low, high = (numbers.percent(round(end, 2)) for end in interval)
    return f"{rate}, 95 % interval {low} to {high}"


def _signed(fraction: float) -> str:
    return ("+" if fraction > 0 else "") + numbers.percent(fraction)
