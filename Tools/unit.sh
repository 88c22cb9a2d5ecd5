#!/usr/bin/env bash
# Tools/unit.sh [FOLDER]: runs huddled.service under a real systemd and looks that it works and that its limits hold.
# systemd runs as process 1 of namespaces of its own, over a copy-on-write view of this machine's root: nothing of it outlives the script. FOLDER has the
# programs huddled and huddle (default: .build/release). Needs root, systemd, util-linux, iproute2, curl and overlayfs; for pictures poppler-utils
# and ffmpeg, too.
# Prints one line per check; ends with 1 if a check fails, 2 if it cannot run here.
set -euo pipefail

if [ "${1:-}" != --inside ]; then
    here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
    programs=${1:-$here/../.build/release}
    cannot() {
        printf '%s\n' "$*" >&2
        exit 2
    }
    [ "$(id -u)" -eq 0 ] || cannot "Only root can start another systemd: run this as root."
    for tool in unshare ip curl mount runuser systemd-analyze; do command -v "$tool" >/dev/null || cannot "$tool is missing."; done
    systemd=/lib/systemd/systemd
    [ -x $systemd ] || cannot "systemd is missing: install it."
    for program in huddled huddle; do [ -x "$programs/$program" ] || cannot "$programs/$program is missing: build it, or name the folder that has it."; done

    # A control group of its own in each hierarchy, so that the systemd inside cannot touch those of this machine.
    name=huddle-unit-$$
    groups=()
    while read -r folder; do
        mkdir "$folder/$name" 2>/dev/null || continue
        groups+=("$folder/$name")
        # A new cpuset has no processors and takes nobody in.
        for file in cpuset.cpus cpuset.mems; do
            if [ -w "$folder/$name/$file" ]; then cat "$folder/$file" >"$folder/$name/$file"; fi
        done
    done < <(awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts)
    work=$(mktemp -d)
    clean() {
        umount "$work" 2>/dev/null || true
        rmdir "$work" 2>/dev/null || true
        for group in "${groups[@]}"; do
            # The groups inside are gone with their processes a moment after these.
            for _ in 1 2 3 4 5 6 7 8 9 10; do
                find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
                [ -d "$group" ] || break
                sleep 0.1
            done
        done
    }
    trap clean EXIT
    mount -t tmpfs -o mode=755 tmpfs "$work"
    mkdir -p "$work"/{upper,work,root,results}
    upper=$work/upper
    mkdir -p "$upper"/usr/local/bin "$upper"/etc/systemd/system "$upper"/var/lib/huddle-unit
    cp "$programs/huddled" "$programs/huddle" "$upper/usr/local/bin/"
    cp "${BASH_SOURCE[0]}" "$upper/var/lib/huddle-unit/unit.sh"
    install -m 644 "$here"/../deploy/huddled{.service,.socket,-redirect.socket} "$upper/etc/systemd/system/"
    { grep -v '^huddle:' /etc/passwd; echo 'huddle:x:990:990::/var/lib/huddle:/usr/sbin/nologin'; } >"$upper/etc/passwd"
    { grep -v '^huddle:' /etc/group; echo 'huddle:x:990:'; } >"$upper/etc/group"
    # Of the units of this machine only the journal runs.
    for unit in /lib/systemd/system/{sysinit,basic,sockets,timers,multi-user,local-fs,paths,network-online}.target.wants/* \
        /etc/systemd/system/*.wants/*; do
        case ${unit##*/} in
        systemd-journald* | '*') ;;
        *) ln -sf /dev/null "$upper/etc/systemd/system/${unit##*/}" ;;
        esac
    done
    ln -sf /dev/null "$upper/etc/systemd/system/systemd-journal-flush.service"
    printf '[Unit]\nRequires=basic.target huddle-unit.service\nAfter=basic.target\nAllowIsolate=yes\n' >"$upper/etc/systemd/system/huddle-unit.target"
    printf '[Unit]\nAfter=basic.target\nSuccessAction=exit\nFailureAction=exit\n[Service]\nType=oneshot\nTimeoutStartSec=300\nExecStart=/var/lib/huddle-unit/unit.sh --inside\nStandardOutput=file:/results/output\nStandardError=inherit\n' \
        >"$upper/etc/systemd/system/huddle-unit.service"
    for group in "${groups[@]}"; do echo $$ >"$group/cgroup.procs"; done
    status=0
    # shellcheck disable=SC2016 # the words are for the shell inside
    unshare --mount --propagation private --pid --fork --kill-child --ipc --uts --net --cgroup bash -euc '
        work=$1
        root=$work/root
        mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$root"
        mount -t proc proc "$root/proc"
        mount --bind "$root/proc/sys" "$root/proc/sys"
        mount -o remount,bind,ro "$root/proc/sys"
        mount -t sysfs -o ro sysfs "$root/sys"
        awk "\$3 ~ /^cgroup/ { print \$2, \$3, \$4 }" /proc/mounts | while read -r place kind options; do
            [ "$kind" = cgroup2 ] && options=rw
            case $place in
            /sys/fs/cgroup) ;;
            *) mountpoint -q "$root/sys/fs/cgroup" || mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"; mkdir -p "$root$place" ;;
            esac
            controllers=$(printf %s "$options" | tr , "\n" | grep -vE "^(rw|ro|nosuid|nodev|noexec|relatime|release_agent=.*|xattr)$" | paste -sd, -)
            mount -t "$kind" ${controllers:+-o "$controllers"} "$kind" "$root$place"
        done
        mount -t tmpfs -o mode=755 tmpfs "$root/dev"
        for node in null zero full random urandom tty; do touch "$root/dev/$node"; mount --bind "/dev/$node" "$root/dev/$node"; done
        mkdir "$root/dev/pts" "$root/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
        ln -s pts/ptmx "$root/dev/ptmx"
        ln -s /proc/self/fd "$root/dev/fd"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        mount -t tmpfs -o mode=755 tmpfs "$root/run"
        mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
        mkdir -p "$root/results"
        mount --bind "$work/results" "$root/results"
        ip link set lo up
        cd "$root"
        mkdir -p .old
        pivot_root . .old
        umount -l /.old
        exec env -i container=huddle-unit PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            /lib/systemd/systemd --system --unit=huddle-unit.target --log-target=journal --show-status=no </dev/null >/results/systemd 2>&1
    ' bash "$work" || status=$?
    for group in "${groups[@]}"; do echo $$ >"${group%/*}/cgroup.procs"; done
    if [ ! -s "$work/results/output" ]; then
        cat "$work/results/systemd" >&2 2>/dev/null || true
        cannot "systemd did not start here (status $status)."
    fi
    cat "$work/results/output"
    if grep -q '^failed:' "$work/results/output" || ! grep -q '^all checks done' "$work/results/output"; then exit 1; fi
    exit 0
fi

# Inside, with systemd as process 1.
set +e
check() {
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "failed: $what"; fi
}
silently() { "$@" >/dev/null; }
is() { [ "$1" = "$2" ] || { echo "  found: $1; expected: $2"; false; }; }
has() { [[ "$1" == *"$2"* ]] || { echo "  found: $1; expected in it: $2"; false; }; }
show() { systemctl show huddled -P "$1"; }
journal() { journalctl -u huddled -o cat --no-pager 2>/dev/null; }
data=/var/lib/huddle
as_huddle() { runuser -u huddle -- "$@"; }
# From outside of the unit, as a member's program.
export HOME=/tmp/member
mkdir -p $HOME
huddle_as_member() { HUDDLE_SERVER=ws://127.0.0.1:8787 huddle --token-file /tmp/token "$@"; }

echo "systemd $(systemctl --version | sed -n 's/^systemd //;1p'), kernel $(uname -r), control groups: $(stat -fc %T /sys/fs/cgroup)"
check "systemd-analyze verify has no complaint" is "$(systemd-analyze verify --man=no /etc/systemd/system/huddled.service 2>&1 | grep -i huddled)" ""
check "the unit starts and says that it is ready" systemctl start huddled
check "it is active" is "$(systemctl is-active huddled)" active
check "no directive was ignored" is "$(journalctl --no-pager -o cat 2>/dev/null | grep -iE 'huddled\.service.*(ignor|unknown|unsupported|not supported)')" ""
systemd-analyze security --no-pager huddled 2>/dev/null | tail -n 1

pid=$(show MainPID)
field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$pid/status"; }
check "it runs as huddle" is "$(stat -c %U "/proc/$pid")" huddle
check "no capabilities" is "$(field CapEff)$(field CapBnd)" 00000000000000000000000000000000
check "no new privileges" is "$(field NoNewPrivs)" 1
check "system calls are filtered" is "$(field Seccomp)" 2
check "other users do not exist in it" is "$(awk '{ print $1, $3 }' "/proc/$pid/uid_map" | paste -sd' ')" "0 1 990 1"
check "no core files" is "$(awk '/Max core file size/ { print $5 }' "/proc/$pid/limits")" 0
check "descriptors" is "$(awk '/Max open files/ { print $4 }' "/proc/$pid/limits")" 20000
group=$(show ControlGroup)
memory=$(cat "/sys/fs/cgroup$group/memory.max" "/sys/fs/cgroup/memory$group/memory.limit_in_bytes" 2>/dev/null)
check "the kernel limits memory to 2 GiB" is "$memory" 2147483648
check "the kernel limits tasks to 128" is "$(cat "/sys/fs/cgroup$group/pids.max" "/sys/fs/cgroup/pids$group/pids.max" 2>/dev/null)" 128
check "the data folder is the service's alone" is "$(stat -c '%U %a' $data)" "huddle 700"

as_huddle huddled demo --data $data --json >/tmp/demo
token() { sed -E "s/.*\"role\":\"$1\",\"token\":\"([^\"]*)\".*/\1/" /tmp/demo; }
check "an admin command works beside the server" has "$(cat /tmp/demo)" '"role":"parent"'
token parent >/tmp/token
chmod 600 /tmp/token
check "a member signs in and writes" silently huddle_as_member say "Written before the restart"
printf '%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n' >/tmp/unit.pdf
athlete=$(sed -E 's/.*"member":"([^"]*)","name":"[^"]*","role":"athlete".*/\1/' /tmp/demo)
uploaded=$(huddle_as_member docs upload /tmp/unit.pdf --type resume --athlete "$athlete" --json 2>&1)
document=$(printf %s "$uploaded" | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -n 1)
check "a document is uploaded" has "$uploaded" "$document"
fetch() { curl -s -o "$2" -w '%{http_code} %{content_type}' -H "Authorization: Bearer $(cat /tmp/token)" "http://127.0.0.1:8787/documents/$document$1"; }
check "it is downloaded" is "$(fetch '' /tmp/back.pdf)" "200 application/pdf"
check "with its octets" cmp -s /tmp/unit.pdf /tmp/back.pdf
if command -v pdftoppm >/dev/null; then
    check "its picture is made, confined within the unit" is "$(fetch /thumbnail /tmp/picture)" "200 image/jpeg"
    check "the picture is a JPEG" is "$(head -c 3 /tmp/picture | od -An -tx1 | tr -d ' ')" ffd8ff
else
    echo "skipped: poppler-utils is not installed, so no picture of a document was made"
fi
if command -v ffmpeg >/dev/null; then
    ffmpeg -loglevel error -f lavfi -i testsrc=size=640x360:rate=25 -t 2 -pix_fmt yuv420p /tmp/unit.mp4
    uploaded=$(huddle_as_member docs upload /tmp/unit.mp4 --type highlight_video --athlete "$athlete" --json 2>&1)
    document=$(printf %s "$uploaded" | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -n 1)
    check "the picture of a video is made, too" is "$(fetch /thumbnail /tmp/picture)" "200 image/jpeg"
else
    echo "skipped: ffmpeg is not installed, so no picture of a video was made"
fi

check "a restart" systemctl restart huddled
check "what was written is there" has "$(huddle_as_member messages 2>&1)" "Written before the restart"
before=$(show MainPID)
kill -KILL "$before"
for _ in $(seq 100); do
    [ "$(systemctl is-active huddled)" = active ] && [ "$(show MainPID)" != "$before" ] && break
    sleep 0.1
done
check "systemd starts it again after a kill" is "$(systemctl is-active huddled) $(show NRestarts)" "active 1"
check "a member writes again" silently huddle_as_member say "Written after the kill"

mkdir -p /etc/systemd/system/huddled.service.d
printf '[Service]\nExecStart=\nExecStart=/usr/local/bin/huddled serve --data %s --listen 0.0.0.0:8787\nIPAddressDeny=any\nIPAddressAllow=localhost\n' $data >/etc/systemd/system/huddled.service.d/loopback.conf
ip address add 10.9.8.7/32 dev lo
status_from() { curl -s -m 2 -o /dev/null -w '%{http_code}' "http://$1:8787/health"; }
systemctl daemon-reload
check "with IPAddressDeny=any and IPAddressAllow=localhost it starts" systemctl restart huddled
check "loopback reaches it" is "$(status_from 127.0.0.1)" 200
if journalctl --no-pager -o cat 2>/dev/null | grep -qiE 'firewall.*not supported|BPF.*(not supported|unavailable|disabled)'; then
    echo "skipped: this kernel or its control groups cannot filter addresses"
else
    check "another address does not" is "$(curl -s -m 2 --interface 10.9.8.7 -o /dev/null -w '%{http_code}' http://10.9.8.7:8787/health)" 000
fi
rm -r /etc/systemd/system/huddled.service.d
systemctl daemon-reload
systemctl restart huddled

huddle_as_member watch >/tmp/watch 2>&1 &
watcher=$!
for _ in $(seq 50); do [ -n "$(ss -Htn state established '( sport = :8787 )' 2>/dev/null)" ] && break; sleep 0.1; done
began=$(date +%s%N)
check "systemctl stop" systemctl stop huddled
took=$((($(date +%s%N) - began) / 1000000))
kill $watcher 2>/dev/null
check "it drains within 5 s (${took} ms)" [ "$took" -lt 5000 ]
journalctl --sync
check "it ends by itself; the kill was the only failure" is "$(systemctl is-active huddled) $(journalctl -u huddled -o cat --no-pager | grep -c 'Failed with result')" "inactive 1"
check "the journal has the drain" has "$(journal | grep -oE 'event=[a-z_]*' | sort -u | paste -sd' ')" "event=draining"
check "nothing was refused by the filter or the confinement" is "$(journal | grep -cE 'level=error|SIGSYS')" 0
check "the data folder is whole" silently as_huddle huddled check --data $data --deep
mkdir -p /etc/systemd/system/huddled.service.d
printf '[Unit]\nRequires=huddled.socket\nAfter=huddled.socket\n[Service]\nExecStart=\nExecStart=/usr/local/bin/huddled serve --data %s\n' $data >/etc/systemd/system/huddled.service.d/socket.conf
systemctl daemon-reload
check "the socket unit starts" systemctl start huddled.socket
check "a connection starts the server" is "$(status_from 127.0.0.1)" 200
check "by the socket" is "$(systemctl is-active huddled)" active
systemctl stop huddled.socket huddled
printf '[Unit]\nRequires=huddled-redirect.socket\nAfter=huddled-redirect.socket\n[Service]\nExecStart=\nExecStart=/usr/local/bin/huddled serve %s\n' \
    "--data $data --host huddle.example --metrics /run/huddle/metrics.sock" >/etc/systemd/system/huddled.service.d/socket.conf
systemctl daemon-reload
check "the socket unit for port 80 starts" systemctl start huddled-redirect.socket
check "port 80 leads to https" is "$(curl -s -m 10 -o /dev/null -w '%{http_code} %header{location}' -H 'Host: huddle.example' http://127.0.0.1/a)" "308 https://huddle.example/a"
figures=$(curl -s -m 10 --unix-socket /run/huddle/metrics.sock http://localhost/metrics)
check "the figures are at a socket in /run/huddle" has "$figures" "huddle_ready 1"
check "the unit lets the server read its own process" [ "$(awk '/^process_(threads|open_fds) / && $2 > 3' <<<"$figures" | wc -l)" = 2 ]
check "nobody outside of the group enters /run/huddle" is "$(stat -c '%a %U' /run/huddle)" "750 huddle"
systemctl stop huddled-redirect.socket huddled
echo "all checks done"
exit 0
