"""One label on a repository of any size, planned by the real parts against the local GitHub.

The plan is taken at the moment it is stored, before anything of it is carried out, so the
calls and the time are those of planning alone. Used by the benchmark and by a plain test.
"""

import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bot.cli.local_run import NoDailyLimit, NoLedger
from bot.github.app import GitHubApp
from bot.worlds import make_worlds
from config.settings import Settings
from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import JUDGE_MODEL, MODEL, ScriptedModelApi
from handlers.decisions import Enqueue
from handlers.events import Actor, EventRepository, IssueLabelled
from handlers.issue_labelled import on_issue_labelled
from handlers.questions import HandlerContext, as_repo
from jobs.benchmark import carry_out
from jobs.content.skills import find_skills
from jobs.content.snapshot import copy_folder
from jobs.errors import Transient
from jobs.planning.plan import Plan
from jobs.requests import NEEDS_BENCHMARK, Request
from jobs.world import World

OWNER, NAME = "acme", "skills"
ISSUE = 7
PERSON = "mona"
ASSERTIONS = 12
REFERENCE_BYTES = 4_000
REFERENCES = 10
"""Files beside the SKILL.md of each skill: 40 kB, as published skills have them."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything a repository holds."""

    skills: int
    cases: int
    comments: int = 0
    legacy_authors: int = 0
    """Strangers who wrote a report of the earlier runner about this very run."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What planning a label took."""

    plan: Plan
    calls: Counter[str]
    """Requests to GitHub's API by their kind, without those for tokens."""
    seconds: float


class NoCounts:
    """Nobody watches a benchmark."""

    async def add(self, what: str, outcome: str) -> None:
        pass


class NoRequests:
    """A label asks for nothing besides."""

    async def enqueue(self, request: Request) -> bool:
        raise AssertionError(f"{request.key} was put on the queue")


class NoClaims:
    """A label takes no eval case from anybody."""

    async def take(self, claims: Sequence[str], /, *, holder: str) -> str | None:
        raise AssertionError(f"{holder} takes {len(claims)}")

    async def find_taken(self, claims: Sequence[str], /) -> frozenset[str]:
        raise AssertionError(f"asked for {len(claims)}")


class PlanWatch:
    """A blob store that keeps the plan and ends the work there."""

    def __init__(self) -> None:
        self.plan: Plan | None = None

    async def put(self, key: str, content: bytes | Path) -> None:
        """Take the plan; nothing after it is to be done."""
        if not key.endswith("plan.json"):
            return  # that the request has begun
        assert isinstance(content, bytes), key
        self.plan = Plan.model_validate_json(content)
        raise Transient("planned")

    async def get(self, _: str) -> bytes | None:
        return None

    async def exists(self, _: str) -> bool:
        return False

    async def delete(self, key: str) -> None:
        pass


def write_repository(folder: Path, size: Size) -> str:
    """Write skills and eval files; gives the legacy SHA of the skill that issue 7 is about."""
    for number in range(size.skills):
        skill = folder / "skills" / f"skill-{number}"
        (skill / "references").mkdir(parents=True)
        about = f"---\nname: skill-{number}\ndescription: Counts words of kind {number}.\n---\n"
        (skill / "SKILL.md").write_text(about + "Count them.\n" * 200, encoding="utf-8")
        for part in range(REFERENCES):
            text = f"{number}-{part} ".ljust(REFERENCE_BYTES, "x")
            (skill / "references" / f"{part}.md").write_text(text, encoding="utf-8")
    evals = folder / "_automation" / "evals"
    evals.mkdir(parents=True)
    for number in range(size.cases):
        case = {
            "id": f"github-issue-{number}",
            "prompt": f"Count the words of text {number}. " * 40,
            "expected_output": "A table.",
            "files": [f"skills/skill-{number % size.skills}/references/1.md"],
            "assertions": [f"word {part} stands in the table" for part in range(ASSERTIONS)],
            "target_skills": [f"skill-{number % size.skills}"],
        }
        path = evals / f"case-{number:05}.json"  # not named after the id: all have to be looked at
        path.write_text(json.dumps(case), encoding="utf-8")
    shelf = find_skills(copy_folder(folder, folder.parent / "copy"))
    return shelf.find(f"skill-{ISSUE % size.skills}").legacy_sha


@asynccontextmanager
async def served(
    folder: Path, size: Size, private_key: str | None = None
) -> AsyncIterator[tuple[LocalGitHub, Settings, RepositoryHandle]]:
    """The repository on a local GitHub, labelled by a person who may write, and the model API."""
    (folder / "tree").mkdir(parents=True)
    legacy_sha = write_repository(folder / "tree", size)
    github = LocalGitHub(private_key_pem=private_key)
    repository = github.add_repository(OWNER, NAME, folder=folder / "tree")
    github.add_person(PERSON, {f"{OWNER}/{NAME}": "write"})
    repository.open_issue(author=PERSON, title="Count", body="See the eval file.", number=ISSUE)
    repository.label(ISSUE, NEEDS_BENCHMARK, by=PERSON)
    for number in range(size.comments):
        repository.comment(ISSUE, by=PERSON, body=f"Remark {number}.")
    marker = {"eval_id": f"github-issue-{ISSUE}", "model": MODEL, "skill_sha": legacy_sha}
    for number in range(size.legacy_authors):
        github.add_person(f"stranger-{number}")
        body = f"Done.\n\n<!-- BENCHMARK_COMPLETE: {json.dumps(marker)} -->"
        repository.comment(ISSUE, by=f"stranger-{number}", body=body)
    async with github.serve() as address, ScriptedModelApi().serve() as models:
        settings = Settings(
            _env_file=None,
            github_app_id=str(github.app_id),
            github_private_key=github.private_key_pem,
            github_api_url=address.api_url,
            anthropic_api_key="none",
            anthropic_base_url=models.anthropic_url,
            model=MODEL,
            judge_model=JUDGE_MODEL,
            sandbox="none",
            data_dir=folder / "data",
        )
        yield github, settings, repository


async def plan_label(
    github: LocalGitHub, settings: Settings, repository: RepositoryHandle, scratch: Path
) -> Planned:
    """Decide on the label and plan it, as a worker does that has just started."""
    before = len(github.requests)
    watch = PlanWatch()
    began = time.perf_counter()
    async with GitHubApp(settings) as app:
        identity = await app.identity()
        context = HandlerContext(allowed_owners=("*",), app_bot_login=identity.bot_login)
        event = _event(github, repository)
        decision = await on_issue_labelled(
            event, context, app.repository(as_repo(event.repository))
        )
        assert isinstance(decision, Enqueue), decision
        runs = (await make_worlds(settings, budget=NoDailyLimit(), scratch=scratch)).runs
        world = World(
            runs=replace(runs, blobs=watch),
            github=app.repository(decision.requests[0].repo),
            ledger=NoLedger(),
            counts=NoCounts(),
            requests=NoRequests(),
            claims=NoClaims(),
        )
        with suppress(Transient):  # raised by the watch, once it has the plan
            await carry_out(decision.requests[0], world, last_try=False)
    seconds = time.perf_counter() - began
    assert watch.plan is not None, "no plan was made"
    return Planned(watch.plan, _kinds(github, before), seconds)


def _event(github: LocalGitHub, repository: RepositoryHandle) -> IssueLabelled:
    """What the webhook of the label becomes at the door."""
    return IssueLabelled(
        delivery="bench",
        repository=EventRepository(
            id=repository.repository.id,
            owner=OWNER,
            name=NAME,
            private=False,
            installation_id=github.installation_id,
        ),
        sender=Actor(id=1, login=PERSON, is_bot=False),
        issue=ISSUE,
        is_pull_request=False,
        labels=(NEEDS_BENCHMARK,),
    )


def _kinds(github: LocalGitHub, before: int) -> Counter[str]:
    return Counter(
        f"{sent.method} {sent.route}"
        for sent in github.requests[before:]
        if not sent.path.endswith("/access_tokens")
    )
