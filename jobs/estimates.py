"""What a run is expected to take, told from the runs there were, before anything is spent.

The likest past runs count, and only them: those of the same eval case with the same model; where
there are none, those of the eval case, of the model, of the repository. A comparison with no skill
and one with another version of it say nothing of each other: there the other arm works otherwise.
Sessions and judging are both in the money; time is that of the sessions, which go on together.
Where nothing is known it says so and names the limit, which holds in any case.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain, repeat
from typing import Literal

from config.tiers import MAX_TRIALS
from jobs.judging.judges import count_judges, judges_of, split_judges
from jobs.planning.model_names import identity
from jobs.reporting import numbers
from jobs.requests import Request, Value
from jobs.results import RunRecord
from jobs.sequential.expecting import expect_of, expect_trials, find_likely
from jobs.spans import Span, add_spans, find_span
from jobs.values import Arm, RunSpec

MOST_RUNS = 20
"""Past runs that one estimate rests on, the newest: skills and models change."""

Basis = Literal["eval and model", "eval", "model", "repository", "nothing"]
"""What past runs must share with the planned one, the likest first."""

_ALIKE: tuple[Basis, ...] = ("eval and model", "eval", "model", "repository", "nothing")
_TESTED = (Arm.WITH_SKILL, Arm.CANDIDATE_SKILL)
_WORDS: dict[Basis, str] = {
    "eval and model": "of this eval case with this model",
    "eval": "of this eval case with other models",
    "model": "of other eval cases with this model",
    "repository": "of other eval cases with other models",
    "nothing": "",
}


class Ahead(Value):
    """A run that is to come, as far as an estimate cares."""

    eval_id: str
    model: str
    """As typed or sent; empty where nobody has named one."""
    launcher: str = "api"
    trials: int = 1
    """As many as are expected."""
    most_trials: int = 0
    """The cap, where trials are added until it is sure; 0: as many as are expected."""
    is_likely: bool = True
    """Whether it is expected to begin at all; else it counts for the most alone."""
    is_versus: bool = False
    """Whether the other arm has a version of the skill, and not none."""
    reused: int = 0
    """Trials for which a kept session without a skill is at hand."""
    judges: int = 1


class Estimate(Value):
    """What one run, or several together, are expected to take; None: nobody knows."""

    tokens: Span | None = None
    """Of the sessions."""
    wall_s: Span | None = None
    """Of the sessions, in seconds; of several runs as if one followed the other."""
    usd: Span | None = None
    """Sessions and judging."""
    rests_on: tuple[str, ...] = ()
    """Ids of the past runs."""
    basis: Basis = "nothing"
    """Of several runs: that of the least like."""
    unknown: int = 0
    """Runs about which nothing is known, or no price, and which are in none of the figures."""
    reused: int = 0
    """Kept sessions without a skill that take the place of new ones; the figures are without
    them."""
    until_sure: str = ""
    """What is expected to be added until it is sure, and the most: half a sentence."""
    canaries: int = 0
    """Readings of canaries to be paid besides, one for each eval case and judge without one; in
    no other figure."""
    canaries_usd: Decimal | None = None
    """The most that those may cost; None where a price is not known."""
    guesser_share: float = 0
    """Share of the runs of which the guesser is asked besides; in no other figure."""
    guess_usd: Decimal | None = None
    """The most that one guess may cost; None where none is asked for."""
    most_usd: Decimal | None
    """What the limits allow; None where a price is not known, so that no sum holds."""

    @property
    def expected_usd(self) -> Decimal | None:
        """The money's median; None where a part of it is not known."""
        return None if self.usd is None or self.unknown else Decimal(str(round(self.usd.median, 6)))


def estimate_run(ahead: Ahead, records: Sequence[RunRecord], most_usd: Decimal | None) -> Estimate:
    """What one run is expected to take; `records` are its repository's, the newest last.

    `most_usd` is the limit of a run, whose trials share it; they multiply what is expected.
    """
    # a run that broke off tells what it took to break off
    whole = [one for one in records if one.tokens and one.state == "complete"]
    basis, likest = _find_likest(ahead, whole)
    priced = [one for one in likest if _is_priced(one, ahead)]
    return Estimate(
        tokens=find_span([_expect_tokens(one, ahead) for one in likest]),
        wall_s=find_span([_expect_wall_s(one, ahead) for one in likest if one.wall_s]),
        usd=find_span([_expect_usd(one, ahead) for one in priced]),
        reused=ahead.reused,
        rests_on=tuple(one.run for one in likest),
        basis=basis,
        unknown=int(not priced),
        until_sure=_tell_open([ahead]),
        most_usd=most_usd,
    )


def estimate_all(
    ahead: Iterable[Ahead], records: Sequence[RunRecord], most_usd: Decimal | None
) -> Estimate:
    """What several runs are expected to take together."""
    planned = list(ahead)
    each = [estimate_run(one, records, most_usd) for one in planned if one.is_likely]
    return Estimate(
        tokens=add_spans(one.tokens for one in each),
        wall_s=add_spans(one.wall_s for one in each),
        usd=add_spans(one.usd for one in each),
        rests_on=tuple(dict.fromkeys(run for one in each for run in one.rests_on)),
        basis=max((one.basis for one in each), key=_ALIKE.index, default="nothing"),
        unknown=sum(one.unknown for one in each),
        reused=sum(one.reused for one in each),
        until_sure=_tell_open(planned),
        most_usd=None if most_usd is None else most_usd * len(planned),
    )


def ahead_of_specs(specs: Iterable[RunSpec], reused: Sequence[int] = ()) -> list[Ahead]:
    """Planned runs, for an estimate; `reused` counts the kept sessions for each of them."""
    planned = list(specs)
    return [
        Ahead(
            eval_id=spec.eval_case.id,
            model=spec.model.sent,
            launcher=spec.launcher,
            trials=expect_trials(spec),
            most_trials=spec.trials if spec.until_sure == "trials" else 0,
            is_likely=likely,
            is_versus=spec.vs != "none",
            reused=min(kept, expect_trials(spec)),
            judges=len(judges_of(spec)),
        )
        for spec, likely, kept in zip(
            planned, find_likely(planned), chain(reused, repeat(0)), strict=False
        )
    ]


def ahead_of_request(request: Request, *, model: str, launcher: str) -> list[Ahead]:
    """The runs that a request means before it is planned: one for each model it names.

    `model` and `launcher` are those of a request that names none; where it is until sure, its
    trials are the cap.
    """
    most = (request.trials or MAX_TRIALS) if request.until_sure else 0
    return [
        Ahead(
            eval_id=request.eval_id or f"github-issue-{request.issue}",
            model=name,
            launcher=request.launcher or launcher,
            trials=expect_of(most) if most else request.trials or 1,
            most_trials=most,
            is_versus=request.vs not in {None, "none"},
            judges=len(split_judges(request.judge or "")),
        )
        for name in request.models or (model,)
    ]


def describe(estimate: Estimate) -> str:
    """An estimate for people, as half a sentence: `about $0.42 ($0.30 to $0.61), …`."""
    most = f"; {numbers.usd(estimate.most_usd)} at most by the limit" if estimate.most_usd else ""
    most += _besides(estimate)
    if estimate.tokens is None:
        parts = [estimate.until_sure] if estimate.until_sure else []
        return f"{', '.join([*parts, 'no past runs to go by'])}{most}"
    money = _money(estimate)
    parts = [money, *([estimate.until_sure] if estimate.until_sure else [])]
    parts += [f"about {numbers.tokens(round(estimate.tokens.median))} tokens"]
    if estimate.wall_s is not None:
        parts.append(f"about {numbers.duration(estimate.wall_s.median)} of sessions")
    if estimate.reused:
        parts.append(f"{numbers.plural(estimate.reused, 'kept session')} without the skill at hand")
    count = len(estimate.rests_on)
    from_runs = f"from {numbers.plural(count, 'past run')} {_WORDS[estimate.basis]}"
    return f"{', '.join(parts)}, {from_runs}{most}"


def _tell_open(ahead: Sequence[Ahead]) -> str:
    """`about 11 of at most 20 trials`, or `about 9 of at most 12 runs`; empty: all is fixed."""
    if (likely := sum(one.is_likely for one in ahead)) < len(ahead):
        return f"about {likely} of at most {numbers.plural(len(ahead), 'run')}"
    most = max((one.most_trials for one in ahead), default=0)
    if not most:
        return ""
    trials = max(one.trials for one in ahead if one.most_trials)
    each = " in each run" if len(ahead) > 1 else ""
    return f"about {trials} of at most {numbers.plural(most, 'trial')}{each}"


def _besides(estimate: Estimate) -> str:
    """Canaries are read once and few runs are guessed, so no past run tells what they cost."""
    said = []
    if estimate.canaries:
        cases = numbers.plural(estimate.canaries, "eval case")
        most = f", {numbers.usd(estimate.canaries_usd)} at most" if estimate.canaries_usd else ""
        said.append(f"canaries are read once for {cases}{most}")
    if estimate.guesser_share:
        runs = numbers.percent(estimate.guesser_share)
        most = f", {numbers.usd(estimate.guess_usd)} each at most" if estimate.guess_usd else ""
        said.append(f"a guesser is asked about {runs} of runs{most}")
    return f"; besides, {'; '.join(said)}" if said else ""


def _money(estimate: Estimate) -> str:
    if estimate.usd is None:
        return "an unknown price"
    low, high = (numbers.usd(Decimal(str(end))) for end in (estimate.usd.low, estimate.usd.high))
    about = numbers.usd(Decimal(str(estimate.usd.median)))
    shown = f"about {about}" if low == high else f"about {about} ({low} to {high})"
    if not estimate.unknown:
        return shown
    return f"{shown} besides {numbers.plural(estimate.unknown, 'run')} of which nothing is known"


def _find_likest(ahead: Ahead, records: Sequence[RunRecord]) -> tuple[Basis, Sequence[RunRecord]]:
    """The newest of the likest runs; those of the same launcher where there are any."""
    wanted = identity(ahead.model)
    records = [one for one in records if (one.vs != "none") == ahead.is_versus]
    of_eval = [one for one in records if one.eval_id == ahead.eval_id]
    levels: tuple[tuple[Basis, list[RunRecord]], ...] = (
        ("eval and model", [one for one in of_eval if _is_model(one, wanted)]),
        ("eval", of_eval),
        ("model", [one for one in records if _is_model(one, wanted)]),
        ("repository", records),
    )
    for basis, found in levels:
        if found:
            same_way = [one for one in found if one.launcher == ahead.launcher]
            return basis, (same_way or found)[-MOST_RUNS:]
    return "nothing", ()


def _is_model(record: RunRecord, wanted: str) -> bool:
    return wanted in {record.model_identity, identity(record.model_asked)}


def _expect_tokens(record: RunRecord, ahead: Ahead) -> float:
    """What the planned run uses if it goes like this one: a kept session uses nothing."""
    amounts = record.tokens or {}
    whole = sum(amounts.values()) / record.trials * ahead.trials
    return whole - amounts.get(Arm.WITHOUT_SKILL, 0) / record.trials * ahead.reused


def _expect_wall_s(record: RunRecord, ahead: Ahead) -> float:
    amounts = record.wall_s or {}
    tested = next((amounts[arm] for arm in _TESTED if arm in amounts), 0.0)
    together = max(amounts.values())
    both, alone = ahead.trials - ahead.reused, ahead.reused
    return (together * both + tested * alone) / record.trials


def _expect_usd(record: RunRecord, ahead: Ahead) -> float:
    """The same in money, for as many judges as are to come.

    Of older records the other arm's part is not known, nor taken off.
    """
    paid, other = record.cost_usd or 0.0, record.baseline_usd or 0.0
    paid += (record.judging_usd or 0.0) * (ahead.judges / count_judges(record.judge) - 1)
    whole = (paid + (record.saved_usd or 0.0)) / record.trials * ahead.trials
    return whole - other / record.trials * ahead.reused


def _is_priced(record: RunRecord, ahead: Ahead) -> bool:
    """Whether its cost tells of the planned one's, for which the judges' part must be known."""
    if record.cost_usd is None:
        return False
    return record.judging_usd is not None or count_judges(record.judge) == ahead.judges
