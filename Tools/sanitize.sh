#!/usr/bin/env bash
# Runs the tests under a sanitizer, in a build of their own.
#
#   Tools/sanitize.sh thread [REGEX]     data races
#   Tools/sanitize.sh address [REGEX]    memory errors, in optimised code, where the sanitizer sees most
#
# By default all suites but those whose work is done by other processes, whose reports nobody would see.
#
# Exit status: that of the tests, and 66 if the sanitizer found something. Its report is in .build/sanitize-KIND.log.
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"

kind=${1:-}
if [ -n "${2:-}" ]; then which=(--filter "$2"); else which=(--skip 'SystemTests|ConformanceTests|LoadgenTests.RunTests'); fi
case $kind in
thread)
    # With locks that the sanitizer sees (`Sources/Locks`).
    flags=(-Xswiftc -DHUDDLE_VISIBLE_LOCKS)
    ;;
address)
    flags=(-Xswiftc -O)
    ;;
*) stop "usage: Tools/sanitize.sh thread|address [REGEX]" ;;
esac
find_swift
need_packages "${build_packages[@]}" "${test_packages[@]}"
log=$root/.build/sanitize-$kind.log
mkdir -p "$root/.build"
: >"$log"
scratch=$root/.build/sanitize-$kind
run_build "$log" "Building the tests for the $kind sanitizer" -j 2 --build-tests "--sanitize=$kind" --scratch-path "$scratch" ${flags[@]+"${flags[@]}"} || {
    grep -E 'error:' "$log" | head -n 20 >&2
    stop "The build failed; all that was said is in $log."
}
# The run continues after a race, so that one run reports all of them. Leaks are not checked: XCTest itself leaks.
status=0
SWIFT_BACKTRACE=enable=no TSAN_OPTIONS="halt_on_error=0 exitcode=66" ASAN_OPTIONS=detect_leaks=0 \
    swift test --package-path "$root" --scratch-path "$scratch" --skip-build --disable-xctest "--sanitize=$kind" ${flags[@]+"${flags[@]}"} \
    "${which[@]}" >>"$log" 2>&1 || status=$?
grep -E '✘ Test .* recorded an issue' "$log" | sort -u | head -n 20 || true
found=$(grep -c -E 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log" || true)
grep -E 'Test run with' "$log" | tail -n 1 || true
echo "$found reports of the $kind sanitizer; the whole log is $log"
if [ "$found" -ne 0 ] && [ "$status" -eq 0 ]; then status=66; fi
exit "$status"
