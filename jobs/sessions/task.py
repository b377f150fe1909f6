"""What a session is told: the same words in both arms, and before them the skill in one.

The task names inputs by their aliases alone, also where its author wrote the name that a
file has in the repository. No arm, assertion or expected output is in reach of this
module's texts, and the arm without the skill gets nothing in its place.
"""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from jobs.sessions.session_spec import SessionSpec
from jobs.values import EvalCase, InputFile

SYSTEM = """\
You carry out one task, alone, in a working folder. Your tools work in that folder; there is \
no network and nobody who could answer a question. Where the task leaves something open, \
decide, and say what you decided.

Hand results in as files in the folder output/. The last message you write is kept with \
them, so an answer in words can be given there. When the work is done, write a short closing \
message and call no more tools."""
"""The system prompt of every session, in either arm, but for hosts."""

_HOSTS = """

An exception: these hosts can be reached over HTTPS, through the proxy that the environment \
variables name: {hosts}."""

QUOTED_CHARACTERS = 20_000
"""Of one input file; enough for a table of some hundred rows, the rest is for the tools."""
QUOTED_IN_ALL = 60_000

_SKILL = """\
A skill for tasks of this kind is at hand. This is its SKILL.md; the rest of the folder lies \
at skill/, where the files that it names by a relative path are found.

===== BEGIN SKILL.md =====
{text}
===== END SKILL.md ====="""


def render_system(hosts: Sequence[str]) -> str:
    """What both arms are told before the task, with the hosts that both can reach."""
    return SYSTEM + (_HOSTS.format(hosts=", ".join(hosts)) if hosts else "")


def render_prompt(session: SessionSpec) -> str:
    """The first message of a session: the skill, in the arm that has one, then the task."""
    parts = []
    if session.skill_text is not None:
        parts.append(_SKILL.format(text=session.skill_text.strip("\n")))
    parts.append(render_task(session.run.eval_case, session.inputs_folder))
    return "\n\n".join(parts)


def render_task(case: EvalCase, inputs_folder: Path | None) -> str:
    """The task text, the same in both arms. Reads the staged inputs, so it blocks."""
    parts = [f"# Task\n\n{name_inputs(case.prompt, case.inputs).strip()}"]
    if case.language:
        parts.append(f"Language: {case.language}")
    if case.notes:
        notes = "\n".join(f"- {name_inputs(note, case.inputs)}" for note in case.notes)
        parts.append(f"Notes that came with the task:\n{notes}")
    if case.inputs:
        files = "\n".join(f"- {file.alias} ({file.size_bytes:,} bytes)" for file in case.inputs)
        parts.append(f"# Input files\n\n{files}")
        parts += _quote_inputs(case.inputs, inputs_folder)
    parts.append("# Results\n\nWrite every file you hand in to output/.")
    return "\n\n".join(parts)


def name_inputs(text: str, inputs: Sequence[InputFile]) -> str:
    """A text with the inputs called by their aliases, as the session will find them.

    An input is known by its path, by any end of it that is whole names (`data/visits.csv`,
    `visits.csv`) or by a link that ends in its path. An end that two inputs share names
    neither, and `output/visits.csv` is another file.
    """
    names: dict[str, str] = {}
    shared: set[str] = set()
    for file in inputs:
        parts = PurePosixPath(file.source).parts
        for start in range(len(parts)):
            name = "/".join(parts[start:])
            if names.setdefault(name, file.alias) != file.alias:
                shared.add(name)
    known = {name: alias for name, alias in names.items() if name not in shared}
    if not known:
        return text
    longest_first = sorted(known, key=len, reverse=True)
    one_of = "|".join(re.escape(name) for name in longest_first)
    found = re.compile(
        rf"(?:https?://[^\s()<>\[\]\"']*/|(?<![\w/.-])(?:\./)?)({one_of})(?![\w-]|[./]\w)"
    )
    return found.sub(lambda match: known[match[1]], text)


def _quote_inputs(inputs: Sequence[InputFile], folder: Path | None) -> list[str]:
    """The text files among the inputs, each as far as there is room for it."""
    quoted: list[str] = []
    room = QUOTED_IN_ALL
    for file in inputs:
        text = _read_text(folder, file) if folder else None
        if text is None:
            continue
        shown = text[: min(room, QUOTED_CHARACTERS)]
        room -= len(shown)
        if not shown and text:
            break
        end = "" if len(shown) == len(text) else " (it goes on; read the rest with a tool)"
        line_break = "" if shown.endswith("\n") else "\n"
        quoted.append(
            f"===== BEGIN {file.alias} =====\n{shown}{line_break}===== END {file.alias}{end} ====="
        )
    return quoted


def _read_text(folder: Path, file: InputFile) -> str | None:
    """The beginning of an input, one character more than is quoted; None if it is no text."""
    path = folder / PurePosixPath(file.alias).name
    with path.open("rb") as source:
        raw = source.read(4 * (QUOTED_CHARACTERS + 1))  # no character takes more bytes
    if b"\0" in raw:
        return None
    cut = len(raw) < file.size_bytes
    for torn in range(4 if cut else 1):  # a read that ends inside a character tears it
        try:
            return raw[: len(raw) - torn].decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
    return None
