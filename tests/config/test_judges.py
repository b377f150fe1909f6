"""The repository's file names one judge, or a list of up to three."""

import pytest

from config.repo_file import RepoFileError, parse_repo_file


@pytest.mark.parametrize(
    ("written", "judge"),
    [
        ("judge: claude-opus\n", "claude-opus"),
        ("judge: [claude-opus, gpt-5.2]\n", "claude-opus,gpt-5.2"),
        (
            "judge:\n  - claude-opus\n  - gpt-5.2\n  - gemini-2.5-pro\n",
            "claude-opus,gpt-5.2,gemini-2.5-pro",
        ),
        ("judge: claude-opus, gpt-5.2\n", "claude-opus,gpt-5.2"),
        ("", None),
        ("judge:\n", None),
    ],
)
def test_judges_are_read(written: str, judge: str | None) -> None:
    assert parse_repo_file(written.encode()).judge == judge


@pytest.mark.parametrize(
    "written",
    [
        "judge: []\n",
        "judge: [a-1, b-1, c-1, d-1]\n",
        "judge: ['', b-1]\n",
        "judge: a-1,,b-1\n",
        "judge: {a: b}\n",
        f"judge: {'a' * 300}\n",
        "judge: [[a-1], b-1]\n",
    ],
)
def test_what_names_no_judges_is_told_with_its_key(written: str) -> None:
    with pytest.raises(RepoFileError) as told:
        parse_repo_file(written.encode())
    assert "judge" in str(told.value)
    assert "line 1" in str(told.value)
