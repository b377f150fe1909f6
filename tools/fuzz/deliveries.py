"""Deliveries as nobody should send them, at the real web application over a real socket.

Most bear a right signature over a wrong body, since behind the signature is where a defect
would hurt; the others are forged, replayed, cut, swollen, or no HTTP at all. What must hold:
no 5xx, nothing let in unsigned, nothing let in twice, and the server answers to the end.
"""

import asyncio
import hashlib
import hmac
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from bot.webhook import BODY_S, MAX_BODY
from tools.fuzz import samples
from tools.fuzz.mutate import NASTY, Mutator

SECRET = "a webhook's secret, made up"  # noqa: S105 -- of the fuzzer's own server
EVENTS = (b"issue_comment", b"issues", b"ping", b"push", b"star", b"installation", b"check_run")
ANSWER_S = 2 * BODY_S
"""Who announces more than they send is waited for, and then told."""
NO_ANSWER = 0
"""Stands for a connection that was closed without a word, which only malformed HTTP may meet."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it goes over the wire, and what may come of it."""

    raw: bytes
    kind: str
    delivery: str
    signed: bool
    """Whether its signature is ours over its body."""
    well_formed: bool
    cut: bool = False
    """Whether the sender hangs up without waiting for an answer to the end."""


@dataclass(slots=True)
class Answered:
    """What came of all of them."""

    statuses: Counter[str] = field(default_factory=Counter)
    queued: list[str] = field(default_factory=list)
    """Ids of well-formed deliveries that were answered with 202."""
    slowest_s: float = 0.0
    findings: list[str] = field(default_factory=list)


class DeliveryMaker:
    """Makes requests, the same ones for the same seed."""

    def __init__(self, seed: int, installation_id: int) -> None:
        self._installation = {"id": installation_id}
        self.rng = random.Random(f"{seed}:deliveries")  # noqa: S311 -- to be the same again
        self._bodies = Mutator(samples.PAYLOADS, samples.COMMENT_PIECES, self.rng, 400_000)
        self._comments = Mutator(samples.COMMENTS, samples.COMMENT_PIECES, self.rng, 65_536)
        self._number = 0
        self._earlier: list[Sent] = []

    def make(self) -> Sent:
        """The next request."""
        rng = self.rng
        self._number += 1
        if self._earlier and rng.random() < 0.04:
            return replace(rng.choice(self._earlier), kind="replayed")
        body = self._body()
        delivery = str(UUID(int=rng.getrandbits(128)))
        kind, signature = self._signature(body)
        headers = [
            (b"Host", b"bot.test"),
            (b"Content-Type", b"application/json"),
            (b"X-GitHub-Event", self._event(body)),
            (b"X-GitHub-Delivery", delivery.encode()),
            (b"X-GitHub-Hook-Installation-Target-ID", b"77"),
            (b"X-Hub-Signature-256", signature),
        ]
        # whoever is turned away in the middle of a huge body may not hear why
        signed, well_formed, cut = kind == "signed", len(body) < MAX_BODY, False
        if rng.random() < 0.3:
            headers, kind = self._change_headers(headers), f"{kind}, odd headers"
            cut = _announces_more(headers, len(body)) and rng.random() < 0.95
            signed, well_formed = signed and any(signature == value for _, value in headers), False
        raw = self._framed(headers, body)
        match rng.randrange(40):
            case 0:
                raw, kind, well_formed, cut = raw[: rng.randrange(len(raw))], "cut", False, True
            case 1:
                raw, kind, well_formed, cut = self._garble(raw), "garbled", False, True
                signed = True  # the garbled part need not be what was signed
        sent = Sent(raw, kind, delivery, signed=signed, well_formed=well_formed, cut=cut)
        if kind == "signed" and len(raw) < 100_000:
            self._earlier = [*self._earlier[-200:], sent]
        return sent

    def _body(self) -> bytes:
        rng = self.rng
        chance = rng.random()
        if chance < 0.35:
            return self._bodies.next()
        if chance < 0.97:
            payload = json.loads(rng.choice(samples.PAYLOADS))
            if "comment" in payload:
                text = self._comments.next() if rng.random() < 0.7 else rng.choice(samples.COMMENTS)
                payload["comment"]["body"] = text.decode("utf-8", "replace")
                payload["comment"]["id"] = rng.randrange(1, 10**9)
            payload["installation"] = self._installation
            if "issue" in payload:
                payload["issue"]["number"] = rng.choice((1, 1, 2, 3, 999))
            return json.dumps(payload).encode()
        length = rng.choice((0, 1, 2_000_000, MAX_BODY + 1))
        piece = rng.choice(NASTY)
        return (piece * (length // len(piece) + 1))[:length]

    def _event(self, body: bytes) -> bytes:
        """The name that fits the body, mostly."""
        if self.rng.random() < 0.1:
            return self.rng.choice(EVENTS)
        if b'"head_commit"' in body:
            return b"push"
        return b"issue_comment" if b'"comment"' in body else b"issues"

    def _signature(self, body: bytes) -> tuple[str, bytes]:
        rng = self.rng
        right = b"sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest().encode()
        if rng.random() < 0.85:
            return "signed", right
        wrong = hmac.new(b"another", body, hashlib.sha256).hexdigest().encode()
        forged = (
            b"", b"sha256=", b"sha256=" + wrong, right.upper(), right[:-1], right + b"0",
            right.replace(b"sha256", b"sha1"), right + b", " + right, b"\xff" * 71, wrong,
            b"sha1=" + hashlib.sha1(body).hexdigest().encode(),  # noqa: S324 -- what GitHub sent once
        )  # fmt: skip
        return "forged", rng.choice(forged)

    def _change_headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        rng = self.rng
        for _ in range(rng.choice((1, 1, 2, 4))):
            place = rng.randrange(len(headers)) if headers else 0
            name, value = headers[place] if headers else (b"X", b"y")
            odd = rng.choice((
                b"", b"x" * 3_000, b"application/x-www-form-urlencoded",
                b"text/plain; charset=utf-7",
                b"multipart/form-data; boundary=x", b"\xff\xfe", b"a:b", b"../../x", b"*", b"{x}",
                b"0",
                b"issue_comment\x1b[31m", b"9" * 200, "ü".encode(), b"a b",
                b"skillbench:delivery:*",
            ))  # fmt: skip
            match rng.randrange(5):
                case 0:
                    headers[place : place + 1] = [(name, odd)]
                case 1:
                    del headers[place : place + 1]
                case 2:
                    headers.append((name, odd))
                case 3:
                    headers[place : place + 1] = [(name.lower(), value)]
                case _:
                    headers.append(rng.choice((
                        (b"Content-Encoding", b"gzip"), (b"Expect", b"100-continue"),
                        (b"X-HTTP-Method-Override", b"GET"), (b"Connection", b"close"),
                        (b"Upgrade", b"websocket"), (b"X-Forwarded-Host", b"evil.test"),
                        (b"Content-Length", b"5"), (b"Content-Length", b"-1"),
                        (b"Content-Length", b"9" * 30), (b"X-" + b"a" * 300, b"b" * 3_000),
                    )))  # fmt: skip
        return headers

    def _framed(self, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> bytes:
        lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
        if any(name.lower() == b"content-length" for name, _ in headers):
            return b"POST /webhook HTTP/1.1\r\n" + lines + b"\r\n" + body
        if self.rng.random() < 0.15:
            size = self.rng.choice((1, 10, 1_000, 70_000)) if len(body) < 5_000 else 70_000
            chunks = [body[start : start + size] for start in range(0, len(body), size)]
            framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
            lines += b"Transfer-Encoding: chunked\r\n"
            return b"POST /webhook HTTP/1.1\r\n" + lines + b"\r\n" + framed + b"0\r\n\r\n"
        lines += b"Content-Length: %d\r\n" % len(body)
        return b"POST /webhook HTTP/1.1\r\n" + lines + b"\r\n" + body

    def _garble(self, raw: bytes) -> bytes:
        rng = self.rng
        at = rng.randrange(min(len(raw), 400))
        return rng.choice((
            raw.replace(b"POST /webhook", rng.choice((
                b"GET /webhook", b"POST //webhook", b"POST /webhook/../webhook", b"BREW /x",
                b"POST /%00",
                b"POST http://x/webhook", b"POST /webhook?" + b"a" * 5_000, b"OPTIONS *",
                b"post /webhook",
            )), 1),
            raw.replace(b"HTTP/1.1", rng.choice((b"HTTP/1.0", b"HTTP/9.9", b"HTTP/2", b"")), 1),
            raw.replace(b"\r\n", b"\n", rng.choice((1, 100))),
            raw[:at] + rng.choice(NASTY) + raw[at:],
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            rng.randbytes(300),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(200),
            raw.replace(b"\r\n\r\n", b"\r\n" + b"Y: z\r\n" * 2_000 + b"\r\n", 1),
        ))  # fmt: skip


def _announces_more(headers: Sequence[tuple[bytes, bytes]], length: int) -> bool:
    """Whether a body is announced that does not come, for which the server waits its full time."""
    announced = [value for name, value in headers if name.lower() == b"content-length"]
    return any(value.isdigit() and int(value) > length for value in announced)


async def send(sent: Sent, port: int) -> int:
    """Send one request on a connection of its own; gives the status, or `NO_ANSWER`."""
    async with asyncio.timeout(ANSWER_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(sent.raw)
            await writer.drain()
            if sent.cut:
                writer.write_eof()
            status = 100
            while 100 <= status < 200:  # "go on" comes before the answer
                line = await reader.readline()
                while line in {b"\r\n", b"\n"}:
                    line = await reader.readline()
                status = int(line.split()[1]) if line.startswith(b"HTTP/") else NO_ANSWER
        except (ConnectionError, ValueError, IndexError):
            return NO_ANSWER
        else:
            return status
        finally:
            writer.close()
