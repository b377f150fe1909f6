"""What the pages, the charts and the API know of repositories, skills and runs."""

from collections.abc import Sequence

from redis.asyncio import Redis

from bot.store.ledger import RedisLedger
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
from bot.web.aside import Aside
from config.settings import Settings
from jobs.dashboard.rows import make_run_row
from jobs.dashboard.values import RepoFigures, RunRows, SkillCard, SkillFigures
from jobs.results import LONG_AGO, RunRecord


class Figures:
    """All that is shown. Raises `Transient` where Redis is away."""

    def __init__(self, redis: Redis, settings: Settings, aside: Aside) -> None:
        self._redis = redis
        self._settings = settings
        self._aside = aside
        self._ledger = RedisLedger(redis)
        self._seen = RedisSeenRepos(redis)

    async def close(self) -> None:
        """Stop what is being worked out."""

    async def repos(self) -> list[SeenRepo]:
        """Every repository with runs, by name."""
        prefix = "skillbench:runs:"
        names = [
            key.decode().removeprefix(prefix) async for key in self._redis.scan_iter(prefix + "*")
        ]
        return [found for name in sorted(names) if (found := await self.repo(name)) is not None]

    async def repo(self, full_name: str) -> SeenRepo | None:
        """A repository that was seen or has runs, by its name in any case."""
        if (seen := await self._seen.find(full_name)) is not None:
            return seen
        records = await self._ledger.records(full_name)
        if not records:
            return None
        name = records[-1].repo
        return SeenRepo(full_name=name, is_private=True, installation_id=0, seen_at=LONG_AGO)

    async def overview(self, repos: Sequence[SeenRepo]) -> list[RepoFigures]:
        """These repositories with a card for each of their skills."""
        shown = []
        for repo in repos:
            records = await self._ledger.records(repo.full_name)
            skills = sorted({one.skill for one in records})
            cards = [found.card for path in skills if (found := await self.skill(repo, path))]
            shown.append(
                RepoFigures(repo=repo.full_name, is_private=repo.is_private, cards=tuple(cards))
            )
        return shown

    async def skill(self, repo: SeenRepo, path: str) -> SkillFigures | None:
        """Everything on a skill's page; None where it has no run."""
        records = [one for one in await self._ledger.records(repo.full_name) if one.skill == path]
        if not records:
            return None
        card = SkillCard(
            repo=repo.full_name,
            skill=path,
            name=path.rpartition("/")[2],
            sha=records[-1].skill_sha,
            runs=len(records),
            read=len(records),
            ended_at=records[-1].finished_at,
        )
        return SkillFigures(card=card)

    async def runs(  # noqa: PLR0913 -- what a list can be narrowed by, each by its name
        self,
        repo: SeenRepo,
        *,
        skill: str = "",
        model: str = "",
        state: str = "",
        after: str = "",
        most: int = 50,
    ) -> RunRows:
        """A part of a repository's runs, newest first; `after` is the `next` of the part before."""
        records = reversed(await self._ledger.records(repo.full_name))
        rows = [
            row
            for row in map(make_run_row, records)
            if skill in ("", row.skill) and model in ("", row.model) and state in ("", row.state)
        ]
        first = next((at + 1 for at, row in enumerate(rows) if row.run == after), 0)
        part = rows[first : first + most]
        is_last = first + most >= len(rows)
        return RunRows(rows=tuple(part), total=len(rows), next="" if is_last else part[-1].run)

    async def record(self, repo: SeenRepo, run_id: str) -> RunRecord | None:
        """A run as the ledger has it."""
        for one in await self._ledger.records(repo.full_name):
            if one.run == run_id:
                return one
        return None

    async def version(self, repo: SeenRepo, skill: str = "") -> str:
        """Changes whenever what is shown of a repository, or of a skill of it, changes."""
        records = await self._ledger.records(repo.full_name)
        records = [one for one in records if skill in ("", one.skill)]
        return str(hash(tuple(one.model_dump_json() for one in records)))
