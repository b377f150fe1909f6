"""The scripts behind the tools: POSIX shell and coreutils, so that any sandbox has them.

Paths and numbers arrive as arguments; no word of an agent becomes part of a script, save
the command that it wants run. A script that refuses says why on its output.
"""

_CHECK_FILE = """
if [ -d "$1" ]; then echo "is a folder; list it with Glob or a command"; exit 2; fi
if [ ! -e "$1" ]; then echo "no such file"; exit 2; fi
if [ ! -f "$1" ]; then echo "is no regular file"; exit 2; fi
"""


def _script(text: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", f"exec 2>&1\n{text}", "sh")


BASH = _script('command -v bash >/dev/null && exec bash -c "$1"\nexec sh -c "$1"')
"""Argument: the command."""

BASH_FROM_INPUT = _script("""
file=$(mktemp) && cat >"$file" || exit 2
exec </dev/null
command -v bash >/dev/null && exec bash "$file"
exec sh "$file"
""")
"""Standard input: a command that is too long for an argument."""

READ = _script(
    _CHECK_FILE
    + """
[ -r "$1" ] || { echo "permission denied"; exit 2; }
echo "$(wc -c <"$1") $(awk 'END { print NR }' "$1")"
tail -n "+$2" -- "$1" | head -n "$(($3 - $2 + 1))" | head -c "$4"
"""
)
"""Arguments: path, first line, last line, bytes. The first line of the answer: size, lines."""

LOAD = _script(_CHECK_FILE + 'cat "$1"')
"""Argument: path."""

WRITE = _script("""
if [ -d "$1" ]; then echo "is a folder"; exit 2; fi
if [ -e "$1" ] && [ ! -f "$1" ]; then echo "is no regular file"; exit 2; fi
folder=$(dirname "$1")
mkdir -p "$folder" && cat >"$1"
""")
"""Argument: path. Standard input: the content."""

GLOB = _script("""
cd "$1" || exit 2
find . \\( -type f -o -type l \\) -print0 2>/dev/null || :
""")
"""Argument: folder. The answer: paths below it, each ended by NUL."""
