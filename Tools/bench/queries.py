#!/usr/bin/env python3
"""How long the server takes to answer lists, figures, history and digests of a large family, over a real socket.

usage: Tools/bench/queries.py [FOLDER OF THE PROGRAMS (.build/release)] [SECONDS FOR EACH QUESTION (2)]

Makes a family of 10,000 records (6,000 events, 2,000 schools, 2,000 coaches) with a history of 50,000 changes in a temporary folder, starts
huddled there, and asks one question after the other on one connection, each from the last octet of the request to the last of the answer. At
the end it starts the server again, joins with and without a cursor, and immediately asks for a first list.
Nothing but the standard library; ends what it started and removes what it made.
"""
import base64
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid

FIRST, SECOND = (sys.argv[1:] + [None] * 2)[:2]
PROGRAMS = pathlib.Path(FIRST or ".build/release")
SECONDS = float(SECOND or 2)
WORDS = ["Fall", "Camp", "Łódź", "Open", "Showcase", "Prospect", "Émile", "Academy", "Elite", "Straße", "Texas", "Austin", "River", "Park"]


class Session:
    """One connection that speaks huddle.v1: a client's half of RFC 6455, without fragments, which our server does not send."""

    def __init__(self, port, token, family, cursor=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: huddle.v1\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass
        self.mutation = 0
        self.send({"type": "sign_in", "token": token})
        self.until("welcome")
        self.send({"type": "join", "family": family, "client": str(uuid.uuid4()), "context": "all", **({"cursor": cursor} if cursor else {})})
        joined = json.loads(self.until("joined"))
        self.until("live")
        self.cursor = {"epoch": joined["epoch"], "seq": joined["seq"]}

    def send(self, frame):
        payload = json.dumps(frame, separators=(",", ":")).encode()
        length = len(payload)
        head = b"\x81" + (bytes([0x80 | length]) if length < 126 else
                          struct.pack("!BH", 0xFE, length) if length < 65_536 else struct.pack("!BQ", 0xFF, length))
        # A mask of zeros leaves the payload as it is.
        self.socket.sendall(head + b"\0\0\0\0" + payload)

    def receive(self):
        """The octets of the next message."""
        while True:
            first, second = self.stream.read(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack("!H", self.stream.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.stream.read(8))[0]
            payload = self.stream.read(length)
            if first & 0x0F == 1:
                return payload
            if first & 0x0F == 8:
                raise SystemExit(f"closed: {payload!r}")

    def until(self, kind):
        wanted = b'{"type":"' + kind.encode() + b'"'
        while True:
            payload = self.receive()
            if payload.startswith(wanted):
                return payload
            if payload.startswith((b'{"type":"error"', b'{"type":"reject"')):
                raise SystemExit(payload.decode())

    def mutate(self, batches):
        for operations in batches:
            self.mutation += 1
            self.send({"type": "mutate", "mutation": self.mutation, "operations": operations})
        for _ in batches:
            self.until("ack")


def identifier():
    return str(uuid.UUID(int=uuid.uuid4().int & ~(0xF000 << 64) | (7 << 76)))


def fill(session, athletes, generator):
    """10,000 records and, with edits, 50,000 changes."""
    def name():
        return " ".join(generator.choice(WORDS) for _ in range(3)) + f" {generator.randrange(1000)}"
    schools = [identifier() for _ in range(2_000)]
    creations = [{"op": "create", "kind": "school", "id": i, "fields": {"name": name(), "location": "Austin, TX"}} for i in schools]
    creations += [{"op": "create", "kind": "coach", "id": identifier(),
                   "fields": {"first_name": generator.choice(WORDS), "last_name": name(), "school_id": generator.choice(schools)}} for _ in range(2_000)]
    events = [identifier() for _ in range(6_000)]
    for event in events:
        day = f"{generator.randrange(2020, 2030)}-{generator.randrange(1, 13):02}-{generator.randrange(1, 29):02}"
        creations.append({"op": "create", "kind": "event", "id": event, "athlete": generator.choice(athletes), "fields": {
            "type": generator.choice(["camp", "showcase", "official_visit", "unofficial_visit", "game"]), "name": name(), "start_date": day,
            "start_time": "09:00", "city": generator.choice(["Austin", "Łódź", "Dallas"]), "location": name(),
            "description": " ".join(generator.choice(WORDS) for _ in range(40)), "registered": generator.random() < 0.5,
            "attended": generator.random() < 0.3, "school_id": generator.choice(schools)}})
    # Schools first: what refers to them comes later.
    for start in range(0, len(creations), 1_000):
        session.mutate([creations[at:at + 50] for at in range(start, min(start + 1_000, len(creations)), 50)])
    versions = dict.fromkeys(events, 1)
    changes = 0
    while changes < 50_000:
        batches = []
        for _ in range(100):
            event = generator.choice(events)
            batches.append([{"op": "update", "kind": "event", "id": event, "base": versions[event],
                             "fields": {"performance_notes": f"note {changes} of the season"}}])
            versions[event] += 1
            changes += 1
        session.mutate(batches)
    return events, schools


def questions(events, schools, athletes, generator):
    """The questions: name -> a function that makes one request."""
    def event_list(**members):
        return lambda: {"type": "list", "kind": "event", "limit": 50, **members}
    filters = {"type": "visit", "status": "registered", "date": "upcoming"}
    return {
        "events": event_list(),
        "events, counted": event_list(count=True),
        "events, 200 in a page": event_list(limit=200),
        **{f"events by {sort}": event_list(sort=sort) for sort in ("date_asc", "name", "type")},
        **{f"events, date {date}": event_list(filter={"date": date}, count=True) for date in ("upcoming", "past", "this_month", "next_month")},
        "events, all filters": event_list(filter={**filters, "from": "2026-01-01", "to": "2029-12-31"}, count=True),
        "events of a school": lambda: event_list(filter={"school_id": generator.choice(schools)})(),
        "events of an athlete": lambda: event_list(athlete=generator.choice(athletes))(),
        "events, search": lambda: event_list(search=generator.choice(["lodz", "strasse 7", "elite academy", "zzz", "e"]), count=True)(),
        "events, search and filters by name": event_list(search="lodz", filter=filters, sort="name", count=True),
        "schools": lambda: {"type": "list", "kind": "school", "limit": 50, "count": True},
        "coaches of a school": lambda: {"type": "list", "kind": "coach", "limit": 50, "filter": {"school_id": generator.choice(schools)}},
        "figures of events": lambda: {"type": "statistics", "kind": "event"},
        "figures of the family": lambda: {"type": "statistics", "kind": "family"},
        "history": lambda: {"type": "history", "limit": 50},
        "history, deep": lambda: {"type": "history", "limit": 50, "before": generator.randrange(1_000, 50_000)},
        "history of a record": lambda: {"type": "history", "limit": 50, "record": {"kind": "event", "id": generator.choice(events)}},
        "digest of 1,000 changes": lambda: {"type": "digest", "after": 0},
    }


def measure(session, make, seconds, number):
    """Milliseconds of each answer, sorted."""
    times = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 20:
        number += 1
        request = make()
        request = {"type": request.pop("type"), "request": number, **request}
        answer = b'{"type":"' + {"list": "page"}.get(request["type"], request["type"]).encode() + b'"'
        start = time.perf_counter()
        session.send(request)
        payload = session.receive()
        # The last of what the filling led to may still be on its way.
        while payload.startswith((b'{"type":"change"', b'{"type":"ack"', b'{"type":"presence"')):
            start = time.perf_counter()
            payload = session.receive()
        times.append((time.perf_counter() - start) * 1_000)
        if not payload.startswith(answer):
            raise SystemExit(payload.decode())
    return sorted(times), number


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    generator = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="huddle-queries") as folder:
        data = folder + "/data"

        def huddled(*words):
            return subprocess.run([PROGRAMS / "huddled", *words, "--data", data, "--json"], check=True, capture_output=True, text=True).stdout

        family = json.loads(huddled("init", "--family", "Bench", "--zone", "America/Chicago", "--parent", "Ana"))
        athletes = [json.loads(huddled("invite", "--family", family["family"], "--role", "athlete", "--name", name, "--born", "2010-05-05",
                                       "--by", family["member"]))["member"] for name in ("Leo", "Maya")]
        token = json.loads(huddled("token", "--member", family["member"]))["token"]
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        def start():
            server = subprocess.Popen(
                [PROGRAMS / "huddled", "serve", "--data", data, "--listen", f"127.0.0.1:{port}", "--mutations-per-second", "0"],
                stdout=subprocess.DEVNULL, stderr=open(folder + "/log", "wb"))
            for _ in range(200):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            return server

        server = start()
        try:
            session = Session(port, token, family["family"])
            events, schools = fill(session, athletes, generator)
            number = 0
            worst = 0.0
            print(f"{'question':38} {'answers':>8} {'first':>8} {'p50':>8} {'p99':>8} {'max':>8} {'server CPU':>11}   (ms)")
            for name, make in questions(events, schools, athletes, generator).items():
                # The reader that answers first reads the records; there are two.
                first, number = measure(session, make, 0, number)
                before = processor_time(server.pid)
                times, number = measure(session, make, SECONDS, number)
                used = (processor_time(server.pid) - before) * 1_000 / len(times)
                p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
                worst = max(worst, p99)
                print(f"{name:38} {len(times):8} {first[-1]:8.2f} {times[len(times) // 2]:8.2f} {p99:8.2f} {times[-1]:8.2f} {used:11.2f}", flush=True)
            print(f"largest p99: {worst:.2f} ms")
            for name, cursor in (("joined with a snapshot", None), ("joined with a cursor", Session(port, token, family["family"]).cursor)):
                firsts = []
                for _ in range(5):
                    server.terminate()
                    server.wait()
                    server = start()
                    session = Session(port, token, family["family"], cursor)
                    begin = time.perf_counter()
                    session.send({"type": "list", "request": 1, "kind": "event", "limit": 50})
                    session.until("page")
                    firsts.append((time.perf_counter() - begin) * 1_000)
                print(f"first list after a start, {name}: {' '.join(f'{first:.1f}' for first in sorted(firsts))} ms")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
