"""What a measurement has found once it has ended: all that its report needs."""

from datetime import datetime
from decimal import Decimal

from jobs.planning.dedup import kept
from jobs.requests import Repo, Value
from jobs.triggering.observations import QueryResult
from jobs.triggering.optimization import Optimization
from jobs.triggering.plan import TriggerRun, digest_eval_set
from jobs.triggering.record import TriggerRecord
from jobs.triggering.scores import Scores, score_queries
from jobs.values import Usage


class Found(Value):
    """An evaluation, or an optimization."""

    run: TriggerRun
    repo: Repo
    commit: str
    runs_per_query: int
    results: tuple[QueryResult, ...] = ()
    """Of an evaluation."""
    optimization: Optimization | None = None
    usage: Usage
    """All sessions, the controls and broken ones included."""
    lost_usd: Decimal = Decimal(0)
    """The most that sessions can have cost which ended with their worker."""
    started_at: datetime
    ended_at: datetime
    remarks: tuple[str, ...] = ()
    page: str = ""
    """Address of the page of an optimization; empty where it was shown nowhere."""

    @property
    def all_results(self) -> tuple[QueryResult, ...]:
        """Every result, of an optimization those of all iterations and of the comparison."""
        found = self.optimization
        if found is None:
            return self.results
        tried = [result for one in found.iterations for result in (*one.train, *one.test)]
        proof = (*found.proof.original, *found.proof.best) if found.proof else ()
        return (*tried, *proof)

    @property
    def scores(self) -> Scores:
        """Of the evaluation; of an optimization, over the whole set with what it chose."""
        found = self.optimization
        if found is None:
            return score_queries(self.results)
        chosen = found.best if found.improved else found.iterations[0]
        return chosen.scores

    @property
    def launcher_versions(self) -> list[str]:
        versions = {one.launcher_version for each in self.all_results for one in each.observations}
        return sorted(versions - {""})

    def make_record(self) -> TriggerRecord:
        """What is remembered of it. Scores are rounded to four digits."""
        run, scores = self.run, self.scores
        return TriggerRecord(
            run=run.run_id,
            kind=run.kind,
            repo=kept(self.repo.full_name),
            skill=kept(run.skill.path),
            skill_sha=run.skill.sha,
            eval_set=digest_eval_set(run.eval_set),
            model=kept(run.model.sent),
            launcher=run.launcher,
            key=run.key,
            queries=len(run.eval_set.queries),
            missing=scores.missing,
            scores=_round(scores),
            improved=self.optimization.improved if self.optimization else None,
            ended_at=self.ended_at,
        )

    def make_history(self) -> TriggerRecord:
        """The same, for the skill's history: of the description that the version has.

        What an optimization chose belongs to no version yet.
        """
        record = self.make_record()
        if self.optimization is None:
            return record
        scores = self.optimization.iterations[0].scores
        changes = {"missing": scores.missing, "scores": _round(scores)}
        return record.model_copy(update=changes)


def _round(scores: Scores) -> dict[str, float | None]:
    figures = {
        "precision": scores.precision,
        "recall": scores.recall,
        "accuracy": scores.accuracy,
        "f1": scores.f1,
    }
    return {name: _rounded(value) for name, value in figures.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
