#!/usr/bin/env python3
"""Name and password, second factor and recovery over HTTP against the real server, with pyotp as the authenticator program.

accounts.py HUDDLED TRIES    TRIES attempts each with a known and an unknown name, whose times are compared

Prints one line of JSON with what was done, and ends with 1 and a sentence when something is wrong.
"""
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import pyotp

PASSWORD = "correct horse battery"


class Server:
    """A `huddled serve` in a fresh folder, with the demo family in it."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="huddle-accounts-")
        self.demo = json.loads(subprocess.run([program, "demo", "--data", self.folder, "--json"], check=True, capture_output=True).stdout)
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(
            [program, "serve", "--data", self.folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        self.port = int(line.split("ws://")[1].split("/")[0].rsplit(":", 1)[1])

    def ask(self, method, path, content=None, token=None, cookies=()):
        """One request on a connection of its own: (status, object, cookies)."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if cookies:
            fields["Cookie"] = "; ".join(cookies)
        body = None
        if content is not None:
            body = json.dumps(content)
            fields["Content-Type"] = "application/json"
        link.request(method, path, body, fields)
        answer = link.getresponse()
        text = answer.read()
        made = [value.split(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        link.close()
        return answer.status, json.loads(text) if text else {}, made

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)


def hold(is_so, sentence):
    if not is_so:
        raise SystemExit(f"accounts.py: {sentence}")


def sign_in(server, **content):
    return server.ask("POST", "/session", {"name": "Ana", **content})


def factors(server, token):
    """Enrols pyotp, signs in with its passwords, each once, and loses both factors."""
    status, account, _ = server.ask("PUT", "/account/password", {"name": "Ana", "password": PASSWORD}, token)
    hold(status == 200 and account["name"] == "Ana", f"setting a password: {status} {account}")
    status, drawn, _ = server.ask("POST", "/account/factor", token=token)
    hold(status == 200, f"drawing a factor: {status} {drawn}")
    factor = pyotp.parse_uri(drawn["address"])
    hold(factor.secret == drawn["secret"] and factor.issuer == "Huddle" and factor.name == "Ana", f"pyotp reads {drawn['address']} otherwise")
    status, account, _ = server.ask("PUT", "/account/factor", {"one_time": factor.now()}, token)
    hold(status == 200 and account["factor"], f"confirming the factor: {status} {account}")
    status, refusal, _ = sign_in(server, password=PASSWORD)
    hold(status == 401 and refusal["code"] == "factor_required", f"without the factor: {status} {refusal}")
    # One step of drift: the password of the next 30 s is taken, and makes those before it useless.
    early = factor.at(time.time() + 30)
    status, _, cookies = sign_in(server, password=PASSWORD, one_time=early)
    hold(status == 201 and len(cookies) == 2, f"with the password of the next step: {status}")
    status, refusal, _ = sign_in(server, password=PASSWORD, one_time=early)
    hold(status == 401 and refusal["code"] == "sign_in_failed", f"the same once more: {status} {refusal}")
    status, refusal, _ = sign_in(server, password=PASSWORD, one_time=factor.at(time.time() + 120))
    hold(status == 401, f"the password of two minutes later: {status} {refusal}")
    status, made, _ = server.ask("POST", "/account/recovery-codes", token=token)
    hold(status == 200 and len(set(made["codes"])) == 10, f"recovery codes: {status} {made}")
    status, _, cookies = sign_in(server, recovery_code=made["codes"][0], one_time=made["codes"][1])
    hold(status == 201, f"with two recovery codes: {status}")
    status, account, _ = server.ask("PUT", "/account/password", {"name": "Ana", "password": PASSWORD + " 2"}, cookies=cookies[:1])
    hold(status == 200 and account["recovery_codes"] == 8, f"a new password: {status} {account}")
    hold(server.ask("GET", "/account", token=token)[0] == 401, "the other session did not end")
    status, account, _ = server.ask("DELETE", "/account/factor", cookies=cookies[:1])
    hold(status == 200 and not account["factor"], f"removing the factor: {status} {account}")
    hold(sign_in(server, password=PASSWORD + " 2")[0] == 201, "the new password does not sign in")
    return cookies[:1]


def host(server, member):
    """The host brings the member back, who signs in with the code."""
    ran = subprocess.run([server.program, "recover", "--data", server.folder, "--member", member, "--json"], capture_output=True)
    hold(ran.returncode == 0, f"huddled recover: {ran.stderr.decode()}")
    made = json.loads(ran.stdout)
    status, answer, cookies = server.ask("POST", "/session", {"code": made["code"], "client": "9d1f6b0c3e7a4852c06e5fb18a2d7394"})
    hold(status == 201 and answer["signed_in"], f"the host's code: {status} {answer}")
    status, answer, _ = server.ask("PUT", "/account/password", {"name": "Ana", "password": PASSWORD}, cookies=cookies[:1])
    hold(status == 200, f"a new password after the host's code: {status} {answer}")


def times(server, tries):
    """The times that a wrong password takes with a known and with an unknown name, sorted, milliseconds.

    The cookie of a known device keeps the limits of an account out of the way, and each right password forgives the wrong one before it.
    """
    device = sign_in(server, password=PASSWORD)[2][1:]
    took = {"Ana": [], "nobody": []}
    order = list(took) * tries
    random.Random(15).shuffle(order)
    for number, name in enumerate(order):
        content = {"name": name if name == "Ana" else f"nobody {number}", "password": "wrong horse"}
        begun = time.monotonic()
        status, answer, _ = server.ask("POST", "/session", content, cookies=device)
        took[name].append((time.monotonic() - begun) * 1000)
        hold(status == 401 and answer["code"] == "sign_in_failed", f"{content}: {status} {answer}")
        if name == "Ana":
            status = server.ask("POST", "/session", {"name": name, "password": PASSWORD}, cookies=device)[0]
            hold(status == 201, f"the right password on a known device: {status}")
    return sorted(took["Ana"]), sorted(took["nobody"])


def alike(one, other):
    """Whether two times are the same to somebody who measures from outside: the hash takes tens of milliseconds, the look-up thousands of times less."""
    return abs(one - other) < 0.25 * max(one, other)


def same_times(server, tries):
    """Compares known and unknown names. A machine with other work slows single tries, but never makes one faster than its hash: so the
    fastest of each kind are compared, with more tries while they differ."""
    known, unknown = times(server, tries)
    for _ in range(10):
        if alike(known[0], unknown[0]):
            break
        more = times(server, tries)
        known, unknown = sorted(known + more[0]), sorted(unknown + more[1])
    hold(alike(known[0], unknown[0]), f"a known name takes at least {known[0]:.1f} ms, an unknown one {unknown[0]:.1f} ms")
    if tries >= 1000:
        medians = statistics.median(known), statistics.median(unknown)
        hold(alike(*medians), "medians: a known name takes %.1f ms, an unknown one %.1f ms" % medians)
    return known, unknown


def main():
    program, tries = sys.argv[1], int(sys.argv[2])
    server = Server(program)
    try:
        parent = next(member for member in server.demo["members"] if member["role"] == "parent")
        factors(server, parent["token"])
        host(server, parent["id"] if "id" in parent else parent["member"])
        known, unknown = same_times(server, tries)
        with open(os.path.join(server.folder, "log"), "rb") as log:
            text = log.read().decode()
        hold(PASSWORD not in text and urllib.parse.quote(PASSWORD) not in text, "the log has the password")
        print(json.dumps({"known_ms": round(statistics.median(known), 1), "unknown_ms": round(statistics.median(unknown), 1), "tries": len(known)}))
    finally:
        server.end()


if __name__ == "__main__":
    main()
