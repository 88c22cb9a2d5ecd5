#!/usr/bin/env bash
# Builds the image of deploy/Containerfile, and looks that its server works: another user than root, a read-only root folder, the health check.
# usage: Tools/container.sh [FOLDER]        FOLDER has huddle-server_*.deb (default: builds it with deploy/deb.sh). Takes some minutes; needs root.
#
# Needs no registry: the base of the image is a root that mmdebstrap makes from the package sources of this machine. The image is not run by a container
# engine: its root folder is mounted read-only in a mount namespace of its own, with an empty /var/lib/huddle, and its entry point is started there as its user.
#   HUDDLE_PACKAGE_PROXY=URL   for apt in the image, where the machine reaches its package sources by a proxy
# Prints one line per check; ends with 1 if a check fails, 2 if it cannot run here.
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../deploy/lib.sh"
cannot() {
    printf 'Tools/container.sh cannot run here: %s\n' "$*" >&2
    exit 2
}
[ "$(id -u)" = 0 ] || cannot "it needs root, because it makes a root folder of its own."
command -v apt-get >/dev/null || cannot "it needs a Debian system, whose packages make the base of the image."
need_packages buildah mmdebstrap curl util-linux
work=$(mktemp -d "${TMPDIR:-/tmp}/huddle-container.XXXXXX")
# Nothing of it is among the images of this machine. vfs needs no support of the kernel.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
storage=(--root "$work/storage" --runroot "$work/run")
server=
container=
finish() {
    if [ -n "$server" ]; then
        kill -KILL "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    if [ -n "$container" ]; then buildah "${storage[@]}" rm "$container" >/dev/null 2>&1 || true; fi
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

buildah "${storage[@]}" from --name probe scratch >"$work/said" 2>&1 || cannot "buildah makes no container: $(tail -n 1 "$work/said")"
buildah "${storage[@]}" rm probe >/dev/null 2>&1 || true

debs=${1:-}
if [ -z "$debs" ]; then
    debs=$work/debs
    "$root/deploy/deb.sh" "$debs" >/dev/null
fi
mkdir "$work/context"
cp "$debs"/huddle-server_*.deb "$work/context/"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=minbase "$release" "$work/base.tar" >"$work/said" 2>&1 || cannot "mmdebstrap makes no root: $(tail -n 1 "$work/said")"
base=$(buildah "${storage[@]}" from scratch)
buildah "${storage[@]}" add "$base" "$work/base.tar" / >"$work/said" 2>&1 || cannot "buildah takes no root: $(tail -n 1 "$work/said")"
buildah "${storage[@]}" commit --rm "$base" localhost/huddle-base >"$work/said" 2>&1 || cannot "buildah keeps no image: $(tail -n 1 "$work/said")"
more=()
if [ -n "${HUDDLE_PACKAGE_PROXY:-}" ]; then more+=(--env "http_proxy=$HUDDLE_PACKAGE_PROXY"); fi
build() {
    buildah "${storage[@]}" build --format docker --pull-never --build-arg BASE=localhost/huddle-base "${more[@]+"${more[@]}"}" \
        --tag huddle-server --file "$root/deploy/Containerfile" "$work/context"
}
check "deploy/Containerfile builds" build
[ $failed = 0 ] || exit 1

said() { buildah "${storage[@]}" inspect --type image --format "$1" huddle-server; }
check "the user is not root" sh -c "[ '$(said '{{.Docker.Config.User}}')' = 10001:10001 ]"
check "the health check asks the server" sh -c "echo '$(said '{{.Docker.Config.Healthcheck}}')' | grep -q 'huddled doctor --alive'"
check "the entry point is huddled, and serves" sh -c "[ '$(said '{{.Docker.Config.Entrypoint}} {{.Docker.Config.Cmd}}')' = '[/usr/bin/huddled] [serve]' ]"

container=$(buildah "${storage[@]}" from --pull-never huddle-server)
tree=$(buildah "${storage[@]}" mount "$container")
check "nothing of the packages' downloads is left" sh -c "[ -z \"\$(find '$tree/tmp' '$tree/var/lib/apt/lists' '$tree/var/cache/apt/archives' -name '*.deb' -o -name '*Packages*')\" ]"
mkdir "$work/data"
chown 10001:10001 "$work/data"
chmod 700 "$work/data"
# inside COMMAND…: in the read-only root of the image, as its user, with nothing that this process may do more than others.
cat >"$work/inside" <<'SCRIPT'
#!/bin/bash
# TREE DATA COMMAND…, in a mount namespace of its own.
set -eu
tree=$1 data=$2
shift 2
mount --make-rprivate /
mount --bind "$tree" "$tree"
mount --bind "$data" "$tree/var/lib/huddle"
mount -t proc proc "$tree/proc"
mount -o remount,bind,ro "$tree"
exec chroot "$tree" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --no-new-privs \
    env -i PATH=/usr/bin:/bin HUDDLED_DATA=/var/lib/huddle HUDDLED_LISTEN=127.0.0.1:0 "$@"
SCRIPT
inside() { unshare --mount bash "$work/inside" "$tree" "$work/data" "$@"; }

check "the root folder cannot be written" inside sh -c '! touch /tmp/x 2>/dev/null && ! touch /usr/x 2>/dev/null && touch /var/lib/huddle/x && rm /var/lib/huddle/x && [ "$(id -u)" = 10001 ]'
not_alive() { ! inside /usr/bin/huddled doctor --alive; }
check "the health check fails before the server runs" not_alive
check "a first family is made" inside /usr/bin/huddled init --data /var/lib/huddle --family Rivera --zone America/New_York --parent "Carmen Rivera"
unshare --mount bash "$work/inside" "$tree" "$work/data" /usr/bin/huddled serve >"$work/out" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
    grep -q ' serves ' "$work/out" && break
    sleep 0.1
done
address=$(sed -n 's#.*at ws://\(.*\)/ws#\1#p' "$work/out")
check "the server starts" [ -n "$address" ]
check "it answers over HTTP" curl -fsS -m 5 "http://$address/readyz"
check "it runs as the user of the image" sh -c "[ \"\$(stat -c %u /proc/$server)\" = 10001 ]"
check "the health check passes while the server runs" inside /usr/bin/huddled doctor --alive
check "a command of the host reaches it" inside /usr/bin/huddled doctor
kill -TERM "$server"
ending=0
wait "$server" || ending=$?
server=
check "it ends in order at SIGTERM" [ "$ending" = 0 ]
check "the data belongs to the user of the image" sh -c "[ -z \"\$(find '$work/data' ! -uid 10001)\" ]"
exit $failed
