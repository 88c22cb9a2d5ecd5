#!/usr/bin/env python3
"""Kills `huddled` (SIGKILL) at random moments of what people and hosts do, starts it again, and sends again what had no answer.

kills.py HUDDLED sign-up ROUNDS [SEED]     an invite, the redemption of its code, a name and a password, a session by name
kills.py HUDDLED consent ROUNDS [SEED]     an athlete of 15, the consent, the invite, the sign-in, the withdrawal
kills.py HUDDLED backup ROUNDS [SEED]      `huddled backup` beside a server that writes
kills.py HUDDLED restore ROUNDS [SEED]     `huddled restore`
kills.py HUDDLED migration ROUNDS [SEED]   the first start on a database of 0.1.0

In each round every answer that arrived before the kill must be true after it, and what was sent again must be done once. Prints one line of JSON:
how many rounds, and how many of them were interrupted. Ends with 1 and a sentence that names the seed when something is wrong.

Needs websockets (proto/examples/requirements.txt).
"""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import websockets.exceptions
import websockets.sync.client

PASSWORD = "correct horse battery"
# Cheap hashes: the kills look for the writer, not for the processor.
OPTIONS = ["--password-memory", "1M", "--password-passes", "1", "--log-level", "error"]


class Lost(Exception):
    """The answer did not arrive."""


def hold(is_so, sentence):
    if not is_so:
        raise SystemExit(f"kills.py: {sentence}")


class Server:
    def __init__(self, program, data):
        self.program, self.data, self.process = program, data, None

    def start(self):
        self.process = subprocess.Popen([self.program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *OPTIONS], stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if "ws://" not in line:
            raise Lost
        self.url = "ws://" + line.split("ws://")[1].split()[0].rstrip(".,")
        self.port = int(self.url.split("/")[2].rsplit(":", 1)[1])
        return self

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def command(self, *words):
        ran = subprocess.run([self.program, words[0], "--data", self.data, "--json", *words[1:]], capture_output=True)
        hold(ran.returncode == 0, f"huddled {words[0]}: {ran.stderr.decode()}")
        return json.loads(ran.stdout)

    def check(self):
        ran = subprocess.run([self.program, "check", "--deep", "--data", self.data, "--json"], capture_output=True)
        hold(ran.returncode == 0, f"huddled check: {ran.stdout.decode()} {ran.stderr.decode()}")

    def ask(self, method, path, content=None, cookie=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        fields = {"Origin": f"http://127.0.0.1:{self.port}"}
        if cookie:
            # The name of a cookie holds the port, which is another one after each start.
            fields["Cookie"] = f"__Host-huddle-{self.port}={cookie}"
        if content is not None:
            fields["Content-Type"] = "application/json"
        try:
            link.request(method, path, None if content is None else json.dumps(content), fields)
            answer = link.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            raise Lost from None
        finally:
            link.close()
        made = [value.split(";")[0].split("=", 1)[1] for name, value in answer.getheaders() if name.lower() == "set-cookie" and "-device=" not in value]
        return answer.status, json.loads(text) if text else {}, made[0] if made else None

    @contextlib.contextmanager
    def room(self, family, token):
        """A connection that has joined; a function that asks and returns the answer."""
        try:
            with websockets.sync.client.connect(self.url, subprotocols=["huddle.v1"], max_size=None, compression=None) as socket:
                socket.send(json.dumps({"type": "sign_in", "token": token}))
                hold((welcome := json.loads(socket.recv(30)))["type"] == "welcome", f"sign_in: {welcome}")
                socket.send(json.dumps({"type": "join", "family": family, "client": str(uuid.uuid4())}))
                while (frame := json.loads(socket.recv(30)))["type"] != "live":
                    hold(frame["type"] != "error", f"join: {frame}")

                def ask(**frame):
                    socket.send(json.dumps({**frame, "request": 9}))
                    while (answer := json.loads(socket.recv(30))).get("request") != 9:
                        pass
                    return answer

                yield ask
        except (OSError, EOFError, TimeoutError, websockets.exceptions.WebSocketException):
            raise Lost from None


class Killer:
    """Kills a server once, some time after the call."""

    def __init__(self, server, delay):
        self.server, self.struck = server, False
        self.timer = threading.Timer(delay, self.strike)
        self.timer.start()

    def strike(self):
        self.struck = True
        self.server.process.send_signal(signal.SIGKILL)

    def end(self):
        self.timer.cancel()
        self.timer.join()


def steps(server, delay, story):
    """Takes the steps of a story, each until it is answered. Starts the server again when it was killed.

    Returns whether the kill met the story, and how long it took without waiting for the start.
    """
    killer = Killer(server, delay) if delay is not None else None
    begun, starts, met = time.monotonic(), 0, False
    for step in story:
        while True:
            try:
                step()
                break
            except Lost:
                hold(killer and killer.struck, "the server left a request without an answer, and nobody had killed it")
                hold(not met, "the server was killed once and is gone twice")
                met = True
                now = time.monotonic()
                server.kill()
                server.start()
                starts += time.monotonic() - now
    took = time.monotonic() - begun - starts
    if killer:
        killer.end()
        if killer.struck and not met:
            server.kill()
            server.start()
    return met, took


class Story:
    """A family of its own: a family may make 50 invites a day."""

    def __init__(self, server, number):
        self.server, self.number = server, number
        made = server.command("init", "--family", f"Family {number}", "--zone", "UTC", "--parent", "Ana")
        self.family, self.parent = made["family"], made["member"]
        self.token = made["token"]
        self.ids = [str(uuid.uuid4()) for _ in range(2)]
        self.nonces = [uuid.uuid4().hex for _ in range(3)]
        self.cookie = self.code = None

    def ask(self, **frame):
        with self.server.room(self.family, self.token) as ask:
            answer = ask(**frame)
        hold(answer["type"] != "error", f"{frame['type']}: {answer}")
        return answer

    def redeem(self, name):
        status, answer, cookie = self.server.ask("POST", "/session", {"code": self.code, "client": self.nonces[2], "name": name})
        hold(status == 201 and answer["signed_in"], f"the code of {name}: {status} {answer}")
        self.cookie = cookie

    def password(self, name):
        status, answer, _ = self.server.ask("PUT", "/account/password", {"name": name, "password": PASSWORD}, self.cookie)
        hold(status == 200 and answer["name"] == name, f"the password of {name}: {status} {answer}")

    def acts(self):
        return [(entry["act"], entry.get("about"), entry.get("count", 1)) for entry in reversed(self.ask(type="audit", limit=100)["entries"])]

    def once(self, acts):
        """Each of these acts is entered exactly once."""
        found = [act for act, _, _ in self.acts()]
        for act in acts:
            hold(found.count(act) == 1, f"{act} is in the audit log {found.count(act)} times: {found}")


class SignUp(Story):
    def story(self):
        guest = f"Guest {self.number}"

        def invite():
            answer = self.ask(type="invite", id=self.ids[0], nonce=self.nonces[0], name=guest, role="guest")
            hold(self.code in (None, answer["code"]), "an invite that was asked for again has another code")
            self.code = answer["code"]

        def by_name():
            status, answer, self.cookie = self.server.ask("POST", "/session", {"name": guest, "password": PASSWORD})
            hold(status == 201, f"the sign-in of {guest}: {status} {answer}")

        # Asked for twice: the answer of before the kill is the answer of after it.
        return [invite, invite, lambda: self.redeem(guest), lambda: self.password(guest), by_name]

    def verify(self):
        status, answer, _ = self.server.ask("GET", "/session", cookie=self.cookie)
        hold(status == 200 and [one["family"] for one in answer["memberships"]] == [self.family], f"the session by name: {status} {answer}")
        self.once(["invited", "invite_accepted"])
        status, answer, _ = self.server.ask("POST", "/session", {"code": self.code, "client": uuid.uuid4().hex, "name": "x"})
        hold(answer["code"] == "code_unknown", f"a code was good twice: {status} {answer}")


class Consent(Story):
    def story(self):
        athlete = f"Leo {self.number}"
        born = f"{time.gmtime().tm_year - 15}-01-01"

        def propose():
            answer = self.ask(type="invite", id=self.ids[0], nonce=self.nonces[0], name=athlete, role="athlete", born=born)
            hold("code" not in answer, "an athlete of 15 has a code without a consent")
            self.member = answer["invite"]["member"]

        def read():
            answer = self.ask(type="standings")
            self.version, self.text = answer["version"], answer["text"]

        def consent():
            answer = self.ask(type="consent", member=self.member, version=self.version, sha256=hashlib.sha256(self.text.encode()).hexdigest())
            hold(answer["standing"]["state"] == "consented", f"consent: {answer}")

        def invite():
            answer = self.ask(type="invite", id=self.ids[1], nonce=self.nonces[1], member=self.member)
            hold(self.code in (None, answer["code"]), "an invite that was asked for again has another code")
            self.code = answer["code"]

        def use():
            status, answer, _ = self.server.ask("GET", "/session", cookie=self.cookie)
            hold(answer["signed_in"], f"the athlete's session: {status} {answer}")

        def withdraw():
            answer = self.ask(type="withdraw_consent", member=self.member)
            hold(answer["standing"]["state"] == "consent_needed", f"withdrawal: {answer}")

        def out():
            status, answer, _ = self.server.ask("GET", "/session", cookie=self.cookie)
            hold(not answer["signed_in"], f"the athlete's session outlives the consent: {status} {answer}")

        return [propose, read, consent, consent, invite, lambda: self.redeem(athlete), use, withdraw, out]

    def verify(self):
        self.once(["consent_given", "invite_accepted", "consent_withdrawn", "sessions_ended"])


def people(program, folder, rounds, chance, kind):
    server = Server(program, folder + "/data").start()
    interrupted = 0
    _, took = steps(server, None, (first := kind(server, 0)).story())
    first.verify()
    for number in range(1, rounds + 1):
        one = kind(server, number)
        met, this = steps(server, chance.uniform(0, took), one.story())
        took = took if met else (took + this) / 2
        interrupted += met
        one.verify()
    server.kill()
    server.check()
    return interrupted


# Acts of a host: programs that are killed.


def struck(words, delay):
    """Starts a program, kills it after a time, and says whether the kill met it, and how it ended."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        child.wait(delay)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
    errors = child.stderr.read().decode()
    code = child.wait()
    child.stderr.close()
    hold(code in (0, -signal.SIGKILL), f"{' '.join(words)}: {code} {errors}")
    return code != 0


def contents(program, data, expected):
    """A data folder that is restored or upgraded is whole."""
    ran = subprocess.run([program, "check", "--deep", "--data", data, "--json"], capture_output=True)
    found = json.loads(ran.stdout) if ran.stdout else {}
    hold(ran.returncode == 0 and {key: found.get(key) for key in expected} == expected, f"check: {ran.returncode} {found} {ran.stderr.decode()}, not {expected}")


def demo(program, folder):
    """A folder with a season, and what a check counts in it."""
    data = folder + "/data"
    subprocess.run([program, "demo", "--data", data, "--json"], check=True, capture_output=True)
    counts = json.loads(subprocess.run([program, "check", "--deep", "--data", data, "--json"], check=True, capture_output=True).stdout)
    return data, {key: counts[key] for key in ("families", "documents")}


def finished(place):
    return {name for name in os.listdir(place) if name != "files" and os.path.exists(f"{place}/{name}/MANIFEST")} if os.path.isdir(place) else set()


def backup(program, folder, rounds, chance):
    data, expected = demo(program, folder)
    place, target = folder + "/copies", folder + "/restored"
    server = Server(program, data).start()
    words = [program, "backup", "--data", data, place]
    begun = time.monotonic()
    hold(not struck(words, 60), "a backup takes more than a minute")
    took = time.monotonic() - begun
    interrupted = 0
    for number in range(rounds):
        before = finished(place)
        server.command("init", "--family", f"Family {number}", "--zone", "UTC", "--parent", "Ana")
        expected["families"] += 1
        interrupted += struck(words, chance.uniform(0, took * 1.1))
        for name in finished(place) - before:
            subprocess.run([program, "restore", "--data", target, f"{place}/{name}"], check=True, capture_output=True)
            contents(program, target, expected)
            shutil.rmtree(target)
    server.kill()
    subprocess.run(words, check=True, capture_output=True)
    hold(set(os.listdir(place)) - {"files"} == finished(place), "something unfinished is left beside the backups")
    return interrupted


def restore(program, folder, rounds, chance):
    data, expected = demo(program, folder)
    place = folder + "/copies"
    subprocess.run([program, "backup", "--data", data, place], check=True, capture_output=True)
    begun = time.monotonic()
    hold(not struck([program, "restore", "--data", folder + "/first", place], 60), "a restore takes more than a minute")
    took = time.monotonic() - begun
    interrupted = 0
    for number in range(rounds):
        target = f"{folder}/restored-{number}"
        words = [program, "restore", "--data", target, place]
        if struck(words, chance.uniform(0, took * 1.1)):
            interrupted += 1
            # A part of a backup is never served. A folder with nothing in it may become somebody's first.
            if os.path.isdir(target) and os.listdir(target) and not os.path.exists(target + "/huddle.db"):
                ran = subprocess.run([program, "serve", "--data", target, "--listen", "127.0.0.1:0"], capture_output=True, timeout=60)
                hold(ran.returncode != 0 and b"restore" in ran.stderr, f"a part of a backup is served: {ran.returncode} {ran.stderr.decode()} {os.listdir(target)}")
            ran = subprocess.run(words, capture_output=True)
            hold(ran.returncode == 0 or b"not empty" in ran.stderr, f"the same command again: {ran.stderr.decode()}")
        contents(program, target, expected)
        shutil.rmtree(target)
    return interrupted


def migration(program, folder, rounds, chance):
    fixture = pathlib.Path(__file__).resolve().parent.parent / "StoreTests/Fixtures/0.1.0.sql"
    old = folder + "/old.db"
    database = sqlite3.connect(old, isolation_level=None)
    database.executescript("PRAGMA journal_mode = WAL;" + fixture.read_text())
    expected = {"families": database.execute("SELECT count(*) FROM families").fetchone()[0]}
    changes = database.execute("SELECT count(*) FROM log").fetchone()[0]
    database.close()

    def start(delay):
        data = f"{folder}/data"
        shutil.rmtree(data, ignore_errors=True)
        os.mkdir(data, 0o700)
        shutil.copy(old, data + "/huddle.db")
        server = Server(program, data)
        timer = None
        begun = time.monotonic()
        met = False
        while True:
            try:
                if delay is not None:
                    process = subprocess.Popen([program, "serve", "--data", data, "--listen", "127.0.0.1:0", *OPTIONS], stdout=subprocess.PIPE)
                    timer = threading.Timer(delay, process.kill)
                    timer.start()
                    line = process.stdout.readline()
                    timer.cancel()
                    timer.join()
                    process.kill()
                    process.wait()
                    process.stdout.close()
                    delay, met = None, not line
                server.start()
                break
            except Lost:
                hold(False, "the server does not start on what the kill left")
        took = time.monotonic() - begun
        server.kill()
        contents(program, data, expected)
        with contextlib.closing(sqlite3.connect(data + "/huddle.db")) as database:
            hold(database.execute("SELECT count(*) FROM log").fetchone()[0] == changes, "a change is missing from the log")
        return met, took

    _, took = start(None)
    return sum(start(chance.uniform(0, took * 1.1))[0] for _ in range(rounds))


def main():
    program, subject, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    folder = tempfile.mkdtemp(prefix="huddle-kills-")
    work = {
        "sign-up": lambda *words: people(*words, SignUp), "consent": lambda *words: people(*words, Consent), "backup": backup, "restore": restore,
        "migration": migration,
    }[subject]
    try:
        interrupted = work(program, folder, rounds, random.Random(seed))
        print(json.dumps({"subject": subject, "rounds": rounds, "interrupted": interrupted, "seed": seed}))
    except SystemExit as error:
        sys.stderr.write(f"seed {seed}: {error}\n")
        sys.exit(1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
