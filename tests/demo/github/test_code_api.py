"""Commits, trees, files, tarballs and releases."""

import base64
import io
import shutil
import subprocess
import tarfile
from datetime import timedelta
from pathlib import Path

import pytest

from demo.github.commits import load_folder, load_tarball, make_commit
from tests.demo.github.conftest import SAMPLE, MovableClock, Stage, write_sample

REPO = "/repos/octo/skills"
PHARMA = Path(__file__).parents[4] / "shared/data/pharma/pharma-skills.tar.gz"


async def _download(stage: Stage, ref: str) -> tarfile.TarFile:
    answer = await stage.http.get(f"{REPO}/tarball/{ref}", follow_redirects=True)
    assert answer.headers["content-type"] == "application/x-gzip"
    return tarfile.open(fileobj=io.BytesIO(answer.content), mode="r:gz")


async def test_a_tarball_has_one_top_folder_named_as_github_names_it_and_keeps_links(
    stage: Stage,
) -> None:
    head = stage.repo.head
    with await _download(stage, head) as archive:
        members = {member.name: member for member in archive}
        top = f"octo-skills-{head[:7]}"
        assert {name.partition("/")[0] for name in members} == {top}
        assert members[f"{top}/count"].linkname == "skills/count"
        assert members[f"{top}/skills/count/run.sh"].mode & 0o100
        assert archive.pax_headers["comment"] == head
        for path, content in SAMPLE.items():
            packed = archive.extractfile(f"{top}/{path}")
            assert packed is not None
            assert packed.read() == content


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git, which is not here")
def test_commit_and_tree_ids_are_those_git_gives(tmp_path: Path) -> None:
    write_sample(tmp_path)
    (tmp_path / "skills.md").write_text("sorts between a folder's name and its slash")
    run = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(tmp_path)]
    subprocess.run([*run, "init", "-q"], check=True)
    subprocess.run([*run, "add", "-A"], check=True)
    tree = subprocess.run([*run, "write-tree"], check=True, capture_output=True, text=True)
    clock = MovableClock()
    commit = make_commit(
        load_folder(tmp_path), parent=None, author="maria", at=clock(), message="First"
    )
    assert commit.tree_sha == tree.stdout.strip()
    stamp = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "maria"),
            ("EMAIL", "maria@users.noreply.github.com"),
            ("DATE", f"{int(clock().timestamp())} +0000"),
        )
    }
    made = subprocess.run(
        [*run, "commit-tree", commit.tree_sha, "-m", "First"],
        check=True,
        capture_output=True,
        text=True,
        env=stamp,
    )
    assert commit.sha == made.stdout.strip()


async def test_a_push_makes_a_new_commit_and_the_old_one_stays(
    stage: Stage, tmp_path: Path
) -> None:
    old = stage.repo.head
    (tmp_path / "next").mkdir()
    (tmp_path / "next/only.txt").write_text("only")
    new = stage.repo.push(tmp_path / "next", by="maria", message="Leave one file")
    assert (await stage.http.get(f"{REPO}/commits/main")).json()["sha"] == new
    with await _download(stage, "main") as archive:
        assert f"octo-skills-{new[:7]}/only.txt" in archive.getnames()
    with await _download(stage, old) as archive:
        assert f"octo-skills-{old[:7]}/README.md" in archive.getnames()
    shape = (await stage.http.get(f"{REPO}/commits/{new}")).json()
    assert shape["parents"][0]["sha"] == old
    assert {row["filename"]: row["status"] for row in shape["files"]}["only.txt"] == "added"


@pytest.mark.parametrize("ref", ["main", "heads/main", "HEAD", "FULL", "SHORT"])
async def test_a_ref_can_be_spelled_in_many_ways_and_its_id_asked_for_alone(
    stage: Stage, ref: str
) -> None:
    head = stage.repo.head
    spelled = {"FULL": head, "SHORT": head[:8]}.get(ref, ref)
    answer = await stage.http.get(
        f"{REPO}/commits/{spelled}", headers={"accept": "application/vnd.github.sha"}
    )
    assert answer.text == head


async def test_unknown_refs_and_empty_repositories_are_refused_as_github_does(
    stage: Stage,
) -> None:
    stage.gh.add_repository("octo", "empty")
    assert (await stage.http.get(f"{REPO}/commits/nothing")).status_code == 422
    assert (await stage.http.get(f"{REPO}/branches/nothing")).status_code == 404
    assert (await stage.http.get(f"{REPO}/contents/nothing")).status_code == 404
    empty = await stage.http.get("/repos/octo/empty/commits/main")
    assert (empty.status_code, empty.json()["message"]) == (409, "Git Repository is empty.")
    lost = await stage.http.get(f"{REPO}/tarball/nothing", follow_redirects=True)
    assert lost.status_code == 404


async def test_a_file_comes_in_base64_or_raw_and_a_link_with_its_target(stage: Stage) -> None:
    path = f"{REPO}/contents/skills/count/SKILL.md"
    shape = (await stage.http.get(path)).json()
    content = SAMPLE["skills/count/SKILL.md"]
    assert base64.b64decode(shape["content"]) == content
    raw = await stage.http.get(path, headers={"accept": "application/vnd.github.raw+json"})
    assert raw.content == content
    link = (await stage.http.get(f"{REPO}/contents/count")).json()
    assert (link["type"], link["target"]) == ("symlink", "skills/count")
    rows = (await stage.http.get(f"{REPO}/contents")).json()
    assert {row["name"]: row["type"] for row in rows} == {
        "README.md": "file",
        "count": "symlink",
        "skills": "dir",
    }


async def test_a_private_tarball_needs_the_address_it_was_given_and_that_ages(
    stage: Stage, tmp_path: Path
) -> None:
    stage.gh.add_repository(
        "octo", "closed", folder=write_sample(tmp_path / "closed"), private=True
    )
    redirect = await stage.http.get("/repos/octo/closed/tarball/main")
    address = redirect.headers["location"]
    assert (await stage.http.get(address)).status_code == 200
    assert (await stage.http.get(address.partition("?")[0])).status_code == 404
    stage.clock.pass_time(timedelta(minutes=5))
    assert (await stage.http.get(address)).status_code == 404


async def _release(stage: Stage, **fields: object) -> dict[str, str]:
    body = {"tag_name": "results", "prerelease": True} | fields
    answer = await stage.http.post(f"{REPO}/releases", json=body)
    assert answer.status_code == 201
    shape = answer.json()
    return {"upload": shape["upload_url"].partition("{")[0], "assets": shape["assets_url"]}


async def _upload(stage: Stage, address: str, name: str, content: bytes = b"zip") -> int:
    answer = await stage.http.post(
        address,
        params={"name": name},
        content=content,
        headers={"content-type": "application/zip"},
    )
    return answer.status_code


async def test_an_asset_goes_to_the_uploads_address_and_only_there(stage: Stage) -> None:
    release = await _release(stage)
    assert release["upload"].startswith(f"{stage.served.web_url}/api/uploads/")
    assert await _upload(stage, release["assets"], "a.zip") == 404
    assert await _upload(stage, release["upload"], "a.zip") == 201
    assert await _upload(stage, release["upload"], "a.zip") == 422
    rows = (await stage.http.get(release["assets"])).json()
    assert [(row["name"], row["size"]) for row in rows] == [("a.zip", 3)]
    api = await stage.http.get(rows[0]["url"], headers={"accept": "application/octet-stream"})
    page = await stage.http.get(rows[0]["browser_download_url"])
    assert api.content == page.content == b"zip"
    assert page.headers["content-disposition"].startswith("attachment")


async def test_a_release_holds_a_thousand_assets(stage: Stage) -> None:
    release = await _release(stage)
    published = stage.repo.release("results")
    assert published is not None
    for number in range(999):
        await _upload(stage, release["upload"], f"{number}.zip")
    assert await _upload(stage, release["upload"], "last.zip") == 201
    assert await _upload(stage, release["upload"], "one-too-many.zip") == 422
    assert len(published.assets) == 1000
    page = await stage.http.get(release["assets"], params={"per_page": 100})
    assert page.links["last"]["url"].endswith("page=10")


async def test_an_immutable_release_takes_no_asset_once_it_is_published(stage: Stage) -> None:
    stage.repo.repository.releases_are_immutable = True
    release = await _release(stage)
    assert await _upload(stage, release["upload"], "a.zip") == 422
    draft = await _release(stage, tag_name="draft", draft=True)
    assert await _upload(stage, draft["upload"], "a.zip") == 201


async def test_a_tag_is_released_once_and_drafts_are_not_found_by_it(stage: Stage) -> None:
    await _release(stage)
    again = await stage.http.post(f"{REPO}/releases", json={"tag_name": "results"})
    assert again.json()["errors"][0]["code"] == "already_exists"
    await _release(stage, tag_name="later", draft=True)
    assert (await stage.http.get(f"{REPO}/releases/tags/later")).status_code == 404
    stage.gh.add_repository("octo", "empty")
    empty = await stage.http.post("/repos/octo/empty/releases", json={"tag_name": "v1"})
    assert empty.status_code == 422


@pytest.mark.shared
@pytest.mark.skipif(not PHARMA.exists(), reason="the real skills repository is not beside us")
async def test_a_real_tarball_comes_back_with_the_same_files_and_links(
    stage: Stage, tmp_path: Path
) -> None:
    repo = stage.gh.add_repository("octo", "pharma-skills", tarball=PHARMA)
    answer = await stage.http.get(
        f"/repos/{repo.full_name}/tarball/{repo.head}", follow_redirects=True
    )
    packed = tmp_path / "packed.tar.gz"
    packed.write_bytes(answer.content)
    first, second = load_tarball(PHARMA), load_tarball(packed)
    assert first.entries == second.entries
    assert sum(entry.mode == "120000" for entry in first.entries.values()) >= 3


async def test_a_tarball_that_names_its_commit_keeps_that_id(stage: Stage, tmp_path: Path) -> None:
    answer = await stage.http.get(f"{REPO}/tarball/main", follow_redirects=True)
    packed = tmp_path / "packed.tar.gz"
    packed.write_bytes(answer.content)
    copy = stage.gh.add_repository("acme", "copy", tarball=packed)
    assert copy.head == stage.repo.head
