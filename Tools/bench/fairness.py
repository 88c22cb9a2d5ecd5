#!/usr/bin/env python3
"""How long one family waits while another uses the server at all its limits (guarantees, "fair").

  .build/venv/bin/python Tools/bench/fairness.py .build/release/huddled [SECONDS] [--slow] [--stall] [--before HUDDLED]

Starts a server in a temporary folder with two families. One member of the first makes mutations, lists and joins, each in a
closed loop: alone, then beside the other family at all its limits at the same time, then alone again. Eight sessions of that
family send the worst frames of each kind as fast as the server reads, more connections join and leave without a pause, and
uploads of 4 MB begin again and again. Prints p50 and p99 in milliseconds, and what was refused beyond the limits of a family.
Exits with 1 if the p99 of an ack beside the other family is more than twice the larger one alone plus 5 ms, or that of a
join or list more than three times the larger one alone.

  --before HUDDLED  measures another build first, in the same run
  --slow   each sync of the disk takes 4 ms more, in all three parts
  --stall  no sync returns for 10 s of the part beside the other family. Lists and joins must keep their bounds during that time, and
           mutations must be answered when the stall ends, within their own bound. At least 20 s are needed.

Needs websockets (Tests/Python/requirements.txt), and a C compiler for a disk that is slow.
"""
import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

import websockets

SESSIONS = 8
# Connections that join and leave, and uploads at the same time: what one member may have, less those of SESSIONS.
JOINING = 20
UPLOADING = 8
UPLOAD = 4 << 20
STALL = 10
LONG = "€" * 9_990
# As many as an object may have, but a few.
KEYS = {f"k{number}": number for number in range(250)}


def new():
    return str(uuid.uuid4())


class Session:
    """One connection that has joined the only family of its member."""

    async def open(self, url, token):
        self.socket = await websockets.connect(url, subprotocols=["huddle.v1"], max_size=None, compression=None, ping_interval=None)
        await self.send(type="sign_in", token=token)
        welcome = json.loads(await self.socket.recv())
        self.last, self.waiting, self.answers = 0, {}, {}
        start = time.perf_counter()
        await self.send(type="join", family=welcome["memberships"][0]["family"], client=new(), quiet=True)
        while (frame := json.loads(await self.socket.recv()))["type"] != "live":
            if frame["type"] == "error":
                raise RuntimeError(frame["message"])
        self.join_time = time.perf_counter() - start
        self.reader = asyncio.create_task(self.read())
        return self

    async def send(self, **frame):
        await self.socket.send(json.dumps(frame))

    async def read(self):
        try:
            async for text in self.socket:
                frame = json.loads(text)
                word = frame["type"] + (" " + frame["code"] if "code" in frame else "")
                self.answers[word] = self.answers.get(word, 0) + 1
                number = frame.get("mutation") if frame["type"] in ("ack", "reject") else frame.get("request")
                if waiting := self.waiting.pop(number, None):
                    waiting.set_result(frame)
        except websockets.ConnectionClosed:
            pass

    async def ask(self, **frame):
        """Sends a mutation or a request and returns its answer."""
        self.last += 1
        frame["mutation" if frame["type"] == "mutate" else "request"] = self.last
        self.waiting[self.last] = asyncio.get_running_loop().create_future()
        answer = self.waiting[self.last]
        await self.send(**frame)
        return await answer

    async def mutate(self, *operations):
        while (answer := await self.ask(type="mutate", operations=list(operations)))["type"] == "reject":
            if not answer["retry"]:
                raise RuntimeError(answer["message"])
            await asyncio.sleep(answer["retry_after"] / 1000)
        return answer


def create(kind, **fields):
    return {"op": "create", "kind": kind, "id": new(), "fields": fields}


async def prepare(url, token, athlete):
    """Gives the attacking family a trip of the greatest size, long changes to undo, and messages."""
    session = await Session().open(url, token)
    trip = create("trip", name="Tour", start_date="2026-07-01", end_date="2026-07-09")
    await session.mutate(trip)
    # 26 texts of 30 KB are what `related_octets` allows.
    for number in range(25):
        start = f"2026-07-02T{number % 24:02}:{number // 24:02}"
        await session.mutate(create("trip_item", trip_id=trip["id"], title="Item", category="activity", start_time=start, description=LONG))
    event = create("event", type="camp", name="Fall", start_date="2026-12-05", description=LONG)
    event["athlete"] = athlete
    await session.mutate(event)
    changes = []
    for base in range(1, 101):
        operation = {"op": "update", "kind": "event", "id": event["id"], "base": base, "fields": {"description": LONG[:-1] + chr(97 + base % 26)}}
        changes.append((await session.mutate(operation))["seq"])
    for _ in range(30):
        await session.mutate(*[create("message", text="x" * 3_900) for _ in range(60)])
    await session.socket.close()
    return trip["id"], changes


async def attack(url, token, trip, changes, end, answers, seed):
    """Sends the worst frames without waiting for answers."""
    choice = random.Random(seed)
    while time.time() < end:
        try:
            session = await Session().open(url, token)
            while time.time() < end and not session.reader.done():
                session.last += 1
                mutation = {"type": "mutate", "mutation": session.last}
                question = {"request": session.last}
                await session.send(**choice.choice([
                    mutation | {"operations": [{"op": "copy", "kind": "trip", "id": new(), "from": trip, "days": 7}]},
                    mutation | {"operations": [{"op": "shift", "kind": "trip", "id": trip, "base": 1, "days": 1}]},
                    mutation | {"undo": choice.choice(changes)},
                    mutation | {"operations": [create("message", text="y" * 3_900) for _ in range(60)]},
                    mutation | {"operations": [create(
                        "trip_item", trip_id=trip, title="Keys", category="activity", start_time="2026-07-03T10:00", source_data=KEYS)]},
                    question | {"type": "digest", "after": 0},
                    question | {"type": "list", "kind": "message", "search": "zz", "limit": 200},
                    question | {"type": "history", "limit": 200},
                ]))
                await asyncio.sleep(0.001)
            for word, count in session.answers.items():
                answers[word] = answers.get(word, 0) + count
            await session.socket.close()
        except (OSError, RuntimeError, websockets.WebSocketException):
            await asyncio.sleep(0.1)


async def crowd(url, token, end, answers):
    """Joins with the whole snapshot and leaves, without a pause."""
    while time.time() < end:
        try:
            session = await Session().open(url, token)
            await session.socket.close()
            word = "joined"
        except (OSError, RuntimeError, websockets.WebSocketException) as error:
            word = f"not joined: {error.rcvd.code}" if getattr(error, "rcvd", None) else "not joined: " + type(error).__name__
            await asyncio.sleep(0.05)
        answers[word] = answers.get(word, 0) + 1


def upload(url, token, athlete, end, answers, seed):
    """Uploads files of their own content, one after the other; on a thread."""
    import base64
    import http.client
    choice = random.Random(seed)
    address = urllib.parse.urlsplit(url).netloc
    coded = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in {
        "family": answers["family"], "athlete": athlete, "type": "transcript", "title": "Load", "filename": "load.pdf"}.items())
    while time.time() < end:
        try:
            connection = http.client.HTTPConnection(address, timeout=30)
            fields = {"Authorization": f"Bearer {token}", "Tus-Resumable": "1.0.0"}
            connection.request("POST", "/files", headers=fields | {"Upload-Length": str(UPLOAD), "Upload-Metadata": coded})
            reply = connection.getresponse()
            reply.read()
            if reply.status == 201:
                fields |= {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
                connection.request("PATCH", reply.headers["Location"], b"%PDF-1.7" + choice.randbytes(UPLOAD - 8), fields)
                reply = connection.getresponse()
                reply.read()
            word = f"upload {reply.status}"
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            word = "upload: " + type(error).__name__
            time.sleep(0.1)
        answers[word] = answers.get(word, 0) + 1


async def measure(url, token, seconds):
    """For ack, list and join, the moments at which each was asked for and answered."""
    session, times = await Session().open(url, token), {"ack": [], "list": [], "join": []}
    end = time.perf_counter() + seconds

    async def ack():
        start = time.perf_counter()
        await session.mutate(create("message", text="Hi"))
        return start, time.perf_counter()

    async def list_once():
        start = time.perf_counter()
        if (answer := await session.ask(type="list", kind="school", limit=50))["type"] != "page":
            raise RuntimeError(answer["message"])
        return start, time.perf_counter()

    async def join():
        other = await Session().open(url, token)
        start = time.perf_counter() - other.join_time
        await other.socket.close()
        return start, start + other.join_time

    async def repeat(once, times, pause):
        while time.perf_counter() < end:
            times.append(await once())
            await asyncio.sleep(pause)

    await asyncio.gather(repeat(ack, times["ack"], 0.02), repeat(list_once, times["list"], 0.04), repeat(join, times["join"], 0.1))
    await session.socket.close()
    return times


def part(times, share):
    return sorted(end - start for start, end in times)[min(len(times) - 1, int(len(times) * share))] * 1000


def show(name, times):
    words = (f"{what} {part(all, 0.5):.1f} / {part(all, 0.99):.1f} ({len(all)})" for what, all in times.items() if all)
    print(f"{name:12} p50 / p99 ms (count): " + ", ".join(words), flush=True)


class Disk:
    """The disk of the server, which can be slow (`slow_disk.c`)."""

    def __init__(self, folder):
        self.folder, source = folder, os.path.join(os.path.dirname(os.path.abspath(__file__)), "slow_disk.c")
        library = os.path.join(folder, "slow_disk.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.environment = os.environ | {"LD_PRELOAD": library, "HUDDLE_SLOW_DISK": folder}

    def set(self, name, is_on):
        path = os.path.join(self.folder, name)
        open(path, "w").close() if is_on else os.remove(path)

    async def stall(self, after):
        """Stalls for `STALL` seconds; returns the moments of its begin and its end."""
        await asyncio.sleep(after)
        self.set("stall", True)
        start = time.perf_counter()
        await asyncio.sleep(STALL)
        self.set("stall", False)
        return start, time.perf_counter()


async def run(url, victim, attacker, family, athlete, seconds, stalling):
    trip, changes = await prepare(url, attacker, athlete)
    session = await Session().open(url, victim)
    for number in range(100):
        await session.mutate(create("school", name=f"School {number}"))
    await session.socket.close()
    # The families' shares that the preparation used are full again.
    await asyncio.sleep(6)
    before = await measure(url, victim, seconds)
    show("alone", before)
    # A process of its own with a lower priority, so that its work is not in the times.
    words = [sys.executable, __file__, "--attack", json.dumps([url, attacker, trip, changes, family, athlete, seconds + 6])]
    other = await asyncio.create_subprocess_exec(*words)
    await asyncio.sleep(3)
    stall = asyncio.create_task(stalling.stall(seconds / 4)) if stalling else None
    beside = await measure(url, victim, seconds)
    asked = beside
    if stalling:
        begin, end = await stall
        # Also those that waited when it began.
        inside = {what: [(a, b) for a, b in all if b > begin and a < end] for what, all in beside.items()}
        asked = {what: [(a, b) for a, b in all if b <= begin or a >= end] for what, all in beside.items()}
        show("stalled", inside)
    show("beside", asked)
    await other.wait()
    after = await measure(url, victim, seconds)
    show("alone again", after)
    usual = {what: max(part(before[what], 0.99), part(after[what], 0.99)) for what in beside}
    bounds = {what: 2 * each + 5 if what == "ack" else 3 * each for what, each in usual.items()}
    late = [what for what in beside if part(asked[what], 0.99) > bounds[what]]
    if stalling:
        late += [f"{what} during the stall" for what in ("list", "join") if part(inside[what], 0.99) > bounds[what]]
        wait = max(b for _, b in inside["ack"]) - end
        print(f"the last ack of the stall came {wait * 1000:.1f} ms after its end", flush=True)
        if wait * 1000 > bounds["ack"]:
            late.append("ack after the stall")
    print("held" if not late else f"NOT held: {', '.join(late)}", {what: round(bound, 1) for what, bound in bounds.items()})
    return 1 if late else 0


async def attack_all(url, token, trip, changes, family, athlete, seconds):
    os.nice(10)
    answers, end = {}, time.time() + seconds
    uploads = [{"family": family} for _ in range(UPLOADING)]
    await asyncio.gather(
        *[attack(url, token, trip, changes, end, answers, seed) for seed in range(SESSIONS)], *[crowd(url, token, end, answers) for _ in range(JOINING)],
        *[asyncio.to_thread(upload, url, token, athlete, end, own, seed) for seed, own in enumerate(uploads)])
    for own in uploads:
        for word, count in own.items():
            if word != "family":
                answers[word] = answers.get(word, 0) + count
    print("the other family got:", ", ".join(f"{count} {word}" for word, count in sorted(answers.items())), flush=True)


def main():
    if sys.argv[1:2] == ["--attack"]:
        return asyncio.run(attack_all(*json.loads(sys.argv[2])))
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("huddled")
    parser.add_argument("seconds", nargs="?", type=float, default=20)
    parser.add_argument("--before")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--stall", action="store_true")
    options = parser.parse_args()
    if options.stall and options.seconds < 2 * STALL:
        parser.error(f"--stall needs at least {2 * STALL} seconds")

    if options.before:
        print(options.before, flush=True)
        try_build(options.before, options)
        print(options.huddled, flush=True)
    return try_build(options.huddled, options)


def refusals(path):
    """The refusals beyond the limits of a family, from `/metrics`."""
    import socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(path)
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        page = b"".join(iter(lambda: client.recv(65_536), b"")).decode()
    lines = [line.split() for line in page.splitlines() if line.startswith("huddle_quota_refusals_total{")]
    return ", ".join(name.split('"')[1] + f" {float(count):.0f}" for name, count in lines) or "nothing is counted by this build"


def try_build(huddled, options):
    """Measures one build in folders of its own."""
    def command(*words):
        done = subprocess.run([huddled, *words, "--data", data, "--json"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout.splitlines()[0])

    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as folder:
        attacker = command("init", "--family", "Attackers", "--zone", "UTC", "--parent", "Pat")
        victim = command("init", "--family", "Others", "--zone", "UTC", "--parent", "Ana")
        athlete = command(
            "invite", "--family", attacker["family"], "--name", "Leo", "--role", "athlete", "--born", "2010-05-05", "--by", attacker["member"])
        disk = Disk(folder) if options.slow or options.stall else None
        if options.slow:
            disk.set("slow", True)
        server = subprocess.Popen(
            [huddled, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics", folder + "/metrics"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=disk.environment if disk else None)
        try:
            while "ws://" not in (line := server.stdout.readline()):
                if not line:
                    sys.exit("The server ended.")
            url = line.split()[-1]
            status = asyncio.run(run(
                url, victim["token"], attacker["token"], attacker["family"], athlete["member"], options.seconds, disk if options.stall else None))
            print("refused beyond a family's limits:", refusals(folder + "/metrics"), flush=True)
            return status
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
