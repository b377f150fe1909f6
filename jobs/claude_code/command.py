"""The command line and the environment of a session: what both arms have in common.

Everything that could let the host, a user or an update into a session is switched off
here, and it is switched off in one place for both arms. The key in the environment is the
session's own token, which opens nothing but the session's own proxy.
"""

from collections.abc import Mapping, Sequence

from jobs.sessions.prepared import Prepared
from jobs.sessions.reach import PORT, forwarded, proxy_variables
from jobs.sessions.tool_arguments import MAX_COMMAND_S
from jobs.values import Limits

TOOLS = ("Bash", "Read", "Write", "Edit", "Glob", "Skill")
"""In both arms: without a skill, the listing of the tool `Skill` is empty."""
BINARY = "/opt/claude"
NO_BASH = "bash is missing in the sandbox"
CONFIGURATION = "/home/agent/.claude"
DEFAULT_COMMAND_S = 120
"""For a shell command that names no time of its own, as in the other launcher."""

_SWITCHED_OFF = (
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
    "CLAUDE_CODE_DISABLE_POLICY_SKILLS",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK",
)
"""Skills, memory and instructions that are not the session's own, work that outlives a turn,
and a second model that would answer in place of one that refuses."""
_OWN_PREFIXES = ("ANTHROPIC_", "AWS_", "BASH_", "CLAUDE", "DISABLE_", "MCP_", "OTEL_", "VERTEX_")
"""Of variables by which Claude Code is told what to do; no environment may name one."""
_MODEL_NAMES = (
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "CLAUDE_CODE_SUBAGENT_MODEL",
)
"""What Claude Code's own names for models stand for: there is one model in a session."""


def make_cli_arguments(model: str, limits: Limits, system: str) -> list[str]:
    """The arguments of `claude`; the prompt comes on standard input, however long it is."""
    return [
        "-p",
        *("--output-format", "stream-json", "--verbose"),
        *("--model", model),
        *("--tools", ",".join(TOOLS)),
        *("--permission-mode", "bypassPermissions"),
        *("--setting-sources", "project"),
        "--strict-mcp-config",
        *("--max-turns", str(limits.turns)),
        *("--append-system-prompt", system),
    ]


def make_program(cli_arguments: Sequence[str]) -> list[str]:
    """The whole command inside the sandbox: the forwarder, and under it Claude Code."""
    return forwarded([BINARY, *cli_arguments])


def make_probe() -> list[str]:
    """A command that gives the version of Claude Code where all is there that it needs.

    Its tool `Bash` takes no other shell; that is missed only once it is used.
    """
    script = f'command -v bash >/dev/null || {{ echo "{NO_BASH}" >&2; exit 127; }}; exec "$0" "$@"'
    return forwarded(["/bin/sh", "-c", script, BINARY, "--version"])


def make_environment(
    model: str, token: str, limits: Limits, *, max_answer_tokens: int, max_retries: int
) -> dict[str, str]:
    """The environment of a session, on top of what every sandbox has."""
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
        "ANTHROPIC_API_KEY": token,
        "CLAUDE_CONFIG_DIR": CONFIGURATION,
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(min(max_answer_tokens, limits.output_tokens)),
        "CLAUDE_CODE_MAX_RETRIES": str(max_retries),
        "BASH_DEFAULT_TIMEOUT_MS": str(DEFAULT_COMMAND_S * 1000),
        "BASH_MAX_TIMEOUT_MS": str(MAX_COMMAND_S * 1000),
        # a fingerprint of the first message, in the system prompt, where arms must be alike
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
        **dict.fromkeys(_SWITCHED_OFF, "1"),
        **dict.fromkeys(_MODEL_NAMES, model),
    }


def merge_variables(own: Mapping[str, str], prepared: Prepared) -> dict[str, str]:
    """A session's own variables on top of what the environment adds to every sandbox.

    What tells Claude Code whom to ask, and which way to the hosts leads, is never the
    environment's to say.
    """
    theirs = {
        name: value
        for name, value in prepared.variables.items()
        if not name.upper().startswith(_OWN_PREFIXES) and not name.upper().endswith("_PROXY")
    }
    return {**theirs, **(proxy_variables() if prepared.hosts else {}), **own}
