#!/usr/bin/env bash
# Fuzzes the parsers and state machines with libFuzzer and the address sanitizer (Tests/FuzzTests).
#
#   Tools/fuzz.sh [TARGET|all] [SECONDS]     each target for so long (60), two at a time
#   Tools/fuzz.sh keep TARGET|all            makes what was learnt the kept corpus, as small as it gets
#   Tools/fuzz.sh list                       the targets
#
# Inputs gather in .build/fuzz-work/TARGET, finds beside it in TARGET.finds. A find becomes a line of Tests/FuzzTests/corpus/TARGET.txt
# (the script prints it): the ordinary tests then replay it for ever.
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"

kept=$root/Tests/FuzzTests/corpus
words=$root/Tests/FuzzTests/dictionaries
work=$root/.build/fuzz-work
fuzzer=$root/.build/fuzz/fuzzer
# Inputs longer than this find nothing that shorter ones do not, and slow the search; one past the 64 KiB form of a frame's length.
longest=4096

# Asked for by name; the dictionary is the target's own, or none.
targets() { sed -n 's/^ *FuzzTarget("\([a-z0-9-]*\)".*/\1/p' "$root"/Tests/FuzzTests/Targets/*.swift; }

dictionary_of() {
    local name
    name=$(sed -n "s/^ *FuzzTarget(\"$1\", dictionary: \"\([a-z]*\)\".*/\1/p" "$root"/Tests/FuzzTests/Targets/*.swift)
    if [ -n "$name" ]; then printf '%s' "-dict=$words/$name.txt"; fi
}

build_fuzzer() {
    mkdir -p "$work"
    # `-enable-testing`: the targets look at what is internal. The address sanitizer sees most in optimised code.
    HUDDLE_FUZZ=1 swift build --package-path "$root" -c release --scratch-path "$root/.build/fuzz" --product HuddleFuzz \
        -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing >"$work/build.log" 2>&1 || {
        grep -E 'error:' "$work/build.log" | sort -u | head -n 20 >&2
        stop "The fuzzer does not build; all that was said is in $work/build.log."
    }
    swiftc -sanitize=fuzzer,address -use-ld=lld -o "$fuzzer" "$root/.build/fuzz/release/libHuddleFuzz.a" \
        $(pkg-config --libs sqlite3 openssl zlib libdeflate libutf8proc expat libargon2 2>/dev/null || echo -lsqlite3 -lssl -lcrypto -lz -ldeflate -lutf8proc -lexpat -largon2)
}

# unpack TARGET FOLDER: the kept inputs as files.
unpack() {
    python3 - "$kept/$1.txt" "$2" <<'PYTHON'
import base64, hashlib, os, sys
source, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for line in open(source) if os.path.exists(source) else []:
    if line.strip() and not line.startswith('#'):
        octets = base64.b64decode(line)
        open(os.path.join(folder, hashlib.sha1(octets).hexdigest()), 'wb').write(octets)
PYTHON
}

# fuzz_one TARGET SECONDS: runs, and leaves one line of figures.
fuzz_one() {
    local target=$1 seconds=$2 log=$work/$1.log status=0
    unpack "$target" "$work/$target"
    mkdir -p "$work/$target.finds"
    # SWIFT_BACKTRACE: the backtracer would hold our pipe open for minutes.
    # detect_leaks: the leak check at the end misses references whose spare bits Swift uses, and reports the tables of schemas, which live as
    # long as the process.
    # shellcheck disable=SC2046 # without a dictionary there is no word
    HUDDLE_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 nice -n 19 "$fuzzer" "$work/$target" -max_total_time="$seconds" -max_len=$longest \
        -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/$target.finds/" $(dictionary_of "$target") \
        >"$log" 2>&1 || status=$?
    python3 - "$target" "$log" "$status" "$work/$target.finds" <<'PYTHON'
import base64, os, re, sys
target, log, status, finds = sys.argv[1], open(sys.argv[2], errors='replace').read(), sys.argv[3], sys.argv[4]
def last(pattern):
    found = re.findall(pattern, log)
    return found[-1] if found else '-'
runs, seconds = last(r'number_of_executed_units: (\d+)'), last(r'in (\d+) second')
edges, features, inputs = last(r'cov: (\d+)'), last(r'ft: (\d+)'), last(r'corp: (\S+)')
print(f"{target:16} executions {runs:>10}  seconds {seconds:>5}  edges {edges:>6}  features {features:>6}  corpus {inputs:>12}  "
      + ("no find" if status == "0" else "FIND"), flush=True)
if status != '0':
    print(last(r'Fatal error: (.*)'), last(r'(SUMMARY: .*)'), sep='\n')
    for name in sorted(os.listdir(finds)):
        octets = open(os.path.join(finds, name), 'rb').read()
        print('# ' + name.split('-')[0], base64.b64encode(octets).decode() if len(octets) < 3000 else finds + '/' + name, sep='\n')
PYTHON
    return "$status"
}

# keep TARGET: the smallest set of inputs that reaches what all of them reach, comments and their lines first.
keep() {
    local target=$1 folder=$work/$1.kept
    rm -rf "$folder"
    mkdir -p "$folder" "$work/$target"
    unpack "$target" "$work/$target"
    HUDDLE_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no "$fuzzer" -merge=1 -max_len=$longest "$folder" "$work/$target" >"$work/$target.merge.log" 2>&1 || return 1
    python3 - "$folder" "$kept/$target.txt" <<'PYTHON'
import base64, os, sys
folder, kept = sys.argv[1:]
lines, named = [], set()
before = open(kept).read().splitlines() if os.path.exists(kept) else []
for comment, line in zip(before, before[1:]):
    if comment.startswith('#'):
        lines += [comment, line]
        named.add(line)
room = 70_000  # octets of one corpus file: all of them together stay below 2 MB
for octets in sorted((open(os.path.join(folder, name), 'rb').read() for name in os.listdir(folder)), key=lambda octets: (len(octets), octets)):
    line = base64.b64encode(octets).decode()
    if line and line not in named and (room := room - len(line)) > 0:
        lines.append(line)
open(kept, 'w').write('\n'.join(lines) + '\n')
print(f"{os.path.basename(kept):24} {len(lines):5} lines {os.path.getsize(kept):8} octets")
PYTHON
}

wanted=${1:-all}
if [ "$wanted" = list ]; then
    targets
    exit 0
fi
find_swift
need_packages "${build_packages[@]}" python3
build_fuzzer
if [ "$wanted" = keep ]; then
    case ${2:-all} in
    all) for target in $(targets); do keep "$target"; done ;;
    *) keep "$2" ;;
    esac
    exit 0
fi
seconds=${2:-60}
if [ "$wanted" != all ]; then
    fuzz_one "$wanted" "$seconds"
    exit
fi
export root work fuzzer kept words longest
export -f fuzz_one unpack dictionary_of
# One failing target does not keep the others from their time; xargs reports it at the end (123).
targets | xargs -P 2 -I{} bash -c "fuzz_one {} $seconds"
