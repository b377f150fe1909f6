"""What a request to measure descriptions will do, before anything of it is done.

A run is one skill, one eval set and one model. All that its result depends on is pinned
here, so that carrying the plan out twice is the same work.
"""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from jobs.planning.plan import RefusedRun
from jobs.requests import Request, Value
from jobs.triggering.estimate import Estimate
from jobs.triggering.eval_set import EvalSet
from jobs.triggering.measuring import Options
from jobs.triggering.record import TriggerRecord
from jobs.values import Launcher, Model, Skill

Kind = Literal["trigger", "optimize"]


class TriggerRun(Value):
    """One measurement, pinned."""

    run_id: str
    """12 hexadecimal digits, the same whenever the same request is carried out again."""
    kind: Kind
    skill: Skill
    neighbours: tuple[Skill, ...]
    """The other skills that sessions are offered."""
    eval_set: EvalSet
    source: str
    """Where the eval set was found, for people."""
    model: Model
    launcher: Launcher
    key: str
    """Digest of everything that decides what is found: what has one key is measured once."""
    prefix: str
    """Where observations are kept, unless those of an unfinished one like it are taken over."""
    page_id: str
    """Of the live page; nobody can guess it."""
    estimate: Estimate
    most_usd: Decimal
    most_tokens: int


class TriggerPlan(Value):
    """All measurements of a request."""

    request: Request
    commit: str
    runs: tuple[TriggerRun, ...]
    known: tuple[TriggerRecord, ...] = ()
    """Earlier results that answer a part of the request."""
    refused: tuple[RefusedRun, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do and nothing to say."""
        return not (self.runs or self.known or self.refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is measured, whatever the model."""

    skill: Skill
    neighbours: tuple[Skill, ...]
    eval_set: EvalSet
    source: str
    launcher: Launcher


def make_options(request: Request, at_once: int) -> Options:
    """How a request wants to be measured."""
    asked = request.triggering
    usual = Options()
    return Options(
        runs_per_query=asked.runs_per_query or usual.runs_per_query,
        max_iterations=asked.max_iterations or usual.max_iterations,
        at_once=at_once,
    )


def make_key(request: Request, about: Subject, model: Model) -> str:
    """The key of a measurement."""
    options = make_options(request, 1)
    decides: list[object] = [
        request.kind,
        request.repo.full_name.lower(),
        about.skill.sha,
        digest_eval_set(about.eval_set),
        model.identity,
        about.launcher,
        sorted([one.name, one.description] for one in about.neighbours),
        options.runs_per_query,
        options.threshold,
    ]
    if request.kind == "optimize":
        decides += [options.max_iterations, options.holdout]
    return _digest(decides)


def digest_eval_set(eval_set: EvalSet) -> str:
    """SHA-256 of the queries with what is expected of each, in their order."""
    return _digest([[query.text, query.should_trigger] for query in eval_set.queries])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode("utf-8", "surrogatepass")).hexdigest()
