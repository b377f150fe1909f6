"""What must hold when everything is over, each broken promise as one sentence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import Redis

from bot.queues import EVENTS, REQUESTS
from jobs.planning.plan import Plan
from jobs.values import SKILL_OR_NONE, RunSpec
from tests.chaos.askings import LABEL, WORD, Asking
from tests.chaos.fleet import Fleet, Process, time_of
from tests.chaos.paid import CANARIES, JUDGE, Paid

TAKEOVER_S = 20.0
"""What is promised."""
STEP_S = 0.1
ON_ITS_WAY_S = 0.5
"""An answer that was asked for before a step's end was stored may be counted after it."""
REPORT = "skillbench:tag report:"
"""Stands in the first line of a report, followed by its run, which no two reports share."""
UNGRADED = "Not graded"
WAKING_S = 2.0
PASSING = ("arq:job:", "arq:in-progress:", "arq:retry:", "skillbench:run:", "skillbench:issue:")
"""Keys of what is under way."""
ALARMS = frozenset({"request_failed", "event_failed", "run_failed", "job_broke", "session_failed"})
"""Log events of defects of ours."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """A job that a killed worker left."""

    job: str
    seconds: float
    """How long it took until another went on."""
    possible_s: float
    """For how much of that time there was another to go on, and a Redis to take it from."""


def check_answers(askings: Sequence[Asking], bot: str) -> Iterator[str]:
    """Every asker has one answer, the labels tell the truth, and nothing is said twice."""
    for asking in askings:
        said = asking.said(bot)
        reports = [body for body in said if REPORT in body.partition("\n")[0]]
        graded = [body for body in reports if UNGRADED not in body]
        labels = asking.repository.labels(asking.issue)
        if not asking.is_answered(bot):
            yield f"{asking.name} was not answered (labels {labels}, {len(said)} comments)"
        if bool(reports) != asking.is_for_a_run or len(graded) > 1:
            yield f"{asking.name} has {len(reports)} reports, {len(graded)} of them graded"
        if not asking.is_for_a_run and len(said) != 1:
            yield f"{asking.name} has {len(said)} answers"
        if ("benchmarked" in labels) != bool(graded):
            yield f"{asking.name} has the labels {labels} with {len(graded)} graded reports"
        if LABEL in labels:
            yield f"{asking.name} still bears the label"
        tags = Counter(body.partition("\n")[0] for body in said)
        yield from (f"{asking.name} was told twice: {tag}" for tag, n in tags.items() if n > 1)


def check_payments(fleet: Fleet, paid: Paid) -> Iterator[str]:
    """A step whose end was stored is never paid for again.

    A worker that was paused for longer than its lease learns that it has lost it by asking
    Redis; what its sessions send in that moment cannot be called back.
    """
    blobs = fleet.folder / "data" / "blobs"
    woken = [end for process in fleet.processes for _, end in process.pauses]
    for spec in planned(blobs):
        word = word_of(spec)
        kept = blobs / "runs" / spec.run_id
        for arm in SKILL_OR_NONE:
            yield from _paid_after(kept / f"{arm}-1.zip", word, arm.value, paid, woken)
        passes = [kept / f"pass-{number}.json" for number in (1, 2)]
        if all(path.exists() for path in passes):
            latest = max(passes, key=lambda path: path.stat().st_mtime)
            yield from _paid_after(latest, word, JUDGE, paid, woken)
        for reading in (blobs / "canaries" / spec.eval_case.digest).glob("*.json"):
            yield from _paid_after(reading, word, CANARIES, paid, woken)


def _paid_after(
    kept: Path, word: int, part: str, paid: Paid, woken: Sequence[float]
) -> Iterator[str]:
    if not kept.exists():
        return
    moments = paid.after(word, part, kept.stat().st_mtime + ON_ITS_WAY_S)
    again = [at for at in moments if not any(end <= at < end + WAKING_S for end in woken)]
    if again:
        yield f"word-{word}: {len(again)} answers of {part} were paid after {kept.name} was stored"


def planned(blobs: Path) -> list[RunSpec]:
    """Every run of every plan that was carried out to its end."""
    plans = [
        Plan.model_validate_json(path.read_bytes()) for path in blobs.glob("requests/*/plan.json")
    ]
    specs = [spec for plan in plans for spec in plan.runs]
    return [spec for spec in specs if (blobs / "runs" / spec.run_id / "ended.json").exists()]


def word_of(spec: RunSpec) -> int:
    found = WORD.search(spec.eval_case.prompt)
    return int(found[1]) if found else -1


async def check_redis(redis: Redis) -> list[str]:
    """Nothing waits, nothing is under way."""
    waiting = {queue: await redis.zcard(queue) for queue in (EVENTS, REQUESTS)}
    found = [f"{count} jobs wait in {queue}" for queue, count in waiting.items() if count]
    names = [key.decode() async for key in redis.scan_iter(count=1000)]
    return found + [f"Redis still holds {name}" for name in names if name.startswith(PASSING)]


def check_folders(fleet: Fleet) -> list[str]:
    left = sorted(path.name for path in fleet.temporary.iterdir())
    return [f"folders were left behind: {', '.join(left)}"] if left else []


def check_logs(fleet: Fleet) -> Iterator[str]:
    """No defect of ours was logged, no secret either."""
    secrets = [
        value
        for name, value in fleet.environment.items()
        if name.endswith(("SECRET", "API_KEY")) and len(value) > 8
    ]
    alarms: Counter[str] = Counter()
    for process in fleet.processes:
        text = process.log.read_text(encoding="utf-8", errors="replace")
        yield from (f"{process.log.name} shows a secret" for value in secrets if value in text)
        for line in process.lines():
            if line.get("event") in ALARMS or "exception" in line:
                lines = str(line.get("exception", "")).strip().splitlines() or [""]
                alarms[f"{process.log.name} logged {line['event']}: {lines[-1][:300]}"] += 1
    yield from (f"{alarm} ({count} times)" for alarm, count in alarms.items())


def find_takeovers(fleet: Fleet) -> list[Takeover]:
    """How long each job of a killed worker waited for the next one."""
    workers = [one for one in fleet.processes if one.name == "worker"]
    taken = {id(one): _jobs(one) for one in workers}
    found = []
    for dead in workers:
        if dead.ended_by != "SIGKILL":
            continue
        for job in _held_at_the_end(dead):
            later = [
                at
                for other in workers
                if other is not dead
                for at, other_job in taken[id(other)]
                if other_job == job and at > dead.ended_at
            ]
            if later:
                end = min(later)
                possible_s = _possible(fleet, dead, end)
                found.append(Takeover(job, end - dead.ended_at, possible_s))
    return found


def _possible(fleet: Fleet, dead: Process, end: float) -> float:
    """For how long after a worker's death another one could have taken its jobs."""
    others = [
        (other.working_since or end, other.ended_at or end, other.pauses)
        for other in fleet.processes
        if other.name == "worker" and other is not dead
    ]
    steps = int((end - dead.ended_at) / STEP_S)
    moments = [dead.ended_at + step * STEP_S for step in range(steps)]
    return STEP_S * sum(
        not _is_within(moment, fleet.outages)
        and any(
            since <= moment < until and not _is_within(moment, pauses)
            for since, until, pauses in others
        )
        for moment in moments
    )


def _is_within(moment: float, spans: Sequence[tuple[float, float]]) -> bool:
    """Whether a moment lies in one of them, or within a second after it: workers look again."""
    return any(start <= moment < end + 1.0 for start, end in spans)


def check_takeovers(takeovers: Sequence[Takeover]) -> list[str]:
    return [
        f"{one.job} waited {one.seconds:.1f} s, {one.possible_s:.1f} s of them for no reason"
        for one in takeovers
        if one.possible_s > TAKEOVER_S
    ]


def _jobs(worker: Process) -> list[tuple[float, str]]:
    return [
        (time_of(line), line["job"]) for line in worker.lines() if line.get("event") == "job_taken"
    ]


def _held_at_the_end(worker: Process) -> set[str]:
    held: set[str] = set()
    for line in worker.lines():
        if line.get("event") == "job_taken":
            held.add(line["job"])
        elif line.get("event") == "job_left":
            held.discard(line["job"])
    return held
