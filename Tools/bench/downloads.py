#!/usr/bin/env python3
"""How fast a document is given out, beside nginx with the same file, and what it takes from the server.

    Tools/bench/downloads.py [--programs .build/release] [--octets 104857600] [--rounds 5] [--least 0.8] [--no-tls]
    Tools/bench/downloads.py --data FOLDER --document ID --content FILE …    (the token in HUDDLE_TOKEN)

Makes a folder of its own with the demo family and uploads one document through tus (or takes a folder that has one), starts `huddled` and
nginx (one worker, sendfile) on free ports of this machine, and downloads the same octets from each in turn, interleaved: by one reader, then
by ten at the same time, plain and with TLS. Printed for each: MB/s (the median of the rounds), CPU seconds of the server, and the most memory that it
held above the idle server. The content is compared once with what was uploaded. Exit status 1 when it differs, when plain downloads of one
reader come slower than 0.8 of nginx, or when ten readers take more than 8 MB. Without nginx nothing is compared.
"""
import argparse
import base64
import hashlib
import json
import os
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"nothing listens on port {port}")


class Server:
    """A program's processes: its own and its children's."""

    def __init__(self, words, **more):
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)

    def pids(self):
        children = open(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read().split()
        return [self.process.pid, *map(int, children)]

    def cpu(self):
        def of(pid):
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / TICK
        return sum(of(pid) for pid in self.pids())

    def memory(self):
        """Octets that are these processes' own: pages of a file that is sent are the kernel's."""
        total = 0
        for pid in self.pids():
            for line in open(f"/proc/{pid}/status"):
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) * 1024
        return total

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Watch(threading.Thread):
    """The most memory that a server holds while something happens."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.most, self.over = server, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.005):
            self.most = max(self.most, self.server.memory())


def download(port, path, token, context=None, digest=None):
    """Reads one answer to its end; its content's length."""
    connection = socket.create_connection(("127.0.0.1", port), 20)
    if context:
        connection = context.wrap_socket(connection, server_hostname="localhost")
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode())
    buffer = bytearray(1 << 20)
    view = memoryview(buffer)
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    head, body = head.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 200"), head
    total = len(body)
    if digest:
        digest.update(body)
    while count := connection.recv_into(view):
        total += count
        if digest:
            digest.update(view[:count])
    connection.close()
    return total


def measure(server, port, path, token, context, readers, octets):
    """Seconds, CPU seconds and the most memory of that many downloads at the same time."""
    watch = Watch(server)
    before = server.cpu()
    watch.start()
    failed = []

    def one():
        if download(port, path, token, context) != octets:
            failed.append(1)
    start = time.perf_counter()
    threads = [threading.Thread(target=one) for _ in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    watch.over.set()
    watch.join()
    assert not failed, "a download was not whole"
    return seconds, server.cpu() - before, watch.most


def upload(port, token, family, athlete, path, octets):
    """The document's id."""
    metadata = {"family": family, "athlete": athlete, "type": "highlight_video", "title": "Fall highlights", "filename": "fall.mp4"}
    text = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in metadata.items())
    base = f"http://127.0.0.1:{port}"
    common = {"Authorization": f"Bearer {token}", "Tus-Resumable": "1.0.0"}
    create = urllib.request.Request(
        f"{base}/files", method="POST", headers={**common, "Upload-Length": str(octets), "Upload-Metadata": text})
    with urllib.request.urlopen(create) as answer:
        location = answer.headers["Location"]
    if location.startswith("/"):
        location = base + location
    with open(path, "rb") as content:
        append = urllib.request.Request(location, method="PATCH", data=content, headers={
            **common, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "Content-Length": str(octets)})
        with urllib.request.urlopen(append, timeout=60) as answer:
            assert answer.status == 204, answer.status
    return location.rsplit("/", 1)[1]


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/chain.pem"],
        check=True, capture_output=True)
    os.chmod(f"{folder}/key.pem", 0o600)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--octets", type=int, default=104_857_600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.8)
    parser.add_argument("--data")
    parser.add_argument("--document")
    parser.add_argument("--content")
    parser.add_argument("--no-tls", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="huddle-downloads-")
    servers = []
    try:
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/www", 0o755)
        content = f"{folder}/www/content.mp4"
        if options.content:
            shutil.copy(options.content, content)
            options.octets = os.path.getsize(content)
        else:
            with open(content, "wb") as out:
                out.write(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom")
                left = options.octets - out.tell()
                while left > 0:
                    left -= out.write(os.urandom(min(left, 1 << 20)))
        os.chmod(content, 0o644)
        certificate(folder)
        ports = {name: free_port() for name in ("huddle", "huddle-tls", "nginx", "nginx-tls")}
        huddled = f"{options.programs}/huddled"
        data = options.data or f"{folder}/data"
        if not options.data:
            demo = json.loads(subprocess.run([huddled, "demo", "--data", data, "--json"], check=True, capture_output=True).stdout)
            parent = next(one for one in demo["members"] if one["role"] == "parent")
            athlete = next(one for one in demo["members"] if one["role"] == "athlete")
        huddle = Server([huddled, "serve", "--data", data, "--listen", f"127.0.0.1:{ports['huddle']}", "--listen-tls",
                         f"127.0.0.1:{ports['huddle-tls']}", "--tls-cert", f"{folder}/chain.pem", "--tls-key", f"{folder}/key.pem"])
        servers.append(huddle)
        wait_for(ports["huddle"])
        document, token = options.document, os.environ.get("HUDDLE_TOKEN")
        if not options.data:
            token = parent["token"]
            document = upload(ports["huddle"], token, demo["family"], athlete["member"], content, options.octets)
        with open(f"{folder}/nginx.conf", "w") as conf:
            conf.write(f"""
                worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
                events {{ worker_connections 64; }}
                http {{
                    access_log off; sendfile on; tcp_nopush on; root {folder}/www; default_type application/octet-stream;
                    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
                    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                    server {{
                        listen 127.0.0.1:{ports['nginx']}; listen 127.0.0.1:{ports['nginx-tls']} ssl;
                        ssl_certificate {folder}/chain.pem; ssl_certificate_key {folder}/key.pem;
                        ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
                    }}
                }}""")
        nginx = None
        if shutil.which("nginx"):
            nginx = Server(["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
            servers.append(nginx)
            wait_for(ports["nginx"])
        digest = hashlib.sha256()
        path = f"/documents/{document}"
        download(ports["huddle"], path, token, digest=digest)
        if digest.hexdigest() != hashlib.sha256(open(content, "rb").read()).hexdigest():
            raise SystemExit("the download is not what was uploaded")
        context = ssl.create_default_context(cafile=f"{folder}/chain.pem")
        bad = False
        for label, suffix, readers, rounds in [
            ("plain, one reader", "", 1, options.rounds), ("plain, ten readers", "", 10, 2),
            ("TLS, one reader", "-tls", 1, options.rounds), ("TLS, ten readers", "-tls", 10, 1),
        ]:
            if suffix and options.no_tls:
                continue
            idle = huddle.memory()
            seen = {"huddle": [], "nginx": []}
            for _ in range(rounds):
                seen["huddle"].append(measure(huddle, ports["huddle" + suffix], path, token, context if suffix else None, readers, options.octets))
                if nginx:
                    seen["nginx"].append(measure(
                        nginx, ports["nginx" + suffix], "/content.mp4", token, context if suffix else None, readers, options.octets))
            seen = {name: list for name, list in seen.items() if list}
            rate = {name: statistics.median(options.octets * readers / 1e6 / seconds for seconds, _, _ in list) for name, list in seen.items()}
            cpu = {name: statistics.median(cpu for _, cpu, _ in list) for name, list in seen.items()}
            memory = max(most for _, _, most in seen["huddle"]) - idle
            told = f"{label}: huddled {rate['huddle']:.0f} MB/s, CPU {cpu['huddle']:.2f} s, memory {memory / 1e6:+.1f} MB"
            if nginx:
                ratio = rate["huddle"] / rate["nginx"]
                told += f"; nginx {rate['nginx']:.0f} MB/s, CPU {cpu['nginx']:.2f} s; ratio {ratio:.2f}"
                bad = bad or not suffix and readers == 1 and ratio < options.least
            print(told, flush=True)
            bad = bad or readers == 10 and memory > 8e6
        sys.exit(1 if bad else 0)
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
