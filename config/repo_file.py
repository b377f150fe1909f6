"""The repository's own file, `.github/skillbench.yml`: what a maintainer sets for everyone.

To add a key, add a field to `RepoFile` (or to the section it belongs to); its line, its type
and its place among the allowed keys are told without further code. The file is taken whole or
not at all: a slip in it refuses every request, because a run under other rules than the
maintainer wrote would be believed.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, ValidationError

from config.environments.definition import (
    PLAIN,
    EnvironmentChoice,
    EnvironmentDefinition,
    EnvironmentName,
)
from config.environments.presets import PRESETS
from config.kinds import Mention
from config.repo_kinds import Judges, ModelName, Switch, Trials
from config.repo_sections import (
    Baseline,
    Budgets,
    Evals,
    Labels,
    Permissions,
    Schedule,
    Skills,
    TriggerOnPush,
)
from config.sections import Section, find_problems, listed, nearest
from config.tiers import TierName
from config.yaml_lines import Problem, YamlError, parse_yaml

REPO_FILES = (".github/skillbench.yml", ".github/skillbench.yaml")
"""Where the file may lie, on the default branch."""
MAX_ENVIRONMENTS = 50
MAX_KEPT_MODELS = 10
"""Models to keep current: as many as one request may have runs."""
MAX_TOLD = 20
"""Problems that one answer lists."""


class RepoFile(Section):
    """What the file says; an absent or empty one says nothing.

    None is a key that has no value of its own: there the bot's settings hold.
    """

    mention: Mention | None = None
    """How commands to the bot begin, beside the operator's word."""
    labels: Labels = Labels()
    """What the labels are called."""
    models: tuple[ModelName, ...] = Field((), max_length=MAX_KEPT_MODELS)
    """Models to keep current: what a label, a push and a sweep run. Empty: the bot's own one."""
    evals: Evals = Evals()
    """Where eval cases lie."""
    skills: Skills = Skills()
    """Which folders are skills."""
    launcher: Literal["api", "claude-code"] | None = None
    """How sessions are run where the command does not say."""
    trials: Trials = 1
    """Repetitions of both arms where the command does not say."""
    until_sure: Switch = False
    """Whether trials are added until it is sure which arm is better; `trials` is then the most."""
    tier: TierName | None = None
    """A usual bundle: `quick` is one trial, `standard` three, `thorough` until sure."""
    judge: Judges | None = None
    """The model that scores, or several that do so together."""
    environment: EnvironmentChoice | None = None
    """The environment of every run that names no other; `none` is the plain sandbox."""
    environments: dict[EnvironmentName, EnvironmentDefinition] = Field(default_factory=dict)
    """What the names of environments stand for."""
    budgets: Budgets = Budgets()
    """What may be spent."""
    permissions: Permissions = Permissions()
    """Who may do what."""
    schedule: Schedule = Schedule()
    """What happens by the clock."""
    baseline: Baseline = Baseline()
    """How long results without a skill are used again."""
    canaries: Switch = True
    """Whether the judge reads false answers to an eval case before its first result counts."""
    guesser: Switch = True
    """Whether a cheap model is asked, of a sample of runs, which output had the skill."""
    archive: Literal["release", "blob", "off"] = "release"
    """Where the files of a run are kept: in a pre-release of each month, in the bot's own
    store, or nowhere."""
    comments: Literal["short", "normal", "full"] = "normal"
    """How much of a report stands open."""
    trigger: TriggerOnPush = TriggerOnPush()
    """Whether pushes measure descriptions."""

    @property
    def known_environments(self) -> Mapping[str, EnvironmentDefinition]:
        """What may be named: the file's own, and the presets that it does not define itself."""
        return {**PRESETS, **self.environments}


class RepoFileError(Exception):
    """The file cannot be used. Its text lists every problem and is safe to post."""

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        self.path = path
        self.problems = tuple(sorted(set(problems)))
        lines = [f"- {problem}" for problem in self.problems[:MAX_TOLD]]
        if (rest := len(self.problems) - MAX_TOLD) > 0:
            lines.append(f"- and {rest} more")
        super().__init__("\n".join([f"`{path}` cannot be used:", "", *lines]))


def parse_repo_file(content: bytes, path: str = REPO_FILES[0]) -> RepoFile:
    """Read the file's bytes; `path` is named in errors.

    Raises `RepoFileError`, and nothing else, with line and key of everything that is wrong.
    """
    try:
        document = parse_yaml(content)
    except YamlError as error:
        raise RepoFileError(path, error.problems) from None
    problems = list(document.problems)
    written = {} if document.content is None else document.content
    try:
        repo_file = RepoFile.model_validate(written)
    except ValidationError as error:
        problems += find_problems(error, RepoFile, document)
        repo_file = None
    if isinstance(written, dict):
        problems += _unknown_default(written, document.line_of(("environment",)))
        problems += _too_many(written, document.line_of(("environments",)))
    if problems or repo_file is None:
        raise RepoFileError(path, problems)
    return repo_file


def _unknown_default(written: Mapping[str, object], line: int) -> list[Problem]:
    """The default must be there; asked of what is written, so that it is told beside the rest."""
    name, own = written.get("environment"), written.get("environments")
    known = sorted({*PRESETS, *(own if isinstance(own, dict) else ())})
    if not isinstance(name, str) or name in {*known, PLAIN}:
        return []
    text = (
        f"no environment has this name.{nearest(name, known)} There are {listed([*known, PLAIN])}."
    )
    return [Problem(line, "environment", text)]


def _too_many(written: Mapping[str, object], line: int) -> list[Problem]:
    own = written.get("environments")
    if not isinstance(own, dict) or len(own) <= MAX_ENVIRONMENTS:
        return []
    text = f"it has {len(own)} entries; {MAX_ENVIRONMENTS} are the most."
    return [Problem(line, "environments", text)]
