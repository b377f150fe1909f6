"""Both arms in the real Claude Code, in the real sandbox, against the scripted API."""

import re
from decimal import Decimal
from typing import Any

import pytest

from demo.model_api import (
    Asked,
    Call,
    Reply,
)
from demo.model_api.steps import Reported
from jobs.values import SKILL_OR_NONE, Arm, SessionEnd
from tests.builders import a_model, a_skill, an_eval_case, an_input_file
from tests.jobs.claude_code.sessions import (
    SKILL_TEXT,
    a_skill_folder,
)

USES_THE_SKILL = (
    Reply(text="There is a skill for this.", calls=(Call("Skill", {"skill": "word-count"}),)),
    Reply(calls=(Call("Bash", {"command": "echo 42 > output/total.txt"}),)),
    Reply(text="The total is 42."),
)
GUIDANCE = re.compile(r"# Session-specific guidance\n - When the user types[^\n]*\n\n")
LISTING = re.compile(r"<system-reminder>[^<]*skills[^<]*</system-reminder>", re.IGNORECASE)


def without_skill_parts(asked: Asked) -> tuple[str, str, dict[str, Any]]:
    """A first request without what Claude Code itself says where there is a skill.

    That is the listing, and a paragraph in the system prompt on how to call what is listed.
    """
    rest = {k: v for k, v in asked.body.items() if k not in {"messages", "metadata", "system"}}
    return LISTING.sub("", asked.prompt).strip(), GUIDANCE.sub("", asked.system), rest


async def test_the_arm_with_the_skill_finds_it_in_the_real_listing_and_uses_it(api, start):
    api.script(*USES_THE_SKILL)
    ran = await start(Arm.WITH_SKILL)
    assert (ran.result.end, ran.result.detail) == (SessionEnd.COMPLETED, "")
    assert ran.result.skill_loaded is True
    assert ran.output("total.txt") == "42\n"
    assert ran.output("response.md") == "The total is 42.\n"
    assert "- word-count: Counts words in text files." in api.requests[0].prompt
    assert "people lose track after thirty words" not in api.requests[0].prompt
    assert "people lose track after thirty words" in api.requests[1].last.text


async def test_the_arm_without_a_skill_has_the_tool_and_an_empty_listing(api, start):
    api.script(Reply(calls=(Call("Skill", {"skill": "word-count"}),)), Reply(text="I cannot."))
    ran = await start(Arm.WITHOUT_SKILL)
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.skill_loaded is None
    [asked, after] = api.requests
    assert sorted(asked.tools) == ["Bash", "Edit", "Glob", "Read", "Skill", "Write"]
    assert LISTING.search(asked.prompt) is None
    assert "word-count" not in str(asked.body)
    assert after.last.results[0].failed
    assert "Unknown skill" in after.last.results[0].text


async def test_nothing_but_the_skill_differs_between_the_arms(api, start):
    api.script(Reply(text="42"), forever=True)
    having, lacking = await start(Arm.WITH_SKILL), await start(Arm.WITHOUT_SKILL)
    first, second = api.requests
    assert without_skill_parts(first) == without_skill_parts(second)
    assert "word-count" in first.prompt
    assert having.result.tools == lacking.result.tools
    assert having.result.launcher_version == lacking.result.launcher_version == "2.1.197"


async def test_an_installed_skill_that_nobody_asks_for_is_not_loaded(api, start):
    api.script(Reply(text="42"))
    assert (await start(Arm.WITH_SKILL)).result.skill_loaded is False


async def test_a_forced_skill_stands_in_the_prompt_and_on_disk_but_not_in_the_listing(api, start):
    api.script(Reply(calls=(Call("Bash", {"command": "ls -a . skill"}),)), Reply(text="42"))
    ran = await start(Arm.WITH_SKILL, mode="forced")
    assert ran.result.skill_loaded is True
    first, second = api.requests
    assert "people lose track after thirty words" in first.prompt
    assert LISTING.search(first.prompt) is None
    listed = second.last.results[0].text.split()
    assert {"SKILL.md", "scripts"} <= set(listed)
    assert ".claude" not in listed


async def test_the_skills_files_are_all_there_and_can_be_run(api, start):
    command = ".claude/skills/word-count/scripts/count.sh /etc/passwd"
    api.script(Reply(calls=(Call("Bash", {"command": command}),)), Reply(text="42"))
    ran = await start(Arm.WITH_SKILL)
    assert not api.requests[1].last.results[0].failed
    assert ran.result.skill_loaded is True


async def test_inputs_lie_under_their_aliases(api, start, tmp_path):
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (inputs / "input_001.txt").write_text("one two three\n")
    case = an_eval_case(inputs=(an_input_file(size_bytes=14),))
    api.script(
        Reply(calls=(Call("Read", {"file_path": "/box/input/input_001.txt"}),)), Reply(text="3")
    )
    folder = tmp_path / "s"
    folder.mkdir()
    ran = await start(eval_case=case, inputs_folder=inputs)
    assert ran.result.end is SessionEnd.COMPLETED
    assert "one two three" in api.requests[0].prompt
    assert "one two three" in api.requests[1].last.results[0].text


async def test_the_usage_is_the_proxys_and_priced_request_by_request(api, start):
    counted = Reported(input=1_000, output=100, cache_read=500)
    api.script(
        Reply(text="a", calls=(Call("Bash", {"command": "true"}),), tokens=counted),
        Reply(text="b", tokens=counted),
    )
    ran = await start()
    usage = ran.result.usage
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (2, 2_000, 200)
    assert usage.cache_read_tokens == 1_000
    # Sonnet: 3 USD a million in, 15 out, 0.30 from the cache
    assert usage.cost_usd == Decimal("0.0093")
    assert (ran.result.turns, ran.result.tool_calls) == (2, 1)
    assert [event["output_tokens"] for event in ran.events("usage")] == [100, 100]


async def test_text_before_a_tool_call_is_the_answer_if_nothing_follows(api, start):
    api.script(
        Reply(text="Total is 42", calls=(Call("Bash", {"command": "true"}),)), Reply(), Reply()
    )
    ran = await start()
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.output("response.md") == "Total is 42\n"


@pytest.mark.parametrize("asked", ["sonnet", "claude-sonnet"])
async def test_the_resolved_id_is_handed_to_claude_code(api, start, asked):
    """Its own aliases are not those of the API."""
    api.script(Reply(text="42"))
    ran = await start(model=a_model(asked=asked))
    assert {request.model for request in api.requests} == {"claude-sonnet-4-6"}
    assert ran.result.served_models == ("claude-sonnet-4-6",)


async def test_another_model_that_answers_is_shown(api, start):
    api.script(Reply(text="42", served_model="claude-haiku-4-5-20251001"))
    ran = await start()
    assert ran.result.served_models == ("claude-haiku-4-5-20251001",)


async def test_what_an_agent_leaves_running_is_gone_before_its_files_are_read(api, start):
    command = "setsid sh -c 'while :; do date >> output/log; sleep 0.1; done' >/dev/null 2>&1 &"
    api.script(Reply(calls=(Call("Bash", {"command": command}),)), Reply(text="started"))
    ran = await start()
    assert ran.result.end is SessionEnd.COMPLETED


async def test_a_long_prompt_reaches_the_model_whole(api, start):
    """No command line could hold it."""
    api.script(Reply(text="42"))
    await start(eval_case=an_eval_case(prompt="/help -p \0" + "word " * 60_000 + "END"))
    assert "word END" in api.requests[0].prompt


async def test_skills_memory_and_settings_of_the_host_do_not_come_in(
    api, start, tmp_path, monkeypatch
):
    """In either arm, whoever runs the worker and wherever it was started."""
    home = tmp_path / "home"
    stray = home / ".claude" / "skills" / "stray-skill"
    stray.mkdir(parents=True)
    (stray / "SKILL.md").write_text("---\nname: stray-skill\ndescription: Stray.\n---\nStray.\n")
    (home / ".claude" / "CLAUDE.md").write_text("STRAY MEMORY")
    (home / ".claude" / "settings.json").write_text('{"model": "claude-opus-4-8"}')
    (home / "CLAUDE.md").write_text("STRAY MEMORY")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-opus-4-8")
    monkeypatch.chdir(home)
    api.script(Reply(text="42"), forever=True)
    for arm in SKILL_OR_NONE:
        assert (await start(arm)).result.end is SessionEnd.COMPLETED
    for asked in api.requests:
        assert asked.model == "claude-sonnet-4-6"
        assert "stray" not in str(asked.body).lower()


async def test_a_skill_that_is_kept_from_peoples_commands_is_used_by_the_agent(
    api, start, tmp_path
):
    """Claude Code then names it to its model alone, and not in the session's first event."""
    folder = tmp_path / Arm.WITH_SKILL
    folder.mkdir()
    text = SKILL_TEXT.replace("description:", "user-invocable: false\ndescription:")
    a_skill_folder(folder, text)
    api.script(*USES_THE_SKILL)
    ran = await start(Arm.WITH_SKILL)
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.skill_loaded
    assert "Counts words in text files" in api.requests[0].prompt


async def test_a_skill_named_like_one_of_claude_codes_own_is_refused_before_anything_is_spent(
    api, start
):
    ran = await start(Arm.WITH_SKILL, skill=a_skill(name="review"))
    assert ran.result.end is SessionEnd.ERROR
    assert "Rename the skill" in ran.result.detail
    assert not api.requests


@pytest.mark.parametrize(
    ("head", "description"),
    [
        ("\ufeff---\r\nname: word-count\r\ndescription: Counts.\r\n---\r\n", "Counts."),
        ("\n---\nname: word-count\ndescription: Counts.\n---\n", "Counts."),
        ("---\r\nname: word-count\r\ndescription: Counts: a: b\r\n---\r\n", "Counts: a: b"),
        ("---\nname: word-count\ndescription: Counts: a: b\n---\n", "Counts: a: b"),
        ("---\nname: word-count\ndescription: >\n  Counts\n  words.\n---\n", "Counts words."),
    ],
    ids=["byte order mark", "blank line", "colon and carriage return", "colon", "block"],
)
async def test_claude_code_lists_the_description_that_reports_show(
    api, start, tmp_path, head, description
):
    """However the front matter is written."""
    folder = tmp_path / Arm.WITH_SKILL
    folder.mkdir()
    (a_skill_folder(folder) / "SKILL.md").write_text(f"{head}Count.\n", newline="")
    api.script(Reply(text="42"))
    await start(Arm.WITH_SKILL)
    assert f"- word-count: {description}\n" in f"{api.requests[0].prompt}\n"


async def test_a_skill_whose_name_is_no_folder_name_is_found(api, start, tmp_path):
    (tmp_path / Arm.WITH_SKILL).mkdir()
    text = "---\nname: Word Count 2\ndescription: Counts.\n---\nCount.\n"
    a_skill_folder(tmp_path / Arm.WITH_SKILL, text)
    api.script(Reply(calls=(Call("Skill", {"skill": "Word-Count-2"}),)), Reply(text="42"))
    ran = await start(Arm.WITH_SKILL, skill=a_skill(name="Word Count 2"))
    assert ran.result.end is SessionEnd.COMPLETED
    assert ran.result.skill_loaded is True
