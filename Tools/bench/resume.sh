#!/usr/bin/env bash
# A restart with many clients: all join, the server is restarted, all resume from their cursors. Server on one core, generator on the other.
# usage: Tools/bench/resume.sh [CONNECTIONS] [ROUNDS] [AT-ONCE]        (10,000; 3; 256)
#
# Every connection has a family of its own. HUDDLE_BIN (.build/release) has the programs. Ends what it started, and nothing else.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=${HUDDLE_BIN:-$here/../../.build/release}
connections=${1:-10000} rounds=${2:-3} at_once=${3:-256}
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-resume.XXXXXX")
server= generator=
stop() { # PID: asks it to end, and waits for it
    [ -z "$1" ] || { kill "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }
}
finish() {
    stop "$generator"
    stop "$server"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

await() { # PATTERN FILE PID: until a line is there, 90 s at most
    for _ in $(seq 900); do
        grep -q "$1" "$2" 2>/dev/null && return
        kill -0 "$3" 2>/dev/null || break
        sleep 0.1
    done
    echo "resume: no '$1' in $2:" >&2
    tail -n 5 "$2" >&2
    exit 1
}
start() {
    taskset -c 0 "$programs/huddled" serve --data "$work/data" --listen 127.0.0.1:21180 >"$work/out" 2>"$work/log" &
    server=$!
    await serves "$work/out" "$server"
}

"$programs/loadgen" seed --data "$work/data" --families "$connections" --members 1 >/dev/null
mkfifo "$work/go"
for _ in $(seq "$rounds"); do
    start
    taskset -c 1 "$programs/loadgen" resume --server 127.0.0.1:21180 --connections "$connections" --members 1 --at-once "$at_once" \
        <"$work/go" 2>"$work/noted" &
    generator=$!
    exec 3>"$work/go"
    await 'have a cursor' "$work/noted" "$generator"
    stop "$server"
    start
    echo go >&3
    exec 3>&-
    wait "$generator" || { tail -n 3 "$work/noted" "$work/log" >&2; exit 1; }
    generator=
    stop "$server"
    server=
done
