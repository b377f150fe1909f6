"""How figures stand on the pages: signs, signed points, and words where nothing was measured.

A sign has a shape of its own and stands beside its word, so that nobody needs its colour.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from re import fullmatch
from typing import Any, NamedTuple

from markupsafe import Markup

from bot.charts.subject import Subject, describe, subject_of_skill
from jobs.conclusions.verdict import SetWord
from jobs.dashboard import addresses
from jobs.dashboard.addresses import ChartKind
from jobs.dashboard.values import RepoFigures, SkillCard, SkillFigures, Whiskers
from jobs.inquiries.words import asked_plain
from jobs.reporting.escape import clip
from jobs.reporting.numbers import percent, tokens, usd

NOT_MEASURED = "not measured"
NO_INTERVAL = "no interval"
LEAST_SHOWN = 0.0005
"""Of a difference, as a fraction; what is smaller would be written as no tenth of a point."""

LONGEST_NAME = 48
"""Characters that are shown of a skill's name; its path stands whole on its page."""


class Sign(NamedTuple):
    """How a word is drawn."""

    mark: str
    kind: str
    """Name in the style sheet."""


SIGNS: Mapping[SetWord, Sign] = {
    "helps": Sign("▲", "helps"),
    "hurts": Sign("▼", "hurts"),
    "no difference shown": Sign("=", "same"),
    "underpowered": Sign("?", "few"),
    "invalid": Sign("!", "invalid"),
}


def show_points(value: float | None) -> str:
    """A difference in percentage points, signed: `+18.3`, `0`; in words where there is none."""
    if value is None:
        return NOT_MEASURED
    if abs(value) < 1e-9:
        return "0"
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    if abs(value) < LEAST_SHOWN:
        return f"{sign}<0.1"
    return sign + f"{abs(value) * 100:.1f}".removesuffix(".0")


def show_interval(whiskers: Whiskers) -> str:
    """`+3 to +21`; in words where the set is too small for one."""
    if whiskers.low is None or whiskers.high is None:
        return NO_INTERVAL
    return f"{show_points(whiskers.low)} to {show_points(whiskers.high)}"


def show_change(value: float | None) -> Sign:
    """Which way a change goes."""
    if value is None or abs(value) < LEAST_SHOWN:
        return Sign("", "same")
    return Sign("▲", "helps") if value > 0 else Sign("▼", "hurts")


def show_score(value: float | None) -> str:
    """A score or a share; in words where nothing was measured."""
    return NOT_MEASURED if value is None else percent(value)


def show_spend(amount: float, *, is_partial: bool) -> str:
    """Money that was spent; what is not known is no zero."""
    if not is_partial:
        return usd(Decimal(str(amount)))
    return f"at least {usd(Decimal(str(amount)))}" if amount else "unknown"


def show_tokens(value: float | None) -> str:
    return NOT_MEASURED if value is None else tokens(round(value))


def show_version(sha: str) -> str:
    """As many digits of a SHA as tell versions apart."""
    return sha[:7]


def show_time(moment: datetime | None) -> Markup | str:
    """A moment to the minute, in UTC, that programs read too."""
    return _show_moment(moment, "%Y-%m-%d %H:%M UTC")


def show_minute(moment: datetime | None) -> Markup | str:
    """The same where the head of a column says that it is UTC."""
    return _show_moment(moment, "%Y-%m-%d %H:%M")


def show_day(moment: datetime | None) -> Markup | str:
    """The day alone."""
    return _show_moment(moment, "%Y-%m-%d")


def _show_moment(moment: datetime | None, shape: str) -> Markup | str:
    if moment is None:
        return "not known"
    there = moment.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        there.strftime("%Y-%m-%dT%H:%MZ"), there.strftime(shape)
    )


def show_skill(card: SkillCard) -> str:
    """A skill's name on one line."""
    return clip(card.name, LONGEST_NAME)


def tell_chart(kind: ChartKind, found: SkillFigures) -> str:
    """What a chart of a skill shows, for those who do not see it."""
    return describe(subject_of_skill(kind, found))


def tell_differences(found: RepoFigures) -> str:
    """The same of the chart of a repository."""
    return describe(Subject(kind="difference", repo=found.repo, cards=found.cards))


def find_issue(eval_id: str) -> int | None:
    """The issue that an eval case is told by; None where it is of a file."""
    found = fullmatch(r"github-issue-([1-9][0-9]{0,9})", eval_id)
    return int(found[1]) if found else None


def find_address(url: str) -> str:
    """An address that may be led to; empty for one that is no web page's."""
    return url if url.startswith(("https://", "http://")) else ""


FILTERS: dict[str, Callable[..., Any]] = {
    "points": show_points,
    "interval": show_interval,
    "change_sign": show_change,
    "score": show_score,
    "tokens": show_tokens,
    "version": show_version,
    "time": show_time,
    "minute": show_minute,
    "day": show_day,
    "issue_of": find_issue,
    "web_address": find_address,
    "clip": clip,
    "skill_name": show_skill,
    "request_words": asked_plain,
}
GLOBALS: dict[str, Any] = {
    "signs": SIGNS,
    "spend": show_spend,
    "tell_chart": tell_chart,
    "tell_differences": tell_differences,
    "repo_address": addresses.repo_address,
    "skill_address": addresses.skill_address,
    "runs_address": addresses.runs_address,
    "run_address": addresses.run_address,
    "chart_address": addresses.chart_address,
}
