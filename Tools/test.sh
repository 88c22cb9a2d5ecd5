#!/usr/bin/env bash
# All set-up and all tests, from a fresh clone. Ends with the test runner's closing line; exit code 0 when all passed.
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"

find_swift
need_packages "${build_packages[@]}" "${test_packages[@]}"
mkdir -p "$root/.build"
log=$root/.build/test.log
: >"$log"

# Other people's software for the tests that use the real server from outside: WebSockets, tus.
requirements=$root/.build/requirements.txt
# Programs that come as Python packages, installed without the packages that a use from Python would need.
programs=$root/Tests/Python/programs.txt
cat "$root/proto/examples/requirements.txt" "$root/Tests/Python/requirements.txt" "$programs" >"$requirements"
venv=$root/.build/venv
if ! cmp -s "$requirements" "$venv/installed.txt"; then
    note "Installing the Python packages of the tests …"
    rm -rf "$venv"
    pip=("$venv/bin/pip" install -q --disable-pip-version-check)
    {
        python3 -m venv "$venv" && "${pip[@]}" -r "$root/proto/examples/requirements.txt" -r "$root/Tests/Python/requirements.txt" &&
            "${pip[@]}" --no-deps -r "$programs"
    } >>"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        stop "The Python packages of the tests could not be installed into $venv: see above."
    }
    cp "$requirements" "$venv/installed.txt"
fi
# Required: a test that has no Python would pass without having looked.
export HUDDLE_PYTHON=$venv/bin/python HUDDLE_REQUIRE_PYTHON=1
# The same for the engine in JavaScript, which runs in node and is checked by tsc.
export HUDDLE_REQUIRE_NODE=1
# The same for the browser in which the web client is walked through.
export HUDDLE_REQUIRE_BROWSER=1
# The same for Prometheus, which reads the figures of the server.
export HUDDLE_REQUIRE_PROMETHEUS=1

# Autobahn's suite runs with nothing newer than Python 2.7: where there is none, the tests do without, and say so.
"$root/Tools/conformance/autobahn.py" setup >>"$log" 2>&1 || note "Autobahn's suite is left out: $(tail -n 1 "$log")"

"$root/.ci/layers"
"$root/.ci/coverage" --check
"$root/.ci/prose"
"$root/.ci/names"
(cd "$root" && codespell README.md CONTRIBUTING.md Package.swift docs proto deploy Tests Sources Tools .ci)

run_build "$log" "Building the tests" --build-tests || {
    grep -E 'error:' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
    stop "The tests do not build; all that was said is in $log."
}

# A run that does not end says where it stands: the tests that have begun and not ended, and all stacks where gdb is installed. Then it ends.
watch() {
    sleep "${HUDDLE_TEST_BOUND:-1800}" &
    trap 'kill $!; exit' TERM
    wait $! || exit 0
    {
        echo "✘ The tests have not ended after ${HUDDLE_TEST_BOUND:-1800} s. These have begun and not ended:"
        awk '/^◇ Test "/ { sub(/^◇ Test /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
            /^[✔✘] Test "/ { sub(/^[^"]*/, ""); sub(/ (with [0-9]+ test cases )?(passed|failed) after .*/, ""); delete open[$0] }
            END { for (test in open) print "    " test }' "$log"
        echo "These processes run:"
        ps -eo pid,ppid,etimes,stat,args | cut -c 1-160
        for pid in $(pgrep -f "^$root/.build/.*HuddlePackageTests\.xctest"); do
            command -v gdb >/dev/null && timeout 120 gdb -p "$pid" -batch -ex 'thread apply all bt 24' 2>/dev/null | grep -E '^(Thread|#)' | cut -c 1-200
            kill -KILL "$pid"
        done
    } | tee "$root/.build/hung.log" >&2
}
watch &
watcher=$!

# The lines of tests that start are for the log; what fails and how it ends is for everybody.
status=0
swift test --package-path "$root" --skip-build --disable-xctest 2>&1 | tee -a "$log" | { grep --line-buffered -v -E '^(◇|↳|✔ Test (case )?[^r]|\[)' || true; } ||
    status=$?
kill "$watcher" 2>/dev/null || true
if [ "$status" -ne 0 ]; then
    # Thousands of lines lie between a failure and the end: each is repeated at the end, where it is easy to find.
    awk '/^✘.* recorded an issue/ { told = 30 } /^(◇|✔|➜)/ || /^✘ (Suite|Test (run|.* failed after))/ { told = 0 } told-- > 0' "$log" | cut -c 1-400 | head -n 300
    stop "Tests failed (exit code $status); the whole log is $log."
fi
grep -E 'Test run with [0-9]+ tests?.* passed' "$log" | tail -n 1 | sed 's/^[^T]*//'
