"""The word for a skill's set of eval cases, by a rule that is fixed beforehand.

Directions decide, magnitudes are shown: an exact sign test over the eval cases that differ, one
eval case one observation, however many assertions and trials it has. Where the set was measured
until it was sure, evidence that may be looked at any time stands in the test's place.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Literal, NamedTuple, Self

from jobs.conclusions.gain import find_normalized_gain
from jobs.conclusions.repeats import Repeats, find_repeats
from jobs.conclusions.sets import EvalSet, SetRow
from jobs.conclusions.thresholds import Thresholds
from jobs.health.sets import find_lopsided
from jobs.results import SAME_SCORE
from jobs.statistics.intervals import Interval, find_rate_interval
from jobs.statistics.paired import find_paired_interval
from jobs.statistics.sequential import find_evidence, find_threshold
from jobs.statistics.signs import Floors, SignTest, find_evals_needed, find_power, find_sign_test

SetWord = Literal["helps", "hurts", "no difference shown", "underpowered", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVerdict:
    """A set's word and everything that it follows from."""

    word: SetWord
    reason: str
    """Half a sentence: why not another word; empty for *helps* and *hurts*."""
    signs: SignTest
    difference: float
    """Mean of the paired differences, as a fraction."""
    interval: Interval | None
    """Of it, clustered; None where the set is too small to have one."""
    clusters: int
    """Independent units: eval cases that share their input files are one."""
    gain: float | None
    """Normalized gain; None where nothing was left to gain."""
    needed: int | None
    """Eval cases it takes, with ties as often as here: of a set that shows no difference, to see
    the one that was seen; of an underpowered one, to see the win rate of the thresholds. None: no
    number would do, or it is shown."""
    evidence: float | None
    """Evidence for the direction that is ahead, where the set was measured until it was sure."""
    repeats: Repeats | None
    """What A/A runs say; None where there are none."""

    @property
    def evals(self) -> int:
        return self.signs.wins + self.signs.ties + self.signs.losses

    @property
    def differing(self) -> int:
        return self.signs.wins + self.signs.losses

    @property
    def net(self) -> float:
        """Share of all eval cases by which wins outnumber losses; negative for the mirror."""
        return (self.signs.wins - self.signs.losses) / self.evals


class Tosses(NamedTuple):
    """The independent units of a set: eval cases that share their input files are one."""

    up: int
    """Units whose wins outnumber their losses."""
    down: int
    differing: int
    """Units in which any eval case differs."""
    all: int

    @classmethod
    def of(cls, rows: Sequence[SetRow]) -> Self:
        steps: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            up, down = row.difference >= SAME_SCORE, row.difference <= -SAME_SCORE
            steps[row.cluster].append(up - down)
        nets = [sum(own) for own in steps.values()]
        return cls(
            up=sum(net > 0 for net in nets),
            down=sum(net < 0 for net in nets),
            differing=sum(any(own) for own in steps.values()),
            all=len(steps),
        )

    @property
    def decided(self) -> int:
        return self.up + self.down


def conclude_set(found: EvalSet, limits: Thresholds, *, counts_needed: bool = True) -> SetVerdict:
    """The verdict on a set. Blocks: loads statistics, so call it in a thread.

    How many eval cases it lacks takes half a second; False: nobody wants to know.
    """
    differences = [row.difference for row in found.rows]
    clusters = [row.cluster for row in found.rows]
    signs, tosses = _find_signs(found.rows), Tosses.of(found.rows)
    repeats = find_repeats(found, lambda rows: _gate(rows, limits, is_sure=found.is_sure), limits)
    word, reason = _decide(found, signs, repeats, limits)
    is_counted = counts_needed and not found.is_sure  # the numbers are those of the fixed test
    return SetVerdict(
        word=word,
        reason=reason,
        signs=signs,
        difference=fmean(differences),
        interval=_within_bounds(find_paired_interval(differences, clusters=clusters)),
        clusters=tosses.all,
        gain=find_normalized_gain([(row.tested, row.other) for row in found.rows]),
        needed=_find_needed(word, signs, limits) if is_counted else None,
        evidence=_find_evidence(found.rows) if found.is_sure else None,
        repeats=repeats,
    )


def _within_bounds(interval: Interval | None) -> Interval | None:
    """An interval without what no difference of two scores can be."""
    return None if interval is None else Interval(max(interval.low, -1), min(interval.high, 1))


def _find_signs(rows: Sequence[SetRow]) -> SignTest:
    return find_sign_test([row.difference for row in rows], [row.cluster for row in rows])


def _find_evidence(rows: Sequence[SetRow]) -> float:
    """Evidence for the direction that is ahead; eval cases of one fixture are one observation."""
    tosses = Tosses.of(rows)
    return find_evidence(max(tosses.up, tosses.down), min(tosses.up, tosses.down))


def _decide(
    found: EvalSet, signs: SignTest, repeats: Repeats | None, limits: Thresholds
) -> tuple[SetWord, str]:
    """The word, with the reason where it is none of the first two.

    *invalid* comes first, then the rule itself. What is left is *no difference shown* only where a
    difference worth having would probably have been shown: where so many eval cases differ that
    the test would have seen the win rate of the thresholds with their power, or where so few
    differ that the least net wins are out of reach. Else the set is too small to say either, and
    *underpowered*.
    """
    if invalid := _find_invalid(found, repeats, limits):
        return "invalid", invalid
    word = _gate(found.rows, limits, is_sure=found.is_sure)
    if word is not None:
        return word, ""
    differing, tosses = signs.wins + signs.losses, Tosses.of(found.rows)
    if _is_too_rare(tosses, limits):
        return "no difference shown", f"only {differing} of {len(found.rows)} eval cases differ"
    power = _find_power(tosses.decided, limits, is_sure=found.is_sure)
    if differing >= limits.fewest and power >= limits.power:
        return "no difference shown", _why_no_difference(signs, power, limits)
    return "underpowered", _why_underpowered(differing, tosses, power, limits)


def _find_invalid(found: EvalSet, repeats: Repeats | None, limits: Thresholds) -> str:
    """Why nothing may be concluded: too much is lost, one arm alone lost it, or the rule passes
    identical arms too often; else empty.
    """
    tried = len(found.rows) + len(found.unscored)
    if len(found.unscored) > limits.unscored * tried:
        return f"{len(found.unscored)} of {tried} eval cases came to no score"
    if lopsided := find_lopsided([*(row.record for row in found.rows), *found.unscored]):
        return lopsided
    if repeats is not None and repeats.is_broken:
        return "the same rule finds a difference between identical arms too often"
    return ""


def _gate(rows: Sequence[SetRow], limits: Thresholds, *, is_sure: bool) -> SetWord | None:
    """Whether rows help or hurt: enough that differ, not by chance, and enough of all."""
    signs = _find_signs(rows)
    net = signs.wins - signs.losses
    if signs.wins + signs.losses < limits.fewest:
        return None
    if abs(net) < limits.net_wins * len(rows) - 1e-9:  # a share of a count need not be whole
        return None
    if is_sure:
        tosses = Tosses.of(rows)  # may point the other way, where one fixture has many eval cases
        is_ahead = (tosses.up - tosses.down) * net > 0
        is_shown = is_ahead and _find_evidence(rows) >= find_threshold(limits.alpha)
    else:
        chance = signs.p_higher if net > 0 else signs.p_lower
        is_shown = chance is not None and chance <= limits.alpha
    if not is_shown or not net:
        return None
    return "helps" if net > 0 else "hurts"


def _is_too_rare(tosses: Tosses, limits: Thresholds) -> bool:
    """Whether so little differs that not even wins alone could be enough of all."""
    interval = find_rate_interval(tosses.differing, tosses.all)
    return interval is not None and interval.high < limits.net_wins


@lru_cache(maxsize=1_000)
def _find_power(decided: int, limits: Thresholds, *, is_sure: bool) -> float:
    """How often the win rate of the thresholds is seen where so many units are decided."""
    if not is_sure:
        return find_power(decided, limits.win_rate, limits.alpha)
    from scipy import stats  # noqa: PLC0415

    enough = find_threshold(limits.alpha)
    shown = (wins for wins in range(decided + 1) if find_evidence(wins, decided - wins) >= enough)
    fewest = next(shown, decided + 1)
    return float(stats.binom.sf(fewest - 1, decided, limits.win_rate))


def _find_needed(word: SetWord, signs: SignTest, limits: Thresholds) -> int | None:
    """How many eval cases it takes for a set that shows nothing to have the usual power."""
    differing = signs.wins + signs.losses
    if not differing or word not in {"no difference shown", "underpowered"}:
        return None
    seen = max(signs.wins, signs.losses) / differing
    return find_evals_needed(
        limits.win_rate if word == "underpowered" else seen,
        alpha=limits.alpha,
        power=limits.power,
        tie_rate=signs.ties / (differing + signs.ties),
        floors=Floors(non_ties=limits.fewest, net=limits.net_wins),
    )


def _why_no_difference(signs: SignTest, power: float, limits: Thresholds) -> str:
    net = abs(signs.wins - signs.losses) / (signs.wins + signs.ties + signs.losses)
    if 0 < net < limits.net_wins:
        return (
            f"net {'wins' if signs.wins > signs.losses else 'losses'} are {net:.0%} of the eval "
            f"cases, and {limits.net_wins:.0%} is the least that counts"
        )
    return (
        f"this may be chance, and a skill that wins {limits.win_rate:.0%} of eval cases that "
        f"differ would have been seen {power:.0%} of the time"
    )


def _why_underpowered(differing: int, tosses: Tosses, power: float, limits: Thresholds) -> str:
    if differing < limits.fewest:
        return f"at least {limits.fewest} eval cases must differ, and {differing} do"
    alone = f" ({tosses.decided} by their input files)" if tosses.decided < differing else ""
    return (
        f"with {differing} eval cases that differ{alone}, a skill that wins "
        f"{limits.win_rate:.0%} of them would be seen {power:.0%} of the time"
    )
