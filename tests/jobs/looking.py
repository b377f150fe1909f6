"""Looking around from inside a session, and a worker whose secrets must not be seen there."""

from pathlib import Path

import pytest

from demo.model_api import Call
from tests.jobs.claude_code.sessions import KEY

SEEN = "seen.txt"
"""What a look has printed, among the session's outputs."""

LOOK_AROUND = r"""
import os, socket, sys

def show(title, content):
    print("=====", title)
    print(content)

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(2_000_000)
    except OSError as error:
        return str(error).encode()

for pid in sorted(name for name in os.listdir("/proc") if name.isdigit()):
    for name in ("environ", "cmdline", "mountinfo", "maps", "status"):
        show(f"/proc/{pid}/{name}", read(f"/proc/{pid}/{name}"))
    for fd in (os.listdir(f"/proc/{pid}/fd") if os.access(f"/proc/{pid}/fd", os.R_OK) else []):
        try:
            show(f"/proc/{pid}/fd/{fd}", os.readlink(f"/proc/{pid}/fd/{fd}"))
        except OSError as error:
            show(f"/proc/{pid}/fd/{fd}", error)
for top, folders, files in os.walk("/"):
    if top == "/":
        folders[:] = [name for name in folders if name not in {"proc", "usr", "sys"}]
    for name in files:
        path = os.path.join(top, name)
        if os.path.islink(path) or path.startswith(("/dev/", "/opt/claude")):
            continue
        show(path, read(path) if os.path.isfile(path) else "no plain file")
show("names", socket.if_nameindex())
for path in ("/proc/net/unix", "/proc/net/tcp", "/proc/net/route", "/proc/self/cgroup"):
    show(path, read(path))
"""


def look(script: str, *arguments: str) -> Call:
    """The tool call by which a session runs a Python script and hands in what it printed."""
    command = f"cat > /tmp/look.py <<'EOF'\n{script}\nEOF\n"
    command += f"python3 /tmp/look.py {' '.join(arguments)} > /box/output/{SEEN} 2>&1"
    return Call("Bash", {"command": command})


def set_up_worker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Secrets in the worker's environment, and its data: what must not be found."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("SKILLBENCH_GITHUB_WEBHOOK_SECRET", "a-webhook-secret")
    data = folder / "data" / "blobs"
    data.mkdir(parents=True)
    (data / "ledger.txt").write_text("WORKERS-DATA")
    return KEY, "a-webhook-secret", "WORKERS-DATA", "ledger.txt", str(data)
