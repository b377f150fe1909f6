"""How far readers of the same things agree, beyond what chance makes them agree.

The libraries are loaded when the first figure is asked for, as those of `intervals`.
"""

from collections.abc import Sequence


def find_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two readings of the same things, one word a thing.

    J. Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological
    Measurement 20 (1960). None where it has no value: nothing was read, or both used one word
    only, so that chance alone would have made them agree. Raises `ValueError` where one reading
    is longer than the other.
    """
    pairs = list(zip(first, second, strict=True))
    words = sorted({*first, *second})
    if len(words) <= 1:
        return None
    from statsmodels.stats.inter_rater import (  # type: ignore[import-untyped] # noqa: PLC0415
        cohens_kappa,
    )

    table = [[pairs.count((one, two)) for two in words] for one in words]
    return float(cohens_kappa(table, return_results=False))


def find_alpha(ratings: Sequence[Sequence[str | None]], ordinal: Sequence[str]) -> float | None:
    """Krippendorff's alpha of several raters, one row a rater, None where one gave no rating.

    `ordinal` are the words from the lowest to the highest; to differ by one step counts for less
    than by two. K. Krippendorff, *Content Analysis*, chapter 12. None where it has no value: no
    thing has two ratings, or all ratings that can be compared are one word. Raises `ValueError`
    for a word that `ordinal` lacks and for rows of unequal length.
    """
    ranks = {word: rank for rank, word in enumerate(ordinal)}
    things = list(zip(*ratings, strict=True))
    strange = sorted({one for thing in things for one in thing if one is not None} - set(ranks))
    if strange:
        raise ValueError(f"no rank is known of {strange[0]!r}; known: {', '.join(ordinal)}")
    counts = [[thing.count(word) for word in ordinal] for thing in things]
    counts = [row for row in counts if sum(row) > 1]
    if sum(any(column) for column in zip(*counts, strict=True)) <= 1:
        return None
    import krippendorff  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    found = krippendorff.alpha(
        value_counts=np.array(counts),
        value_domain=list(range(len(ordinal))),
        level_of_measurement="ordinal",
    )
    return float(found)
