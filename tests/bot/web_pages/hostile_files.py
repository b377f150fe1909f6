"""Files that are made to hurt whoever looks at them."""

from jobs.values import Arm
from tests.bot.web_pages.ledger_seed import HOSTILE, some_files

ODD_NAME = "a b/\u202e&<b>\"'%2F..%5c #?.md"


def hostile_files(arm: Arm) -> dict[str, bytes]:
    """Names and contents that are made to hurt whoever looks at them."""
    return some_files(arm) | {
        ODD_NAME: f"# {HOSTILE}\n".encode(),
        "binary.txt": bytes(range(256)) * 9,
        "half.txt": "äöü€".encode()[:-1] + b"\n",
        "lies.png": b"<html><script>alert(1)</script>",
        "truth.html": some_files(arm)["chart.png"],
        "deep.json": b"[" * 50_000,
        "digits.json": b"9" * 9_000,
        "endless.csv": b'a,"' + b"x" * 300_000,
        "wide.csv": b"\n".join(b",".join([b"c" * 300] * 3_000) for _ in range(3)),
        "one-line.md": b"word " * 200_000,
    }
