"""How a tool's answer reads: decoded, shortened in the middle, its bad end explained."""

from jobs.sandbox import FILE_LIMIT_REACHED, CommandResult

_REASONS = {
    "memory": "it used more memory than the session may",
    "processes": "it started more processes than the session may",
    "output": "it wrote more output than anybody could read",
    "disk": "it wrote more to disk than the session may",
}


def decode_text(raw: bytes) -> str:
    """Bytes as text; what is not UTF-8, and NUL, becomes a replacement character."""
    return raw.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def cut_middle(text: str, limit: int) -> str:
    """At most `limit` characters and a note: two thirds from the beginning, the rest the end."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[len(text) - limit // 3 :]
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out} characters left out …]\n{tail}"


def explain_end(result: CommandResult, timeout_s: float) -> str:
    """One line on why a command did not end well; empty if it did."""
    if result.killed_for:
        reason = _REASONS.get(result.killed_for, result.killed_for)
        return f"[killed: {reason}]"
    if result.timed_out:
        return f"[killed: it took longer than {timeout_s:g} seconds]"
    if result.exit_code == FILE_LIMIT_REACHED:
        return f"[exit code {result.exit_code}: a file grew larger than the session may make one]"
    if result.exit_code:
        return f"[exit code {result.exit_code}]"
    return ""


def show_path(path: str) -> str:
    """A path without a needless `./`; one with control characters is quoted."""
    shown = path.removeprefix("./") or "."
    return shown if shown.isprintable() else repr(shown)
