#!/usr/bin/env python3
"""Uploads against the real server: cut and killed at random places, in both protocols, by several at the same time, and by tuspy.

uploads.py HUDDLED interrupt ROUNDS [SEED]   each round one file; the server is killed (SIGKILL) or the client cut at random offsets
uploads.py HUDDLED tuspy ROUNDS [SEED]       the same with tuspy as it is: its process or the server is killed; needs it importable
uploads.py HUDDLED concurrent [SEED]         several uploads at the same time, and several PATCHes for one
uploads.py HUDDLED quota [SEED]              members who race for what is left of a family's room
uploads.py HUDDLED full FOLDER               the data in FOLDER, a file system of a few megabytes: it is full at different moments

Prints one line of JSON with what was done, and ends with 1 and a sentence when an octet is wrong. Afterwards `huddled check --deep` finds nothing.
"""
import base64
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TUS = {"Tus-Resumable": "1.0.0"}


class Server:
    """A `huddled serve` in a fresh folder, with a family in it."""

    def __init__(self, program, folder=None, options=(), environment=None):
        self.program, self.options, self.environment = program, options, {**os.environ, **(environment or {})}
        self.folder = tempfile.mkdtemp(prefix="huddle-uploads-", dir=folder)
        demo = json.loads(subprocess.run([program, "demo", "--data", self.folder, "--json"], check=True, capture_output=True).stdout)
        self.family = demo["family"]
        self.parent = next(m for m in demo["members"] if m["role"] == "parent")
        self.athlete = next(m for m in demo["members"] if m["role"] == "athlete")
        self.token = self.parent["token"]
        self.port = 0
        self.start()

    def start(self):
        for _ in range(20):
            self.process = subprocess.Popen(
                [self.program, "serve", "--data", self.folder, "--listen", f"127.0.0.1:{self.port}", *self.options], stdout=subprocess.PIPE,
                stderr=open(os.path.join(self.folder, "log"), "ab"), env=self.environment)
            line = self.process.stdout.readline().decode()
            if "ws://" in line:
                self.port = int(line.split("ws://")[1].split("/")[0].rsplit(":", 1)[1])
                return
            self.process.wait()
        raise SystemExit(f"the server does not start: {line}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.folder)

    def check(self, leftovers=()):
        """Stops the server and lets `huddled check` read everything; starts it again. Nothing is left of any upload but how it ended."""
        assert self.process.poll() is None, "the server ended by itself"
        self.kill()
        ran = subprocess.run([self.program, "check", "--data", self.folder, "--deep", "--json"], capture_output=True)
        report = json.loads(ran.stdout)
        assert ran.returncode == 0 and report["status"] == "agrees", report
        assert all(found["code"] in leftovers for found in report["findings"]), report["findings"]
        self.start()
        return report

    def blob(self, content):
        digest = hashlib.sha256(content).hexdigest()
        return pathlib.Path(self.folder, "blobs", self.family, digest[:2], digest)

    def ask(self, method, path, fields=None, body=b""):
        """One request; (status, fields, content). http.client takes a 104 for the final answer, so it only reads here."""
        head = {"Host": "h", "Authorization": f"Bearer {self.token}", "Content-Length": str(len(body)), **(fields or {})}
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as link:
            link.sendall((f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in head.items()) + "\r\n").encode() + body)
            return final(link, method)

    def metadata(self, title, kind="highlight_video", name="film.mp4", **more):
        values = {"family": self.family, "athlete": self.athlete["member"], "type": kind, "title": title, "filename": name, **more}
        return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


def film(length, seed):
    return (b"\0\0\0\x18ftypisom" + random.Random(seed).randbytes(max(0, length - 12)))[:length]


def dialect(version):
    """The fields of a request and of its answer, in tus (0) or the draft's interop version."""
    if version == 0:
        return dict(TUS)
    return {"Upload-Draft-Interop-Version": str(version)}


def completes(version, is_last):
    if version == 0:
        return {}
    if version == 3:
        return {"Upload-Incomplete": "?0" if is_last else "?1"}
    return {"Upload-Complete": "?1" if is_last else "?0"}


def create(server, version, content, title):
    if version == 0:
        fields = {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": server.metadata(title)}
    else:
        fields = {**dialect(version), **completes(version, False), "Huddle-Metadata": server.metadata(title)}
        if version >= 6:
            fields["Upload-Length"] = str(len(content))
    status, answer, text = server.ask("POST", "/files", fields, b"")
    assert status == 201, (status, text)
    return answer["location"]


def patch(server, version, path, content, offset, cut=None):
    """Sends the rest from an offset on; only `cut` octets of it before the connection breaks. The socket stays open."""
    fields = {"Host": "h", "Authorization": f"Bearer {server.token}", "Upload-Offset": str(offset), **dialect(version), **completes(version, True)}
    fields["Content-Type"] = "application/offset+octet-stream" if version == 0 else "application/partial-upload"
    fields["Content-Length"] = str(len(content) - offset)
    head = f"PATCH {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n"
    link = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    try:
        link.sendall(head.encode() + content[offset:len(content) if cut is None else cut])
    except OSError:
        pass
    return link


def final(link, method):
    """The final answer on a socket; interim ones are passed over."""
    file = link.makefile("rb")
    while True:
        line = file.readline()
        if not line:
            raise ConnectionError("no answer")
        status, fields = int(line.split()[1]), {}
        while (line := file.readline().strip()):
            name, _, value = line.decode().partition(":")
            fields[name.lower()] = value.strip()
        if status >= 200:
            length = 0 if method == "HEAD" or status == 204 else int(fields.get("content-length", 0))
            return status, fields, file.read(length)


def answer(link):
    """The status of the final answer on a socket."""
    return final(link, "PATCH")[0]


def offset_of(server, version, path):
    begun = time.monotonic()
    status, fields, text = server.ask("HEAD", path, dialect(version))
    assert time.monotonic() - begun < 5, "HEAD took more than five seconds"
    assert status in (200, 204), (status, text)
    return int(fields["upload-offset"])


def interrupt(server, rounds, seed):
    chance = random.Random(seed)
    kills = cuts = races = 0
    for number in range(rounds):
        length = chance.choice([1, 5_000, 70_000, 1_000_000, 9_000_000, 20_000_000]) + chance.randrange(5_000)
        content = film(length, chance.random())
        version = chance.choice([0, 0, 3, 5, 6, 8])
        path = create(server, version, content, f"Film {number}")
        told = 0
        tries = 0
        while True:
            # Another client may continue in the other protocol; the server stores no protocol.
            version = chance.choice([0, 3, 5, 6, 8])
            offset = offset_of(server, version, path)
            assert offset >= told, f"round {number}: the offset went back from {told} to {offset}"
            told = offset
            tries += 1
            if tries > 4:
                link = patch(server, version, path, content, offset)
                status = answer(link)
                link.close()
                # Octets of a cut connection can be read after the later HEAD, and then precede this request.
                if status in (409, 423, 503) and tries < 20:
                    races += 1
                    continue
                assert status in (201, 204), (number, version, status)
                break
            cut = chance.randrange(offset, length + 1)
            link = patch(server, version, path, content, offset, cut)
            if chance.random() < 0.5:
                time.sleep(chance.random() * 0.03)
                server.kill()
                kills += 1
                link.close()
                server.start()
            else:
                link.close()
                cuts += 1
        assert server.blob(content).read_bytes() == content, f"round {number}: the file is another"
        status, fields, _ = server.ask("HEAD", path, TUS)
        assert status == 200 and fields["upload-offset"] == str(length), "what is finished is not remembered"
    return {"rounds": rounds, "seed": seed, "kills": kills, "cuts": cuts, "races": races, **nothing_left(server, rounds)}


def nothing_left(server, documents):
    """All files are there, nothing else is, and everything agrees."""
    report = server.check()
    left = [p.name for p in pathlib.Path(server.folder, "uploads").iterdir() if p.suffix == ".part"]
    assert not left, f"parts are left: {left}"
    blobs = [p for p in pathlib.Path(server.folder, "blobs").rglob("*") if p.is_file()]
    assert len(blobs) == report["files"] == documents, (len(blobs), report)
    return {"documents": report["documents"], "octets": report["octets"]}


def finish(server, path, content, offset):
    """Sends the rest, as a client that knows of others: a request that was begun a moment before may be read after this one, and take its turn."""
    for _ in range(10):
        status = answer(patch(server, 0, path, content, offset))
        if status not in (409, 423, 503):
            break
        offset = offset_of(server, 0, path)
    assert status == 204, status


def concurrent(server, seed):
    chance = random.Random(seed)
    # Several at the same time.
    contents = [film(3_000_000 + n, n) for n in range(8)]
    paths = [create(server, [0, 8][n % 2], c, f"At once {n}") for n, c in enumerate(contents)]
    statuses = [None] * len(paths)

    def send(n):
        statuses[n] = answer(patch(server, [0, 8][n % 2], paths[n], contents[n], 0))

    threads = [threading.Thread(target=send, args=(n,)) for n in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(s in (201, 204) for s in statuses), statuses
    for content in contents:
        assert server.blob(content).read_bytes() == content
    # Several for one: the newest continues, the older ones end, no octet is wrong.
    content = film(4_000_000, "one")
    path = create(server, 0, content, "For one")
    older = [patch(server, 0, path, content, 0, 700_000 + 1_000 * n) for n in range(1)]
    for _ in range(6):
        offset = offset_of(server, 0, path)
        older.append(patch(server, chance.choice([0, 8]), path, content, offset, min(len(content) - 1, offset + 100_000)))
    finish(server, path, content, offset_of(server, 0, path))
    refused = 0
    for link in older:
        try:
            refused += answer(link) >= 400
        except OSError:
            refused += 1
    assert refused == len(older), f"{refused} of {len(older)} older requests ended"
    assert server.blob(content).read_bytes() == content
    held = stalled(server)
    looked = watched(server)
    won = [race(server, chance, number) for number in range(12)]
    return {"at_once": len(paths), "older_requests_ended": refused, "taken_from_stalled": held, "looks_at_a_slow_one": looked, "of_six_stored": won,
            **nothing_left(server, 8 + 1 + 1 + 1 + 12)}


def stalled(server):
    """A client that holds its request open and sends nothing keeps nobody from the upload."""
    content = film(2_000_000, "stalled")
    path = create(server, 0, content, "Stalled")
    held = []
    # Asking ends the request that is asked about, so it may take several.
    while (offset := offset_of(server, 0, path)) < 300_000:
        held.append(patch(server, 0, path, content, offset, 300_000))
        time.sleep(0.05)
    for _ in range(5):
        held.append(patch(server, 0, path, content, 300_000, 300_000))
        begun = time.monotonic()
        assert offset_of(server, 0, path) == 300_000
        assert time.monotonic() - begun < 2, "an idle request held the upload"
    held.append(patch(server, 0, path, content, 300_000, 300_000))
    finish(server, path, content, 300_000)
    for link in held:
        link.close()
    assert server.blob(content).read_bytes() == content
    return len(held)


def watched(server):
    """A slow client that sends its file in one request is not disturbed by another that repeatedly asks and tries to continue."""
    content = film(400_000, "watched")
    path = create(server, 0, content, "Watched")
    link = patch(server, 0, path, content, 0, 10_000)
    looks = []

    def look():
        while not looks or looks[-1][0] < len(content):
            offset = offset_of(server, 0, path)
            looks.append((offset, 204 if offset == len(content) else answer(patch(server, 0, path, content, offset))))

    other = threading.Thread(target=look)
    other.start()
    for start in range(10_000, len(content), 10_000):
        time.sleep(0.1)
        link.sendall(content[start:start + 10_000])
    status = answer(link)
    other.join()
    assert status == 204, f"a request that went on was ended: {status}, {looks}"
    assert server.blob(content).read_bytes() == content
    return len(looks)


def race(server, chance, number):
    """Six clients send the same file from its beginning at one moment: one of them stores it, as it is, and the others are refused."""
    content = film(400_000 + chance.randrange(400_000), f"race {number}")
    path = create(server, 0, content, f"Race {number}")
    gate, statuses = threading.Barrier(6), []

    def send():
        gate.wait()
        link = patch(server, 0, path, content, 0)
        try:
            statuses.append(answer(link))
        except OSError:
            statuses.append(0)
        link.close()

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 6 and set(statuses) <= {0, 204, 409, 423} and statuses.count(204) == 1, statuses
    assert offset_of(server, 0, path) == len(content)
    assert server.blob(content).read_bytes() == content
    return statuses.count(204)


def quota(server, seed):
    """Twelve begin at the same time where four have room, repeatedly; the promised and the stored octets are never more than the family's room."""
    chance = random.Random(seed)
    size, stored = 2_000_000, 0
    refused = 0
    for number in range(3):
        answers = [None] * 12
        gate = threading.Barrier(12)

        def begin(n):
            content = film(size, f"quota {number} {n}")
            fields = {**TUS, "Upload-Length": str(size), "Upload-Metadata": server.metadata(f"Race {n}")}
            gate.wait()
            answers[n] = (*server.ask("POST", "/files", fields), content)

        threads = [threading.Thread(target=begin, args=(n,)) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = [a for a in answers if a[0] == 201]
        assert len(taken) == 4 - stored, [a[:3] for a in answers]
        for status, _, text, _ in answers:
            if status != 201:
                refused += 1
                assert status == 507 and json.loads(text)["code"] == "quota_exceeded" and "are free" in json.loads(text)["sentence"], (status, text)
        # One of unknown length may become what is left, and leaves nothing to others.
        unknown = film(1_500_000, f"unknown {number}")
        status, fields, text = server.ask("POST", "/files", {**TUS, "Upload-Defer-Length": "1", "Upload-Metadata": server.metadata("Unknown")})
        assert status == 201, (status, text)
        status, _, text = server.ask("POST", "/files", {**TUS, "Upload-Length": "1", "Upload-Metadata": server.metadata("One octet")})
        assert status == 507, (status, text)
        link = patch(server, 0, fields["location"], unknown, 0)
        status, _, text = final(link, "PATCH")
        link.close()
        assert status == 507 and json.loads(text)["code"] == "quota_exceeded", (status, text)
        status, _, text = server.ask("PATCH", fields["location"], {
            **TUS, "Upload-Offset": "0", "Upload-Length": "1500000", "Content-Type": "application/offset+octet-stream"})
        assert status == 507 and json.loads(text)["code"] == "quota_exceeded", (status, text)
        assert server.ask("DELETE", fields["location"], TUS)[0] == 204
        # One is brought to its end, the others are cancelled: their room is free immediately.
        keep = chance.randrange(len(taken))
        for n, (_, fields, _, content) in enumerate(taken):
            if n == keep:
                assert answer(patch(server, 0, fields["location"], content, 0)) == 204
                assert server.blob(content).read_bytes() == content
                stored += 1
            else:
                assert server.ask("DELETE", fields["location"], TUS)[0] == 204
    return {"rounds": 3, "refused": refused, "stored": stored, **nothing_left(server, stored)}


def full(server, folder):
    """Lets the disk be full with other amounts of room left: acknowledged octets stay, the server continues, and with room again the file becomes complete."""
    ballast = pathlib.Path(folder, "ballast")
    refusals, offsets, size = {}, [], 1_500_000
    rooms = [0, 4_096, 8_192, 16_384, 40_000, 80_000, 200_000, 500_000, 900_000, 1_400_000, 1_499_000, 1_503_000, 1_520_000, 1_600_000]

    def refusal(status, text):
        said = json.loads(text)
        assert status == 507 and said["code"] == "storage_full" and said["sentence"].endswith("."), (status, said)
        refusals[said["code"]] = refusals.get(said["code"], 0) + 1

    for number, room in enumerate(rooms):
        content = film(size, f"full {room}")
        left = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize - room
        path, told = None, 0
        with open(ballast, "wb") as file:
            try:
                for start in range(0, left, 1 << 16):
                    file.write(bytes(min(1 << 16, left - start)))
                file.flush()
            except OSError:
                pass
        for attempt in range(3):
            if attempt == 2:
                ballast.unlink()
            if path is None:
                fields = {**TUS, "Upload-Length": str(size), "Upload-Metadata": server.metadata(f"Room for {room}")}
                status, answered, text = server.ask("POST", "/files", fields)
                if status != 201:
                    assert attempt < 2, (status, text)
                    refusal(status, text)
                    continue
                path = answered["location"]
            # A nearly complete upload is completed by any client that asks, and may be refused for lack of room too.
            status, answered, text = server.ask("HEAD", path, TUS)
            if status != 200:
                assert status == 507 and attempt < 2, status
                continue
            offset = int(answered["upload-offset"])
            assert offset >= told, f"the offset went back from {told} to {offset}"
            told = offset
            link = patch(server, 0, path, content, offset)
            status, answered, text = final(link, "PATCH")
            link.close()
            if status == 204:
                assert int(answered["upload-offset"]) == size
                break
            assert attempt < 2, (status, text)
            refusal(status, text)
            offsets.append(offset_or_none(server, path))
        assert server.process.poll() is None, "the server ended"
        assert server.ask("GET", "/health")[0] == 200
        if ballast.exists():
            ballast.unlink()
        assert server.blob(content).read_bytes() == content, f"with {room} octets of room the file is another"
    assert refusals.get("storage_full", 0) >= len(rooms) - 4, refusals
    return {"full": len(rooms), "refusals": refusals, "offsets": offsets, **nothing_left(server, len(rooms))}


def offset_or_none(server, path):
    status, fields, _ = server.ask("HEAD", path, TUS)
    return int(fields["upload-offset"]) if status == 200 else None




class Fatal:
    """A file that is read as any other, and kills a process (SIGKILL) a moment after it was read up to a place."""

    def __init__(self, path, place, victim, delay):
        self.file, self.place, self.victim, self.delay = open(path, "rb"), place, victim, delay

    def read(self, count=-1):
        octets = self.file.read(count)
        if self.place is not None and self.file.tell() >= self.place:
            self.place = None
            threading.Timer(self.delay, os.kill, (self.victim or os.getpid(), signal.SIGKILL)).start()
        return octets

    def __getattr__(self, name):
        return getattr(self.file, name)


def by_tuspy(order):
    """In a process of its own: tuspy uploads a file, or resumes it, until it is done or killed. Prints the address first."""
    from tusclient import client

    tus = client.TusClient(f"http://127.0.0.1:{order['port']}/files", headers={"Authorization": f"Bearer {order['token']}"})
    source = Fatal(order["file"], order["place"], order["victim"], order["delay"])
    uploader = tus.uploader(
        file_stream=source, chunk_size=order["chunk"], metadata=order["metadata"], url=order["url"], upload_checksum=order["checksum"])
    if uploader.url is None:
        uploader.set_url(uploader.create_url())
        uploader.offset = 0
    print(uploader.url, flush=True)
    try:
        uploader.upload()
    except Exception as error:
        print(f"tuspy: {error}", file=sys.stderr)
        sys.exit(3)


def in_child(folder, order):
    """`by_tuspy` in a fork of this process: a program of its own would read tuspy and what it needs again for each attempt, which takes longer than the attempt."""
    output, errors = pathlib.Path(folder, "tuspy.output"), pathlib.Path(folder, "tuspy.errors")

    def run():
        for number, path in ((1, output), (2, errors)):
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, number)
        by_tuspy(order)

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    child.join(120)
    assert child.exitcode is not None, "tuspy does not end"
    return child.exitcode, output.read_text(), errors.read_text()


def tuspy(server, rounds, seed):
    from tusclient import client  # noqa: F401 (read once, for all children)

    chance = random.Random(seed)
    ends = {"server_killed": 0, "client_killed": 0, "gave_up": 0}
    for number in range(rounds):
        length = chance.choice([1, 50_000, 1_000_000, 6_000_000, 20_000_000]) + chance.randrange(5_000)
        content = film(length, chance.random())
        source = pathlib.Path(server.folder, "film.mp4")
        source.write_bytes(content)
        url, told = None, 0
        for attempt in range(12):
            place = chance.randrange(told, length) + 1 if attempt < 3 and told < length else None
            kills_server = chance.random() < 0.5
            order = {
                "port": server.port, "token": server.token, "file": str(source), "url": url, "place": place, "delay": chance.random() * 0.03,
                "victim": server.process.pid if kills_server else None, "chunk": chance.choice([length + 1, 1 + length // 3, 700_001 + chance.randrange(99)]),
                "checksum": chance.random() < 0.5,
                "metadata": {
                    "family": server.family, "athlete": server.athlete["member"], "type": "highlight_video", "title": f"By tuspy {number}",
                    "filename": "film.mp4"},
            }
            code, output, errors = in_child(server.folder, order)
            url = output.strip() or url
            if place is not None and kills_server and server.process.poll() is None and code != 0:
                # It gave up before the moment came, or the kill is on its way.
                server.process.wait(5)
            if server.process.poll() is not None:
                assert server.process.returncode == -signal.SIGKILL, f"the server ended by itself: {server.process.returncode}"
                ends["server_killed"] += 1
                server.start()
            elif code == -signal.SIGKILL:
                ends["client_killed"] += 1
            elif code:
                # A request that was cut off a moment ago may be read after the HEAD of the next; it is asked again.
                ends["gave_up"] += 1
            assert url, errors
            offset = offset_of(server, 0, "/files/" + url.rsplit("/", 1)[1])
            assert offset >= told, f"round {number}: the offset went back from {told} to {offset}"
            told = offset
            if code == 0 and place is None:
                break
        assert code == 0 and told == length, (number, code, errors)
        assert server.blob(content).read_bytes() == content, f"round {number}: the file is another"
    return {"rounds": rounds, "seed": seed, **ends, **nothing_left(server, rounds)}


def main():
    program, what, *rest = sys.argv[1:]
    # Room for four files of 2 MB and a little, which is less than a fifth.
    server = Server(program, rest[0] if what == "full" else None, ["--family-storage", "9M"] if what == "quota" else [])
    try:
        if what in ("interrupt", "tuspy"):
            seed = int(rest[1]) if len(rest) > 1 else random.randrange(1 << 32)
            print(json.dumps({"seed": seed}), file=sys.stderr)
            result = (interrupt if what == "interrupt" else tuspy)(server, int(rest[0]), seed)
        elif what == "concurrent":
            result = concurrent(server, int(rest[0]) if rest else 1)
        elif what == "quota":
            result = quota(server, int(rest[0]) if rest else 1)
        elif what == "full":
            result = full(server, rest[0])
        else:
            raise SystemExit(__doc__)
        print(json.dumps(result))
    except (AssertionError, OSError) as wrong:
        print(f"the server: {server.process.poll()}", file=sys.stderr)
        print(pathlib.Path(server.folder, "log").read_text()[-2_000:], file=sys.stderr)
        raise SystemExit(f"wrong: {wrong}")
    finally:
        server.end()


if __name__ == "__main__":
    main()
