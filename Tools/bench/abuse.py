#!/usr/bin/env python3
"""The remains of abuse: memory and descriptors of a server before, during and after, and what its other clients feel.

    Tools/bench/abuse.py [--programs .build/release] [--connections 100000] [--half-open 10000] [--seconds 20]

Makes a folder of its own, starts `huddled` on a free port of this machine, and
1. connects that many times and disconnects with a reset at different stages;
2. holds that many connections whose request never ends;
3. lets one member read nothing while the family's messages come at 1 MB a second;
4. lets eight members of one family send small frames without an end;
5. lets four programs do nothing but TLS handshakes, none resumed (`openssl s_time`).
A member of another family works all the while; the script reports the time until each of its changes is acknowledged. Exit status 1 when
something is left behind or anybody else was hurt.
"""
import argparse
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

UPGRADE = (b"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: huddle.v1\r\n\r\n")


def frame(text):
    """A masked text frame (the mask is zeros: it costs the server the same)."""
    octets = text.encode()
    if len(octets) < 126:
        head = bytes([0x81, 0x80 | len(octets)])
    elif len(octets) < 65536:
        head = struct.pack(">BBH", 0x81, 0x80 | 126, len(octets))
    else:
        head = struct.pack(">BBQ", 0x81, 0x80 | 127, len(octets))
    return head + b"\0\0\0\0" + octets


class Member:
    """One member of a family, on a blocking socket."""

    @classmethod
    def seeded(cls, port, family, member, receive_buffer=None):
        """Of a family that `huddled seed` made."""
        return cls(port, f"{family:039d}{member:04d}", f"00000000-0000-4000-8000-{family:012d}",
                   f"{os.getpid():08d}-0000-4000-8000-{family * 1000 + member:012d}", receive_buffer)

    def __init__(self, port, token, family, client, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.socket.sendall(UPGRADE)
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head, head
        self.number = int(time.time() * 1_000_000)
        self.say({"type": "sign_in", "token": token})
        self.until("welcome")
        self.say({"type": "join", "family": family, "client": client, "context": "all"})
        self.until("live")

    def more(self):
        octets = self.socket.recv(1 << 20)
        if not octets:
            raise ConnectionError("the server ended the connection")
        self.buffer += octets

    def say(self, value):
        self.socket.sendall(frame(json.dumps(value)))

    def frames(self):
        """Whole frames that have come: (opcode, payload)."""
        while len(self.buffer) >= 2:
            length, start = self.buffer[1], 2
            if length == 126:
                if len(self.buffer) < 4:
                    return
                length, start = struct.unpack(">H", self.buffer[2:4])[0], 4
            elif length == 127:
                if len(self.buffer) < 10:
                    return
                length, start = struct.unpack(">Q", self.buffer[2:10])[0], 10
            if len(self.buffer) < start + length:
                return
            opcode, payload = self.buffer[0] & 15, self.buffer[start:start + length]
            self.buffer = self.buffer[start + length:]
            if opcode == 9:
                self.socket.sendall(b"\x8a" + bytes([0x80 | len(payload)]) + b"\0\0\0\0" + payload)
            yield opcode, payload

    def until(self, kind):
        while True:
            for opcode, payload in self.frames():
                if opcode == 1 and payload.startswith(b'{"type":"' + kind.encode()):
                    return payload
                if opcode == 8 or payload.startswith((b'{"type":"error', b'{"type":"reject')):
                    raise ConnectionError(repr(payload[:200]))
            self.more()

    def mutate(self, text):
        self.number += 1
        self.say({"type": "mutate", "mutation": self.number, "operations": [
            {"op": "create", "kind": "message", "id": str(uuid.uuid4()), "fields": {"text": text}}]})


class Witness(threading.Thread):
    """Changes something of its own family every 20 ms, and notes how long the answer took."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.member, self.times, self.over, self.failure = Member.seeded(port, 1, 0), [], False, None

    def run(self):
        try:
            while not self.over:
                start = time.monotonic()
                self.member.mutate("I am still here.")
                self.member.until("ack")
                self.times.append((time.monotonic() - start) * 1000)
                time.sleep(0.02)
        except Exception as error:  # told at the end, by the thread that judges
            self.failure = error

    def take(self):
        times, self.times = sorted(self.times), []
        if self.failure or not times:
            raise SystemExit(f"the witness was hurt: {self.failure}")
        return f"witness {len(times)} changes, p50 {times[len(times) // 2]:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms, worst {times[-1]:.1f} ms"


def use(pid):
    """Resident and private KiB, open descriptors."""
    memory = dict(line.split(":", 1) for line in open(f"/proc/{pid}/smaps_rollup").read().splitlines()[1:])
    kib = {name: int(value.split()[0]) for name, value in memory.items() if value.strip().endswith("kB")}
    return kib["Rss"], kib["Private_Clean"] + kib["Private_Dirty"], len(os.listdir(f"/proc/{pid}/fd"))


def tell(what, pid, extra=""):
    rss, private, descriptors = use(pid)
    print(f"{what:44} RSS {rss:>8} KiB  private {private:>8} KiB  descriptors {descriptors:>6}  {extra}", flush=True)
    return rss, descriptors


def settle(pid, descriptors):
    deadline = time.monotonic() + 30
    while use(pid)[2] > descriptors and time.monotonic() < deadline:
        time.sleep(0.05)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def source(number):
    """Different addresses of this machine: a limit for each address is not what is asked about here."""
    return (f"127.0.{1 + number // 200 % 200}.{1 + number % 200}", 0)


def abrupt(port, count):
    stages = [b"", b"GET /ws HT", UPGRADE, UPGRADE + frame('{"type":"sign_in","token":"nobody"}'), UPGRADE + b"\x81\xfe\x01\x00",
              UPGRADE + frame('{"type":"sign_in","token":"%s"}' % ("0" * 43))]
    begun, waiting = 0, []
    while begun < count:
        connection = socket.socket()
        connection.bind(source(begun))
        connection.connect(("127.0.0.1", port))
        octets = stages[begun % len(stages)]
        if octets:
            connection.send(octets)
        waiting.append(connection)
        begun += 1
        if len(waiting) >= 64:
            for old in waiting:
                reset(old)
            waiting = []
    for old in waiting:
        reset(old)


def half_open(port, count):
    held = []
    for number in range(count):
        connection = socket.socket()
        connection.bind(source(number))
        connection.connect(("127.0.0.1", port))
        connection.send(b"GET /ws HTTP/1.1\r\nHost: a\r\nX: ")
        held.append(connection)
    return held


def starve(port, pid, seconds, witness):
    """One member reads nothing; two write 1 MB a second together; one reads and looks whether anything is late."""
    deaf = Member.seeded(port, 0, 2, receive_buffer=4096)
    reader, authors = Member.seeded(port, 0, 3), [Member.seeded(port, 0, 0), Member.seeded(port, 0, 1)]
    text = "a" * 3500
    begun, sent, octets, late, peak = time.monotonic(), 0, 0, 0.0, 0
    reader.socket.setblocking(False)
    for author in authors:
        author.socket.setblocking(False)
    closed_at = None
    before = use(pid)[2]
    while (now := time.monotonic()) - begun < seconds:
        while sent * 3600 < (now - begun) * 1_000_000 and (now - begun) < seconds - 1:
            author = authors[sent % 2]
            author.socket.setblocking(True)
            author.mutate(f"{time.monotonic():.6f} {text}")
            author.socket.setblocking(False)
            sent += 1
        ready, _, _ = select.select([reader.socket] + [author.socket for author in authors], [], [], 0.005)
        for member in [reader] + authors:
            if member.socket in ready:
                member.more()
                for opcode, payload in member.frames():
                    if opcode == 8 or payload.startswith((b'{"type":"reject', b'{"type":"error')):
                        raise SystemExit(f"somebody else was hurt: {payload[:200]}")
                    if member is reader and payload.startswith(b'{"type":"change"'):
                        octets += len(payload)
                        said = payload.split(b'"text":"', 1)
                        if len(said) == 2:
                            late = max(late, time.monotonic() - float(said[1].split(b" ", 1)[0]))
        peak = max(peak, use(pid)[0]) if sent % 50 == 0 else peak
        if closed_at is None and use(pid)[2] < before:
            closed_at = now - begun
    tell(f"deaf member, {sent} messages, {octets / seconds / 1e6:.2f} MB/s", pid,
         f"reader's worst {late * 1000:.0f} ms, peak RSS {peak} KiB, the deaf one cut after {closed_at or float('nan'):.1f} s")
    print(f"{'':44} {witness.take()}")
    reset(deaf.socket)
    for member in [reader] + authors:
        reset(member.socket)
    return closed_at is not None and octets > 0


def flood(port, pid, seconds, witness):
    """Eight members of one family change their context as fast as they can; each change is news to all eight."""
    members = [Member.seeded(port, 0, number) for number in range(8)]
    frames = frame('{"type":"context","context":"all"}') * 1000
    unsent = {member: memoryview(frames) for member in members}
    for member in members:
        member.socket.setblocking(False)
    begun, sent, heard, cut = time.monotonic(), 0, 0, 0
    while time.monotonic() - begun < seconds and unsent:
        readable, writable, _ = select.select([m.socket for m in unsent], [m.socket for m in unsent], [], 0.1)
        for member in list(unsent):
            try:
                if member.socket in writable:
                    count = member.socket.send(unsent[member])
                    sent += count
                    unsent[member] = unsent[member][count:] or memoryview(frames)
                if member.socket in readable:
                    octets = len(member.socket.recv(1 << 20))
                    heard += octets
                    if not octets:
                        raise ConnectionError
            except BlockingIOError:
                pass
            except ConnectionError:
                cut += 1
                del unsent[member]
    took = time.monotonic() - begun
    tell(f"eight flood, {sent * 1000 // len(frames) / took:.0f} frames/s, {heard / took / 1e6:.1f} MB/s back", pid, witness.take() + f"; {cut} of the eight cut")
    for member in members:
        reset(member.socket)


def handshakes(port, pid, seconds, witness):
    """As many as this machine's other core can ask for."""
    command = ["openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", str(seconds)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(4)]
    begun = time.monotonic()
    count = 0
    for one in running:
        for line in one.communicate()[0].splitlines():
            if " connections in " in line and "real seconds" in line:
                count += int(line.split()[0])
    took = time.monotonic() - begun
    tell(f"handshakes, {count / took:.0f} a second", pid, witness.take())


def certificate(folder):
    files = f"{folder}/cert.pem", f"{folder}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", files[1],
                    "-out", files[0], "-days", "2", "-subj", "/CN=localhost"], check=True, stderr=subprocess.DEVNULL)
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--connections", type=int, default=100_000)
    parser.add_argument("--half-open", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    wanted = parser.parse_args()
    keys = tempfile.mkdtemp(prefix="huddle-abuse")
    folder = f"{keys}/data"
    server = None
    try:
        certificate_file, key_file = certificate(keys)
        subprocess.run([f"{wanted.programs}/loadgen", "seed", "--data", folder, "--families", "2", "--members", "8"],
                       check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([f"{wanted.programs}/huddled", "serve", "--data", folder, "--listen", "127.0.0.1:0",
                                   "--mutations-per-second", "0", "--listen-tls", "127.0.0.1:0", "--tls-cert", certificate_file,
                                   "--tls-key", key_file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port, secure_port = (int(server.stdout.readline().rsplit("/ws", 1)[0].rsplit(":", 1)[1]) for _ in range(2))
        witness = Witness(port)
        witness.start()
        time.sleep(1)
        witness.take()
        # Whatever is made at the first use counts as there before.
        abrupt(port, 500)
        time.sleep(3)
        _, descriptors = first = tell("before", server.pid)
        begun = time.monotonic()
        abrupt(port, wanted.connections)
        took = time.monotonic() - begun
        settle(server.pid, descriptors)
        second = tell(f"after {wanted.connections} abrupt connections ({took:.0f} s)", server.pid, witness.take())
        held = half_open(port, wanted.half_open)
        time.sleep(0.5)
        tell(f"{wanted.half_open} half-open handshakes", server.pid, witness.take())
        time.sleep(15)
        settle(server.pid, descriptors)
        third = tell("after their time is over", server.pid, witness.take())
        for connection in held:
            connection.close()
        fine = starve(port, server.pid, wanted.seconds, witness)
        settle(server.pid, descriptors)
        flood(port, server.pid, wanted.seconds, witness)
        settle(server.pid, descriptors)
        witness.times = []
        handshakes(secure_port, server.pid, wanted.seconds, witness)
        settle(server.pid, descriptors)
        last = tell("at the end", server.pid)
        left = [name for name, (_, open_now) in (("abrupt", second), ("half-open", third), ("deaf", last)) if open_now > descriptors]
        if left or not fine:
            raise SystemExit(f"descriptors are left after: {left}; the deaf one was {'' if fine else 'not '}cut")
        grown = second[0] - first[0]
        print(f"RSS grew by {grown} KiB over {wanted.connections} abrupt connections")
        witness.over = True
        witness.join(5)
    finally:
        if server:
            server.terminate()
            server.wait(20)
        shutil.rmtree(keys, ignore_errors=True)


if __name__ == "__main__":
    main()
