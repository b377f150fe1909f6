"""Command before file before settings, the least of money, and each with who said it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from config.effective import Launcher, Row, Setting, find_rows, make_effective
from config.repo_file import RepoFile, parse_repo_file
from config.settings import Settings
from config.tiers import TierName

WHOLE = b"""\
mention: "@measure"
models: [claude-opus, gpt-5]
launcher: claude-code
trials: 3
judge: gpt-5
environment: r-pharma
budgets: {per_run: 2, per_day: 500}
"""


@dataclass(frozen=True)
class Command:
    models: tuple[str, ...] = ()
    launcher: Launcher | None = None
    trials: int | None = None
    judge: str | None = None
    environment: str | None = None
    override_budget: bool = False
    until_sure: bool | None = None
    tier: TierName | None = None


def some_settings(**changes: Any) -> Settings:
    return Settings(_env_file=None, **changes)


def test_without_a_word_the_settings_hold():
    effective = make_effective(RepoFile(), some_settings(model="claude-haiku"))
    assert effective.models == Setting(("claude-haiku",), "operator")
    assert effective.judge == Setting("claude-opus", "default")
    assert effective.launcher == Setting("api", "default")
    assert effective.trials == Setting(1, "default")
    assert effective.environment == Setting("none", "default")
    assert effective.mention == Setting("@skillbench", "default")
    assert effective.usd_per_run == Setting(Decimal(5), "default")


def test_the_repositorys_file_goes_before_the_settings():
    settings = some_settings(model="m", judge_model="j", launcher="api", mention="@other")
    effective = make_effective(parse_repo_file(WHOLE), settings)
    assert effective.mention == Setting("@measure", "repository")
    assert effective.models == Setting(("claude-opus", "gpt-5"), "repository")
    assert effective.launcher == Setting("claude-code", "repository")
    assert effective.trials == Setting(3, "repository")
    assert effective.judge == Setting("gpt-5", "repository")
    assert effective.environment == Setting("r-pharma", "repository")


def test_a_command_goes_before_both():
    command = Command(("haiku",), "api", 2, "sonnet", "none")
    effective = make_effective(parse_repo_file(WHOLE), some_settings(), command)
    assert effective.models == Setting(("haiku",), "command")
    assert effective.launcher == Setting("api", "command")
    assert effective.trials == Setting(2, "command")
    assert effective.judge == Setting("sonnet", "command")
    assert effective.environment == Setting("none", "command")
    silent = make_effective(parse_repo_file(WHOLE), some_settings(), Command())
    assert silent == make_effective(parse_repo_file(WHOLE), some_settings())


def test_of_money_the_least_holds():
    effective = make_effective(parse_repo_file(WHOLE), some_settings(max_usd_per_day=Decimal(40)))
    assert effective.usd_per_run == Setting(Decimal(2), "repository")
    assert effective.usd_per_day == Setting(Decimal(40), "operator")


def test_who_may_pass_the_repositorys_budgets_stays_below_the_operators():
    over = Command(override_budget=True)
    effective = make_effective(parse_repo_file(WHOLE), some_settings(), over)
    assert effective.usd_per_run == Setting(Decimal(5), "default")
    assert effective.usd_per_day == Setting(Decimal(50), "default")


def test_every_key_of_the_file_has_a_row():
    rows = {row.key: row for row in find_rows(make_effective(RepoFile(), some_settings()))}
    assert {key.partition(".")[0] for key in rows} == set(RepoFile.model_fields)
    assert rows["labels.run"] == Row("labels.run", "needs-benchmark", "default")
    assert rows["labels.evals"].text == "benchmark, eval"
    assert rows["evals.sync"].text == "false"
    assert rows["schedule.sweep"].text == rows["environments"].text == ""


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("budgets: {per_run: 2.50}", Row("budgets.per_run", "2.50", "repository")),
        ("budgets: {per_run: 9}", Row("budgets.per_run", "5", "default")),
        ("environments: {a: {image: b}}", Row("environments", "a", "repository")),
        ("labels: {run: measure}", Row("labels.run", "measure", "repository")),
        ("labels: {run: measure}", Row("labels.done", "benchmarked", "default")),
        ("schedule: {sweep: 0 3 * * *}", Row("schedule.sweep", "0 3 * * *", "repository")),
    ],
)
def test_a_row_says_what_holds_and_who_said_so(text: str, row: Row):
    assert row in find_rows(make_effective(parse_repo_file(text.encode()), some_settings()))
