"""Whether a run has been done before, and by whose word.

A finished run is known from the ledger, from a marker of ours in a comment of ours, or from
what the earlier runner left, provided the App or somebody with write permission wrote it.
Everything a stranger writes is ignored, and so is everything unfinished. Two models can
share an identity, so a duplicate always says which id was recorded; the asker decides.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeVar

from jobs.calibration.series import find_judge_served, find_served
from jobs.errors import Gone
from jobs.health.recorded import health_of
from jobs.judging.judges import judged_by
from jobs.planning.legacy import find_legacy_reports
from jobs.planning.markers import LegacyRecord, Markers, find_markers
from jobs.planning.model_names import identity
from jobs.ports import Comment, Ledger, Permission
from jobs.requests import Value
from jobs.results import RunRecord, RunResult
from jobs.sequential.stop import Unit
from jobs.values import Arm, EvalCase, RunSpec, SessionResult, Usage
from jobs.weak_evals.soundness import is_passed_by_canary

Number = TypeVar("Number", int, float)

MAY_WRITE = frozenset({"admin", "maintain", "write"})

LONGEST_FIELD = 200
"""Characters of a text that a record keeps as it is."""


class Duplicate(Value):
    """A finished run that answers the same question."""

    spec: RunSpec
    """The run that was asked for."""
    model: str
    """The recorded model: an id, or a display name in an older report."""
    url: str
    """Address of the report; may be empty if only the ledger knows the run."""
    score: dict[str, float] | None
    """Fractions by arm; None where only an older report holds them."""
    source: Literal["ledger", "marker", "legacy"]
    run: str = ""
    """Id of the finished run; empty for an older report."""
    judge: str = ""
    """The model that scored it last; empty for an older report."""

    @property
    def same_model(self) -> bool:
        """Whether the recorded model is, letter for letter, the one asked for."""
        return self.model == self.spec.model.sent


@dataclass(slots=True)
class Known:
    """What is known about an issue's earlier runs; read once, asked for each planned run."""

    comments: Sequence[Comment]
    """All comments of the issue, oldest first."""
    permission: Callable[[str], Awaitable[Permission]]
    """What a person may do in the repository; asked once per author, and only if it matters."""
    ledger: Ledger
    _markers: dict[int, Markers] = field(default_factory=dict)
    _writers: dict[str, bool] = field(default_factory=dict)

    def markers(self, comment: Comment) -> Markers:
        """The markers in a comment's body."""
        if comment.id not in self._markers:
            self._markers[comment.id] = find_markers(comment.body)
        return self._markers[comment.id]

    async def may_write(self, login: str) -> bool:
        """Whether a person has write permission; somebody who is gone has none."""
        if login not in self._writers:
            try:
                self._writers[login] = await self.permission(login) in MAY_WRITE
            except Gone:
                self._writers[login] = False
        return self._writers[login]


async def find_duplicate(spec: RunSpec, known: Known) -> Duplicate | None:
    """The finished run that makes this one unnecessary, or None.

    More trials than recorded is new work, see `answers`. Raises `Transient` where GitHub or the
    ledger cannot be asked.
    """
    recorded = await known.ledger.find(record_key(spec))
    if recorded is not None and answers(recorded, spec):
        return _duplicate(spec, recorded, "ledger")
    for comment in reversed(known.comments):
        for record in own_records(comment, known):
            if record_key(record) == record_key(spec) and answers(record, spec):
                return _duplicate(spec, record.model_copy(update={"url": comment.url}), "marker")
    return await _find_legacy(spec, known)


def record_of(result: RunResult) -> RunRecord:
    """What the ledger and the marker keep of a run. Scores are rounded to four digits."""
    spec = result.spec
    tested, other = spec.arms
    score = None
    if result.graded and result.with_skill and result.without_skill:
        score = {
            tested.value: _to_digits(result.with_skill.score),
            other.value: _to_digits(result.without_skill.score),
        }
    texts = {
        "run": spec.run_id,
        "repo": spec.repo.full_name,
        "eval_id": spec.eval_case.id,
        "eval_digest": spec.eval_case.digest,
        "skill": spec.skill.path,
        "skill_sha": spec.skill.sha,
        "model": spec.model.sent,
        "model_identity": spec.model.identity,
        "launcher": spec.launcher,
        "mode": spec.mode,
        "vs": spec.vs,
        "environment": spec.environment,
        "judge": judged_by(spec),
        "judge_prompt": next((one.prompt_version for one in result.passes), ""),
        "served": find_served(result.sessions),
        "judge_served": find_judge_served(result.passes),
        "model_asked": spec.model.asked,
    }
    return RunRecord(
        **{name: kept(text) for name, text in texts.items()},
        trials=result.trials_wanted,
        score=score,
        state="complete" if score else "ungraded",
        issue=spec.issue,
        pull=spec.pull,
        commit=spec.read_from,
        finished_at=result.ended_at,
        tokens=_sums((one.arm, one.usage.total_tokens) for one in result.sessions),
        wall_s=_sums((one.arm, round(one.wall_s, 1)) for one in result.sessions),
        cost_usd=_dollars(result.cost_usd),
        judging_usd=_dollars(_sum_usd(result.reading_usages)),
        agreement=result.agreement,
        baseline=tuple(dict.fromkeys(one.reused_from for one in result.reused)),
        baseline_usd=_dollars(_cost_of(one for one in result.sessions if one.arm is other)),
        saved_usd=_dollars(_cost_of(result.reused)),
        fixture=find_fixture(spec.eval_case),
        sure=spec.until_sure == "evals",
        stopped=result.stopped,
        canary_passed=is_passed_by_canary(result),
        guess=result.guess.right if result.guess else None,
        guesser=kept(result.guess.guesser) if result.guess and not result.guess.problem else "",
        **health_of(result),
    )


def find_fixture(case: EvalCase) -> str:
    """16 hexadecimal digits for the set of an eval case's input files; empty where it has none.

    By content alone, so that a file that was renamed or copied is the same one.
    """
    if not case.inputs:
        return ""
    contents = sorted({one.sha256 for one in case.inputs})
    return hashlib.sha256("\n".join(contents).encode()).hexdigest()[:16]


def _cost_of(sessions: Iterable[SessionResult]) -> Decimal | None:
    """What sessions cost, whichever run paid; None: nobody knows, or there are none."""
    return _sum_usd([one.usage for one in sessions])


def _sum_usd(usages: Sequence[Usage]) -> Decimal | None:
    known = [one.cost_usd for one in usages if one.cost_usd is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(usages) else None


def _to_digits(score: float) -> float:
    """Four of them; first freed from what adding up leaves, which may lie astride of a half."""
    return round(round(score, 9), 4)


def _dollars(amount: Decimal | None) -> float | None:
    return None if amount is None else round(float(amount), 6)


def _sums(amounts: Iterable[tuple[Arm, Number]]) -> dict[str, Number]:
    """Amounts of sessions added up by their arm."""
    sums: dict[str, Number] = {}
    for arm, amount in amounts:
        sums[arm.value] = sums.get(arm.value, 0) + amount
    return sums


def record_key(run: RunSpec | RunRecord) -> str:
    """The dedup key: a digest of everything that decides what a run would find out.

    The same for a planned run and for its record. Owner and name of a repository are
    compared without regard to case, as GitHub does.
    """
    if isinstance(run, RunSpec):
        fields = [
            run.repo.full_name, run.eval_case.id, run.eval_case.digest, run.skill.sha,
            run.model.identity, run.launcher, run.mode, run.vs, run.environment,
        ]  # fmt: skip
    else:
        fields = [
            run.repo, run.eval_id, run.eval_digest, run.skill_sha, run.model_identity,
            run.launcher, run.mode, run.vs, run.environment,
        ]  # fmt: skip
    fields = [kept(text) for text in fields]
    fields[0] = fields[0].lower()
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def answers(record: RunRecord, spec: RunSpec) -> bool:
    """Whether a run of the same key leaves nothing open of what is asked.

    Where trials are added until it is sure, one that was measured so with as high a cap does,
    however few it took; else as many trials do.
    """
    finished = record.state == "complete" and record.score is not None
    return finished and has_enough_trials(record, spec.trials, spec.until_sure)


def has_enough_trials(record: RunRecord, trials: int, until_sure: Unit | None) -> bool:
    """The same of the trials alone; `trials` is the cap where they are added until it is sure."""
    stopped = record.stopped if until_sure == "trials" else None
    return max(record.trials, stopped.most if stopped else 0) >= trials


def own_records(comment: Comment, known: Known) -> Iterator[RunRecord]:
    """Records in markers of ours, from a comment that this App wrote itself."""
    if comment.by_this_app:
        yield from known.markers(comment).ours


async def _find_legacy(spec: RunSpec, known: Known) -> Duplicate | None:
    """A report of the earlier runner, which knew one kind of run: one trial against none."""
    if spec.vs != "none" or spec.trials > 1:
        return None
    for comment in reversed(known.comments):
        record = next((one for one in legacy_records(comment, known) if _is_of(one, spec)), None)
        if record and (comment.by_this_app or await known.may_write(comment.author)):
            return Duplicate(
                spec=spec, model=record.model, url=comment.url, score=None, source="legacy"
            )
    return None


def legacy_records(comment: Comment, known: Known) -> Iterator[LegacyRecord]:
    """What a comment without a marker of ours tells of an older run.

    Reports of ours bear the old marker too, but its SHA does not see every file, so where
    ours stands only ours counts.
    """
    markers = known.markers(comment)
    if markers.bears_ours:
        return
    yield from markers.legacy
    if not markers.unfinished:
        yield from find_legacy_reports(comment.body)


def _is_of(record: LegacyRecord, spec: RunSpec) -> bool:
    """Whether an older record is about this skill version, this model and no other eval case."""
    return (
        spec.skill.legacy_sha.startswith(record.sha)
        and identity(record.model) == spec.model.identity
        and record.eval_id in {None, spec.eval_case.id}
    )


def _duplicate(spec: RunSpec, record: RunRecord, source: Literal["ledger", "marker"]) -> Duplicate:
    return Duplicate(
        spec=spec,
        model=record.model,
        url=record.url,
        score=record.score,
        source=source,
        run=record.run,
        judge=record.judge,
    )


def kept(text: str) -> str:
    """The text, or its beginning and digest where it is too long to stand in a marker.

    What is kept of a kept text is the same text again.
    """
    whole = text.encode("utf-8", "replace").decode()
    if len(whole) <= LONGEST_FIELD:
        return whole
    return f"{whole[:100]}~{hashlib.sha256(whole.encode()).hexdigest()}"
