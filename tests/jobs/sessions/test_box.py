"""The arguments that build a box."""

from pathlib import Path

from jobs.sessions.box import Bind, Box, bwrap_arguments


def arguments(**changes: object) -> list[str]:
    box = Box(work=Path("/w"), home=Path("/h"), temporary=Path("/t"), **changes)
    sources = [bind.source for bind in box.all_binds]
    return bwrap_arguments(box, sources, passwd_fd=10, group_fd=11)


def values(given: list[str], option: str, count: int) -> list[tuple[str, ...]]:
    places = [index for index, word in enumerate(given) if word == option]
    return [tuple(given[index + 1 : index + 1 + count]) for index in places]


def test_only_the_sessions_own_folders_can_be_written():
    assert values(arguments(), "--bind", 2) == [
        ("/w", "/box"),
        ("/h", "/home/agent"),
        ("/t", "/tmp"),
    ]
    assert not [word for word in arguments() if word.startswith("--dev-bind")]


def test_what_a_launcher_adds_is_read_only_unless_it_says_otherwise():
    binds = [Bind(Path("/program"), "/opt/p"), Bind(Path("/s"), "/run/s", writable=True)]
    given = arguments(binds=binds, environment={"MODEL_URL": "http://127.0.0.1:1"})
    assert ("/program", "/opt/p") in values(given, "--ro-bind", 2)
    assert ("/s", "/run/s") in values(given, "--bind", 2)
    assert ("MODEL_URL", "http://127.0.0.1:1") in values(given, "--setenv", 2)


def test_every_namespace_is_new_and_no_further_one_can_be_made():
    given = set(arguments())
    for name in ("user", "ipc", "pid", "uts", "net"):
        assert f"--unshare-{name}" in given
    assert {"--disable-userns", "--die-with-parent", "--clearenv"} <= given
    assert "--new-session" not in given  # the first process would leave the group that is killed


def test_the_roots_in_memory_are_closed_after_everything_is_in_place():
    given = arguments()
    last_bind = max(index for index, word in enumerate(given) if word == "--bind")
    closed = [index for index, word in enumerate(given) if word == "--remount-ro"]
    assert [given[index + 1] for index in closed] == ["/dev", "/"]
    assert min(closed) > last_bind


async def test_a_bind_of_a_launcher_is_seen_inside(box, tmp_path):
    """The same box with one thing more, as a launcher of a program would open it."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho from outside $MODEL_URL\n")
    program.chmod(0o755)
    from dataclasses import replace

    setup = box.setup
    more = replace(
        setup.box, binds=[Bind(program, "/opt/program")], environment={"MODEL_URL": "here"}
    )
    wider = replace(box, setup=replace(setup, box=more))
    result = await wider.run(["sh", "-c", "/opt/program; echo x > /opt/program"], timeout_s=10)
    assert result.output.startswith(b"from outside here\n")
    assert result.exit_code != 0
