"""What the README promises is there, and what is there is in the README."""

import re
from pathlib import Path

from pydantic import AliasChoices

from config.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def setting_names() -> set[str]:
    """The environment variable of every setting."""
    names = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = f"SKILLBENCH_{name}".upper()
        names.add(str(alias.choices[0]) if isinstance(alias, AliasChoices) else variable)
    return names


def test_each_setting_stands_in_the_readme() -> None:
    """An operator reads one table."""
    missing = {name for name in setting_names() if f"`{name}`" not in README}
    assert not missing


def test_the_readme_names_no_setting_that_is_not_there() -> None:
    """A renamed setting takes its row with it."""
    named = set(re.findall(r"`(SKILLBENCH_[A-Z_]+|[A-Z]+_API_KEY|[A-Z]+_BASE_URL)`", README))
    assert named <= setting_names()


def test_links_between_the_documents_lead_somewhere() -> None:
    """No reader meets a dead link."""
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_folder_map_names_real_files() -> None:
    """The six files from the door to the comment exist."""
    named = re.findall(r"`((?:bot|handlers|jobs|config|demo|tests)/[\w/]+\.py)`", README)
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_make_command_in_the_readme_is_a_target() -> None:
    """The first commands a newcomer types work."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"demo", "test"} <= named <= targets
