"""A local GitHub: the part of the REST API the bot uses, and issue pages for people."""

from demo.github.faults import Gate
from demo.github.keys import make_private_key
from demo.github.local_github import LocalGitHub, Served
from demo.github.repository_handle import RepositoryHandle
from demo.github.site import Exchange
from demo.github.state import Comment, Issue, Release

__all__ = [
    "Comment",
    "Exchange",
    "Gate",
    "Issue",
    "LocalGitHub",
    "Release",
    "RepositoryHandle",
    "Served",
    "make_private_key",
]
