"""A preset promises what its Dockerfile installs."""

import re
from pathlib import Path

import pytest

from config.environments import presets
from config.environments.definition import is_name
from config.environments.presets import PRESETS
from config.settings import Settings, names_in

FOLDER = Path(presets.__file__).parent


@pytest.mark.parametrize("name", PRESETS)
def test_the_dockerfile_installs_the_packages_and_is_built_under_the_name(name: str):
    assert is_name(name)
    text = (FOLDER / name / "Dockerfile").read_text(encoding="utf-8")
    [packages] = re.findall(r'^ENV R_PACKAGES="(.*)"$', text, re.MULTILINE)
    assert sorted(packages.split()) == sorted(PRESETS[name].packages.r)
    assert f"-t {PRESETS[name].image} config/environments/{name}\n" in text


def test_the_hosts_of_every_preset_are_allowed_where_the_operator_says_nothing():
    allowed = names_in(str(Settings.model_fields["environment_hosts"].default))
    for preset in PRESETS.values():
        assert set(preset.hosts) <= set(allowed)


def test_r_pharma_has_what_pharmaceutical_skills_load():
    assert {"gsDesign", "gsDesign2", "lrstat", "eventPred"} <= set(PRESETS["r-pharma"].packages.r)
    assert PRESETS["r-pharma"].packages.commands == ("Rscript",)
