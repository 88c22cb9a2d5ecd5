"""A small client for Huddle. It signs in, joins, holds the family's records, comes back after a cut, and sends mutations so
that each takes effect once. Numbers in brackets are sections of ../protocol.md. The sign-in token is in HUDDLE_TOKEN.

    python client.py ws://127.0.0.1:8787 watch                    each change as it happens, a JSON object a line
    python client.py ws://127.0.0.1:8787 events                   what the family's calendar holds
    python client.py ws://127.0.0.1:8787 say "Practice moved to six"
    python client.py ws://127.0.0.1:8787 add-event 2026-12-05 camp "Infield camp"
"""
import asyncio
import contextlib
import json
import os
import random
import struct
import sys
import uuid

from websockets import ConnectionClosed, InvalidHandshake, InvalidStatus, connect

MISTAKES = {1002, 1003, *range(1007, 1011), 4502}  # [13] the server closes with these for something that the client sent
STOP = MISTAKES | set(range(4500, 5000))  # [13] these mean: do not come back


MASK = 0xFFFFFFFF


def term(record, version):
    """[8] The part of a living record in the checksum: MurmurHash3_x86_32 of its id and its version."""
    value = 0
    for (block,) in struct.iter_unpack("<I", uuid.UUID(record).bytes + version.to_bytes(8, "big")):
        block = block * 0xCC9E2D51 & MASK
        value ^= (block << 15 | block >> 17) * 0x1B873593 & MASK
        value = (value << 13 | value >> 19) * 5 + 0xE6546B64 & MASK
    value ^= 24
    value = (value ^ value >> 16) * 0x85EBCA6B & MASK
    value = (value ^ value >> 13) * 0xC2B2AE35 & MASK
    return value ^ value >> 16


class Rejected(Exception):
    """A mutation that was not done; its argument is the reject frame: code, message, field, conflict."""


class Huddle:
    def __init__(self, url, token, on_change, quiet=False):
        self.quiet = quiet  # [3] for a program that does one thing and leaves
        self.url, self.token, self.on_change = url.rstrip("/").removesuffix("/ws") + "/ws", token, on_change
        # [6] A program that keeps drafts on disk keeps these there as well.
        self.client, self.last, self.pending = str(uuid.uuid4()), 0, {}  # mutation id -> operations, unanswered
        self.answers, self.sent, self.blamed = {}, set(), {}  # id -> future; on this connection; id -> connections that it ended
        self.cursor, self.records, self.incoming = None, {}, {}  # id -> record, deleted ones too
        self.checksum, self.differed = None, None  # [8] of all records of the family; sequence to report
        self.reload_at, self.reload_wait = 0, 30  # loop time before which nothing is loaded again, seconds until the next time
        self.socket, self.joined, self.live = None, None, asyncio.Event()
        self.limits, self.features = {}, set()  # of this server, from its welcome
        self.away, self.silent_until = 0, 0  # seconds to stay away; loop time before which nothing is sent
        self.refusal = None  # why the server lets nobody in with this token, for good

    async def run(self):
        """Stays with the family, through cuts, until cancelled or until a close code says stop."""
        wait = 0.1
        while True:
            self.socket = None
            try:
                async with connect(self.url, subprotocols=["huddle.v1"], max_size=None) as self.socket:
                    await self.say(type="sign_in", token=self.token)
                    async for text in self.socket:
                        await self.receive(json.loads(text))
                        wait = 0.1 if self.live.is_set() else wait
            except (OSError, ConnectionClosed, InvalidHandshake) as problem:
                if isinstance(problem, InvalidStatus):  # [1] 429 and 503: there are too many connections, come back later
                    if problem.response.status_code not in (429, 503):
                        raise ConnectionAbortedError(f"{self.url}: {problem}") from None
                    self.away = float(problem.response.headers.get("Retry-After", 1))
                print(f"{self.url}: {problem}; trying again", file=sys.stderr)
            if self.refusal:
                raise ConnectionAbortedError(self.refusal)
            self.ended(self.socket and self.socket.close_code)
            await asyncio.sleep(min(self.away, 60) + wait * random.uniform(0.5, 1.5))  # [13]
            wait, self.away = min(wait * 2, 10), 0

    def ended(self, code):
        """[13] The connection is gone. A mutation under way when the server closed for a mistake may be the mistake."""
        suspects = sorted(self.sent) if code in MISTAKES else []
        if code in STOP and not suspects:
            raise ConnectionAbortedError(f"the server says stop, close code {code}")
        for mutation in suspects:
            self.blamed[mutation] = self.blamed.get(mutation, 0) + 1
            if self.blamed[mutation] == 2:  # a draft: the caller that asked for it decides
                message = "The connection ended twice when this was sent."
                self.settle({"type": "reject", "mutation": mutation, "code": "bad_frame", "message": message, "retry": False})
        self.joined = None
        self.sent.clear()
        self.live.clear()

    async def say(self, **frame):
        await self.socket.send(json.dumps(frame))

    async def join(self):
        keys = {"cursor": self.cursor} if self.cursor else {}  # [4] without one: a snapshot
        if self.quiet and "quiet" in self.features:  # [2] a server that does not know a key refuses the frame
            keys["quiet"] = True
        if self.differed and not self.cursor and "checksum" in self.features:  # [8]
            keys["differed"] = self.differed
        await self.say(type="join", family=self.family, client=self.client, **keys)

    async def receive(self, frame):
        match frame["type"]:
            case "welcome":
                self.family, self.limits = frame["memberships"][0]["family"], frame["limits"]
                self.features = set(frame.get("features", []))  # [2] a server of 0.1.0 lists none
                await self.join()
            case "joined":
                self.joined, self.incoming = frame, {}
                await self.send_due()
            case "reset":  # [9] the records are replaced at snapshot_end
                self.cursor = None
            case "snapshot":  # [4] gathered aside, in force at its end
                self.incoming |= {record["id"]: record for record in frame["records"]}
            case "snapshot_end":
                self.records, self.cursor = self.incoming, {"epoch": self.joined["epoch"], "seq": frame["seq"]}
                held = sum(term(record["id"], record["version"]) for record in self.records.values() if not record.get("deleted_at"))
                self.checksum, self.differed = held + frame["unsent"] & MASK if "unsent" in frame else None, None
                await self.compare(frame)
            case "change" | "live" | "checksum" if not self.cursor:  # this connection is being left
                pass
            case "change" if frame["seq"] != self.cursor["seq"] + 1:  # [8] client and server differ: load everything again
                self.cursor = None
                await self.socket.close()
            case "change":
                for entry in frame["changes"]:
                    self.count(entry)
                    if entry["id"] in self.records or entry["op"] in ("create", "restore"):  # [8] otherwise: an old message
                        self.apply(frame, entry)
                self.cursor = {"epoch": self.joined["epoch"], "seq": frame["seq"]}
                self.on_change(frame)
            case "checksum":
                await self.compare(frame)
            case "live":
                if await self.compare(frame):
                    self.live.set()
            case "ack" | "reject" if frame.get("retry"):  # [7] not done and not remembered: the same id again, later
                self.sent.discard(frame["mutation"])
                loop, wait = asyncio.get_running_loop(), frame.get("retry_after", 1000) / 1000
                self.silent_until = max(self.silent_until, loop.time() + wait)
                loop.call_later(wait + 0.01, lambda: asyncio.ensure_future(self.send_due()))
            case "ack" | "reject":
                self.settle(frame)
                await self.send_due()
            case "drain":  # [13] the server goes away, and says for how long; close 4000 follows
                self.away = frame["retry_after"] / 1000
            case "error" if frame["code"] == "cursor_ahead":  # [9]
                self.cursor = None
                await self.join()
            case "error":
                print(frame["message"], file=sys.stderr)
                if frame["retry"]:  # [7] not signed in or joined, for now: the same again, on a new connection
                    self.away = frame.get("retry_after", 1000) / 1000
                    await self.socket.close()
                elif not self.joined and frame["code"] != "token_unknown":  # that one is followed by its close code
                    self.refusal = frame["message"]
                    await self.socket.close()

    def count(self, entry):
        """[8] Moves the checksum by an entry, before it is applied: from the version that is held, if the record is held."""
        former = entry["version"] - 1 if entry["op"] in ("update", "delete") else None
        if record := self.records.get(entry["id"]):
            former = None if record.get("deleted_at") else record["version"]
        if self.checksum is not None:
            minus = term(entry["id"], former) if former else 0
            self.checksum = self.checksum - minus + (0 if entry["op"] == "delete" else term(entry["id"], entry["version"])) & MASK

    async def compare(self, frame):
        """[8] Returns False if the records differ from the server's: then the connection ends, and everything is loaded again."""
        if self.checksum is None or frame.get("checksum", self.checksum) == self.checksum or frame["seq"] != self.cursor["seq"]:
            return True
        now = asyncio.get_running_loop().time()
        if now < self.reload_at:  # it was loaded a moment ago: continue with it
            return True
        self.reload_wait = 60 if now - self.reload_at > 3600 else min(self.reload_wait * 2, 3600)
        self.reload_at = now + self.reload_wait
        print(f"the records differ from the server's at {frame['seq']}; loading them again", file=sys.stderr)
        self.differed, self.cursor = frame["seq"], None
        await self.socket.close()
        return False

    def apply(self, frame, entry):  # [8]
        record = self.records.setdefault(entry["id"], {"created_at": frame["at"], "created_by": frame["member"]})
        if entry["op"] == "update":  # only what changed; null: now empty
            record["fields"] |= entry["fields"]
        elif entry["op"] == "delete":
            record["deleted_at"] = frame["at"]
        else:  # create, restore: the whole record
            record |= {key: value for key, value in entry.items() if key != "op"} | {"deleted_at": None}
        record |= {"version": entry["version"], "updated_at": frame["at"], "updated_by": frame["member"]}

    async def mutate(self, *operations):
        """Sends a batch. Returns the ack frame, when it is on stable storage; raises Rejected when it is refused."""
        self.last = mutation = self.last + 1
        self.pending[mutation] = operations
        future = self.answers[mutation] = asyncio.get_running_loop().create_future()
        await self.send_due()
        if (answer := await future)["type"] == "reject":
            raise Rejected(answer)
        return answer

    async def send_due(self):
        """[6] Sends what is unanswered, the same ids again, in their order; [7] nothing before the server has time for it."""
        window = 1 if self.blamed else self.limits.get("pending_mutations", 1)  # [13] one at a time shows which one it is
        for mutation in sorted(self.pending):
            if not self.joined or len(self.sent) >= window or asyncio.get_running_loop().time() < self.silent_until:
                return  # joined, an answer or the end of the wait sends the rest
            if mutation not in self.sent and mutation in self.pending:
                self.sent.add(mutation)
                with contextlib.suppress(ConnectionClosed):
                    await self.say(type="mutate", mutation=mutation, operations=self.pending[mutation])

    def settle(self, frame):
        mutation = frame["mutation"]
        self.pending.pop(mutation, None)
        self.sent.discard(mutation)
        self.blamed.pop(mutation, None)
        if (future := self.answers.pop(mutation, None)) and not future.done():
            future.set_result(frame)

    def all(self, kind):
        return [record for record in self.records.values() if record["kind"] == kind and not record.get("deleted_at")]


async def main(url, command, *words):
    watches = command == "watch"
    huddle = Huddle(url, os.environ["HUDDLE_TOKEN"], lambda frame: watches and print(json.dumps(frame), flush=True), quiet=not watches)
    task = asyncio.create_task(huddle.run())
    await asyncio.wait([task, asyncio.create_task(huddle.live.wait())], return_when=asyncio.FIRST_COMPLETED)
    if command == "watch" or task.done():
        await task  # ends only by being stopped, and says why
    elif command == "events":
        for event in sorted(huddle.all("event"), key=lambda event: event["fields"]["start_date"]):
            print(event["fields"]["start_date"], event["fields"]["type"], event["fields"]["name"], sep="\t")
    else:
        if command == "say":
            record = {"kind": "message", "fields": {"text": words[0]}}
        else:  # add-event: one's own, or the first athlete's
            athletes = [member["id"] for member in huddle.all("member") if member["fields"]["role"] == "athlete"]
            owner = huddle.joined["member"] if huddle.joined["member"] in athletes else athletes[0]
            record = {"kind": "event", "athlete": owner, "fields": dict(zip(("start_date", "type", "name"), words, strict=True))}
        print(json.dumps(await huddle.mutate({"op": "create", "id": str(uuid.uuid4())} | record)))


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]) if len(sys.argv) > 2 and "HUDDLE_TOKEN" in os.environ else sys.exit(__doc__))
    except (Rejected, ConnectionError) as problem:
        sys.exit(f"{problem}")
