"""A ledger with as many runs as wanted, and one run whose files are kept."""

import hashlib
import struct
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from bot.store.index_upkeep import RUNS
from bot.store.ledger import LEDGER, RedisLedger
from jobs.conversation import TranscriptEvent
from jobs.ports import BlobStore
from jobs.results import RunRecord, RunResult
from jobs.sessions.bundle import write_bundle
from jobs.sessions.transcript import JsonlTranscript
from jobs.steps import SessionKey
from jobs.values import Arm, OutputFile, RunSpec
from tests.builders import NOON, a_result, a_run_record, a_run_spec, a_session

REPO = "acme/skills"
SKILLS = ("text/word-count", "skills/pdf-tables", "data/tidy csv & more", "skills/<b>bold</b>")
MODELS = ("claude-sonnet-4-6", "gpt-5-mini", "claude-haiku-4-5")
EVALS = 8
"""Eval cases of each skill."""
AT_ONCE = 1_000
"""Records that are written in one go."""
HOSTILE = "<script>document.title='run'</script><img src=x onerror=alert(1)>\u202e $x^2$ | `a`"


def some_records(
    count: int,
    *,
    repo: str = REPO,
    skills: Sequence[str] = SKILLS,
    until: datetime | None = None,
) -> list[RunRecord]:
    """Runs of these skills on three models, one an hour until now, in ever newer versions.

    Every eleventh has no score; the first skill helps, the second does nothing, the third hurts.
    """
    now = until or datetime.now(UTC)
    return [_record(number, count, repo, skills, now) for number in range(count)]


def _record(number: int, count: int, repo: str, skills: Sequence[str], now: datetime) -> RunRecord:
    turn = number // len(skills)
    skill = skills[number % len(skills)]
    version = turn // (EVALS * len(MODELS))
    model = MODELS[turn // EVALS % len(MODELS)]
    base = 0.4 + (turn * 7 % 10) / 50
    step = ((turn * 13) % 7 + 1) / 20 * (1, 0, -1, 0.5)[number % len(skills) % 4]
    graded = number % 11 != 10
    scores = {"with_skill": min(1.0, max(0.0, base + step)), "without_skill": base}
    eval_id = f"github-issue-{number % len(skills) * 100 + turn % EVALS + 1}"
    return a_run_record(
        run=hashlib.sha256(f"{repo} {number}".encode()).hexdigest()[:12],
        repo=repo,
        skill=skill,
        skill_sha=hashlib.sha256(f"{skill} {version}".encode()).hexdigest(),
        commit=hashlib.sha1(f"{skill} {version}".encode()).hexdigest(),
        eval_id=eval_id,
        eval_digest=hashlib.sha256(eval_id.encode()).hexdigest(),
        issue=int(eval_id.rpartition("-")[2]),
        model=model,
        model_identity=model.replace("-", ""),
        served=model,
        judge_served="claude-opus-4-7",
        score=scores if graded else None,
        state="complete" if graded else "ungraded",
        finished_at=now - timedelta(hours=count - number),
        tokens={"with_skill": 9000 + turn % 900, "without_skill": 7000 + turn % 700},
        wall_s={"with_skill": 61.0, "without_skill": 48.0},
        cost_usd=0.12 + turn % 5 / 100,
        url=f"https://github.com/{repo}/issues/{eval_id.rpartition('-')[2]}#issuecomment-{number}",
    )


async def put_records(redis: Redis, records: Sequence[RunRecord]) -> None:
    """Through the ledger's own door, as workers do."""
    ledger = RedisLedger(redis)
    for one in records:
        await ledger.record(f"{one.repo}|{one.run}", one)


async def fill(redis: Redis, records: Sequence[RunRecord]) -> None:
    """Thousands of runs at once, as a ledger that is older than its index: then it is made."""
    for first in range(0, len(records), AT_ONCE):
        async with redis.pipeline(transaction=False) as pipe:
            for one in records[first : first + AT_ONCE]:
                stored = one.model_dump_json()
                pipe.hset(LEDGER, f"{one.repo}|{one.run}", stored)
                pipe.hset(f"{RUNS}{one.repo.lower()}", one.run, stored)
            await pipe.execute()
    for repo in sorted({one.repo for one in records}):
        await RedisLedger(redis).index(repo)


def some_files(arm: Arm) -> dict[str, bytes]:
    """One file of each kind that a page may show, or must not."""
    rows = "word,count\n" + "".join(f"w{n},{n * n}\n" for n in range(40))
    return {
        "response.md": f"# Answer\n\nTotal: 42 words, by {arm}.\n\n{HOSTILE}\n".encode(),
        "table.csv": rows.encode(),
        "notes/deep/plan.txt": b"first\nsecond\n" + arm.encode(),
        "chart.png": _png(),
        "page.html": b"<script>alert(1)</script><h1>not a page of ours</h1>",
        "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "paper.pdf": b"%PDF-1.4\n%%EOF\n",
        "letter.docx": b"PK\x03\x04 no real document",
        "data.bin": bytes(range(256)),
    }


async def put_ended_run(
    blobs: BlobStore,
    folder: Path,
    *,
    run_id: str,
    trials: int = 1,
    spec: RunSpec | None = None,
    files: Callable[[Arm], dict[str, bytes]] = some_files,
    **changes: Any,
) -> RunResult:
    """A graded run as `jobs.keeping` leaves it: the result, and each session's bundle.

    `changes` are fields of the result; `files` what each arm left.
    """
    spec = spec or a_run_spec(run_id=run_id, trials=trials)
    sessions = []
    for trial in range(1, spec.trials + 1):
        for arm in spec.arms:
            left = files(arm)
            output = folder / f"{arm}-{trial}"
            for name, content in left.items():
                (output / name).parent.mkdir(parents=True, exist_ok=True)
                (output / name).write_bytes(content)
            outputs = tuple(
                OutputFile(path=name, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
                for name, data in sorted(left.items())
            )
            session = a_session(arm, trial=trial, outputs=outputs)
            transcript = folder / f"{arm}-{trial}.jsonl"
            _write_transcript(transcript, arm)
            key = SessionKey(arm, trial)
            write_bundle(folder / key.bundle, session, transcript, output)
            await blobs.put(f"runs/{run_id}/ended/{key.bundle}", folder / key.bundle)
            sessions.append(session)
    result = a_result(**({"spec": spec, "sessions": tuple(sessions)} | changes))
    await blobs.put(f"runs/{run_id}/ended.json", result.model_dump_json().encode())
    return result


def _write_transcript(path: Path, arm: Arm) -> None:
    with JsonlTranscript(path) as transcript:

        def write(second: int, kind: str, **content: object) -> None:
            event = TranscriptEvent(NOON + timedelta(seconds=second), kind, content)  # type: ignore[arg-type]
            transcript.write(event)

        write(0, "prompt", model=MODELS[0], system="You work.", prompt=f"Count. {HOSTILE}")
        write(2, "text", text="I look at the file first.", model=MODELS[0])
        write(3, "tool_call", id="t1", name="bash", arguments={"command": "wc -w input/a.txt"})
        write(4, "tool_result", id="t1", failed=False, text=f"42 input/a.txt\n{HOSTILE}")
        write(5, "tool_call", id="t2", name="read_file", arguments={"path": "nowhere"})
        write(5, "tool_result", id="t2", failed=True, text="there is no such file")
        write(6, "usage", input=1200, output=300, cost_usd="0.0123")
        write(7, "text", text=f"Done, as {arm} does. {HOSTILE}", model=MODELS[0])
        write(8, "end", end="completed", detail="")


def _png() -> bytes:
    """A picture of one green point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        summed = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + summed

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0\x14\x71\x4f")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
