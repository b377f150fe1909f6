"""The prompts of a run, read back from its transcripts, for the archive.

What a model was really given stands in the transcript, so that is where they come from;
nothing is composed a second time.
"""

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from jobs.sessions.bundle import TRANSCRIPT


def read_prompts(bundles: Mapping[str, Path], judge_transcripts: Iterable[Path]) -> dict[str, str]:
    """File name to text: a prompt for each session and each of the judge's passes. Blocks.

    `bundles` are the sessions', by the name that the prompt's file gets.
    """
    prompts: dict[str, str] = {}
    for name, bundle in bundles.items():
        with zipfile.ZipFile(bundle) as packed:
            prompts[f"{name}.md"] = _prompts_in(packed.read(TRANSCRIPT))
    for path in judge_transcripts:
        if path.exists():
            prompts[f"{path.stem}.md"] = _prompts_in(path.read_bytes())
    return {name: text for name, text in prompts.items() if text}


def _prompts_in(transcript: bytes) -> str:
    """Every prompt event of a transcript, each field under its name."""
    parts: list[str] = []
    for line in transcript.splitlines():
        try:
            event = json.loads(line)
        except ValueError:  # the last line of a transcript that was cut
            continue
        if event.get("kind") == "prompt":
            parts += [f"## {name}\n\n{value}\n" for name, value in event["content"].items()]
    return "\n".join(parts)
