#!/bin/sh
# Profile of a simple comma-separated file (no quoted commas), as Markdown on standard output.
# usage: profile.sh FILE
set -eu
awk -F, '
function missing(value) {
    value = tolower(value); gsub(/[ \t\r]/, "", value)
    return value == "" || value == "na" || value == "n/a" || value == "-" || value == "."
}
NR == 1 { columns = NF; for (i = 1; i <= NF; i++) { sub(/\r$/, "", $i); name[i] = $i }; next }
NF > 0 {
    rows++
    if ($0 in seen) duplicates++
    seen[$0] = 1
    for (i = 1; i <= columns; i++) {
        sub(/\r$/, "", $i)
        if (missing($i)) { absent[i]++; continue }
        if ($i ~ /^-?[0-9]+([.][0-9]+)?$/) {
            value = $i + 0
            if (!numbers[i] || value < low[i]) low[i] = value
            if (!numbers[i] || value > high[i]) high[i] = value
            numbers[i]++; total[i] += value
        } else words[i]++
    }
}
END {
    print "# Profile\n"
    printf "The file has %d data rows and %d columns.\n", rows, columns
    printf "Duplicate rows: %d (rows that repeat an earlier row).\n\n", duplicates
    print "## Missing values\n"
    for (i = 1; i <= columns; i++) printf "- column %s: %d missing values\n", name[i], absent[i]
    print "\n## Numeric columns\n"
    for (i = 1; i <= columns; i++) if (numbers[i] && !words[i])
        printf "- column %s: minimum %g, mean %.2f, maximum %g\n", name[i], low[i], total[i] / numbers[i], high[i]
}' "$1"
