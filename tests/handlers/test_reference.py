"""One table drives parser, help and documents: none of them knows what another does not."""

from pathlib import Path
from typing import get_args

import pytest

from handlers.command_table import COMMANDS, OPTIONS, option_usage, short_usage
from handlers.command_values import Misunderstood
from handlers.commands import new_commands, parse_command
from handlers.help import help_text, reference
from jobs.inquiries.answering import ANSWERS
from jobs.requests import Reading

MENTION = "@skillbench"
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "commands.md"
WORDS = {"rerun": "failed", "dataset": "a b", "verdict": "A3 with_skill pass because x"}
"""What a command cannot do without."""
VALUES = {
    "vs": "main",
    "launcher": "api",
    "mode": "forced",
    "tier": "quick",
    "judge": "sonnet",
    "model": "opus",
    "run": "0a1b2c3d4e5f",
}


def test_the_document_holds_the_whole_table_as_it_is() -> None:
    assert reference(MENTION) in DOCUMENT.read_text(encoding="utf-8"), (
        "docs/commands.md ends with `handlers.help.reference('@skillbench')`; put that there anew"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_stands_in_the_help_with_all_of_its_options(name: str) -> None:
    assert f"| `{MENTION} {short_usage(name)}` |" in help_text(MENTION)
    own = help_text(MENTION, name)
    for option in COMMANDS[name].options:
        assert f"| `{option_usage(option)}` |" in own


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in COMMANDS for option in COMMANDS[name].options]
)
@pytest.mark.parametrize("way", ["--{} {}", "--{}={}", "{}={}"])
def test_every_option_is_read_in_every_way_it_may_be_written(
    name: str, option: str, way: str
) -> None:
    spec = OPTIONS[option]
    value = VALUES.get(option, "sonnet" if "model" in option else "3")
    written = way.format(option, value if spec.value else "yes")
    if not spec.value and way == "--{} {}":
        written = f"--{option}"
    command = parse_command(f"{name} {WORDS.get(name, '')} {written}")
    assert not isinstance(command, Misunderstood), command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_known_again_in_an_edited_comment(name: str) -> None:
    line = f"{MENTION} {name} {WORDS.get(name, '')}"
    assert new_commands(f"{line}\n\nSorry.", line, MENTION) == []
    assert new_commands(line, "", MENTION) == [parse_command(f"{name} {WORDS.get(name, '')}")]


def test_every_option_of_the_table_belongs_to_a_command() -> None:
    assert {option for spec in COMMANDS.values() for option in spec.options} == set(OPTIONS)


def test_every_reading_command_has_its_answer() -> None:
    assert set(ANSWERS) == set(get_args(Reading))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_a_command(name: str) -> None:
    for words, _ in COMMANDS[name].examples:
        assert not isinstance(parse_command(words), Misunderstood), words
