"""From a label to the page of its run: it says what the report says, and shows its making."""

import io
import json
import re
import zipfile
from html import unescape

import httpx

from tests.stories.scene import WAIT_S, Scene


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def find_run(report: str) -> str:
    """The run's id, from the report's last line."""
    found = re.search(r"run `([0-9a-f]{12})`", report)
    assert found is not None
    return found[1]


async def test_a_runs_page_says_what_its_report_says(scene: Scene) -> None:
    scene.label(1)
    await scene.label_gone(1)
    [report] = scene.reports(1)
    run = find_run(report)
    here = f"/repos/sample-org/skills/runs/{run}"
    async with httpx.AsyncClient(base_url=scene.stage.bot_url, timeout=WAIT_S) as client:
        text = words_of((await client.get(here)).text)
        headline = report.splitlines()[1 if report.startswith("<!--") else 0]
        assert headline.lstrip("# ").partition(" ")[2] in text
        assert "All sessions completed" in text
        assert "profile.md" in text
        files = await client.get(f"{here}/files?path=profile.md")
        assert "≠ differs" in files.text
        talk = words_of((await client.get(f"{here}/transcript?arm=with_skill&trial=1")).text)
        assert "Task" in talk
        assert "✓ completed" in talk
        taken = await client.get(f"{here}/file?arm=with_skill&trial=1&path=profile.md")
        result = json.loads((await client.get(f"{here}/run.json")).content)
        packed = await client.get(f"{here}/archive.zip")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.read("with_skill/output/profile.md") == taken.content
        kept = json.loads(archive.read("result.json"))["run"]
    assert kept["assertions"] == result["run"]["assertions"]
    assert result["record"]["run"] == run


async def test_the_list_of_runs_and_the_skill_lead_to_the_page_of_a_run(scene: Scene) -> None:
    scene.label(1)
    await scene.label_gone(1)
    run = find_run(scene.reports(1)[0])
    runs = "/repos/sample-org/skills/runs"
    async with httpx.AsyncClient(base_url=scene.stage.bot_url, timeout=WAIT_S) as client:
        assert f'href="{runs}/{run}"' in (await client.get(runs)).text
        page = (await client.get(f"{runs}/{run}")).text
    assert f'href="{runs}"' in page
    assert f'href="{runs}/{run}/diff"' in page
