#!/usr/bin/env python3
"""How long Prometheus waits for the page of figures of a server with many families, and how large the page is.

  Tools/bench/scrape.py [--programs .build/release] [--families 10000] [--scrapes 200]

Fills a folder with that many families, and reads the page over its Unix socket: by turns while nobody is connected and while one member of each family is in its
room. Each reading is a connection of its own, as Prometheus may make it. Exits with 1 if the median beside the connections is above 5 ms, or the page has more
than 500 series.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

from soak import scrape

BOUND_MS = 5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--families", type=int, default=10_000)
    parser.add_argument("--scrapes", type=int, default=200)
    wanted = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    folder = tempfile.mkdtemp(prefix="huddle-scrape-")
    server = idle = None
    try:
        subprocess.run(
            [f"{wanted.programs}/loadgen", "seed", "--data", f"{folder}/data", "--families", str(wanted.families), "--members", "1"], check=True,
            stdout=subprocess.DEVNULL)
        page = f"{folder}/metrics.sock"
        server = subprocess.Popen(
            [f"{wanted.programs}/huddled", "serve", "--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--metrics", page, "--log-level", "error"],
            stdout=subprocess.PIPE, text=True)
        port = int(server.stdout.readline().rsplit("/ws", 1)[0].rsplit(":", 1)[1])

        def measure(name):
            times, series = [], {}
            for _ in range(wanted.scrapes):
                series, took = scrape(page)
                times.append(took * 1000)
            times.sort()
            print(f"{name}: median {statistics.median(times):.2f} ms, p99 {times[int(len(times) * 0.99)]:.2f}, most {times[-1]:.2f}; "
                  f"{len(series)} series, {series['huddle_rooms']:.0f} rooms; load {os.getloadavg()[0]:.1f}", flush=True)
            return statistics.median(times), len(series)

        measure("nobody connected")
        idle = subprocess.Popen(
            [f"{wanted.programs}/loadgen", "idle", "--server", f"127.0.0.1:{port}", "--connections", str(wanted.families), "--members", "1", "--pid", str(server.pid),
             "--hold", "60"], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 300
        while (found := scrape(page)[0]["huddle_rooms"]) < wanted.families:
            if time.monotonic() > deadline or idle.poll() is not None:
                raise SystemExit(f"scrape.py: {found:.0f} of {wanted.families} rooms have a member")
            time.sleep(0.5)
        median, count = measure("one member in each room")
        if median > BOUND_MS or count > 500:
            raise SystemExit(f"scrape.py: {median:.2f} ms and {count} series are more than {BOUND_MS} ms and 500 series")
    finally:
        for process in (idle, server):
            if process:
                process.terminate()
                process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
