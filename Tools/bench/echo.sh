#!/usr/bin/env bash
# CPU of one echoed frame: wsecho beside the same in C, in turn on one core (A B A B), 500 octets, 50 connections, 1 and 16 in flight.
# usage: HUDDLE_BENCH_TOOLS=FOLDER Tools/bench/echo.sh
#
# FOLDER holds the neutral generator's peer.sh, versus.sh and targets/; HUDDLE_BENCH is where its setup.sh put programs.
# Other settings: ROUNDS (5), DUR seconds (1.5), HUDDLE_BIN (.build/release), HUDDLE_ECHO (another program than wsecho, for comparing).
# "server us CPU/unit" is the figure; "per-core (CPU) ratio" is floor : wsecho, so 1 / that is how many times the floor it costs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=${HUDDLE_BENCH_TOOLS:?names the folder of the neutral bench: peer.sh, versus.sh, targets/}
programs=${HUDDLE_BIN:-$here/../../.build/release}
export HUDDLE_BENCH=${HUDDLE_BENCH:-${TMPDIR:-/tmp}/huddle-bench} ROUNDS=${ROUNDS:-5} DUR=${DUR:-1.5}
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-echo.XXXXXX")
floor= echo=
finish() {
    for pid in $floor $echo; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
"$tools/peer.sh" floor >"$work/floor.log" 2>&1 &
floor=$!
taskset -c 0 "${HUDDLE_ECHO:-$programs/wsecho}" --listen 127.0.0.1:21190 >"$work/echo.log" 2>&1 &
echo=$!
printf 'transport = ws\nport = 21190\npath = /echo\n' >"$work/wsecho.conf"
for _ in $(seq 100); do
    grep -q listening "$work/echo.log" && break
    sleep 0.1
done
for window in 1 16; do
    "$tools/versus.sh" "echo-$window-in-flight" echo "$tools/targets/floor-echo.conf" "$floor" "$work/wsecho.conf" "$echo" \
        --conns 50 --window "$window" --size 500
done
