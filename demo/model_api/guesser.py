"""How the scripted model guesses which output had the skill: it counts the words that say so.

It looks for the word skill, for a path or a file of one, and for the skill's own name. Where
neither output has more of them it tosses a coin whose fall the outputs decide.
"""

import hashlib
import json
import re

from demo.model_api.asked import Asked
from demo.model_api.judge import CANDIDATES, find_sections
from demo.model_api.steps import Reply
from jobs.leaks.question import SYSTEM as GUESSER

_ANY_SKILL = r"\bskills?\b|\bSKILL\.md\b|with_skill"


def is_guessing(asked: Asked) -> bool:
    """Whether it is asked which of two outputs had the skill."""
    return asked.system.strip() == GUESSER.strip()


def guess(asked: Asked) -> Reply:
    """One of the two, as JSON, with what gave it away."""
    return Reply(text=guess_from(asked.prompt))


def guess_from(prompt: str) -> str:
    """The same from the prompt alone."""
    sections = find_sections(prompt)
    name = sections["description of the skill"].partition(":")[0].strip()
    giving_away = re.compile(rf"{_ANY_SKILL}|{re.escape(name)}", re.IGNORECASE)
    found = {one: giving_away.findall(sections[one]) for one in CANDIDATES}
    first, second = (len(found[one]) for one in CANDIDATES)
    if first == second:
        shown = "\0".join(sections[one] for one in CANDIDATES)
        chosen = CANDIDATES[hashlib.sha256(shown.encode()).digest()[0] % 2]
        reason = "Nothing tells them apart; this guesser is a script and tossed a coin."
    else:
        chosen = CANDIDATES[first < second]
        reason = f"Only {chosen} says {found[chosen][0]} so often; this guesser is a script."
    return json.dumps({"had_the_skill": chosen, "reason": reason})
