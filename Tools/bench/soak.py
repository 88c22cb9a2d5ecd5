#!/usr/bin/env python3
"""Whether a server stays as it is: a week of traffic of 50 families in 20 minutes.

  .build/venv/bin/python Tools/bench/soak.py .build/release/huddled [--minutes 20] [--families 50] [--json FILE]

Starts a server in a temporary folder. One device of each family stays connected; three others come and go, six times each per day of the week: they
resume from their cursors, make changes, ask for lists, figures, history and a digest, and leave, some of them by cutting the connection. Each family
uploads and downloads a file per day. /metrics is read every five seconds throughout.

The first three twentieths of the time are for warming up. After that resident memory, descriptors, threads and the write-ahead log have to stay flat:
the largest values of the last third are compared with those of the first third. At the end every device that stayed has every change of its family in
order, the counters agree with what the clients did, and `huddled check --deep` finds nothing. Exits with 1 if anything of that is not so.

Needs websockets (Tests/Python/requirements.txt).
"""
import argparse
import asyncio
import base64
import http.client
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import websockets

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fairness import Session, create, new  # noqa: E402

VISITORS, VISITS_PER_DAY, DAYS, FILE = 3, 6, 7, 300_000
# The increase that is allowed in the last third.
MEMORY, DESCRIPTORS, WAL = 8 << 20, 20, 64 << 20


class Page(http.client.HTTPConnection):
    """A request at a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def scrape(path):
    """Every series of the page, and how long it took."""
    start = time.perf_counter()
    page = Page(path)
    page.request("GET", "/metrics")
    text = page.getresponse().read().decode()
    page.close()
    took = time.perf_counter() - start
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}, took


class Family:
    def __init__(self, program, folder, number):
        def run(*words):
            return json.loads(subprocess.run([program, words[0], "--data", folder, "--json", *words[1:]], check=True, capture_output=True).stdout)
        made = run("init", "--family", f"Family {number}", "--zone", "America/New_York", "--parent", f"Parent {number}")
        self.id, self.token = made["family"], made["token"]
        athlete = run("invite", "--family", self.id, "--name", f"Athlete {number}", "--role", "athlete", "--born", "2009-03-04", "--by", made["member"])
        self.athlete = athlete["member"]
        self.made, self.events = 0, []


class Device(Session):
    """A connection that resumes, and keeps count of the changes."""

    def __init__(self, family):
        self.family, self.client, self.cursor, self.seen, self.last = family, new(), None, 0, 0

    async def come(self, url):
        self.socket = await websockets.connect(url, subprotocols=["huddle.v1"], max_size=None, compression=random.choice([None, "deflate"]), ping_interval=None)
        await self.send(type="sign_in", token=self.family.token)
        assert json.loads(await self.socket.recv())["type"] == "welcome"
        self.waiting, self.answers = {}, {}
        join = {"type": "join", "family": self.family.id, "client": self.client}
        await self.send(**join, **({"cursor": self.cursor} if self.cursor else {}))
        while (frame := json.loads(await self.socket.recv()))["type"] != "live":
            assert frame["type"] != "error", frame
            self.take(frame)
        self.reader = asyncio.create_task(self.read())
        return self

    def take(self, frame):
        if frame["type"] == "joined":
            self.epoch = frame["epoch"]
        elif frame["type"] == "snapshot":
            self.cursor = {"epoch": self.epoch, "seq": frame["seq"]}
        elif frame["type"] == "change":
            if self.cursor:
                assert frame["seq"] == self.cursor["seq"] + 1, ("a gap", frame["seq"], self.cursor)
            self.cursor = {"epoch": self.epoch, "seq": frame["seq"]}
            self.seen += 1

    async def read(self):
        try:
            async for text in self.socket:
                frame = json.loads(text)
                self.take(frame)
                number = frame.get("mutation") if frame["type"] in ("ack", "reject") else frame.get("request")
                if waiting := self.waiting.pop(number, None):
                    waiting.set_result(frame)
        except websockets.ConnectionClosed:
            pass

    async def go(self):
        if random.random() < 0.2:
            self.socket.transport.abort()
        else:
            await self.socket.close()
        await self.reader


async def visit(device, url, totals):
    """The acts of a person who opens the client for a moment."""
    await device.come(url)
    family = device.family
    for _ in range(random.randint(1, 5)):
        if family.events and random.random() < 0.4:
            event = random.choice(family.events)
            answer = await device.ask(type="mutate", operations=[
                {"op": "update", "merge": "disjoint", "kind": "event", "id": event["id"], "base": event["base"], "fields": {"description": "x" * random.randint(1, 2_000)}}])
            # An update that changes nothing names no record.
            if answer["type"] == "ack" and answer["records"]:
                event["base"] = answer["records"][0]["version"]
        elif random.random() < 0.3:
            event = create("event", type="camp", name=f"Camp {random.randint(1, 999)}", start_date="2027-03-05")
            event["athlete"] = family.athlete
            answer = await device.ask(type="mutate", operations=[event])
            family.events.append({"id": event["id"], "base": 1})
        else:
            answer = await device.ask(type="mutate", operations=[create("message", text="Hello " * random.randint(1, 40))])
        word = answer["type"] + (" " + answer["code"] if "code" in answer else "")
        totals[word] = totals.get(word, 0) + 1
        if answer.get("seq"):
            family.made += 1
    for frame in random.sample([
            {"type": "list", "kind": "event", "limit": 50}, {"type": "list", "kind": "message", "search": "hello", "limit": 50}, {"type": "history", "limit": 50},
            {"type": "digest", "after": 0}], 2):
        await device.ask(**frame)
    await device.go()


def transfer(address, family, totals):
    """A file up and down."""
    content = b"%PDF-1.4\n" + os.urandom(FILE)
    values = {"family": family.id, "athlete": family.athlete, "type": "transcript", "title": "Week", "filename": "a.pdf"}
    metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())
    link = http.client.HTTPConnection(*address, timeout=60)
    fields = {"Authorization": f"Bearer {family.token}", "Tus-Resumable": "1.0.0", "Upload-Length": str(len(content)), "Upload-Metadata": metadata,
              "Content-Type": "application/offset+octet-stream"}
    link.request("POST", "/files", content, fields)
    answer = link.getresponse()
    answer.read()
    assert answer.status == 201, answer.status
    family.made += 1
    # The record has the id of the upload.
    link.request("GET", "/documents/" + answer.getheader("location").rsplit("/", 1)[1], headers={"Authorization": f"Bearer {family.token}"})
    answer = link.getresponse()
    got = answer.read()
    totals[f"download {answer.status}"] = totals.get(f"download {answer.status}", 0) + 1
    assert answer.status != 200 or got == content
    link.close()


async def soak(arguments, folder, data):
    program = arguments.huddled
    families = [Family(program, data, number) for number in range(arguments.families)]
    page = f"{folder}/metrics.sock"
    server = subprocess.Popen(
        [program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics", page], stdout=subprocess.PIPE, stderr=open(f"{folder}/log", "wb"))
    line = server.stdout.readline().decode()
    address = line.split("ws://")[1].split("/")[0].rsplit(":", 1)
    url, address = f"ws://{address[0]}:{address[1]}/ws", (address[0], int(address[1]))
    length = arguments.minutes * 60
    begun = time.time()
    totals, samples, faults = {}, [], []
    stayed = [await Device(family).come(url) for family in families]

    async def life(family):
        devices = [Device(family) for _ in range(VISITORS)]
        moments = sorted(
            ((random.random() * length, number, device) for number, device in enumerate(devices) for _ in range(VISITS_PER_DAY * DAYS)), key=lambda one: one[:2])
        for moment, _, device in moments:
            await asyncio.sleep(max(0, begun + moment - time.time()))
            await visit(device, url, totals)

    async def files(family):
        for moment in sorted(random.random() * length for _ in range(DAYS)):
            await asyncio.sleep(max(0, begun + moment - time.time()))
            await asyncio.to_thread(transfer, address, family, totals)

    async def watch():
        while time.time() < begun + length:
            figures, took = await asyncio.to_thread(scrape, page)
            samples.append((time.time() - begun, figures, took))
            await asyncio.sleep(5)

    work = [life(family) for family in families] + [files(family) for family in families] + [watch()]
    try:
        await asyncio.gather(*work)
        # The last changes are on their way.
        for device in stayed:
            for _ in range(100):
                if device.seen >= device.family.made:
                    break
                await asyncio.sleep(0.1)
            if device.seen != device.family.made:
                faults.append(f"a device that stayed has seen {device.seen} of {device.family.made} changes")
        last, _ = scrape(page)
        if last["huddle_commit_mutations_sum"] < sum(family.made for family in families):
            faults.append("fewer mutations were counted than were acknowledged")
        if last["huddle_people_connected"] != len(families):
            faults.append(f"{last['huddle_people_connected']:.0f} people are connected, and {len(families)} should be")
    finally:
        server.terminate()
        ending = server.wait(30)
    if ending != 0:
        faults.append(f"the server ended with {ending}")

    warm = [sample for sample in samples if sample[0] >= length * 3 / 20]
    third = max(len(warm) // 3, 1)
    report = {"minutes": arguments.minutes, "families": arguments.families, "totals": totals, "scrapes": len(samples)}
    report["scrape_ms"] = {"median": round(sorted(s[2] for s in samples)[len(samples) // 2] * 1e3, 2), "most": round(max(s[2] for s in samples) * 1e3, 2)}
    for name, room in (("process_resident_memory_bytes", MEMORY), ("process_open_fds", DESCRIPTORS), ("process_threads", 0), ("huddle_wal_bytes", None)):
        first, end = max(s[1][name] for s in warm[:third]), max(s[1][name] for s in warm[-third:])
        report[name] = {"first_third": first, "last_third": end, "series": [int(s[1][name]) for s in samples[::max(len(samples) // 20, 1)]]}
        if end > (max(first, WAL) if room is None else first + room):
            faults.append(f"{name} grew from {first:.0f} to {end:.0f}")
    found = subprocess.run([program, "check", "--data", data, "--deep", "--json"], capture_output=True)
    if found.returncode != 0 or json.loads(found.stdout)["status"] != "agrees":
        faults.append("huddled check --deep found something: " + found.stdout.decode()[:500])
    report["faults"] = faults
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("huddled")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--families", type=int, default=50)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="huddle-soak-")
    try:
        report = asyncio.run(soak(arguments, folder, f"{folder}/data"))
    finally:
        shutil.rmtree(folder)
    text = json.dumps(report, indent=2)
    print(text)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(text + "\n")
    return 1 if report["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
