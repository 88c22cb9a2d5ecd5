#!/usr/bin/env bash
# Private memory of each open WebSocket that does nothing: wsecho and huddled, plain and with TLS, before the sign-in and joined.
# usage: HUDDLE_BENCH=FOLDER Tools/bench/idle.sh [CONNECTIONS]        (10,000)
#
# HUDDLE_BENCH is where the neutral generator's setup.sh put wsload; HUDDLE_BIN as in the other scripts. Each server starts from scratch.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=${HUDDLE_BIN:-$here/../../.build/release}
wsload=${HUDDLE_BENCH:-${TMPDIR:-/tmp}/huddle-bench}/bin/wsload
connections=${1:-10000}
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-idle.XXXXXX")
server=
finish() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" -days 2 -subj /CN=localhost \
    -addext 'subjectAltName=IP:127.0.0.1' 2>/dev/null

start() { # LINE PROGRAM ARGUMENT…: until its output has the line
    local line=$1
    shift
    "$@" >"$work/out" 2>"$work/err" &
    server=$!
    for _ in $(seq 200); do
        grep -q "$line" "$work/out" && return
        sleep 0.1
    done
    tail -n 5 "$work/err" >&2
    exit 1
}
measure() { # LABEL TARGET [CONNECTIONS]
    # Addresses of their own: a server may limit what comes from one.
    "$wsload" idle --target "$2" --conns "${3:-$connections}" --hold 3 --pid "$server" --label "$1" --json "$work/figures" \
        --src-base 127.0.0.2 --src-count 200 >"$work/load.log" 2>&1 || { tail -n 5 "$work/load.log" >&2; }
    python3 - "$work/figures" "$1" <<'PYTHON'
import json, sys
row = [json.loads(line) for line in open(sys.argv[1]) if line.startswith('{')][-1]
print(f"{sys.argv[2]:32} ready {row['ready']:>6} of {row['conns']}  private {row['private_per_conn']:>8.0f} B  resident {row['rss_per_conn']:>8.0f} B a connection", flush=True)
PYTHON
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

printf 'transport = ws\nport = 21190\npath = /echo\n' >"$work/echo.conf"
printf 'transport = wss\nport = 21190\npath = /echo\n' >"$work/echo-tls.conf"
start listening "$programs/wsecho" --listen 127.0.0.1:21190
measure 'wsecho, plain' "$work/echo.conf"
start listening "$programs/wsecho" --listen 127.0.0.1:21190 --tls-cert "$work/cert.pem" --tls-key "$work/key.pem"
measure 'wsecho, TLS' "$work/echo-tls.conf"

"$programs/loadgen" seed --data "$work/data" --families "$connections" --members 1 >/dev/null
printf 'transport = ws\nport = 21180\npath = /ws\nsubprotocol = huddle.v1\n' >"$work/open.conf"
sed 's/^transport = ws/transport = wss/; s/^port = .*/port = 21181/' "$work/open.conf" >"$work/open-tls.conf"
sed 's/^transport = ws/transport = wss/; s/^port = .*/port = 21181/' "$here/huddle-idle.conf" >"$work/joined-tls.conf"
for each in "open.conf:huddled, open" "huddle-idle.conf:huddled, joined" "open-tls.conf:huddled, TLS, open" "joined-tls.conf:huddled, TLS, joined"; do
    target=$work/${each%%:*}
    [ -e "$target" ] || target=$here/${each%%:*}
    start serves "$programs/huddled" serve --data "$work/data" --listen 127.0.0.1:21180 --mutations-per-second 0 \
        --listen-tls 127.0.0.1:21181 --tls-cert "$work/cert.pem" --tls-key "$work/key.pem"
    case $each in
    # The server closes a connection that does not sign in within 10 s. A machine that makes 400 handshakes per second keeps a quarter of them.
    open*) measure "${each#*:}" "$target" $((connections / 4)) ;;
    *) measure "${each#*:}" "$target" ;;
    esac
done
