#!/usr/bin/env python3
"""The cost of a family of ten years: start, join with a snapshot, resume, lists and history of a server on this machine.

    loadgen seed --data /tmp/years --families 1 --members 2 --years 10
    Tools/bench/years.py HUDDLED /tmp/years

HUDDLED is the program, built with -c release. It is started on the folder, asked from outside, and stopped. Prints one line a figure: the
median, the 99th of a hundred, and how often. Standard library alone.
"""
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Python"))
from plain import Plain, Refused  # noqa: E402

TOKEN = "0" * 43  # family 0, member 0 of loadgen seed


def told(name, seconds, note=""):
    seconds = sorted(seconds)
    last = seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))]
    print(f"{name:34} {statistics.median(seconds) * 1000:9.2f} ms   p99 {last * 1000:9.2f} ms   of {len(seconds)}   {note}", flush=True)


def timed(times, what):
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        what()
        spent.append(time.perf_counter() - begin)
    return spent


def main(program, folder):
    def start():
        server = subprocess.Popen([program, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--mutations-per-second", "0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return server, server.stdout.readline().split()[-1]

    def open_and_stop():
        begin = time.perf_counter()
        server, _ = start()
        opened.append(time.perf_counter() - begin)
        server.terminate()
        server.wait()

    opened = []
    for _ in range(5):
        open_and_stop()
    told("start to ready", opened)
    server, url = start()
    try:
        again = []

        def join(cursor=None):
            client = Plain(url, TOKEN, cursor=cursor)
            client.wait(lambda: client.is_live)
            client.close()
            if cursor and client.gathered:
                again.append(client)

        client = Plain(url, TOKEN)
        client.wait(lambda: client.is_live)
        head = client.cursor
        told("join with a snapshot", timed(10, join), f"{len(client.records)} records, sequence {head}")
        told("resume of 1,000 changes", timed(20, lambda: join({"epoch": client.epoch, "seq": head - 1000})),
             "all of it again: the log was trimmed" if again else "")
        asks = {
            "list events, newest first": dict(type="list", kind="event", athlete="all", limit=50),
            "list events, upcoming camps": dict(type="list", kind="event", athlete="all", filter={"type": "camp", "date": "upcoming"}, limit=50),
            "list events, search": dict(type="list", kind="event", athlete="all", search="camp 4", limit=50),
            "list events, by name, counted": dict(type="list", kind="event", athlete="all", sort="name", limit=50, count=True),
            "list metrics of an event": dict(type="list", kind="metric", athlete="all", limit=50, filter={
                "event_id": next((record["id"] for record in client.records.values() if record["kind"] == "event"), "")}),
            "list messages": dict(type="list", kind="message", limit=50),
            "statistics of events": dict(type="statistics", kind="event", athlete="all"),
            "history of the family": dict(type="history", limit=50),
        }
        for name, frame in asks.items():
            try:
                client.ask(**frame)
                told(name, timed(300, lambda: client.ask(**frame)))
            except Refused as refused:
                print(f"{name:34} refused: {refused.args[0]['message']}")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(__doc__) if len(sys.argv) != 3 else main(*sys.argv[1:])
