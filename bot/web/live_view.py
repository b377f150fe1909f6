"""A run that goes on as its page shows it: words, figures and clocks, with no rule of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from jobs.live_sessions import LiveSession, LiveState, RunNow
from jobs.reporting.arm_words import WORDS
from jobs.reporting.numbers import plural, tokens, usd
from jobs.values import Arm

Tone = Literal["going", "good", "bad", "waits"]

STEPS: tuple[tuple[LiveState, str], ...] = (
    ("preparing", "Preparing"),
    ("running", "Sessions"),
    ("judging", "Judging"),
    ("publishing", "Publishing"),
)
STATES: Mapping[LiveState, str] = {
    "preparing": "preparing",
    "running": "running",
    "judging": "judging",
    "publishing": "publishing",
    "ended": "ended",
    "failed": "failed",
    "refused": "refused",
    "cancelled": "cancelled",
    "stopped": "interrupted",
}
ENDS: Mapping[str, tuple[str, Tone]] = {
    "completed": ("finished", "good"),
    "max_turns": ("stopped at its limit of turns", "good"),
    "timeout": ("stopped at its time limit", "good"),
    "max_cost": ("stopped at its cost limit", "good"),
    "no_output": ("finished without any output", "bad"),
    "max_tokens": ("cut at the output limit", "bad"),
    "refused": ("the model refused", "bad"),
    "stalled": ("the model fell silent", "bad"),
    "rate_limited": ("turned away by the model's provider", "bad"),
    "error": ("broke off", "bad"),
    "read": ("read", "good"),
    "lost": ("gave no verdicts", "bad"),
}
NOTES: Mapping[LiveState, str] = {
    "failed": "It came to no end. The comment on the issue says what is known of it.",
    "cancelled": "What had ended is not lost: a run of the same takes it over.",
    "stopped": "Its worker has left it. It is carried on where it was, unless it was cancelled.",
}
UNHEARD = "Its worker has not been heard of for a while. Another one takes the run up soon."
READINGS = {1: "First order", 2: "Other order"}


@dataclass(frozen=True, slots=True)
class Clock:
    """A time that passes, or has passed."""

    since_ms: int
    """Since the epoch."""
    shown: str
    is_running: bool


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session, or a reading of the judge, as its card shows it."""

    title: str
    session: LiveSession | None
    """None: it has not begun."""
    words: str
    """What it does, or how it ended."""
    tone: Tone
    clock: Clock | None
    tokens: str = ""
    cost: str = ""
    problems: str = ""
    """Failed calls and retries, where there are any."""

    @property
    def tools(self) -> Sequence[tuple[str, int]]:
        """Tools by name with their calls, the one called most first."""
        found = self.session.tools.items() if self.session else ()
        return sorted(found, key=lambda one: -one[1])


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial before the one that is shown whole."""

    number: int
    sessions: Sequence[SessionView]
    readings: str


@dataclass(frozen=True, slots=True)
class LiveView:
    """All of it."""

    run: RunNow
    state: str
    tone: Tone
    steps: Sequence[tuple[str, Tone]]
    note: str
    clock: Clock
    trial: int
    """The one that is shown; 1 before any has begun."""
    trials: str
    arms: Sequence[SessionView]
    readings: Sequence[SessionView]
    earlier: Sequence[TrialView]
    tokens: str
    cost: str
    said: str
    """For a screen reader: the same until the next milestone."""

    @property
    def tool_calls(self) -> int:
        return sum(one.tool_calls for one in self.run.sessions if one.arm)


def view_run(run: RunNow, now: datetime) -> LiveView:
    """A run as it is shown at a moment."""
    trial = max((one.trial for one in run.sessions), default=1)
    goes_on = not run.is_over and run.is_held
    until = now if goes_on else max(run.move.at, run.head.started_at)
    shown = {
        number: [_view(one, now, goes_on=goes_on) for one in run.sessions if one.trial == number]
        for number in range(1, trial + 1)
    }
    arms = [_find_arm(shown[trial], arm) for arm in run.head.arms]
    readings = [one for one in shown[trial] if one.session and not one.session.arm]
    at_most = " at most" if run.head.until_sure else ""
    return LiveView(
        run=run,
        state=STATES[run.move.state] if goes_on or run.is_over else "not heard of",
        tone=_find_tone(run, goes_on=goes_on),
        steps=_find_steps(run),
        note=_find_note(run, goes_on=goes_on),
        clock=_clock(run.head.started_at, until, is_running=goes_on),
        trial=trial,
        trials=f"{trial} of {run.head.trials}{at_most}",
        arms=arms,
        readings=readings,
        earlier=[_view_trial(number, shown[number], run) for number in range(trial - 1, 0, -1)],
        tokens=tokens(run.tokens),
        cost=usd(run.cost_usd),
        said=_say(run, arms, readings),
    )


def _view(session: LiveSession, now: datetime, *, goes_on: bool) -> SessionView:
    title = READINGS.get(session.reading, "") if session.arm is None else WORDS[session.arm].title
    is_running = goes_on and not session.end
    until = session.ended_at or (now if is_running else session.started_at)
    words, tone = _tell(session, is_running=is_running)
    troubles = (session.failed_tool_calls, "failed call"), (session.retries, "retry")
    counted = [
        plural(count, noun, "retries" if noun == "retry" else "")
        for count, noun in troubles
        if count
    ]
    return SessionView(
        title=title,
        session=session,
        words=words,
        tone=tone,
        clock=_clock(session.started_at, until, is_running=is_running),
        tokens=tokens(session.usage.total_tokens),
        cost="paid before" if session.is_reused else usd(session.usage.cost_usd),
        problems=", ".join(counted),
    )


def _tell(session: LiveSession, *, is_running: bool) -> tuple[str, Tone]:
    if session.end:
        words, tone = ENDS.get(session.end, (session.end.replace("_", " "), "bad"))
        return (f"{words}, kept from an earlier run" if session.is_reused else words), tone
    if not is_running:
        return "interrupted", "bad"
    if session.arm is None:
        return f"reads, answer {session.turns + 1}", "going"
    if session.doing:
        return f"runs {session.doing}", "going"
    return "the model thinks", "going"


def _find_arm(sessions: Sequence[SessionView], arm: Arm) -> SessionView:
    found = (one for one in sessions if one.session and one.session.arm is arm)
    return next(found, SessionView(WORDS[arm].title, None, "not begun yet", "waits", None))


def _view_trial(number: int, sessions: Sequence[SessionView], run: RunNow) -> TrialView:
    arms = [_find_arm(sessions, arm) for arm in run.head.arms]
    readings = [one for one in sessions if one.session and not one.session.arm]
    return TrialView(number, arms, _count_read(readings))


def _count_read(readings: Sequence[SessionView]) -> str:
    ended = sum(bool(one.session and one.session.end) for one in readings)
    return f"{ended} of {len(readings)} readings" if readings else "not judged"


def _find_steps(run: RunNow) -> list[tuple[str, Tone]]:
    """The way of a run, each part with whether it is done; nothing of a run that is over."""
    names = [state for state, _ in STEPS]
    at = names.index(run.move.state) if run.move.state in names else None
    if at is None:
        return []
    return [
        (label, "good" if number < at else "going" if number == at else "waits")
        for number, (_, label) in enumerate(STEPS)
    ]


def _find_tone(run: RunNow, *, goes_on: bool) -> Tone:
    if goes_on:
        return "going"
    return "good" if run.move.state == "ended" else "bad"


def _find_note(run: RunNow, *, goes_on: bool) -> str:
    if goes_on:
        return ""
    if not run.is_over:
        return UNHEARD
    if run.move.state == "refused":
        return run.move.detail
    return NOTES.get(run.move.state, "")


def _say(run: RunNow, arms: Sequence[SessionView], readings: Sequence[SessionView]) -> str:
    detail = f", {run.move.detail}" if run.move.detail and run.move.state != "refused" else ""
    words = [f"{STATES[run.move.state].capitalize()}{detail}."]
    words += [f"{one.title}: {one.words}." for one in arms if one.session and one.session.end]
    if readings:
        words.append(f"Judged: {_count_read(readings)}.")
    return " ".join(words)


def _clock(since: datetime, until: datetime, *, is_running: bool) -> Clock:
    passed = max(0, int((until - since).total_seconds()))
    return Clock(int(since.timestamp() * 1000), show_clock(passed), is_running)


def show_clock(seconds: int) -> str:
    """`0:07`, `12:40`, `1:03:20`."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
