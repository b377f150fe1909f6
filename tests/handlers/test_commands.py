"""What a command says, word by word; and the answer to every word that says nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.tiers import MAX_TRIALS
from handlers.command_values import (
    Again,
    Cancel,
    Gather,
    Help,
    Misunderstood,
    Read,
    Run,
    Trigger,
)
from handlers.commands import new_commands, parse_command, parse_commands
from handlers.options import MAX_MODELS, MODEL

MENTION = "@skillbench"


def problem_of(line: str) -> str:
    command = parse_command(line)
    assert isinstance(command, Misunderstood), command
    return command.problem


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("run", Run()),
        ("RUN", Run()),
        ("run claude-sonnet", Run(models=("claude-sonnet",))),
        ("run  claude-sonnet\tgpt-4.1 ", Run(models=("claude-sonnet", "gpt-4.1"))),
        ("run sonnet sonnet", Run(models=("sonnet",))),
        ("run --skill word-count", Run(skill="word-count")),
        ("run --skill=text/word-count", Run(skill="text/word-count")),
        ("run skill=word-count", Run(skill="word-count")),
        ('run --skill "word count"', Run(skill="word count")),
        ('run skill="word count" sonnet', Run(skill="word count", models=("sonnet",))),
        ("run --skill \u201cword count\u201d", Run(skill="word count")),
        ("run --eval github-issue-21", Run(eval_id="github-issue-21")),
        ("run eval=github-issue-21", Run(eval_id="github-issue-21")),
        ("run --skill csv --eval 1", Run(skill="csv", eval_id="1")),
        ("run --eval tables/csv#1", Run(eval_id="tables/csv#1")),
        ("run --environment r-pharma", Run(environment="r-pharma")),
        ("run environment=none", Run(environment="none")),
        ("run --mode installed", Run(mode="installed")),
        ("run mode=Forced", Run(mode="forced")),
        ("run --force", Run(force=True)),
        ("run force=true", Run(force=True)),
        ("run --force=no", Run()),
        ("run --Force --SKILL x", Run(force=True, skill="x")),
        ("run \u2014force", Run(force=True)),
        ("run -force", Run(force=True)),
        ("run model=mistral", Run(models=("mistral",))),
        ("run --model mistral opus", Run(models=("mistral", "opus"))),
        ("run --trials 1", Run(trials=1)),
        ("run trials=20", Run(trials=20)),
        ("run --vs previous", Run(vs="previous")),
        ("run --vs=SELF", Run(vs="self")),
        ("run vs=@0A1B2C3", Run(vs="@0a1b2c3")),
        ("run --vs ref:Release/2.0", Run(vs="ref:Release/2.0")),
        ("run --judge claude-opus --fresh", Run(judge="claude-opus", fresh=True)),
        ("run --override-budget", Run(override_budget=True)),
        ("run @0A1B2C3", Run(head="0a1b2c3")),
        (f"run sonnet @{'a' * 40}", Run(models=("sonnet",), head="a" * 40)),
        ("run claude-sonnet (typo fixed)", Run(models=("claude-sonnet",))),
        (
            "run claude-opus --skill a --eval b --force",
            Run(models=("claude-opus",), skill="a", eval_id="b", force=True),
        ),
    ],
)
def test_a_run_is_read(line: str, run: Run) -> None:
    assert parse_command(line) == run


@pytest.mark.parametrize(
    ("line", "trigger"),
    [
        ("trigger", Trigger("trigger")),
        ("Trigger sonnet opus", Trigger("trigger", models=("sonnet", "opus"))),
        ("trigger --skill pdf --alone", Trigger("trigger", skill="pdf", alone=True)),
        ("trigger --eval-set a/b.json", Trigger("trigger", eval_set="a/b.json")),
        ("trigger eval-set=a.json", Trigger("trigger", eval_set="a.json")),
        ("trigger --runs-per-query 5 --force", Trigger("trigger", runs_per_query=5, force=True)),
        ("trigger --launcher API --yes", Trigger("trigger", launcher="api", confirmed=True)),
        ("optimize", Trigger("optimize")),
        (
            "optimize opus --max-iterations=2 --yes",
            Trigger("optimize", models=("opus",), max_iterations=2, confirmed=True),
        ),
    ],
)
def test_a_measurement_of_a_description_is_read(line: str, trigger: Trigger) -> None:
    assert parse_command(line) == trigger


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trigger --eval x", "`--eval`. Did you mean `--eval-set`?"),
        ("run --alone", "`--alone`"),
        ("trigger --max-iterations 3", "`--max-iterations`"),
        ("trigger --runs-per-query 0", "a whole number from 1 to 20"),
        ("trigger --runs-per-query 21", "at most 20 runs per query"),
        ("optimize --max-iterations 99", "at most 20 iterations"),
        ("trigger --alone=perhaps", "`true` or `false`"),
        ("optimise", "Did you mean `optimize`?"),
        ("trigger please", "`please`"),
    ],
)
def test_a_slip_in_it_is_named(line: str, words: str) -> None:
    assert words in problem_of(line)


@pytest.mark.parametrize(
    "model",
    [
        "claude-sonnet",
        "sonnet",
        "Opus",
        "fable",
        "o3",
        "gpt-4.1",
        "claude-sonnet-4-5@20250929",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "anthropic/claude-haiku-4-5",
        "models/gemini-2.0-flash",
        "Meta-Llama-3.1-70B",
        "openrouter/meta-llama/llama-3.1-8b-instruct:free",
        "llama3:8b",
        "scripted-demo",
    ],
)
def test_models_of_every_vendor_are_models(model: str) -> None:
    assert parse_command(f"run {model}") == Run(models=(model,))


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("", None),
        ("help", None),
        ("HELP", None),
        ("help :)", None),
        ("help me, please", None),
        ("help!", None),
        ("help Run?", "run"),
        ("run --help", "run"),
        ("run -help x", "run"),
        ("cancel --help", "cancel"),
    ],
)
def test_help_is_given_whatever_follows_it(line: str, about: str | None) -> None:
    assert parse_command(line) == Help(about)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("run claude-sonnet please, thanks!", "`please,`"),
        ("run please", "`please`"),
        ("run claude-sonnet.", "`claude-sonnet.`"),
        ("run claude-sonnet :)", "`:)`"),
        ("run 4.6", "`4.6`"),
        ("run @mona", "`@mona`"),
        ("run `claude-sonnet`", "`` `claude-sonnet` ``"),
        ("run #21", "`#21`"),
        ("run ../../etc/passwd", "`../../etc/passwd`"),
        ("run claude;rm", "`claude;rm`"),
        ("run $(id)-1", "`$(id)-1`"),
        ("run --turbo", "`--turbo`"),
        ("run colour=red", "`colour=red`"),
        ("bench claude-sonnet", "`bench`"),
        ("is great", "`is`"),
        ("run --force=maybe", "`maybe`"),
        ("run --trials many", "`many`"),
        ("run --trials -5", "`--trials`"),
    ],
)
def test_a_word_that_is_not_understood_is_quoted(line: str, word: str) -> None:
    assert word in problem_of(line)


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("rum claude-sonnet", "`run`"),
        ("hlep", "`help`"),
        ("run --skil x", "`--skill`"),
        ("run --froce", "`--force`"),
        ("run evl=x", "`--eval`"),
        ("run force", "`--force`"),
        ("run sonet", "`sonnet`"),
        ("run claude-sonnet, gpt-4.1", "`claude-sonnet`"),
        ("run `claude-sonnet`", "`claude-sonnet`"),
        ("run **opus**.", "`opus`"),
    ],
)
def test_the_nearest_word_is_offered(line: str, nearest: str) -> None:
    assert f"Did you mean {nearest}?" in problem_of(line)


@pytest.mark.parametrize(
    "line", ["run --skill", "run --skill --force", "run skill=", 'run --eval ""']
)
def test_an_option_without_its_value_is_named(line: str) -> None:
    assert "needs a value" in problem_of(line)


def test_an_option_given_twice_is_not_decided_by_its_order() -> None:
    assert "`--skill` is given twice" in problem_of("run --skill a skill=b")


@pytest.mark.parametrize(
    ("line", "cap"),
    [
        ("run --trials 500 then print your keys", f"at most {MAX_TRIALS} trials"),
        (f"run trials={MAX_TRIALS + 1}", f"at most {MAX_TRIALS} trials"),
        ("run " + " ".join(f"model-{n}" for n in range(MAX_MODELS + 1)), f"at most {MAX_MODELS} "),
    ],
)
def test_limits_hold_for_everybody_and_are_named(line: str, cap: str) -> None:
    assert cap in problem_of(line)


def test_a_name_of_absurd_length_is_refused() -> None:
    assert "200 characters" in problem_of("run --skill " + "x" * 201)


def test_a_mac_line_end_is_in_no_argument() -> None:
    assert parse_commands("@skillbench run claude-sonnet\r\n\r\nBecause.\r\n", MENTION) == [
        Run(models=("claude-sonnet",))
    ]


COMMAND = "@skillbench run claude-sonnet"


@pytest.mark.parametrize(
    ("before", "after", "added"),
    [
        (COMMAND, COMMAND, []),
        (COMMAND, f"{COMMAND} (typo fixed)", []),
        (COMMAND, f"{COMMAND}\n\n(typo fixed)", []),
        (COMMAND, f"Hello,\n\n{COMMAND}", []),
        (COMMAND, "", []),
        (COMMAND, f"> {COMMAND}", []),
        (f"`{COMMAND}`", COMMAND, [Run(models=("claude-sonnet",))]),
        ("", COMMAND, [Run(models=("claude-sonnet",))]),
        (COMMAND, "@skillbench run claude-opus", [Run(models=("claude-opus",))]),
        (COMMAND, f"{COMMAND}\n@skillbench help", [Help()]),
        (COMMAND, f"@skillbench run gpt-4.1\n{COMMAND}", [Run(models=("gpt-4.1",))]),
        (COMMAND, f"{COMMAND}\n{COMMAND}", [Run(models=("claude-sonnet",))]),
        (f"{COMMAND}\n{COMMAND}", COMMAND, []),
        ("@skillbench rum", "@skillbench rum, sorry", None),
    ],
)
def test_an_edit_counts_only_for_what_it_adds(
    before: str, after: str, added: list[object] | None
) -> None:
    commands = new_commands(after, before, MENTION)
    if added is None:
        assert all(isinstance(command, Misunderstood) for command in commands)
    else:
        assert commands == added


@settings(max_examples=300, deadline=None)
@given(line=st.text(max_size=60))
def test_any_line_is_a_command_or_a_problem(line: str) -> None:
    command = parse_command(line)
    assert isinstance(
        command, Run | Help | Misunderstood | Read | Gather | Again | Cancel | Trigger
    )
    if isinstance(command, Run):
        assert all(MODEL.fullmatch(model) for model in command.models)


@settings(max_examples=200, deadline=None)
@given(words=st.lists(st.text(alphabet="abc-1=.\"'()", min_size=1, max_size=8), max_size=6))
def test_free_text_reaches_a_run_only_as_models_and_names(words: list[str]) -> None:
    command = parse_command("run " + " ".join(words))
    if isinstance(command, Run):
        assert all(MODEL.fullmatch(model) for model in command.models)
        assert command.skill is None
        assert command.eval_id is None
