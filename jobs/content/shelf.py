"""Looks a skill up as people write it: by path, name, link, in another case, in back-ticks.

Exact spellings go before loose ones, paths before names. Two skills that answer to one
spelling are a clash, which is reported and never decided by the order of folders.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from config.repo_sections import Evals
from jobs.content.markdown import link_targets, plain_text
from jobs.content.paths import paths_in_link
from jobs.content.snapshot import Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.values import Skill

NEAREST = 3
"""How many near names a reply offers."""
WRITTEN_CHARACTERS = 300

_BRACKETED = re.compile(r"^\[([^\[\]]+)\](?:\[[^\[\]]*\])?$")
_DASHES = re.compile("[\\s_\u2010-\u2015-]+")
_LIST_MARK = re.compile(r"^(?:[-*+•]|\(?\d{1,3}[.)])\s+(?:\[[ xX]?\]\s+)?|^\[[ xX]?\]\s+")
_PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_SKILL_WORD = re.compile(r"^(?:the\s+)?(?:skill\s*:?\s+)?(.*?)(?:\s+skill)?$", re.IGNORECASE)


@dataclass(frozen=True)
class SkillShelf:
    """All skills of a commit. `broken` says why a folder's SKILL.md cannot be used."""

    snapshot: Snapshot
    skills: tuple[Skill, ...]
    broken: dict[str, str]
    aliases: dict[str, str]
    """Paths through linked folders, and the path each one stands for."""
    eval_globs: tuple[str, ...] = Evals().globs
    """Patterns of the repository's files with eval cases."""
    _tiers: tuple[dict[str, set[str]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tiers", self._make_tiers())

    def find(self, written: str) -> Skill:
        """The skill that somebody wrote. Raises `Refused` with the nearest names or the clash."""
        for spelling in _spellings(written):
            for paths in self._matches(spelling):
                if paths:
                    return self._get(paths, written)
        raise Refused(self._unknown(written))

    def knows(self, written: str) -> bool:
        """Whether `find` would find something, be it broken or a clash."""
        return any(paths for spelling in _spellings(written) for paths in self._matches(spelling))

    def _matches(self, spelling: str) -> Iterator[set[str]]:
        exact_paths, exact_names, loose_paths, loose_names = self._tiers
        yield exact_paths.get(spelling, set())
        real = self.snapshot.resolve(spelling)
        path = self.snapshot.path_of(real) if real is not None else ""
        yield exact_paths.get(path, set()) if "/" in spelling else set()
        yield exact_names.get(spelling, set())
        loose = _loose(spelling)
        yield loose_paths.get(loose, set()) if loose else set()
        yield loose_names.get(loose, set()) if loose else set()
        yield {
            path
            for known, paths in loose_paths.items()
            if "/" in loose and known.endswith(f"/{loose}")
            for path in paths
        }

    def _get(self, paths: set[str], written: str) -> Skill:
        if len(paths) > 1:
            raise Refused(
                f"{len(paths)} skills answer to {quoted(written)}: {listed(sorted(paths))}. "
                "Write the path of the one that is meant."
            )
        path = next(iter(paths))
        if path in self.broken:
            raise Refused(f"The skill {quoted(path)} cannot be used: {self.broken[path]}")
        return next(skill for skill in self.skills if skill.path == path)

    def _make_tiers(self) -> tuple[dict[str, set[str]], ...]:
        places = {skill.path: skill.path for skill in self.skills}
        places |= {path: path for path in self.broken}
        places |= self.aliases
        names = [(skill.name, skill.path) for skill in self.skills]
        names += [(place.rpartition("/")[2], path) for place, path in places.items()]
        return (
            _index(places.items()),
            _index(names),
            _index((_loose(place), path) for place, path in places.items()),
            _index((_loose(name), path) for name, path in names),
        )

    def _unknown(self, written: str) -> str:
        if not self.skills and not self.broken:
            return "This repository holds no skill: no folder with a `SKILL.md` was found."
        names = {_loose(skill.name): skill.name for skill in self.skills}
        names |= {_loose(path): path for path in [*(s.path for s in self.skills), *self.broken]}
        wanted = _loose(next(iter(_spellings(written)), ""))
        near = difflib.get_close_matches(wanted[:WRITTEN_CHARACTERS], list(names), NEAREST, 0.5)
        if near:
            hint = f"The nearest {'are' if len(near) > 1 else 'is'} "
            return (
                f"The skill {quoted(written)} is not in this repository. "
                f"{hint}{listed([names[name] for name in near])}."
            )
        known = sorted({skill.path for skill in self.skills} | set(self.broken))
        rest = f" and {len(known) - 10} more" if len(known) > 10 else ""
        return (
            f"The skill {quoted(written)} is not in this repository. "
            f"It holds {', '.join(quoted(path) for path in known[:10])}{rest}."
        )


def _index(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    index: dict[str, set[str]] = {}
    for key, path in pairs:
        index.setdefault(key, set()).add(path)
    return index


def _loose(spelling: str) -> str:
    """A spelling without case and width, and with one kind of separator."""
    plain = unicodedata.normalize("NFKC", spelling).casefold()
    parts = [_DASHES.sub("-", part).strip("-") for part in plain.split("/")]
    return "/".join(part for part in parts if part and part != ".") or ("." if parts else "")


def _spellings(written: str) -> Iterator[str]:
    """What the writer can have meant, likeliest first, each once."""
    seen: set[str] = set()
    for spelling in _candidates(written[:WRITTEN_CHARACTERS].strip()):
        tidy = spelling.strip().strip("`'\"*").strip().rstrip(".,;:").removeprefix("./")
        tidy = tidy.removesuffix("/SKILL.md").rstrip("/") if "/" in tidy else tidy
        if tidy and tidy not in seen:
            seen.add(tidy)
            yield tidy


def _candidates(written: str) -> Iterator[str]:
    yield written
    bare = _LIST_MARK.sub("", written)
    shown = plain_text(bare).strip()
    for text in (bare, shown, _PARENTHESIS.sub("", shown)):
        yield text
        if match := _SKILL_WORD.match(text):
            yield match[1]
    if match := _BRACKETED.match(bare):
        yield match[1]
    for target in (*link_targets(bare), bare):
        address = target.split("#")[0].split("?")[0]
        yield from paths_in_link(address if "://" in address else f"/{address}")
        if target is not bare:
            yield address
    if "\\" in bare:
        yield bare.replace("\\", "/")
