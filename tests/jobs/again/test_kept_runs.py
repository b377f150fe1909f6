"""A run read back from what keeps it: whole, checked, and only for its own repository."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from bot.blobs import Blobs
from jobs.again.kept_runs import KeptRun, find_kept_run
from jobs.errors import Refused
from jobs.publishing import archive_pointer
from jobs.results import RunResult
from jobs.sessions.bundle import read_bundle, write_bundle
from jobs.steps import SessionKey, session_keys
from jobs.values import OutputFile
from jobs.world import World
from tests.broken_zips import BROKEN_ZIPS
from tests.builders import a_result, a_run_spec, a_session

REPO = "acme/skills"
TEXT = b"forty-two words\n"


@dataclass
class Keeper:
    """A blob store, and a GitHub that has one archive or none."""

    folder: Path
    archive: Path | None = None
    runs: "Keeper" = field(init=False)

    def __post_init__(self) -> None:
        self.runs = self
        self.github = self
        self.blobs = Blobs(f"file://{self.folder}/blobs")

    async def fetch_archive(self, run_id: str, target: Path) -> bool:
        if self.archive is None:
            return False
        shutil.copyfile(self.archive, target)
        return True

    async def find(self, run: str, repo: str = REPO) -> KeptRun | None:
        place = self.folder / "found"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return await find_kept_run(run, place, cast("World", self), repo)


def a_run(folder: Path, trials: int = 1) -> tuple[RunResult, dict[SessionKey, Path]]:
    """A result, and the bundles of its sessions."""
    output = folder / "output"
    output.mkdir(parents=True)
    (output / "report.md").write_bytes(TEXT)
    left = OutputFile(
        path="report.md", size_bytes=len(TEXT), sha256=hashlib.sha256(TEXT).hexdigest()
    )
    spec = a_run_spec(trials=trials)
    sessions, bundles = [], {}
    for key in session_keys(spec):
        session = a_session(key.arm, trial=key.trial, outputs=(left,))
        bundles[key] = folder / key.bundle
        write_bundle(bundles[key], session, folder / "no-transcript", output)
        sessions.append(session)
    return a_result(spec=spec, sessions=tuple(sessions)), bundles


def make_archive(target: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target


def members_of(result: RunResult, bundles: Mapping[SessionKey, Path]) -> dict[str, bytes]:
    members = {"result.json": json.dumps({"run": result.model_dump(mode="json")}).encode()}
    for key, bundle in bundles.items():
        of_trial = f"trial_{key.trial}/" if result.spec.trials > 1 else ""
        with zipfile.ZipFile(bundle) as packed:
            for name in packed.namelist():
                members[f"{of_trial}{key.arm}/{name}"] = packed.read(name)
    return members


@pytest.mark.parametrize("trials", [1, 3])
async def test_a_run_comes_back_from_its_archive_as_it_was(tmp_path: Path, trials: int) -> None:
    result, bundles = a_run(tmp_path / "run", trials)
    archive = make_archive(tmp_path / "a.zip", members_of(result, bundles))
    found = await Keeper(tmp_path, archive).find(result.spec.run_id)
    assert found is not None
    assert found.result == result
    assert found.bundles.keys() == bundles.keys()
    for number, bundle in enumerate(found.bundles.values()):
        unpacked = tmp_path / f"unpacked-{number}"
        read_bundle(bundle, unpacked)
        assert (unpacked / "output" / "report.md").read_bytes() == TEXT


async def test_the_blob_store_is_enough_while_it_has_everything(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "run")
    keeper = Keeper(tmp_path)
    base = f"runs/{result.spec.run_id}"
    await keeper.blobs.put(f"{base}/ended.json", result.model_dump_json().encode())
    for key, bundle in bundles.items():
        await keeper.blobs.put(f"{base}/ended/{key.bundle}", bundle)
    found = await keeper.find(result.spec.run_id)
    assert found is not None
    assert found.result == result
    await keeper.blobs.delete(f"{base}/ended/{next(iter(bundles)).bundle}")
    assert await keeper.find(result.spec.run_id) is None


async def test_a_result_of_another_version_is_looked_for_in_the_archive(tmp_path: Path) -> None:
    result, bundles = a_run(tmp_path / "run")
    keeper = Keeper(tmp_path, make_archive(tmp_path / "a.zip", members_of(result, bundles)))
    older = {"spec": {"run_id": result.spec.run_id}, "winner": "with_skill"}
    await keeper.blobs.put(f"runs/{result.spec.run_id}/ended.json", json.dumps(older).encode())
    found = await keeper.find(result.spec.run_id)
    assert found is not None
    assert found.result == result


async def test_a_run_of_another_repository_is_not_given_out(tmp_path: Path) -> None:
    """The blob store is one for all; an id is no secret."""
    result, bundles = a_run(tmp_path / "run")
    keeper = Keeper(tmp_path)
    base = f"runs/{result.spec.run_id}"
    await keeper.blobs.put(f"{base}/ended.json", result.model_dump_json().encode())
    for key, bundle in bundles.items():
        await keeper.blobs.put(f"{base}/ended/{key.bundle}", bundle)
    assert await keeper.find(result.spec.run_id, "evil/other") is None
    assert await keeper.find(result.spec.run_id, "ACME/Skills") is not None


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"result.json": b"not json"},
        {"result.json": b'{"run": {}}'},
        {"result.json": b"[" * 100_000},
    ],
    ids=["empty", "no json", "no run", "deep"],
)
async def test_an_archive_that_is_no_run_is_refused(
    tmp_path: Path, members: dict[str, bytes]
) -> None:
    archive = make_archive(tmp_path / "a.zip", members)
    with pytest.raises(Refused, match="cannot be read"):
        await Keeper(tmp_path, archive).find("5e1f00d5a1ad")


@pytest.mark.parametrize("content", [b"not a zip", *BROKEN_ZIPS.values()])
async def test_an_archive_that_cannot_be_unpacked_is_refused(
    tmp_path: Path, content: bytes
) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(content)
    with pytest.raises(Refused, match="cannot be read"):
        await Keeper(tmp_path, archive).find("5e1f00d5a1ad")


async def test_nothing_beside_a_session_gets_into_its_bundle(tmp_path: Path) -> None:
    """What somebody packed in besides is left where it is."""
    result, bundles = a_run(tmp_path / "run")
    members = members_of(result, bundles)
    members |= {"with_skill/../../evil": b"1", "with_skill/extra.txt": b"2"}
    archive = make_archive(tmp_path / "a.zip", members)
    found = await Keeper(tmp_path, archive).find(result.spec.run_id)
    assert found is not None
    for bundle in found.bundles.values():
        with zipfile.ZipFile(bundle) as packed:
            assert set(packed.namelist()) == {
                "session.json",
                "transcript.jsonl",
                "output/report.md",
            }


async def test_an_archive_that_stays_with_the_operator_is_found_there(tmp_path: Path) -> None:
    """Where the repository has no releases made, the copy here is the only one."""
    result, bundles = a_run(tmp_path / "run")
    archive = make_archive(tmp_path / "a.zip", members_of(result, bundles))
    keeper = Keeper(tmp_path)
    await keeper.blobs.put("archives/some-name.zip", archive)
    await keeper.blobs.put(archive_pointer(result.spec.run_id), b"some-name.zip")
    found = await keeper.find(result.spec.run_id)
    assert found is not None
    assert found.result == result
    assert await keeper.find(result.spec.run_id, "evil/other") is None
