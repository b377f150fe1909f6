"""Carries out a `repo_check`: the repository's own file, as a commit has it, in a check run.

Nobody asks for it but by the check run's own button *Re-run*: a push, or a pull request, has
touched the file. So it says what is wrong beside the commit, with line and key, and nothing
anywhere else; a commit without the file, or a pull request that leaves it as it is, gets no check
run.
"""

from collections.abc import Mapping, Sequence

import structlog

from config.repo_file import RepoFileError, parse_repo_file
from config.sections import listed
from config.yaml_lines import MAX_BYTES, Problem
from jobs.check_runs import Annotation, CheckRun
from jobs.errors import Gone, Refused, Transient
from jobs.requests import CONFIG_CHECK, Request
from jobs.world import World

NAME = "skillbench config"
MOST_SHOWN = 100
"""Annotations; whoever has more faults has one that repeats."""

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Show what is wrong with the file of the commit `request.after`.

    Raises `Transient` where it is worth doing again and `last_try` is False; what cannot be shown
    is named in the log, since nobody waits for it.
    """
    try:
        await _check(request, world)
    except (Gone, Refused) as problem:
        log.info("file_not_checked", key=request.key, reason=str(problem))
    except Transient as trouble:
        if not last_try:
            raise
        log.warning("file_not_checked", key=request.key, problem=str(trouble))


async def _check(request: Request, world: World) -> None:
    files = await world.github.repo_files_at(request.after)
    if not files:
        return
    if request.origin == "pull_request":
        base = await world.github.repo_files_at(await world.github.default_commit())
        if files == base:
            return
    check = make_check(request.after, files)
    await world.github.show_check(check, tag=f"{CONFIG_CHECK}{request.after}")


def make_check(commit: str, files: Mapping[str, bytes | None]) -> CheckRun:
    """What stands beside a commit with these files, by path; None is one beyond reading."""
    problems = [(path, one) for path, content in files.items() for one in _find(path, content)]
    if len(files) > 1:
        both = Problem(1, "", f"there are both {listed(files)}; delete one of them.")
        problems.insert(0, (max(files), both))
    path = min(files)
    if not problems:
        return CheckRun(
            name=NAME,
            commit=commit,
            status="completed",
            conclusion="success",
            title="The file can be used",
            summary=f"`{path}` can be used. `config` in a comment shows what holds in the end.",
        )
    count = f"{len(problems)} problem" + ("s" if len(problems) > 1 else "")
    left = f"\n\nThe first {MOST_SHOWN} are shown." if len(problems) > MOST_SHOWN else ""
    return CheckRun(
        name=NAME,
        commit=commit,
        status="completed",
        conclusion="failure",
        title=f"The file cannot be used: {count}",
        summary=f"As long as {listed(files)} cannot be used, every request is refused.{left}",
        annotations=_annotate(problems[:MOST_SHOWN]),
    )


def _find(path: str, content: bytes | None) -> Sequence[Problem]:
    if content is None:
        return (Problem(1, "", f"it is too large; at most {MAX_BYTES:,} bytes are read."),)
    try:
        parse_repo_file(content, path)
    except RepoFileError as error:
        return error.problems
    return ()


def _annotate(problems: Sequence[tuple[str, Problem]]) -> tuple[Annotation, ...]:
    return tuple(
        Annotation(
            path=path,
            start_line=max(problem.line, 1),
            end_line=max(problem.line, 1),
            level="failure",
            title=problem.key[:255] or path,
            message=problem.text,
        )
        for path, problem in problems
    )
