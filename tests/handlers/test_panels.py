"""Several judges are named with commas and no blanks between them, and nothing else is taken."""

import pytest

from handlers.command_values import Again, Misunderstood, Run
from handlers.commands import parse_command


def test_a_panel_is_one_value() -> None:
    command = parse_command("run claude-sonnet --judge claude-opus,gpt-5.2")
    assert isinstance(command, Run)
    assert command.judge == "claude-opus,gpt-5.2"
    assert command.models == ("claude-sonnet",)


def test_a_judging_is_asked_of_a_panel_too() -> None:
    command = parse_command("rejudge --judge=opus,sonnet,haiku")
    assert isinstance(command, Again)
    assert command.judge == "opus,sonnet,haiku"


@pytest.mark.parametrize(
    "line",
    [
        "run --judge opus,",
        "run --judge ,opus",
        "run --judge opus, sonnet",
        "run --judge opus,,sonnet",
        "run --judge a-1,b-1,c-1,d-1",
        "run --judge opus,so;net",
    ],
)
def test_what_is_no_list_of_up_to_three_models_is_told(line: str) -> None:
    command = parse_command(line)
    assert isinstance(command, Misunderstood)
    assert "--judge" in command.problem or "so;net" in command.problem
