#!/usr/bin/env bash
# Installs the Debian packages in a fresh root, and looks that they work: dependencies, service user, first family, upgrade, purge.
# usage: Tools/package.sh [FOLDER]        FOLDER has the .deb files (default: builds them with deploy/deb.sh). Takes some minutes; needs root.
#
# The root is made with mmdebstrap from the package sources of this machine, in a folder that is deleted at the end. No systemd runs in it:
# the server is started as the unit starts it, as the user huddle. The unit itself is held by Tools/unit.sh and by systemd-analyze here.
#   HUDDLE_OLD_DATA=FOLDER   a data folder of an older version, which the new server must open and check (default: one as 0.1.0 left it)
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"
[ "$(id -u)" = 0 ] || stop "Tools/package.sh needs root, because it makes a root folder of its own."
need_packages mmdebstrap lintian dpkg-dev curl
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-package.XXXXXX")
server=
finish() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    ! mountpoint -q "$work/root/proc" || umount "$work/root/proc"
    rm -rf --one-file-system "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

failed=0
check() { # TITLE COMMAND…
    local title=$1
    shift
    if "$@" >"$work/said" 2>&1; then echo "ok   $title"; else
        echo "FAIL $title"
        tail -n 5 "$work/said" | sed 's/^/     /'
        failed=1
    fi
}
fresh=$work/root
inside() { chroot "$fresh" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# In place of the shell that calls it, so that the server has the process id that the shell was started with.
as_huddle_exec() { exec chroot --userspec=huddle:huddle "$fresh" env -i PATH=/usr/bin:/bin HOME=/var/lib/huddle LC_ALL=C.UTF-8 "$@"; }
as_huddle() { (as_huddle_exec "$@"); }

debs=${1:-}
if [ -z "$debs" ]; then
    debs=$work/debs
    "$root/deploy/deb.sh" "$debs"
fi
server_deb=$(ls "$debs"/huddle-server_*.deb)
client_deb=$(ls "$debs"/huddle_*.deb)

no_errors() { ! lintian --allow-root "$1" 2>/dev/null | grep '^E:'; }
check "lintian finds no error in huddle-server" no_errors "$server_deb"
check "lintian finds no error in huddle" no_errors "$client_deb"

mmdebstrap --quiet --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$fresh" >"$work/mmdebstrap.log" 2>&1 || {
    tail -n 5 "$work/mmdebstrap.log" >&2
    stop "mmdebstrap made no root."
}
# Swift reads the words of a command there.
mount -t proc proc "$fresh/proc"
cp "$server_deb" "$client_deb" "$fresh/root/"
check "both install with their dependencies" inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /root/*.deb'
check "the user huddle owns /var/lib/huddle, which nobody else may enter" \
    sh -c "[ \"\$(stat -c '%a' '$fresh/var/lib/huddle')\" = 700 ] && [ \"\$(stat -c %u '$fresh/var/lib/huddle')\" = \"\$(awk -F: '\$1 == \"huddle\" { print \$3 }' '$fresh/etc/passwd')\" ]"
check "the options can be used" inside huddled config --check --config /etc/huddle/huddled.conf
check "the manuals are there" sh -c "[ -s '$fresh/usr/share/man/man8/huddled.8.gz' ] && [ -s '$fresh/usr/share/man/man1/huddle.1.gz' ]"
if command -v systemd-analyze >/dev/null; then
    exposure() { systemd-analyze security --offline=yes --threshold=16 "$fresh/lib/systemd/system/huddled.service"; }
    check "the unit's exposure is at most 1.6" exposure
fi

port=21787
start() {
    # With the words of the unit, and another port.
    (as_huddle_exec /usr/bin/huddled serve --config /etc/huddle/huddled.conf --listen "127.0.0.1:$port") >"$work/out" 2>"$work/log" &
    server=$!
    for _ in $(seq 100); do
        grep -q serves "$work/out" && return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/out" "$work/log"
    return 1
}
stop_server() {
    kill "$server" 2>/dev/null || true
    wait "$server" || true
    server=
}
is_ready() { curl -sf "http://127.0.0.1:$port/healthz" && curl -sf "http://127.0.0.1:$port/readyz"; }
first_family() {
    as_huddle huddled init --data /var/lib/huddle --family Rivera --zone America/New_York --parent "Carmen Rivera" --json >"$work/family"
    token=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["token"])' "$work/family")
}
talks() { inside sh -c "printf '%s' '$token' | huddle sign-in --server ws://127.0.0.1:$port --token-file - && huddle say 'From the package.' && huddle messages" | grep 'From the package.'; }
check "the server starts as the unit starts it" start
check "it is healthy and ready" is_ready
check "a first family is made while it runs" first_family
check "the client signs in, speaks and reads" talks

# The steps of docs/FAMILY.md for a new user: two devices, a second parent, an athlete, and a lost password, without mail.
home() { # FOLDER COMMAND…
    local folder=/home/$1
    shift
    mkdir -p "$fresh$folder"
    inside "HOME=$folder" "HUDDLE_SERVER=ws://127.0.0.1:$port" "$@"
}
code() { grep -oE '[0-9A-Z]{5}(-[0-9A-Z]{5}){3}' | head -n 1; }
first_device() { printf '%s' "$token" | home carmen huddle sign-in --token-file - && printf 'correct horse battery\n' | home carmen huddle password set carmen; }
second_device() { home phone huddle join "$(home carmen huddle device add | code)" && home phone huddle say 'From the phone.' && home carmen huddle messages | grep 'From the phone.'; }
others() {
    home luis huddle join "$(home carmen huddle invite 'Luis Rivera' --role parent | code)" --name 'Luis Rivera' || return 1
    home carmen huddle invite Elena --role athlete --born "$(($(date +%Y) - 15))-03-04" || return 1
    home carmen huddle consent Elena --accept "$(home carmen huddle consent Elena 2>/dev/null </dev/null | sed -n 's/^Version: \([^,]*\),.*/\1/p')" || return 1
    home elena huddle join "$(home carmen huddle invite Elena --member | code)" --name Elena
}
by_paper() {
    home carmen huddle recovery codes | grep -oE '[0-9A-Z]{4}(-[0-9A-Z]{4}){3}' >"$work/paper"
    [ "$(wc -l <"$work/paper")" = 10 ] || return 1
    rm -rf "$fresh/home/carmen"
    ! printf 'forgotten horse\n' | home carmen huddle sign-in --name carmen || return 1
    head -n 1 "$work/paper" | home carmen huddle sign-in --name carmen --recovery && printf 'another horse battery\n' | home carmen huddle password set carmen
}
by_parent() {
    rm -rf "$fresh/home/carmen"
    home carmen huddle join "$(home luis huddle recovery member 'Carmen Rivera' | code)" && printf 'a third horse battery\n' | home carmen huddle password set carmen
}
by_host() {
    rm -rf "$fresh/home/carmen"
    local member
    member=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["member"])' "$work/family")
    home carmen huddle join "$(as_huddle huddled recover --data /var/lib/huddle --member "$member" | code)" && home carmen huddle messages | grep 'From the phone.'
}
check "a parent signs in and sets a password" first_device
check "a code lets a second device in" second_device
check "a parent and an athlete of 15 join" others
check "a lost password: a code on paper lets in, and the password is another one" by_paper
check "a lost device: a code of the other parent lets in" by_parent
check "a lost device: a code of the host lets in" by_host
stop_server

check "an installation over itself keeps what was written" inside sh -c 'apt-get install -y -qq --no-install-recommends --reinstall /root/*.deb'
check "and the server starts again with it" start
check "the family is there" talks
stop_server
check "a removal keeps the options" sh -c "chroot '$fresh' apt-get remove -y -qq huddle-server && [ -e '$fresh/etc/huddle/huddled.conf' ]"
check "a purge deletes them, and keeps what families wrote" \
    sh -c "chroot '$fresh' apt-get purge -y -qq huddle-server huddle && [ ! -e '$fresh/etc/huddle' ] && [ -s '$fresh/var/lib/huddle/huddle.db' ] && [ ! -e '$fresh/usr/bin/huddled' ]"

# A machine on which 0.1.0 ran from its built program: a user of that name, a data folder of its own with a database of version 1, and a unit that the
# host wrote. 0.1.0 was killed, so its socket is still there.
inside sh -c 'id huddle >/dev/null 2>&1 || useradd --system --home-dir /var/lib/huddle --no-create-home --shell /usr/sbin/nologin huddle'
rm -rf "${fresh:?}/var/lib/huddle"
if [ -n "${HUDDLE_OLD_DATA:-}" ]; then cp -a "$HUDDLE_OLD_DATA" "$fresh/var/lib/huddle"; else
    mkdir "$fresh/var/lib/huddle"
    python3 - "$root/Tests/StoreTests/Fixtures/0.1.0.sql" "$fresh/var/lib/huddle" <<'PYTHON'
import pathlib, socket, sqlite3, sys
folder = pathlib.Path(sys.argv[2])
database = sqlite3.connect(folder / "huddle.db", isolation_level=None)
database.executescript(pathlib.Path(sys.argv[1]).read_text())
database.execute("PRAGMA journal_mode = WAL")
socket.socket(socket.AF_UNIX).bind(str(folder / "huddled.sock"))
PYTHON
fi
mkdir -p "$fresh/etc/systemd/system"
printf '[Service]\nExecStart=/usr/local/bin/huddled serve --data /var/lib/huddle\n' >"$fresh/etc/systemd/system/huddled.service"
cp "$fresh/etc/systemd/system/huddled.service" "$work/unit"
inside sh -c 'chown -R huddle:huddle /var/lib/huddle && chmod 755 /var/lib/huddle'
check "the packages install over 0.1.0" inside sh -c 'apt-get install -y -qq --no-install-recommends /root/*.deb'
check "the unit that the host wrote is as it was" cmp "$fresh/etc/systemd/system/huddled.service" "$work/unit"
check "the data folder belongs to the user of the service, who alone may enter" \
    sh -c "[ \"\$(stat -c '%a' '$fresh/var/lib/huddle')\" = 700 ] && [ \"\$(stat -c %u '$fresh/var/lib/huddle/huddle.db')\" = \"\$(awk -F: '\$1 == \"huddle\" { print \$3 }' '$fresh/etc/passwd')\" ]"
check "the server upgrades the data of 0.1.0" start
check "it is healthy and ready with them" is_ready
stop_server
check "it finds them whole" as_huddle huddled check --deep --data /var/lib/huddle
check "and the way back is beside them" sh -c "ls '$fresh'/var/lib/huddle/upgrade/huddle-v*.db"
[ "$failed" = 0 ] && echo "The packages work." || exit 1
