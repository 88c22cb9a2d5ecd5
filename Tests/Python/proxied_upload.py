#!/usr/bin/env python3
"""A large document through a proxy: its sender is cut twice, resumes from the offset that the server has, and reads the document back.

proxied_upload.py URL CERTIFICATES TOKEN FAMILY ATHLETE OCTETS

Prints one line of JSON, and ends with 1 and a sentence when something is wrong.
"""
import base64
import hashlib
import http.client
import json
import ssl
import sys
import time
import urllib.parse

URL, CERTIFICATES, TOKEN, FAMILY, ATHLETE, OCTETS = sys.argv[1:]
OCTETS = int(OCTETS)
PLACE = urllib.parse.urlsplit(URL)
PIECE = 1 << 16


def link():
    if PLACE.scheme == "https":
        return http.client.HTTPSConnection(PLACE.hostname, PLACE.port, timeout=120, context=ssl.create_default_context(cafile=CERTIFICATES))
    return http.client.HTTPConnection(PLACE.hostname, PLACE.port, timeout=120)


def check(is_so, sentence):
    if not is_so:
        raise SystemExit(sentence)


def ask(method, path, fields=(), body=None):
    connection = link()
    connection.request(method, path, body, {"Authorization": f"Bearer {TOKEN}", "Tus-Resumable": "1.0.0", **dict(fields)})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def offset(path):
    answer, _ = ask("HEAD", path)
    check(answer.status in (200, 204), f"HEAD is {answer.status}")
    return int(answer.getheader("Upload-Offset"))


def send(path, content, start, count):
    """Begins a PATCH of all that is left, and cuts the connection after `count` octets; the answer's status if nothing was cut."""
    connection = link()
    connection.putrequest("PATCH", path)
    for name, value in {
        "Authorization": f"Bearer {TOKEN}", "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(start),
        "Content-Length": str(len(content) - start),
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    end = min(start + count, len(content))
    for place in range(start, end, PIECE):
        connection.send(content[place:min(place + PIECE, end)])
    if end < len(content):
        connection.sock.close()
        connection.close()
        return None
    status = connection.getresponse().status
    connection.close()
    return status


def settled(path, least):
    """The offset that the server has when the request that was cut is over."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        have = offset(path)
        if have > least and have == offset(path):
            return have
    raise SystemExit("nothing of the part before the cut arrives")


content = memoryview(bytes(b"%PDF-1.4\n") + hashlib.shake_256(b"huddle").digest(OCTETS - 9))
metadata = ",".join(
    f"{name} {base64.b64encode(value.encode()).decode()}"
    for name, value in {"family": FAMILY, "athlete": ATHLETE, "type": "transcript", "title": "Large", "filename": "a.pdf"}.items())
answer, _ = ask("POST", "/files", {"Upload-Length": str(OCTETS), "Upload-Metadata": metadata, "Content-Length": "0"})
check(answer.status == 201, f"POST is {answer.status}")
path = urllib.parse.urlsplit(answer.getheader("Location")).path
began = time.monotonic()
have, cuts = 0, []
for _ in range(2):
    check(send(path, content, have, OCTETS // 3) is None, "the request was not cut")
    have = settled(path, have)
    cuts.append(have)
status = send(path, content, have, OCTETS)
check(status in (200, 204), f"the last PATCH is {status}")
took = time.monotonic() - began
# The document has the id of its upload.
answer, back = ask("GET", "/documents/" + path.rsplit("/", 1)[1])
check(answer.status == 200, f"GET of the document is {answer.status}")
check(hashlib.sha256(back).digest() == hashlib.sha256(content).digest(), "the document came back otherwise")
print(json.dumps({"octets": OCTETS, "cuts": cuts, "seconds": round(took, 1)}))
