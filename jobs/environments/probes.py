"""The programs of pre-flight: they run inside the sandbox, each once for all its names.

Names come on standard input, one a line, below a word that the answers begin with: nothing
that a package prints while it is loaded can be taken for an answer by mistake. An answer is
`WORD <tab> ok or no <tab> NAME <tab> version or reason` on a line of its own; an empty name
stands for the interpreter itself.
"""

COMMANDS = r"""
IFS= read -r word
while IFS= read -r name; do
  if command -v -- "$name" >/dev/null 2>&1; then
    printf '\n%s\tok\t%s\t\n' "$word" "$name"
  else
    printf '\n%s\tno\t%s\tthere is no such command\n' "$word" "$name"
  fi
done
"""

R = r"""
given <- readLines(file("stdin"), warn = FALSE, encoding = "UTF-8")
say <- function(...) cat("\n", paste(given[1], ..., sep = "\t"), "\n", sep = "")
say("ok", "", paste(R.version$major, R.version$minor, sep = "."))
for (name in given[-1]) {
  found <- tryCatch({
    loadNamespace(name)
    c("ok", as.character(utils::packageVersion(name)))
  }, error = function(problem) c("no", gsub("[[:space:]]+", " ", conditionMessage(problem))))
  say(found[1], name, found[2])
}
"""
"""A package counts once it can be loaded: a library that it needs may be missing."""

PYTHON = r"""
import importlib, platform, sys
from importlib import metadata
sys.path[:] = [place for place in sys.path if place]
word, *names = sys.stdin.buffer.read().decode("utf-8", "replace").splitlines()
def say(known, name, more):
    print("\n" + "\t".join((word, known, name, " ".join(str(more).split()))), flush=True)
say("ok", "", platform.python_version())
for name in names:
    try:
        say("ok", name, metadata.version(name))
    except Exception:
        try:
            say("ok", name, getattr(importlib.import_module(name), "__version__", ""))
        except BaseException as problem:
            say("no", name, f"no distribution and no module of this name ({problem})")
"""
"""The metadata of a distribution (`scikit-learn`), else a module that can be imported."""
