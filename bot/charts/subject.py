"""What a chart is drawn from, and how it is told to those who do not see it.

Only values and words: this is imported by the web process, which never loads matplotlib.
"""

from collections.abc import Mapping
from hashlib import sha256

from bot.charts import texts
from jobs.dashboard.addresses import ChartKind
from jobs.dashboard.values import RepoFigures, SetFigures, SkillCard, SkillFigures
from jobs.reporting import numbers
from jobs.requests import Value

OF_SKILL: frozenset[ChartKind] = frozenset({"versions", "cost", "heat", "triggers", "badge"})
"""Kinds that are about one skill; `difference` is about all of a repository, or one."""
_SHOWN: Mapping[ChartKind, frozenset[str]] = {
    "difference": frozenset({"sets"}),
    "versions": frozenset({"versions"}),
    "cost": frozenset({"versions"}),
    "heat": frozenset({"cells"}),
    "triggers": frozenset({"triggers"}),
    "badge": frozenset(),
}
"""Besides the card."""
MOST_SAID = 5
"""Lines of a picture that its description tells."""


class Subject(Value):
    """A chart's kind, and what it shows."""

    kind: ChartKind
    repo: str
    cards: tuple[SkillCard, ...] = ()
    """Of a repository's skills; empty where the chart is about one skill."""
    figures: SkillFigures | None = None
    """Of that skill, with what this kind shows and nothing else."""

    @property
    def digest(self) -> str:
        """The same for equal pictures."""
        return sha256(self.model_dump_json().encode("utf-8", "replace")).hexdigest()


def subject_of_skill(kind: ChartKind, figures: SkillFigures) -> Subject:
    """What a chart of this kind shows of a skill, and nothing that would make it another one."""
    parts = {name: getattr(figures, name) for name in _SHOWN[kind]}
    card = _only_shown(figures.card, kind)
    return Subject(kind=kind, repo=card.repo, figures=SkillFigures(card=card, **parts))


def subject_of_repo(figures: RepoFigures) -> Subject:
    """What a chart shows of all skills of a repository."""
    cards = tuple(_only_shown(card, "badge") for card in figures.cards)
    return Subject(kind="difference", repo=figures.repo, cards=cards)


def _only_shown(card: SkillCard, kind: ChartKind) -> SkillCard:
    return SkillCard(
        repo=card.repo,
        skill=card.skill,
        name=card.name,
        sha=card.sha,
        latest=card.latest if kind == "badge" else None,
        ended_at=card.ended_at if kind == "heat" else None,
    )


def describe(subject: Subject) -> str:
    """A picture in a sentence or two, as a text that stands for it."""
    figures = subject.figures
    if figures is None:
        told = [f"{texts.brief(one.name)} {texts.say_card(one)}" for one in subject.cards]
        return _list("Difference that each skill makes", told)
    name = texts.brief(figures.card.name)
    if subject.kind == "difference":
        told = [f"on {texts.brief(one.model)} {texts.say_set(one)}" for one in _own(figures)]
        return _list(f"Difference that {name} makes", told)
    if subject.kind == "badge":
        return f"skillbench: {texts.say_card(figures.card)}"
    if subject.kind == "heat":
        return _describe_heat(name, figures)
    if subject.kind == "triggers":
        return _describe_triggers(name, figures)
    return _describe_versions(subject.kind, name, figures)


def _own(figures: SkillFigures) -> list[SetFigures]:
    return [one for one in figures.sets if one.vs == "none"]


def _list(what: str, told: list[str]) -> str:
    if not told:
        return f"{what}: nothing was measured yet."
    more = len(told) - MOST_SAID
    rest = f"; and {more} more" if more > 0 else ""
    return f"{what}: {'; '.join(told[:MOST_SAID])}{rest}."


def _describe_versions(kind: ChartKind, name: str, figures: SkillFigures) -> str:
    what = "Tokens and cost" if kind == "cost" else "Score with and without the skill"
    newest = {one.series: one for one in figures.versions}
    told = []
    for one in newest.values():
        model = f"on {texts.brief(one.model)}"
        if kind == "versions":
            scores = f"{numbers.percent(one.with_skill)} with, "
            told.append(f"{model} {scores}{numbers.percent(one.without_skill)} without")
        elif one.tokens_with is not None and one.tokens_without is not None:
            having, lacking = (round(one.tokens_with), round(one.tokens_without))
            tokens = f"{numbers.tokens(having)} tokens with, {numbers.tokens(lacking)} without"
            told.append(f"{model} {tokens}")
    return _list(f"{what} over versions of {name}, newest", told)


def _describe_heat(name: str, figures: SkillFigures) -> str:
    known = [one for one in figures.cells if one.difference is not None]
    told = [
        f"{texts.brief(texts.own_name(one.eval_id, figures.card.skill))} on "
        f"{texts.brief(one.model)} {texts.points(one.difference)}"
        for one in known
        if one.difference is not None
    ]
    return _list(f"Difference that {name} makes by eval case and model", told)


def _describe_triggers(name: str, figures: SkillFigures) -> str:
    newest = {(one.model, one.launcher, one.eval_set): one for one in figures.triggers}
    told = [
        f"on {texts.brief(one.model)} recall {_share(one.recall)}, precision "
        f"{_share(one.precision)}"
        for one in newest.values()
    ]
    return _list(f"When {name} triggers, newest", told)


def _share(value: float | None) -> str:
    return "not known" if value is None else f"{value:.0%}"
