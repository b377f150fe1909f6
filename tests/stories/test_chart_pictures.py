"""The skill's picture in a report: where everybody may look at it, and nowhere else."""

import asyncio
import html
import re
from pathlib import Path

import httpx

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE, PERSON, seed_samples
from tests.stories.scene import WAIT_S, Scene, playing, steady

GOLDEN = Path(__file__).parent / "golden"
SHOWN = {"public_url": "https://bot.example", "public_pages": True}
BLOCK = re.compile(r'<a href="https://bot\.example/[^\n]*</picture></a>\n\n<sub>[^\n]*</sub>\n\n')


def seed_private(github: LocalGitHub) -> RepositoryHandle:
    """The sample's first issue in a repository that only its people see."""
    github.add_person(PERSON)
    repository = github.add_repository(
        "sample-org", "skills", folder=HERE / "sample", owner_kind="Organization", private=True
    )
    github.add_person(PERSON, {"sample-org/skills": "write"})
    text = min((HERE / "issues").glob("*.md")).read_text(encoding="utf-8")
    title, _, body = text.partition("\n")
    repository.open_issue(author=PERSON, title=title.removeprefix("# "), body=body.strip())
    return repository


async def look(scene: Scene, address: str) -> str:
    """A picture, asked for as GitHub's proxy does, until its figures are made."""
    async with asyncio.timeout(WAIT_S), httpx.AsyncClient(timeout=WAIT_S) as client:
        while (answer := await client.get(scene.stage.bot_url + address)).status_code == 503:
            pass
    assert answer.headers["cache-control"].startswith("public, ")
    return answer.raise_for_status().text


async def test_a_public_report_shows_the_skills_picture_and_changes_nothing_else(
    tmp_path: Path, app_key: str
) -> None:
    """Below the headline and its table; the picture is there for whoever has not signed in."""
    async with playing(tmp_path, app_key, **SHOWN) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        [block] = BLOCK.findall(report)
        assert report.index("## ") < report.index("### Scorecard") < report.index(block)
        plain = (GOLDEN / "label_report.md").read_text(encoding="utf-8")
        assert steady(report.replace(block, "")) == plain
        assert steady(block) == (GOLDEN / "report_picture.md").read_text(encoding="utf-8")
        sources = re.findall(r'(?:src|srcset)="https://bot\.example([^"]*)"', block)
        pictures = [await look(scene, html.unescape(source)) for source in sources]
        assert len(set(pictures)) == len(pictures) == 2
        assert all("What the skill changes" in picture for picture in pictures)


async def test_no_picture_stands_in_a_private_repository(tmp_path: Path, app_key: str) -> None:
    """GitHub's proxy, who has not signed in, would get nothing."""
    async with playing(tmp_path, app_key, seed=seed_private, **SHOWN) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert "bot.example" not in report
        assert "<picture" not in report


async def test_no_picture_stands_where_the_pages_are_not_for_everybody(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key, seed=seed_samples, public_url="https://bot.example") as (
        scene
    ):
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        plain = (GOLDEN / "label_report.md").read_text(encoding="utf-8")
        assert steady(report) == plain
