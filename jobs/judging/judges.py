"""Who judges a run: one model, or a panel of several.

A panel is always in the order of its models' ids, so that whoever names the same judges has the
same panel, however they were typed.
"""

from config.repo_kinds import MOST_JUDGES
from jobs.conversation import ModelCatalog
from jobs.errors import Refused
from jobs.values import Model, RunSpec

BETWEEN = ","
"""Between the names of a panel, as one asks for it and as a record names it: no id holds one."""


async def resolve_judges(asked: str, catalog: ModelCatalog) -> tuple[Model, ...]:
    """The judges behind a name, or behind several with commas between them, in a fixed order.

    The order is that of their ids, so that whoever names the same ones has the same panel. Raises
    `Refused` for a name that no provider knows, and for more than `MOST_JUDGES`.
    """
    names = split_judges(asked)
    if len(names) > MOST_JUDGES:
        raise Refused(f"{len(names)} judges were named; {MOST_JUDGES} is the most.")
    models = [await catalog.resolve(name) for name in names]
    found = {model.sent: model for model in models}
    return tuple(found[sent] for sent in sorted(found))


def split_judges(asked: str) -> tuple[str, ...]:
    """The names that stand in what somebody typed, at least one."""
    return tuple(name.strip() for name in asked.split(BETWEEN) if name.strip()) or (asked,)


def judges_of(spec: RunSpec) -> tuple[Model, ...]:
    """Every judge of a run, in order."""
    return (spec.judge, *spec.other_judges)


def judged_by(spec: RunSpec) -> str:
    """What a record calls the judge of a run: its id, or those of the whole panel."""
    return BETWEEN.join(judge.sent for judge in judges_of(spec))


def asked_judges(spec: RunSpec) -> str:
    """The judges as one would ask for them again."""
    return BETWEEN.join(judge.asked for judge in judges_of(spec))


def count_judges(judge: str) -> int:
    """How many judges a record's name of its judge stands for."""
    return judge.count(BETWEEN) + 1
