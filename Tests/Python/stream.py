"""A second client from proto/ alone: asyncio's streams, messages compressed where the server takes that, and lists asked of the server
page by page instead of worked out. Numbers in brackets are sections of protocol.md. See plain.py for the first."""
import asyncio
import base64
import hashlib
import itertools
import json
import os
import secrets
import urllib.parse
import uuid
import zlib


class Refused(Exception):
    """The reject or error frame of what was asked is its argument."""


class Wire:
    """WebSocket messages (RFC 6455) with permessage-deflate (RFC 7692), no context kept."""

    def __init__(self, reader, writer, compresses):
        self.reader, self.writer, self.compresses = reader, writer, compresses

    @classmethod
    async def open(cls, url):
        address = urllib.parse.urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=1 << 24)
        key = base64.b64encode(os.urandom(16)).decode()
        head = ["GET /ws HTTP/1.1", f"Host: {address.netloc}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Protocol: huddle.v1", "Sec-WebSocket-Extensions: permessage-deflate"]
        writer.write("\r\n".join(head + ["", ""]).encode())
        answer = (await reader.readuntil(b"\r\n\r\n")).decode()
        status, *lines = answer.strip().split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        proof = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert " 101 " in status and fields["sec-websocket-accept"] == base64.b64encode(proof).decode(), answer
        assert fields["sec-websocket-protocol"] == "huddle.v1"
        return cls(reader, writer, "permessage-deflate" in fields.get("sec-websocket-extensions", ""))

    async def send(self, text):
        payload, first = text.encode(), 0x81
        if self.compresses:
            deflater = zlib.compressobj(wbits=-15)
            payload, first = (deflater.compress(payload) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4], 0xC1
        await self.frame(first, payload)

    async def frame(self, first, payload):
        size, mask = len(payload), secrets.token_bytes(4)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big") if size < 1 << 16 else b"\xff" + size.to_bytes(8, "big")
        repeated = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        masked = (int.from_bytes(payload, "big") ^ repeated).to_bytes(size, "big")
        self.writer.write(bytes([first]) + length + mask + masked)
        await self.writer.drain()

    async def messages(self):
        """The texts that come, until the connection is closed."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size > 125:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
            payload = await self.reader.readexactly(size)
            match first & 15:
                case 1:
                    assert first & 0x80, "the server sends each message in one frame"
                    yield (zlib.decompressobj(wbits=-15).decompress(payload + b"\0\0\xff\xff") if first & 0x40 else payload).decode()
                case 8: return
                case 9: await self.frame(0x8A, payload)


class Stream:
    def __init__(self, wire, token):
        self.wire, self.token, self.client = wire, token, str(uuid.uuid4())
        self.mutations, self.requests, self.answers = itertools.count(1), itertools.count(1), {}
        self.records, self.cursor, self.live, self.moved = {}, None, asyncio.Event(), asyncio.Condition()

    @classmethod
    async def join(cls, url, token):
        self = cls(await Wire.open(url), token)
        self.task = asyncio.create_task(self.follow())
        first, _ = await asyncio.wait([self.task, waiting := asyncio.create_task(self.live.wait())], return_when=asyncio.FIRST_COMPLETED)
        if waiting not in first:
            await self.task
        return self

    async def leave(self):
        await self.wire.frame(0x88, (1000).to_bytes(2, "big"))
        await self.task

    async def say(self, frame):
        await self.wire.send(json.dumps(frame, separators=(",", ":")))

    async def follow(self):
        await self.say({"type": "sign_in", "token": self.token})
        async for text in self.wire.messages():
            frame = json.loads(text)
            if handle := getattr(self, "on_" + frame["type"], None):
                await handle(frame)
            elif (number := frame.get("request") or frame.get("mutation")) in self.answers:
                self.answers.pop(number).set_result(frame)

    # Joining and changes [2, 3, 4, 8]

    async def on_welcome(self, frame):
        await self.say({"type": "join", "family": frame["memberships"][0]["family"], "client": self.client, "context": "all"})

    async def on_joined(self, frame):
        self.epoch, self.arriving = frame["epoch"], []

    async def on_snapshot(self, frame):
        self.arriving += frame["records"]

    async def on_snapshot_end(self, frame):
        self.records, self.cursor = {record["id"]: record for record in self.arriving}, frame["seq"]

    async def on_live(self, frame):
        assert frame["seq"] == self.cursor
        self.live.set()

    async def on_change(self, frame):
        assert frame["seq"] == self.cursor + 1, f"change {frame['seq']} follows {self.cursor}"
        for entry in frame["changes"]:
            self.records.update(self.applied(frame, entry))
        async with self.moved:
            self.cursor = frame["seq"]
            self.moved.notify_all()

    def applied(self, frame, entry):
        held = self.records.get(entry["id"])
        stamp = {"version": entry["version"], "updated_at": frame["at"], "updated_by": frame["member"]}
        match entry["op"]:
            case "create": record = {"created_at": frame["at"], "created_by": frame["member"], **entry, **stamp}
            case "restore": record = {**entry, **stamp}
            case _ if held is None: return {}  # a message older than those of the snapshot
            case "update":
                fields = held["fields"] | entry["fields"]
                record = held | stamp | {"fields": {name: value for name, value in fields.items() if value is not None}}
            case "delete": record = held | stamp | {"deleted_at": frame["at"]}
        return {entry["id"]: {name: value for name, value in record.items() if name != "op"}}

    async def reach(self, sequence):
        async with self.moved:
            await self.moved.wait_for(lambda: self.cursor >= sequence)

    # Asking [6, 11]

    async def answered(self, number, frame):
        answer = self.answers[number] = asyncio.get_running_loop().create_future()
        await self.say(frame)
        return await asyncio.wait_for(answer, 60)

    async def mutate(self, *operations, **more):
        number = next(self.mutations)
        frame = {"type": "mutate", "mutation": number, **({"operations": list(operations)} if operations else {}), **more}
        while (answer := await self.answered(number, frame))["type"] == "reject":
            if not answer["retry"]:
                raise Refused(answer)
            await asyncio.sleep(answer.get("retry_after", 100) / 1000)
        return answer

    async def ask(self, **frame):
        # Numbers of requests and of mutations may be the same; these are not.
        number = 1_000_000 + next(self.requests)
        answer = await self.answered(number, {"type": frame.pop("type"), "request": number, **frame})
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    async def list(self, kind, sort, search="", **filter):
        """The ids of a list, page by page; its pages have to come to what the server counts."""
        found, mark, total = [], {}, None
        while True:
            page = await self.ask(type="list", kind=kind, sort=sort, athlete="all", limit=7, count=True, **mark,
                                  **({"search": search} if search else {}), **({"filter": filter} if filter else {}))
            found += [record["id"] for record in page["records"]]
            total = page["total"]
            if "next" not in page:
                assert len(found) == total == len(set(found)), f"{len(found)} of {total}"
                return found
            mark = {"before": page["next"]}
