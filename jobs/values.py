"""The values that travel through a run. Frozen, JSON both ways, no behaviour beyond arithmetic."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from pydantic import Field

from jobs.checks.check import Check
from jobs.requests import Repo, Value
from jobs.sequential.stop import FEWEST, Unit

Launcher = Literal["api", "claude-code"]
Mode = Literal["forced", "installed"]
CandidateName = Literal["candidate_1", "candidate_2"]
CountedWord = Literal["pass", "partial", "fail"]
VerdictWord = Literal["pass", "partial", "fail", "cannot_verify"]


class Arm(StrEnum):
    """A condition under comparison: a skill or none, or one of two versions of a skill."""

    WITH_SKILL = "with_skill"
    WITHOUT_SKILL = "without_skill"
    CANDIDATE_SKILL = "candidate_skill"
    BASE_SKILL = "base_skill"


Arms = tuple[Arm, Arm]
"""Both arms of a run: the one under test, then the one that it is compared with."""
SKILL_OR_NONE: Arms = (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)
TWO_VERSIONS: Arms = (Arm.CANDIDATE_SKILL, Arm.BASE_SKILL)


class Skill(Value):
    """A folder with a SKILL.md at one commit."""

    path: str
    """Folder relative to the repository root, links resolved, POSIX separators; `.` is the root."""
    name: str
    description: str
    sha: str
    """Skill SHA: 64 hexadecimal digits."""
    legacy_sha: str
    size_bytes: int
    warnings: tuple[str, ...] = ()
    for_people_only: bool = False
    """Whether its front matter keeps agents from loading it by themselves."""


class Assertion(Value):
    """One checkable statement about an output."""

    id: str
    """`A1`, `A2` … in the order of the eval case."""
    text: str
    group: str | None = None
    """Title of the group it stands under, shown and never scored."""


class InputFile(Value):
    """A file of the repository that a session is given under a neutral name."""

    source: str
    """Path in the repository."""
    alias: str
    """`input/input_001.csv` and so on; the only name a session sees."""
    sha256: str
    size_bytes: int


class EvalCase(Value):
    """One task with its prompt, inputs, expected output and assertions."""

    id: str
    prompt: str
    expected_output: str
    assertions: tuple[Assertion, ...] = Field(min_length=1)
    checks: tuple[Check, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    notes: tuple[str, ...] = ()
    """Entries under `files` that name no file: prose that goes into the task text."""
    language: str | None = None
    target_skills: tuple[str, ...] = Field(min_length=1)
    """Skill names or paths as written, one run each."""
    environment: str | None = None
    """Name of the environment that it asks for; None: the repository's default."""
    withheld: tuple[str, ...] = ()
    """Repository paths never staged for a session: rubric, expected output, eval files."""
    should_load: bool = True
    """Whether the skill is meant for this task; if not, it is to stay dormant."""
    source: Literal["issue", "file", "skill"]
    digest: str
    """SHA-256 of the canonical JSON of the normalized fields and the digests of the files."""
    remarks: tuple[str, ...] = ()
    """What a reader of the case should know: near-miss headings, group titles in JSON."""


class Model(Value):
    """A model: as asked, as sent, and as compared."""

    asked: str
    sent: str
    identity: str
    """For comparison only, see `jobs.planning.model_names`."""
    provider: Literal["anthropic", "openai", "gemini"]


class RunSpec(Value):
    """One run as planned: everything that decides its result, pinned."""

    run_id: str
    """12 hexadecimal digits, the same whenever the same request is carried out again."""
    repo: Repo
    issue: int
    commit: str
    eval_case: EvalCase
    skill: Skill
    model: Model
    judge: Model
    other_judges: tuple[Model, ...] = ()
    """Those that read beside `judge`, where there is a panel (`jobs.judging.panel`)."""
    launcher: Launcher = "api"
    mode: Mode = "forced"
    skill_commit: str = ""
    """The commit that the skill under test is read from; empty: `commit`."""
    vs: str = "none"
    """The other arm in canonical form, as the dedup key has it: `none`, `self` (the same version
    once more), or `sha:` and the skill SHA of the other version."""
    vs_asked: str = ""
    """The same as somebody typed it; empty: nobody did."""
    other: Skill | None = None
    """The version that the other arm is given; None where it is given no skill."""
    other_commit: str = ""
    """The commit that `other` is read from; empty where there is none."""
    environment: str = ""
    """Digest of the prepared environment; empty: the plain sandbox."""
    trials: int = 1
    """Repetitions of both arms; the most of them where trials are added until it is sure."""
    until_sure: Unit | None = None
    """What is added only until it is sure: its own trials, or eval cases beside its own, of which
    it is then one; None: nothing."""
    pull: int = 0
    """The pull request whose head it is about, not merged as it is planned; 0: none."""
    baseline_days: int = 0
    """For how many days a session without a skill may be used again; 0: not at all."""
    canaries: bool = True
    """Whether the judge reads false answers to the eval case, once, before a result counts."""
    guesser: bool = True
    """Whether the guesser may be asked about it (`jobs.leaks`)."""
    fresh: bool = False
    """Whether both arms must run together, also where a kept session would do."""
    asker: str
    asked_at: datetime

    @property
    def arms(self) -> Arms:
        return SKILL_OR_NONE if self.other is None else TWO_VERSIONS

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The versions of the skill that are given out: one, or both."""
        return (self.skill,) if self.other is None else (self.skill, self.other)

    @property
    def read_from(self) -> str:
        """The commit that the skill under test is read from."""
        return self.skill_commit or self.commit

    @property
    def shares(self) -> int:
        """Into how many equal parts, each for one trial, what the run may cost is divided."""
        return min(self.trials, FEWEST) if self.until_sure == "trials" else self.trials

    def skill_of(self, arm: Arm) -> Skill | None:
        """What an arm is given; None for the arm without a skill."""
        return self.skill if arm is self.arms[0] else self.other


class Usage(Value):
    """Tokens and money of a conversation. `input_tokens` excludes what the cache served or took."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Decimal | None = None
    """Priced request by request; None: the price of this model is not known."""

    @property
    def total_tokens(self) -> int:
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )


class SessionEnd(StrEnum):
    """How a session ended."""

    COMPLETED = "completed"
    MAX_TURNS = "max_turns"
    TIMEOUT = "timeout"
    MAX_COST = "max_cost"
    NO_OUTPUT = "no_output"
    MAX_TOKENS = "max_tokens"
    REFUSED = "refused"
    STALLED = "stalled"
    RATE_LIMITED = "rate_limited"
    ERROR = "error"


class Limits(Value):
    """What one session may use; whichever is reached first ends it."""

    wall_s: float
    idle_s: float
    turns: int
    output_tokens: int
    total_tokens: int
    cost_usd: Decimal


class OutputFile(Value):
    """A collected file: its path below `output/`, its size, its digest."""

    path: str
    size_bytes: int
    sha256: str


class SessionResult(Value):
    """What one session did and left behind; the files themselves lie in its bundle."""

    arm: Arm
    end: SessionEnd
    detail: str = ""
    """One sentence on a bad end, safe to show (no exception text)."""
    started_at: datetime
    wall_s: float
    turns: int
    tool_calls: int
    failed_tool_calls: int
    retries: int
    usage: Usage
    skill_loaded: bool | None = None
    """Whether SKILL.md was in the prompt or read; None for the arm without a skill."""
    served_models: tuple[str, ...] = ()
    """Model ids as the provider reported them, in order of first appearance."""
    outputs: tuple[OutputFile, ...] = ()
    left_out: tuple[str, ...] = ()
    """What was not collected, each with its reason: links, special files, over a cap."""
    transcript_truncated: bool = False
    launcher_version: str = ""
    """Version of the program that ran the session, as it says itself; empty where it is ours."""
    tools: tuple[str, ...] = ()
    """Names of the tools the session had; empty in older records and where it never began."""
    refused_hosts: tuple[str, ...] = ()
    """Hosts that the session asked for in vain, each with the reason."""
    environment: str = ""
    """What identifies the environment that the session met: the id of its image, or the digest
    of its prepared folder; empty: the machine's own programs."""
    sandbox: str = ""
    """The kind of sandbox; empty in older records and where none was opened."""
    limits: Limits | None = None
    """What the session was allowed to use; None in older records."""
    memory_mb: int | None = None
    """Of everything that the session ran; None in older records, and without a sandbox."""
    trial: int = 1
    reused_from: str = ""
    """Id of the run that ran and paid for it, where it is used again; empty: its own."""
    skills_listed: tuple[str, ...] | None = None
    """Skills that the session was offered, as its launcher tells; None: nobody looked."""
    skill_traces: tuple[str, ...] | None = None
    """What was found of a skill in the arm that must be free of it; None: nobody looked."""

    @property
    def scored(self) -> bool:
        """Whether this end is the agent's own doing; platform failures never score."""
        if self.end is SessionEnd.MAX_TOKENS:
            return any(file.path != "response.md" for file in self.outputs)
        return self.end in {
            SessionEnd.COMPLETED,
            SessionEnd.MAX_TURNS,
            SessionEnd.TIMEOUT,
            SessionEnd.MAX_COST,
            SessionEnd.NO_OUTPUT,
        }
