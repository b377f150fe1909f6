"""A repository's file as its people meet it: on the issue, before anything is spent."""

import html
import shutil
from pathlib import Path

import pytest

from demo.play import HERE
from tests.stories.scene import PERSON, Scene

FILE = ".github/skillbench.yml"


def push(scene: Scene, folder: Path, text: str) -> None:
    """The sample repository with a file of its own, as the default branch's new head."""
    shutil.copytree(HERE / "sample", folder)
    (folder / FILE).parent.mkdir()
    (folder / FILE).write_text(text)
    scene.repository.push(folder, by=PERSON)


@pytest.mark.parametrize(
    ("text", "command", "said"),
    [
        (
            "environments:\n  r:\n    imag: x\n    image: x\n",
            "run scripted-demo",
            "line 3, `environments.r.imag`: there is no such key. Did you mean `image`?",
        ),
        (
            "environments: {small: {packages: {commands: [sort]}}}\n",
            "run scripted-demo --environment smal",
            "There is no environment `smal`. Did you mean `small`?",
        ),
        (
            "environment: far\nenvironments: {far: {hosts: [far.example]}}\n",
            "run scripted-demo",
            "`SKILLBENCH_ENVIRONMENT_HOSTS`",
        ),
    ],
)
async def test_what_cannot_be_is_refused_before_anything_is_spent(
    scene: Scene, tmp_path: Path, text: str, command: str, said: str
) -> None:
    """One answer that says where to look, and no model is asked."""
    push(scene, tmp_path / "pushed", text)
    comment = scene.comment(2, f"@skillbench {command}")
    await scene.reacted(2, comment, "confused")
    [answer] = scene.bot_comments(2)
    assert said in html.unescape(answer)
    assert scene.reports(2) == []
    assert scene.stage.model_api.requests == []
