#!/usr/bin/env python3
"""The effect of a backup on the people of a server, and the size of a second backup.

  Tools/bench/backup.py [--programs .build/release] [--gigabytes 1] [--files 5] [--rate 500] [--folder DIR] [--json FILE]

Makes a folder with a database and files of that size (it needs three times as much room, and deletes all of it), and starts the server. `loadgen` publishes
messages on schedule in windows of 20 s. Quiet windows and windows beside a backup come by turns:

1. the first backup, which copies everything;
2. a second one into the same folder, which may copy only what is new;
3. one more, with nothing beside it but the schedule, and `huddled check --deep` after it, by turns: a backup that copies no file copies the database and
   verifies the copy, so its time is the verification's and a little more.

Prints p50 and p99 of the acknowledgements of each window, the load average beside it, and the ratios: the largest p99 of a kind against the largest quiet one
beside it, and the time of a backup against that of the check. Exits with 1 if a message is lost, a backup is not verified, or the second one copies a file that
the first one had.
"""
import argparse
import base64
import http.client
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

FAMILIES, FILE, WINDOW = 32, 100 << 20, 20


def token(family, member=0):
    return f"{family:039d}{member:04d}"


def load():
    return os.getloadavg()[0]


class Bench:
    def __init__(self, wanted, folder):
        self.programs, self.rate = wanted.programs, wanted.rate
        self.data, self.copies = f"{folder}/data", f"{folder}/copies"
        subprocess.run([f"{self.programs}/loadgen", "seed", "--data", self.data, "--families", str(FAMILIES), "--members", "2"], check=True, stdout=subprocess.DEVNULL)
        self.server = subprocess.Popen(
            [f"{self.programs}/huddled", "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--mutations-per-second", "0", "--log-level", "error",
             "--family-history", "20G"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.server.stdout.readline().rsplit("/ws", 1)[0].rsplit(":", 1)[1])

    def generate(self, *words):
        ran = subprocess.run(
            [f"{self.programs}/loadgen", "mutate", "--server", f"127.0.0.1:{self.port}", "--families", str(FAMILIES), "--members", "1", *words, "--json"],
            capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"backup.py: loadgen ends with {ran.returncode}: {ran.stdout} {ran.stderr}")
        return json.loads(ran.stdout)

    def window(self):
        return self.generate("--rate", str(self.rate), "--duration", str(WINDOW), "--drain", "30")

    def fill(self, octets):
        """Messages until the database is large enough."""
        path = pathlib.Path(self.data, "huddle.db")
        while path.stat().st_size < octets:
            self.generate("--window", "32", "--size", "4000", "--duration", "20", "--drain", "30")

    def athlete(self, number):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request("GET", "/session", headers={"Authorization": f"Bearer {token(number)}"})
        membership = json.loads(link.getresponse().read())["memberships"][0]
        link.close()
        ran = subprocess.run(
            [f"{self.programs}/huddled", "invite", "--data", self.data, "--family", membership["family"], "--name", "Leo", "--role", "athlete", "--born", "2000-01-01", "--by", membership["member"],
             "--json"],
            capture_output=True, text=True)
        if ran.returncode:
            raise SystemExit(f"backup.py: huddled invite: {ran.stderr}")
        return json.loads(ran.stdout)["member"]

    def upload(self, octets):
        """Files of 100 MiB, each with content of its own."""
        families = [f"00000000-0000-4000-8000-{family:012d}" for family in range(min(FAMILIES, -(-octets // FILE)))]
        athletes = [self.athlete(number) for number in range(len(families))]
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        for number in range(-(-octets // FILE)):
            family = number % len(families)
            values = {"family": families[family], "athlete": athletes[family], "type": "transcript", "title": f"File {number}", "filename": "a.pdf"}
            metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())
            content = b"%PDF-1.4\n" + os.urandom(FILE - 9)
            try:
                link.request("POST", "/files", content, {
                    "Authorization": f"Bearer {token(family)}", "Tus-Resumable": "1.0.0", "Upload-Length": str(len(content)), "Upload-Metadata": metadata,
                    "Content-Type": "application/offset+octet-stream"})
            except BrokenPipeError:
                pass  # It was refused before all of it was sent.
            answer = link.getresponse()
            text = answer.read()
            if answer.status != 201:
                raise SystemExit(f"backup.py: an upload was answered with {answer.status} {text}")

    def backup(self):
        return subprocess.Popen([f"{self.programs}/huddled", "backup", "--data", self.data, self.copies, "--json"], stdout=subprocess.PIPE, text=True)

    def check(self):
        begun = time.monotonic()
        subprocess.run([f"{self.programs}/huddled", "check", "--deep", "--data", self.data], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begun


def report(child):
    text = child.stdout.read()
    if child.wait():
        raise SystemExit(f"backup.py: the backup ends with {child.returncode}")
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--files", type=float, default=5)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--folder")
    parser.add_argument("--json")
    wanted = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="huddle-backup-bench-", dir=wanted.folder)
    bench, kept = None, {"windows": [], "backups": [], "verification": []}
    try:
        bench = Bench(wanted, folder)
        begun = time.monotonic()
        bench.fill(wanted.gigabytes * (1 << 30))
        bench.upload(int(wanted.files * (1 << 30)))
        print(f"database {os.path.getsize(bench.data + '/huddle.db') / (1 << 20):.0f} MiB, files {wanted.files:.1f} GiB, made in {time.monotonic() - begun:.0f} s", flush=True)

        def window(name):
            delays = bench.window()["ack"]
            kept["windows"].append({"beside": name, "p50_ms": delays["p50"] / 1e6, "p99_ms": delays["p99"] / 1e6, "most_ms": delays["max"] / 1e6, "load": load()})
            print(json.dumps(kept["windows"][-1]), flush=True)

        window("nothing")
        for name in ("the first backup", "the second backup"):
            child, begun, windows = bench.backup(), time.monotonic(), 0
            while child.poll() is None and windows < 40:
                window(name)
                windows += 1
            made = report(child)
            made["seconds"] = round(time.monotonic() - begun, 1)
            kept["backups"].append(made)
            print(json.dumps(made), flush=True)
            window("nothing")
        first, second = kept["backups"]
        if second["new_files"]:
            raise SystemExit(f"backup.py: the second backup copied {second['new_files']} files")
        for _ in range(3):
            begun = time.monotonic()
            report(bench.backup())
            took = time.monotonic() - begun
            deep = bench.check()
            kept["verification"].append({"backup_s": round(took, 2), "check_s": round(deep, 2), "ratio": round(took / deep, 2), "load": load()})
            print(json.dumps(kept["verification"][-1]), flush=True)
        quiet = [one["p99_ms"] for one in kept["windows"] if one["beside"] == "nothing"]
        for name in ("the first backup", "the second backup"):
            beside = [one["p99_ms"] for one in kept["windows"] if one["beside"] == name]
            kept[f"p99 beside {name}"] = {
                "median_ms": statistics.median(beside), "quiet_median_ms": statistics.median(quiet), "ratio": round(statistics.median(beside) / statistics.median(quiet), 2)}
            print(name, json.dumps(kept[f"p99 beside {name}"]))
        if wanted.json:
            pathlib.Path(wanted.json).write_text(json.dumps(kept, indent=2))
    finally:
        if bench:
            bench.server.terminate()
            bench.server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
