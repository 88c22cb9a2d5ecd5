"""A server, browsers and what they may not do, for the flows of the web client.

Each page is watched: an error on the console, a report of the content security policy, an exception or a request to another origin fails the flow.
Flows wait for what is on the page, never for a time.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, expect

# A machine with other work takes its time; a flow that works does not wait.
expect.set_options(timeout=90_000)
WAIT = 90_000


class Server:
    """`huddled serve` with the demo family, on a port that stays the same over restarts."""

    def __init__(self, program, *options, host="127.0.0.1"):
        # HUDDLE_WEB names a folder whose modules are served as they are: no build is needed after a change (and there is no worker).
        web = os.environ.get("HUDDLE_WEB")
        self.program, self.options, self.host = program, [*options, *(["--web", web] if web else [])], host
        self.folder = tempfile.mkdtemp(prefix="huddle-web.")
        self.data = os.path.join(self.folder, "data")
        made = subprocess.run([program, "demo", "--data", self.data, "--json"], check=True, capture_output=True, timeout=60)
        self.demo = json.loads(made.stdout)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = None
        self.start()

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen([self.program, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.port}", *[option.replace("PORT", str(self.port)) for option in self.options]], stdout=self.log, stderr=self.log)
        end = time.monotonic() + 60
        while True:
            with socket.socket() as tried:
                # The kernel may connect a socket to itself while nobody listens.
                if tried.connect_ex(("127.0.0.1", self.port)) == 0 and tried.getsockname()[1] != self.port:
                    return
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(open(os.path.join(self.folder, "log"), encoding="utf-8").read()[-2000:])
            time.sleep(0.02)

    def stop(self, with_signal=signal.SIGTERM):
        self.process.send_signal(with_signal)
        self.process.wait(30)
        self.log.close()

    def end(self):
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def token(self, name):
        return next(member["token"] for member in self.demo["members"] if member["name"].startswith(name))


def retry(page):
    """Presses Retry, unless the page has found the server by itself before."""
    button = page.get_by_role("button", name="Retry")
    expect(button.or_(page.get_by_role("link", name="All saved")).first).to_be_visible()
    try:
        button.evaluate_all("(found) => found.forEach((one) => one.click())")
    except Error as error:
        # It has found another build, and loads itself again.
        if "context was destroyed" not in str(error):
            raise


# WCAG 2.2 AA, by axe's tags.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def violations(page, only=RULES):
    """What axe finds on a page, as sentences. Its script comes once per document, by the browser's protocol, where the policy does not count."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate("""(only) => axe.run({ runOnly: only, resultTypes: ["violations"] })
      .then((results) => results.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)} (${(one.nodes[0].failureSummary ?? "").slice(0, 200)})`))""", only)


def is_typed(page, text):
    """Waits until what was typed is on this device: the page may be left or killed."""
    page.evaluate("""async (text) => {
      for (const end = performance.now() + 30_000; performance.now() < end;) {
        const asked = indexedDB.open("huddle");
        const held = await new Promise((resolve, reject) => { asked.onsuccess = () => resolve(asked.result); asked.onerror = () => reject(asked.error); });
        const all = held.transaction(["typing"]).objectStore("typing").getAll();
        await new Promise((resolve) => { all.onsuccess = resolve; });
        held.close();
        if (JSON.stringify(all.result).includes(text)) return;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      throw new Error(`${text} is not on this device`);
    }""", text)


class Person:
    """Somebody in front of a browser of their own."""

    def __init__(self, browser, server, *, width=1280, height=900, **options):
        self.server = server
        self.context = browser.new_context(viewport={"width": width, "height": height}, locale="en-US", accept_downloads=True, **options)
        self.context.set_default_timeout(WAIT)
        self.faults = []
        self.is_cut = False
        self.page = self.open()

    def open(self):
        return self.watch(self.context.new_page())

    def watch(self, page):
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)
        return page

    def _error(self, error):
        # Firefox reports each connection that fails as an exception, and asks for an icon of pages without one.
        if not re.search(r"establish a connection|was interrupted while the page was loading|/favicon\.ico because it violates", str(error)):
            self.faults.append(f"exception: {error}")

    def _console(self, message):
        # Without a server, browsers report each connection that fails; the refusals of HTTP are answers that the page shows.
        if message.type == "error" and not re.search(r"ERR_CONNECTION|ERR_NETWORK|ERR_INTERNET|ERR_EMPTY|ERR_INCOMPLETE|Failed to load resource|WebSocket connection to|downloadable font|establish a connection|favicon\.ico|Cross-Origin-Opener-Policy header has been ignored", message.text):
            self.faults.append(f"console: {message.text}")

    def _request(self, request):
        if not request.url.startswith((self.server.url, self.server.url.replace("http", "ws"), "blob:", "data:")):
            self.faults.append(f"a request to {request.url}")

    def sign_in(self, name, path="/events", brief=False):
        page = self.page
        page.goto(self.server.url + path)
        page.get_by_role("button", name="Use a sign-in token").click()
        page.get_by_label("Sign-in token").fill(self.server.token(name))
        if brief:
            page.get_by_label("This is not my computer").check()
        page.get_by_role("button", name="Sign in", exact=True).click()
        self.is_live()
        return self

    def is_live(self):
        expect(self.page.get_by_role("link", name="All saved")).to_be_visible()

    def go(self, label):
        self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=label).click()
        expect(self.page.get_by_role("heading", level=1, name=label, exact=True)).to_be_visible()

    def toast(self, text):
        expect(self.page.locator(".toasts")).to_contain_text(text)

    def end(self):
        self.context.close()
        assert not self.faults, "\n".join(self.faults)


class Held:
    """Connections of a page whose frames from the server wait until they are released."""

    def __init__(self, page):
        self.waiting, self.isHeld, self.opened = [], True, 0
        page.route_web_socket(re.compile("/ws$"), self._opened)

    def _opened(self, route):
        self.opened += 1
        self.route = route
        server = route.connect_to_server()
        server.on_message(lambda frame: self.waiting.append((route, frame)) if self.isHeld else route.send(frame))

    def say(self, text):
        """Says something to the page in the server's name."""
        self.route.send(text)

    def release(self):
        self.isHeld = False
        for route, frame in self.waiting:
            route.send(frame)
        self.waiting = []
