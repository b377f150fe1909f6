"""The App comes to repositories and leaves them again: one welcome, and an end of all work."""

import shutil
from pathlib import Path

from redis.asyncio import Redis

from demo.github import LocalGitHub, RepositoryHandle
from demo.play import HERE, OWNER, PERSON, seed_samples
from tests.stories.scene import Scene, playing, steady
from tests.stories.test_leaving import running
from tests.stories.test_moved_places import endings

LABELS = {"needs-benchmark", "benchmarked", "benchmark", "eval"}


def seed_uninstalled(github: LocalGitHub) -> RepositoryHandle:
    """The samples, before anybody installs the App."""
    repository = seed_samples(github)
    github.uninstall(OWNER)
    return repository


def welcomes(scene: Scene, handle: RepositoryHandle) -> list[str]:
    """Texts of the issues that the App has opened in a repository."""
    issues = handle.repository.issues.values()
    return [issue.body for issue in issues if issue.author.login == scene.github.bot_login]


async def welcomed(scene: Scene, handle: RepositoryHandle) -> str:
    await scene.until(lambda: bool(welcomes(scene, handle)), f"a welcome in {handle.full_name}")
    [text] = welcomes(scene, handle)
    return text


async def test_a_new_repository_gets_labels_and_one_issue_that_says_what_was_found(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key, seed=seed_uninstalled, allowed_owners="*") as scene:
        scene.repository.add_label("eval", color="123456", description="ours")
        scene.github.install(OWNER, by=PERSON)
        text = await welcomed(scene, scene.repository)
        golden = Path(__file__).parent / "golden/welcome.md"
        assert steady(text) == golden.read_text(encoding="utf-8")
        labels = {label.name: label for label in scene.repository.repository.labels}
        assert set(labels) >= LABELS
        assert labels["eval"].color == "123456", "what is there stays as it is"
        assert labels["needs-benchmark"].description
        assert scene.stage.model_api.requests == [], "nothing was measured"


async def test_whoever_installs_again_gets_no_second_issue_not_even_for_a_closed_one(
    tmp_path: Path, app_key: str
) -> None:
    """Redis may forget it all: the issue itself is the memory."""
    async with playing(tmp_path, app_key, seed=seed_uninstalled, allowed_owners="*") as scene:
        scene.github.install(OWNER, by=PERSON)
        await welcomed(scene, scene.repository)
        [number] = [
            issue.number
            for issue in scene.repository.repository.issues.values()
            if issue.author.login == scene.github.bot_login
        ]
        scene.repository.close(number, by=PERSON)
        scene.github.uninstall(OWNER)
        async with Redis.from_url(scene.stage.settings.redis_url) as redis:
            await redis.flushall()
        scene.github.install(OWNER, by=PERSON)
        other = scene.github.add_repository(OWNER, "more", folder=HERE / "sample")
        scene.github.choose(OWNER, scene.repository, other)
        scene.github.choose(OWNER, scene.repository)
        scene.github.choose(OWNER, scene.repository, other)
        await welcomed(scene, other)
        assert len(welcomes(scene, scene.repository)) == 1
        assert not scene.repository.issue(number).is_open


async def test_where_nothing_concerns_the_bot_it_speaks_only_to_whoever_chose_the_repository(
    tmp_path: Path, app_key: str
) -> None:
    """Nor to one that is archived; the last one is welcomed when all before it were looked at."""
    async with playing(tmp_path, app_key, seed=seed_uninstalled, allowed_owners="*") as scene:
        github = scene.github
        quiet = github.add_repository("vast-org", "website", installed=False)
        archived = github.add_repository(
            "vast-org", "attic", folder=HERE / "sample", installed=False
        )
        archived.archive()
        last = github.add_repository("vast-org", "zoo", folder=HERE / "sample", installed=False)
        github.install("vast-org")
        await welcomed(scene, last)
        github.add_repository("choosy-org", "empty", installed=False)
        empty = RepositoryHandle(github.site, github.site.state.repositories[-1])
        github.install("choosy-org", chosen=[empty])
        assert "holds no commit yet" in await welcomed(scene, empty)
        assert welcomes(scene, quiet) == welcomes(scene, archived) == []
        assert quiet.repository.labels == [], "and nothing was changed there"


async def test_the_welcome_warns_of_what_stands_in_the_way(tmp_path: Path, app_key: str) -> None:
    """A workflow that starts on releases, a broken eval case, a slip in the repository's file."""
    folder = tmp_path / "sample"
    shutil.copytree(HERE / "sample", folder)
    for path, text in {
        ".github/workflows/ship.yml": "on:\n  release:\njobs: {}\n",
        ".github/workflows/fine.yml": "on:\n  release:\n    types: [released]\njobs: {}\n",
        ".github/skillbench.yml": "trails: 3\n",
        "_automation/evals/half.json": '{"id": "half <b>", "prompt": "Do it"}',
        "mute/SKILL.md": "---\nname: mute\n---\nWords.\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    async with playing(tmp_path / "play", app_key, seed=seed_uninstalled) as scene:
        scene.repository.push(folder, by=PERSON)
        scene.github.install(OWNER, by=PERSON)
        text = await welcomed(scene, scene.repository)
    assert "`.github/workflows/ship.yml` starts on releases" in text
    assert "fine.yml" not in text
    assert "Did you mean `trials`?" in text
    assert "`half <b>`" in text and "lacks" in text  # noqa: PT018 -- one line of the list
    assert "has no description" in text


async def test_a_suspension_stops_sessions_and_what_was_asked_goes_on_after_it(
    tmp_path: Path, app_key: str
) -> None:
    """Nobody is told meanwhile, for nobody can be; nothing paid for is paid again."""
    async with running(tmp_path, app_key) as (scene, gate):
        scene.github.suspend(OWNER)
        folder = scene.stage.settings.data_dir / "blobs/late"
        await scene.until(lambda: any(folder.glob("*.json")), "the putting off")
        assert scene.reports(1) == []
        gate.released.set()
        scene.github.suspend(OWNER, is_suspended=False)
        await scene.label_gone(1)
        assert len(scene.reports(1)) == 1


async def test_where_the_app_is_removed_its_work_ends_without_a_word(
    tmp_path: Path, app_key: str
) -> None:
    async with running(tmp_path, app_key) as (scene, _):
        before = len(scene.bot_comments(1))
        scene.github.uninstall(OWNER)
        await scene.until(lambda: bool(endings(tmp_path)), "the end of the request")
        [reason] = endings(tmp_path)
        assert "not installed any more" in reason
        assert len(scene.bot_comments(1)) == before
        assert "needs-benchmark" in scene.repository.labels(1)
