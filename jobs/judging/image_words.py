"""The words beside the pixels of an image: comments, titles, the program that made it.

Only used to look things up. No image is decoded: readable stretches of the bytes are taken as
they stand, and the compressed texts of a PNG are unpacked within a bound.
"""

import re
import zlib
from collections.abc import Iterator

_IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\x00", b"MM\x00*")
_STRETCH = re.compile(rb"[\t\n\r\x20-\x7e]{6,}")
_CHUNK = re.compile(rb"(....)(zTXt|iTXt)", re.DOTALL)
_UNPACKED_BYTES = 1_000_000
_MOST_CHUNKS = 50


def read_image(content: bytes) -> Iterator[str]:
    """The readable stretches of an image's bytes; nothing for what is no image."""
    if not content.startswith(_IMAGES):
        return
    yield "\n".join(match[0].decode("ascii") for match in _STRETCH.finditer(content))
    if content.startswith(b"\x89PNG"):
        yield from _unpack_texts(content)


def _unpack_texts(content: bytes) -> Iterator[str]:
    """The texts that a PNG holds compressed (PNG specification, 11.3.4)."""
    for found in list(_CHUNK.finditer(content))[:_MOST_CHUNKS]:
        chunk = content[found.end() : found.end() + int.from_bytes(found[1], "big")]
        _, _, packed = chunk.partition(b"\0")
        # behind the keyword: the method; in iTXt a flag before it, then two texts that end in NUL
        packed = packed[1:] if found[2] == b"zTXt" else packed[2:].split(b"\0", 2)[-1]
        try:
            unpacked = zlib.decompressobj().decompress(packed, _UNPACKED_BYTES)
        except zlib.error:
            continue
        yield unpacked.decode("utf-8", "replace")
