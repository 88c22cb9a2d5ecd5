#!/usr/bin/env bash
# Holds the cases of thresholds.txt to their costs: memory taken, always; instructions, when asked (callgrind, some seconds a case).
#
#   Tools/bench/costs.sh [--instructions] [BENCH]     BENCH: the program, .build/release/bench as a rule
#
# Exit status 1 when one costs more than its threshold.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
instructions=
if [ "${1:-}" = --instructions ]; then
    instructions=1
    shift
fi
bench=${1:-$here/../../.build/release/bench}
[ -x "$bench" ] || {
    echo "There is no $bench: swift build -c release --product bench" >&2
    exit 2
}
status=0
"$bench" --check "$here/thresholds.txt" || status=1
[ -n "$instructions" ] || exit "$status"
command -v valgrind >/dev/null || {
    echo "valgrind is missing: apt-get install valgrind" >&2
    exit 2
}
# The tool cannot read all of the compiler's debugging information: a copy does without.
plain=$(mktemp "${TMPDIR:-/tmp}/huddle-bench.XXXXXX")
trap 'rm -f "$plain"' EXIT
strip -g -o "$plain" "$bench"
chmod +x "$plain"
# counted CASE TIMES: instructions of the whole program, in the tool's own count.
counted() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$plain" --case "$1" --times "$2" 2>&1 | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}
while read -r name _ limit per times _; do
    case $name in '' | '#'*) continue ;; esac
    # All other work of the program is the same at both counts and cancels out in the difference.
    few=$(counted "$name" "$times")
    many=$(counted "$name" $((3 * times)))
    each=$(((many - few) / (2 * times) / per))
    if [ "$each" -le "$limit" ]; then word='kept    '; else
        word=EXCEEDED
        status=1
    fi
    echo "$word $name: $each instructions, at most $limit"
done <"$here/thresholds.txt"
exit "$status"
