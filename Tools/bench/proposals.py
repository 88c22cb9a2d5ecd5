#!/usr/bin/env python3
"""The cost of a change over HTTP: share links that many connections make at the same time.

proposals.py HUDDLED [LINKS (2000)] [CONNECTIONS (50)]     needs strace

Makes the links twice: once as fast as the server goes, for the rate, and once while strace counts the syncs of the writer's thread. Prints JSON.
"""
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import queries
# The module of the tests, not the tool of the same name beside this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Python"))
from uploads import TUS, Server, film  # noqa: E402


def make(server, documents, school, links, connections):
    """Seconds for all links; each connection makes one after the other."""
    body = json.dumps({"school": school})
    fields = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    failures = []

    def run(number):
        link = http.client.HTTPConnection("127.0.0.1", server.port)
        for _ in range(links // connections):
            link.request("POST", f"/documents/{documents[number % len(documents)]}/shares", body, fields)
            answer = link.getresponse()
            text = answer.read()
            if answer.status != 201:
                failures.append((answer.status, text))
                return

    threads = [threading.Thread(target=run, args=(number,)) for number in range(connections)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    return time.monotonic() - begun


def syncs(server, work):
    """Calls of fsync and fdatasync of the writer's thread during `work`."""
    writer = next(task.name for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir() if (task / "comm").read_text().strip() == "writer")
    with tempfile.NamedTemporaryFile() as log:
        strace = subprocess.Popen(["strace", "-qq", "-p", writer, "-e", "trace=fsync,fdatasync", "-o", log.name], stderr=subprocess.PIPE)
        status = pathlib.Path(f"/proc/{server.process.pid}/task/{writer}/status")
        while not re.search(r"TracerPid:\t[1-9]", status.read_text()):
            assert strace.poll() is None, strace.stderr.read()
            time.sleep(0.01)
        work()
        strace.send_signal(signal.SIGINT)
        strace.wait()
        return sum("sync(" in line for line in open(log.name))


def main():
    program, links, connections = sys.argv[1], *(int(n) for n in (sys.argv[2:] + [2000, 50][len(sys.argv) - 2:]))
    server = Server(program, options=["--mutations-per-second", "0"])
    try:
        content = film(2_000, "x")
        documents = []
        for number in range(10):
            made = {**TUS, "Upload-Length": str(len(content)), "Upload-Metadata": server.metadata(f"Film {number}"), "Content-Type": "application/offset+octet-stream"}
            documents.append(server.ask("POST", "/files", made, content)[1]["location"].rsplit("/", 1)[1])
        member = queries.Session(server.port, server.token, server.family)
        member.send({"type": "list", "request": 1, "kind": "school", "limit": 1})
        school = json.loads(member.until("page"))["records"][0]["id"]
        make(server, documents, school, connections, connections)
        seconds = make(server, documents, school, links, connections)
        count = syncs(server, lambda: make(server, documents, school, links, connections))
        print(json.dumps({"links": links, "connections": connections, "links_per_second": round(links / seconds), "syncs": count, "links_per_sync": round(links / max(count, 1), 1)}))
    finally:
        server.end()


if __name__ == "__main__":
    main()
