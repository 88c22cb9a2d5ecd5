"""Another client of Huddle, in the standard library alone: a thread that reads, a lock, and RFC 6455 by hand. Written from proto/ without a
look at its neighbour `client.py`; numbers in brackets are sections of protocol.md."""
import base64
import datetime
import json
import os
import socket
import struct
import threading
import time
import unicodedata
import urllib.parse
import uuid
import zoneinfo


class Refused(Exception):
    """The reject or error frame of what was asked is its argument."""


class Plain:
    def __init__(self, url, token, context="all", cursor=None):
        self.url, self.token, self.context, self.place = urllib.parse.urlsplit(url), token, context, cursor
        self.client, self.number, self.requests = str(uuid.uuid4()), 0, 0
        self.records, self.cursor, self.waiting = {}, cursor and cursor["seq"], {}
        self.changed = threading.Condition()
        self.is_live, self.stopped = False, None
        threading.Thread(target=self.live, daemon=True).start()

    # The wire [1]

    def connect(self):
        self.stream = socket.create_connection((self.url.hostname, self.url.port))
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((
            f"GET /ws HTTP/1.1\r\nHost: {self.url.netloc}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: huddle.v1\r\n\r\n").encode())
        self.input = self.stream.makefile("rb")
        status = self.input.readline()
        if b" 101 " not in status:
            raise ConnectionError(status.decode().strip())
        while self.input.readline() != b"\r\n":
            pass

    def send(self, payload, opcode=1):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode]) + (
            bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size))
        self.stream.sendall(head + mask + bytes(octet ^ mask[place % 4] for place, octet in enumerate(payload)))

    def say(self, **frame):
        with self.changed:
            self.send(json.dumps(frame, ensure_ascii=False).encode())

    def frames(self):
        while True:
            first, second = self.input.read(2)
            size = second & 127
            size = struct.unpack(">H", self.input.read(2))[0] if size == 126 else struct.unpack(">Q", self.input.read(8))[0] if size == 127 else size
            payload = self.input.read(size)
            if first & 15 == 9:
                with self.changed:
                    self.send(payload, 10)
            elif first & 15 == 8:
                self.stopped = struct.unpack(">H", payload[:2])[0] if payload else 1005
                return
            else:
                yield json.loads(payload)

    # The family [3, 4, 8]

    def live(self):
        try:
            self.connect()
            self.say(type="sign_in", token=self.token)
            for frame in self.frames():
                with self.changed:
                    self.take(frame)
                    self.changed.notify_all()
        except (OSError, ValueError) as problem:
            self.stopped = problem
        with self.changed:
            self.changed.notify_all()

    def take(self, frame):
        kind = frame["type"]
        if kind == "welcome":
            family = frame["memberships"][0]["family"]
            cursor = {"cursor": self.place} if self.place else {}
            self.send(json.dumps({"type": "join", "family": family, "client": self.client, "context": self.context, **cursor}).encode())
        elif kind == "joined":
            self.epoch, self.member, self.gathered = frame["epoch"], frame["member"], {}
        elif kind == "snapshot":
            self.gathered.update((record["id"], record) for record in frame["records"])
        elif kind == "snapshot_end":
            self.records, self.cursor = self.gathered, frame["seq"]
        elif kind == "change":
            if frame["seq"] != self.cursor + 1:
                self.stopped = f"change {frame['seq']} after {self.cursor}"
            self.cursor = frame["seq"]
            for entry in frame["changes"]:
                self.change(frame, entry)
        elif kind == "live":
            self.is_live = True
        elif "request" in frame:
            self.waiting["request", frame["request"]] = frame
        elif "mutation" in frame:
            self.waiting["mutation", frame["mutation"]] = frame

    def change(self, frame, entry):
        entry = dict(entry)
        op, fields = entry.pop("op"), entry.pop("fields", None)
        record = self.records.get(entry["id"])
        if record is None:
            if op not in ("create", "restore"):
                return  # a message older than those of the snapshot
            record = self.records[entry["id"]] = {}
        if op == "create":
            record.update(created_at=frame["at"], created_by=frame["member"])
        record.update(entry)
        if op == "update":
            record["fields"] = {name: value for name, value in {**record["fields"], **fields}.items() if value is not None}
        elif op == "delete":
            record["deleted_at"] = frame["at"]
        else:
            record["fields"] = fields
            record.pop("deleted_at", None)
        record.update(updated_at=frame["at"], updated_by=frame["member"])

    def close(self):
        self.send(struct.pack(">H", 1000), 8)

    # Actions of a person

    def wait(self, what, seconds=60):
        end = time.monotonic() + seconds
        with self.changed:
            while not what():
                if self.stopped is not None or not self.changed.wait(end - time.monotonic()):
                    raise TimeoutError(f"stopped: {self.stopped}")

    def answer(self, *name):
        self.wait(lambda: name in self.waiting)
        return self.waiting.pop(name)

    def mutate(self, *operations, **more):
        """A batch [6], or with undo=SEQUENCE the undo of one."""
        self.number += 1
        number = self.number
        while True:
            self.say(type="mutate", mutation=number, **({"operations": operations} if operations else {}), **more)
            frame = self.answer("mutation", number)
            if frame["type"] == "ack":
                return frame
            if not frame.get("retry"):
                raise Refused(frame)
            time.sleep(frame.get("retry_after", 100) / 1000)

    def ask(self, **frame):
        """A list or statistics [11]."""
        self.requests += 1
        self.say(**{"type": frame.pop("type"), "request": self.requests, **frame})
        answer = self.answer("request", self.requests)
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    # Lists [11], computed here from the stored records

    def list(self, kind, sort, search="", **filter):
        found = [record for record in self.living(kind) if self.fits(record, filter) and folded(search) in self.texts(record)]
        return [record["id"] for record in sorted(found, key=lambda record: self.standing(record, sort))]

    def living(self, kind):
        with self.changed:
            return [record for record in self.records.values() if record.get("kind") == kind and "deleted_at" not in record]

    def today(self):
        zone = next(record["fields"]["time_zone"] for record in self.living("family"))
        return datetime.datetime.now(zoneinfo.ZoneInfo(zone)).date().isoformat()

    def fits(self, record, filter):
        fields, (first, last) = record["fields"], days(record)
        month = self.today()[:7]
        following = (datetime.date.fromisoformat(month + "-01") + datetime.timedelta(days=31)).isoformat()[:7]
        tests = {
            "type": lambda word: fields.get(TYPE.get(record["kind"], "type")) in VISITS.get(word, [word]),
            "status": lambda word: word == ("attended" if fields["attended"] else "registered" if fields["registered"] else "not_registered"),
            "date": lambda word: {
                "upcoming": last >= self.today(), "past": last < self.today(), "this_month": first[:7] <= month <= last[:7],
                "next_month": first[:7] <= following <= last[:7]}[word],
            "from": lambda day: first >= day, "to": lambda day: first <= day, "day": lambda day: first <= day <= last,
            "itinerary": lambda wanted: fields["include_in_itinerary"] == wanted,
            "shared": lambda wanted: bool(fields.get("shared_with_schools")) == wanted,
        }
        if record["kind"] == "document" and not fields["is_current"]:
            return False
        return all(tests.get(name, lambda value, name=name: fields.get(name) == value)(value) for name, value in filter.items())

    def texts(self, record):
        searched = {"event": "name description location address city", "trip": "name location notes", "trip_item": "title description location",
                    "document": "title description"}.get(record["kind"], "")
        return "\0".join(folded(record["fields"].get(name, "")) for name in searched.split())

    def standing(self, record, sort):
        fields = record["fields"]
        name = folded(fields.get("title") or fields.get("name") or "").encode()
        if sort in ("newest", "start"):
            at = -record["created_at"] if sort == "newest" else instant(fields["start_time"], fields["start_zone"])
            return at, name, record["id"]
        first, _ = days(record)
        time = fields.get("start_time")
        moment = datetime.date.fromisoformat(first).toordinal() * 1441 + (int(time[:2]) * 60 + int(time[3:]) + 1 if time else 0)
        types = "camp showcase official_visit unofficial_visit game".split()
        return {
            "date_asc": lambda: (moment, name, record["id"]), "date_desc": lambda: (-moment, name, record["id"]),
            "name": lambda: (name, -moment, record["id"]),
            "type": lambda: (fields["type"].encode() if fields["type"] in types else b"", -moment, -record["created_at"], name, record["id"]),
        }[sort]()


TYPE = {"metric": "metric_type", "interaction": "interaction_type", "trip_item": "category"}
VISITS = {"visit": ["official_visit", "unofficial_visit"]}


def folded(text):
    """Without case and accents [11]."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(letter for letter in text if not unicodedata.combining(letter)).translate(str.maketrans("łøđħŧ", "lodht"))


def days(record):
    """First and last day of a planned record."""
    fields = record["fields"]
    first = (fields.get("start_date") or fields.get("start_time") or fields.get("recorded_date") or fields.get("occurred_at") or "")[:10]
    last = fields.get("end_date") or first
    end = fields.get("end_time", "") if record["kind"] == "trip_item" else ""
    if end:
        # An item that ends at midnight is not on the day that begins then.
        last = end[:10] if end[11:] != "00:00" else (datetime.date.fromisoformat(end[:10]) - datetime.timedelta(days=1)).isoformat()
    return first, max(first, last)


def instant(local, zone):
    """Minutes. A time that does not exist moves forward by the gap; one that exists twice is the first [semantics of local times]."""
    return int(datetime.datetime.fromisoformat(local).replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()) // 60
