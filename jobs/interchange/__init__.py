"""Finished runs in the files of skill-creator, whose viewer then shows them.

The shapes are those that its `references/schemas.md` describes (github.com/anthropics/skills).
It knows two configurations, verdicts that pass or fail and no run without a score; where a run
says more than that, the rest stands in notes.
"""
