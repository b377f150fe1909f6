"""Tries the Dockerfile where no container engine can: its steps, then its image, in a plain root.

usage (as root): try_image.py

A Debian root made with debootstrap stands in for the base image. Every step is carried out in
it in the Dockerfile's order, and what comes out is tried as its user, without capabilities:
the command line, the sandbox, the doctor, the server on a read-only root, and the demo's whole
job. Ends with what no root can show. It needs the package mirrors that apt and pip have here.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.image.build import Builder, Built, FailedError
from tools.image.dockerfile import NotKnownError, Stage, parse_dockerfile
from tools.image.machine import find_mirror, lend
from tools.image.root import Way, enter

REPOSITORY = Path(__file__).parents[1]
PROGRAMS = ("debootstrap", "unshare", "pivot_root", "setpriv")
PACKAGES = "python3,python3-venv,ca-certificates"
BASE = re.compile(r"python:(\d+\.\d+)-slim-([a-z]+)")
GOOD, BAD, CANNOT = 0, 1, 2
NOT_SHOWN = """\
Not shown by this trial:
- the base image itself: a Debian root with Debian's own Python stood in for it
- a container's seccomp and AppArmor profiles and its masked /proc: here nothing of the kind
  is in the way of bubblewrap, as with the options that compose.yaml gives the worker
- compose.yaml: networks, volumes, health checks, restarts
- other architectures than this machine's"""


def main() -> int:
    """Start the trial in mounts and processes of its own; remove its folder in any case."""
    if missing := problem():
        print(f"cannot try the image: {missing}")
        return CANNOT
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # TemporaryDirectory would not stop at a mount; all mounts have ended with the trial
    folder = Path(tempfile.mkdtemp(prefix="try-image-"))
    folder.chmod(0o755)
    apart = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child")
    trial = [*apart, "--mount-proc", sys.executable, "-u", __file__, "--in", str(folder)]
    try:
        return subprocess.run(trial, check=False).returncode
    finally:
        shutil.rmtree(folder)


def problem(user: int | None = None) -> str | None:
    """Why the trial cannot be made on this machine, by us or by another user."""
    if (os.geteuid() if user is None else user) != 0:
        return "it makes roots and mounts, so it must run as root"
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        return f"install {', '.join(missing)}"
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], check=False).returncode:
        return "this machine does not let root make namespaces"
    if find_mirror(suite := _suite(_stages())) is None:
        return f"apt here knows no archive of Debian {suite}"
    return None


def trial(folder: Path) -> int:
    """Build and try; gives 0 if everything held that can be shown here."""
    stages = _stages()
    try:
        builder = Builder(_make_base(stages, folder), REPOSITORY, lend(folder), print)
        image = [builder.build(stage) for stage in stages][-1]
    except (FailedError, NotKnownError) as failure:
        print(f"✘ {failure}")
        return BAD
    results = [_told(name, check(image)) for name, check in CHECKS.items()]
    print(NOT_SHOWN)
    return GOOD if all(results) else BAD


def _stages() -> list[Stage]:
    return parse_dockerfile((REPOSITORY / "Dockerfile").read_text(encoding="utf-8"))


def _suite(stages: list[Stage]) -> str:
    bases = {stage.base for stage in stages}
    found = BASE.fullmatch(bases.pop())
    if found is None or bases:
        raise SystemExit("the stages must share one base, python:VERSION-slim-SUITE")
    return found[2]


def _make_base(stages: list[Stage], folder: Path) -> Path:
    """What the steps begin with, in the place of the Python image."""
    suite, base = _suite(stages), folder / "base"
    print(f"Making a plain Debian {suite}; its own Python stands in for {stages[0].base}.")
    command = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(base)]
    made = subprocess.run(
        [*command, find_mirror(suite) or ""], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise FailedError(f"debootstrap ended with {made.returncode}:\n{made.stdout[-2000:]}")
    for name in ("python", "python3"):
        (base / "usr/local/bin" / name).symlink_to("/usr/bin/python3")
    python = enter(base, ["python", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                   Way(env={"PATH": "/usr/local/bin:/usr/bin:/bin"})).stdout.strip()  # fmt: skip
    if python != (named := BASE.fullmatch(stages[0].base)[1]):  # type: ignore[index]
        print(f"Mind: the Dockerfile names Python {named}, Debian {suite} has {python}.")
    return base


Outcome = tuple[bool, str]
"""Whether it held, and what is worth saying."""


def _try(image: Built, *command: str, writable: tuple[str, ...] = (), **env: str) -> Outcome:
    """A command as a container would run it, by the image's user and without capabilities."""
    home = {"HOME": f"/home/{image.user}"}
    way = Way(
        env=home | image.env | env,
        cwd=image.cwd,
        user=image.user,
        confined=True,
        writable=writable,
    )
    ended = enter(image.root, command, way)
    return ended.returncode == 0, ended.stdout.strip()


def check_user(image: Built) -> Outcome:
    """It is a user, it is not root, and its capabilities are none."""
    if not image.user:
        return False, "the image has no USER, so it runs as root"
    held, said = _try(image, "sh", "-c", "id -u; grep CapEff /proc/self/status")
    user, *capabilities = said.split()
    return held and user != "0" and set(capabilities[-1]) == {"0"}, f"uid {user}"


def check_command(image: Built) -> Outcome:
    """The image's own command is one."""
    held, said = _try(image, *image.command, "--help")
    return held and "Usage" in said, "" if held else said


def check_bubblewrap(image: Built) -> Outcome:
    """Namespaces can be made in there by its user."""
    box = ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")
    return _try(image, *box, "true")


def check_doctor(image: Built) -> Outcome:
    """Sandbox and blob store are well; what only settings can mend is not the image's fault."""
    _, said = _try(image, "skillbench", "doctor")
    return all(f"✔ {part}" in said for part in ("sandbox", "blob store")), said


def check_server(image: Built) -> Outcome:
    """The web process starts on a read-only root, as in compose.yaml, and ends in order."""
    settings = {
        "SKILLBENCH_REDIS_URL": "redis://127.0.0.1:1/0",
        "SKILLBENCH_GITHUB_WEBHOOK_SECRET": "only for this trial",
        "SKILLBENCH_PORT": "0",
    }
    serve = ("timeout", "--preserve-status", "10", *image.command)
    held, said = _try(image, *serve, writable=tuple(image.volumes), **settings)
    return held and "startup complete" in said, "" if held else said


def check_demo(image: Built) -> Outcome:
    """The whole job, sessions in bubblewrap and all, without any account."""
    held, said = _try(image, "timeout", "180", "skillbench", "demo", "--once")
    return held and "No sandbox" not in said, said.splitlines()[-2] if held else said


CHECKS: dict[str, Callable[[Built], Outcome]] = {
    "runs as a user without capabilities": check_user,
    "its command is there": check_command,
    "bubblewrap works": check_bubblewrap,
    "the doctor finds sandbox and blob store well": check_doctor,
    "the server starts on a read-only root": check_server,
    "the demo posts its report": check_demo,
}


def _told(name: str, outcome: Outcome) -> bool:
    held, said = outcome
    print(f"{'✔' if held else '✘'} {name}" + "".join(f"\n    {line}" for line in said.splitlines()))
    return held


if __name__ == "__main__":
    sys.exit(trial(Path(sys.argv[2])) if sys.argv[1:2] == ["--in"] else main())
