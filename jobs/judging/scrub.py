"""Takes out of a text what would tell a judge which arm wrote it.

The same function runs over both arms, so neither can be told by being treated otherwise.
Replacements are plain words rather than a blank, because a visible gap is itself a
give-away. A term that occurs in the prompt or in an assertion is left alone: a skill can
bear the name of the package it is about, and then that name is part of the task.
"""

import re
from collections.abc import Sequence

from jobs.judging.terms import (
    get_skill_names,
    get_skill_path,
    make_patterns,
    make_spelling_pattern,
)
from jobs.values import EvalCase, Skill

_NOTES = "notes"
_APPROACH = "approach"

_REPLACEMENTS = {
    "file": "notes.md",
    "folder": _NOTES,
    "tag": _NOTES,
    "name": _APPROACH,
    "arm": "variant",
    "way": "this way",
    "output": "output",
    "the_skill": f"the {_APPROACH}",
    "about_skill": _NOTES,
    "skill_led": "guided",
}
"""What stands in place of each kind that needs no look at the match."""


class Scrubber:
    """Replaces the give-aways of one skill, except the terms of one eval case."""

    def __init__(self, skill: Skill, case: EvalCase) -> None:
        patterns = make_patterns(skill)
        joined = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in patterns.items())
        self._pattern = re.compile(joined, re.IGNORECASE | re.MULTILINE)
        texts = [case.prompt, *case.notes, *(item.text for item in case.assertions)]
        self._task = "\0".join(_normalize(text) for text in texts)
        self._kept = {
            part
            for part in (*get_skill_names(skill), *(get_skill_path(skill) or "").split("/"))
            if part and self._occurs_in_task(make_spelling_pattern(_normalize(part)))
        }
        self._kept_in_any_case = {part.casefold() for part in self._kept}
        quick = ["skill", "output_", "output-", *map(re.escape, get_skill_names(skill))]
        self._quick = re.compile("|".join(quick), re.IGNORECASE)

    def scrub(self, text: str) -> tuple[str, int]:
        """The text without give-aways, and how many were replaced."""
        if self._quick.search(text) is None:
            return text, 0
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            replacement = self._find_replacement(match)
            if replacement is None or replacement == match[0]:
                return match[0]
            count += 1
            return replacement

        return self._pattern.sub(replace, text), count

    def _find_replacement(self, match: re.Match[str]) -> str | None:
        """What takes the place of a match; None: the task itself says it."""
        if self._occurs_in_task(re.escape(_normalize(match[0]))):
            return None
        kind = match.lastgroup or ""
        if kind == "path":
            return self._replace_path(match[0])
        if kind in ("name_skill", "skill_name"):
            return self._replace_phrase(match, kind)
        if kind == "by_skill":
            return f"{match['lead']} the {_APPROACH}"
        if kind == "name" and self._keeps(match[0]):
            return None
        return _REPLACEMENTS[kind]

    def _replace_path(self, path: str) -> str:
        """A path with every part replaced that the task does not name."""
        parts: list[str] = []
        for part in re.split(r"[/\\]", path):
            shown = part if part.casefold() in self._kept_in_any_case else _NOTES
            if shown != _NOTES or _NOTES not in parts:
                parts.append(shown)
        return "/".join(parts)

    def _replace_phrase(self, match: re.Match[str], kind: str) -> str:
        """A phrase of the name and the word skill; a name that the task uses stays."""
        name = match["name_1"] or match["name_2"]
        if self._keeps(name):
            before, kept, after = match[0].partition(name)
            return kept.join(
                re.sub(r"skills?", _APPROACH, part, flags=re.IGNORECASE) for part in (before, after)
            )
        closing = match["close_1"] if kind == "name_skill" and not match["open_1"] else ""
        return f"{_APPROACH}{closing}"

    def _keeps(self, spelled: str) -> bool:
        """Whether a name, in any spelling, is one the task uses."""
        return any(
            re.fullmatch(make_spelling_pattern(name), spelled, re.IGNORECASE) for name in self._kept
        )

    def _occurs_in_task(self, pattern: str) -> bool:
        found = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", self._task, re.IGNORECASE)
        return found is not None


class Scrubbers:
    """Replaces the give-aways of every skill of a comparison, except the terms of its eval case."""

    def __init__(self, skills: Sequence[Skill], case: EvalCase) -> None:
        called = {(skill.name, skill.path): skill for skill in skills}
        self._scrubbers = [Scrubber(skill, case) for skill in called.values()]

    def scrub(self, text: str) -> tuple[str, int]:
        """The text without give-aways, and how many were replaced."""
        replaced = 0
        for scrubber in self._scrubbers:
            text, count = scrubber.scrub(text)
            replaced += count
        return text, replaced


def _normalize(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold().strip()
