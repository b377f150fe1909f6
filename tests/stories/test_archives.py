"""Where the files of a run are kept, and what its report says of it."""

from pathlib import Path

import pytest

from tests.stories.pushes import push
from tests.stories.scene import Scene

FILE = ".github/skillbench.yml"


def archives(scene: Scene) -> list[str]:
    """What the bot's own store keeps."""
    folder = scene.stage.settings.data_dir / "blobs" / "archives"
    return [place.name for place in folder.glob("*.zip")]


@pytest.mark.parametrize(
    ("kept", "said", "copies"),
    [
        ("off", "**No archive** of this run: this repository keeps none", 0),
        ("blob", "**No archive** of this run: this repository leaves it with the operator", 1),
    ],
)
async def test_a_repository_says_where_archives_are_kept(
    scene: Scene, tmp_path: Path, kept: str, said: str, copies: int
) -> None:
    push(scene, tmp_path / "pushed", {FILE: f"archive: {kept}\n"})
    await scene.github.deliveries_done()
    scene.label(1)
    await scene.label_gone(1)
    [report] = scene.reports(1)
    assert said in report
    assert scene.repository.repository.releases == []
    assert len(archives(scene)) == copies


async def test_where_releases_are_immutable_the_report_says_who_has_the_archive(
    scene: Scene,
) -> None:
    scene.repository.repository.releases_are_immutable = True
    scene.label(1)
    await scene.label_gone(1)
    [report] = scene.reports(1)
    assert (
        "**No archive** of this run: releases of this repository are immutable from the start; "
        "the operator of this bot has a copy" in report
    )
    assert len(archives(scene)) == 1
