"""What a session's end says about a query whose skill was not used."""

from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import ConversationEnd
from jobs.triggering.ends import make_observation
from jobs.triggering.eval_set import Query
from jobs.triggering.evaluation import Ask
from jobs.triggering.skill_use import SkillUse
from jobs.values import Usage
from tests.jobs.triggering.world import LIMITS, MODEL, install

ASK = Ask(
    query=Query(id="Q1", text="merge these", should_trigger=True),
    number=1,
    installed=install("d", Path()),
    model=MODEL,
    limits=LIMITS,
)


@pytest.mark.parametrize(
    ("end", "fired"),
    [
        ("completed", False),
        ("max_turns", False),
        ("max_tokens", False),
        ("refused", False),
        ("max_cost", None),
        ("timeout", None),
        ("stalled", None),
        ("rate_limited", None),
        ("error", None),
    ],
)
def test_only_an_agent_that_had_its_chance_has_not_used_the_skill(end: str, fired: bool | None):
    ended = ConversationEnd.model_validate(
        {
            "end": end,
            "last_text": "",
            "turns": 1,
            "tool_calls": 0,
            "failed_tool_calls": 0,
            "retries": 0,
            "usage": Usage(requests=1, cost_usd=Decimal(1)),
            "served_models": ("m",),
        }
    )
    seen = make_observation(ASK, SkillUse("pdf", {}), ended, usage=ended.usage, wall_s=1)
    assert seen.fired is fired
    assert bool(seen.detail) is (fired is None)
