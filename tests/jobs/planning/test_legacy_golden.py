"""The real comments of the earlier runner count for exactly what they were about."""

import json
from pathlib import Path

import pytest

from jobs.planning.dedup import find_duplicate
from jobs.planning.model_names import identity
from tests.builders import a_comment, a_model, a_run_spec, a_skill
from tests.jobs.planning.known import Permissions, known

SHARED = Path(__file__).parents[4] / "shared" / "data" / "pharma" / "legacy-comments.json"


def legacy_comments():
    return json.loads(SHARED.read_text(encoding="utf-8")) if SHARED.exists() else []


@pytest.mark.shared
async def test_every_shape_of_an_older_comment_counts_for_exactly_its_pairs():
    shapes = legacy_comments()
    if not shapes:
        pytest.skip("the real comments are not beside this checkout")
    pairs = {tuple(pair) for shape in shapes for pair in shape["counts_as_done_for"]}
    assert pairs
    for shape in shapes:
        comment = a_comment(shape["body"], author="kim")
        done = {identity(model) + sha for model, sha in shape["counts_as_done_for"]}
        for model, sha in pairs:
            spec = a_run_spec(
                skill=a_skill(legacy_sha=sha),
                model=a_model(asked=model, sent=model, identity=identity(model)),
            )
            found = await find_duplicate(spec, known(comment, permission=Permissions(kim="write")))
            assert (found is not None) == (identity(model) + sha in done), (shape["name"], model)
