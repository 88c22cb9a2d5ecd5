#!/usr/bin/env bash
# From a fresh clone to a running Huddle with a demo family. Run it again to come back; the data stays.
#
# On a terminal the server runs on in the background and the client opens. Without one (a pipe, a service) it prints the
# address and a line for each member and serves in the foreground until SIGTERM.
#
# Each member's sign-in is kept in a profile of huddle (~/.config/huddle/profiles, mode 0600), so that no token is in a
# command line: huddle --profile elena. A profile that holds any other sign-in is left alone; the member gets elena-2.
#
#   HUDDLE_DATA=DIR          where the families live (default: data/ beside deploy/)
#   HUDDLE_LISTEN=HOST:PORT  where the server listens (default: 127.0.0.1:8787)
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if [ $# -gt 0 ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    case $1 in -h | --help) exit 0 ;; *) exit 2 ;; esac
fi

data=${HUDDLE_DATA:-$root/data}
case $data in /*) ;; *) data=$PWD/$data ;; esac
listen=${HUDDLE_LISTEN:-127.0.0.1:8787}
huddled=$root/.build/release/huddled
huddle=$root/.build/release/huddle
demo=$data/demo.json       # members with their tokens, 0600
running=$data/huddled.pid  # "PID HOST:PORT" of the server that this script started
is_new=''                  # whether this run has made the demo family

on_terminal() { [ -t 0 ] && [ -t 1 ]; }

# Host and port at which a client on this machine reaches a server that listens at $1.
reach() {
    local host=${1%:*} port=${1##*:}
    case $host in 0.0.0.0 | '' | '*') host=127.0.0.1 ;; '[::]') host='[::1]' ;; esac
    printf '%s:%s' "$host" "$port"
}

# Whether something accepts connections at HOST:PORT.
answers() {
    local host=${1%:*} port=${1##*:}
    host=${host#[}
    (exec 3<>"/dev/tcp/${host%]}/$port") 2>/dev/null
}

# The process of our server, if it lives: sets `pid` and `address`, where it really listens.
find_server() {
    local words
    pid='' address=''
    [ -r "$running" ] || return 1
    read -r pid address <"$running" || true
    # A pid is used again after a restart of the machine: only a process that was started as huddled counts. Its own
    # words are compared, not its program file, which a new build has replaced.
    [ -n "$pid" ] && words=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") && [[ $words == *"huddled serve "* ]]
}

# Waits until $1 (HOST:PORT) answers, at most 10 s; fails immediately when process $2 ends.
wait_until_ready() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        if answers "$1"; then return 0; fi
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.05
    done
    return 1
}

# Asks our server to stop, and waits for the 5 s that it may take to drain.
stop_server() {
    local tries
    kill "$pid" 2>/dev/null || true
    for ((tries = 0; tries < 160; tries++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.05
    done
    stop "The old server (process $pid) does not end: end it with kill -9 $pid (nothing that was acknowledged is lost), then run this again."
}

# One line a demo member, "token<TAB>role<TAB>name", from what `huddled demo --json` printed.
members() {
    tr -d '\n' <"$demo" | sed 's/[{}]/\n/g' | grep '"token"' | while IFS= read -r object; do
        printf '%s\t%s\t%s\n' "$(value token "$object")" "$(value role "$object")" "$(value name "$object")"
    done
}

# value KEY OBJECT: the text of one key.
value() { sed -n "s/.*\"$1\" *: *\"\\([^\"]*\\)\".*/\\1/p" <<<"$2"; }

# Keeps each member's sign-in at the server HOST:PORT in a profile with the member's first name; sets `seats`, one line a
# member, "profile<TAB>role<TAB>name". The profile is "-" where none could be kept.
sign_in() {
    local token role name first number profile said status taken=' '
    seats=''
    while IFS=$'\t' read -r token role name; do
        first=$(tr -cd a-z0-9 <<<"$(tr A-Z a-z <<<"${name%% *}")")
        first=${first:0:24}
        first=${first:-member}
        for number in '' -2 -3 -4 -5 -6 -7 -8 -9; do
            profile=$first$number
            [[ $taken != *" $profile "* ]] || continue
            status=0
            # The data folder is the origin: its own profiles are kept up to date, those of other folders and people stay.
            said=$("$huddle" sign-in --profile "$profile" --server "ws://$1" --origin "quickstart $data" --token-file - 2>&1 >/dev/null <<<"$token") || status=$?
            # 1: the profile holds another sign-in.
            [ $status -eq 1 ] || break
        done
        if [ $status -ne 0 ]; then
            printf '%s\n' "$said" >&2
            profile=-
        elif [ "$profile" != "$first" ]; then
            note "The profile $first holds another sign-in and stays as it is: $name is $profile here."
        fi
        taken+="$profile "
        seats+=$profile$'\t'$role$'\t'$name$'\n'
    done < <(members)
}

sign_in_lines() {
    local profile role name
    while IFS=$'\t' read -r profile role name; do
        if [ "$profile" = - ]; then
            printf '  %s (%s): not signed in; the token is in %s\n' "$name" "$role" "$demo"
        else
            printf '  %s (%s):\n    %q --profile %s\n' "$name" "$role" "$huddle" "$profile"
        fi
    done < <(printf %s "$seats")
}

# browser_line PROFILE NAME HOST:PORT: how the browser of that member gets in; nothing where no code could be made.
browser_line() {
    local code
    [ "$1" != - ] || return 0
    code=$("$huddle" --profile "$1" device add --json 2>/dev/null | tr -d '\n' | sed -n 's/.*"code" *: *"\([^"]*\)".*/\1/p') || return 0
    [ -n "$code" ] || return 0
    printf 'In a browser, as %s (good once, for ten minutes):\n    http://%s/#%s\n' "$2" "$3" "$code"
}

# The first parent: "profile<TAB>name".
first_parent() { awk -F'\t' '$2 == "parent" && !found++ { print $1 "\t" $3 }' <<<"$seats"; }

prepare_data() {
    if ! { mkdir -p "$(dirname "$data")" && { [ -d "$data" ] || mkdir -m 700 "$data"; } && [ -w "$data" ]; } 2>/dev/null; then
        stop "No permission to write to the data folder $data: name another one with HUDDLE_DATA=DIR."
    fi
    [ ! -s "$demo" ] || return 0
    note "Making the demo family …"
    # Written aside and renamed: a token file is whole or not there.
    (umask 077 && "$huddled" demo --data "$data" --json >"$demo.new") ||
        stop "The demo family could not be made in $data: see the line above, or name another folder with HUDDLE_DATA=DIR."
    mv "$demo.new" "$demo"
    is_new=yes
}

# add_document PROFILE: gives a new demo family its first document, made from its own results.
add_document() {
    local athlete folder
    athlete=$(awk -F'\t' '$2 == "athlete" && !found++ { print $3 }' <<<"$seats")
    [ -n "$is_new" ] && [ -n "$athlete" ] || return 0
    folder=$(mktemp -d)
    if "$huddle" --profile "$1" export metrics --athlete "$athlete" --csv --output "$folder/Results.csv" >/dev/null 2>&1; then
        "$huddle" --profile "$1" docs upload "$folder/Results.csv" --type stats_sheet --title "Results of $athlete" --athlete "$athlete" >/dev/null 2>&1 || true
    fi
    rm -rf "$folder"
}

if ! is_built; then
    [ -w "$root" ] || stop "No permission to write to $root, where the build goes: give it to this user, or clone Huddle to a folder of your own."
    find_swift
    need_packages "${build_packages[@]}"
    build_programs
fi

if find_server; then
    if [ "$huddled" -nt "$running" ]; then
        note "Restarting the server with the new build …"
        stop_server
        pid=''
    elif ! on_terminal; then
        stop "A server with this data folder runs already at $address: stop it with kill $pid, then run this again."
    fi
else
    pid=''
fi

if [ -z "$pid" ]; then
    if answers "$(reach "$listen")"; then
        stop "Another program listens at $listen already: stop it, or choose another port, for example HUDDLE_LISTEN=127.0.0.1:8788 $(printf %q "$0")"
    fi
    prepare_data
    address=$listen
    if ! on_terminal; then
        # Said when one can connect: by a process of its own, because this one becomes the server.
        (
            if wait_until_ready "$(reach "$listen")" $$; then
                sign_in "$(reach "$listen")"
                IFS=$'\t' read -r profile name < <(first_parent) || true
                [ -z "${profile:-}" ] || browser_line "$profile" "$name" "$(reach "$listen")"
                printf 'Huddle serves at ws://%s; start a client with one of these lines:\n%s\n' "$(reach "$listen")" "$(sign_in_lines)"
            fi &
        )
        printf '%s %s\n' $$ "$listen" >"$running"
        exec "$huddled" serve --data "$data" --listen "$listen"
    fi
    setsid "$huddled" serve --data "$data" --listen "$listen" </dev/null >>"$data/huddled.log" 2>&1 &
    pid=$!
    printf '%s %s\n' "$pid" "$listen" >"$running"
    wait_until_ready "$(reach "$listen")" "$pid" || {
        tail -n 5 "$data/huddled.log" >&2
        stop "The server did not start; its log is $data/huddled.log."
    }
elif [ "$address" != "$listen" ] && [ -n "${HUDDLE_LISTEN:-}" ]; then
    note "The server of this data folder runs at $address; to move it, stop it first: kill $pid"
fi

printf 'Huddle serves at ws://%s (process %s, log %s).\nTo stop it: kill %s\n\n' "$(reach "$address")" "$pid" "$data/huddled.log" "$pid"
sign_in "$(reach "$address")"
printf 'Join from a second terminal as another member of the family:\n%s\n\n' "$(sign_in_lines)"
IFS=$'\t' read -r profile name < <(first_parent) || true
[ -n "${profile:-}" ] || stop "$demo names no parent with a token: move the folder $data away, then run this again."
[ "$profile" != - ] || stop "$name is not signed in, for the reason above. Fix it, then run this again."
add_document "$profile"
browser_line "$profile" "$name" "$(reach "$address")"
# The client takes the whole screen: who wants one of these lines in another terminal takes it now.
read -r -p "Copy one of them if you like. Enter opens the client here as $name, Ctrl-D does not: " _ || { echo; exit 0; }
exec "$huddle" --profile "$profile"
