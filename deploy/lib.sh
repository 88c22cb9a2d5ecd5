# shellcheck shell=bash
# Set-up that quickstart.sh and the scripts in Tools share: the toolchain, the packages, the build. Sourced, never run.
# Expects `set -euo pipefail`; defines `root`, the top of the source tree.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The libraries that a toolchain from swift.org's archive is linked with, those that the build links and reads at run time (tzdata, pango for PDFs, qrencode for pictures of codes, turbojpeg for those of documents), and what the
# tests use besides.
swift_packages=(libncurses6 libcurl4 libxml2 libsqlite3-0)
# shellcheck disable=SC2034 # both are for the scripts that source this
build_packages=(libsqlite3-dev libssl-dev zlib1g-dev libdeflate-dev libbrotli-dev libutf8proc-dev libexpat1-dev libargon2-dev libcurl4-openssl-dev libncurses-dev pkg-config tzdata libpangocairo-1.0-0 libqrencode4 libturbojpeg0)
# shellcheck disable=SC2034
test_packages=(brotli codespell libical3 python3 python3-venv ca-certificates poppler-utils libvterm-dev nodejs node-typescript cracklib-runtime curl openssl prometheus chromium-headless-shell)

# stop SENTENCE: says what is wrong and what to do, and ends the script.
stop() {
    printf '%s\n' "$*" >&2
    exit 1
}

# note TEXT: one line for a person who watches; nothing where nobody does.
note() {
    if [ -t 2 ]; then printf '%s\n' "$*" >&2; fi
}

# Puts Swift 6.3 or newer first in PATH.
find_swift() {
    local folder version
    for folder in "$(dirname "$(command -v swift || echo /none/swift)")" /opt/swift/usr/bin /opt/swift*/usr/bin \
        "${SWIFTLY_BIN_DIR:-/none}" "${HOME:-/none}/.local/share/swiftly/bin" "${HOME:-/none}/.swiftly/bin" \
        "${HOME:-/none}"/swift*/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin; do
        [ -x "$folder/swift" ] || continue
        # Unpacked on a system that has none of its libraries.
        if ldd "$folder/swift-frontend" "$folder/swift-build" 2>/dev/null | grep -q 'not found'; then need_packages "${swift_packages[@]}"; fi
        version=$("$folder/swift" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1) || continue
        # shellcheck disable=SC2086 # two words are wanted
        set -- $version
        [ $# -eq 2 ] || continue
        if [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 3 ]; }; then
            PATH=$folder:$PATH
            export PATH
            return 0
        fi
    done
    stop "Huddle is built with Swift 6.3: install it as https://www.swift.org/install/linux/ says (swiftly install 6.3), then run this again."
}

# need_packages NAME…: installs the missing Debian packages. If none is missing, it asks nobody and changes nothing.
need_packages() {
    local missing=() name as_root=()
    # The toolchain links with the system's C++ run time; a minimal system may have none of any version.
    compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
    if ! command -v dpkg-query >/dev/null; then
        note "No Debian packages here: these must be installed already, under whatever names they have: $*"
        return 0
    fi
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            stop "Some packages are missing. Run this line as root, then run this script again: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        fi
    fi
    note "Installing ${missing[*]} …"
    mkdir -p "$root/.build"
    {
        ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
            ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
    } >"$root/.build/packages.log" 2>&1 || {
        tail -n 20 "$root/.build/packages.log" >&2
        stop "apt could not install ${missing[*]}: fix the problem that it names above ($root/.build/packages.log), then run this again."
    }
}

# progress TITLE: turns a build's lines "[12/80] …" on its input into one moving line for a terminal.
progress() {
    local line began=$SECONDS
    while IFS= read -r line; do
        if [ -t 2 ] && [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            printf '\r\033[K%s: step %s of %s, %d s' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - began)) >&2
        fi
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# run_build LOG TITLE ARGUMENT…: `swift build ARGUMENT…` in the source tree, with a progress line and the whole log kept.
run_build() {
    local log=$1 title=$2
    shift 2
    swift build --package-path "$root" "$@" 2>&1 | tee -a "$log" | progress "$title"
}

# Whether the programs are there and nothing that they are made of changed since they were built. A few milliseconds.
is_built() {
    local stamp=$root/.build/quickstart.built
    [ -x "$root/.build/release/huddled" ] && [ -x "$root/.build/release/huddle" ] && [ -e "$stamp" ] &&
        [ -z "$(find "$root/Sources" "$root/Package.swift" -newer "$stamp" -print -quit)" ]
}

# Builds `huddled` and `huddle` for use.
build_programs() {
    local log=$root/.build/quickstart.log
    mkdir -p "$root/.build"
    : >"$log"
    # The stamp has the time before the build: files that are edited during the build count as changed.
    touch "$root/.build/quickstart.began"
    # Both in one build: while one core compiles the modules of the server, which wait for each other, another one compiles those of the client.
    HUDDLE_PROGRAMS=1 run_build "$log" "Building Huddle" -c release --static-swift-stdlib || {
        grep -E 'error:' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
        stop "The build failed; all that it said is in $log."
    }
    mv "$root/.build/quickstart.began" "$root/.build/quickstart.built"
}
