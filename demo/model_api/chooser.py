"""How the scripted model decides on a skill: by the words its description shares with the query.

It reads the list of skills wherever the launcher puts it, as a model would, and calls the tool
`Skill` when one description has enough in common with what was asked. Asked to write a better
description, it adds the words of the queries that were missed; it understands none of them.
"""

import json
import re
from collections.abc import Iterator, Mapping

from demo.model_api.asked import Asked
from demo.model_api.passages import get_words
from demo.model_api.steps import Call, Reply
from jobs.content.skill_file import DESCRIPTION_CHARACTERS
from jobs.triggering.proposals import SYSTEM as WRITER

_LISTED = re.compile(r"^\s*- ([\w.-]+): (.+)$", re.MULTILINE)
_REMINDER = re.compile(
    r"<system-reminder>.*?</system-reminder>|^The following skills are available .*\Z",
    re.DOTALL | re.MULTILINE,
)
"""What Claude Code says to the model beside the query."""
_FEWEST = 2
"""Words in common that make a skill worth using."""
_FAILED = re.compile(r'^- ("(?:[^"\\]|\\.)*") \(used', re.MULTILINE)
_MISSED = "Not used, though it should be:"
_UNWANTED = "Used, though it should not be:"
_COMMON = frozenset(
    """i me my we us our you your please can could what how do does make give get tell say
    here about need know who which when where""".split()  # noqa: SIM905
)
"""Words of any question."""


def is_choosing(asked: Asked) -> bool:
    """Whether this is a session in which a skill may be used, and no eval case's."""
    return "Skill" in asked.tools and "# Task" not in asked.prompt


def is_writing(asked: Asked) -> bool:
    """Whether a better description is asked for."""
    return asked.system.strip() == WRITER.strip()


def choose(asked: Asked) -> Reply:
    """The next answer of a session: a skill that fits, or a plain word."""
    if asked.turn:
        return Reply(text="Done.")
    query = _find_words(_REMINDER.sub(" ", asked.prompt))
    shared = {
        name: len(query & _find_words(description))
        for name, description in _find_listed(asked).items()
    }
    best = max(shared, key=lambda name: shared[name], default="")
    if shared.get(best, 0) < _FEWEST:
        return Reply(text="This is a scripted model's answer: no skill is needed for that.")
    return Reply(text=f"{best} fits.", calls=(Call("Skill", {"skill": best}),))


def write_description(asked: Asked) -> Reply:
    """A description with the words of the missed queries in it, as JSON."""
    last = asked.prompt.rpartition(" (the current one): ")[2]
    current = str(json.JSONDecoder().raw_decode(last)[0])
    missed, _, unwanted = last.partition(_UNWANTED)
    words = _collect(missed.partition(_MISSED)[2]) - _collect(unwanted)
    new = sorted(words - _find_words(current))
    if new:
        text = f"{current} Use it as well for requests about {', '.join(new)}."
    else:
        # nothing to learn: the same said the other way round is at least another text
        pieces = re.split(r"(?<=[.:;,])\s+", current)
        first = (asked.turn + 1) % len(pieces)
        text = " ".join(pieces[first:] + pieces[:first])
    return Reply(text=json.dumps({"description": text[:DESCRIPTION_CHARACTERS]}))


def _collect(section: str) -> set[str]:
    return {word for query in _FAILED.findall(section) for word in _find_words(json.loads(query))}


def _find_listed(asked: Asked) -> Mapping[str, str]:
    """The skills on offer: in the system prompt, a tool's description or a reminder."""
    return {
        name: description
        for text in _texts(asked.body)
        for name, description in _LISTED.findall(text)
    }


def _texts(value: object) -> Iterator[str]:
    """Every text in a request."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _find_words(text: str) -> set[str]:
    return get_words(text) - _COMMON
