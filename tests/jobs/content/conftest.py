"""The small repository that reported bodies are read against, made once a module."""

import pytest

from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from tests.jobs.content.reported import REPOSITORY
from tests.jobs.content.trees import write_tree


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> SkillShelf:
    return find_skills(write_tree(tmp_path_factory.mktemp("reported"), REPOSITORY))
