"""The scripted model chooses skills by words alone, so that a demo's figures follow from files."""

import json

import pytest

from demo.model_api.asked import Asked, Message
from demo.model_api.behaviour import behave
from jobs.triggering.controls import NEGATIVE, POSITIVE
from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.observations import Observation, QueryResult
from jobs.triggering.proposals import SYSTEM, Attempt, parse_description, render_prompt

LISTING = (
    "- harness-check: Handles every message that holds the word zebra-lighthouse.\n"
    "- csv-profile: Profiles a CSV file: rows, columns, missing values.\n"
)
REMINDERS = (
    "<system-reminder>\nProfiles of CSV rows.\n</system-reminder>\n\n{query}\n"
    "The following skills are available for use with the Skill tool:\n\n" + LISTING
)


def ask(prompt: str, *, system: str = "", tools: tuple[str, ...] = ("Bash", "Skill")) -> Asked:
    return Asked(
        vendor="anthropic",
        model="scripted-demo",
        system=system,
        messages=(Message(role="user", text=prompt),),
        tools=tools,
        max_tokens=1_000,
        stream=False,
        body={"system": [{"text": system}], "messages": [{"content": prompt}]},
    )


@pytest.mark.parametrize(
    ("query", "used"),
    [
        (POSITIVE.text, "harness-check"),
        (NEGATIVE.text, None),
        ("Which columns of this CSV file have missing values?", "csv-profile"),
        ("Write a haiku about a file.", None),
    ],
)
@pytest.mark.parametrize("launcher", ["api", "claude-code"])
def test_a_skill_is_used_where_its_description_shares_words(
    query: str, used: str | None, launcher: str
):
    asked = (
        ask(query, system=f"Skills:\n{LISTING}")
        if launcher == "api"
        else ask(REMINDERS.format(query=query))
    )
    calls = [call.arguments for call in behave(asked).calls]
    assert calls == ([{"skill": used}] if used else [])


def test_the_words_of_missed_queries_come_into_the_description():
    eval_set = make_eval_set([("show the git history", True), ("write a haiku", False)], "set")
    seen = (False, False)
    results = [
        QueryResult(
            query=query, observations=(Observation(query_id=query.id, number=1, fired=one),)
        )
        for query, one in zip(eval_set.queries, seen, strict=True)
    ]
    prompt = render_prompt("log", "How to.", [Attempt("Reads a log.", results)])
    answer = behave(ask(prompt, system=SYSTEM, tools=()))
    description = parse_description(answer.text)
    assert description is not None
    assert description.startswith("Reads a log.")
    assert "history" in description
    assert "haiku" not in description
    assert json.loads(answer.text)
