"""The labels that mean something to the bot in a repository, as they are made where they miss."""

from config.repo_sections import Labels
from jobs.ports import LabelLooks

COLORS = {"run": "fbca04", "done": "0e8a16", "evals": "1d76db", "kept": "5319e7"}
KEPT = LabelLooks(
    name="skillbench", color=COLORS["kept"], description="Kept up to date by skillbench"
)
"""Put on issues that the App keeps by itself, by which it finds them again."""


def done_label(labels: Labels) -> LabelLooks:
    """The label of an issue on which a report stands."""
    return LabelLooks(
        name=labels.done, color=COLORS["done"], description="A finished report answers this issue"
    )


def list_labels(labels: Labels) -> list[LabelLooks]:
    """All that people put on issues, and the one that the bot puts there."""
    run = LabelLooks(
        name=labels.run,
        color=COLORS["run"],
        description="Measure whether the skill makes this task better",
    )
    evals = [
        LabelLooks(
            name=name,
            color=COLORS["evals"],
            description="This issue is an eval case: a task with assertions",
        )
        for name in labels.evals
    ]
    return [run, done_label(labels), *evals]
