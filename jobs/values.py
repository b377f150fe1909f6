"""The values that travel through a run. Frozen, JSON both ways, no behaviour beyond arithmetic."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from pydantic import Field

from jobs.requests import Repo, Value

Launcher = Literal["api", "claude-code"]
Mode = Literal["forced", "installed"]
CandidateName = Literal["candidate_1", "candidate_2"]
VerdictWord = Literal["pass", "partial", "fail"]


class Arm(StrEnum):
    """A condition under comparison."""

    WITH_SKILL = "with_skill"
    WITHOUT_SKILL = "without_skill"


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
    inputs: tuple[InputFile, ...] = ()
    notes: tuple[str, ...] = ()
    """Entries under `files` that name no file: prose that goes into the task text."""
    language: str | None = None
    target_skills: tuple[str, ...] = Field(min_length=1)
    """Skill names or paths as written, one run each."""
    withheld: tuple[str, ...] = ()
    """Repository paths never staged for a session: rubric, expected output, eval files."""
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
    launcher: Launcher = "api"
    mode: Mode = "forced"
    vs: str = "none"
    """The other arm: `none`, or the version it is compared with."""
    environment: str = ""
    """Digest of the prepared environment; empty: the plain sandbox."""
    trials: int = 1
    asker: str
    asked_at: datetime


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


class Verdict(Value):
    """What the judge says of one assertion for one candidate, in one pass."""

    assertion: str
    candidate: CandidateName
    verdict: VerdictWord
    evidence: str
    """A quotation from the candidate, or what is missing from it."""
    quote_found: bool
    """Whether code found the quotation in the candidate's files."""
    reason: str = ""
    """The judge's one sentence beside the quotation; empty in older records."""


class KeyMetric(Value):
    """A figure worth a row in the scorecard, for both candidates."""

    name: str
    candidate_1: str
    candidate_2: str


class JudgePass(Value):
    """One reading of both candidates in one order."""

    number: Literal[1, 2]
    verdicts: tuple[Verdict, ...]
    key_metrics: tuple[KeyMetric, ...] = ()
    observations: tuple[str, ...] = ()
    weak_assertions: tuple[str, ...] = ()
    """Remarks on assertions that tell nothing apart or cannot be verified."""
    injections: tuple[str, ...] = ()
    """Where a candidate seems to address the judge; shown, never obeyed."""
    usage: Usage
    served_model: str
    asks: int
    """How many answers it took: 1 to 3, more where a long rubric had to be split, 0 where
    neither candidate left anything to judge."""
    raw_answers: tuple[str, ...]
    """What the judge wrote, for the archive."""
    remarks: tuple[str, ...] = ()
    """What was dropped from the answers or had to be asked again, and why."""
    prompt_version: str = ""
    """The wording of the scoring prompt (`jobs.judging.prompt.PROMPT_VERSION`)."""


class LostReading(Value):
    """A pass that gave no verdicts: it scored nothing, but it was paid for."""

    number: Literal[1, 2]
    reason: str
    usage: Usage
    raw_answers: tuple[str, ...]


class ScrubCount(Value):
    """How many give-aways were replaced in each arm's files before judging."""

    with_skill: int
    without_skill: int


class AssertionScore(Value):
    """One assertion, unblinded: the verdicts of both passes for each arm."""

    assertion: Assertion
    with_skill: tuple[Verdict, ...]
    without_skill: tuple[Verdict, ...]
    split: bool
    """Whether the passes differ for either arm."""


class ArmScore(Value):
    """Score of an arm: (passes + half the partials) / assertions, averaged over the passes."""

    score: float
    passes: float
    partials: float
    fails: float
    """Counts averaged over the passes, so they may end in .5."""


class RunResult(Value):
    """Everything a finished run found out; `scores` is None for an ungraded run."""

    spec: RunSpec
    started_at: datetime
    ended_at: datetime
    sessions: tuple[SessionResult, ...]
    passes: tuple[JudgePass, ...] = ()
    lost_readings: tuple[LostReading, ...] = ()
    candidate_1_is: Arm
    """The blind map of pass 1; pass 2 is swapped."""
    scrubbed: ScrubCount
    assertions: tuple[AssertionScore, ...] = ()
    with_skill: ArmScore | None = None
    without_skill: ArmScore | None = None
    ungraded_reason: str | None = None
    remarks: tuple[str, ...] = ()
    """What the reader must know: withheld files, price unknown, model mismatch."""

    @property
    def graded(self) -> bool:
        return self.ungraded_reason is None

    @property
    def difference(self) -> float | None:
        """Score with the skill minus score without it, as a fraction; None if ungraded."""
        if self.with_skill is None or self.without_skill is None:
            return None
        return self.with_skill.score - self.without_skill.score

    @property
    def usages(self) -> tuple[Usage, ...]:
        """What each session and each reading used, lost ones included."""
        return (
            *(session.usage for session in self.sessions),
            *(reading.usage for reading in self.passes),
            *(reading.usage for reading in self.lost_readings),
        )

    @property
    def cost_usd(self) -> Decimal | None:
        """Sessions and judging together; None as soon as one part has no known price."""
        if any(usage.cost_usd is None for usage in self.usages):
            return None
        return self.known_cost_usd

    @property
    def known_cost_usd(self) -> Decimal:
        """The part of the cost whose price is known."""
        return sum((usage.cost_usd or Decimal(0) for usage in self.usages), Decimal(0))
