"""The figures over all eval cases of a skill on one model: one eval case is one observation.

They describe the rows, of whatever version and judge. What may be concluded is said of sets,
which never mix these (`jobs.conclusions`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from jobs.calibration.series import series_key
from jobs.summary.measured import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorecard:
    """One model's figures; trivial cases are in none of them."""

    model: str
    judge: str
    """Who gave the scores, as served where that is known."""
    wins: int
    ties: int
    losses: int
    with_skill: float | None
    without_skill: float | None
    """Mean scores; None where no case is left."""
    trivial: tuple[Measured, ...]

    @property
    def counted(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def difference(self) -> float | None:
        if self.with_skill is None or self.without_skill is None:
            return None
        return self.with_skill - self.without_skill


def find_scorecards(rows: Sequence[Measured]) -> list[Scorecard]:
    """The figures of each model, by its name."""
    series: dict[tuple[str, ...], list[Measured]] = {}
    for row in rows:
        series.setdefault((row.record.model_identity, *series_key(row.record)), []).append(row)
    cards = [_scorecard(own) for own in series.values()]
    return sorted(cards, key=lambda card: (card.model, card.judge))


def _scorecard(rows: Sequence[Measured]) -> Scorecard:
    told = [row for row in rows if not row.is_trivial]
    words = [row.word for row in told]
    wins, losses = words.count("win"), words.count("loss")
    return Scorecard(
        model=rows[-1].record.model,
        judge=rows[-1].record.judge_served or rows[-1].record.judge,
        wins=wins,
        ties=words.count("tie"),
        losses=losses,
        with_skill=_mean([row.with_skill for row in told]),
        without_skill=_mean([row.without_skill for row in told]),
        trivial=tuple(row for row in rows if row.is_trivial),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
