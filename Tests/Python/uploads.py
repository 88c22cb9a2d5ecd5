#!/usr/bin/env python3
"""Uploads against the real server: cut and killed at random places, in both protocols, by several at once, and by tuspy.

uploads.py HUDDLED interrupt ROUNDS [SEED]   each round one file; the server is killed (SIGKILL) or the client cut at random offsets
uploads.py HUDDLED concurrent [SEED]         several uploads at once, and several PATCHes for one
uploads.py HUDDLED tuspy                     tuspy as it is, cut and resumed; needs it importable

Prints one line of JSON with what was done, and ends with 1 and a sentence when an octet is wrong.
"""
import base64
import hashlib
import json
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

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="huddle-uploads-")
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
                [self.program, "serve", "--data", self.folder, "--listen", f"127.0.0.1:{self.port}"], stdout=subprocess.PIPE,
                stderr=open(os.path.join(self.folder, "log"), "ab"))
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
    """What a request says, and what it is answered, in tus (0) or the draft's interop version."""
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
            # Another client may go on in the other protocol; which one it is nobody remembers.
            version = chance.choice([0, 3, 5, 6, 8])
            offset = offset_of(server, version, path)
            assert offset >= told, f"round {number}: the offset went back from {told} to {offset}"
            told = offset
            tries += 1
            if tries > 4:
                link = patch(server, version, path, content, offset)
                status = answer(link)
                link.close()
                # What was sent on a connection that is cut can be read after the HEAD that came later, and then goes before this.
                if status in (409, 503) and tries < 20:
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
    server.kill()
    server.start()
    left = [p.name for p in pathlib.Path(server.folder, "uploads").iterdir() if p.suffix == ".part"]
    assert not left, f"parts are left: {left}"
    return {"rounds": rounds, "seed": seed, "kills": kills, "cuts": cuts, "races": races}


def concurrent(server, seed):
    chance = random.Random(seed)
    # Several at once.
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
    # Several for one: the newest goes on, the older ones end, no octet is wrong.
    content = film(4_000_000, "one")
    path = create(server, 0, content, "For one")
    older = [patch(server, 0, path, content, 0, 700_000 + 1_000 * n) for n in range(1)]
    for _ in range(6):
        offset = offset_of(server, 0, path)
        older.append(patch(server, chance.choice([0, 8]), path, content, offset, min(len(content) - 1, offset + 100_000)))
    for _ in range(10):
        status = answer(patch(server, 0, path, content, offset_of(server, 0, path)))
        if status not in (409, 503):
            break
    assert status == 204, status
    refused = 0
    for link in older:
        try:
            refused += answer(link) >= 400
        except OSError:
            refused += 1
    assert refused == len(older), f"{refused} of {len(older)} older requests ended"
    assert server.blob(content).read_bytes() == content
    return {"at_once": len(paths), "older_requests_ended": refused}


def tuspy(server):
    from tusclient import client

    content = film(6_000_001, "tuspy")
    source = pathlib.Path(server.folder, "film.mp4")
    source.write_bytes(content)
    values = {"family": server.family, "athlete": server.athlete["member"], "type": "highlight_video", "title": "By tuspy", "filename": "film.mp4"}
    tus = client.TusClient(f"http://127.0.0.1:{server.port}/files", headers={"Authorization": f"Bearer {server.token}"})
    uploader = tus.uploader(str(source), chunk_size=1_000_000, metadata=values, upload_checksum=True)
    uploader.upload(stop_at=2_500_000)
    stopped = uploader.offset
    server.kill()
    server.start()
    again = tus.uploader(str(source), chunk_size=1_000_000, metadata=values, url=uploader.url)
    assert again.offset == stopped, (again.offset, stopped)
    again.upload()
    assert server.blob(content).read_bytes() == content
    return {"octets": len(content), "stopped_at": stopped}


def main():
    program, what, *rest = sys.argv[1:]
    server = Server(program)
    try:
        if what == "interrupt":
            seed = int(rest[1]) if len(rest) > 1 else random.randrange(1 << 32)
            print(json.dumps({"seed": seed}), file=sys.stderr)
            result = interrupt(server, int(rest[0]), seed)
        elif what == "concurrent":
            result = concurrent(server, int(rest[0]) if rest else 1)
        elif what == "tuspy":
            result = tuspy(server)
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
