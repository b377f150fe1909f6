"""The words and paths that would tell a judge which arm an output comes from.

One regular expression per kind of give-away, built for one skill. What a match is
replaced by, and whether it is, is decided in `jobs.judging.scrub`. Every quantifier is
bounded, so that no output can make the search slow.
"""

import re
from pathlib import PurePosixPath

from jobs.values import Skill

_WORD_BEFORE = r"(?<![^\W_])"
_WORD_AFTER = r"(?![^\W_])"
_SPACE = r"(?:[ \t]{0,3}\r?\n?[ \t]{1,8}|[ \t]{0,3}\r?\n)"
"""White space inside a phrase: some blanks, at most one line break."""
_QUOTE = r"[`'\"*_“”‘’]"  # noqa: RUF001 -- typographic quotes are what writers use
_OPENING = r"[`'\"*_“”‘’(\[]"  # noqa: RUF001
_CLOSING = r"[`'\"*_“”‘’)\]]"  # noqa: RUF001
_THING = (
    r"(?:instructions?|guid(?:e|elines?|ance)|documentation|docs?|files?|folder|references?"
    r"|workflow|templates?|scripts?|rules?|steps|checklist|tool|material)"
)
_NOT_A_COMPOUND = (
    rf"(?!(?:{_SPACE}|[-_])(?:levels?|sets?|scores?|gaps?|matrix|matrices|mix|development))"
)
_SKILL_CONTENT = r"(?:SKILL\.md|references?|scripts?|assets?|examples?|templates?|docs?)(?!\w)"
_PATH_GOES_ON = rf"(?=[/\\](?:[\w.\\/-]{{0,200}}\.\w{{1,8}}|{_SKILL_CONTENT}|[^\w.]|$))"
"""After a folder's name: something that reads as a path, not as `skill/experience`."""


def get_skill_names(skill: Skill) -> tuple[str, ...]:
    """The names a skill goes by: its own and its folder's, longest first."""
    names = {skill.name.strip(), PurePosixPath(skill.path).name}
    return tuple(sorted(names - {"", "."}, key=lambda name: (-len(name), name)))


def get_skill_path(skill: Skill) -> str | None:
    """The skill's path where it has several parts and so cannot be taken for a word."""
    path = skill.path.strip("/")
    return path if "/" in path else None


def make_spelling_pattern(name: str) -> str:
    """A name with its words joined in any way: `word-count`, `word_count`, `Word Count`."""
    words = [re.escape(word) for word in re.split(r"[\s_-]+", name) if word]
    return r"[\s_-]{1,3}".join(words) or re.escape(name)


def is_distinctive(name: str) -> bool:
    """Whether a name standing alone is a name: `pdf` or `admiral` may be any word."""
    word_in_it = "skill" in name.lower() and name.lower() not in {"skill", "skills"}
    return word_in_it or re.search(r"[^\W_][-_][^\W_]", name) is not None


def make_patterns(skill: Skill) -> dict[str, str]:
    """The patterns by kind, in the order in which they are tried at one place."""
    names = get_skill_names(skill)
    exact = "|".join(re.escape(name) for name in names)
    spelled = "|".join(make_spelling_pattern(name) for name in names)
    path = get_skill_path(skill)
    patterns = {
        "path": _make_path_pattern(exact, path),
        "file": rf"{_WORD_BEFORE}skill\\?\.md{_WORD_AFTER}",
        "folder": rf"(?:\.claude[/\\])?{_WORD_BEFORE}(?<!\.)skills?{_PATH_GOES_ON}"
        rf"|\.claude[/\\]skills{_WORD_AFTER}",
        "tag": r"(?:(?<=<)|(?<=</))skill(?=[\s/>])",
    }
    if names:
        patterns |= {
            "name_skill": rf"(?P<open_1>{_QUOTE}{{1,3}})?{_WORD_BEFORE}(?P<name_1>{spelled})"
            rf"(?P<close_1>{_QUOTE}{{0,3}})(?:{_SPACE}|[-_])skills?{_WORD_AFTER}",
            "skill_name": rf"{_WORD_BEFORE}skills?(?:{_SPACE}(?:named|called))?"
            rf"(?:{_SPACE}|[-_]|(?=[(\[])|{_QUOTE}{{0,3}}[:=]{_QUOTE}{{0,3}}[ ]{{0,2}})"
            rf"(?P<open_2>{_OPENING}{{1,3}})?(?P<name_2>{spelled}){_WORD_AFTER}"
            rf"(?(open_2){_CLOSING}{{0,3}})",
        }
    alone = "|".join(re.escape(name) for name in names if is_distinctive(name))
    if alone:
        patterns["name"] = rf"{_WORD_BEFORE}(?:{alone}){_WORD_AFTER}"
    return patterns | _ARM_PATTERNS


def _make_path_pattern(exact: str, path: str | None) -> str:
    """Where the skill lies, as a path: whole, under a skills folder, or before what skills hold."""
    choices = []
    if path:
        choices.append(rf"{_WORD_BEFORE}{re.escape(path)}{_WORD_AFTER}")
    if exact:
        choices.append(rf"(?:\.claude[/\\])?{_WORD_BEFORE}skills?[/\\](?:{exact}){_WORD_AFTER}")
        choices.append(rf"{_WORD_BEFORE}(?:{exact})(?=[/\\]{_SKILL_CONTENT})")
    return "|".join(choices) or r"(?!)"


_ARM_PATTERNS = {
    "arm": rf"{_WORD_BEFORE}(?:with|without|no|base|candidate)[-_]skill{_WORD_AFTER}",
    "way": rf"{_WORD_BEFORE}(?:with|without){_SPACE}(?:the|a|any|this){_SPACE}skill"
    rf"{_NOT_A_COMPOUND}{_WORD_AFTER}",
    "output": rf"{_WORD_BEFORE}(?-i:[oO](?:utput|UTPUT)[-_][AB]){_WORD_AFTER}",
    "the_skill": rf"{_WORD_BEFORE}(?:(?:the|this|that|my|your){_SPACE})?"
    rf"(?:(?:the|this|that|my|your|provided|loaded|installed|given|supplied|attached|agent"
    rf"|claude|anthropic){_SPACE}){_QUOTE}{{0,3}}skill(?:['’]s)?"  # noqa: RUF001
    rf"{_NOT_A_COMPOUND}{_WORD_AFTER}(?:{_QUOTE}{{0,3}}{_SPACE}{_THING}{_WORD_AFTER})?",
    "by_skill": rf"{_WORD_BEFORE}(?P<lead>according{_SPACE}to|following|followed|(?:as{_SPACE})?per"
    rf"|based{_SPACE}on|guided{_SPACE}by|using|used|via|applying|applied|read(?:ing)?"
    rf"|loaded|loading|invoked|invoking|consulted|consulting){_SPACE}(?:a{_SPACE})?"
    rf"skill(?:['’]s)?{_NOT_A_COMPOUND}{_WORD_AFTER}"  # noqa: RUF001
    rf"(?:{_SPACE}{_THING}{_WORD_AFTER})?",
    "about_skill": rf"{_WORD_BEFORE}skill[-_](?:notes?|outputs?|used?|usage|version|log|summary"
    rf"|report|check(?:list)?){_WORD_AFTER}",
    "skill_led": rf"{_WORD_BEFORE}skill[-_ ](?:assisted|guided|driven|augmented|enabled)"
    rf"{_WORD_AFTER}",
}
"""What speaks of having a skill, or of an arm by its name, whatever the skill is called."""
