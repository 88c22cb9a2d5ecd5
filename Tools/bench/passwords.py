#!/usr/bin/env python3
"""The cost of passwords: one sign-in against the bare hash, and the effect on rooms while strangers guess.

    Tools/bench/passwords.py [--programs .build/release] [--rounds 40] [--rate 500] [--seconds 20]

Makes a folder of its own, starts `huddled` on a free port of this machine, and
1. compares, by turns, sign-ins over HTTP with libargon2's hash of the same cost in this process (medians);
2. sends that many wrong passwords per second, while a member of a room changes something every 20 ms: the times of its
   acknowledgements by turns without and with the guesses, and the memory of the server.
"""
import argparse
import concurrent.futures
import ctypes
import http.client
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import abuse

PASSWORD = "correct horse battery"


class BareHash:
    """argon2id as the server computes it: m = 19,456 KiB, t = 2, p = 1, on a thread of as low a priority."""

    def __init__(self):
        self.library = ctypes.CDLL("libargon2.so.1")
        self.thread = concurrent.futures.ThreadPoolExecutor(1, initializer=os.nice, initargs=(10,))

    def __call__(self):
        self.thread.submit(self.hash).result()

    def hash(self):
        result = ctypes.create_string_buffer(32)
        code = self.library.argon2id_hash_raw(
            ctypes.c_uint32(2), ctypes.c_uint32(19_456), ctypes.c_uint32(1), PASSWORD.encode(), ctypes.c_size_t(len(PASSWORD)), b"0123456789abcdef",
            ctypes.c_size_t(16), result, ctypes.c_size_t(32))
        if code != 0:
            raise SystemExit(f"libargon2 answers {code}")


class Client:
    """Requests on one connection that is kept."""

    def __init__(self, port):
        self.port, self.link = port, http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, content, **fields):
        fields = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json", **fields}
        self.link.request(method, path, json.dumps(content), fields)
        answer = self.link.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else {}


def milliseconds(work):
    begun = time.monotonic()
    work()
    return (time.monotonic() - begun) * 1000


def compare(port, rounds):
    """Medians of the bare hash, of a sign-in, and of their ratio in each pair."""
    client, bare = Client(port), BareHash()
    status, answer = client.ask("PUT", "/account/password", {"name": "Ana", "password": PASSWORD}, Authorization=f"Bearer {0:039d}{0:04d}")
    if status != 200:
        raise SystemExit(f"the password was not set: {status} {answer}")

    def sign_in():
        status, answer = client.ask("POST", "/session", {"name": "Ana", "password": PASSWORD})
        if status != 201:
            raise SystemExit(f"the sign-in failed: {status} {answer}")

    pairs = [(milliseconds(bare), milliseconds(sign_in)) for _ in range(rounds + 3)][3:]
    return tuple(statistics.median(values) for values in ([a for a, _ in pairs], [b for _, b in pairs], [b / a for a, b in pairs]))


def guess(port, rate, seconds, threads=160):
    """Sends wrong passwords at a rate; returns the answers by status."""
    counts, lock, begun = {}, threading.Lock(), time.monotonic()

    def run(place):
        client = Client(port)
        number = place
        while time.monotonic() < begun + seconds:
            wait = begun + number / rate - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            status, _ = client.ask("POST", "/session", {"name": f"nobody {number}", "password": "wrong horse"})
            with lock:
                counts[status] = counts.get(status, 0) + 1
            number += threads

    running = [threading.Thread(target=run, args=(place,), daemon=True) for place in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    return counts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=20)
    wanted = parser.parse_args()
    keys = tempfile.mkdtemp(prefix="huddle-passwords")
    server = None
    try:
        subprocess.run([f"{wanted.programs}/loadgen", "seed", "--data", f"{keys}/data", "--families", "2", "--members", "8"],
                       check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([f"{wanted.programs}/huddled", "serve", "--data", f"{keys}/data", "--listen", "127.0.0.1:0"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(server.stdout.readline().rsplit("/ws", 1)[0].rsplit(":", 1)[1])
        bare, sign_in, ratio = compare(port, wanted.rounds)
        print(f"bare hash {bare:.1f} ms, sign-in {sign_in:.1f} ms, ratio of a pair {ratio:.3f} (medians of {wanted.rounds})", flush=True)
        witness = abuse.Witness(port)
        witness.start()
        time.sleep(1)
        witness.take()
        _, before, _ = abuse.use(server.pid)
        for number in range(3):
            time.sleep(wanted.seconds / 2)
            abuse.tell(f"round {number + 1}, quiet", server.pid, witness.take())
            # A process of its own with a lower priority, so that its work is not in the times of the witness.
            with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), os.nice, (5,)) as other:
                counts = other.submit(guess, port, wanted.rate, wanted.seconds).result()
            abuse.tell(f"round {number + 1}, {sum(counts.values()) / wanted.seconds:.0f} guesses/s {counts}", server.pid, witness.take())
        _, after, _ = abuse.use(server.pid)
        print(f"private memory grew by {(after - before) / 1024:.1f} MiB")
        witness.over = True
        witness.join(5)
    finally:
        if server:
            server.terminate()
            server.wait(20)
        shutil.rmtree(keys, ignore_errors=True)


if __name__ == "__main__":
    main()
