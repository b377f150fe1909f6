"""The image: what its files promise, and (slow) its steps carried out in a plain root."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.cli.commands import app
from tools import try_image
from tools.image.dockerfile import (
    Ignored,
    NotKnownError,
    Stage,
    Step,
    parse_copy,
    parse_dockerfile,
    parse_env,
)

ROOT = Path(__file__).parents[1]
BUILD, IMAGE = parse_dockerfile((ROOT / "Dockerfile").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
COMMANDS = {command.callback.__name__ for command in app.registered_commands if command.callback}


def steps(stage: Stage, word: str) -> list[Step]:
    return [step for step in stage.steps if step.word == word]


def service(name: str) -> dict[str, Any]:
    return dict(COMPOSE["services"][name])


def test_the_image_runs_as_a_user_that_it_makes() -> None:
    [user] = steps(IMAGE, "USER")
    assert user.rest not in {"root", "0"}
    assert IMAGE.steps.index(user) > IMAGE.steps.index(steps(IMAGE, "RUN")[-1])
    assert re.search(rf"useradd .*--uid [1-9]\d{{3,}} {user.rest}\b", steps(IMAGE, "RUN")[0].rest)


def test_the_image_takes_only_the_finished_environment_from_the_build() -> None:
    [copy] = [parse_copy(step) for step in steps(IMAGE, "COPY")]
    assert copy.stage == BUILD.name
    assert copy.sources == ("/opt/skillbench",) == (copy.target,)
    assert BUILD.base == IMAGE.base, "the environment's Python must be where it was made"


def test_every_file_that_the_build_copies_is_in_its_context() -> None:
    ignored = Ignored((ROOT / ".dockerignore").read_text())
    sources = [Path(name) for step in steps(BUILD, "COPY") for name in parse_copy(step).sources]
    assert [name for name in sources if not (ROOT / name).exists() or ignored(name)] == []


def test_the_build_copies_every_package_and_every_file_that_they_are_made_with() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    needed |= {"pyproject.toml", "LICENSE", project["project"]["readme"]}
    copied = {name for step in steps(BUILD, "COPY") for name in parse_copy(step).sources}
    assert needed <= copied


@pytest.mark.parametrize("secret", [".env", "private-key.pem", "keys/app.pem", ".git", ".venv"])
def test_secrets_and_caches_never_reach_the_builder(secret: str) -> None:
    assert Ignored((ROOT / ".dockerignore").read_text())(Path(secret))


def test_what_is_installed_is_pinned_by_hashes() -> None:
    pips = re.findall(r"-m pip .*?(?= +&& |$)", " && ".join(s.rest for s in steps(BUILD, "RUN")))
    assert [pip for pip in pips if "--require-hashes -r requirements" not in pip] == [
        "-m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /opt/wheel .",
        "-m pip install --no-cache-dir --no-deps --no-index /opt/wheel/*.whl",
    ]


@pytest.mark.parametrize(
    ("lock", "least"), [("requirements.lock", 21), ("requirements-build.lock", 2)]
)
def test_a_lock_pins_every_entry_by_hashes(lock: str, least: int) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text())
    pinned = [entry for entry in entries if re.match(r"[\w.-]+(\[[\w,-]+\])?==", entry)]
    assert len(pinned) >= least
    assert [entry for entry in pinned if "--hash=sha256:" not in entry] == []


def test_the_build_backend_that_is_locked_is_the_one_that_is_wanted() -> None:
    [wanted] = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert f"{wanted} \\" in (ROOT / "requirements-build.lock").read_text().split("\n")


def test_every_command_is_one() -> None:
    said = [json.loads(steps(IMAGE, "CMD")[0].rest)]
    said += [service(name)["command"] for name in ("bot", "worker")]
    assert [words for words in said if words[0] != "skillbench" or words[1] not in COMMANDS] == []


def test_redis_keeps_what_waits() -> None:
    redis = service("redis")
    assert " ".join(redis["command"]).startswith("redis-server --appendonly yes")
    assert redis["volumes"] == ["redis:/data"]
    for name in ("bot", "worker"):
        assert service(name)["environment"]["SKILLBENCH_REDIS_URL"].startswith("redis://redis:")
        assert service(name)["depends_on"] == {"redis": {"condition": "service_healthy"}}


def test_the_service_that_faces_the_world_can_change_nothing_but_its_data() -> None:
    bot = service("bot")
    assert bot["read_only"] is True
    assert bot["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in bot["security_opt"]
    assert not [option for option in bot["security_opt"] if "unconfined" in option]
    [volume] = steps(IMAGE, "VOLUME")
    variables = parse_env(steps(IMAGE, "ENV")[0], {})
    assert variables["SKILLBENCH_DATA_DIR"] == volume.rest
    assert bot["volumes"] == service("worker")["volumes"] == [f"data:{volume.rest}"]
    assert bot["tmpfs"] == ["/tmp"]


def test_the_worker_gives_up_the_profiles_that_stop_bubblewrap_and_nothing_more() -> None:
    worker = service("worker")
    assert worker["cap_drop"] == ["ALL"]
    assert set(worker["security_opt"]) == {
        "seccomp=unconfined",
        "apparmor=unconfined",
        "systempaths=unconfined",
    }
    assert not {"privileged", "cap_add", "pid", "network_mode", "ports"} & set(worker)


def test_the_example_of_an_env_file_names_settings_of_the_readme() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
    known = set(re.findall(r"`([A-Z][A-Z_]+)`", (ROOT / "README.md").read_text()))
    assert names <= known


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("RUN true", "before the first FROM"),
        ("FROM a\nADD https://example.org/x /x", "line 2: ADD"),
        ("FROM a\n\n# why\nHEALTHCHECK NONE", "line 4: HEALTHCHECK"),
    ],
)
def test_a_step_that_the_trial_does_not_know_is_named(text: str, reason: str) -> None:
    with pytest.raises(NotKnownError, match=reason):
        parse_dockerfile(text)


@pytest.mark.parametrize("rest", ["--chown=1 a /b", "*.txt /b", "alone"])
def test_a_copy_that_the_trial_does_not_know_is_named(rest: str) -> None:
    with pytest.raises(NotKnownError, match="line 7"):
        parse_copy(Step("COPY", rest, 7))


def test_steps_go_on_over_lines_and_comments() -> None:
    [stage] = parse_dockerfile("from a AS b\nRUN one \\\n  # why\n  && two\nENV A=1 B=$A:${C}")
    assert [str(step) for step in stage.steps] == ["RUN one && two", "ENV A=1 B=$A:${C}"]
    assert parse_env(stage.steps[1], {"C": "3"}) == {"A": "1", "B": ":3"}


def test_the_trial_wants_root_and_says_so() -> None:
    assert "must run as root" in str(try_image.problem(user=1000))


@pytest.mark.slow
def test_the_steps_of_the_image_lead_to_one_that_works() -> None:
    if missing := try_image.problem():
        pytest.skip(f"the image cannot be tried here: {missing}")
    tried = subprocess.run(
        [sys.executable, ROOT / "tools/try_image.py"],
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert tried.returncode == 0, tried.stdout[-4000:] + tried.stderr[-2000:]
    for name in try_image.CHECKS:
        assert f"✔ {name}" in tried.stdout
    assert "Not shown by this trial" in tried.stdout
