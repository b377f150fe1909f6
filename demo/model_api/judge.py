"""How the scripted model judges: it compares words, and understands nothing.

For each assertion and candidate it looks for the few lines that share most of the
assertion's words and numbers, quotes them as they stand, and decides by how much they
share. It says so in its observations.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demo.model_api.asked import Asked
from demo.model_api.passages import NOWHERE, Passage, find_passage
from demo.model_api.steps import Reply

CANDIDATES = ("candidate_1", "candidate_2")
_SECTION = re.compile(
    r"^===== BEGIN (?P<name>[\w ]+) (?P<mark>\S+) =====\n(?P<text>.*?)\n"
    r"===== END (?P=name) (?P=mark) =====$",
    re.DOTALL | re.MULTILINE,
)
_WANTED = re.compile(r"^Verdicts wanted, \d+ in all: (\[.*\])$", re.MULTILINE)
_HEADING = re.compile(r"^--- .+ ---$")
_NOTE = re.compile(r"^\((?:cut here|not shown for lack of room): .*\)$")
_LISTED = re.compile(r"^(\d+) files?:$", re.MULTILINE)
_PASS, _PARTIAL, _WORDS = 0.6, 0.5, 0.6
"""Shares of an assertion from which it is taken as shown, or as half shown, and of its words
alone: a number that happens to stand somewhere shows nothing.
"""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a scoring prompt holds."""

    assertions: dict[str, dict[str, str]]
    candidates: dict[str, str]


def judge(asked: Asked) -> Reply:
    """An answer with every verdict that the last message wants."""
    reading = _read(asked.prompt)
    wanted = _find_wanted(asked)
    verdicts = [
        _decide(reading, assertion, candidate)
        for assertion, candidate in wanted
        if assertion in reading.assertions
    ]
    answer = {
        "verdicts": verdicts,
        "key_metrics": list(_measure(reading)),
        "observations": _observe(verdicts),
        "weak_assertions": _find_weak(verdicts),
        "injections": [],
    }
    return Reply(text=json.dumps(answer, ensure_ascii=False, indent=1))


def find_sections(prompt: str) -> dict[str, str]:
    """The material that a prompt holds between lines with a mark, by name."""
    return {found["name"]: found["text"] for found in _SECTION.finditer(prompt)}


def _read(prompt: str) -> _Reading:
    sections = find_sections(prompt)
    lines = sections.get("assertions", "").splitlines()
    return _Reading(
        assertions={one["id"]: one for one in map(json.loads, filter(None, lines))},
        candidates={name: sections.get(name, "") for name in CANDIDATES},
    )


def _find_wanted(asked: Asked) -> list[list[str]]:
    """What the newest message that wants verdicts wants; tool results may have followed it."""
    for message in reversed(asked.messages):
        found = _WANTED.findall(message.text) if message.role == "user" else []
        if found:
            wanted: list[list[str]] = json.loads(found[-1])
            return wanted
    return []


def _decide(reading: _Reading, assertion_id: str, candidate: str) -> dict[str, str]:
    assertion = reading.assertions[assertion_id]
    files = _split_files(reading.candidates[candidate])
    passages = [find_passage(assertion["text"], lines) for lines in files]
    passage = max(passages, key=lambda one: one.share, default=NOWHERE)
    verdict = _weigh(passage)
    return {
        "assertion": assertion_id,
        "echo": assertion["echo"],
        "candidate": candidate,
        "verdict": verdict,
        "quotation": passage.quotation if verdict != "fail" else "",
        "reason": _explain(verdict, passage),
    }


def _weigh(passage: Passage) -> str:
    if passage.word_share < _WORDS or passage.share < _PARTIAL:
        return "fail"
    return "pass" if passage.share >= _PASS and not passage.missing_numbers else "partial"


def _explain(verdict: str, passage: Passage) -> str:
    share = f"{passage.share:.0%} of the assertion's words stand together"
    if passage.missing_numbers:
        return f"{share}; missing there: {', '.join(passage.missing_numbers)}."
    return f"{share} in one place." if verdict != "fail" else f"At most {share}."


def _split_files(shown: str) -> list[list[str]]:
    """The lines of each file of a candidate, without what the prompt says about them."""
    files: list[list[str]] = []
    for line in shown.splitlines():
        if _HEADING.match(line):
            files.append([])
        elif files and not _NOTE.match(line):
            files[-1].append(line)
    return files


def _measure(reading: _Reading) -> Iterator[dict[str, str]]:
    listed = {name: _LISTED.search(text) for name, text in reading.candidates.items()}
    yield {"name": "Files handed in"} | {
        name: found[1] if found else "0" for name, found in listed.items()
    }
    yield {"name": "Words written"} | {
        name: str(sum(len(line.split()) for lines in _split_files(text) for line in lines))
        for name, text in reading.candidates.items()
    }


def _observe(verdicts: Sequence[dict[str, str]]) -> list[str]:
    passed = {
        name: sum(one["candidate"] == name and one["verdict"] == "pass" for one in verdicts)
        for name in CANDIDATES
    }
    # told alike whichever candidate comes first, so that two readings do not say it twice
    fullest = sorted(CANDIDATES, key=lambda name: -passed[name])
    counts = [f"{passed[name]} in {name}" for name in fullest]
    if len(set(passed.values())) == 1:
        counts = [f"{passed[fullest[0]]} in both outputs"]
    return [
        f"Assertions found nearly word for word: {', '.join(counts)}.",
        "This judge is a script: it compares words and numbers and understands nothing.",
    ]


def _find_weak(verdicts: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Assertions that both candidates pass, which tell nothing apart; three at most."""
    passed = [one["assertion"] for one in verdicts if one["verdict"] == "pass"]
    both = [name for name in dict.fromkeys(passed) if passed.count(name) == len(CANDIDATES)]
    return [{"assertion": name, "remark": "both candidates show it"} for name in both[:3]]
