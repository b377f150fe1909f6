"""What holds in the end, and who said so: a command, the repository's file, or the operator.

A command goes before the repository's file, and that before the operator's settings. Of money
the least holds: a repository may lower the operator's limits and never raise them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from config.environments.definition import PLAIN
from config.repo_file import RepoFile
from config.settings import Settings
from config.tiers import HowOften, Said, TierName, settle

Origin = Literal["command", "repository", "operator", "default"]
"""The command; the repository's file; the operator's settings; nobody, so what is usual."""
Launcher = Literal["api", "claude-code"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Asked(Protocol):
    """What a command may say itself, as a `jobs.requests.Request` does; None or empty: nothing."""

    @property
    def models(self) -> tuple[str, ...]: ...
    @property
    def launcher(self) -> Launcher | None: ...
    @property
    def trials(self) -> int | None: ...
    @property
    def until_sure(self) -> bool | None: ...
    @property
    def tier(self) -> TierName | None: ...
    @property
    def judge(self) -> str | None: ...
    @property
    def environment(self) -> str | None: ...
    @property
    def override_budget(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Setting(Generic[T_co]):
    """One value, and who said it."""

    value: T_co
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """What holds where more than one may say it; all else stands in the repository's file."""

    mention: Setting[str]
    models: Setting[tuple[str, ...]]
    launcher: Setting[Launcher]
    trials: Setting[int]
    """Where a fixed number is tried."""
    how_often: HowOften
    """The same, and whether it is until sure, by a tier or in so many words."""
    judge: Setting[str]
    environment: Setting[str]
    """`none` is the plain sandbox. An eval case that names one goes before the file."""
    usd_per_run: Setting[Decimal]
    usd_per_day: Setting[Decimal]
    """For this repository; the operator's limit holds for all repositories together."""
    repo_file: RepoFile


class Row(NamedTuple):
    """A key of the repository's file and what holds for it."""

    key: str
    """As dotted path: `budgets.per_run`."""
    text: str
    """The value as one would write it; empty: nothing."""
    origin: Origin


def make_effective(
    repo_file: RepoFile, settings: Settings, asked: Asked | None = None
) -> Effective:
    """What holds for a command; without one, what would hold for one that says nothing."""
    is_over = asked is not None and asked.override_budget
    operators = _Operators(settings)
    budgets = repo_file.budgets
    told = _said_of_trials(repo_file, asked)
    how_often = settle(*told)
    return Effective(
        mention=_first(None, repo_file.mention, operators.one("mention", settings.mention)),
        models=_first(
            (asked.models if asked else ()) or None,
            repo_file.models or None,
            operators.one("model", (settings.model,)),
        ),
        launcher=_first(
            asked.launcher if asked else None,
            repo_file.launcher,
            operators.one("launcher", settings.launcher),
        ),
        trials=_trials(how_often, *told),
        how_often=how_often,
        judge=_first(
            asked.judge if asked else None,
            repo_file.judge,
            operators.one("judge_model", settings.judge_model),
        ),
        environment=_first(
            asked.environment if asked else None, repo_file.environment, Setting(PLAIN, "default")
        ),
        usd_per_run=_least(
            None if is_over else budgets.per_run,
            operators.one("max_usd_per_run", settings.max_usd_per_run),
        ),
        usd_per_day=_least(
            None if is_over else budgets.per_day,
            operators.one("max_usd_per_day", settings.max_usd_per_day),
        ),
        repo_file=repo_file,
    )


def find_rows(effective: Effective) -> list[Row]:
    """Every key of the repository's file in its order, with what holds and who said so."""
    settled: dict[str, Setting[object]] = {
        "mention": effective.mention,
        "models": effective.models,
        "launcher": effective.launcher,
        "trials": effective.trials,
        "judge": effective.judge,
        "environment": effective.environment,
        "budgets.per_run": effective.usd_per_run,
        "budgets.per_day": effective.usd_per_day,
    }
    rows = []
    for key, value, is_written in _leaves(effective.repo_file, ""):
        own: Setting[object] = Setting(value, "repository" if is_written else "default")
        holds = settled.get(key, own)
        rows.append(Row(key, _text(holds.value), holds.origin))
    return rows


def _said_of_trials(repo_file: RepoFile, asked: Asked | None) -> tuple[Said, Said]:
    """What the command says of it, and what the file does."""
    is_set = repo_file.model_fields_set
    written = Said(
        repo_file.trials if "trials" in is_set else None,
        repo_file.until_sure if "until_sure" in is_set else None,
        repo_file.tier,
    )
    return Said(asked.trials, asked.until_sure, asked.tier) if asked else Said(), written


def _trials(how_often: HowOften, asked: Said, written: Said) -> Setting[int]:
    if asked.trials or asked.tier:
        return Setting(how_often.trials, "command")
    return Setting(how_often.trials, "repository" if written.trials or written.tier else "default")


@dataclass(frozen=True, slots=True)
class _Operators:
    settings: Settings

    def one(self, field: str, value: T) -> Setting[T]:
        is_set = field in self.settings.model_fields_set
        return Setting(value, "operator" if is_set else "default")


def _first(asked: T | None, written: T | None, usual: Setting[T]) -> Setting[T]:
    if asked is not None:
        return Setting(asked, "command")
    return usual if written is None else Setting(written, "repository")


def _least(written: Decimal | None, limit: Setting[Decimal]) -> Setting[Decimal]:
    return limit if written is None or written > limit.value else Setting(written, "repository")


def _leaves(section: BaseModel, prefix: str) -> Iterator[tuple[str, object, bool]]:
    """Key, value and whether it is written, of all that is no section itself."""
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value, name in section.model_fields_set


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list | dict):
        return ", ".join(str(one) for one in value)
    return "" if value is None else str(value)
