"""A real skills repository, on the local GitHub, with the scripted model."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from demo.github import LocalGitHub, RepositoryHandle
from jobs.content.cases import BrokenCase, all_cases, find_case
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import extract_tarball
from jobs.judging.blind import candidate_1_is
from tests.stories.scene import PERSON, Scene, playing

PHARMA = Path(__file__).parents[2].parent / "shared" / "data" / "pharma"
TARBALL = PHARMA / "pharma-skills.tar.gz"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not TARBALL.exists(), reason="no ../shared/data/pharma beside the checkout"),
]


def seed_pharma(github: LocalGitHub) -> RepositoryHandle:
    """The repository, and the issues whose eval cases lie in its files."""
    github.add_person(PERSON)
    repository = github.add_repository(
        "sample-org", "skills", tarball=TARBALL, owner_kind="Organization"
    )
    github.add_person(PERSON, {"sample-org/skills": "write"})
    for number in (21, 22, 128, 139):
        repository.open_issue(
            author=PERSON, title=f"Benchmark {number}", body="See the file.", number=number
        )
    return repository


@pytest.fixture
async def pharma(tmp_path: Path, app_key: str) -> AsyncIterator[Scene]:
    async with playing(tmp_path, app_key, seed=seed_pharma) as scene:
        yield scene


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, SkillShelf]:
    root = tmp_path_factory.mktemp("pharma") / "tree"
    extract_tarball(TARBALL, root)
    snapshot = Snapshot(root, "f255538")
    return snapshot, find_skills(snapshot)


def golden() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((PHARMA / "golden.json").read_text(encoding="utf-8"))
    return loaded


async def test_labelling_issue_21_yields_a_report(pharma: Scene) -> None:
    """The eval case comes from the repository's file, all eight assertions judged."""
    pharma.label(21)
    await pharma.label_gone(21)
    [report] = pharma.reports(21)
    assert "github-issue-21" in report
    assert "group-sequential-design" in report
    legacy = golden()["legacy_sha_by_skill_folder"]["group-sequential-design"]
    assert f'"skill_sha": "{legacy}"' in report
    assert all(f"A{number}" in report for number in range(1, 9))


@pytest.mark.parametrize(
    ("issue", "words"), [(128, "r2rtf"), (139, "assertions")], ids=["no-skill", "no-assertions"]
)
async def test_a_case_that_cannot_run_is_refused_by_name(
    pharma: Scene, issue: int, words: str
) -> None:
    """The reply says which skill or part is missing."""
    pharma.label(issue)
    await pharma.label_gone(issue)
    [reply] = pharma.bot_comments(issue)
    assert words in reply


@pytest.mark.parametrize("shape", ["marker-complete", "prose-short-sha"])
async def test_what_the_earlier_runner_measured_is_known(pharma: Scene, shape: str) -> None:
    """A maintainer's old report counts for the model and version it names."""
    shapes = json.loads((PHARMA / "legacy-comments.json").read_text(encoding="utf-8"))
    comment = next(one for one in shapes if one["name"] == shape)
    model = comment["counts_as_done_for"][0][0]
    body = (
        comment["body"]
        .replace(model, "scripted-demo")
        .replace("Claude Sonnet 4.6", "Scripted Demo")
    )
    pharma.comment(21, body)
    pharma.label(21)
    await pharma.label_gone(21)
    assert pharma.reports(21) == []
    assert "Measured before" in pharma.bot_comments(21)[-1]


def test_every_case_is_planned_or_refused_for_a_reason(
    content: tuple[Snapshot, SkillShelf],
) -> None:
    """32 real cases: what can run, runs; what cannot says what it lacks."""
    snapshot, shelf = content
    refused: dict[str, str] = {}
    planned = []
    for case in all_cases(snapshot, shelf):
        if isinstance(case, BrokenCase):
            refused[case.id] = case.reason
        elif not shelf.knows(case.target_skills[0]):
            refused[case.id] = "no such skill"
        else:
            planned.append(case.id)
    assert len(planned) + len(refused) == 32
    assert {id_ for id_, why in refused.items() if why == "no such skill"} == {
        "github-issue-128",
        "github-issue-174",
    }
    assert {id_ for id_, why in refused.items() if "lacks assertions" in why} == {
        f"github-issue-{number}" for number in (126, 139, 148, 149)
    }
    assert "basic-two-arm/prompt.md" in refused["github-issue-124"]
    assert len(refused) == 7


def test_the_blind_rule_gives_the_golden_map(content: tuple[Snapshot, SkillShelf]) -> None:
    """The same eval and version blind the same way as ever."""
    for entry in golden()["evals"]:
        if entry["skill_found"]:
            first = candidate_1_is(entry["id"], entry["legacy_sha"])
            assert first == entry["candidate_1_with_legacy_sha"]


def test_golden_assertion_counts(content: tuple[Snapshot, SkillShelf]) -> None:
    """No assertion is lost or invented on the way."""
    snapshot, shelf = content
    for entry in golden()["evals"]:
        if entry["skill_found"] and entry["assertions"] > 1:
            case = find_case(entry["id"], snapshot, shelf, None)
            assert len(case.assertions) == entry["assertions"]
