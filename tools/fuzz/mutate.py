"""Makes hostile neighbours of a good input, the same ones for the same seed.

Bytes are cut, doubled, spliced and sprinkled with pieces that mean something to somebody;
JSON is changed as a tree, so that it often stays JSON. Nothing here judges what comes out.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

NASTY: tuple[bytes, ...] = (
    b"\0", b"\r", b"\r\n", b"\n\n", b"\t", b"    ", b"\x1b[31m", b"\x7f", b"\xff\xfe", b"\xc3\x28",
    b"\xed\xa0\x80", b"\xf0\x9f\xa7\xae", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xe2\x80\x8b",
    b"\xe2\x80\xa8", b"\xc2\x85", b"\xef\xbc\xa0", b"\xf3\xa0\x81\x81", b"../", b"..\\",
    b"/etc/passwd",
    b"%2e%2e%2f", b"C:\\", b"file:///etc/passwd", b"http://169.254.169.254/", b"http://[::1]/",
    b"@mona", b"#1", b"GH-1", b"0a1b2c3", b"<!--", b"-->", b"<script>", b"</details>", b"<![CDATA[",
    b'<a title="&#' + b"9" * 5000 + b';">', b"&#x110000;", b"&#0;", b"`", b"```", b"~~~", b"> ",
    b"- ",
    b"|", b"\\", b"[", b"](", b"{", b"}", b'"', b"'", b"$$", b"*", b"_", b"%s%n", b"{0}", b"${x}",
    b"{{x}}",
    b"9" * 400, b"1" * 5000, b"-1", b"1e999", b"NaN", b"Infinity", b"null", b"true", b"0.1",
    b"\\ud800",
    b"\\u0000", b"__proto__", b"*anchor", b"&anchor", b"<<: *a", b"!!python/object/apply:os.system",
)  # fmt: skip
"""Pieces with a meaning: to a shell, a path, Markdown, HTML, YAML, JSON, a terminal, a person."""

LONG_RUN = 4_000
"""How often a piece is repeated at most."""

_ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**400, 1.5, float("nan"), float("inf"), "",
    " ",
    "\0", "x" * 70_000, "\ud800", [], {}, [[]], [None], {"": None}, ["x"] * 300,
    "2026-13-40T99:99:99Z",
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59",
)  # fmt: skip

Step = Callable[["Mutator", bytes], bytes]


class Mutator:
    """A source of mutants over seeds and pieces of one kind."""

    def __init__(
        self, seeds: Sequence[bytes], pieces: Sequence[bytes], rng: random.Random, largest: int
    ) -> None:
        self.seeds = seeds
        self.pieces = (*pieces, *NASTY) if pieces else NASTY
        self.own = tuple(pieces) or NASTY
        self.rng = rng
        self.largest = largest

    def next(self) -> bytes:
        """The next mutant: a seed, changed once to eight times, or one made of pieces alone."""
        rng = self.rng
        if rng.random() < 0.15:
            made = b"".join(self.piece() for _ in range(rng.randint(0, 40)))
            return made[: self.largest]
        text = rng.choice(self.seeds)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
            text = rng.choice(_STEPS)(self, text)[: self.largest]
        return text

    def piece(self) -> bytes:
        return self.rng.choice(self.own if self.rng.random() < 0.6 else self.pieces)

    def run(self, piece: bytes, times: Sequence[int]) -> bytes:
        """A piece again and again, no longer than an input may be."""
        most = self.largest // max(1, len(piece)) + 1
        return piece * min(most, self.rng.choice(times))

    def place(self, text: bytes) -> tuple[int, int]:
        """A stretch of the text: short, mostly."""
        start = self.rng.randint(0, len(text))
        length = self.rng.choice((0, 1, 2, 8, 40, 400, len(text)))
        return start, min(len(text), start + length)


def _flip(at: Mutator, text: bytes) -> bytes:
    changed = bytearray(text)
    for _ in range(at.rng.choice((1, 1, 4, 30))):
        if changed:
            changed[at.rng.randrange(len(changed))] = at.rng.randrange(256)
    return bytes(changed)


def _cut(at: Mutator, text: bytes) -> bytes:
    start, end = at.place(text)
    return text[:start] + text[end:]


def _end(at: Mutator, text: bytes) -> bytes:
    return text[: at.rng.randint(0, len(text))]


def _insert(at: Mutator, text: bytes) -> bytes:
    start, _ = at.place(text)
    return text[:start] + at.piece() + text[start:]


def _replace(at: Mutator, text: bytes) -> bytes:
    start, end = at.place(text)
    return text[:start] + at.piece() + text[end:]


def _repeat(at: Mutator, text: bytes) -> bytes:
    start, end = at.place(text)
    run = (text[start:end] or at.piece())[:400]
    return text[:start] + at.run(run, (2, 10, 100, LONG_RUN)) + text[end:]


def _run(at: Mutator, text: bytes) -> bytes:
    start, _ = at.place(text)
    return text[:start] + at.run(at.piece(), (10, 300, LONG_RUN)) + text[start:]


def _splice(at: Mutator, text: bytes) -> bytes:
    other = at.rng.choice(at.seeds)
    start, _ = at.place(text)
    first, last = at.place(other)
    return text[:start] + other[first:last] + text[start:]


def _swap_lines(at: Mutator, text: bytes) -> bytes:
    lines = text.split(b"\n")
    at.rng.shuffle(lines)
    return b"\n".join(lines)


def _line_ends(at: Mutator, text: bytes) -> bytes:
    return text.replace(b"\n", at.rng.choice((b"\r", b"\r\n", b"\n\n", b"\xe2\x80\xa8", b"\0")))


def _case(at: Mutator, text: bytes) -> bytes:
    return at.rng.choice((text.upper(), text.lower(), text.swapcase(), text.title()))


def _encode(at: Mutator, text: bytes) -> bytes:
    encoding = at.rng.choice(("utf-16", "utf-32", "utf-7", "utf-8-sig", "latin-1", "cp037"))
    return text.decode("utf-8", "replace").encode(encoding, "replace")


def _json(at: Mutator, text: bytes) -> bytes:
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return _insert(at, text)
    return dump(change_tree(at, tree), at.rng)


_STEPS: tuple[Step, ...] = (
    _flip, _cut, _end, _insert, _insert, _replace, _repeat, _run, _splice, _swap_lines, _line_ends,
    _case, _encode, _json, _json, _json, _json,
)  # fmt: skip


def change_tree(at: Mutator, tree: Any) -> Any:
    """A JSON value with one place in it changed: odd value, gone, doubled, renamed, nested."""
    places: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        keys = (
            node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        )
        for key in keys:
            places.append((node, key))
            waiting.append(node[key])
    if not places:
        return at.rng.choice(_ODD_VALUES)
    node, key = at.rng.choice(places)
    match at.rng.randrange(6):
        case 0 | 1:
            node[key] = at.rng.choice(_ODD_VALUES)
        case 2:
            node[key] = at.piece().decode("utf-8", "replace")
        case 3:
            del node[key]
        case 4 if isinstance(node, dict):
            node[at.piece().decode("utf-8", "replace")] = node.pop(key)
        case 4:
            node.extend(node[:300])
        case _:
            for _ in range(at.rng.choice((1, 3, 30))):
                node[key] = at.rng.choice(([node[key]], {"a": node[key]}))
    return tree


def dump(tree: Any, rng: random.Random) -> bytes:
    """JSON text; now and then with a key twice, or nested deeper than anybody reads."""
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.05 and (keys := re.findall(r'"\w+":', text)):
        key = rng.choice(keys)
        text = text.replace(key, f"{key} {rng.choice(('1', 'null', '[]'))}, {key}", 1)
    if rng.random() < 0.03:
        depth = rng.choice((200, 900, 1_100, 20_000))
        text = text.replace(":", ":" + "[" * depth + "]" * depth + ',"z":', 1)
    return text.encode("utf-8", "surrogatepass")
