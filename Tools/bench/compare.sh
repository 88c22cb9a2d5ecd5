#!/usr/bin/env bash
# Huddle beside other servers, in turn and on the same core: durable mutations of 1, 8 and 32 clients, and 20 rooms of 5.
# usage: HUDDLE_BENCH_TOOLS=FOLDER Tools/bench/compare.sh [floor-db] [pocketbase] [natsjs]      (all three by default)
#
# FOLDER holds the neutral generator's peer.sh, versus.sh and targets/; HUDDLE_BENCH is where its setup.sh put programs and peers.
# Other settings: ROUNDS (3) and DUR seconds (1.5) of each measurement, HUDDLE_BIN (.build/release).
# Every measurement gets fresh data on both sides. Ends what it started, and nothing else.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tools=${HUDDLE_BENCH_TOOLS:?names the folder of the neutral bench: peer.sh, versus.sh, targets/}
programs=${HUDDLE_BIN:-$here/../../.build/release}
export HUDDLE_BENCH=${HUDDLE_BENCH:-${TMPDIR:-/tmp}/huddle-bench} ROUNDS=${ROUNDS:-3} DUR=${DUR:-1.5}
port=21180
for file in "$tools/peer.sh" "$tools/versus.sh" "$HUDDLE_BENCH/bin/wsload"; do
    [ -x "$file" ] || { echo "compare: $file is not there; run setup.sh of the bench first" >&2; exit 2; }
done
for program in huddled loadgen; do
    [ -x "$programs/$program" ] || { echo "compare: $programs/$program is not built: swift build -c release --product $program" >&2; exit 2; }
done

work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-compare.XXXXXX")
huddled= peer=
stop() { # PID: asks it to end, and waits for it
    [ -z "$1" ] || { kill "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }
}
finish() {
    stop "$huddled"
    stop "$peer"
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

await() { # PATTERN FILE PID: until a line is there, 20 s at most
    for _ in $(seq 200); do
        grep -q "$1" "$2" 2>/dev/null && return
        kill -0 "$3" 2>/dev/null || break
        sleep 0.1
    done
    echo "compare: no '$1' in $2:" >&2
    tail -5 "$2" >&2
    exit 1
}

start_huddle() { # FAMILIES MEMBERS
    rm -rf "$work/data"
    "$programs/loadgen" seed --data "$work/data" --families "$1" --members "$2" >/dev/null
    taskset -c 0 "$programs/huddled" serve --data "$work/data" --listen "127.0.0.1:$port" --mutations-per-second 0 \
        >"$work/huddled.out" 2>"$work/huddled.log" &
    huddled=$!
    await serves "$work/huddled.out" "$huddled"
}

start_peer() { # NAME: sets peer (what was started) and server (whose CPU counts)
    "$tools/peer.sh" "$1" >"$work/peer.log" 2>&1 &
    peer=$!
    server=$peer
    case $1 in
    pocketbase | natsjs)
        await '^pid ' "$work/peer.log" "$peer"
        server=$(sed -n 's/^pid //p' "$work/peer.log")
        ;;
    *) sleep 0.5 ;; # It says nothing; it listens within milliseconds.
    esac
}

target() { # NAME: the peer's target file
    case $1 in
    pocketbase) echo "$tools/targets/pb.conf" ;;
    *) echo "$tools/targets/$1.conf" ;;
    esac
}

measure() { # PEER LABEL MODE ROOMS MEMBERS WINDOW
    start_huddle "$4" "$5"
    start_peer "$1"
    "$tools/versus.sh" "$1-$2" "$3" "$(target "$1")" "$server" "$here/huddle.conf" "$huddled" \
        --rooms "$4" --members "$5" --window "$6" --size 500
    stop "$huddled"
    stop "$peer"
    huddled= peer=
}

for name in "${@:-floor-db pocketbase natsjs}"; do
    for one in $name; do
        echo "== $one (A) and huddle (B): min/median/max of $ROUNDS rounds; ratios are B : A"
        measure "$one" 1-client mutate 1 1 1
        measure "$one" 8-clients mutate 8 1 1
        measure "$one" 32-clients mutate 32 1 1
        measure "$one" 20-rooms-of-5 fanout 20 5 4
    done
done
if grep -E 'level=(warning|error)' "$work/huddled.log"; then echo "compare: huddled complained" >&2; fi
