#!/usr/bin/env python3
"""Mail of the real server to mail servers of aiosmtpd: STARTTLS, a sign-in, 4xx, 5xx, a connection that is cut, silence, and a server that is killed.

mail.py HUDDLED HUDDLE CERTIFICATE KEY

Prints one line of JSON with what was done, and ends with 1 and a sentence when something is wrong.
"""
import email
import email.policy
import http.client
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

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

CODE = re.compile(r"[0-9A-Z]{5}(?:-[0-9A-Z]{5}){3}")
HUDDLED, HUDDLE, CERTIFICATE, KEY = sys.argv[1:5]
DONE = []


def check(is_so, sentence):
    if not is_so:
        raise SystemExit(sentence)


class Mailbox:
    """Keeps what it accepts. `replies` are given to the next recipients in turn: a reply, or "cut"; `hold` keeps the answer to the next content back."""

    def __init__(self):
        self.mails = []
        self.replies = []
        self.tried = 0
        self.changed = threading.Condition()
        self.hold = None

    async def handle_RCPT(self, server, session, envelope, address, options):
        with self.changed:
            self.tried += 1
            self.changed.notify_all()
        reply = self.replies.pop(0) if self.replies else "250 ok"
        if reply == "cut":
            server.transport.abort()
            return "421 cut"
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        with self.changed:
            self.mails.append((envelope.rcpt_tos[0], mail, session.ssl is not None, session.auth_data))
            self.changed.notify_all()
        if self.hold:
            # The mail is accepted on this side; the other side does not get to know.
            held, self.hold = self.hold, None
            held.set()
            server.transport.abort()
        return "250 ok"

    def wait(self, count, what):
        with self.changed:
            check(self.changed.wait_for(lambda: len(self.mails) >= count, timeout=90), f"no mail: {what}")
            return self.mails[count - 1]

    def wait_tries(self, count, what):
        with self.changed:
            check(self.changed.wait_for(lambda: self.tried >= count, timeout=90), f"no try: {what}")


def serve_mail(box, port=0, user=None):
    """A mail server on loopback with STARTTLS, which asks for a sign-in if `user` is given."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)

    def authenticate(server, session, envelope, mechanism, data):
        is_right = user is not None and (data.login, data.password) == (user[0].encode(), user[1].encode())
        return AuthResult(success=is_right, handled=False, auth_data=data.login if is_right else None)

    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    controller = Controller(
        box, hostname="127.0.0.1", port=port, tls_context=context, require_starttls=True, authenticator=authenticate, auth_required=user is not None,
        auth_require_tls=True)
    controller.start()
    return controller


class Server:
    """A `huddled serve` with the demo family in it."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="huddle-mail-")
        self.demo = json.loads(subprocess.run([HUDDLED, "demo", "--data", self.folder, "--json"], check=True, capture_output=True).stdout)
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [HUDDLED, "serve", "--data", self.folder, "--listen", "127.0.0.1:0", *self.options], stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        check("ws://" in line, f"the server does not start: {open(self.log.name).read()}")
        self.port = int(line.split("ws://")[1].split("/")[0].rsplit(":", 1)[1])

    def ask(self, method, path, content=None, token=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        body = None
        if content is not None:
            body = json.dumps(content)
            fields["Content-Type"] = "application/json"
        link.request(method, path, body, fields)
        answer = link.getresponse()
        text = answer.read()
        link.close()
        return answer.status, json.loads(text) if text else {}

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            check(self.process.wait(timeout=30) == 0, "the server did not end in good order")


def doctor(server, *more):
    return subprocess.run([HUDDLED, "doctor", "--data", server.folder, *server.options, *more], capture_output=True, text=True)


def codes(mail):
    return CODE.search(mail.get_content()).group()


def main():
    secret = os.path.join(tempfile.mkdtemp(prefix="huddle-mail-"), "password")
    with open(secret, "w") as file:
        file.write("sécret words\n")
    box = Mailbox()
    mail_server = serve_mail(box, user=("club", "sécret words"))
    place = f"smtp://127.0.0.1:{mail_server.port}"
    options = ["--smtp", place, "--mail-from", "huddle@club.example", "--smtp-user", "club", "--smtp-password", secret, "--smtp-ca", CERTIFICATE]
    server = Server(options)
    parent = next(member for member in server.demo["members"] if member["role"] == "parent")
    token = parent["token"]

    # The doctor, with all well and with each thing wrong.
    well = doctor(server)
    check(well.returncode == 0 and "with TLS, and accepts user and password" in well.stdout, f"doctor: {well.stdout}{well.stderr}")
    sent = doctor(server, "--mail", "host@example.org")
    check(sent.returncode == 0 and "has accepted a mail" in sent.stdout, f"doctor: {sent.stdout}{sent.stderr}")
    check(box.wait(1, "of the doctor")[1]["Subject"] == "Huddle can send mail", "another mail")
    refused = [*options]
    refused[refused.index("--smtp-ca"):] = []
    faults = {"is not trusted": refused}
    wrong = os.path.join(os.path.dirname(secret), "wrong")
    with open(wrong, "w") as file:
        file.write("wrong\n")
    faults["refuses user and password"] = [*options[:6], "--smtp-password", wrong, "--smtp-ca", CERTIFICATE]
    faults["cannot be reached"] = ["--smtp", "smtp://127.0.0.1:1", *options[2:]]
    for words, other in faults.items():
        ended = subprocess.run([HUDDLED, "doctor", "--data", server.folder, *other], capture_output=True, text=True)
        check(ended.returncode == 3 and words in ended.stdout, f"doctor says nothing of '{words}': {ended.stdout}{ended.stderr}")
    box.replies = ["550 5.1.1 no such user"]
    ended = doctor(server, "--mail", "nobody@example.org")
    check(ended.returncode == 3 and "refuses the mail" in ended.stdout and "no such user" in ended.stdout, f"doctor: {ended.stdout}{ended.stderr}")
    DONE.append("doctor")

    # An address is set and confirmed by the terminal client.
    home = tempfile.mkdtemp(prefix="huddle-mail-")

    def huddle(*words, text=""):
        surroundings = {
            **os.environ, "LC_ALL": "C.UTF-8", "HOME": home, "XDG_CONFIG_HOME": home, "HUDDLE_TOKEN": token, "HUDDLE_SERVER": f"ws://127.0.0.1:{server.port}"}
        return subprocess.run([HUDDLE, *words], capture_output=True, text=True, env=surroundings, input=text)

    ended = huddle("mail", "set", "ana@example.org")
    check(ended.returncode == 0 and "a…@example.org" in ended.stdout, f"mail set: {ended.stdout}{ended.stderr}")
    address, mail, has_tls, login = box.wait(2, "to confirm")
    check(address == "ana@example.org" and has_tls and login == b"club", "without TLS or sign-in")
    check(mail["Auto-Submitted"] == "auto-generated" and mail["Message-ID"].endswith("@club.example>") and mail["Date"], "a field is missing")
    ended = huddle("mail", "confirm", codes(mail))
    check(ended.returncode == 0 and "Mail goes to a…@example.org." in ended.stdout, f"mail confirm: {ended.stdout}{ended.stderr}")
    ended = huddle("password", "set", "ana", text="correct horse\n")
    check(ended.returncode == 0, f"password set: {ended.stderr}")
    DONE.append("confirmed")

    # Recovery: a 4xx first, so the second try comes after 10 s; a kill before it.
    box.replies = ["450 later"]
    tries = box.tried
    ended = huddle("sign-in", "--name", "ANA@example.org", "--mail")
    check(ended.returncode == 0 and "on its way" in ended.stdout, f"sign-in --mail: {ended.stdout}{ended.stderr}")
    other = huddle("sign-in", "--name", "nobody", "--mail")
    check(other.returncode == 0 and other.stdout == ended.stdout, "an unknown name has other words")
    box.wait_tries(tries + 1, "with 450")
    server.kill()
    server.start()
    _, mail, _, _ = box.wait(3, "after the 450 and the kill")
    status, answer = server.ask("POST", "/session", {"name": "ana", "recovery_code": codes(mail)})
    check(status == 201, f"the mailed code opens nothing: {answer}")
    status, answer = server.ask("POST", "/session", {"name": "ana", "recovery_code": codes(mail)})
    check(status == 401 and answer["code"] == "sign_in_failed", "the mailed code works twice")
    DONE.append("recovered")

    # Accepted, and cut before this side heard of it; killed then: the mail comes again under the same name.
    box.hold = threading.Event()
    held = box.hold
    ended = huddle("invite", "Gus", "--role", "guest", "--email", "gus@example.org")
    check(ended.returncode == 0, f"invite: {ended.stdout}{ended.stderr}")
    check(held.wait(90), "no mail of the invite")
    server.kill()
    server.start()
    first, second = box.wait(4, "of the invite")[1], box.wait(5, "of the invite, again")[1]
    check(first["Message-ID"] == second["Message-ID"] and codes(first) == codes(second), "the second mail has another name")
    check("Gus" not in second.as_string() and parent["name"].split()[0] not in second.get_content(), "the mail of an invite has names")
    DONE.append("killed")

    # A 5xx is reported to the inviter; a cut and silence are tried again.
    box.replies = ["550 5.1.1 no such user"]
    tries = box.tried
    ended = huddle("invite", "Gil", "--role", "guest", "--email", "gil@example.org")
    check(ended.returncode == 0, f"invite: {ended.stderr}")
    box.wait_tries(tries + 1, "with 550")
    for _ in range(200):
        listed = huddle("invites", "--json")
        states = {invite["name"]: invite.get("mail") for invite in json.loads(listed.stdout)["invites"]}
        if states.get("Gil") == "failed":
            break
    check(states.get("Gil") == "failed" and states.get("Gus") == "sent", f"the invites say {states}")
    box.replies = ["cut"]
    mails = len(box.mails)
    ended = huddle("invite", "Gal", "--role", "guest", "--email", "gal@example.org")
    check(ended.returncode == 0, f"invite: {ended.stderr}")
    check(box.wait(mails + 1, "after the cut")[0] == "gal@example.org", "another mail")
    DONE.append("faults")

    # Nobody listens: the server ends in good order all the same, and the mail is sent by the next one.
    mail_server.stop()
    ended = huddle("invite", "Gem", "--role", "guest", "--email", "gem@example.org")
    check(ended.returncode == 0, f"invite: {ended.stderr}")
    server.end()
    mail_server = serve_mail(box, mail_server.port, ("club", "sécret words"))
    mails = len(box.mails)
    server.start()
    check(box.wait(mails + 1, "after the restart")[0] == "gem@example.org", "another mail")
    # The password has changed: no restart is needed.
    server.end()
    mail_server.stop()
    log = open(server.log.name).read()
    check("@example.org" not in log and "sécret" not in log and not CODE.search(log), "the log holds an address, a password or a code")
    check("event=mail_failed" in log and "reason=refused" in log and "given_up=refused" in log and "reason=unreachable" in log, "the log does not say what failed")
    DONE.append("restarts")

    # Without TLS nothing is sent, and off is for this machine alone.
    for words, other in {
        "is for a mail server on this machine": ["--smtp", "smtp://mail.example", "--mail-from", "a@b.example", "--smtp-tls", "off"],
        "needs --mail-from": ["--smtp", "smtp://mail.example"],
        "go together": ["--smtp", "smtp://mail.example", "--mail-from", "a@b.example", "--smtp-user", "x"],
        "takes smtp://": ["--smtp", "http://mail.example", "--mail-from", "a@b.example"],
        "takes an e-mail address": ["--smtp", "smtp://mail.example", "--mail-from", "nobody"],
    }.items():
        ended = subprocess.run([HUDDLED, "config", "--check", "--data", server.folder, *other], capture_output=True, text=True)
        check(ended.returncode == 2 and words in ended.stderr + ended.stdout, f"config: {ended.stdout}{ended.stderr}")
    DONE.append("options")
    print(json.dumps({"done": DONE, "mails": len(box.mails)}))


main()
