"""The forms that a plain assertion may have, over sentences whose names and texts are numbers.

`§0§` stands for the first piece of code, quotation or file name: `the file §0§ exists`. Each form
must fit a whole sentence, so a word that no form has is never passed over.
"""

import re

NUMBER_WORDS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
NUMBER_WORDS |= {"seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}

_MUST = r"\b(?:must|should|shall|has to|needs to)"
SPOKEN = (
    (re.compile(rf"{_MUST} be\b"), "is"),
    (re.compile(rf"{_MUST} have\b"), "has"),
    (re.compile(rf"{_MUST} not (?=contain|match)"), "does not "),
    (re.compile(rf"{_MUST} match\b"), "matches"),
    (re.compile(rf"{_MUST} (exist|contain|include|equal|parse)\b"), r"\1s"),
    (re.compile("\\bdoesn['\u2019]t\\b"), "does not"),
)
"""How people say the same, as the forms below spell it."""

_THIS = r"(?:(?:the|an?) )?(?:(?:output|results?) )?(?:file )?(?:(?:named|called) )?§(?P<file>\d+)§"
_HERE = r"(?: in (?:the )?outputs?(?: folder| directory)?)?"
_MADE = r"(?:(?:is|was|has been) (?:created|saved|written|produced|generated|present|there)|exists)"
_NAMED_KEY = r"(?:key|field|property) (?:§(?P<key>\d+)§|(?P<bare_key>[a-z_][\w.]*))"
_KEY = rf"(?:(?:the )?value of )?(?:the )?(?:json )?(?:{_NAMED_KEY}|§(?P<key_alone>\d+)§)"
_NUMBER = r"(?:-?[\d,]*\.?\d+(?:e[+-]?\d{1,3})?|§\d+§)"
_LEAST = "at least|no less than|no fewer than|>=|≥"
_MOST = "at most|no more than|<=|≤"
_ABOVE = "greater than|more than|above|larger than|higher than|>"
_BELOW = "less than|fewer than|lower than|smaller than|below|<"
_BOUND = f"(?P<bound>{_LEAST}|{_MOST}|{_ABOVE}|{_BELOW})"
_COMPARED = (
    rf"(?:is|lies) (?:in the range |in )?between (?P<low>{_NUMBER}) and (?P<high>{_NUMBER})"
    rf"(?:,? (?:inclusive|\(inclusive\)))?|is {_BOUND} (?P<number>{_NUMBER})"
    rf"|(?:equals|is equal to|is exactly|is|==?) (?P<value>{_NUMBER}|true|false|null)"
)
_WORK = r"(?:the |its )?(?:output|results?|report|answer|(?:output |results? )?file)"
_THERE = r"(?:as|to|into|in|at|under) (?:the |a )?(?:file )?(?:(?:named|called) )?§(?P<file>\d+)§"
_SAVED = rf"{_WORK} (?:is|are|was|were|has been|have been) (?:saved|written|stored) {_THERE}"
_SAVES = rf"(?:saves|writes|stores) {_WORK} {_THERE}"
_CREATES = rf"(?:creates|writes|produces|generates|saves) {_THIS}{_HERE}"
_IS = r"(?:(?:is|contains|holds) (?:an? )?|(?:parses|loads|can be (?:parsed|read|loaded)) as )"
_KIND = r"(?:valid |well-formed )?(?P<kind>json|csv)(?: file| document)?"
_HAS_KEY = r"(?:has|contains) (?:an? |the )?(?:top-level )?(?:json )?(?:key|field) §(?P<key>\d+)§"
_TEXT = r"§(?P<text>\d+)§"
_A_TEXT = rf"(?P<kind>(?:the )?(?:exact )?(?:text|string|phrase)) {_TEXT}"
_A_PATTERN = rf"(?:the )?(?:regexp?(?: pattern)?|regular expression) {_TEXT}"
_A_MATCH = rf"(?:a match (?:for|of) )?{_A_PATTERN}"
_NUMBER_WORD = rf"(?P<number>[\d,]+|{'|'.join(NUMBER_WORDS)})"
_WHAT = "(?P<what>data rows?|rows? of data|rows?|columns?|lines?)"
_SPELT = {
    "exists": (
        rf"{_THIS} {_MADE}{_HERE}(?: and is (?:not |non-)empty)?",
        rf"there (?:is|exists) {_THIS}{_HERE}",
        _SAVED,
        _SAVES,
        _CREATES,
    ),
    "parses": (rf"{_THIS} (?P<also>{_MADE}{_HERE} and )?{_IS}{_KIND}",),
    "key": (
        rf"{_KEY} (?:in|of) {_THIS} (?:{_COMPARED})",
        rf"in {_THIS},? {_KEY} (?:{_COMPARED})",
    ),
    "has_key": (rf"{_THIS} {_HAS_KEY}",),
    "contains": (
        rf"{_THIS} (?:contains|includes) (?:{_A_TEXT}|§(?P<bare_text>\d+)§)",
        rf"{_A_TEXT} (?:is found|is present|appears|occurs|stands) in {_THIS}",
        rf"{_THIS} does (?P<absent>not) (?:contain|include) {_A_TEXT}",
    ),
    "matches": (
        rf"{_THIS} (?:contains|has|matches) {_A_MATCH}",
        rf"{_A_PATTERN} (?:is found|matches|occurs) in {_THIS}",
        rf"{_THIS} does (?P<absent>not) (?:contain|match) {_A_MATCH}",
    ),
    "counts": (
        rf"{_THIS} (?:has|contains|holds) (?:(?:exactly|{_BOUND}) )?{_NUMBER_WORD} {_WHAT}",
    ),
}
FORMS = {
    name: tuple(re.compile(form, re.IGNORECASE) for form in forms) for name, forms in _SPELT.items()
}
"""By the kind of claim, in the order in which they are tried."""
