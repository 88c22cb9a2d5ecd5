#!/usr/bin/env python3
"""Uploads beside nginx: throughput of 100 MB, memory, and what others in the room notice.

uploads.py HUDDLED [ROUNDS]     a release build; nginx with the dav module (Debian: nginx-extras, or libnginx-mod-http-dav-ext for PUT in folders)

One round: the same 100 MB file by PUT to nginx and by tus to Huddle, one after the other, each order in turn; medians over the rounds. Beside
it the time that hashing (SHA-256) and syncing such a file take here by themselves, so that they can be told apart. Then one and twenty uploads at
once: peak resident memory above what it was, and the latency of messages in a room meanwhile. Prints JSON.
"""
import base64
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SIZE = 100 << 20
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Python"))
from uploads import Server, TUS  # noqa: E402


def content():
    block = os.urandom(1 << 20)
    return b"\0\0\0\x18ftypisom" + (block * (SIZE >> 20))[12:]


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Nginx:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="huddle-nginx-")
        self.port = free_port()
        modules = "".join(f"load_module {m};" for m in pathlib.Path("/usr/lib/nginx/modules").glob("*dav*"))
        configuration = pathlib.Path(self.folder, "nginx.conf")
        configuration.write_text(
            f"{modules} daemon off; worker_processes 1; user root; pid {self.folder}/pid; error_log {self.folder}/log; events {{}} "
            f"http {{ access_log off; client_body_temp_path {self.folder}/t; client_max_body_size 0; server {{ listen 127.0.0.1:{self.port}; "
            f"root {self.folder}/root; location / {{ dav_methods PUT; create_full_put_path on; }} }} }}")
        os.mkdir(self.folder + "/root")
        self.process = subprocess.Popen(["nginx", "-c", str(configuration)], stderr=subprocess.DEVNULL)
        time.sleep(0.5)

    def put(self, octets):
        link = http.client.HTTPConnection("127.0.0.1", self.port)
        begun = time.monotonic()
        link.request("PUT", "/file", octets)
        status = link.getresponse().status
        took = time.monotonic() - begun
        assert status in (201, 204), status
        os.unlink(self.folder + "/root/file")
        return took

    def end(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


def upload(server, octets, title):
    """Seconds from the first octet of PATCH to its answer."""
    status, fields, text = server.ask("POST", "/files", {**TUS, "Upload-Length": str(len(octets)), "Upload-Metadata": server.metadata(title)}, b"")
    assert status == 201, (status, text)
    link = http.client.HTTPConnection("127.0.0.1", server.port)
    begun = time.monotonic()
    link.request(
        "PATCH", fields["location"], octets,
        {**TUS, "Authorization": f"Bearer {server.token}", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"})
    status = link.getresponse().status
    took = time.monotonic() - begun
    assert status == 204, status
    return took


def hash_and_sync(octets):
    """Seconds for SHA-256 of the file, and for the syncs that an upload of it makes beyond writing."""
    begun = time.monotonic()
    hashlib.sha256(octets)
    hashed = time.monotonic() - begun
    with tempfile.NamedTemporaryFile(dir=tempfile.gettempdir()) as file:
        synced = 0.0
        for start in range(0, len(octets), 8 << 20):
            file.write(octets[start:start + (8 << 20)])
            file.flush()
            begun = time.monotonic()
            os.fdatasync(file.fileno())
            synced += time.monotonic() - begun
    return hashed, synced


def memory(process):
    """Resident now and at most, in octets."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    value = lambda name: int(text.split(name + ":")[1].split()[0]) << 10
    return value("VmRSS"), value("VmHWM")


def reset_peak(process):
    pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")


class Room(threading.Thread):
    """A member who asks for the server's health ten times a second on one connection; the reactor answers as it answers frames."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.times, self.isOver = port, [], False

    def run(self):
        link = http.client.HTTPConnection("127.0.0.1", self.port)
        while not self.isOver:
            begun = time.monotonic()
            link.request("GET", "/health")
            link.getresponse().read()
            self.times.append(time.monotonic() - begun)
            time.sleep(0.02)

    def end(self):
        self.isOver = True
        self.join()
        ordered = sorted(self.times)
        return {"p50_ms": round(1e3 * statistics.median(ordered), 2), "p99_ms": round(1e3 * ordered[int(len(ordered) * 0.99)], 2), "asked": len(ordered)}


def sender(port, token, path, size):
    """One upload in a process of its own, so that the client's threads do not wait for each other."""
    code = (
        "import http.client,sys;port,token,path,size=sys.argv[1:];size=int(size)\n"
        "b=b'\\0\\0\\0\\x18ftypisom'+bytes(65524);l=http.client.HTTPConnection('127.0.0.1',int(port));l.putrequest('PATCH',path)\n"
        "[l.putheader(*h) for h in (('Tus-Resumable','1.0.0'),('Authorization','Bearer '+token),('Upload-Offset','0'),"
        "('Content-Type','application/offset+octet-stream'),('Content-Length',str(size)))];l.endheaders()\n"
        "for _ in range(size//65536): l.send(b)\n"
        "s=l.getresponse().status;sys.exit(0 if s==204 else s%100+100)")
    return subprocess.Popen([sys.executable, "-c", code, str(port), token, path, str(size)])


def many(server, count):
    paths = []
    for number in range(count):
        fields = {**TUS, "Upload-Length": str(SIZE), "Upload-Metadata": server.metadata(f"Film {number}")}
        status, answer, text = server.ask("POST", "/files", fields, b"")
        assert status == 201, (status, text)
        paths.append(answer["location"])
    reset_peak(server.process)
    before, _ = memory(server.process)
    room = Room(server.port)
    room.start()
    begun = time.monotonic()
    children = [sender(server.port, server.token, path, SIZE) for path in paths]
    codes = [child.wait() for child in children]
    took = time.monotonic() - begun
    assert not any(codes), codes
    _, peak = memory(server.process)
    return {"uploads": count, "seconds": round(took, 2), "memory_above_mb": round((peak - before) / (1 << 20), 1), "others": room.end()}


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    octets = content()
    server, nginx = Server(program), Nginx()
    try:
        times = {"nginx": [], "huddle": []}
        upload(server, octets[:1 << 20], "Warm")
        apart = []
        for number in range(rounds):
            order = ["nginx", "huddle"] if number % 2 else ["huddle", "nginx"]
            for name in order:
                # Another file each time: what is there already is not written again.
                mine = octets[:-8] + os.urandom(8)
                times[name].append(nginx.put(mine) if name == "nginx" else upload(server, mine, f"Round {number}"))
            apart.append(hash_and_sync(octets))
        put, tus = statistics.median(times["nginx"]), statistics.median(times["huddle"])
        hashed, synced = (statistics.median(x) for x in zip(*apart))
        result = {
            "nginx_mb_s": round(SIZE / put / 1e6), "huddle_mb_s": round(SIZE / tus / 1e6), "ratio": round(put / tus, 2),
            "hash_s": round(hashed, 3), "sync_s": round(synced, 3), "ratio_without_hash_and_sync": round(put / max(1e-9, tus - hashed - synced), 2),
        }
        idle = Room(server.port)
        idle.start()
        time.sleep(5)
        result["idle"] = idle.end()
        result["one"] = many(server, 1)
        result["twenty"] = many(server, 20)
        print(json.dumps(result, indent=1))
    finally:
        nginx.end()
        server.end()


if __name__ == "__main__":
    main()
