#!/usr/bin/env bash
# A whole game in front of you: one node hosts, another joins, a third watches, and every
# record is verified afterwards. Separate homes; no broker is configured, so the host starts
# the one that ataxxd brings along. `make demo` runs this, and so can you.
set -euo pipefail
set -m # each background job is a process group of its own, so that it can be stopped whole

game="demo-$$"
work=$(mktemp -d)

# as NAME COMMAND...: the node of that name, with a home of its own
as() { ATAXXD_HOME="$work/$1" ataxxd "${@:2}" </dev/null; }

# Nothing is left behind, whatever happens; and it never takes more than a quarter of an hour.
stop() {
  for group in $(jobs -p); do kill -KILL -- "-$group" 2>/dev/null || true; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM
(sleep 900 && echo "The demo took more than a quarter of an hour; stopping it." >&2 && kill $$) &

# appears FILE TEXT PID: wait until the file holds the text, or the process that should write it has gone
appears() {
  until grep -q "$2" "$1" 2>/dev/null; do
    kill -0 "$3" 2>/dev/null || { cat "$1" >&2; return 1; }
    sleep 0.1
  done
}

echo "\$ ataxxd host $game --auto"
as host host "$game" --auto --transcript "$work/host.json" >"$work/host.log" 2>&1 &
host=$!
appears "$work/host.log" "$game" $host

echo "\$ ataxxd watch $game"
as watcher watch "$game" --transcript "$work/watch.json" &
watcher=$!

echo "\$ ataxxd join $game --auto"
as guest join "$game" --auto --transcript "$work/guest.json" >"$work/guest.log" 2>&1 &
guest=$!

wait $watcher
wait $guest || { cat "$work/guest.log" >&2; exit 1; }
wait $host || { cat "$work/host.log" >&2; exit 1; }

cmp "$work/host.json" "$work/guest.json"
cmp "$work/host.json" "$work/watch.json"
echo "Host, guest and spectator hold the same record, byte for byte."

for record in host guest watch; do
  echo "\$ ataxxd verify $record.json"
  as judge verify "$work/$record.json"
done
