#!/bin/sh
# Groups conventional commit subjects ("feat: …", "fix!: …") into release notes.
# usage: group.sh FILE
set -eu
awk '
function add(kind, text) { lines[kind] = lines[kind] "- " text "\n"; count[kind]++ }
NF {
    subject = $0; kind = subject; sub(/[(:!].*/, "", kind)
    text = subject; sub(/^[^:]*: */, "", text)
    if (subject ~ /^[a-z]+(\([^)]*\))?!:/) add("breaking", text)
    else if (kind == "feat") add("features", text)
    else if (kind == "fix") add("fixes", text)
    else left_out++
}
END {
    print "# Release notes\n"
    if (count["breaking"]) printf "## Breaking changes (%d)\n\n%s\n", count["breaking"], lines["breaking"]
    if (count["features"]) printf "## Features (%d)\n\n%s\n", count["features"], lines["features"]
    if (count["fixes"]) printf "## Fixes (%d)\n\n%s\n", count["fixes"], lines["fixes"]
    printf "Left out: %d chores and documentation commits.\n", left_out
}' "$1"
