"""The archive holds everything, is the same for the same run, and lets nothing escape."""

import asyncio
import json
import os
import zipfile

import pytest

from jobs.reporting.archive import ArchiveContent, make_archive
from jobs.reporting.key_files import MOST_BYTES, MOST_FILES, find_key_files
from jobs.results import RunResult
from tests.builders import a_pass, a_repo, a_result, a_run_spec, a_skill, an_eval_case


def make_bundle(path, files):
    with zipfile.ZipFile(path, "w") as target:
        for name, content in files.items():
            target.writestr(name, content)
    return path


@pytest.fixture
def content(tmp_path):
    bundles = {
        arm: make_bundle(
            tmp_path / f"{arm}.zip",
            {
                "session.json": "{}",
                "transcript.jsonl": '{"kind": "prompt"}\n',
                "output/report.md": f"by {arm}",
                "output/Übersicht ↔ v1.md": "x",
                "output/-rf": "y",
                "output/a\nb|c.txt": "z",
            },
        )
        for arm in ("with_skill", "without_skill")
    }
    return ArchiveContent(
        result=a_result(
            passes=(a_pass(1, prompt_version="1", raw_answers=("first", "{}")), a_pass(2))
        ),
        bundles=bundles,
        prompts={"task.md": "Count.", "../../etc/judge.md": "Judge."},
        report="# Report",
    )


async def test_everything_the_report_was_made_from_is_in_it(content, tmp_path):
    archive = await make_archive(content, tmp_path / "out")
    with zipfile.ZipFile(archive.path) as opened:
        assert opened.testzip() is None
        names = set(opened.namelist())
        assert opened.read("without_skill/output/report.md") == b"by without_skill"
        assert opened.read("judge/pass_1_answer_1.txt") == b"first"
        assert b"5e1f00d5a1ad" in opened.read("README.txt")
    assert names == {
        "README.txt",
        "result.json",
        "report.md",
        "prompts/task.md",
        "prompts/etc/judge.md",
        "judge/pass_1.json",
        "judge/pass_1_answer_1.txt",
        "judge/pass_1_answer_2.txt",
        "judge/pass_2.json",
        "judge/pass_2_answer_1.txt",
        *(
            f"{arm}/{name}"
            for arm in ("with_skill", "without_skill")
            for name in (
                "session.json",
                "transcript.jsonl",
                "output/report.md",
                "output/Übersicht ↔ v1.md",
                "output/-rf",
                "output/a\nb|c.txt",
            )
        ),
    }


async def test_result_json_is_versioned_and_read_back_as_the_result(content, tmp_path):
    archive = await make_archive(content, tmp_path / "out")
    with zipfile.ZipFile(archive.path) as opened:
        stored = json.loads(opened.read("result.json"))
    assert stored["version"] == 1
    assert stored["record"]["judge_prompt"] == "1"
    assert RunResult.model_validate(stored["run"]) == content.result


async def test_the_same_run_gives_the_same_bytes_and_name(content, tmp_path):
    first = await make_archive(content, tmp_path / "one")
    second = await make_archive(content, tmp_path / "two")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.name == second.name
    assert first.name == f"skills-github-issue-21-word-count-5e1f00d5a1ad-{first.sha256[:12]}.zip"
    assert first.size_bytes == first.path.stat().st_size
    assert [path.name for path in (tmp_path / "one").iterdir()] == [first.name]


async def test_any_names_make_a_plain_asset_name(tmp_path):
    spec = a_run_spec(
        repo=a_repo(name="Skills.Repo"),
        eval_case=an_eval_case(id="../text/Wörter#1 🧮" + "x" * 300),
        skill=a_skill(name="🧮"),
    )
    archive = await make_archive(ArchiveContent(result=a_result(spec=spec), bundles={}), tmp_path)
    assert archive.name.startswith("skills-repo-text-worter-1-x")
    assert archive.name.replace("-", "").replace(".", "").isalnum()
    assert archive.name.isascii()
    assert "-x-5e1f00d5a1ad-" in archive.name
    assert len(archive.name) < 200


async def test_a_bundle_cannot_write_outside_its_folder(content, tmp_path):
    bundle = make_bundle(
        tmp_path / "bad.zip", {"../evil": "1", "/abs": "2", "output/../../x": "3", "output/ok": "4"}
    )
    only = ArchiveContent(result=content.result, bundles={"with/../skill": bundle})
    archive = await make_archive(only, tmp_path / "out")
    with zipfile.ZipFile(archive.path) as opened:
        names = [name for name in opened.namelist() if name.startswith("with")]
    assert names == ["with/--/skill/output/ok"]


async def test_a_broken_bundle_is_an_error_and_leaves_no_archive(tmp_path):
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no zip")
    content = ArchiveContent(result=a_result(), bundles={"with_skill": broken})
    with pytest.raises(zipfile.BadZipFile):
        await make_archive(content, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.zip"))


async def test_key_files_are_texts_with_prose_first_and_the_last_message_behind_it(tmp_path):
    bundle = make_bundle(
        tmp_path / "b.zip",
        {
            "session.json": "{}",
            "transcript.jsonl": "x",
            "output/response.md": "Done.",
            "output/count.py": "print(1)",
            "output/table.csv": "a,b",
            "output/report.md": "\ufeff# Wörter",
            "output/chart.png": b"\x89PNG\0",
            "output/latin.txt": b"W\xf6rter",
            "output/empty.md": " \n",
        },
    )
    files = await find_key_files(bundle)
    assert [name for name, _ in files] == ["report.md", "response.md", "count.py", "table.csv"]
    assert files[0][1] == "# Wörter"


async def test_only_a_few_key_files_and_only_their_beginnings_are_taken(tmp_path):
    many = {f"output/{number:02}.md": "x" for number in range(30)}
    many["output/00.md"] = "x" * (MOST_BYTES - 1) + "ö" * 10
    files = await find_key_files(make_bundle(tmp_path / "b.zip", many))
    assert len(files) == MOST_FILES
    assert files[0] == ("00.md", "x" * (MOST_BYTES - 1))


async def test_packing_much_holds_up_nobody(content, tmp_path):
    """Limits of other sessions have to fire on time meanwhile."""
    large = {"output/large.bin": os.urandom(60_000_000)}
    content.bundles["with_skill"] = make_bundle(tmp_path / "large.zip", large)
    loop = asyncio.get_running_loop()
    packing = asyncio.create_task(make_archive(content, tmp_path / "out"))
    delays = []
    while not packing.done():
        before = loop.time()
        await asyncio.sleep(0.01)
        delays.append(loop.time() - before)
    assert (await packing).path.stat().st_size > 60_000_000
    assert len(delays) > 1
    assert max(delays) < 1
