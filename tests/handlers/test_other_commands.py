"""Commands beside `run` and those about descriptions: how each is read, and its slips."""

import pytest

from handlers.command_values import Again, Cancel, Dataset, Gather, Misunderstood, Read, Run
from handlers.commands import parse_command
from jobs.requests import DatasetOptions


def problem_of(line: str) -> str:
    command = parse_command(line)
    assert isinstance(command, Misunderstood), command
    return command.problem


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("rerun failed", Again("rerun")),
        ("RERUN Failed.", Again("rerun")),
        ("retry", Again("retry")),
        ("retry 0A1b2c3d4e5f", Again("retry", run="0a1b2c3d4e5f")),
        ("retry `0a1b2c3d4e5f`", Again("retry", run="0a1b2c3d4e5f")),
        ("retry 0a1b2c3d4e5f.", Again("retry", run="0a1b2c3d4e5f")),
        ("retry `0a1b2c3d4e5f`!", Again("retry", run="0a1b2c3d4e5f")),
        ("retry --override-budget", Again("retry", override_budget=True)),
        (
            "rejudge 0a1b2c3d4e5f judge=gpt-4.1",
            Again("rejudge", run="0a1b2c3d4e5f", judge="gpt-4.1"),
        ),
        ("report", Again("report")),
        ("summary --skill pdf", Gather("summary", skill="pdf")),
        ("sync", Gather("sync")),
        ("ping", Read("ping")),
        ("Status!", Read("status")),
        ("queue", Read("queue")),
        ("results", Read("results")),
        ("results skill=pdf", Read("results", skill="pdf")),
        ("lint", Read("lint")),
        ("config", Read("config")),
        ("estimate", Read("estimate")),
        (
            "estimate sonnet --trials 3",
            Read("estimate", run=Run(models=("sonnet",), trials=3)),
        ),
        ("cancel 0a1b2c3d4e5f", Cancel("0a1b2c3d4e5f")),
        ("dataset holy health", Dataset(DatasetOptions(benchmark="holy", dataset="health"))),
        (
            "dataset a b --limit 5 --ids x,y,,x --model o3 --target-type chat --eval-model o4",
            Dataset(
                DatasetOptions(
                    benchmark="a",
                    dataset="b",
                    limit=5,
                    ids=("x", "y"),
                    target_type="chat",
                    eval_model="o4",
                ),
                "o3",
            ),
        ),
    ],
)
def test_the_other_commands_are_read(line: str, command: object) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rerun", "takes the word `failed`, and nothing was named"),
        ("rerun everything", "and not `everything`"),
        ("retry 21", "`21` is no id of a run"),
        ("retry 0a1b2c3d4e5f 21", "`21` is no id of a run"),
        ("rejudge --judge", "needs a value"),
        ("rejudge --trials 2", "`--trials`"),
        ("status of it", "`of`"),
        ("results pdf", "`pdf`"),
        ("result", "Did you mean `results`?"),
        ("stauts", "Did you mean `status`?"),
        ("estimate @0a1b2c3", "`@0a1b2c3`"),
        ("trigger @0a1b2c3", "`@0a1b2c3`"),
        ("dataset holy", "the name of a benchmark and that of its dataset, and not `holy`"),
        ("dataset ../etc passwd", "`../etc passwd`"),
        ("dataset a b --limit 0", "a whole number"),
        ("run @0a1b2c", "`@0a1b2c` is no commit"),
        ("run @0a1b2c3 @0a1b2c4", "at most 1 commit"),
        ("run --vs yesterday", "`previous`"),
        ("run --vs @mona", "`@mona`"),
        ("run --vs ref:", "`ref:NAME`"),
        ("run --vs ref:../x", "`ref:NAME`"),
        ("run --vs ref:a..b", "`ref:NAME`"),
        ("run --vs ref:-x", "`ref:NAME`"),
        ("run --vs ref:x.lock", "`ref:NAME`"),
        ('run --vs "ref:a b"', "`ref:NAME`"),
        ("run --judge please!", "`please!`"),
    ],
)
def test_a_slip_in_the_others_is_named(line: str, words: str) -> None:
    assert words in problem_of(line)
