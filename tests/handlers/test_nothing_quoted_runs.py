"""Whatever stands inside quotes, code, comments, addresses or longer names never runs.

Any command of the table, with any words behind it, in any of the disguises, between any lines of
plain text; and beside it, unhidden, each still runs once.
"""

import time
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.command_table import COMMANDS, OPTIONS
from handlers.command_values import Misunderstood
from handlers.commands import parse_commands

MENTION = "@skillbench"
FENCE = "`" * 3

_WORDS = st.sampled_from(
    ["", "failed", "sonnet", "0a1b2c3d4e5f", "@0a1b2c3", "please", "a b", "--help"]
)
_OPTIONS = st.sampled_from(["", *(f"--{name} x" for name in OPTIONS), *(f"{n}=x" for n in OPTIONS)])
COMMAND = st.builds(
    lambda name, words, option: f"{MENTION} {name} {words} {option}".strip(),
    st.sampled_from(list(COMMANDS)),
    _WORDS,
    _OPTIONS,
)
PLAIN = st.text(alphabet="ab ,.!?é\N{GRINNING FACE}", max_size=20).map(str.strip)

DISGUISES: Mapping[str, Callable[[str], str]] = {
    "quoted": lambda line: f"> {line}",
    "quoted twice": lambda line: f"> > {line}",
    "quoted lazily": lambda line: f"> said\n{line}",
    "fenced": lambda line: f"{FENCE}\n{line}\n{FENCE}",
    "fenced by tildes": lambda line: f"~~~sh\n{line}\n~~~",
    "indented": lambda line: f"\n    {line}\n",
    "a code span": lambda line: f"`{line}`",
    "a code span of two": lambda line: f"`` {line} ``",
    "a code span over lines": lambda line: f"`see\n{line}\nthere`",
    "a hidden comment": lambda line: f"<!-- {line} -->",
    "a hidden comment over lines": lambda line: f"<!--\n{line}\n-->",
    "code in HTML": lambda line: f"<pre>\n{line}\n</pre>",
    "struck out": lambda line: f"~~{line}~~",
    "folded": lambda line: f"<details>\n\n{line}\n\n</details>",
    "an address": lambda line: f"lab{line}",
    "an address of the web": lambda line: f"see example.org/{line}",
    "a longer name": lambda line: line.replace(MENTION, f"{MENTION}-ci"),
    "another longer name": lambda line: line.replace(MENTION, f"{MENTION}2"),
    "a team": lambda line: line.replace(MENTION, f"{MENTION}/team"),
    "a host": lambda line: line.replace(MENTION, f"{MENTION}.example"),
    "in the middle": lambda line: f"I wrote {line}",
    "a bullet": lambda line: f"- {line}",
    "bold": lambda line: f"**{line}**",
    "a table": lambda line: f"| a |\n|---|\n| {line} |",
    "escaped": lambda line: f"\\{line}",
}


@settings(max_examples=400, deadline=None)
@given(
    command=COMMAND,
    disguise=st.sampled_from(list(DISGUISES)),
    before=st.lists(PLAIN, max_size=2),
    after=st.lists(PLAIN, max_size=2),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_a_disguised_command_never_runs(
    command: str, disguise: str, before: list[str], after: list[str], end: str
) -> None:
    parts = [*before, "", DISGUISES[disguise](command), "", *after]
    body = "\n".join(parts).replace("\n", end)
    assert parse_commands(body, MENTION) == [], disguise


@settings(max_examples=300, deadline=None)
@given(command=COMMAND, disguise=st.sampled_from(list(DISGUISES)), hidden=COMMAND)
def test_a_plain_command_runs_once_whatever_is_disguised_before_it(
    command: str, disguise: str, hidden: str
) -> None:
    body = f"{DISGUISES[disguise](hidden)}\n\n{command}"
    assert parse_commands(body, MENTION) == parse_commands(command, MENTION)
    assert len(parse_commands(body, MENTION)) == 1


@settings(max_examples=300, deadline=None)
@given(line=st.text(max_size=80), name=st.sampled_from(list(COMMANDS)))
def test_whatever_follows_a_name_is_read_or_answered(line: str, name: str) -> None:
    """Every reader copes with any words; what it does not understand becomes a sentence."""
    words = " ".join(line.split())
    for command in parse_commands(f"{MENTION} {name} {words}", MENTION):
        if isinstance(command, Misunderstood):
            assert command.problem
            assert "\n" not in command.problem


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_each_command_is_hidden_by_each_disguise(name: str, disguise: str) -> None:
    assert parse_commands(DISGUISES[disguise](f"{MENTION} {name}"), MENTION) == []


@pytest.mark.parametrize(
    "unit",
    [
        "@skillbench run --vs ref:" + "a/" * 50 + "\n",
        "@skillbench status\n",
        "@skillbench " + "x" * 1000 + "\n",
        "@skillbench run " + "--force " * 100 + "\n",
        "> @skillbench run\n\n",
        "`@skillbench run",
        "<!-- @skillbench run\n",
        '@skillbench run "\n',
        "@" * 100,
    ],
)
def test_sixty_kilobytes_of_anything_are_read_in_no_time(unit: str) -> None:
    """Far within the time that an event has; nobody waits for somebody else's comment."""
    body = unit * (60_000 // len(unit))
    began = time.process_time()
    parse_commands(body, MENTION, "@bench")
    assert time.process_time() - began < 20
