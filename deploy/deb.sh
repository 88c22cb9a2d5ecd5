#!/usr/bin/env bash
# Builds two Debian packages: huddle-server (huddled as a service) and huddle (the terminal client).
# usage: deploy/deb.sh [FOLDER]        FOLDER gets the .deb files (default: .build/deb)
#
# The Swift runtime is linked into the programs, because Debian 12 has no package of it; everything else comes from Debian's libraries, and
# dpkg-shlibdeps writes down which. The programs are built as for quickstart, so a build that is up to date is used again.
#   HUDDLE_DEB_PROGRAMS=FOLDER   takes huddled and huddle from there instead of building them (for tests of the packages themselves)
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case ${1:-} in
-*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    case $1 in -h | --help) exit 0 ;; *) exit 2 ;; esac
    ;;
esac
out=${1:-$root/.build/deb}
mkdir -p "$out"
out=$(cd "$out" && pwd)
need_packages dpkg-dev binutils
programs=${HUDDLE_DEB_PROGRAMS:-}
if [ -z "$programs" ]; then
    find_swift
    need_packages "${build_packages[@]}"
    is_built || build_programs
    programs=$root/.build/release
fi
version=$("$programs/huddled" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
[ -n "$version" ] || stop "$programs/huddled does not say its version."
maintainer='Huddle maintainers <maintainers@huddle.invalid>'
# The day of the commit, so that the same source makes the same package.
date=$(git -C "$root" log -1 --format=%cD 2>/dev/null || date -R)
SOURCE_DATE_EPOCH=$(date -d "$date" +%s)
export SOURCE_DATE_EPOCH
architecture=$(dpkg --print-architecture)
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT

# stage PACKAGE PROGRAM: the tree of one package, with what every package has. Sets `tree`.
stage() {
    tree=$work/$1
    mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$tree/usr/share/doc/$1"
    install -m 755 "$programs/$2" "$tree/usr/bin/$2"
    strip --strip-unneeded --remove-section=.comment "$tree/usr/bin/$2"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: huddle\n\n'
        printf 'Files: *\nCopyright: 2026 The Huddle maintainers\nLicense: Apache-2.0\n'
        printf ' On Debian systems, the text of the Apache License, version 2.0, is in\n /usr/share/common-licenses/Apache-2.0.\n'
    } >"$tree/usr/share/doc/$1/copyright"
    {
        printf '%s (%s) stable; urgency=medium\n\n  * deploy/RELEASES.md of the source lists the changes of each version.\n\n' "$1" "$version"
        printf ' -- %s  %s\n' "$maintainer" "$date"
    } | gzip -9n >"$tree/usr/share/doc/$1/changelog.gz"
}

# manual PACKAGE FILE SECTION
manual() {
    mkdir -p "$work/$1/usr/share/man/man$3"
    gzip -9nc "$root/deploy/$2" >"$work/$1/usr/share/man/man$3/$2.gz"
}

# libraries PACKAGE PROGRAM: prints the packages whose libraries the program is linked with.
libraries() {
    mkdir -p "$work/shlibs/debian"
    : >"$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info "$work/$1/usr/bin/$2" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# Libraries that a program loads at their first use are unknown to it; the calls of `control` name them.
#
# control PACKAGE SECTION DEPENDS RECOMMENDS SUMMARY, and the description on standard input.
control() {
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nSection: %s\nPriority: optional\n' "$1" "$version" "$architecture" "$maintainer" "$2"
        printf 'Installed-Size: %s\nDepends: %s\n' "$(du -sk --exclude=DEBIAN "$work/$1" | cut -f 1)" "$3"
        [ -z "$4" ] || printf 'Recommends: %s\n' "$4"
        printf 'Description: %s\n' "$5"
        sed 's/^$/./; s/^/ /'
    } >"$work/$1/DEBIAN/control"
    (cd "$work/$1" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum) >"$work/$1/DEBIAN/md5sums"
    chmod -R u=rwX,go=rX "$work/$1"
    dpkg-deb --root-owner-group --build "$work/$1" "$out/$1_${version}_$architecture.deb" >/dev/null
}

# --- the server

stage huddle-server huddled
manual huddle-server huddled.8 8
mkdir -p "$tree/lib/systemd/system" "$tree/etc/huddle"
sed -e 's#^ExecStart=.*#ExecStart=/usr/bin/huddled serve --config /etc/huddle/huddled.conf#' -e '/^#/d' "$root/deploy/huddled.service" \
    >"$tree/lib/systemd/system/huddled.service"
sed -e '/^#/d' "$root/deploy/huddled.socket" >"$tree/lib/systemd/system/huddled.socket"
for unit in "$root"/deploy/huddled-*.service "$root"/deploy/huddled-*.timer "$root"/deploy/huddled-*.socket; do
    [ -e "$unit" ] || continue
    sed -e 's#/usr/local/bin/#/usr/bin/#' -e '/^#/d' "$unit" >"$tree/lib/systemd/system/${unit##*/}"
done
mkdir -p "$tree/usr/lib/huddle-server"
install -m 755 "$root/deploy/tls/install-certificate" "$tree/usr/lib/huddle-server/"
# The one line that a service cannot do without; all other options have their defaults.
sed -e 's#^\#data = PATH#data = /var/lib/huddle#' "$root/deploy/huddled.conf" >"$tree/etc/huddle/huddled.conf"
grep -q '^data = /var/lib/huddle$' "$tree/etc/huddle/huddled.conf" || stop "deploy/huddled.conf has no line '#data = PATH'."
echo /etc/huddle/huddled.conf >"$tree/DEBIAN/conffiles"
if [ -d "$root/deploy/proxy" ]; then
    mkdir -p "$tree/usr/share/doc/huddle-server/examples"
    install -m 644 "$root"/deploy/proxy/* "$tree/usr/share/doc/huddle-server/examples/"
fi
cat >"$tree/usr/share/doc/huddle-server/README.Debian" <<'TEXT'
Huddle on Debian
================

The service huddled runs as the user huddle, keeps everything in /var/lib/huddle and listens on 127.0.0.1:8787. Its options are in
/etc/huddle/huddled.conf; examples for nginx, Caddy and Apache are in the folder examples beside this file.

Make the first family, with the service running:

    sudo -u huddle huddled init --data /var/lib/huddle --family Rivera --zone America/New_York --parent "Carmen Rivera"

It prints the sign-in token of that parent. A backup every day, in /var/backups/huddle: systemctl enable --now huddled-backup.timer

Whether all is well: sudo -u huddle huddled doctor --data /var/lib/huddle

Removing the package, also with --purge, keeps /var/lib/huddle and /var/backups/huddle: they hold what families wrote. Delete
them yourself if you want them gone.
TEXT
cat >"$tree/DEBIAN/postinst" <<'SCRIPT'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    if ! getent passwd huddle >/dev/null; then
        adduser --system --group --quiet --home /var/lib/huddle --no-create-home --gecos "Huddle server" huddle
    fi
    if [ ! -d /var/lib/huddle ]; then
        install -d -o huddle -g huddle -m 700 /var/lib/huddle
    fi
    # For huddled-backup.timer, which the administrator enables.
    if [ ! -d /var/backups/huddle ]; then
        install -d -o huddle -g huddle -m 700 /var/backups/huddle
    fi
fi
if [ "$1" = configure ] || [ "$1" = abort-upgrade ] || [ "$1" = abort-remove ] || [ "$1" = abort-deconfigure ]; then
    deb-systemd-helper unmask huddled.service >/dev/null || true
    if deb-systemd-helper --quiet was-enabled huddled.service; then
        deb-systemd-helper enable huddled.service >/dev/null || true
    else
        deb-systemd-helper update-state huddled.service >/dev/null || true
    fi
    if [ -d /run/systemd/system ]; then
        systemctl --system daemon-reload >/dev/null || true
        if [ -n "$2" ]; then action=restart; else action=start; fi
        deb-systemd-invoke $action huddled.service >/dev/null || true
    fi
fi
SCRIPT
cat >"$tree/DEBIAN/prerm" <<'SCRIPT'
#!/bin/sh
set -e
if [ -d /run/systemd/system ] && [ "$1" = remove ]; then
    deb-systemd-invoke stop huddled-backup.timer huddled.socket huddled-redirect.socket huddled.service >/dev/null || true
fi
SCRIPT
cat >"$tree/DEBIAN/postrm" <<'SCRIPT'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = purge ]; then
    if command -v deb-systemd-helper >/dev/null; then
        deb-systemd-helper purge huddled.service huddled.socket huddled-redirect.socket >/dev/null || true
    fi
    rmdir /etc/huddle 2>/dev/null || true
    if [ -d /var/lib/huddle ] && ! rmdir /var/lib/huddle 2>/dev/null; then
        echo "huddle-server: /var/lib/huddle holds what families wrote and is kept. Delete it yourself if you want it gone."
    fi
fi
SCRIPT
chmod 755 "$tree"/DEBIAN/p*
control huddle-server net "$(libraries huddle-server huddled), adduser, init-system-helpers (>= 1.54~), tzdata" "openssl, poppler-utils, ffmpeg, libcurl4, ca-certificates, cracklib-runtime, libqrencode4" \
    "collaboration server for families of recruited athletes" <<'TEXT'
Athletes and parents share recruiting events, trip itineraries and
documents live, in one room per family. A change is on stable storage
before it is shown to anybody, and everybody sees changes in the same order.
.
This package runs the server as a systemd service. The terminal client is
in the package huddle.
TEXT

# --- the client

stage huddle huddle
manual huddle huddle.1 1
control huddle net "$(libraries huddle huddle), libcurl4, tzdata" "libpangocairo-1.0-0, libqrencode4, libturbojpeg0" \
    "terminal client for Huddle, the season of a recruited athlete" <<'TEXT'
Shows and changes the recruiting events, trips and documents of a family,
live and offline, in a full-screen client and by commands for scripts.
.
The server is in the package huddle-server.
TEXT

for package in huddle-server huddle; do echo "$out/${package}_${version}_$architecture.deb"; done
