#!/usr/bin/env python3
"""The answers to hostile requests to the upload endpoints: for each of a hundred, its status, and a body with a code and a sentence.

hostile_uploads.py HUDDLED

Each request goes over a connection of its own, octet for octet as it stands here. Afterwards the server runs on, has kept nothing of any of them,
and `huddled check` finds nothing. Prints one line of JSON; ends with 1 and every answer that is another.
"""
import base64
import hashlib
import json
import random
import socket
import sys
import threading
import uuid

from uploads import TUS, Server, answer, create, film, final, finish, nothing_left, offset_of, patch

OFFSET = "application/offset+octet-stream"
PARTIAL = "application/partial-upload"


def encoded(octets):
    return base64.b64encode(octets if isinstance(octets, bytes) else octets.encode()).decode()


def metadata(server, **other):
    """The metadata of a valid upload, with other values; `None` leaves one out."""
    values = {"family": server.family, "athlete": server.athlete["member"], "type": "highlight_video", "title": "Film", "filename": "film.mp4", **other}
    return ",".join(f"{name} {encoded(value)}" for name, value in values.items() if value is not None)


def request(server, method, target, fields, body=b""):
    """The request's octets. A field with a list is sent once per entry, one with `None` not at all."""
    lines = {"Host": "h", "Authorization": f"Bearer {server.token}", "Content-Length": str(len(body)), **fields}
    head = f"{method} {target} HTTP/1.1\r\n"
    for name, values in lines.items():
        for value in [] if values is None else values if isinstance(values, list) else [values]:
            head += f"{name}: {value}\r\n"
    return (head + "\r\n").encode() + body


def creations(server):
    """(what it is, its octets, the statuses that are right)"""
    good = {**TUS, "Upload-Length": "100", "Upload-Metadata": metadata(server)}

    def post(what, status, body=b"", method="POST", target="/files", **fields):
        return what, request(server, method, target, {**good, **{k.replace("_", "-"): v for k, v in fields.items()}}, body), status

    for length in ["-1", "+1", "1.5", "0x10", "", "1e3", "1, 1", "1 1", "\u0661\u0662", "NaN", ["1", "1"], None]:
        yield post(f"length {length!r}", 400, Upload_Length=length)
    for length in ["104857601", "9223372036854775807", "9223372036854775808", "9" * 400]:
        yield post(f"length {length[:24]}", 413, Upload_Length=length)
    yield post("length and none", 400, Upload_Defer_Length="1")
    for said in ["0", "2", "true", "", ["1", "1"]]:
        yield post(f"no length {said!r}", 400, Upload_Length=None, Upload_Defer_Length=said)
    for version in [None, "", "1.0.1", "0.2.2", "1.0.0, 1.0.0", ["1.0.0", "1.0.0"], "1.0.0\u00a0"]:
        yield post(f"version {version!r}", 412, Tus_Resumable=version)
    for concat in ["partial", "final;/files/a /files/b"]:
        yield post(f"concat {concat}", 400, Upload_Concat=concat)
    yield post("a body of another type", 415, b"x" * 10, Content_Type="text/plain")
    yield post("a body without a type", 415, b"x" * 10)
    yield post("a coded body", 415, b"x" * 10, Content_Type=OFFSET, Content_Encoding="gzip")
    yield post("more than its length", {400, 413}, b"x" * 101, Content_Type=OFFSET)
    yield post("a wrong checksum", 460, film(50, 1), Content_Type=OFFSET, Upload_Checksum="sha1 " + encoded(bytes(20)))
    for token in [None, "", "Bearer", "Bearer ", "Bearer x", "Basic " + encoded("a:b"), "Bearer " + "A" * 5_000, ["Bearer a", "Bearer b"], f"bearer\t{server.token}x"]:
        yield post(f"sign-in {str(token)[:16]!r}", 401, Authorization=token)
    for method in ["GET", "PUT", "PATCH", "DELETE"]:
        yield post(f"{method} of the collection", 405, method=method)
    for method in ["FOO", "post", "POSTPOST"]:
        # RFC 9110 §9.1: a method that nobody here knows.
        yield post(f"{method} of the collection", 501, method=method)
    yield post("a method in its place", 405, X_HTTP_Method_Override="DELETE")
    yield post("two methods in its place", 400, X_HTTP_Method_Override=["PATCH", "DELETE"])

    for what, wrong in {
        "no base64": "title !!!!", "cut base64": "title QQ", "no name": ",", "three parts": "title QQ== QQ==", "the last is empty": metadata(server) + ",",
        "a name twice": metadata(server) + ",title QQ==", "33 names": ",".join(f"n{n} QQ==" for n in range(33)),
    }.items():
        yield post(f"metadata: {what}", 400, Upload_Metadata=wrong)
    for what, other, status in [
        ("none", None, 400), ("no family", {"family": None}, 400), ("a family that is no id", {"family": "x"}, 400), ("nobody's family", {"family": str(uuid.uuid4())}, 404),
        ("an athlete that is no id", {"athlete": "\0"}, 400), ("an athlete that is nobody", {"athlete": str(uuid.uuid4())}, 400),
        ("no such type", {"type": "virus"}, 400), ("a type in other letters", {"type": "Highlight_Video"}, 400), ("no title", {"title": ""}, 400),
        ("a title of 5,000", {"title": "x" * 5_000}, 400), ("a title that is not UTF-8", {"title": b"\xff\xfe"}, 400), ("a title with a line's end", {"title": "a\r\nSet-Cookie: b"}, 400),
        ("no file name", {"filename": None}, 400), ("a file name that is not of the type", {"filename": "film.mp4.exe"}, 415), ("a file name of 300", {"filename": "x" * 300 + ".mp4"}, 400),
        ("a file name with a NUL", {"filename": "a\0.mp4"}, 400), ("a transcript that is a film", {"type": "transcript"}, 415), ("a digest that is none", {"sha256": "x"}, 400),
        ("a place that is no id", {"replaces": "x"}, 400), ("nobody's place", {"replaces": str(uuid.uuid4())}, 400),
        ("a school that is no id", {"school_id": "x"}, 400), ("no such school", {"school_id": str(uuid.uuid4())}, 400),
    ]:
        yield post(f"metadata: {what}", status, Upload_Metadata=None if other is None else metadata(server, **other))
    yield post("metadata of 60,000 octets", 431, Upload_Metadata=metadata(server, description="x" * 45_000))


def drafts(server, path):
    def draft(what, status, version, body=b"", method="POST", target="/files", **fields):
        lines = {"Upload-Draft-Interop-Version": version, "Huddle-Metadata": metadata(server), **{k.replace("_", "-"): v for k, v in fields.items()}}
        return "draft: " + what, request(server, method, target, lines, body), status

    for version in ["4", "7", "99", "8 8", "-8", "999999999999999999999", ["8", "8"], "", "8;a=b;", "?1"]:
        yield draft(f"version {version!r}", 400, version, Upload_Complete="?0")
    for said in [None, "1", "?2", "true", "?0, ?1", ["?0", "?1"]]:
        yield draft(f"complete {said!r}", 400, "8", Upload_Complete=said)
    yield draft("two lengths that differ", 400, "6", b"x" * 10, Upload_Complete="?1", Upload_Length="11")
    yield draft("too long", 413, "8", Upload_Complete="?0", Upload_Length="999999999999999")
    yield draft("a place for a new one", 400, "6", Upload_Complete="?0", Upload_Offset="0")
    yield draft("a digest that is none", 400, "8", b"x", Upload_Complete="?1", Content_Digest="sha-256=:QQ==:")
    yield draft("an address that is not encoded", 400, "8", target="/files?title=%zz", Upload_Complete="?0")
    for what, status, fields in [
        ("no offset", 400, {}), ("a negative offset", 400, {"Upload-Offset": "-1"}), ("an offset of fifteen digits", {409, 413}, {"Upload-Offset": "999999999999999"}),
        ("an offset of sixteen digits", 400, {"Upload-Offset": "9999999999999999"}), ("an offset with a point", 400, {"Upload-Offset": "0.0"}),
        ("another offset", 409, {"Upload-Offset": "7"}), ("no type", 415, {"Upload-Offset": "0", "Content-Type": "text/plain"}),
        ("not said whether complete", 400, {"Upload-Offset": "0", "Upload-Complete": None}),
        ("a wrong digest", 400, {"Upload-Offset": "0", "Content-Digest": f"sha-256=:{encoded(bytes(32))}:"}),
    ]:
        lines = {"Upload-Draft-Interop-Version": "8", "Upload-Complete": "?0", "Content-Type": PARTIAL, **fields}
        yield "draft: " + what, request(server, "PATCH", path, lines, b"x" * 5), status
    yield draft("a question that says where", 400, "6", method="DELETE", target=path, Upload_Offset="0", Huddle_Metadata=None)


def appends(server, path, foreign, broken):
    good = {**TUS, "Upload-Offset": "0", "Content-Type": OFFSET}

    def send(what, status, body=b"x" * 5, method="PATCH", target=path, **fields):
        return what, request(server, method, target, {**good, **{k.replace("_", "-"): v for k, v in fields.items()}}, body), status

    for offset in ["-1", "+0", "0.0", "", "0x0", "zero", "0, 0", ["0", "0"], None]:
        yield send(f"offset {offset!r}", 400, Upload_Offset=offset)
    for offset in ["1", "100", "101", "9223372036854775807", "9223372036854775808", "9" * 300]:
        yield send(f"offset {offset[:24]}", 409, Upload_Offset=offset)
    for kind in [None, "text/plain", OFFSET + "2", PARTIAL, "", ["text/plain", OFFSET]]:
        yield send(f"type {kind!r}", 415, Content_Type=kind)
    yield send("more than there is room for", {400, 413}, b"x" * 101)
    yield send("another length", 400, Upload_Length="99")
    yield send("a length that is none", 400, Upload_Length="-99")
    yield send("a length that is too long", 413, Upload_Length="9" * 30)
    for checksum in ["", "sha1", "sha1 ", "sha1 !!!!", "sha1  " + encoded(bytes(20)), "sha1 " + encoded(bytes(19)), "sha256 " + encoded(bytes(20)), "md5 " + encoded(bytes(16)),
                     "SHA1 " + encoded(bytes(20)), "crc32 AAAAAA==", [f"sha1 {encoded(bytes(20))}"] * 2]:
        yield send(f"checksum {str(checksum)[:12]!r}", 400, Upload_Checksum=checksum)
    for name, width in [("sha1", 20), ("sha256", 32)]:
        yield send(f"a wrong {name}", 460, Upload_Checksum=f"{name} {encoded(bytes(width))}")
    for method in ["GET", "PUT", "POST"]:
        yield send(f"{method} of an upload", 405, method=method)
    yield send("FOO of an upload", 501, method="FOO")
    for target in ["/files/x", "/files/" + "0" * 36, f"/files/{uuid.uuid4()}", path + "/", path + "/x", path + "%00", "/files/../files/x", "/files/%2e%2e/x", "/files//" + path[7:], foreign]:
        yield send(f"at {target[:24]}", {400, 404}, target=target)
    chunked = {"Content-Length": None, "Transfer-Encoding": "chunked"}
    for what, body, status in [
        ("chunks that are none", b"zz\r\nhello\r\n0\r\n\r\n", 400), ("a chunk of 2^64", b"10000000000000000\r\nx\r\n0\r\n\r\n", {400, 413}), ("a chunk below 0", b"-5\r\nhello\r\n0\r\n\r\n", 400),
        ("more chunks than there is room for", b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n", {400, 413}),
        # The octets before the mistake are octets of the file, and kept (tus, PATCH: as much as possible).
        ("a chunk that is longer than it says", b"2\r\nhello\r\n0\r\n\r\n", 400),
    ]:
        yield what, request(server, "PATCH", broken, {**good, **chunked}, body), status
    for what, fields, status in [
        ("length and chunks", {"Content-Length": "5", "Transfer-Encoding": "chunked"}, 400), ("a coding that is not known", {"Content-Length": None, "Transfer-Encoding": "gzip"}, {400, 501}),
        ("two lengths", {"Content-Length": ["5", "6"]}, 400), ("a length below 0", {"Content-Length": "-5"}, 400), ("a length of 2^64", {"Content-Length": "18446744073709551616"}, {400, 413}),
        ("an expectation that is not known", {"Expect": "200-maybe"}, 417),
    ]:
        yield what, request(server, "PATCH", path, {**good, **fields}, b"hello"), status


def judge(what, octets, expected, port):
    """A sentence when the answer is not clean."""
    method = octets.split(b" ", 1)[0].decode()
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        try:
            link.sendall(octets)
        except OSError:
            pass
        try:
            status, fields, text = final(link, method)
        except (OSError, ValueError, IndexError) as error:
            return f"{what}: no answer ({error})"
    if status not in (expected if isinstance(expected, set) else {expected}):
        return f"{what}: {status} instead of {expected}: {text[:160]}"
    try:
        said = json.loads(text)
    except ValueError:
        return f"{what}: {status} with a body that is no JSON: {text[:80]}"
    if not said.get("code") or not str(said.get("sentence", "")).strip().endswith(".") or "set-cookie" in fields:
        return f"{what}: {status} with {text[:160]}"
    return None


def together(server, seed):
    """Sixteen PATCHes for one upload at the same time, with offsets at random: each is accepted or refused with a reason, and the file is whole."""
    chance, content = random.Random(seed), film(2_000_000, seed)
    path = create(server, 0, content, f"Together {seed}")
    wrong = []

    def send(offset, end):
        try:
            status, fields, text = final(patch(server, 0, path, content[:end], offset), "PATCH")
        except OSError as error:
            return wrong.append(f"together: no answer ({error})")
        # 503: the allowed number already waits.
        if status != 204 and (status not in (409, 423, 503) or not json.loads(text)["sentence"].endswith(".") or "retry-after" not in fields and status != 409):
            wrong.append(f"together: {status} {text[:160]}")

    for _ in range(4):
        stands = offset_of(server, 0, path)
        places = [(stands, min(len(content), stands + chance.randrange(1, 300_000))) for _ in range(8)] + [(chance.randrange(len(content)), len(content)) for _ in range(8)]
        threads = [threading.Thread(target=send, args=place) for place in places if place[0] < place[1]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    stands = offset_of(server, 0, path)
    if stands < len(content):
        finish(server, path, content, stands)
    assert server.blob(content).read_bytes() == content, "after sixteen at the same time the file is another"
    return wrong


def main():
    server = Server(sys.argv[1])
    try:
        content = film(100, 1)
        path, broken, mine = create(server, 0, content, "Attacked"), create(server, 0, content, "Broken off"), server.token
        server.token = server.athlete["token"]
        foreign = create(server, 0, content, "Another's")
        server.token = mine
        cases = [*creations(server), *drafts(server, path), *appends(server, path, foreign, broken)]
        wrong = [found for case in cases if (found := judge(*case, server.port))]
        assert server.process.poll() is None, "the server ended"
        # Nothing of any of them was kept: what was attacked stands where it stood, and gets whole.
        if (stands := offset_of(server, 0, path)) != 0:
            wrong.append(f"the upload that was attacked stands at {stands}")
        else:
            finish(server, path, content, 0)
        server.token = server.athlete["token"]
        finish(server, foreign, content[:99] + b"y", 0)
        server.token = mine
        if (status := server.ask("DELETE", broken, TUS)[0]) != 204:
            wrong.append(f"what was broken off is deleted with {status}")
        for seed in range(3):
            wrong += together(server, seed)
        if wrong:
            raise SystemExit("\n".join(wrong))
        print(json.dumps({"requests": len(cases), "at_once": 3 * 4 * 16, **nothing_left(server, 5)}))
    finally:
        server.end()


if __name__ == "__main__":
    main()
