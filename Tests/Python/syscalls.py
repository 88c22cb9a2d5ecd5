#!/usr/bin/env python3
"""Whether every call that huddled makes of the kernel is one that its systemd unit allows: one that is not would end it.

syscalls.py HUDDLED UNIT [ROUNDS]

Runs the server under strace while files are uploaded in every protocol, cut, downloaded in parts and through TLS and made pictures of, a family is exported, and expands
the unit's SystemCallFilter by systemd-analyze. Runs as the calling user: as root SQLite makes calls that it does not make otherwise.
Prints one line of JSON; ends with 1 when a call is outside of the filter. Needs strace, openssl and systemd-analyze; pictures need poppler-utils and ffmpeg.
"""
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
import uploads


def allowed(unit):
    """The calls that the unit's filter leaves, in the order of its lines (systemd.exec(5), SystemCallFilter=)."""
    text = subprocess.run(["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True).stdout
    sets, name = {}, None
    for line in text.splitlines():
        if line.startswith("@"):
            name = line.strip()
            sets[name] = []
        elif name and line.strip() and not line.strip().startswith("#"):
            sets[name].append(line.strip())

    def expand(word):
        return {call for part in sets[word] for call in expand(part)} if word.startswith("@") else {word}

    calls = set()
    for line in open(unit):
        if line.startswith("SystemCallFilter="):
            words = line.split("=", 1)[1].split()
            removes = words[0].startswith("~")
            named = {call for word in words for call in expand(word.lstrip("~"))}
            calls = calls - named if removes else calls | named
    return calls


class Traced(uploads.Server):
    """The server under strace; what it starts is followed."""

    def start(self):
        self.trace = os.path.join(self.folder, "trace")
        key, self.certificate = os.path.join(self.folder, "key.pem"), os.path.join(self.folder, "certificate.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-days", "1", "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        tls = ["--tls-cert", self.certificate, "--tls-key", key, "--listen-tls", "127.0.0.1:0"]
        self.process = subprocess.Popen(
            ["strace", "-f", "-qq", "-A", "-e", "signal=none", "-s", "0", "-o", self.trace, self.program, "serve", "--data", self.folder,
             "--listen", "127.0.0.1:0", *tls], stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "log"), "ab"))
        line = self.process.stdout.readline().decode()
        if "wss://" not in line:
            line += self.process.stdout.readline().decode()
        self.port = int(re.search(r"ws://[^ /]*:(\d+)", line).group(1))
        self.tls_port = int(re.search(r"wss://[^ /]*:(\d+)", line).group(1))

    def child(self):
        """The server itself."""
        return int(subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()[0])

    def calls(self):
        """Names of the calls, each with the program that made it first where that is known."""
        found = {}
        for line in open(self.trace, errors="replace"):
            match = re.match(r"\d+ +(?:<\.\.\. )?([a-z_0-9]+)[( ]", line)
            if match:
                found.setdefault(match.group(1), line.strip()[:120])
        return found


def load(server, rounds):
    """Uploads whole and cut, several at the same time; downloads whole, in parts and by links; pictures."""
    ids = []
    for number in range(rounds):
        for version in (0, 3, 5, 6, 8):
            content = uploads.film(3_000_000, f"{number} {version}")
            path = uploads.create(server, version, content, f"Film {number} {version}")
            uploads.patch(server, version, path, content, 0, 1_000_000).close()
            # The server may read octets of a cut connection after it answered the request for the offset.
            for _ in range(20):
                # Not uploads.offset_of: nothing is fast under strace.
                offset = int(server.ask("HEAD", path, uploads.dialect(version))[1]["upload-offset"])
                status = uploads.answer(uploads.patch(server, version, path, content, offset))
                if status not in (409, 423, 503):
                    break
            assert status in (201, 204), status
            ids.append(path.rsplit("/", 1)[1])
    threads = [threading.Thread(target=lambda n=n: server.ask("GET", f"/documents/{ids[n % len(ids)]}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for fields in ({"Range": "bytes=0-99999"}, {"Range": "bytes=0-9,500-600"}):
        assert server.ask("GET", f"/documents/{ids[0]}", fields)[0] == 206
    status, _, text = server.ask("POST", f"/documents/{ids[0]}/link")
    assert status == 201 and server.ask("GET", json.loads(text)["url"], {"Authorization": ""})[0] in (200, 401, 404)
    pictures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, command in (
            ("a.mp4", "highlight_video", ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=duration=1:size=320x240", "-y", f"{folder}/a.mp4"]),
            ("a.pdf", "transcript", None),
        ):
            if command:
                try:
                    subprocess.run(command, check=True)
                except (OSError, subprocess.CalledProcessError):
                    continue
                content = open(f"{folder}/{name}", "rb").read()
            else:
                content = PAGE
            fields = {**uploads.TUS, "Upload-Length": str(len(content)), "Upload-Metadata": server.metadata(name, kind, name)}
            status, answer, text = server.ask("POST", "/files", {**fields, "Content-Type": "application/offset+octet-stream"}, content)
            assert status == 201, text
            pictures += server.ask("GET", f"/documents/{answer['location'].rsplit('/', 1)[1]}/thumbnail")[0] == 200
    server.ask("DELETE", uploads.create(server, 0, b"x" * 100, "Not to be"), uploads.TUS)
    for command in (["export", "--family", server.family, os.path.join(server.folder, "family.tar")], ["import", os.path.join(server.folder, "family.tar")]):
        subprocess.run([server.program, command[0], "--data", server.folder, *command[1:]], check=True, stdout=subprocess.DEVNULL)
    with socket.create_connection(("127.0.0.1", server.tls_port)) as link:
        context = ssl.create_default_context(cafile=server.certificate)
        with context.wrap_socket(link, server_hostname="localhost") as secure:
            secure.sendall(f"GET /documents/{ids[0]} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode())
            octets = 0
            while piece := secure.recv(65536):
                octets += len(piece)
            assert octets > 3_000_000, octets
    os.kill(server.child(), signal.SIGHUP)
    time.sleep(0.3)
    return pictures


PAGE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
"""


def main():
    program, unit = sys.argv[1:3]
    filtered = allowed(unit)
    server = Traced(program)
    try:
        pictures = load(server, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    finally:
        os.kill(server.child(), signal.SIGTERM)
        server.process.wait()
    calls = server.calls()
    outside = {name: line for name, line in calls.items() if name not in filtered}
    server.end()
    print(json.dumps({"user": os.geteuid(), "calls": len(calls), "pictures": pictures, "outside": outside}))
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
