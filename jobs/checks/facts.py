"""Whether what a plain assertion claims is so, as far as code can tell."""

from collections.abc import Sequence

from jobs.checks.claims import Claim, Contains, Counts, Exists, Matches, Parses
from jobs.checks.files import OutputFolder, Told
from jobs.checks.json_facts import tell_json, tell_key
from jobs.checks.text_facts import tell_count, tell_csv, tell_match, tell_text

NOTHING_LEFT = "The session left no file."


def tell(claims: Sequence[Claim], output: OutputFolder) -> Told:
    """One answer for all claims of an assertion: it holds only where each of them does.

    Where a session left nothing, nothing holds, also not that a file lacks a word. Blocks for
    some seconds at most: call it in a thread.
    """
    if output.is_empty:
        return Told(holds=False, found=NOTHING_LEFT)
    told = [_tell_one(claim, output) for claim in claims]
    for holds in (False, None):
        for one in told:
            if one.holds is holds:
                return one
    return told[-1]


def _tell_one(claim: Claim, output: OutputFolder) -> Told:
    if isinstance(claim, Exists):
        return _tell_exists(claim.path, output)
    if isinstance(claim, Parses):
        tells = tell_json if claim.kind == "json" else tell_csv
        return tells(claim.path, output)
    if isinstance(claim, Contains):
        return tell_text(claim, output)
    if isinstance(claim, Matches):
        return tell_match(claim, output)
    if isinstance(claim, Counts):
        return tell_count(claim, output)
    return tell_key(claim, output)


def _tell_exists(path: str, output: OutputFolder) -> Told:
    size = output.measure(path)
    if isinstance(size, Told):
        return size
    if not size:
        return Told(None, f"{path} is there, and empty.")
    return Told(holds=True, found=f"{path} is there, with {size:,} bytes.")
