"""What a report needs beside the result: where things are linked to, and how to ask again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from jobs.calibration.people import RunVerdicts
from jobs.reporting import escape
from jobs.reporting.verbosity import Verbosity
from jobs.usual_modes import find_usual_mode
from jobs.values import Launcher, RunSpec

KeyFiles = tuple[tuple[str, str], ...]
"""Text files of an arm worth showing: (name below `output/`, text), most telling first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContext:
    """Everything around a result that only the publisher knows."""

    web_url: str = "https://github.com"
    """Where repositories are browsed; empty where there is no GitHub: nothing is linked."""
    archive_url: str = ""
    archive_absent: str = ""
    """Why there is no archive, as half a sentence; read where `archive_url` is empty."""
    archive_name: str = ""
    """The archive's file, where it lies beside the report and nothing is posted anywhere."""
    with_skill_files: KeyFiles = ()
    without_skill_files: KeyFiles = ()
    mention: str = "@skillbench"
    usual_launcher: Launcher = "api"
    """How sessions are run where a command does not say."""
    change: str = ""
    """How it compares with the skill's previous version, as a line of Markdown; may be empty."""
    set_line: str = ""
    """What the skill's set of eval cases says with it, as a line of Markdown; may be empty."""
    chart: str = ""
    """The skill's picture with links to the bot's pages, as HTML and Markdown; may be empty."""
    baseline_urls: Mapping[str, str] = field(default_factory=dict)
    """Reports of the runs whose sessions were used again, by run; one that is unknown lacks."""
    people: RunVerdicts | None = None
    """What people said of the run's assertions; None: nobody was looked for."""
    verbosity: Verbosity = "normal"
    cost_remarks: tuple[str, ...] = ()
    """What must be known about the money: a price unknown, a limit that bound."""

    def tree_url(self, spec: RunSpec) -> str:
        """Address of the skill's folder at the commit that was measured; may be empty."""
        if not self.web_url:
            return ""
        path = "" if spec.skill.path in {"", "."} else "/" + quote(spec.skill.path[:500])
        base = f"{self.web_url}/{quote(spec.repo.full_name)}/tree/{quote(spec.read_from[:64])}"
        return escape.address(base + path)

    def run_again(self, spec: RunSpec) -> str:
        """The command that measures this again."""
        usual = find_usual_mode(spec.launcher, spec.eval_case)
        words = [self.mention, "run", spec.model.sent]
        words += ["--launcher", spec.launcher] if spec.launcher != self.usual_launcher else []
        words += ["--mode", spec.mode] if spec.mode != usual else []
        words += ["--vs", spec.vs_asked] if spec.vs != "none" and spec.vs_asked else []
        words += ["--trials", str(spec.trials)] if spec.trials > 1 else []
        words += ["--until-sure"] if spec.until_sure == "trials" else []
        return " ".join([*words, "--force"])

    @property
    def rest(self) -> str:
        """Where to find what a report leaves out, as Markdown to end a sentence with."""
        url = escape.address(self.archive_url)
        if url or self.archive_name:
            return f"in the [archive]({url})" if url else "in the archive"
        return "not kept: there is no archive of this run"

    @property
    def archive_line(self) -> str:
        """The line that leads to the archive, or says why there is none."""
        url = escape.address(self.archive_url)
        holds = (
            "outputs and transcripts of both arms, prompts, verdicts and raw answers of the "
            "judge, `result.json`."
        )
        if url:
            return f"📦 **[Archive]({url})**: {holds}"
        if self.archive_name:
            return (
                f"📦 **Archive** {escape.code(self.archive_name, 300)}, beside this file: {holds}"
            )
        reason = escape.inline(self.archive_absent, 300) or "it could not be stored"
        return f"📦 **No archive** of this run: {reason}"
