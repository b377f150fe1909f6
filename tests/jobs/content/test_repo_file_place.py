"""Where the repository's own file may lie: the file itself, as GitHub shows it to handlers."""

from pathlib import Path

import pytest

from config.repo_file import RepoFile
from jobs.content.repo_file import load_repo_file
from jobs.content.snapshot import Snapshot

FILE = ".github/skillbench.yml"


def read(root: Path) -> RepoFile:
    return load_repo_file(Snapshot(root, "a" * 40))


@pytest.mark.parametrize("name", ["skillbench.yml", "skillbench.yaml"])
def test_a_file_is_read_under_either_name(tmp_path: Path, name: str) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".github" / name).write_text("trials: 3\n")
    assert read(tmp_path).trials == 3


def test_a_link_is_no_such_file(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / "elsewhere.yml").write_text("trials: 3\n")
    (tmp_path / FILE).symlink_to("../elsewhere.yml")
    assert read(tmp_path) == RepoFile()
    (tmp_path / FILE).with_suffix(".yaml").write_text("trials: 2\n")
    assert read(tmp_path).trials == 2, "and it is no second one"


def test_a_file_behind_a_link_is_none_either(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings/skillbench.yml").write_text("trials: 3\n")
    (tmp_path / ".github").symlink_to("settings")
    assert read(tmp_path) == RepoFile()


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir(parents=True)
    assert read(tmp_path) == RepoFile()
