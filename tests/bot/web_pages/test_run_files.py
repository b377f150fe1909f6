"""Files of sessions: shown as what they are not dangerous as, and taken along by their names."""

import asyncio
import hashlib
import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.web.run_downloads import MOST_ARCHIVES
from jobs.again.kept_runs import read_archive
from jobs.sessions.bundle import read_bundle
from jobs.values import Arm
from tests.bot.web_pages.hostile_files import ODD_NAME, hostile_files
from tests.bot.web_pages.ledger_seed import some_files
from tests.bot.web_pages.run_seed import (
    ARCHIVED,
    GRADED,
    HALF_SWEPT,
    HOSTILE_RUN,
    SWEPT,
    RunPages,
    page_of,
    put_archived,
    put_graded,
    put_hostile,
    put_swept,
    run_pages,
)
from tests.bot.web_pages.test_run_page import words_of

LEFT = some_files(Arm.WITH_SKILL)


@pytest.fixture
async def pages(redis_url: str, tmp_path: Path) -> AsyncIterator[RunPages]:
    async with run_pages(redis_url, tmp_path) as pages:
        yield pages


def file_of(run_id: str, path: str, arm: str = "with_skill", trial: object = 1) -> str:
    return page_of(run_id, f"/file?arm={arm}&trial={trial}&path={quote(path, safe='')}")


@pytest.mark.parametrize("path", LEFT)
async def test_every_file_can_be_taken_along_whole(pages: RunPages, path: str) -> None:
    await put_graded(pages)
    answer = await pages.client.get(file_of(GRADED, path))
    assert answer.status_code == 200
    assert answer.content == LEFT[path]
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    way, _, name = answer.headers["content-disposition"].partition(";")
    assert way == ("inline" if path == "chart.png" else "attachment")
    assert path.rpartition("/")[2] in name
    media = "image/png" if path == "chart.png" else "application/octet-stream"
    assert answer.headers["content-type"] == media


async def test_a_picture_is_one_by_its_first_bytes_and_not_by_its_name(pages: RunPages) -> None:
    await put_hostile(pages)
    lies = await pages.client.get(file_of(HOSTILE_RUN, "lies.png"))
    assert lies.headers["content-type"] == "application/octet-stream"
    assert lies.headers["content-disposition"].startswith("attachment")
    truth = await pages.client.get(file_of(HOSTILE_RUN, "truth.html"))
    assert truth.headers["content-type"] == "image/png"


async def test_a_name_breaks_out_of_no_header(pages: RunPages) -> None:
    await put_hostile(pages)
    answer = await pages.client.get(file_of(HOSTILE_RUN, ODD_NAME))
    assert answer.content == hostile_files(Arm.WITH_SKILL)[ODD_NAME]
    plain = answer.headers["content-disposition"].partition("filename*=")[0]
    assert plain.count('"') == 2
    assert plain.isascii()
    assert "%E2%80%AE" not in answer.headers["content-disposition"], "it turns the name round"
    page = await pages.client.get(page_of(HOSTILE_RUN, f"/files?path={quote(ODD_NAME, safe='')}"))
    assert page.status_code == 200
    assert "\u202e" not in page.text


@pytest.mark.parametrize(
    ("path", "arm", "trial"),
    [
        ("../session.json", "with_skill", 1),
        ("session.json", "with_skill", 1),
        ("output/response.md", "with_skill", 1),
        ("/etc/passwd", "with_skill", 1),
        ("", "with_skill", 1),
        ("response.md", "candidate_skill", 1),
        ("response.md", "../without_skill", 1),
        ("response.md", "with_skill", 2),
        ("response.md", "with_skill", "9" * 30),
        ("response.md\0", "with_skill", 1),
        ("notes/deep", "with_skill", 1),
    ],
)
async def test_only_what_a_session_is_known_to_have_left_is_there(
    pages: RunPages, path: str, arm: str, trial: object
) -> None:
    await put_graded(pages)
    answer = await pages.client.get(file_of(GRADED, path, arm, trial))
    assert answer.status_code == 404
    assert "Not here" in answer.text


@pytest.mark.parametrize("path", hostile_files(Arm.WITH_SKILL))
async def test_no_file_hurts_the_page_that_shows_it(pages: RunPages, path: str) -> None:
    await put_hostile(pages)
    answer = await pages.client.get(page_of(HOSTILE_RUN, f"/files?path={quote(path, safe='')}"))
    assert answer.status_code == 200
    assert len(answer.content) < 3_000_000
    assert "alert(1)</script>" not in answer.text
    assert "<svg xmlns" not in answer.text


async def test_kinds_of_files_are_shown_in_their_own_ways(pages: RunPages) -> None:
    await put_graded(pages)

    async def read(path: str) -> str:
        answer = await pages.client.get(page_of(GRADED, f"/files?path={quote(path, safe='')}"))
        assert answer.status_code == 200
        return answer.text

    table = await read("table.csv")
    assert '<th scope="col">word</th>' in table
    assert "<td>w39</td><td>1521</td>" in table
    assert '<img src="/repos/acme/skills/runs/' in await read("chart.png")
    assert "&lt;h1&gt;not a page of ours&lt;/h1&gt;" in await read("page.html")
    for path in ("paper.pdf", "letter.docx", "data.bin"):
        text = words_of(await read(path))
        assert "This kind of file is not shown. Download it" in text
        assert f"{len(LEFT[path])} bytes" in text
    text = words_of(await read("response.md"))
    assert "1 line added, 1 removed" in text
    assert "+ Total: 42 words, by with_skill." in text
    assert "\N{MINUS SIGN} Total: 42 words, by without_skill." in text


async def test_all_files_are_listed_by_name(pages: RunPages) -> None:
    await put_graded(pages)
    answer = await pages.client.get(page_of(GRADED, "/files"))
    text = words_of(answer.text)
    assert [path for path in LEFT if path not in text] == []
    assert (await pages.client.get(page_of(GRADED, "/files?path=nothing"))).status_code == 404


async def test_what_was_changed_in_the_store_is_not_given_out(pages: RunPages) -> None:
    result = await put_graded(pages)
    key = f"runs/{GRADED}/ended/with_skill-1.zip"
    forged = io.BytesIO()
    with zipfile.ZipFile(forged, "w", zipfile.ZIP_DEFLATED) as bundle:
        for file in result.sessions[0].outputs:
            bundle.writestr(f"output/{file.path}", b"x" * file.size_bytes)
    await pages.blobs.put(key, forged.getvalue())
    answer = await pages.client.get(file_of(GRADED, "response.md"))
    assert answer.status_code == 410
    assert "is not what its session left" in answer.text
    page = await pages.client.get(page_of(GRADED))
    assert page.status_code == 200
    assert "This cannot be shown" in page.text


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\0" * 18])
async def test_a_bundle_that_is_none_is_told(pages: RunPages, content: bytes) -> None:
    await put_graded(pages)
    await pages.blobs.put(f"runs/{GRADED}/ended/with_skill-1.zip", content)
    for part in ("/transcript?arm=with_skill", "/transcript.jsonl?arm=with_skill"):
        answer = await pages.client.get(page_of(GRADED, part))
        assert answer.status_code == 410
        assert "This cannot be shown" in answer.text
    assert (await pages.client.get(page_of(GRADED))).status_code == 200


async def test_a_bomb_is_not_unpacked(pages: RunPages) -> None:
    """A zip that claims more than the session left is refused by what its directory says."""
    await put_graded(pages)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("output/chart.png", b"\0" * 300_000_000)
    await pages.blobs.put(f"runs/{GRADED}/ended/with_skill-1.zip", bomb.getvalue())
    answer = await pages.client.get(file_of(GRADED, "chart.png"))
    assert answer.status_code == 410
    assert "is not of the size" in answer.text


async def test_the_archive_that_is_stored_is_the_one_that_is_given(pages: RunPages) -> None:
    await put_archived(pages, ARCHIVED)
    answer = await pages.client.get(page_of(ARCHIVED, "/archive.zip"))
    stored = [one.key async for one in pages.blobs.walk("archives") if one.key.endswith(".zip")]
    assert answer.content == await pages.blobs.get(stored[0])
    assert answer.headers["content-disposition"].startswith("attachment")


async def test_without_one_an_archive_is_made_that_reads_back(pages: RunPages) -> None:
    result = await put_graded(pages)
    answer = await pages.client.get(page_of(GRADED, "/archive.zip"))
    path = pages.folder / "taken.zip"
    path.write_bytes(answer.content)
    kept = read_archive(path, pages.folder)
    assert kept.result == result
    for number, bundle in enumerate(kept.bundles.values()):
        unpacked = pages.folder / f"unpacked-{number}"
        read_bundle(bundle, unpacked)
        found = (unpacked / "output/response.md").read_bytes()
        assert hashlib.sha256(found).hexdigest() == result.sessions[number].outputs[-2].sha256
    assert list((pages.folder / "data/web-scratch").iterdir()) == []


async def test_many_who_want_archives_at_once_fill_no_disk(pages: RunPages) -> None:
    await put_graded(pages)
    path = page_of(GRADED, "/archive.zip")
    async with asyncio.TaskGroup() as asking:
        tasks = [asking.create_task(pages.client.get(path)) for _ in range(5 * MOST_ARCHIVES)]
    assert {task.result().status_code for task in tasks} == {200, 503}
    for _ in range(2 * MOST_ARCHIVES):  # whoever has one makes room for the next
        assert (await pages.client.get(path)).status_code == 200


async def test_the_result_is_given_as_json(pages: RunPages) -> None:
    result = await put_graded(pages)
    answer = await pages.client.get(page_of(GRADED, "/run.json"))
    found = json.loads(answer.content)
    assert found["run"] == result.model_dump(mode="json")
    assert found["record"]["run"] == GRADED
    assert answer.headers["content-disposition"].startswith("attachment")


async def test_of_a_swept_run_no_file_is_given(pages: RunPages) -> None:
    await put_swept(pages)
    assert (await pages.client.get(page_of(SWEPT, "/archive.zip"))).status_code == 404
    record = json.loads((await pages.client.get(page_of(SWEPT, "/run.json"))).content)
    assert record["run"] is None
    answer = await pages.client.get(file_of(HALF_SWEPT, "response.md"))
    assert answer.status_code == 404
    assert "not kept here any more" in answer.text
