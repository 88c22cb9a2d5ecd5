#!/usr/bin/env python3
"""The cost of armed reminders, and how fast many reach their members.

  .build/venv/bin/python Tools/bench/reminders.py [--programs .build/release] [--armed 1000000] [--fired 10000] [--part armed|fired]

armed  A server starts, writes messages, and moves and renames an event: with nothing armed, and with that many reminders armed for later. Reports the start (median
       of five), the memory after it, and the processor time of the server per message, move and rename. Bounds: 100 ms, 64 MiB, 10 % more per move and message.
fired  20 families of five members are in their rooms. That many reminders become due in one minute, at lead times of the members' own, while a member of another
       family sends 50 messages per second. Reports when the last reminder is on the wire, and the p99 of the acks before and during it. Bounds: 10 s, twice.

Exits with 1 if a bound is exceeded. Send load to this machine only. Needs websockets (Tests/Python/requirements.txt).
"""
import argparse
import asyncio
import datetime
import json
import os
import resource
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time
import uuid

import websockets

FAMILIES, MEMBERS = 20, 5
LATER = 4_102_444_800_000
TICK = os.sysconf("SC_CLK_TCK")


def token(family, member=0):
    return f"{family:039d}{member:04d}"


def new():
    return str(uuid.uuid4())


def rule_of(member):
    """The id of a member's rule (proto/protocol.md): the version digit and the last twelve are turned around."""
    turned = "".join(f"{15 - int(digit, 16):x}" for digit in member[24:])
    return member[:14] + f"{15 - int(member[14], 16):x}" + member[15:24] + turned


class Server:
    def __init__(self, programs, data):
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            [f"{programs}/huddled", "serve", "--data", data, "--listen", "127.0.0.1:0", "--mutations-per-second", "0", "--log-level", "error", "--family-history", "20G"],
            stdout=subprocess.PIPE, text=True)
        address = self.process.stdout.readline()
        self.start = (time.perf_counter() - begin) * 1000
        self.url = f"ws://127.0.0.1:{address.rsplit('/ws', 1)[0].rsplit(':', 1)[1]}/ws"

    def cpu(self):
        """Milliseconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / TICK

    def memory(self):
        """MiB that the process has for itself."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(("RssAnon", "RssShmem"))) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class Session:
    """One connection in the room of the only family of its member."""

    async def open(self, url, secret):
        self.socket = await websockets.connect(url, subprotocols=["huddle.v1"], max_size=None, compression=None, ping_interval=None)
        await self.socket.send(json.dumps({"type": "sign_in", "token": secret}))
        membership = json.loads(await self.socket.recv())["memberships"][0]
        self.member, self.last, self.waiting, self.reminders = membership["member"], 0, {}, []
        await self.socket.send(json.dumps({"type": "join", "family": membership["family"], "client": new(), "quiet": True}))
        while (frame := json.loads(await self.socket.recv()))["type"] != "live":
            if frame["type"] == "error":
                raise SystemExit(f"reminders.py: {frame['message']}")
        self.reader = asyncio.create_task(self.read())
        return self

    async def read(self):
        try:
            async for text in self.socket:
                frame = json.loads(text)
                if frame["type"] == "reminder":
                    self.reminders.append(time.time())
                elif waiting := self.waiting.pop(frame.get("mutation"), None) if frame["type"] in ("ack", "reject") else None:
                    waiting.set_result(frame)
        except websockets.ConnectionClosed:
            pass

    async def mutate(self, *operations):
        self.last += 1
        answer = self.waiting[self.last] = asyncio.get_running_loop().create_future()
        await self.socket.send(json.dumps({"type": "mutate", "mutation": self.last, "operations": list(operations)}))
        frame = await answer
        if frame["type"] == "reject":
            raise SystemExit(f"reminders.py: {frame['message']}")
        return frame


def create(kind, **fields):
    return {"op": "create", "kind": kind, "id": new(), "fields": fields}


# MARK: Armed


async def work(server, count):
    """Processor time in microseconds for one message, one move and one rename of a trip item."""
    session = await Session().open(server.url, token(0))
    trip = create("trip", name="Tour", start_date="2027-01-01")
    item = create("trip_item", trip_id=trip["id"], title="Bus", start_time="2027-01-02T10:00", end_time="2027-01-02T11:00")
    await session.mutate(trip, item)
    version = 1

    async def message(_):
        await session.mutate(create("message", text="On our way"))

    async def change(**fields):
        nonlocal version
        await session.mutate({"op": "update", "kind": "trip_item", "id": item["id"], "base": version, "fields": fields})
        version += 1

    async def move(number):
        await change(start_time=f"2027-01-02T10:{number % 58 + 1:02}")

    async def rename(number):
        await change(title=f"Bus {number}")

    costs = {}
    for name, act in [("message", message), ("move", move), ("rename", rename)]:
        before = server.cpu()
        for number in range(count):
            await act(number)
        costs[name] = (server.cpu() - before) * 1000 / count
    await session.socket.close()
    return costs


def armed(wanted, folder):
    data = f"{folder}/data"
    subprocess.run([f"{wanted.programs}/loadgen", "seed", "--data", data, "--families", "2", "--members", "2"], check=True, stdout=subprocess.DEVNULL)

    def measure(name):
        starts, server = [], None
        for _ in range(5):
            if server:
                server.stop()
            server = Server(wanted.programs, data)
            starts.append(server.start)
        memory = server.memory()
        costs = asyncio.run(work(server, wanted.acts))
        server.stop()
        start = statistics.median(starts)
        print(f"{name}: start {start:.0f} ms, memory {memory:.1f} MiB; processor time per message {costs['message']:.0f} us, move {costs['move']:.0f} us, "
              f"rename {costs['rename']:.0f} us; load {os.getloadavg()[0]:.1f}", flush=True)
        return start, memory, costs

    # The first start arms what is there, and everything is in the page cache afterwards.
    Server(wanted.programs, data).stop()
    none = measure("nothing armed")
    [database] = [os.path.join(base, name) for base, _, names in os.walk(data) for name in names if name == "huddle.db"]
    with sqlite3.connect(database) as connection:
        connection.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1) "
            "INSERT INTO reminders (family, item, lead, start, due) SELECT 2, randomblob(16), 30, ?2 + n + 1800000, ?2 + n FROM numbers", (wanted.armed, LATER))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    many = measure(f"{wanted.armed} armed")
    found = []
    if many[0] - none[0] > 100:
        found.append(f"the start takes {many[0] - none[0]:.0f} ms longer")
    if many[1] > 64:
        found.append(f"the server has {many[1]:.1f} MiB")
    for act in ("message", "move"):
        if many[2][act] > none[2][act] * 1.1:
            found.append(f"a {act} costs {many[2][act] / none[2][act]:.2f} times as much")
    return found


# MARK: Fired


async def talk(session, end):
    """Milliseconds from each message to its ack, 50 messages per second."""
    times = []
    while time.time() < end:
        begin = time.perf_counter()
        await session.mutate(create("message", text="On our way"))
        times.append((time.perf_counter() - begin) * 1000)
        await asyncio.sleep(max(0, 0.02 - (time.perf_counter() - begin)))
    return times


def p99(times):
    return sorted(times)[int(len(times) * 0.99)]


async def fire(wanted, server):
    rooms = [[await Session().open(server.url, token(family, member)) for member in range(MEMBERS)] for family in range(FAMILIES)]
    talker = await Session().open(server.url, token(FAMILIES))
    each = -(-wanted.fired // (FAMILIES * MEMBERS))
    # A minute that leaves time to prepare, and to measure before it.
    due = (int(time.time()) // 60 + 2) * 60
    day = datetime.datetime.fromtimestamp(due, datetime.timezone.utc).date() + datetime.timedelta(days=1)
    midnight = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc).timestamp()
    for room in rooms:
        for member in room:
            await member.mutate({"op": "create", "kind": "reminder_rule", "id": rule_of(member.member), "fields": {"leads": {"all_day": [int(midnight - due) // 60]}}})
        items = each
        while items > 0:
            trip = create("trip", name="Tour", start_date=str(day), time_zone="UTC")
            part = min(items, 99)
            await room[0].mutate(trip, *[create("trip_item", trip_id=trip["id"], title=f"Item {number}", start_time=f"{day}T10:00") for number in range(part)])
            items -= part
    if time.time() > due - 25:
        raise SystemExit("reminders.py: the machine is too slow to prepare within a minute; take fewer reminders")
    before = await talk(talker, due - 3)
    during = asyncio.create_task(talk(talker, due + 15))
    total = each * FAMILIES * MEMBERS
    sessions = [session for room in rooms for session in room]
    while sum(len(session.reminders) for session in sessions) < total and time.time() < due + 60:
        await asyncio.sleep(0.05)
    times = sorted(at - due for session in sessions for at in session.reminders)
    acks = await during
    if len(times) < total:
        raise SystemExit(f"reminders.py: {len(times)} of {total} reminders came within a minute")
    print(f"{total} reminders: first after {times[0]:.2f} s, last after {times[-1]:.2f} s; acks p99 {p99(before):.2f} ms before, {p99(acks):.2f} ms during; "
          f"load {os.getloadavg()[0]:.1f}", flush=True)
    found = []
    if times[-1] > 10:
        found.append(f"the last reminder is on the wire after {times[-1]:.1f} s")
    if p99(acks) > 2 * p99(before):
        found.append(f"the acks' p99 grows {p99(acks) / p99(before):.1f}-fold")
    for session in [*sessions, talker]:
        await session.socket.close()
    return found


def fired(wanted, folder):
    data = f"{folder}/data"
    subprocess.run([f"{wanted.programs}/loadgen", "seed", "--data", data, "--families", str(FAMILIES + 1), "--members", str(MEMBERS)], check=True, stdout=subprocess.DEVNULL)
    server = Server(wanted.programs, data)
    try:
        return asyncio.run(fire(wanted, server))
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--armed", type=int, default=1_000_000)
    parser.add_argument("--acts", type=int, default=3_000)
    parser.add_argument("--fired", type=int, default=10_000)
    parser.add_argument("--part", choices=["armed", "fired"])
    wanted = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = []
    for part in (armed, fired):
        if wanted.part in (None, part.__name__):
            folder = tempfile.mkdtemp(prefix="huddle-reminders-")
            try:
                found += part(wanted, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    if found:
        raise SystemExit("reminders.py: " + "; ".join(found))


if __name__ == "__main__":
    main()
