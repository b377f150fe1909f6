"""How the scripted model works in a session: by the skill if it has one, else by eye.

With a skill it reads what SKILL.md names and runs the command that SKILL.md gives.
Without one it does what somebody in a hurry does: looks at the first lines and counts
with `wc`. So the demo's difference comes from real files and a real script.
"""

import re
from dataclasses import dataclass

from demo.model_api.asked import Asked
from demo.model_api.steps import Call, Reply

_SKILL = re.compile(r"===== BEGIN SKILL\.md =====\n(.*?)\n===== END SKILL\.md =====", re.DOTALL)
_TASK = re.compile(r"^# Task\n+(.*?)(?=\n# (?:Input files|Results)\b|\Z)", re.DOTALL | re.MULTILINE)
_INPUT = re.compile(r"^- (input/\S+) \(", re.MULTILINE)
_BLOCK = re.compile(r"^```(?:bash|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_NAMED_FILE = re.compile(r"(?:`|\]\()(?:\./)?((?:[\w-]+/)*[\w-]+\.(?:md|txt|csv|json))[`)]")
_HEADING = re.compile(r"^#{1,3} +(.+)$", re.MULTILINE)
_WRITES = re.compile(r"output/[\w./-]+")
_MOST_READ = 3


@dataclass(frozen=True, slots=True)
class _Job:
    """What the first message of a session asks for."""

    task: str
    inputs: tuple[str, ...]
    skill: str | None

    @property
    def command(self) -> str | None:
        """The first command of SKILL.md that writes a result, with the input put in."""
        for block in _BLOCK.findall(self.skill or ""):
            if _WRITES.search(block) and ("INPUT" not in block or self.inputs):
                return re.sub(r"\bINPUT\b", self.inputs[0] if self.inputs else "", block).strip()
        return None

    @property
    def named_files(self) -> list[str]:
        """Files of the skill that SKILL.md points to."""
        return list(dict.fromkeys(_NAMED_FILE.findall(self.skill or "")))[:_MOST_READ]


def work(asked: Asked) -> Reply:
    """The next answer of a session."""
    job = _read_job(asked.prompt)
    if not {"Bash", "Read", "Write"} <= set(asked.tools):
        return Reply(text=_answer_in_words(job))
    plan = _plan(job)
    if asked.turn < len(plan):
        return plan[asked.turn]
    if asked.turn == len(plan) and job.command and job.inputs and _failed(asked):
        return _look_by_eye(job)
    return Reply(text=_closing(job))


def _read_job(prompt: str) -> _Job:
    skill = _SKILL.search(prompt)
    rest = prompt[skill.end() :] if skill else prompt
    task = _TASK.search(rest)
    return _Job(
        task=(task[1] if task else rest).strip(),
        inputs=tuple(_INPUT.findall(rest)),
        skill=skill[1] if skill else None,
    )


def _plan(job: _Job) -> list[Reply]:
    """The answers of a session before its closing message."""
    plan = []
    if job.skill is not None and job.named_files:
        reads = tuple(Call("Read", {"file_path": f"skill/{name}"}) for name in job.named_files)
        plan.append(Reply(text="I read what the skill names first.", calls=reads))
    if job.command:
        call = Call("Bash", {"command": job.command})
        return [*plan, Reply(text="Now the command that the skill gives.", calls=(call,))]
    if not job.inputs:
        call = Call("Write", {"file_path": "output/answer.md", "content": _answer_in_words(job)})
        return [*plan, Reply(text="I write the answer down.", calls=(call,))]
    look = " && ".join(f"head -n 5 {path} && wc -l {path}" for path in job.inputs)
    first = Reply(text="A look at the files first.", calls=(Call("Bash", {"command": look}),))
    return [*plan, first, _look_by_eye(job)]


def _failed(asked: Asked) -> bool:
    return any(result.failed for result in asked.last.results)


def _look_by_eye(job: _Job) -> Reply:
    """Write down what `head` and `wc` tell, the heading counted as a row like any other."""
    parts = ["echo '# First look'"]
    for path in job.inputs:
        parts.append(f"echo; echo \"{path}: $(wc -l < {path} | tr -d ' ') lines.\"")
        parts.append(f"echo; head -n 5 {path} | sed 's/^/    /'")
    command = "{ " + "; ".join(parts) + "; } > output/answer.md"
    return Reply(text="I write down what I see.", calls=(Call("Bash", {"command": command}),))


def _answer_in_words(job: _Job) -> str:
    """A short text about the task; with a skill, along the headings of its SKILL.md."""
    opening = " ".join(job.task.split())[:400] or "No task was given."
    lines = ["# Answer", "", "What was asked:", "", f"> {opening}", ""]
    steps = _HEADING.findall(job.skill or "")[:12]
    if steps:
        lines += ["What the skill has one go through:", "", *(f"- {step}" for step in steps), ""]
    lines.append("This is a scripted model's answer: it repeats the task and solves nothing.")
    return "\n".join(lines) + "\n"


def _closing(job: _Job) -> str:
    written = _WRITES.search(job.command or "")
    return f"Done. The result is in {written[0] if written else 'output/answer.md'}."
