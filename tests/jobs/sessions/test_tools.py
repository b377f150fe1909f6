"""The session's tools, each against the real sandbox."""

from dataclasses import dataclass, field

import jsonschema
import pytest

from jobs.conversation import ToolOutcome
from jobs.errors import Transient
from jobs.sandbox import CommandResult, SandboxMaker
from jobs.sessions.tools import SessionTools
from tests.jobs.sessions.conftest import find_maker


@pytest.fixture(params=["bubblewrap", "none", pytest.param("podman", marks=pytest.mark.slow)])
def maker(request: pytest.FixtureRequest) -> SandboxMaker:
    """In containers with busybox too: the scripts behind the tools run in any image."""
    return find_maker(request)


@pytest.fixture
def tools(sandbox) -> SessionTools:
    return SessionTools(sandbox)


async def call(tools: SessionTools, name: str, **arguments: object) -> ToolOutcome:
    return await tools.call(name, dict(arguments))


async def good(tools: SessionTools, name: str, **arguments: object) -> str:
    outcome = await call(tools, name, **arguments)
    assert not outcome.failed, outcome.text
    return outcome.text


async def bad(tools: SessionTools, name: str, **arguments: object) -> str:
    outcome = await call(tools, name, **arguments)
    assert outcome.failed, outcome.text
    return outcome.text


@pytest.mark.parametrize(
    "path",
    [
        "output/report.md",
        "./output/report.md",
        "output/new/deep/report.md",
        "output/Übersicht ↔ v1.md",
        "-rf",
        "output/--help",
        "output/a\nb.txt",
        "output/x|y.md",
        "output/$(id) `id` 'q' \"q\".txt",
        "output/ leading and trailing ",
        "output/" + "n" * 255,
    ],
)
async def test_what_is_written_can_be_read_found_and_edited(tools, path):
    assert "Wrote 6 bytes" in await good(tools, "Write", file_path=path, content="grün\n")
    assert await good(tools, "Read", file_path=path) == "grün\n"
    await good(tools, "Edit", file_path=path, old_string="grün", new_string="blau")
    assert await good(tools, "Read", file_path=path) == "blau\n"
    found = await good(tools, "Glob", pattern="**")
    name = path.removeprefix("./")
    assert (name if name.isprintable() else repr(name)) in found.split("\n")


async def test_paths_under_box_are_the_working_folder_in_every_sandbox(tools):
    await good(tools, "Write", file_path="/box/output/a.txt", content="a")
    assert await good(tools, "Read", file_path="output/a.txt") == "a"
    assert await good(tools, "Glob", pattern="/box/output/*.txt") == "output/a.txt"
    assert await good(tools, "Glob", pattern="*.txt", path="/box/output") == "output/a.txt"


async def test_bash_gives_output_and_exit_code(tools):
    assert await good(tools, "Bash", command="echo hi") == "hi"
    assert await good(tools, "Bash", command="true") == "(no output)"
    assert await bad(tools, "Bash", command="echo no >&2; exit 3") == "no\n[exit code 3]"


async def test_a_file_over_its_limit_is_named_as_the_reason(tools):
    """The bare exit code says nothing to most readers, people and models."""
    text = await bad(tools, "Bash", command="head -c 9000000 /dev/zero > output/large")
    assert text.endswith("[exit code 153: a file grew larger than the session may make one]")


async def test_bash_starts_anew_in_the_working_folder_each_time(tools):
    await good(tools, "Bash", command="cd output && export A=1 && echo x > here")
    text = await good(tools, "Bash", command='cat output/here; echo "${A-unset}"')
    assert text == "x\nunset"


async def test_a_command_longer_than_an_argument_may_be_still_runs(tools):
    command = f": {'x' * 300_000}\nread line; echo done; exit 4"
    assert await bad(tools, "Bash", command=command) == "done\n[exit code 4]"


async def test_a_command_over_its_time_says_how_long_it_had(tools):
    text = await bad(tools, "Bash", command="echo begun; sleep 60", timeout_s=0.4)
    assert text == "begun\n[killed: it took longer than 0.4 seconds]"


async def test_no_command_outlives_the_session(sandbox):
    tools = SessionTools(sandbox, remaining_s=lambda: 0.3)
    text = await bad(tools, "Bash", command="sleep 60", timeout_s=600)
    assert "longer than 0.3 seconds" in text


async def test_long_output_keeps_its_beginning_and_its_end(tools):
    text = await good(tools, "Bash", command="echo first; seq 100000; echo last")
    assert text.startswith("first\n1\n")
    assert text.endswith("\n100000\nlast")
    assert "characters left out" in text
    assert len(text) < 31_000


async def test_output_that_never_ends_is_told(tools):
    text = await bad(tools, "Bash", command="yes")
    assert "[the output went on; only its beginning was kept]" in text
    assert text.endswith("[killed: it wrote more output than anybody could read]")


async def test_bytes_that_are_no_text_do_not_break_an_answer(tools):
    text = await good(tools, "Bash", command=r"printf 'a\377\000b'")
    assert text == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"


async def test_a_long_file_is_read_in_parts(tools):
    await good(tools, "Bash", command="seq 5000 > output/n.txt")
    first = await good(tools, "Read", file_path="output/n.txt")
    assert first.startswith("1\n2\n")
    assert first.endswith("[lines 1 to 2000 of 5000; go on with offset 2001]")
    rest = await good(tools, "Read", file_path="output/n.txt", offset=4_999)
    assert rest == "4999\n5000\n"
    beyond = await good(tools, "Read", file_path="output/n.txt", offset=9_000)
    assert beyond == "[the file has 5000 lines; there is no line 9000]"


async def test_one_endless_line_is_cut_with_a_note(tools):
    await good(tools, "Bash", command="head -c 400000 /dev/zero | tr '\\0' x > output/long")
    text = await good(tools, "Read", file_path="output/long")
    assert len(text) < 31_000
    assert "cut inside line 1 of 1" in text


async def test_a_last_line_without_a_line_end_is_read(tools):
    await good(tools, "Write", file_path="a", content="one\ntwo")
    assert await good(tools, "Read", file_path="a") == "one\ntwo"
    assert await good(tools, "Read", file_path="a", offset=2) == "two"


async def test_reading_tells_what_is_not_plain_text(tools):
    await good(
        tools, "Bash", command=r"printf 'PK\003\000\001' > zip; printf 'caf\351' > latin; :> no"
    )
    assert "zip is a binary file (5 bytes)" in await good(tools, "Read", file_path="zip")
    latin = await good(tools, "Read", file_path="latin")
    assert latin.startswith("caf\N{REPLACEMENT CHARACTER}\n[what is not UTF-8")
    assert await good(tools, "Read", file_path="no") == "(the file is empty)"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing.txt", "missing.txt: no such file"),
        ("output", "output: is a folder"),
        ("/dev/zero", "/dev/zero: is no regular file"),
        ("pipe", "pipe: is no regular file"),
        ("dangling", "dangling: no such file"),
        ("x" * 300, "x: no such file"),
        ("a\0b", "cannot hold a NUL"),
    ],
)
async def test_what_cannot_be_read_is_told_and_never_waited_for(tools, path, said):
    await good(tools, "Bash", command="mkfifo pipe; ln -s nowhere dangling")
    for name, more in [("Read", {}), ("Edit", {"old_string": "a", "new_string": "b"})]:
        assert said in await bad(tools, name, file_path=path, **more)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("output", "output: is a folder"),
        ("pipe", "pipe: is no regular file"),
        ("file/below", "File exists"),
        ("x" * 300, "too long"),
    ],
)
async def test_what_cannot_be_written_is_told(tools, path, said):
    await good(tools, "Bash", command="mkfifo pipe; echo a > file")
    assert said in await bad(tools, "Write", file_path=path, content="x")


async def test_a_session_cannot_write_outside_its_folders(box):
    text = await bad(SessionTools(box), "Write", file_path="/usr/x", content="x")
    assert "Read-only file system" in text or "Permission denied" in text
    assert "no such file" in await bad(SessionTools(box), "Read", file_path="/root/.ssh/id_rsa")


async def test_an_edit_needs_one_place_and_says_what_is_wrong(tools):
    await good(tools, "Write", file_path="f", content="a b\nx\na b\n")
    edit = {"file_path": "f", "new_string": "Y"}
    assert "2 times" in await bad(tools, "Edit", old_string="a b", **edit)
    assert "does not stand in it" in await bad(tools, "Edit", old_string="q", **edit)
    assert "blanks or line breaks" in await bad(tools, "Edit", old_string="a  b\nx", **edit)
    assert "same" in await bad(tools, "Edit", file_path="f", old_string="x", new_string="x")
    assert await good(tools, "Read", file_path="f") == "a b\nx\na b\n"
    await good(tools, "Edit", old_string="a b", replace_all=True, **edit)
    assert await good(tools, "Read", file_path="f") == "Y\nx\nY\n"


async def test_an_edit_keeps_bytes_mode_and_links_that_it_does_not_touch(tools, workspace):
    await good(tools, "Bash", command=r"printf 'caf\351\r\nold\r\n' > f; chmod 755 f; ln -s f link")
    await good(tools, "Edit", file_path="link", old_string="old", new_string="new")
    assert (workspace.work / "f").read_bytes() == b"caf\xe9\r\nnew\r\n"
    assert (workspace.work / "f").stat().st_mode & 0o777 == 0o755
    assert (workspace.work / "link").is_symlink()
    text = await bad(tools, "Edit", file_path="f", old_string="new\nx", new_string="n")
    assert "does not stand in it" in text
    await good(tools, "Write", file_path="g", content="a\r\nb\r\n")
    text = await bad(tools, "Edit", file_path="g", old_string="a\nb", new_string="n")
    assert "CR LF" in text


async def test_glob_follows_no_links_and_is_bounded(tools):
    await good(tools, "Bash", command="mkdir d && ln -s .. d/up && cd d && seq 700 | xargs touch")
    found = (await good(tools, "Glob", pattern="d/*")).split("\n")
    assert len(found) == 501
    assert found[-1] == "[201 more; use a narrower pattern]"
    assert await good(tools, "Glob", pattern="d/up/*") != ""
    assert await good(tools, "Glob", pattern="**/*.zip") == "No file matches **/*.zip."
    assert "nowhere" in await bad(tools, "Glob", pattern="*", path="nowhere")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("Bash", {}, "command: Field required"),
        ("Bash", {"command": ""}, "at least 1 character"),
        ("Bash", {"command": ["ls"]}, "command: Input should be a valid string"),
        ("Bash", {"command": "ls", "timeout": 5}, "It takes command, timeout_s (optional)."),
        ("Bash", {"command": "ls", "timeout_s": 100_000}, "less than or equal to 600"),
        ("Read", {"file_path": "a", "offset": 0}, "offset: Input should be greater"),
        ("Read", {"file_path": "a", "offset": "first"}, "offset: Input should be a valid integer"),
        ("Write", {"file_path": "a"}, "content: Field required"),
        ("Edit", {"file_path": "a", "old_string": "", "new_string": "b"}, "at least 1 character"),
        ("Glob", {"pattern": None}, "pattern: Input should be a valid string"),
        ("Delete", {"path": "a"}, "There are Bash, Read, Write, Edit, Glob."),
    ],
)
async def test_a_wrong_call_is_explained(tools, name, arguments, said):
    outcome = await tools.call(name, arguments)
    assert outcome.failed
    assert said in outcome.text


def test_every_tool_is_offered_with_a_valid_schema(sandbox):
    tools = SessionTools(sandbox).tools
    assert [tool.name for tool in tools] == ["Bash", "Read", "Write", "Edit", "Glob"]
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.parameters)
        assert tool.parameters["additionalProperties"] is False
        assert len(tool.description) > 30
    read = tools[1].parameters
    jsonschema.validate({"file_path": "a", "offset": 3}, read)


async def test_lone_surrogates_from_a_model_are_no_crash(tools):
    await good(tools, "Write", file_path="output/a", content="x\ud800y")
    assert await good(tools, "Read", file_path="output/a") == "x?y"
    assert (await call(tools, "Read", file_path="a\udcff")).failed
    assert (await call(tools, "Bash", command="echo \ud83d")).text


@dataclass
class BrokenSandbox:
    """A sandbox that cannot start, as on a machine whose settings changed meanwhile."""

    asked: list[object] = field(default_factory=list)

    async def run(self, argv, **_: object) -> CommandResult:
        self.asked.append(argv)
        raise Transient("no sandbox could be started: no namespaces at /srv/secret")


async def test_a_broken_sandbox_is_the_platforms_fault_and_no_exception():
    tools = SessionTools(BrokenSandbox())
    text = await bad(tools, "Bash", command="ls")
    assert "no fault of the command" in text
    assert "/srv/secret" not in text
    assert tools.broken.startswith("no sandbox could be started")
