"""Two sessions that must come out as expected before any money goes into a measurement.

If a skill that nothing could miss is not seen to fire, or one is seen to fire for arithmetic,
then the harness is broken, and every number it gave would be about the harness. The skill is
one of our own, alone, so that nothing about the skill under test can make a control fail.
"""

import asyncio
from dataclasses import replace
from pathlib import Path

from jobs.content.skills import SKILL_FILE
from jobs.errors import Refused, Transient
from jobs.triggering.defaults import THRESHOLD
from jobs.triggering.eval_set import Query
from jobs.triggering.evaluation import Evaluator
from jobs.triggering.installed import Installed, Listed
from jobs.triggering.observations import QueryResult

NAME = "harness-check"
_WORD = "zebra-lighthouse"
_DESCRIPTION = (
    f"Handles every message that holds the word {_WORD}. Always use this skill for such a "
    "message, before anything else."
)
_BODY = "Answer with the single word: seen.\n"
POSITIVE = Query(id="C1", text=f"{_WORD}: please run the check.", should_trigger=True)
NEGATIVE = Query(
    id="C2", text="What is two plus two? Answer with the number only.", should_trigger=False
)
TRIES = 2
"""A model may miss once what it should not miss at all."""


async def check_harness(evaluator: Evaluator, scratch: Path) -> tuple[QueryResult, ...]:
    """Run the controls; gives what they saw and used.

    Raises `Refused` where the harness is shown to be broken, `Transient` where the sessions
    themselves broke, so that nothing was shown.
    """
    installed = await asyncio.to_thread(_install, scratch / "controls")
    # the harness is judged by one session each, whatever rate is asked of the skill
    terms = replace(evaluator.terms, runs_per_query=1, threshold=THRESHOLD)
    once = replace(evaluator, terms=terms)
    seen: list[QueryResult] = []
    for number in range(1, TRIES + 1):
        seen += await once.evaluate(
            [POSITIVE, NEGATIVE], installed, round_name=f"controls-{number}"
        )
        results = seen[-2:]
        missing = next((one for one in results if one.verdict == "missing"), None)
        if missing is not None:
            detail = missing.observations[-1].detail or "the session broke"
            raise Transient(f"the control sessions could not be carried out: {detail}")
        if all(one.verdict == "pass" for one in results):
            return tuple(seen)
    for number in range(1, TRIES + 1):  # what was mended since must be seen by the next check
        await once.forget([POSITIVE, NEGATIVE], installed, round_name=f"controls-{number}")
    raise Refused(
        "nothing was measured, because the harness did not pass its own check: "
        f"{_explain(seen[-2:])}. The skill is not to blame; the operator should look at the "
        "launcher and the model."
    )


def _explain(results: list[QueryResult]) -> str:
    words = []
    if results[0].verdict == "fail":
        words.append("a skill that asks to be used for one word was not used when it stood there")
    if results[1].verdict == "fail":
        words.append("the same skill was used for a sum")
    return " and ".join(words)


def _install(folder: Path) -> Installed:
    own = folder / NAME
    own.mkdir(parents=True, exist_ok=True)
    front = f"---\nname: {NAME}\ndescription: {_DESCRIPTION}\n---\n"
    (own / SKILL_FILE).write_text(front + _BODY, encoding="utf-8")
    return Installed(folder=folder, skill=Listed(NAME, _DESCRIPTION))
