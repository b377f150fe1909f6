"""Where each page, chart and file is: made in one place, so that no name of others breaks out.

Paths of skills hold slashes and whatever people name folders; they are parts of the query.
"""

from typing import Literal
from urllib.parse import quote, urlencode

ChartKind = Literal["difference", "versions", "cost", "heat", "triggers", "badge"]
"""`difference`: skills as dots with whiskers; `versions`: scores of both arms over a skill's
versions; `cost`: tokens and money likewise; `heat`: eval cases by models; `triggers`: precision
and recall over versions; `badge`: a skill's newest difference in a line."""
Theme = Literal["light", "dark"]
Picture = Literal["svg", "png"]
LONGEST_PART = 1000
"""Characters of a skill's path, or of another part of a query, that is looked at."""


def repo_address(repo: str) -> str:
    """The page of a repository (`owner/name`)."""
    return f"/repos/{quote(repo)}"


def skill_address(repo: str, skill: str) -> str:
    """The page of a skill, by the path of its folder."""
    return f"{repo_address(repo)}/skill?{urlencode({'path': skill})}"


def runs_address(repo: str, **choice: str) -> str:
    """The list of a repository's runs; `choice` are `skill`, `model`, `state`, `after`."""
    chosen = {name: value for name, value in choice.items() if value}
    return f"{repo_address(repo)}/runs" + (f"?{urlencode(chosen)}" if chosen else "")


def run_address(repo: str, run: str) -> str:
    """The page of a run."""
    return f"{repo_address(repo)}/runs/{quote(run, safe='')}"


def chart_address(
    repo: str, kind: ChartKind, skill: str = "", *, theme: Theme = "light", picture: Picture = "svg"
) -> str:
    """A chart of a repository, or of one of its skills."""
    asked = {"skill": skill} if skill else {}
    if theme != "light":
        asked["theme"] = theme
    query = f"?{urlencode(asked)}" if asked else ""
    return f"/charts/{quote(repo)}/{kind}.{picture}{query}"


def badge_markdown(public_url: str, repo: str, skill: str) -> str:
    """A skill's badge for a README, with a link to its page, where the bot is at `public_url`."""
    image = public_url + chart_address(repo, "badge", skill)
    return f"[![skillbench]({image})]({public_url}{skill_address(repo, skill)})"
