"""The text inside PDF files and what they say of themselves, in order to look things up in it.

A PDF of a session is hostile, and reading one can take time and memory without end. So this
file is also a program: it reads one PDF from its input in a process of its own, without our
environment, within limits that the kernel holds. Layout is lost; text in pictures is not seen.
"""

import io
import resource
import subprocess
import sys
from collections.abc import Iterator

_SECONDS = 10
"""Of a processor; a report of a hundred pages takes one or two."""
_MEMORY_BYTES = 1 << 30
_FILE_BYTES = 20_000_000
_CHARACTERS = 2_000_000
"""How much text is read at the most, about a thousand pages."""


def read_pdf(content: bytes) -> str | None:
    """The text of a PDF and of its properties; None where it cannot be read within limits.

    Blocks for up to twice ten seconds: call it in a thread.
    """
    if len(content) > _FILE_BYTES:
        return None
    try:
        read = subprocess.run(  # noqa: S603 -- our own file
            [sys.executable, "-I", __file__],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a broken file is complained of without end
            timeout=2 * _SECONDS,
            check=False,
            env={},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if read.returncode else read.stdout.decode("utf-8", "replace")


def _main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left = _CHARACTERS
    for text in _find_texts(sys.stdin.buffer.read()):
        sys.stdout.buffer.write(text[:left].encode("utf-8", "replace") + b"\n")
        left -= len(text)
        if left <= 0:
            break


def _find_texts(content: bytes) -> Iterator[str]:
    from pypdf import PdfReader  # noqa: PLC0415 -- only the process of its own needs it

    reader = PdfReader(io.BytesIO(content))
    for value in (reader.metadata or {}).values():
        yield str(value)
    if reader.xmp_metadata is not None:
        yield reader.xmp_metadata.stream.get_data().decode("utf-8", "replace")
    for page in reader.pages:
        yield page.extract_text()


if __name__ == "__main__":
    _main()
