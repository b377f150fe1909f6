"""Which skills can be installed, under which name, and whole."""

import pytest

from jobs.claude_code.installed_skill import (
    MAX_SKILL_BYTES,
    TAKEN_NAMES,
    check_installable,
    folder_name,
    install_skill,
    settle_front_matter,
)
from jobs.claude_code.launcher import ClaudeCodeLauncher
from jobs.errors import Refused
from tests.builders import a_model, a_run_spec, a_skill
from tests.jobs.claude_code.sessions import a_skill_folder, fake_cli, make_launcher


@pytest.fixture
def launcher(tmp_path) -> ClaudeCodeLauncher:
    return make_launcher(fake_cli(tmp_path, ""))


@pytest.mark.parametrize("name", [*sorted(TAKEN_NAMES), "Review", "code review", "INIT"])
def test_a_name_of_claude_codes_own_is_refused(name):
    with pytest.raises(Refused, match="Rename the skill"):
        check_installable(a_skill(name=name))


@pytest.mark.parametrize("name", ["reviewer", "my-review", "word-count", "run-2", "Überblick"])
def test_other_names_are_fine(name):
    check_installable(a_skill(name=name))


def test_a_skill_without_front_matter_or_description_is_refused():
    with pytest.raises(Refused, match="no description"):
        check_installable(a_skill(description=""))


def test_a_skill_that_no_agent_may_load_is_refused_before_it_is_paid_for():
    """Only people could: the session would be one without a skill."""
    with pytest.raises(Refused, match="disable-model-invocation"):
        check_installable(a_skill(for_people_only=True))


def test_a_skill_that_is_too_large_is_refused_with_the_limit():
    check_installable(a_skill(size_bytes=MAX_SKILL_BYTES))
    with pytest.raises(Refused, match="31,457,280 is the most"):
        check_installable(a_skill(size_bytes=MAX_SKILL_BYTES + 1))


def test_a_long_description_is_no_reason_to_refuse():
    check_installable(a_skill(description="é" * 2_000))


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("word-count", "word-count"),
        ("Word Count", "Word-Count"),
        ("C++ style", "C-style"),
        ("a.b_c", "a.b_c"),
        ("...", "skill"),
        ("../../etc", "etc"),
        ("a/b", "a-b"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("größe", "größe"),
    ],
)
def test_a_name_becomes_a_folder_that_leads_nowhere_else(name, folder):
    assert folder_name(a_skill(name=name)) == folder


def test_a_skill_is_installed_whole(tmp_path):
    source = a_skill_folder(tmp_path)
    (tmp_path / "work").mkdir()
    install_skill(source, tmp_path / "work", "word-count")
    installed = tmp_path / "work" / ".claude" / "skills" / "word-count"
    assert (installed / "SKILL.md").read_bytes() == (source / "SKILL.md").read_bytes()
    assert (installed / "scripts" / "count.sh").stat().st_mode & 0o111


@pytest.mark.parametrize("above", [b"\xef\xbb\xbf", b"\n \r\n", b"\xef\xbb\xbf\n"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_nothing_stands_above_the_front_matter_of_an_installed_skill(tmp_path, above, line_end):
    skill_file = a_skill_folder(tmp_path) / "SKILL.md"
    front, fence, body = skill_file.read_bytes().rpartition(b"---\n")
    body = body.replace(b"\n", line_end) + above + b"---" + line_end
    head = (front + fence).replace(b"\n", line_end)
    skill_file.write_bytes(above + head + body)
    settle_front_matter(skill_file)
    assert skill_file.read_bytes() == front + fence + body


@pytest.mark.parametrize(
    "content", [b"", b"\xef\xbb\xbf# Text\n", b"\n\nText\n---\n", b"----\n", b"---\r\na: b\r\n"]
)
def test_a_file_without_front_matter_is_installed_as_it_is(tmp_path, content):
    skill_file = tmp_path / "SKILL.md"
    skill_file.write_bytes(content)
    settle_front_matter(skill_file)
    assert skill_file.read_bytes() == content


def test_a_forced_skill_may_have_any_name(launcher):
    launcher.check(a_run_spec(mode="forced", skill=a_skill(name="review", description="")))


def test_an_installed_skill_is_checked_before_a_run(launcher):
    with pytest.raises(Refused, match="'review'"):
        launcher.check(a_run_spec(mode="installed", skill=a_skill(name="review")))


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_model_of_another_provider_is_refused_before_a_run(launcher, provider):
    model = a_model(asked="gpt-4.1", provider=provider)
    with pytest.raises(Refused, match=r"gpt-4\.1.*or the launcher `api`"):
        launcher.check(a_run_spec(mode="installed", model=model))
