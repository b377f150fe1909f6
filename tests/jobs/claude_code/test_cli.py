"""Finding the native program of Claude Code, and saying what is wrong if there is none."""

import os
from pathlib import Path

import pytest

from jobs.claude_code.cli import ClaudeCli, find_version_problem
from jobs.errors import Refused


def a_native(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF rest")
    return path


def a_script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/usr/bin/env node\n")
    return path


def test_the_setting_wins_over_the_path(tmp_path):
    named, other = a_native(tmp_path / "a" / "claude"), a_native(tmp_path / "b" / "claude")
    assert ClaudeCli.find(str(named), find_program=lambda _: str(other)).binary == named
    assert ClaudeCli.find("", find_program=lambda _: str(other)).binary == other


def test_links_are_followed_to_the_program(tmp_path):
    """The native installer puts a link on PATH."""
    native = a_native(tmp_path / "share" / "versions" / "2.1.197")
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir()
    link.symlink_to(native)
    assert ClaudeCli.find(str(link)).binary == native


@pytest.mark.parametrize(
    "place",
    [
        "lib/node_modules/@anthropic-ai/{package}/claude",
        "lib/node_modules/@anthropic-ai/claude-code/node_modules/@anthropic-ai/{package}/claude",
    ],
)
def test_behind_the_script_of_npm_lies_the_program(tmp_path, place):
    script = a_script(tmp_path / "lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe")
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, "x64")
    native = a_native(tmp_path / place.format(package=f"claude-code-linux-{machine}"))
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir()
    link.symlink_to(script)
    assert ClaudeCli.find(str(link)).binary == native


def test_a_program_that_is_missing_is_told_with_what_to_install():
    with pytest.raises(Refused, match=r"not installed: install version 2\.1\.197 or newer with"):
        ClaudeCli.find("", find_program=lambda _: None)


def test_a_setting_that_names_nothing_is_told_by_its_place(tmp_path):
    with pytest.raises(Refused, match=f"not at {tmp_path}/none.*SKILLBENCH_CLAUDE_BINARY"):
        ClaudeCli.find(f"{tmp_path}/none")


@pytest.mark.parametrize("content", ["", "#!/usr/bin/env node\n"])
def test_a_script_with_no_program_beside_it_is_told(tmp_path, content):
    path = tmp_path / "claude"
    path.write_text(content)
    with pytest.raises(Refused, match="is a script"):
        ClaudeCli.find(str(path))


@pytest.mark.parametrize(
    "version", ["2.1.197", "2.1.197 (Claude Code)", "2.1.332", "2.10.0", "3.0.0"]
)
def test_versions_that_can_be_used(version):
    assert find_version_problem(version) is None


@pytest.mark.parametrize("version", ["2.1.196", "2.0.999", "1.9.9 (Claude Code)"])
def test_older_versions_are_told_with_the_one_that_is_needed(version):
    problem = find_version_problem(version)
    assert problem is not None
    assert problem.endswith("is too old: 2.1.197 or newer is needed.")


@pytest.mark.parametrize("version", ["", "Segmentation fault", "v"])
def test_a_program_without_a_version_is_told(version):
    assert "2.1.197" in (find_version_problem(version) or "")
