#!/usr/bin/env python3
"""Measures whether the time of an answer reveals to a stranger that something exists.

usage: Tools/bench/strangers.py [FOLDER OF THE PROGRAMS (.build/release)] [REQUESTS OF EACH KIND (4000)]

Somebody of one family asks for what another family has (a document, its signed link, its picture, an upload under way, the history of a record, a share
link that was revoked) and for what never was, by turns, in an order by chance, each on one connection. The same is done with two kinds of ids that never were: what these differ by is noise.
A kind passes when its medians differ by less than four standard errors of that difference, or by less than a microsecond, or by less than three
times the noise; it ends with 1 when one does not. Not seen is what a network adds, which is a thousand times as much.
Nothing but the standard library; ends what it started and removes what it made.
"""
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Python")]
FIRST, SECOND = (sys.argv[1:] + [None] * 2)[:2]
PROGRAM = os.path.join(FIRST or ".build/release", "huddled")
COUNT = int(SECOND or 4_000)
import uploads  # noqa: E402

sys.argv[1:] = sys.argv[1:2]
import queries  # noqa: E402


def missing(there):
    """As many ids as are there, of the same form and the same milliseconds: what is asked for again and again is faster than what is new."""
    return [str(uuid.UUID(int=uuid.UUID(id).int >> 80 << 80 | 7 << 76 | random.getrandbits(76) & ~(3 << 62) | 2 << 62)) for id in there]


def spread(times):
    """The standard error of a median, from the order statistics around it."""
    ordered, half = sorted(times), 1.96 * len(times) ** 0.5 / 2
    middle = len(ordered) / 2
    return (ordered[int(middle + half)] - ordered[int(middle - half)]) / (2 * 1.96)


def compare(ask, one, other):
    """Medians of asking for each of two lists in microseconds, and the standard error of their difference."""
    times = ([], [])
    for turn in range(COUNT + 100):
        order = [(0, one), (1, other)]
        random.shuffle(order)
        for which, list in order:
            what = random.choice(list)
            begun = time.perf_counter_ns()
            ask(what)
            if turn >= 100:
                times[which].append((time.perf_counter_ns() - begun) / 1_000)
    return statistics.median(times[0]), statistics.median(times[1]), (spread(times[0]) ** 2 + spread(times[1]) ** 2) ** 0.5


def main():
    server = uploads.Server(PROGRAM, options=["--trusted-proxy", "127.0.0.1", "--connections-per-address", "1000", "--mutations-per-second", "0"])
    try:
        run(server)
    finally:
        server.end()


def run(server):
    run = subprocess.run(
        [PROGRAM, "init", "--data", server.folder, "--family", "Strangers", "--zone", "UTC", "--parent", "Eve", "--json"], check=True, capture_output=True)
    eve = json.loads(run.stdout)
    link = http.client.HTTPConnection("127.0.0.1", server.port)
    own = {"Authorization": f"Bearer {server.token}"}
    theirs = {"Authorization": f"Bearer {eve['token']}"}

    def ask(method, path, fields, body=None):
        link.request(method, path, body, fields)
        answer = link.getresponse()
        return answer.status, answer.read()

    film = uploads.film(2_000, "x")
    documents, pending, revoked = [], [], []
    for number in range(20):
        made = {**uploads.TUS, "Upload-Length": str(len(film)), "Upload-Metadata": server.metadata(f"Film {number}")}
        documents.append(server.ask("POST", "/files", {**made, "Content-Type": "application/offset+octet-stream"}, film)[1]["location"].rsplit("/", 1)[1])
    for number in range(10):
        pending.append(uploads.create(server, 0, film, f"Pending {number}").rsplit("/", 1)[1])
    member = queries.Session(server.port, server.token, server.family)
    member.send({"type": "list", "request": 1, "kind": "school", "limit": 20})
    schools = [record["id"] for record in json.loads(member.until("page"))["records"]]
    member.send({"type": "list", "request": 2, "kind": "event", "limit": 50})
    events = [record["id"] for record in json.loads(member.until("page"))["records"]]
    for document, school in zip(documents, schools * 20):
        status, text = ask("POST", f"/documents/{document}/shares", own, json.dumps({"school": school}))
        assert status == 201, text
        share = json.loads(text)
        assert ask("DELETE", f"/documents/{document}/shares?share={share['id']}", own)[0] == 204
        revoked.append(share["url"].rsplit("/", 1)[1])
    asked = [0, None]

    def tokens(there):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return ["".join(random.choice(letters) for _ in token[:-1]) + token[-1] for token in there]

    def get(path, fields=theirs, method="GET", status=404):
        found = ask(method, path, fields)[0]
        assert found == status, (path, found)

    def history(id):
        # A client that is refused too often is disconnected; a median does not see one new connection in forty.
        if asked[0] % 40 == 0:
            if asked[0]:
                asked[1].socket.close()
            asked[1] = queries.Session(server.port, eve["token"], eve["family"])
        asked[0] += 1
        asked[1].send({"type": "history", "request": 4, "record": {"kind": "event", "id": id}, "limit": 20})
        while json.loads(asked[1].receive()).get("request") != 4:
            pass

    def share(token):
        address = f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(256)}"
        get(f"/s/{token}", {"X-Forwarded-For": address})

    kinds = [
        ("the history of a record", history, events, missing),
        ("a document", lambda id: get(f"/documents/{id}"), documents, missing),
        ("a signed link of one's own making", lambda id: get(f"/documents/{id}?link={'A' * 91}", {}), documents, missing),
        ("a picture", lambda id: get(f"/documents/{id}/thumbnail"), documents, missing),
        ("the shares of a document", lambda id: get(f"/documents/{id}/shares"), documents, missing),
        ("an upload", lambda id: get(f"/files/{id}", {**theirs, **uploads.TUS}, "HEAD"), pending, missing),
        ("a share link", share, revoked, tokens),
    ]
    failed = False
    print(f"{'microseconds, median':36}{'exists':>10}{'missing':>10}{'differ':>10}{'error':>8}{'noise':>8}")
    for name, ask_one, there, make in kinds:
        one, other, error = compare(ask_one, there, make(there))
        first, second, _ = compare(ask_one, make(there), make(there))
        differ, noise = one - other, abs(first - second)
        passes = abs(differ) < max(4 * error, 1.0, 3 * noise)
        failed = failed or not passes
        print(f"{name:36}{one:10.1f}{other:10.1f}{differ:+10.2f}{error:8.2f}{noise:8.2f}{'' if passes else '  TELLS'}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
