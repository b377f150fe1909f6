"""The suites that are in use: each case finds its target's fields as they are written."""

from pathlib import Path

import pytest

from jobs.datasets.loading import dataset_names, load_dataset, suite_names
from jobs.targets.registry import make_fields
from tests.jobs.targets.asking import EMAIL

SUITES = Path(__file__).parents[4] / "shared" / "data" / "datasets"
ABOUT_NOBODY = "dialogue_quality"
"""Its `mirobody` needs an address that whoever runs it types."""


@pytest.mark.shared
@pytest.mark.skipif(not SUITES.exists(), reason="the real test data is not beside the checkout")
def test_every_target_of_every_real_case_can_be_configured() -> None:
    seen = set()
    for suite in suite_names(SUITES):
        for name in dataset_names(SUITES / suite):
            dataset = load_dataset(SUITES, suite, name)
            for choice in dataset.settings.target:
                is_typed = suite == ABOUT_NOBODY and choice.type == "mirobody"
                typed = {"user_email": EMAIL} if is_typed else {}
                for case in dataset.cases:
                    fields = make_fields(choice, case, typed).model_dump()
                    if "user_email" in fields:
                        assert "@" in fields["user_email"]
                seen.add(choice.type)
    assert seen >= {"llm_api", "mirobody", "hermes", "naive_rag_api", "dyg_rag_api"}
