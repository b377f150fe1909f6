"""Writes runs out as a workspace of skill-creator: a folder that its viewer opens.

benchmark.json
eval-1/eval_metadata.json
eval-1/comparison-1.json
eval-1/with_skill/run-1/grading.json
eval-1/with_skill/run-1/outputs/…
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jobs.again.kept_runs import KeptRun
from jobs.errors import Refused
from jobs.interchange.benchmark import Exported, list_sessions, make_benchmark
from jobs.interchange.comparison import make_comparison
from jobs.interchange.gradings import make_grading
from jobs.sessions.bundle import OUTPUT, read_bundle
from jobs.steps import SessionKey


def write_workspace(runs: Sequence[KeptRun], folder: Path) -> dict[str, Any]:
    """Write the runs into the new or empty `folder`; gives what `benchmark.json` holds.

    Blocks. Raises `Refused` for a folder that holds something, runs of several skills, and runs
    of which none has a score; `ValueError` for a bundle that cannot be read.
    """
    results = [run.result for run in runs]
    if len({(one.spec.skill.path, one.spec.skill.name) for one in results}) > 1:
        raise Refused("these runs are of several skills, and a benchmark is of one.")
    sessions = list_sessions(results)
    if not sessions:
        raise Refused("none of these runs has a score, so there is nothing to show.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"`{folder}` holds something already; name a new folder.")
    bundles = {id(run.result): run.bundles for run in runs}
    benchmark = make_benchmark(results)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name[:50]}-") as made:
        draft = Path(made) / "workspace"
        for one in sessions:
            key = SessionKey(one.session.arm, one.session.trial)
            _write_session(one, bundles[id(one.result)][key], draft)
        _write(draft / "benchmark.json", benchmark)
        draft.replace(folder)  # whole or not at all
    return benchmark


def _write_session(one: Exported, bundle: Path, folder: Path) -> None:
    home = folder / f"eval-{one.eval_id}"
    run = home / one.configuration / f"run-{one.run_number}"
    case = one.result.spec.eval_case
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = Path(scratch) / "session"
        read_bundle(bundle, unpacked)
        grading = make_grading(one.result, one.session, one.expectations, unpacked)
        _write(run / "grading.json", grading)
        shutil.copytree(unpacked / OUTPUT, run / "outputs")
    _write(
        home / "eval_metadata.json",
        {
            "eval_id": one.eval_id,
            "eval_name": case.id,
            "prompt": case.prompt,
            "assertions": [item.text for item in case.assertions],
        },
    )
    comparison = make_comparison(one.result, one.session.trial)
    if comparison is not None:
        _write(home / f"comparison-{one.run_number}.json", comparison)


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # lone surrogates, as file names and models may bring them, are escaped with the rest
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
