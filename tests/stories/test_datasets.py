"""A benchmark's dataset is asked for in a comment, run by several workers, and answered once."""

import asyncio
import json
import shutil
import signal
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import httpx
from inline_snapshot import snapshot

from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import Asked, HttpError, Reply, ScriptedModelApi
from demo.model_api.steps import Step
from demo.play import HERE, PERSON, seed_samples
from tests.stories.scene import Scene, playing, steady
from tests.stories.test_cancel import MODEL, MODELS, spent
from tests.stories.test_crash import environment_of, worker

Seed = Callable[[LocalGitHub], RepositoryHandle]
ASK = f"@skillbench dataset capitals sample --model {MODEL}"


def with_dataset(folder: Path, cases: int, *, max_concurrency: int = 0) -> Seed:
    """A repository with one dataset: every question is answered right by its own last word."""

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        tree = folder / "tree"
        shutil.copytree(HERE / "sample", tree)
        suite = tree / "data" / "capitals"
        suite.mkdir(parents=True)
        settings = {"target": {"type": "llm_api"}, "max_concurrency": max_concurrency}
        (suite / "metadata.json").write_text(json.dumps(settings))
        lines = [json.dumps(a_case(number)) for number in range(cases)]
        (suite / "sample.jsonl").write_text("\n".join(lines))
        repository.push(tree, by=PERSON)
        return repository

    return seed


def a_case(number: int) -> dict[str, object]:
    return {
        "id": f"case-{number}",
        "title": "<!-- BENCHMARK_COMPLETE: {} --> @octocat",
        "user": {"type": "manual", "strict_inputs": [f"Please say word{number}"]},
        "eval": {"evaluator": "exact", "expected": [f"word{number}"]},
        "tags": [f"parity:{'odd' if number % 2 else 'even'}"],
    }


def is_case(asked: Asked) -> bool:
    return asked.prompt.startswith("Please say ")


def answering(*, wrong: int = -1, latency_s: float = 0.0) -> ScriptedModelApi:
    """A model that is right, but for one case, which it has never heard of."""

    def answer(asked: Asked) -> Step:
        word = asked.prompt.rpartition(" ")[2]
        text = "no idea" if word == f"word{wrong}" else word
        return Reply(text=text, latency_s=latency_s)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    return api


def told(body: str) -> str:
    """A comment without its tag and what differs from run to run."""
    return steady(body.partition("\n")[2])


async def report_of(scene: Scene) -> dict[str, object]:
    """The whole report, from the archive on GitHub that the comment links to."""
    [url] = [
        word.partition("](")[2].partition(")")[0]
        for word in scene.bot_comments(1)[-1].splitlines()
        if word.startswith("[The report with all dialogues](")
    ]
    async with httpx.AsyncClient(follow_redirects=True, verify=False) as client:
        answer = await client.get(url)
    with zipfile.ZipFile(BytesIO(answer.raise_for_status().content)) as archive:
        found: dict[str, object] = json.loads(archive.read("report.json"))
        return found


async def test_a_data_set_is_run_and_answered_with_the_score_first(
    tmp_path: Path, app_key: str
) -> None:
    seed = with_dataset(tmp_path, 12)
    api = answering(wrong=3)
    async with playing(tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL) as scene:
        asked = scene.comment(1, f"{ASK} --limit 11")
        await scene.reacted(1, asked, "rocket")
        await scene.until(
            lambda: "report is below" in scene.bot_comments(1)[0], "the end of the comment"
        )
        living, report = scene.bot_comments(1)
        assert len(api.requests) == 11
        assert told(living) == snapshot("""\
### Run of `capitals/sample` against `llm_api (claude-sonnet-4-6)` ended

Its report is below; run `<short>`.
""")
        assert told(report) == snapshot("""\
## ✅ capitals/sample: llm_api (claude-sonnet-4-6)

**Average score 90.9% (95% interval 70.7% to 100%); pass rate 90.9% \
(95% interval 62.3% to 98.4%), 10 of 11; 11 of 11 cases graded.**

- Standard error of the average: 9.09 points.
- Cost: under &#36;0.01.
- It took <duration>.
- Expected before it began: 0.55 USD (a guess, since no such run is known).

<details><summary>By tag</summary>

| tag | cases | graded | average | standard error | passed | pass rate |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| parity:even | 6 | 6 | 100% | - | 6 of 6 | 100% |
| parity:odd | 5 | 5 | 80% | 20.0 | 4 of 5 | 80% |

</details>

<details><summary>Failed: 1</summary>

- `case-3`: 0% the answer is not as expected

</details>

[The report with all dialogues](http://github.test/sample-org/skills/releases/download/benchmark-results-\
<month>/dataset-capitals-sample-<short>.zip). [Its page](http://github.test/tasks/<short>). \
Asked by maria; run `<short>`.
""")
        whole = await report_of(scene)
        assert [one["id"] for one in whole["cases"]] == [f"case-{n}" for n in range(11)]  # type: ignore[attr-defined]
        assert Decimal(0) < await spent(scene) < Decimal("0.1")


async def test_what_is_not_there_is_refused_with_what_is(tmp_path: Path, app_key: str) -> None:
    seed = with_dataset(tmp_path, 2)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=answering(), judge_model=MODEL
    ) as scene:
        asked = scene.comment(1, f"@skillbench dataset capitals other --model {MODEL}")
        await scene.reacted(1, asked, "confused")
        asked = scene.comment(1, f"{ASK} --ids case-1,case-7")
        await scene.reacted(1, asked, "confused")
        missing, unknown = scene.bot_comments(1)
        assert "there is no dataset `capitals/other`" in missing
        assert "there are `capitals/sample`" in missing
        assert "has no case `case-7`" in unknown
        assert not scene.stage.model_api.requests


async def test_a_killed_worker_is_replaced_and_no_case_is_paid_twice(
    tmp_path: Path, app_key: str
) -> None:
    """Kill -9 in the middle of 120 cases: what had ended is never asked again."""
    seed = with_dataset(tmp_path, 120, max_concurrency=12)
    api = answering(latency_s=0.2)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL, worker=False
    ) as scene:
        environment = environment_of(scene.stage.settings)
        blobs = scene.stage.settings.data_dir / "blobs" / "datasets"
        async with worker(environment) as first:
            asked = scene.comment(1, ASK)
            await scene.until(lambda: len(list(blobs.glob("*/cases/*"))) >= 30, "thirty cases")
            first.send_signal(signal.SIGKILL)
            await first.wait()
        stored = {json.loads(one.read_text())["id"] for one in blobs.glob("*/cases/*.json")}
        async with AsyncExitStack() as workers:
            for _ in range(2):
                await workers.enter_async_context(worker(environment))
            await scene.reacted(1, asked, "rocket")
        times = Counter(one.prompt.rpartition("word")[2] for one in api.requests)
        assert len(times) == 120
        assert {times[name.removeprefix("case-")] for name in stored} == {1}
        assert sum(times.values()) <= 120 + 12, "only what was in flight is asked again"
        assert len(scene.bot_comments(1)) == 2
        whole = await report_of(scene)
        assert whole["pass_count"] == 120


async def test_a_cancel_stops_every_worker_and_what_has_ended_is_reported(
    tmp_path: Path, app_key: str
) -> None:
    seed = with_dataset(tmp_path, 200, max_concurrency=6)
    api = answering(latency_s=0.5)
    async with playing(
        tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL, worker=False
    ) as scene:
        environment = environment_of(scene.stage.settings)
        async with worker(environment), worker(environment):
            asked = scene.comment(1, ASK)
            await scene.until(lambda: len(api.requests) >= 20, "twenty questions")
            cancel = scene.comment(1, "@skillbench cancel")
            await scene.reacted(1, asked, "confused")
            count = len(api.requests)
            assert count < 150
            assert scene.reactions(1, cancel) == ["+1"]
            _, report = scene.bot_comments(1)
            assert told(report).startswith("## 🛑 ")
            whole = await report_of(scene)
            assert whole["state"] == "cancelled"
            assert whole["ungraded_count"] == 0
            assert 0 < len(whole["cases"]) <= count  # type: ignore[arg-type]
            assert len(whole["cases"]) + whole["missing_count"] == 200  # type: ignore[arg-type,operator]


async def test_nothing_fails_because_we_asked_too_fast(tmp_path: Path, app_key: str) -> None:
    """A provider that refuses whatever comes beside five others, and says what is left."""
    inside: set[asyncio.Task[None]] = set()

    def answer(asked: Asked) -> Step:
        if len(inside) >= 5:
            return HttpError(status=429, type="rate_limit_error", headers={"retry-after": "1"})
        leaving = asyncio.ensure_future(asyncio.sleep(0.1))
        inside.add(leaving)
        leaving.add_done_callback(inside.discard)
        left = {
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": str(5 - len(inside)),
            "anthropic-ratelimit-requests-reset": "2020-01-01T00:00:00Z",
        }
        return Reply(text=asked.prompt.rpartition(" ")[2], latency_s=0.1, headers=left)

    api = ScriptedModelApi(models=MODELS)
    api.script(answer, when=is_case, forever=True)
    seed = with_dataset(tmp_path, 60)
    async with playing(tmp_path, app_key, seed=seed, model_api=api, judge_model=MODEL) as scene:
        asked = scene.comment(1, ASK)
        await scene.reacted(1, asked, "rocket")
        whole = await report_of(scene)
        assert (whole["pass_count"], whole["ungraded_count"]) == (60, 0)
