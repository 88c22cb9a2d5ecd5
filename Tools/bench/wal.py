#!/usr/bin/env python3
"""How large SQLite's log grows while families send random frames as fast as the server lets them.

  .build/venv/bin/python Tools/bench/wal.py .build/release/huddled [SECONDS]

Starts a server in a temporary folder and opens six connections, each for a family of its own. Each connection sends random
mutations (long and short, single ones and batches, updates with right and wrong versions, undos) and questions, for 600 s
unless you give another time, and obeys `retry_after`. When its family holds as many records as it may, it begins another. Prints the largest and the median size of `huddle.db-wal`, the
number of frames and the size of the database. Exits with 1 if the log was larger than 64 MiB, or if too few mutations were
made for the result to mean anything. Needs websockets (Tests/Python/requirements.txt).
"""
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import websockets
from fairness import Session, create, new

CONNECTIONS = 6
BOUND = 64 << 20
# A tenth of what a slow machine makes.
LEAST_PER_SECOND = 10


class Author(Session):
    """A session that remembers the versions of its schools, and waits when it is asked to."""

    def __init__(self):
        self.versions, self.change, self.pause, self.is_full = {}, 1, 0, False

    async def read(self):
        try:
            async for text in self.socket:
                frame = json.loads(text)
                word = frame["type"] + (" " + frame["code"] if "code" in frame else "")
                self.answers[word] = self.answers.get(word, 0) + 1
                if frame["type"] == "ack":
                    self.change = frame.get("seq", self.change)
                    self.versions |= {record["id"]: record["version"] for record in frame["records"] if record["id"] in self.versions}
                self.is_full = self.is_full or frame.get("code") == "family_full"
                self.pause = max(self.pause, time.time() + frame.get("retry_after", 0) / 1000)
        except websockets.ConnectionClosed:
            pass


def school(author, name, notes):
    operation = create("school", name=name, notes=notes)
    author.versions[operation["id"]] = 1
    if len(author.versions) > 200:
        del author.versions[next(iter(author.versions))]
    return operation


def frame(choice, author):
    """One random frame."""
    author.last += 1
    text = "x" * choice.choice([10, 1_000, 3_900])
    mutation = {"type": "mutate", "mutation": author.last}
    share = choice.random()
    if share < 0.35:
        return mutation | {"operations": [create("message", text=text) for _ in range(choice.choice([1, 1, 20, 50]))]}
    if share < 0.5 or not author.versions:
        return mutation | {"operations": [school(author, f"S{author.last}-{number}", text) for number in range(choice.choice([1, 20]))]}
    if share < 0.8:
        record = choice.choice(list(author.versions))
        base = max(1, author.versions[record] + choice.choice([0, 0, 0, -1, 5]))
        fields = {"notes": choice.choice("abcdef") * 4_000}
        return mutation | {"operations": [{"op": "update", "kind": "school", "id": record, "base": base, "fields": fields}]}
    if share < 0.9:
        return mutation | {"undo": max(1, author.change - choice.randrange(5))}
    question = {"request": author.last}
    return question | choice.choice([
        {"type": "digest", "after": 0}, {"type": "list", "kind": "school", "limit": 200}, {"type": "history", "limit": 200}])


async def begin_family(huddled, data):
    """The token of the parent of a new family."""
    words = [huddled, "init", "--data", data, "--family", "Random", "--zone", "UTC", "--parent", "Ana", "--json"]
    program = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
    output, _ = await program.communicate()
    return json.loads(output.splitlines()[0])["token"]


async def flood(huddled, url, data, end, answers, seed):
    choice, token = random.Random(seed), None
    while time.time() < end:
        author = Author()
        try:
            token = token or await begin_family(huddled, data)
            await author.open(url, token)
            while time.time() < end and not author.is_full and not author.reader.done():
                await author.send(**frame(choice, author))
                await asyncio.sleep(max(0.004, min(1, author.pause - time.time())))
            await author.socket.close()
        except (OSError, RuntimeError, websockets.WebSocketException):
            await asyncio.sleep(0.5)
        if author.is_full:
            token = None
        for word, count in getattr(author, "answers", {}).items():
            answers[word] = answers.get(word, 0) + count


async def watch(path, end):
    """Sizes of a file, ten times per second."""
    sizes = []
    while time.time() < end:
        sizes.append(os.path.getsize(path) if os.path.exists(path) else 0)
        await asyncio.sleep(0.1)
    return sorted(sizes)


async def run(huddled, url, data, seconds):
    answers, end = {}, time.time() + seconds
    log = os.path.join(data, "huddle.db-wal")
    sizes, *_ = await asyncio.gather(watch(log, end), *[flood(huddled, url, data, end, answers, seed) for seed in range(CONNECTIONS)])
    acks = answers.get("ack", 0)
    print(
        f"log: largest {sizes[-1] / 1e6:.1f} MB, median {sizes[len(sizes) // 2] / 1e6:.1f} MB; database "
        f"{os.path.getsize(os.path.join(data, 'huddle.db')) / 1e6:.0f} MB after {seconds:.0f} s and {acks} mutations")
    print("answers:", ", ".join(f"{count} {word}" for word, count in sorted(answers.items())))
    return 1 if sizes[-1] > BOUND or acks < LEAST_PER_SECOND * seconds else 0


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    huddled, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 600
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        server = subprocess.Popen(
            [huddled, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            return asyncio.run(run(huddled, url, data, seconds))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
