"""Good inputs to start from, all of our own making, and the pieces that mean something in them."""

import json

SECRET = "planted-secret-4711"  # noqa: S105 -- made up, to be looked for

FORM = b"""### Skills

csv-profile

### Language

_No response_

### Query

Profile `csv-profile/examples/orders.csv`.

### Expected Output (Optional)

A table of columns.

### Attached Files / Input Context (Optional)

- csv-profile/examples/orders.csv

### Rubric Criteria (Assertions)

| # | Criterion | Weight |
|---|-----------|--------|
| 1 | Names every column | 2 |
| 2 | Counts empty cells | 1 |
"""

ISSUE_PIECES = (
    b"## Skills\n", b"### Language\r\n", b"## Query\n", b"## Expected Output\n", b"Setext\n===\n",
    b"## Attached Files / Input Context (Optional)\n", b"## Rubric Criteria (Assertions)\n",
    b"csv-profile\n", b"[csv](csv-profile/SKILL.md)", b"csv-profile/examples/orders.csv", b"- ",
    b"1. ",
    b"None needed.", b"_No response_\n", b"<details>\n", b"| a | b |\n|---|---|\n", b"- [x] ",
    b"**", b"[a]: b\n",
    b"data/", b"https://github.com/a/b/blob/main/csv-profile/SKILL.md", b"```csv\na,b\n```\n",
    b"\n    code\n",
)  # fmt: skip

FRONT_MATTER = b"""---
name: word-count
description: "Counts words: in text files, and tells the longest."
license: MIT
metadata:
  tags: [text, counting]
  nested: {a: 1, b: [1, 2]}
allowed-tools: Bash Read
---
# How

Count them. Use `scripts/count.py`.
"""

FRONT_PIECES = (
    b"---\n", b"...\n", b"name: ", b"description: ", b"- ", b"? ", b": ", b"|\n  ", b">-\n  ",
    b"&a ", b"*a", b"!!binary ",
    b"!<tag:x> ", b"%YAML 1.2\n", b"[", b"{", b"#", b"'", b"<<: ",
    b"&a [*a,*a,*a,*a,*a,*a,*a,*a]\n", b"name: x\n",
)  # fmt: skip

EVALS = json.dumps(
    {
        "skill_name": "a",
        "evals": [
            {
                "id": 1,
                "prompt": ["Count the words", "of data.csv"],
                "expected_output": "A number.",
                "files": ["data.csv", "none", {"path": "data.csv"}],
                "expectations": ["It is 4", {"text": "It says so"}, "## Title", "data.csv"],
                "target_skills": "a",
                "language": None,
            },
            {"id": "github-issue-7", "prompt": "data.csv", "assertions": "- one\n- two"},
        ],
    }
).encode()

RUBRICS = (
    b"| # | Criterion | Weight |\n|---|---|---|\n| 1 | Names it | 2 |\n| 2 | Counts `it` | 1 |\n",
    b"### Content\n- [ ] Names it\n  - in full\n- [x] Counts it\n\n**Form**\n1. Is short\n2. Is a table\n",
    b"The rubric:\n\n* one\n* two\n\nGroup\n\n- three\n- four with `code` and [link](x.md)\n",
    b"1. **Content**\n   - names\n   - counts\n2. **Form**\n   - short\n",
)
RUBRIC_PIECES = (
    b"| ", b" |\n", b"|---", b":-:", b"\\|", b"- ", b"* ", b"1. ", b"   - ", b"  ", b"### ", b"**",
    b"- [ ] ", b"\n\n", b"`",
)  # fmt: skip

COMMENTS = (
    b"@skillbench run claude-sonnet gpt-5 --skill csv-profile --eval 21 --force",
    b'Thanks!\n\n@skillbench run --launcher claude-code model="claude opus" (please)\n\n@skillbench help\n',
    b"> @skillbench run\n\n```\n@skillbench run\n```\n\n<details>\n\n@skillbench run\n\n</details>\n",
    b"- item\n  @skillbench: run sonnet\n\n| a |\n|---|\n| @skillbench run |\n\n<!--\n@skillbench run\n-->",
    b"@skillbench rum --trails 5 --skil x --force=maybe \xe2\x80\x94skill \xe2\x80\x9cx y\xe2\x80\x9d",
)
COMMENT_PIECES = (
    b"@skillbench ", b"@skillbench run ", b"\n@skillbench run sonnet\n", b"run", b"help",
    b"--skill ", b"--eval=", b"--force",
    b"--trials 1", b"model=", b'"', b"(", b")", b"<code>", b"</code>", b"<div>", b"<a b='",
    b"<pre>\n", b"$$", b"~~", b"\n\n",
    b"\n> ", b"\n- ", b"    ", b"![x](", b"[a]: b", b"<!--", b"-->", b"\xee\x80\x80", b"\\", b"*",
    b"<?x", b"<!X", b"&#64;skillbench run",
)  # fmt: skip

_RECORD = {
    "run": "5e1f00d5a1ad", "repo": "acme/skills", "eval_id": "github-issue-21",
    "eval_digest": "d" * 64,
    "skill": "text/word-count", "skill_sha": "3" * 64, "model": "claude-sonnet-4-6",
    "model_identity": "claudesonnet46",
    "launcher": "api", "mode": "forced", "vs": "none", "environment": "", "trials": 1,
    "judge": "claude-opus-4-7",
    "judge_prompt": "3", "model_asked": "sonnet",
    "score": {"with_skill": 0.8333, "without_skill": 0.5}, "state": "complete",
}  # fmt: skip
_OLD = {"eval_id": "github-issue-21", "model": "claude-sonnet-4-6", "skill_sha": "9" * 64}
REPORTS = (
    f"Report\n\n<!-- skillbench:v1 {json.dumps(_RECORD)} -->\n<!-- BENCHMARK_COMPLETE: {json.dumps(_OLD)} -->".encode(),
    f"<!-- skillbench:v1 {json.dumps(_RECORD | {'score': {'with_skill': 1, 'without_skill': 0}})} -->".encode(),
    b"## Automated Benchmark Results\n\n| Field | Value |\n|---|---|\n| Model | `claude-sonnet-4-6` |\n"
    b"| Skill version | `9b1d3c5e7f0a` |\n| Eval ID | github-issue-21 |\n",
    b"### Automated Benchmark Results\n\n**Model:** Claude Sonnet 4.6\n- *Skill version* (sha): 9b1d3c5e7f0a, 0a1b2c3\n",
)
MARKER_PIECES = (
    b"<!-- skillbench:v1 ", b"<!-- skillbench:v2 {}", b" -->", b"<!-- BENCHMARK_COMPLETE: ",
    b"<!-- BENCHMARK_PARTIAL", b"{", b"}",
    b'"score": ', b'{"with_skill": 1}', b"1" + b"0" * 400, b'"trials": ', b"> ", b"```\n",
    b"<blockquote>", b"</blockquote>", b"<code>",
    b"Automated Benchmark Results", b"| Model | x |\n", b"Skill version: ", b"0a1b2c3d ", b"(",
    b"\n\n", b"<q>", b"<div\n", b"`",
)  # fmt: skip

_ACCOUNT = {"id": 5, "login": "mona", "type": "User", "site_admin": False}
_REPOSITORY = {
    "id": 9, "name": "skills", "full_name": "acme/skills", "private": False,
    "owner": {**_ACCOUNT, "id": 3, "login": "acme", "type": "Organization"},
}  # fmt: skip
_COMMON = {
    "issue": {"number": 21, "title": "Zähle Wörter 🧮", "labels": [{"id": 1, "name": "x"}], "body": "…"},
    "repository": _REPOSITORY,
    "sender": _ACCOUNT,
    "installation": {"id": 7, "node_id": "x"},
}  # fmt: skip
_COMMENT = {
    "id": 100, "body": "@skillbench run claude-sonnet", "user": _ACCOUNT,
    "created_at": "2026-05-04T12:00:00Z", "updated_at": "2026-05-04T12:00:01Z",
    "author_association": "NONE",
}  # fmt: skip
COMMENT_PAYLOAD = {**_COMMON, "action": "created", "comment": _COMMENT}
EDIT_PAYLOAD = {
    **_COMMON, "action": "edited", "comment": _COMMENT, "changes": {"body": {"from": "hello"}},
}  # fmt: skip
LABEL_PAYLOAD = {**_COMMON, "action": "labeled", "label": {"id": 1, "name": "needs-benchmark"}}
OPENED_PAYLOAD = {**_COMMON, "action": "opened"}
PUSH_PAYLOAD = {
    "ref": "refs/heads/main", "before": "b" * 40, "after": "a" * 40,
    "created": False, "deleted": False, "forced": False, "base_ref": None,
    "commits": [{"id": "a" * 40, "added": [], "removed": [], "modified": ["x/SKILL.md"]}],
    "head_commit": None, "pusher": {"name": "mona"},
    "repository": {**_REPOSITORY, "default_branch": "main"},
    "sender": _COMMON["sender"], "installation": _COMMON["installation"],
}  # fmt: skip
PAYLOADS = tuple(
    json.dumps(one).encode()
    for one in (COMMENT_PAYLOAD, EDIT_PAYLOAD, LABEL_PAYLOAD, OPENED_PAYLOAD, PUSH_PAYLOAD)
)

_PLACE = {"id": 9, "owner": "acme", "name": "skills", "private": False, "installation_id": 7}
_EVENT = {
    "type": "issue_commented", "delivery": "d-1", "repository": _PLACE, "issue": 21,
    "is_pull_request": False,
    "sender": {"id": 5, "login": "mona", "is_bot": False}, "comment_id": 100,
    "body": "@skillbench run",
    "body_before": None, "created_at": "2026-05-04T12:00:00Z", "changed_at": None,
}  # fmt: skip
_REQUEST = {
    "key": "comment:acme/skills:100:0a1b2c3d4e5f",
    "repo": {"owner": "acme", "name": "skills", "installation_id": 7},
    "issue": 21, "asker": "mona", "origin": "comment", "comment_id": 100,
    "asked_at": "2026-05-04T12:00:00Z",
}  # fmt: skip
JOBS = tuple(
    json.dumps({"t": None, "f": function, "a": [argument], "k": {}, "et": 1_777_000_000_000}).encode()
    for function, argument in (
        ("handle_event", {"version": 1, "event": _EVENT}),
        ("handle_event", {"version": 99, "event": _EVENT}),
        ("carry_out_request", _REQUEST),
        ("something_else", _REQUEST),
    )
)  # fmt: skip

LOGGED = (
    b"key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123 and https://user:pass@host/x, ghs_abcdefghijklmnopqrstuvwx"
    b"\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n"
)
LOG_PIECES = (
    b"-----BEGIN PRIVATE KEY-----", b"-----END PRIVATE KEY-----", b"-----BEGIN ", b"://", b"a:b@",
    b":", b"@", b"sk-", b"eyJ", b".",
    b"ghp_", b"a" * 20, b"planted-secret-471",
)  # fmt: skip
