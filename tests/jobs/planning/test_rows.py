"""A plan as rows of the living comment."""

from pathlib import Path

from config.settings import Settings
from jobs.planning.rows import find_unpriced, make_progress
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
