"""Which environment a request gets, what it is at a commit, and who may say so."""

import hashlib
import json
from pathlib import Path

import pytest

from config.environments.presets import PRESETS
from config.settings import Settings
from jobs.environments.pinned import Environment
from jobs.errors import Refused
from jobs.planning.environment import SETUP_BYTES, plan_environment
from tests.builders import an_eval_case
from tests.jobs.content.trees import Content, Link, write_tree

FILE = ".github/skillbench.yml"
DEFINED = """\
environment: small
environments:
  small: {packages: {commands: [sort]}}
  r-trial:
    image: ghcr.io/acme/r:1
    setup: env/setup.sh
    hosts: [cran.r-project.org]
    packages: {r: [jsonlite], python: [pandas]}
"""
FILES: dict[str, Content] = {FILE: DEFINED, "env/setup.sh": "#!/bin/sh\necho hi\n"}


def planned(
    tmp_path: Path,
    asked: str | None = None,
    *,
    files: dict[str, Content] | None = None,
    named: str | None = None,
    **caps: str,
) -> Environment | None:
    """The environment for a command, an eval case and a repository."""
    snapshot = write_tree(tmp_path / "tree", {**FILES, **(files or {})})
    settings = Settings(_env_file=None, **caps)
    return plan_environment(asked, an_eval_case(environment=named), snapshot, settings)


def digest_of_one(environment: Environment | None) -> str:
    assert environment is not None
    return environment.digest


def refusal(tmp_path: Path, asked: str | None = None, **given: object) -> str:
    with pytest.raises(Refused) as refused:
        planned(tmp_path, asked, **given)
    return str(refused.value)


@pytest.mark.parametrize(
    ("asked", "named", "chosen"),
    [
        (None, None, "small"),
        (None, "r-trial", "r-trial"),
        ("r-pharma", "r-trial", "r-pharma"),
        ("R-Trial", None, "r-trial"),
        ("none", "r-trial", None),
        ("None", None, None),
    ],
)
def test_the_command_wins_then_the_case_then_the_repository(
    tmp_path: Path, asked: str | None, named: str | None, chosen: str | None
):
    environment = planned(tmp_path, asked, named=named)
    assert (environment.name if environment else None) == chosen


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "environments: {a: {image: b}}\n"])
def test_without_a_default_it_is_the_plain_sandbox(tmp_path: Path, text: str):
    assert planned(tmp_path, files={FILE: text}) is None


def test_a_repository_without_a_file_has_the_presets(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"README.md": "x"})
    settings = Settings(_env_file=None)
    assert plan_environment(None, an_eval_case(), snapshot, settings) is None
    preset = plan_environment("r-pharma", an_eval_case(), snapshot, settings)
    assert preset is not None
    assert preset.image == PRESETS["r-pharma"].image
    assert preset.packages.r == PRESETS["r-pharma"].packages.r


def test_everything_that_it_says_is_pinned(tmp_path: Path):
    environment = planned(tmp_path, "r-trial")
    assert environment is not None
    assert environment.setup == "#!/bin/sh\necho hi\n"
    assert environment.hosts == ("cran.r-project.org",)
    assert environment.packages.python == ("pandas",)


def test_the_digest_is_that_of_the_documented_json(tmp_path: Path):
    environment = planned(tmp_path, "r-trial")
    said = {
        "hosts": ["cran.r-project.org"],
        "image": "ghcr.io/acme/r:1",
        "packages": {"commands": [], "python": ["pandas"], "r": ["jsonlite"]},
        "setup": "#!/bin/sh\necho hi\n",
    }
    canonical = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    assert environment is not None
    assert environment.digest == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r:1", "r:2"),
        ("[cran.r-project.org]", "[p3m.dev]"),
        ("[jsonlite]", "[jsonlite, digest]"),
        ("[pandas]", "[polars]"),
        ("    image: ghcr.io/acme/r:1\n", ""),
    ],
)
def test_whatever_it_says_is_in_its_digest(tmp_path: Path, old: str, new: str):
    before = planned(tmp_path / "a", "r-trial")
    after = planned(tmp_path / "b", "r-trial", files={FILE: DEFINED.replace(old, new)})
    assert before
    assert after
    assert before.digest != after.digest


def test_a_letter_of_the_script_changes_the_digest_and_its_place_or_line_ends_do_not(
    tmp_path: Path,
):
    first = planned(tmp_path / "a", "r-trial")
    changed = planned(tmp_path / "b", "r-trial", files={"env/setup.sh": "#!/bin/sh\necho ho\n"})
    windows = planned(tmp_path / "c", "r-trial", files={"env/setup.sh": "#!/bin/sh\r\necho hi\r\n"})
    moved = {FILE: DEFINED.replace("env/setup.sh", "x"), "x": FILES["env/setup.sh"]}
    elsewhere = planned(tmp_path / "d", "r-trial", files=moved)
    renamed = planned(tmp_path / "e", "rr", files={FILE: DEFINED.replace("r-trial", "rr")})
    assert digest_of_one(first) != digest_of_one(changed)
    same = (windows, elsewhere, renamed)
    assert {digest_of_one(one) for one in same} == {digest_of_one(first)}


def test_an_unknown_name_is_refused_with_the_nearest_and_the_list(tmp_path: Path):
    assert refusal(tmp_path, "r-trail") == (
        "There is no environment `r-trail`. Did you mean `r-trial`? There are `r-pharma`, "
        "`r-trial`, `small` and `none`; others are defined in `.github/skillbench.yml`."
    )
    assert "There is no environment `../x`" in refusal(tmp_path, "../x")
    assert "Did you mean `small`?" in refusal(tmp_path, named="smal")


def test_a_file_with_a_slip_refuses_every_request_with_line_and_key(tmp_path: Path):
    said = refusal(tmp_path, "none", files={FILE: DEFINED.replace("image", "imge")})
    assert said.startswith("`.github/skillbench.yml` cannot be used:")
    assert "line 5, `environments.r-trial.imge`: there is no such key. Did you mean" in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({".github/skillbench.yaml": ""}, "There are both `.github/skillbench.yml` and"),
        ({FILE: b"a: \xff"}, "line 1: it is not UTF-8"),
        ({FILE: b"#" * 64_001}, "has 64 kB; at most 64 kB are read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, files: dict[str, Content], said: str):
    assert said in refusal(tmp_path, files=files)


@pytest.mark.parametrize("target", ["../../outside.yml", "../inside.yml", "skillbench.yml"])
def test_a_link_is_no_file_of_the_repository_wherever_it_leads(tmp_path: Path, target: str):
    for outside in (tmp_path, tmp_path / "tree"):
        outside.mkdir(exist_ok=True)
        (outside / f"{'out' if outside == tmp_path else 'in'}side.yml").write_text(DEFINED)
    snapshot = write_tree(tmp_path / "tree", {FILE: Link(target)})
    settings = Settings(_env_file=None)
    with pytest.raises(Refused, match="There is no environment `small`"):
        plan_environment("small", an_eval_case(), snapshot, settings)


def test_the_other_ending_counts_and_a_link_to_a_script_is_followed(tmp_path: Path):
    files: dict[str, Content] = {
        ".github/skillbench.yaml": DEFINED,
        "env/setup.sh": Link("real.sh"),
        "env/real.sh": "echo hi\n",
    }
    snapshot = write_tree(tmp_path, files)
    settings = Settings(_env_file=None)
    environment = plan_environment("r-trial", an_eval_case(), snapshot, settings)
    assert environment
    assert environment.setup == "echo hi\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (Link("nowhere"), "`env/setup.sh` is no file at commit"),
        (Link("../../outside.sh"), "`env/setup.sh` is no file at commit"),
        (Link("/etc/passwd"), "`env/setup.sh` is no file at commit"),
        (Link("."), "`env/setup.sh` is no file at commit"),
        ("x" * (SETUP_BYTES + 1), "at most 100 kB are read"),
        (b"\x7fELF\xff", "`env/setup.sh` is not UTF-8: byte 0xff at offset 4"),
        (" \n\n", "is empty"),
    ],
)
def test_a_script_that_cannot_be_had_is_refused_by_name(tmp_path: Path, script: Content, said: str):
    (tmp_path / "outside.sh").write_text("echo outside\n")
    refused = refusal(tmp_path, "r-trial", files={"env/setup.sh": script})
    assert said in refused
    assert "environment `r-trial`" in refused


def test_only_the_script_of_the_chosen_environment_is_read(tmp_path: Path):
    assert planned(tmp_path, "small", files={"env/setup.sh": b"\xff"})


@pytest.mark.parametrize("hosts", ["pypi.org", "none", "r-project.org"])
def test_hosts_over_the_cap_are_refused_by_the_settings_name(tmp_path: Path, hosts: str):
    said = refusal(tmp_path, "r-trial", environment_hosts=hosts)
    assert "opens `cran.r-project.org`" in said
    assert "`SKILLBENCH_ENVIRONMENT_HOSTS`" in said


def test_the_hosts_that_come_allowed_are_the_registries_of_r_and_python(tmp_path: Path):
    def opening(host: str) -> dict[str, Content]:
        return {FILE: f"environments: {{a: {{hosts: [{host}]}}}}"}

    for host in ("cloud.r-project.org", "p3m.dev", "files.pythonhosted.org"):
        assert planned(tmp_path / host, "a", files=opening(host))
    assert "`evil.example`" in refusal(tmp_path / "x", "a", files=opening("evil.example"))
    assert planned(tmp_path / "y", "a", files=opening("evil.example"), environment_hosts="*")


@pytest.mark.parametrize("images", ["ghcr.io/acme/*", "*", "docker.io/*, ghcr.io/*/r:?"])
def test_images_are_allowed_by_pattern(tmp_path: Path, images: str):
    assert planned(tmp_path, "r-trial", environment_images=images)


@pytest.mark.parametrize("images", ["ghcr.io/acme", "none", "GHCR.io/*", "r:1"])
def test_images_over_the_cap_are_refused_by_the_settings_name(tmp_path: Path, images: str):
    said = refusal(tmp_path, "r-trial", environment_images=images)
    assert "`ghcr.io/acme/r:1`" in said
    assert "`SKILLBENCH_ENVIRONMENT_IMAGES`" in said


def test_caps_do_not_concern_what_is_not_chosen(tmp_path: Path):
    assert planned(tmp_path, "small", environment_images="none", environment_hosts="none")
