"""The line of a verdict: read as it is meant, its reason in whatever words, its slips named."""

import pytest

from handlers.asking import make_requests
from handlers.command_values import Help, Misunderstood, Verdict
from handlers.commands import new_commands, parse_command
from handlers.verdict_line import LONGEST_REASON
from jobs.requests import VerdictOptions
from tests.builders import NOON
from tests.handlers.events import a_commented

RUN = "0a1b2c3d4e5f"


def said(line: str) -> Verdict:
    command = parse_command(line)
    assert isinstance(command, Verdict), command
    return command


@pytest.mark.parametrize(
    "line",
    [
        "verdict A3 with_skill pass because table 2 has it",
        "Verdict a3 With-Skill PASS because table 2 has it",
        "verdict `A3` `with_skill` pass, because: table 2 has it",
        "verdict A3, with_skill: pass Because  table 2   has it ",
    ],
)
def test_a_verdict_is_read_however_it_is_dressed(line: str) -> None:
    assert said(line) == Verdict(
        VerdictOptions(assertion="A3", arm="with_skill", verdict="pass", reason="table 2 has it")
    )


@pytest.mark.parametrize(
    "options", [f"--run {RUN} --trial 2", f"--run={RUN.upper()} trial=2", f"run=`{RUN}` --trial=2"]
)
@pytest.mark.parametrize("place", ["verdict A1 base_skill fail {} because x", "{}"])
def test_options_stand_before_the_reason_or_at_the_very_end(options: str, place: str) -> None:
    line = (
        place.format(options)
        if place != "{}"
        else f"verdict A1 base_skill fail because x {options}"
    )
    assert (said(line).run, said(line).said.trial, said(line).said.reason) == (RUN, 2, "x")


@pytest.mark.parametrize(
    "reason",
    [
        "it says 42 (see table 2)",
        "x=3 and --force are both there",
        "in trial 3 it fails because of the run time",
        "“curly” quotes stay",
        "<!-- skillbench:v1 {} --> @maria `code` | pipe",
        "--run is what it lacks",
    ],
)
def test_a_reason_is_kept_as_it_was_written(reason: str) -> None:
    assert said(f"verdict A3 with_skill pass because {reason}").said.reason == reason


def test_a_long_reason_is_cut_where_everybody_sees_it() -> None:
    reason = said(f"verdict A3 with_skill pass because {'why ' * 400}").said.reason
    assert len(reason) <= LONGEST_REASON
    assert reason.endswith("why…")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("verdict", "none of them stands there"),
        ("verdict A3 because x", "not `A3`"),
        ("verdict because x", "none of them stands there"),
        ("verdict third with_skill pass because x", "not `third with_skill pass`"),
        ("verdict A3 with_skil pass because x", "Did you mean `with_skill`?"),
        ("verdict A3 candidate_1 pass because x", "`candidate_1` is no arm"),
        ("verdict A3 with_skill passes because x", "Did you mean `pass`?"),
        ("verdict A3 with_skill pass", "needs its reason"),
        ("verdict A3 with_skill pass because", "needs its reason"),
        ("verdict A3 with_skill pass because  ,", "needs its reason"),
        ("verdict A3 with_skill pass it has it", "needs its reason"),
        ("verdict A3 with_skill pass --run 12 because x", "`12` is no value for `--run`"),
        ("verdict A3 with_skill pass --trial 0 because x", "a whole number"),
        ("verdict A3 with_skill pass --trial 99 because x", "at most 20 trials"),
        ("verdict A3 with_skill pass --force because x", "`--force`"),
    ],
)
def test_a_slip_is_named(line: str, words: str) -> None:
    command = parse_command(line)
    assert isinstance(command, Misunderstood), command
    assert words in command.problem
    assert command.about == "verdict"


def test_a_verdict_can_be_asked_about() -> None:
    assert parse_command("verdict --help") == Help("verdict")


def test_an_edit_gives_only_the_verdict_that_it_changed() -> None:
    kept = "@skillbench verdict A1 with_skill pass because x"
    before = f"{kept}\n@skillbench verdict A2 with_skill pass because y"
    after = f"{kept}\n@skillbench verdict A2 with_skill fail because z"
    [changed] = new_commands(after, before, "@skillbench")
    assert changed == said("verdict A2 with_skill fail because z")


def test_the_same_verdict_has_the_same_key_and_another_reason_another_one() -> None:
    event = a_commented("")
    lines = ["because x", "because x", "because y", f"because x --run {RUN}"]
    asked = [said(f"verdict A1 with_skill pass {line}") for line in lines]
    keys = [make_requests(event, [one], NOON)[0].key for one in asked]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_a_request_holds_what_was_said() -> None:
    command = said(f"verdict A3 with_skill fail because x --run {RUN}")
    [request] = make_requests(a_commented(""), [command], NOON)
    assert (request.kind, request.run, request.verdict) == ("verdict", RUN, command.said)
