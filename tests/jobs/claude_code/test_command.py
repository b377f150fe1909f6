"""What a session is started with: the same in both arms, and nothing of the host's."""

from jobs.claude_code.command import (
    TOOLS,
    make_cli_arguments,
    make_environment,
    make_program,
)
from tests.builders import some_limits


def test_the_prompt_is_no_argument():
    """A command line takes 128 KiB, and everything in the sandbox can read it."""
    arguments = make_cli_arguments("claude-sonnet-4-6", some_limits(), "You work alone.")
    assert arguments[0] == "-p"
    assert arguments[1].startswith("--")


def test_the_tools_are_named_one_by_one():
    arguments = make_cli_arguments("m", some_limits(turns=7), "s")
    assert arguments[arguments.index("--tools") + 1] == "Bash,Read,Write,Edit,Glob,Skill"
    assert arguments[arguments.index("--max-turns") + 1] == "7"
    assert "Skill" in TOOLS


def test_the_smaller_limit_of_an_answer_holds():
    environment = make_environment(
        "m", "t", some_limits(output_tokens=500), max_answer_tokens=32_000, max_retries=3
    )
    assert environment["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "500"
    assert environment["CLAUDE_CODE_MAX_RETRIES"] == "3"
    assert environment["ANTHROPIC_API_KEY"] == "t"


def test_every_name_for_a_model_means_the_sessions_own():
    environment = make_environment(
        "the-model", "t", some_limits(), max_answer_tokens=1, max_retries=0
    )
    named = {value for name, value in environment.items() if name.endswith("_MODEL")}
    assert named == {"the-model"}


def test_the_program_runs_under_the_forwarder():
    program = make_program(["--version"])
    assert program[-4:] == ["8999", "/run/proxy.sock", "/opt/claude", "--version"]
