"""Writes the fixtures of MigrationTests with a built program: a database with content of every kind, as SQL, and the mutations that the server
answered, with their answers.

    python make.py HUDDLED NAME      makes NAME.sql and NAME.answers beside this script

It runs with any release: kinds, uploads and share links that a server does not have are left out. Needs the package `websockets`.
Ids are counted; times and secrets are those of the run, so each run writes other octets. Make a fixture once per release and keep it.
"""
import asyncio
import base64
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

from websockets import connect

PROGRAM, NAME = sys.argv[1], sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent
made = 0


def new_id(group):
    global made
    made += 1
    return f"01920000-{group:04x}-7000-8000-{made:012x}"


def huddled(*words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], check=True, capture_output=True, text=True).stdout.strip().split("\n")[-1])


class Member:
    """A connection of one member, which awaits the receipt of each mutation."""

    def __init__(self, port, family, member, token, group, lines, context="all"):
        self.context = context
        self.port, self.family, self.member, self.token, self.lines = port, family, member, token, lines
        self.client, self.number, self.group = new_id(group), 0, group

    async def __aenter__(self):
        self.socket = await connect(f"ws://127.0.0.1:{self.port}/ws", subprotocols=["huddle.v1"], max_size=None)
        await self.say(type="sign_in", token=self.token)
        self.features = (await self.hear("welcome")).get("features", [])
        await self.say(type="join", family=self.family, client=self.client, context=self.context)
        await self.hear("live")
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def say(self, **frame):
        await self.socket.send(json.dumps(frame, separators=(",", ":"), ensure_ascii=False))

    async def hear(self, *types):
        while True:
            text = await self.socket.recv()
            frame = json.loads(text)
            if frame["type"] in types:
                self.text = text
                return frame
            if frame["type"] == "error":
                raise SystemExit(f"{self.text_sent}: {text}")

    async def mutate(self, *operations, **more):
        """One mutation; the frame of its receipt, which is kept for the test."""
        self.number += 1
        frame = {"type": "mutate", "mutation": self.number} | ({"operations": operations} if operations else {}) | more
        self.text_sent = json.dumps(frame, separators=(",", ":"), ensure_ascii=False)
        await self.socket.send(self.text_sent)
        answer = await self.hear("ack", "reject")
        assert answer["mutation"] == self.number, answer
        if not answer.get("retry"):
            self.lines.append("\t".join([self.family, self.member, self.client, self.text_sent, self.text]))
        return answer

    async def does(self, *operations, **more):
        answer = await self.mutate(*operations, **more)
        if answer["type"] != "ack":
            raise SystemExit(f"{self.text_sent}: {self.text}")
        return answer

    async def is_refused(self, code, *operations, **more):
        answer = await self.mutate(*operations, **more)
        if answer.get("code") != code:
            raise SystemExit(f"{self.text_sent}: {self.text}, not {code}")


def create(kind, id, athlete=None, **fields):
    return {"op": "create", "kind": kind, "id": id} | ({"athlete": athlete} if athlete else {}) | {"fields": fields}


def update(kind, id, base, **fields):
    return {"op": "update", "kind": kind, "id": id, "base": base, "fields": fields}


def delete(kind, id, base):
    return {"op": "delete", "kind": kind, "id": id, "base": base}


def restore(kind, id, base):
    return {"op": "restore", "kind": kind, "id": id, "base": base}


async def first_release(parent, athlete, leo, group):
    """The records of 0.1.0: schools, coaches, events, messages, with edits, deletions, restorations, conflicts and refusals."""
    schools = [new_id(group) for _ in range(4)]
    await parent.does(*[create("school", id, name=f"Université {n} “Łódź”", location="Rouyn, QC", notes="日本 ☂") for n, id in enumerate(schools)])
    coaches = [new_id(group) for _ in range(5)]
    for n, id in enumerate(coaches):
        await parent.does(create("coach", id, first_name=f"Dana {n}", last_name="Whitlock", school_id=schools[n % 3], role="head", email=f"d{n}@example.com"))
    events = [new_id(group) for _ in range(8)]
    for n, id in enumerate(events):
        await athlete.does(create(
            "event", id, leo, type=["camp", "showcase", "official_visit", "unofficial_visit", "game"][n % 5], name=f"Camp {n}", start_date=f"2027-0{1 + n % 9}-1{n % 9}",
            start_time="09:30", school_id=schools[n % 4], cost="150.5", city="Albany", state="ny", time_zone="America/New_York"))
    for n, id in enumerate(events[:6]):
        await parent.does(update("event", id, 1, name=f"Camp {n}, moved", registered=True, url=None))
        await parent.does({"op": "update", "kind": "event", "id": id, "base": 2, "add": {"coaches_present": coaches[n % 3:n % 3 + 2]}})
    await athlete.does({"op": "update", "kind": "event", "id": events[0], "base": 3, "merge": "disjoint", "fields": {"description": "Bring cleats.\nAnd water."}, "remove": {"coaches_present": coaches[:1]}})
    await athlete.does(update("event", events[1], 3, attended=True, stats_recorded={"hits": [1, 2, {"x": None}], "é": "ü"}, performance_notes="Two throws."))
    await parent.does(delete("event", events[6], 1), delete("school", schools[3], 1))
    await parent.does(delete("event", events[7], 1))
    await parent.does(restore("event", events[7], 2))
    messages = [new_id(group) for _ in range(7)]
    for n, id in enumerate(messages):
        await (parent if n % 2 else athlete).does(create("message", id, text=f"Message {n}: dinner at seven? 👍🏽", **({"about": {"kind": "event", "id": events[n]}} if n < 5 else {})))
    await athlete.does(update("message", messages[0], 1, text="Dinner at eight."))
    await parent.does(delete("message", messages[1], 1))
    # Nothing changes; what is refused is refused for good.
    await parent.does(update("event", events[2], 3, name="Camp 2, moved"))
    await parent.is_refused("conflict", update("event", events[0], 1, name="Too late"))
    await parent.is_refused("conflict", update("event", events[6], 1, name="Gone"))
    await parent.is_refused("required", create("event", new_id(group), leo, type="camp", start_date="2027-01-01"))
    await parent.is_refused("unknown_reference", create("coach", new_id(group), first_name="A", last_name="B", school_id=new_id(group)))
    await parent.is_refused("already_exists", create("school", schools[0], name="Twice"))
    return schools, coaches, events


async def later_releases(port, parent, athlete, leo, group, schools, coaches, events):
    """The records since 0.1.0: trips, metrics, interactions, positions, undo, documents with files and share links."""
    trip, other = new_id(group), new_id(group)
    items = [new_id(group) for _ in range(6)]
    await parent.does(create("trip", trip, name="Spring tour", start_date="2027-03-01", end_date="2027-03-08", participants=[leo], location="Ohio"))
    for n, id in enumerate(items):
        await parent.does(create("trip_item", id, trip_id=trip, title=f"Stop {n}", start_time=f"2027-03-0{1 + n}T10:00", end_time=f"2027-03-0{1 + n}T11:00", category="activity"))
    await parent.does(update("trip_item", items[0], 1, title="First stop", description="Gate 4"))
    await parent.does(delete("trip_item", items[5], 1))
    await parent.does({"op": "shift", "kind": "trip", "id": trip, "base": 1, "days": 2})
    await parent.does({"op": "copy", "kind": "trip", "id": other, "from": trip, "days": 60})
    metrics = [new_id(group) for _ in range(4)]
    for n, id in enumerate(metrics):
        await athlete.does(create("metric", id, leo, metric_type="exit_velo", value=f"{80 + n}.5", event_id=events[n]))
    await athlete.does(create("interaction", new_id(group), leo, interaction_type="email", direction="outbound", content="Thank you.", event_id=events[0], coach_id=coaches[0]))
    undone = (await parent.does(update("school", schools[1], 1, notes="To be undone")))["seq"]
    await parent.does(undo=undone)
    # Its id is that of the member with another version.
    position = athlete.member[:14] + format(15 - int(athlete.member[14], 16), "x") + athlete.member[15:]
    await athlete.does(create("reading_position", position, sequence=undone))
    await parent.does(delete("event", events[2], 3))
    await parent.is_refused("required", create("trip", new_id(group), start_date="2027-01-01"))

    def ask(method, path, content=b"", **fields):
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", content, method=method, headers={"Authorization": f"Bearer {parent.token}"} | {
            name.replace("_", "-"): value for name, value in fields.items()})
        return urllib.request.urlopen(request)

    def upload(title, content, **more):
        words = {"family": parent.family, "athlete": leo, "type": "transcript", "title": title, "filename": "t.txt"} | more
        metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in words.items())
        place = ask("POST", "/files", Tus_Resumable="1.0.0", Upload_Length=str(len(content)), Upload_Metadata=metadata).headers["Location"]
        done = ask("PATCH", place, content, Tus_Resumable="1.0.0", Upload_Offset="0", Content_Type="application/offset+octet-stream")
        return place.rsplit("/", 1)[1], done

    # A look at an athlete's season, for the access log.
    async with Member(port, parent.family, parent.member, parent.token, group, [], context=leo):
        pass
    # The test makes the files of these texts.
    first, _ = await asyncio.to_thread(upload, "Transcript", b"Transcript, first version\n", school_id=schools[0])
    second, _ = await asyncio.to_thread(upload, "Transcript", b"Transcript, second version\n", replaces=first)
    third, _ = await asyncio.to_thread(upload, "Notes", b"Notes\n")
    links = []
    for document, school in ((second, schools[0]), (second, schools[1]), (third, schools[2])):
        answer = await asyncio.to_thread(lambda: json.load(ask("POST", f"/documents/{document}/shares", json.dumps({"school": school, "days": 30}).encode(), Content_Type="application/json")))
        links.append(answer | {"document": document})
    for path in (links[0]["url"], links[0]["url"] + "/file", links[1]["url"]):
        await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}{path}").read())
    await asyncio.to_thread(lambda: ask("DELETE", f"/documents/{third}/shares?share={links[2]['id']}").read())
    await parent.does(delete("document", third, 2))
    return links[0]["url"]


async def redeem(port, code, group):
    """Uses an invite's code, which leaves a person and a session."""
    is_first = "0.1.0" in subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    secret = {"client": new_id(group)} if is_first else {"nonce": "9d1f6b0c3e7a4852c06e5fb18a2d7394"}
    async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=["huddle.v1"]) as socket:
        await socket.send(json.dumps({"type": "redeem", "code": code} | secret))
        assert json.loads(await socket.recv())["type"] == "token"


async def make(data):
    lines = []
    families = []
    for group, name in enumerate(["Rivera", "Łukasz & sons", "Empty"], 1):
        home = huddled("init", "--data", data, "--family", name, "--zone", "America/New_York", "--parent", f"Ana {group}")
        family, parent = home["family"], home["member"]
        members = {}
        for who, role, more in (("Leo", "athlete", ["--born", "2010-05-05", "--by", parent]), ("Grandma", "guest", []), ("Max", "parent", [])):
            members[who] = huddled("invite", "--data", data, "--family", family, "--name", who, "--role", role, *more)
        leo = members["Leo"]["member"]
        tokens = {who: huddled("token", "--data", data, "--member", member)["token"] for who, member in (("parent", parent), ("Leo", leo))}
        families.append((group, family, parent, leo, tokens, members["Max"]["code"]))
    server = subprocess.Popen([PROGRAM, "serve", "--data", data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        while " serves " not in (line := server.stdout.readline()):
            assert line, "the server ended"
        port = line.rsplit(":", 1)[1].split("/")[0]
        link = ""
        for group, family, parent, leo, tokens, code in families[:2]:
            await redeem(port, code, group)
            async with Member(port, family, parent, tokens["parent"], group, lines) as one, Member(port, family, leo, tokens["Leo"], group, lines) as two:
                things = await first_release(one, two, leo, group)
                if "kinds" in one.features:
                    link = await later_releases(port, one, two, leo, group, *things)
        head = "\t".join(["token", families[0][1], families[0][2], families[0][4]["parent"], link])
    finally:
        server.terminate()
        server.wait()
    return [head, *lines]


def readable(match):
    """A blob of text as text: half as long, and readable."""
    try:
        text = bytes.fromhex(match[1]).decode()
    except UnicodeDecodeError:
        return match[0]
    return "CAST('" + text.replace("'", "''") + "' AS BLOB)" if text.isprintable() else match[0]


with tempfile.TemporaryDirectory() as folder:
    data = folder + "/data"
    lines = asyncio.run(make(data))
    database = sqlite3.connect(data + "/huddle.db")
    version, application = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id"))
    dump = [f"PRAGMA application_id = {application};", f"PRAGMA user_version = {version};", 
            *(re.sub(r"X'((?:[0-9A-F]{2}){17,})'", readable, line) for line in database.iterdump())]
    (HERE / f"{NAME}.sql").write_text("\n".join(dump) + "\n")
    (HERE / f"{NAME}.answers").write_text("\n".join(lines) + "\n")
    print(f"version {version}, {len(lines) - 1} answers, {sum(len(line) for line in dump)} octets")
