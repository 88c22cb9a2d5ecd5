#!/usr/bin/env python3
"""Passkeys over HTTP against the real server, with soft-webauthn as the browser and its authenticator.

passkeys.py HUDDLED HUDDLE

soft-webauthn does not set UV: this program does, and signs again. The server is restarted between registering and signing in.
Prints one line of JSON with what was done, and ends with 1 and a sentence when something is wrong.
"""
import base64
import hashlib
import http.client
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from fido2.cose import CoseKey
from fido2.webauthn import AttestationObject
from soft_webauthn import SoftWebauthnDevice

PRESENT, VERIFIED = 0x01, 0x04


def encode(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def hold(is_so, sentence):
    if not is_so:
        raise SystemExit(f"passkeys.py: {sentence}")


class Server:
    """A `huddled serve` in a fresh folder, with the demo family in it."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="huddle-passkeys-")
        self.demo = json.loads(subprocess.run([program, "demo", "--data", self.folder, "--json"], check=True, capture_output=True).stdout)
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.port = 0
        self.origin = ""
        self.process = None
        self.start()

    def start(self):
        """The public address is known once the port is: the first start takes a free port, and the server starts again on it."""
        self.run([])
        if not self.origin:
            self.origin = f"http://localhost:{self.port}"
        self.stop()
        self.run(["--public-url", self.origin])

    def run(self, options):
        self.process = subprocess.Popen(
            [self.program, "serve", "--data", self.folder, "--listen", f"127.0.0.1:{self.port}", *options], stdout=subprocess.PIPE, stderr=self.log)
        line = self.process.stdout.readline().decode()
        hold("ws://" in line, f"the server does not start: {line}")
        self.port = int(line.split("ws://")[1].split("/")[0].rsplit(":", 1)[1])

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def ask(self, method, path, content=None, token=None, cookies=()):
        """One request on a connection of its own: (status, object, cookies)."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Host": f"localhost:{self.port}", "Origin": self.origin}
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
        self.stop()
        self.log.close()
        shutil.rmtree(self.folder)


class Browser:
    """The steps of a page with the answers of `navigator.credentials`."""

    def __init__(self, origin):
        self.origin = origin
        self.device = SoftWebauthnDevice()
        self.flags = PRESENT | VERIFIED

    def create(self, options):
        """The content of `POST /passkeys`, as getAuthenticatorData() and getPublicKey() give it."""
        made = self.device.create(
            {"publicKey": {
                "challenge": decode(options["challenge"]), "rp": options["rp"], "pubKeyCredParams": options["pubKeyCredParams"],
                "user": {**options["user"], "id": decode(options["user"]["id"])}, "attestation": "none"}},
            self.origin)
        data = bytearray(AttestationObject(made["response"]["attestationObject"]).auth_data)
        data[32] |= self.flags
        key = CoseKey.parse(AttestationObject(made["response"]["attestationObject"]).auth_data.credential_data.public_key)
        spki = ec.EllipticCurvePublicNumbers(
            int.from_bytes(key[-2], "big"), int.from_bytes(key[-3], "big"), ec.SECP256R1()).public_key().public_bytes(
                Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return {
            "credential": encode(made["rawId"]), "client_data": encode(made["response"]["clientDataJSON"]), "authenticator_data": encode(bytes(data)),
            "public_key": encode(spki), "algorithm": key[3], "name": "soft-webauthn"}

    def get(self, options):
        """The content of `POST /passkeys/sign-in`."""
        used = self.device.get(
            {"publicKey": {"challenge": decode(options["challenge"]), "rpId": options["rpId"]}}, self.origin)
        client = used["response"]["clientDataJSON"]
        data = bytearray(used["response"]["authenticatorData"])
        data[32] = self.flags
        # soft-webauthn signed without UV.
        signature = self.device.private_key.sign(bytes(data) + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        hold(struct.unpack(">I", data[33:37])[0] == self.device.sign_count, "the counter is elsewhere")
        return {
            "credential": encode(used["rawId"]), "client_data": encode(client), "authenticator_data": encode(bytes(data)), "signature": encode(signature),
            "user_handle": encode(used["response"]["userHandle"])}


def sign_in(server, browser, change=None):
    status, options, _ = server.ask("POST", "/passkeys/sign-in/options")
    hold(status == 200 and options["userVerification"] == "required", f"options: {status} {options}")
    content = browser.get(options)
    if change:
        change(content)
    return server.ask("POST", "/passkeys/sign-in", content), content


def command(server, token, *words):
    """`huddle` with the session of a token: (exit status, output)."""
    ran = subprocess.run(
        [sys.argv[2], *words], capture_output=True,
        env={**os.environ, "HOME": server.folder, "XDG_CONFIG_HOME": server.folder, "HUDDLE_SERVER": f"ws://127.0.0.1:{server.port}", "HUDDLE_TOKEN": token})
    return ran.returncode, (ran.stdout + ran.stderr).decode()


def main():
    server = Server(sys.argv[1])
    try:
        token = next(member for member in server.demo["members"] if member["role"] == "parent")["token"]
        browser = Browser(server.origin)
        status, options, _ = server.ask("POST", "/passkeys/options", token=token)
        hold(status == 200 and options["rp"]["id"] == "localhost", f"options of a passkey: {status} {options}")
        status, made, _ = server.ask("POST", "/passkeys", browser.create(options), token)
        hold(status == 201 and len(made["passkeys"]) == 1, f"a passkey: {status} {made}")

        (status, answer, cookies), content = sign_in(server, browser)
        hold(status == 201 and answer["signed_in"] and cookies, f"a sign-in: {status} {answer}")
        status, answer, _ = server.ask("POST", "/passkeys/sign-in", content)
        hold(status == 403 and answer["code"] == "passkey_refused", f"the same answer again: {status} {answer}")

        server.stop()
        server.run(["--public-url", server.origin])
        hold(server.ask("GET", "/session", cookies=cookies)[1]["signed_in"], "the cookie did not outlive the restart")
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 201, f"a sign-in after a restart: {status} {answer}")

        status, text = command(server, token, "passkeys")
        hold(status == 0 and "soft-webauthn, made" in text and "last used" in text, f"huddle passkeys: {status} {text}")
        status, text = command(server, token, "passkeys", "remove", "nothing")
        hold(status != 0 and "no passkey called" in text, f"huddle passkeys remove nothing: {status} {text}")

        browser.flags = PRESENT
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 403, f"without UV: {status} {answer}")
        browser.flags = PRESENT | VERIFIED
        browser.device.sign_count -= 2
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 403, f"a counter that moved back: {status} {answer}")
        browser.device.sign_count += 2
        browser.origin = "https://evil.example"
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 403, f"a foreign origin: {status} {answer}")
        browser.origin = server.origin
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 201, f"a right answer after those: {status} {answer}")
        status, text = command(server, token, "passkeys", "remove", "Soft-WebAuthn")
        hold(status == 0 and "no passkeys" in text, f"huddle passkeys remove: {status} {text}")
        hold("a passkey" in command(server, token, "audit")[1], "the audit log has no passkey")
        (status, answer, _), _ = sign_in(server, browser)
        hold(status == 403, f"a passkey that was removed: {status} {answer}")
        print(json.dumps({"signed_in": 3, "refused": 5}))
    finally:
        server.end()


if __name__ == "__main__":
    main()
