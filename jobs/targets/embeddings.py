"""Embeddings of texts from an OpenAI-compatible endpoint, and an index of them on disk.

An index is named by a digest of all that it was made from, so an old one is never taken for a
changed person's records.
"""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobs.judging.reading import add_usage
from jobs.targets.service import Service
from jobs.targets.target import TargetFailed
from jobs.values import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 1_536
BATCH = 20
"""Texts in one asking."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """Turns texts into vectors of length one."""

    service: Service
    model: str

    async def embed(self, texts: Sequence[str]) -> "tuple[NDArray[np.float32], Usage]":
        """One row for each text. Raises `TargetFailed`."""
        import numpy as np  # noqa: PLC0415 -- what only lists targets need not load it

        rows: list[list[float]] = []
        usage = Usage()
        for start in range(0, len(texts), BATCH):
            part = texts[start : start + BATCH]
            body = {"model": self.model, "input": part, "dimensions": DIMENSIONS}
            answered = await self.service.ask("POST", "/embeddings", body)
            rows += _vectors(answered.content, len(part))
            usage = add_usage(usage, _usage(answered.content))
        table = np.asarray(rows, dtype=np.float32)
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        if not np.isfinite(table).all() or not lengths.all():
            raise TargetFailed("the embeddings hold vectors without a direction")
        return table / lengths, usage

    def digest(self, texts: Sequence[str]) -> str:
        content = json.dumps([self.model, DIMENSIONS, list(texts)], ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


async def find_table(
    embedder: Embedder, texts: Sequence[str], cache: Path
) -> "tuple[NDArray[np.float32], Usage | None]":
    """The vectors of texts, from `cache` where they are; with what making them took."""
    path = cache / f"{embedder.digest(texts)}.npy"
    if (kept := await asyncio.to_thread(_load, path, len(texts))) is not None:
        return kept, None
    table, usage = await embedder.embed(texts)
    await asyncio.to_thread(_save, table, path)
    return table, usage


def _load(path: Path, rows: int) -> "NDArray[np.float32] | None":
    """What is kept; None where nothing is, or something else."""
    import numpy as np  # noqa: PLC0415

    try:
        table: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError):
        return None
    return table if table.ndim == 2 and len(table) == rows else None


def _save(table: "NDArray[np.float32]", path: Path) -> None:
    """Keep it whole or not at all: another process may be reading."""
    import numpy as np  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
    with os.fdopen(handle, "wb") as file:
        np.save(file, table)
    Path(name).replace(path)


def _vectors(content: dict[str, Any], count: int) -> list[list[float]]:
    """The vectors of an answer, in the order of what was asked. Raises `TargetFailed`."""
    try:
        rows = sorted(content["data"], key=lambda one: one["index"])
        vectors = [[float(value) for value in one["embedding"]] for one in rows]
    except (LookupError, TypeError, ValueError):
        raise TargetFailed("the embeddings came in another shape") from None
    if len(vectors) != count or len({len(one) for one in vectors}) != 1 or not vectors[0]:
        raise TargetFailed(f"of {count} embeddings {len(vectors)} came, or of different lengths")
    return vectors


def _usage(content: dict[str, Any]) -> Usage:
    """What it took; the price of embeddings is not known here."""
    told = content.get("usage")
    tokens = told.get("prompt_tokens") if isinstance(told, dict) else None
    known = isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0
    return Usage(requests=1, input_tokens=tokens if known and tokens else 0)
