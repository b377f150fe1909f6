"""Copies what a session is given out of the snapshot: the skill's files, the inputs.

The rubric, the expected output and every eval file stay behind even if they lie inside
the skill. Copies are fresh files with the executable bit of the original and nothing else
of it.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from jobs.content.skill_tree import list_skill_files
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.values import EvalCase, Skill


def stage_skill(
    snapshot: Snapshot, skill: Skill, target: Path, withheld: Iterable[str]
) -> tuple[str, ...]:
    """Copy a skill's files into the new folder `target`; gives the paths left behind.

    `withheld` are repository paths. A link inside the tree becomes the file it leads to.
    Blocks: call it in a thread. Raises `Refused` for a skill beyond the limits.
    """
    barred = set(withheld)
    target.mkdir(parents=True)
    left: list[str] = []
    for file in list_skill_files(snapshot, skill.path):
        real = Path(file.real)
        path = snapshot.path_of(real)
        if path in barred:
            if path not in left:
                left.append(path)
            continue
        copy = target / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(real, copy)
        copy.chmod(0o755 if file.executable else 0o644)
    return tuple(left)


def stage_inputs(snapshot: Snapshot, case: EvalCase, work: Path) -> None:
    """Copy a case's inputs to their aliases below `work`; `work/input/` is always made.

    Blocks. Raises `Refused` where an input is no file of this commit any more.
    """
    (work / "input").mkdir(parents=True, exist_ok=True)
    for file in case.inputs:
        real = snapshot.find_file(file.source)
        if real is None:
            raise Refused(f"`{file.source}` is no file at commit {snapshot.commit[:12]}.")
        shutil.copyfile(real, work / file.alias)
