"""The skill's picture in a report on a public repository, and links to the bot's pages.

GitHub fetches it through a proxy of its own, anew after some minutes, so it shows the skill as it
is when somebody looks. Nothing of it is linked where nobody could see it: in a private repository,
without pages that everybody may read, or without an address over HTTPS.
"""

from config.settings import Settings
from jobs.dashboard.addresses import chart_address, run_address, skill_address
from jobs.reporting import escape, numbers
from jobs.results import RunResult
from jobs.values import RunSpec

LONGEST = 1_000
"""Characters of an address; a path that makes a longer one has no picture."""
SHOWN_WIDE = 720
"""Pixels, as the picture is by itself; GitHub makes it narrower where there is less room."""
_IN_ATTRIBUTE = str.maketrans({"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"})


def render_chart(result: RunResult, settings: Settings) -> str:
    """The picture as HTML and the links as Markdown; empty where it would show nothing.

    The pages count runs against no skill; a comparison of two versions, and what a pull request
    brings, is not among them.
    """
    spec = result.spec
    difference = result.difference
    is_shown = shows_pages(spec, settings) and spec.vs == "none" and not spec.pull
    if not is_shown or difference is None or result.produced_nothing:
        return ""
    repo, base = spec.repo.full_name, settings.public_url
    light, dark = (
        _attribute(base + chart_address(repo, "difference", spec.skill.path, theme=theme))
        for theme in ("light", "dark")
    )
    page = escape.address(base + skill_address(repo, spec.skill.path))
    run = escape.address(base + run_address(repo, spec.run_id))
    if not (light and dark and page and run):
        return ""
    picture = (
        f'<a href="{page.translate(_IN_ATTRIBUTE)}"><picture>'
        f'<source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img alt="{_describe(spec, difference)}" src="{light}" width="{SHOWN_WIDE}">'
        "</picture></a>"
    )
    return f"{picture}\n\n<sub>[All figures of this skill]({page}) · [this run]({run})</sub>"


def shows_pages(spec: RunSpec, settings: Settings) -> bool:
    """Whether everybody who reads a report may read the bot's pages about it, too."""
    is_reached = settings.public_pages and settings.public_url.startswith("https://")
    return is_reached and not spec.repo.private and spec.repo.installation_id != 0


def _attribute(url: str) -> str:
    """An address as an attribute holds it; empty for one that is too long, or none."""
    address = escape.address(url) if len(url) <= LONGEST else ""
    return address.translate(_IN_ATTRIBUTE)


def _describe(spec: RunSpec, difference: float) -> str:
    """What the picture shows, with the number that this run adds to it."""
    name, step = escape.inline(spec.skill.name, 80), numbers.signed_points(difference)
    words = f"Chart: the difference that the skill {name} makes, by model; in this run {step}"
    return words.replace('"', "&quot;")
