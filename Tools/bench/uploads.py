#!/usr/bin/env python3
"""Uploads beside nginx: throughput of 100 MB, memory, and what others in the room notice.

uploads.py HUDDLED [ROUNDS] [--apart]     a release build; nginx with the dav module (Debian: nginx-light has it), a C compiler

One round: the same 100 MB file by PUT to nginx and by tus to Huddle, one after the other, each order in turn; medians over the rounds. To separate hash and sync
apart, to the same program three more times: with syncs that return immediately, with a SHA-256 that takes 64 octets of each portion, with both; a library that is loaded
before the others does that (LD_PRELOAD). The difference of a round is their cost: both happen while it writes, so their own duration shows
nothing. `--apart` ends here. Then one and twenty uploads
together, as fast as they go and with 5 MB/s each: peak of the memory that is the server's own above what it was, and how long a member of the same room waits
for the answer to a message during that time, and before it; as fast as they go five times, of which the middle one counts. Prints JSON.
"""
import http.client
import json
import os
import pathlib
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

SIZE = 100 << 20
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Python"))
from uploads import Server, TUS  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from abuse import Member  # noqa: E402


def content():
    block = os.urandom(1 << 20)
    return b"\0\0\0\x18ftypisom" + (block * (SIZE >> 20))[12:]


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# The same program without them: `huddled` syncs by these two, and digests what comes in portions by this one (everything else in one go).
APART = {
    "sync": "int fsync(int f) { return 0; }\nint fdatasync(int f) { return 0; }\n",
    # A little of each portion, so that each file keeps a digest of its own.
    "hash": "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stddef.h>\nint EVP_DigestUpdate(void *c, const void *d, size_t n) {\n"
            "static int (*real)(void *, const void *, size_t);\nif (!real) *(void **)&real = dlsym(RTLD_NEXT, \"EVP_DigestUpdate\");\n"
            "return real(c, d, n < 64 ? n : 64);\n}\n",
}


def without(folder, *what):
    """A library that takes the place of what is called there: what to start a server with."""
    library = f"{folder}/without-{'-and-'.join(what)}.so"
    code = "".join(APART[name] for name in reversed(what))
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "telling hash and sync apart needs a C compiler"
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", library, "-ldl"], input=code.encode(), check=True)
    return {"LD_PRELOAD": library}


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


def proves(server, name):
    """Checks that the parts to be left out are missing, so that nothing is measured twice."""
    assert f"without-{name}.so" in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text(), f"the server is not the one without {name}"


def throughput(program, server, rounds):
    """Medians over the rounds, by PUT and by tus."""
    octets = content()
    libraries = tempfile.mkdtemp(prefix="huddle-apart-")
    others = {"-and-".join(what): Server(program, environment=without(libraries, *what)) for what in (("sync",), ("hash",), ("sync", "hash"))}
    nginx = Nginx()
    try:
        runs = {"nginx": nginx.put, "huddle": lambda file: upload(server, file, "A file")}
        for name, other in others.items():
            proves(other, name)
            runs["without_" + name.replace("-", "_")] = lambda file, other=other: upload(other, file, "A file")
        for name in runs:
            runs[name](octets[:1 << 20])
        times = {name: [] for name in runs}
        for number in range(rounds):
            for name in list(runs) if number % 2 else reversed(list(runs)):
                # Another file each time: what is there already is not written again.
                times[name].append(runs[name](octets[:12] + os.urandom(8) + octets[20:]))
        took = {name: statistics.median(seconds) for name, seconds in times.items()}
        return {
            **{name + "_mb_s": round(SIZE / seconds / 1e6) for name, seconds in took.items()},
            "ratio": round(took["nginx"] / took["huddle"], 2), "ratio_without_hash_and_sync": round(took["nginx"] / took["without_sync_and_hash"], 2),
            "sync_ms": round(1e3 * (took["huddle"] - took["without_sync"])), "hash_ms": round(1e3 * (took["huddle"] - took["without_hash"])),
            "sync_and_hash_ms": round(1e3 * (took["huddle"] - took["without_sync_and_hash"])),
        }
    finally:
        nginx.end()
        for other in others.values():
            other.end()
        shutil.rmtree(libraries)


def memory(process):
    """Octets that are the process's own now: pages of files are the kernel's."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith(("RssAnon:", "RssShmem:")))


class Watch(threading.Thread):
    """The most memory that a process has while something happens."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.most, self.over = process, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.01):
            self.most = max(self.most, memory(self.process))

    def end(self):
        self.over.set()
        self.join()
        return self.most


def witness(port, token, family):
    """In a process of its own, before others if it may be: says something fifty times a second until its input ends, and reports how long each answer took."""
    try:
        os.nice(-10)
    except OSError:
        pass
    member = Member(port, token, family, str(uuid.uuid4()))
    print("ready", flush=True)
    times = []
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        begun = time.monotonic()
        member.mutate("How far is it?")
        member.until("ack")
        times.append(time.monotonic() - begun)
    print(json.dumps(times))


class Room:
    """A member of the family that uploads, who writes all the while."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "witness", str(server.port), server.family], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | {"HUDDLE_TOKEN": server.token})
        assert self.process.stdout.readline() == b"ready\n"

    def end(self):
        ordered = sorted(json.loads(self.process.communicate()[0]))
        return {"p50_ms": round(1e3 * statistics.median(ordered), 2), "p99_ms": round(1e3 * ordered[int(len(ordered) * 0.99)], 2), "messages": len(ordered)}


def sender(port, token, path, size, rate):
    """One upload in a process of its own, so that the clients' threads do not wait for each other; `rate` in octets a second, 0 for all there is.
    It begins when it is given a line: the processor time of twenty starting interpreters is not part of an upload."""
    code = (
        "import http.client,os,sys,time;port,path,size,rate=sys.argv[1:];size=int(size);rate=float(rate)\n"
        "b=b'\\0\\0\\0\\x18ftypisom'+os.urandom(65524);l=http.client.HTTPConnection('127.0.0.1',int(port));l.connect()\n"
        "print(flush=True);sys.stdin.readline();l.putrequest('PATCH',path)\n"
        "[l.putheader(*h) for h in (('Tus-Resumable','1.0.0'),('Authorization','Bearer '+os.environ['HUDDLE_TOKEN']),('Upload-Offset','0'),"
        "('Content-Type','application/offset+octet-stream'),('Content-Length',str(size)))];l.endheaders();t=time.monotonic()\n"
        "for n in range(size//65536):\n"
        "  l.send(b)\n"
        "  if rate: time.sleep(max(0,t+(n+1)*65536/rate-time.monotonic()))\n"
        "s=l.getresponse().status;sys.exit(0 if s==204 else s%100+100)")
    return subprocess.Popen(
        [sys.executable, "-c", code, str(port), path, str(size), str(rate)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | {"HUDDLE_TOKEN": token})


def many(server, count, rate=0):
    paths = []
    for number in range(count):
        fields = {**TUS, "Upload-Length": str(SIZE), "Upload-Metadata": server.metadata(f"Film {number}")}
        status, answer, text = server.ask("POST", "/files", fields, b"")
        assert status == 201, (status, text)
        paths.append(answer["location"])
    room = Room(server)
    time.sleep(4)
    before = room.end()
    held = memory(server.process)
    children = [sender(server.port, server.token, path, SIZE, rate) for path in paths]
    for child in children:
        child.stdout.readline()
    room, watch = Room(server), Watch(server.process)
    watch.start()
    begun, used = time.monotonic(), cpu(server.process)
    for child in children:
        child.stdin.write(b"\n")
        child.stdin.flush()
    codes = [child.wait() for child in children]
    took, used = time.monotonic() - begun, cpu(server.process) - used
    during = room.end()
    peak = watch.end()
    assert not any(codes), codes
    return {
        "uploads": count, "mb_s_each": rate / 1e6, "seconds": round(took, 2), "mb_s": round(count * SIZE / took / 1e6), "cpu_s": round(used, 2),
        "memory_above_mb": round((peak - held) / 1e6, 1), "before": before, "during": during,
        "p50_times": round(during["p50_ms"] / before["p50_ms"], 2), "p99_times": round(during["p99_ms"] / before["p99_ms"], 2)}


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    if sys.argv[1] == "witness":
        return witness(int(sys.argv[2]), os.environ["HUDDLE_TOKEN"], sys.argv[3])
    words = [word for word in sys.argv[1:] if word != "--apart"]
    program, rounds, load = words[0], int(words[1]) if len(words) > 1 else 5, os.getloadavg()[0]
    server = Server(program)
    try:
        result = {**throughput(program, server, rounds), "load_before": load}
        if "--apart" in sys.argv:
            return print(json.dumps(result, indent=1))
        result["one"] = many(server, 1)
        result["twenty_5_mb_s"] = many(server, 20, 5e6)
        # A few hundred messages have two or three past their p99: the middle of five runs, each with a server of its own, for its room.
        runs = []
        for _ in range(5):
            server.end()
            os.sync()
            server = Server(program)
            runs.append(many(server, 20))
        result["twenty"] = sorted(runs, key=lambda run: run["p99_times"])[2]
        result["twenty_each"] = [(run["mb_s"], run["p50_times"], run["p99_times"]) for run in runs]
        print(json.dumps(result, indent=1))
    finally:
        server.end()


if __name__ == "__main__":
    main()
