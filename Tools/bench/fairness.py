#!/usr/bin/env python3
"""How long one family waits while another uses the server at all its limits (guarantees, "fair").

  .build/venv/bin/python Tools/bench/fairness.py .build/release/huddled [SECONDS]

Starts a server in a temporary folder with two families. One member of the first makes a mutation, a list and now and then a
join, in a closed loop: alone, then beside eight sessions of the other family that send the worst frames of each kind as fast
as the server reads, then alone again. Prints p50 and p99 in milliseconds. Exits with 1 if a p99 beside the other family is more
than twice the larger one alone plus 5 ms. Needs websockets (Tests/Python/requirements.txt).
"""
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
import uuid

import websockets

SESSIONS = 8
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
    for number in range(34):
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


async def measure(url, token, seconds):
    """Seconds of each answer: ack, list, join."""
    times = {"ack": [], "list": [], "join": []}
    session = await Session().open(url, token)
    end = time.time() + seconds
    while time.time() < end:
        start = time.perf_counter()
        await session.mutate(create("message", text="Hi"))
        times["ack"].append(time.perf_counter() - start)
        start = time.perf_counter()
        if (answer := await session.ask(type="list", kind="school", limit=50))["type"] != "page":
            raise RuntimeError(answer["message"])
        times["list"].append(time.perf_counter() - start)
        if len(times["ack"]) % 3 == 0:
            other = await Session().open(url, token)
            times["join"].append(other.join_time)
            await other.socket.close()
        await asyncio.sleep(0.02)
    await session.socket.close()
    return times


def part(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def show(name, times):
    words = (f"{what} {part(all, 0.5):.1f} / {part(all, 0.99):.1f} ({len(all)})" for what, all in times.items())
    print(f"{name:12} p50 / p99 ms (count): " + ", ".join(words), flush=True)


async def run(url, victim, attacker, athlete, seconds):
    trip, changes = await prepare(url, attacker, athlete)
    session = await Session().open(url, victim)
    for number in range(100):
        await session.mutate(create("school", name=f"School {number}"))
    await session.socket.close()
    # What the preparation has used of the families' shares is there again.
    await asyncio.sleep(6)
    before = await measure(url, victim, seconds)
    show("alone", before)
    # A process of its own, so that its work is not in the times.
    words = [sys.executable, __file__, "attack", json.dumps([url, attacker, trip, changes, seconds + 6])]
    other = await asyncio.create_subprocess_exec(*words)
    await asyncio.sleep(3)
    beside = await measure(url, victim, seconds)
    show("beside", beside)
    await other.wait()
    after = await measure(url, victim, seconds)
    show("alone again", after)
    bounds = {what: 2 * max(part(before[what], 0.99), part(after[what], 0.99)) + 5 for what in beside}
    late = [what for what in beside if part(beside[what], 0.99) > bounds[what]]
    print("held" if not late else f"NOT held: {', '.join(late)}", {what: round(bound, 1) for what, bound in bounds.items()})
    return 1 if late else 0


async def attack_all(url, token, trip, changes, seconds):
    answers, end = {}, time.time() + seconds
    await asyncio.gather(*[attack(url, token, trip, changes, end, answers, seed) for seed in range(SESSIONS)])
    print("the other family got:", ", ".join(f"{count} {word}" for word, count in sorted(answers.items())), flush=True)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "attack":
        return asyncio.run(attack_all(*json.loads(sys.argv[2])))
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    huddled, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 20

    def command(*words):
        done = subprocess.run([huddled, *words, "--data", data, "--json"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(done.stdout.splitlines()[0])

    with tempfile.TemporaryDirectory() as data:
        attacker = command("init", "--family", "Attackers", "--zone", "UTC", "--parent", "Pat")
        victim = command("init", "--family", "Others", "--zone", "UTC", "--parent", "Ana")
        athlete = command(
            "invite", "--family", attacker["family"], "--name", "Leo", "--role", "athlete", "--born", "2010-05-05", "--by", attacker["member"])
        server = subprocess.Popen(
            [huddled, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            return asyncio.run(run(url, victim["token"], attacker["token"], athlete["member"], seconds))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
