"""Environments that are images, through the front door, on a real engine."""

import re
from pathlib import Path

import pytest

from tests.jobs.sessions.podman import IMAGE, find_obstacle, serve_podman
from tests.stories.scene import playing
from tests.stories.test_environments import seeded

BOXES = f"""
environments:
  busy:
    image: {IMAGE}
    packages:
      commands: [wc, head]
  gone:
    image: localhost/never-built:1
"""


@pytest.mark.slow  # a container for each command
async def test_an_image_that_cannot_be_pulled_is_answered_and_one_that_is_there_is_used(
    tmp_path: Path, app_key: str
) -> None:
    """By its id, which stands in the report; what cannot be had costs nothing."""
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    with serve_podman() as engine:
        docker = {"sandbox": "docker", "docker_host": engine.host, "docker_image": IMAGE}
        async with playing(tmp_path, app_key, seed=seeded(BOXES), **docker) as scene:
            asked = scene.comment(1, "@skillbench run --environment gone")
            await scene.reacted(1, asked, "confused")
            [said] = scene.bot_comments(1)
            assert "the image `localhost/never-built:1` of the environment `gone` is not on" in said
            assert scene.stage.model_api.requests == []

            asked = scene.comment(1, "@skillbench run --environment busy")
            await scene.reacted(1, asked, "rocket")
            [report] = scene.reports(1)
            [row] = [line for line in report.splitlines() if line.startswith("| Environment")]
            assert re.search(r"`busy`.*image sha256:\S+, head \(command\), wc \(command\)", row)
