"""Nothing that the bot says could be taken for a command: not even what it quotes of others."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.unreadable import TEXT
from bot.worker import BROKEN, CRASHED, NOT_STARTED
from handlers.commands import parse_commands
from jobs.planning.dedup import Duplicate
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from jobs.reporting.replies import (
    render_duplicate,
    render_failure,
    render_nothing_to_do,
    render_platform_failure,
    render_refusal,
)
from jobs.reporting.report import render_report
from tests.builders import a_model, a_run_spec, a_skill, an_eval_case
from tests.jobs.reporting.rendered import hostile_text
from tests.jobs.reporting.test_report_hostile import hostile_context, hostile_result

MENTION = "@skillbench"
COMMAND = "@skillbench run claude-sonnet"

commands = st.tuples(
    hostile_text,
    st.sampled_from(["", "\n", "\r\n", "\n\n", "\r", "\n   ", "`\n", "-->\n", "```\n", "|\n"]),
    st.sampled_from([COMMAND, f"({COMMAND})", "@SkillBench, help", "@skillbench"]),
    st.sampled_from(["", "\n", "\n\n"]),
    hostile_text,
).map("".join)


def short_answers(text: str) -> list[str]:
    """Everything that is said in a line or two, with `text` wherever somebody else's may stand."""
    spec = a_run_spec(
        model=a_model(asked=text, sent=text, identity=text),
        skill=a_skill(path=text, name=text),
        eval_case=an_eval_case(id=text),
    )
    duplicate = Duplicate(
        spec=spec, model=text, url=f"https://x.example/{text}", score=None, source="ledger"
    )
    rows = tuple(
        RunRow(title=text, skill=text, model=text, state=state, detail=text)
        for state in ("refused", "failed")
    )
    return [
        render_refusal(text, mention=MENTION),
        render_duplicate(duplicate, mention=MENTION),
        render_nothing_to_do([duplicate], [(text, text)], mention=MENTION),
        render_failure(text, mention=MENTION, retry=text),
        render_platform_failure(text, text, mention=MENTION),
        render_progress(ProgressComment(asker=text, rows=rows)),
    ]


APOLOGIES = (NOT_STARTED, BROKEN, CRASHED, TEXT)
"""They quote nothing but a reference, which is a digest of ours."""


@pytest.mark.parametrize(
    "text", [COMMAND, f"\n{COMMAND}", f"\n\n{COMMAND}\n\n", f"`\n{COMMAND}", f"-->\n{COMMAND}\n"]
)
def test_no_answer_to_a_command_holds_one(text: str) -> None:
    report = render_report(hostile_result(text), hostile_context(text))
    for said in [*short_answers(text), report]:
        assert parse_commands(said, MENTION) == []


@settings(max_examples=60, deadline=None)
@given(text=commands)
def test_no_short_answer_holds_a_command_whatever_it_quotes(text: str) -> None:
    for said in short_answers(text):
        assert parse_commands(said, MENTION) == [], said


@settings(max_examples=25, deadline=None)
@given(text=commands)
def test_no_report_holds_a_command_whatever_stands_in_it(text: str) -> None:
    said = render_report(hostile_result(text), hostile_context(text))
    assert parse_commands(said, MENTION) == [], said


def test_no_apology_holds_a_command() -> None:
    for apology in APOLOGIES:
        said = apology.format(times=4, reference="0a1b2c3d4e5f")
        assert parse_commands(said, MENTION) == []
