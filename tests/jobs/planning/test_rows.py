"""A plan as rows of the living comment."""

from pathlib import Path

import pytest

from config.settings import Settings
from jobs.planning.rows import find_live_page, find_unpriced, make_progress
from jobs.requests import Repo
from tests.builders import a_run_spec
from tests.jobs.planning.test_plan import plan


async def test_a_model_without_a_price_is_named_once(tmp_path: Path):
    made = await plan(tmp_path)
    asked = {made.runs[0].model.sent, made.runs[0].judge.sent}
    unpriced = find_unpriced(made, lambda _: False)
    assert sorted(unpriced) == sorted(asked)
    settings = Settings(_env_file=None)
    progress = make_progress(made, settings, unpriced=unpriced)
    assert set(progress.unpriced) == asked
    assert progress.most_tokens == settings.max_tokens_per_run


async def test_with_prices_the_sum_stands(tmp_path: Path):
    made = await plan(tmp_path)
    assert find_unpriced(made, lambda _: True) == []


OPEN = Repo(owner="acme", name="skills", installation_id=7)
PAGES = {"public_url": "https://bench.example.org", "public_pages": True}
SIGN_IN = {
    "public_url": "https://bench.example.org",
    "github_client_id": "Iv1.0",
    "github_client_secret": "a secret",
    "session_secret": "x" * 40,
}


@pytest.mark.parametrize(
    ("repo", "settings", "is_linked"),
    [
        (OPEN, PAGES, True),
        (OPEN, SIGN_IN, True),
        (OPEN.model_copy(update={"private": True}), SIGN_IN, True),
        (OPEN.model_copy(update={"private": True}), PAGES, False),
        (OPEN, PAGES | {"public_url": ""}, False),
        (OPEN, PAGES | {"public_url": "http://127.0.0.1:8000"}, False),
        (OPEN, SIGN_IN | {"session_secret": ""}, False),
        (OPEN, PAGES | {"public_pages": False}, False),
    ],
)
def test_a_run_is_linked_live_only_where_its_readers_can_see_it(
    repo: Repo, settings: dict[str, object], is_linked: bool
) -> None:
    spec = a_run_spec(repo=repo)
    page = find_live_page(spec, Settings(_env_file=None, **settings))
    address = f"https://bench.example.org/repos/acme/skills/runs/{spec.run_id}"
    assert page == (address if is_linked else "")
