"""The sets of a repository side by side, for the answer that lists all results."""

from collections.abc import Sequence

from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import SetVerdict
from jobs.conclusions.words import (
    NAME,
    Concluded,
    name_conditions,
    say_interval,
    say_multiplicity,
    say_verdict,
)
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks
from jobs.statistics.sequential import find_threshold

_HOLD = "\N{NO-BREAK SPACE}"
"""Between words that a narrow column would take apart."""
_HEAD = (
    "#### What the sets say\n\n"
    "| Skill | Model | Verdict | Wins / ties / losses | Mean difference, 95 % | p | A/A flips |\n"
    "|:--|:--|:--|:--|:--|--:|:--|\n"
)


def make_table(concluded: Sequence[Concluded], limits: Thresholds, *, left_out: int = 0) -> Blocks:
    """A row for each set, with what the word rests on below; empty without a set."""
    rule = (
        "A set is a skill's newest version on one model, by one judge. Exact one-sided sign test "
        f"over eval cases (p at most {limits.alpha:g}), at least {limits.fewest} that differ, "
        f"net wins of at least {limits.net_wins:.0%}; intervals are clustered by eval case and "
        "input files."
    )
    notes = [rule, say_multiplicity(concluded, limits)]
    if any(one.verdict.evidence is not None for one in concluded):
        least = find_threshold(limits.alpha)
        notes.insert(1, f"Where *evidence* stands, it decides in place of p: {least:g} at least.")
    if left_out:
        notes.append(f"{numbers.plural(left_out, 'more set')} left out: name a `--skill`.")
    said = " ".join(note for note in notes if note)
    return Blocks(
        blocks=[_row(one) for one in concluded],
        note="*Shortened.*",
        before=_HEAD,
        after=f"\n\n<sub>{said}</sub>",
    )


def _row(one: Concluded) -> str:
    verdict = one.verdict
    signs = verdict.signs
    cells = [
        escape.code(one.found.key.skill, NAME),
        name_conditions(one.found),
        say_verdict(verdict).replace(" ", _HOLD, 1),
        f"{signs.wins} / {signs.ties} / {signs.losses}".replace(" ", _HOLD),
        _difference(verdict),
        _chance(verdict),
        _flips(verdict),
    ]
    return f"| {' | '.join(cells)} |"


def _difference(verdict: SetVerdict) -> str:
    mean = numbers.signed_points(verdict.difference).replace(" ", _HOLD)
    if verdict.interval is None:
        return mean
    interval = say_interval(verdict.interval).removesuffix(" points").replace(" ", _HOLD)
    return f"{mean}<br>{interval}"


def _chance(verdict: SetVerdict) -> str:
    """The chance of the direction that is ahead; evidence where that decides."""
    if verdict.evidence is not None:
        return f"evidence {verdict.evidence:,.1f}"
    signs = verdict.signs
    chance = signs.p_higher if signs.wins >= signs.losses else signs.p_lower
    return "—" if chance is None else f"{chance:.2g}"


def _flips(verdict: SetVerdict) -> str:
    if verdict.repeats is None:
        return "not measured"
    flips = verdict.repeats.flips
    warning = " ⚠️ passes too often" if verdict.repeats.passes_too_often else ""
    return f"{flips.successes} of {flips.trials}{warning}"
