"""Where a dataset is read from: a private repository, and one that the command line names."""

import asyncio
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import NAME, OWNER, PERSON
from tests.stories.scene import Scene, playing
from tests.stories.test_cancel import MODEL
from tests.stories.test_crash import environment_of
from tests.stories.test_datasets import ASK, a_case, answering

SECRET = "word1"
"""Stands in the cases of a private repository."""


def put_suite(folder: Path, cases: int) -> Path:
    suite = folder / "data" / "capitals"
    suite.mkdir(parents=True)
    (suite / "metadata.json").write_text(json.dumps({"target": {"type": "llm_api"}}))
    (suite / "sample.jsonl").write_text("\n".join(json.dumps(a_case(n)) for n in range(cases)))
    return folder


@dataclass
class TwoRepositories:
    """A private repository with a dataset, and an open one without any."""

    folder: Path
    open_one: RepositoryHandle = field(init=False)

    def seed(self, github: LocalGitHub) -> RepositoryHandle:
        github.add_person(PERSON)
        tree = put_suite(self.folder / "tree", 4)
        closed = github.add_repository(OWNER, NAME, folder=tree, private=True)
        bare = self.folder / "bare"
        bare.mkdir()
        (bare / "README.md").write_text("Nothing here.")
        self.open_one = github.add_repository(OWNER, "open", folder=bare)
        github.add_person(PERSON, {f"{OWNER}/{NAME}": "write", f"{OWNER}/open": "write"})
        for one in (closed, self.open_one):
            one.open_issue(author=PERSON, title="A dataset", body="What does it come to?")
        return closed


async def test_a_private_dataset_is_read_and_shown_to_nobody_else(
    tmp_path: Path, app_key: str
) -> None:
    """The bot has a public address; nobody has signed in on its pages."""
    two = TwoRepositories(tmp_path)
    async with playing(
        tmp_path, app_key, seed=two.seed, model_api=answering(), judge_model=MODEL,
        public_url="https://bot.example",
    ) as scene:  # fmt: skip
        asked = scene.comment(1, ASK)
        await scene.reacted(1, asked, "rocket")
        report = scene.bot_comments(1)[-1]
        assert "4 of 4 cases graded" in report
        [run_id] = re.findall(r"run `([0-9a-f]{12})`", report)
        async with httpx.AsyncClient(base_url=scene.stage.bot_url) as stranger:
            for path in (
                *("/tasks", f"/tasks/{run_id}", f"/tasks/{run_id}/case?id=case-1"),
                *(f"/tasks/{run_id}/report.json", f"/tasks/{run_id}/report.html"),
                *(f"/tasks/{run_id}/report.md", f"/tasks/{run_id}/events"),
                *(f"/runs/{run_id}", f"/tasks/compare?a={run_id}&b={run_id}"),
            ):
                answer = await stranger.get(path)
                assert answer.status_code in {303, 404}, path
                assert not {SECRET, run_id, "capitals"} & set(re.split(r"\W", answer.text))
        await its_name_is_no_way_in(scene, two.open_one)


async def its_name_is_no_way_in(scene: Scene, other: RepositoryHandle) -> None:
    """Who asks in the open repository is not told what the private one has."""
    other.comment(1, by=PERSON, body=ASK)

    def said() -> list[str]:
        return [
            one.body
            for one in other.issue(1).comments
            if one.author.login == scene.github.bot_login
        ]

    await scene.until(lambda: bool(said()), "the refusal")
    assert "there is no dataset `capitals/sample`" in said()[0]
    assert "sample-org/skills" not in said()[0]


async def test_the_command_line_reads_a_repository_at_a_ref(tmp_path: Path, app_key: str) -> None:
    """With the App's token, private as it is; the report says which ref it was."""
    api = answering(wrong=3)
    async with playing(
        tmp_path,
        app_key,
        seed=TwoRepositories(tmp_path).seed,
        model_api=api,
        judge_model=MODEL,
        worker=False,
    ) as scene:
        place = f"{OWNER}/{NAME}@main"
        code, printed, said = await dataset(scene, "capitals", "sample", "--data", place)
        assert code == 0, said
        [path] = re.findall(r"^Report: (.*)$", printed, re.MULTILINE)
        report = json.loads(Path(path).read_text())
        assert (report["pass_count"], report["fail_count"]) == (3, 1)
        assert report["dataset_provenance"]["source"] == place
        code, _, said = await dataset(scene, "list", "--data", place)
        assert code == 0, said
        for place, told in (
            (f"{OWNER}/{NAME}@nowhere", "nowhere"),
            (f"{OWNER}/nothing@main", "nothing"),
            ("nobody/skills@main", "nobody"),
        ):
            code, printed, said = await dataset(scene, "capitals", "sample", "--data", place)
            assert (code, printed) == (2, ""), said
            assert told in said
            assert "Traceback" not in said


async def dataset(scene: Scene, *words: str) -> tuple[int | None, str, str]:
    """`skillbench dataset` with the bot's settings, as its operator calls it."""
    model = () if words[0] == "list" else ("--target-model", MODEL)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "dataset", *words, *model),
        env=environment_of(scene.stage.settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    printed, said = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode, printed.decode(), said.decode()
