"""Upgrades of the server while pages are open, hidden, offline or in the middle of fetching, with and without a service worker.

The client always starts, it is on the new build by the second start, and a page is loaded again at most once per build.
"""
import os
import re
import signal

from playwright.sync_api import expect

from engine_link import Link
from harness import is_typed, Person, retry


def another(server):
    """The same program with another build of the client: a comment of its style sheet differs."""
    newer = os.path.join(server.folder, "huddled-newer")
    if not os.path.exists(newer):
        octets = open(server.program, "rb").read()
        assert octets.count(b"/* The frame */") == 1
        with open(newer, "wb") as file:
            file.write(octets.replace(b"/* The frame */", b"/* The FRAME */"))
        os.chmod(newer, 0o755)
    return newer


def build(page):
    return re.search("/app/([0-9a-f]{32})/", page.evaluate("document.querySelector('script').src"))[1]


class Counted:
    """A page whose loads are counted."""

    def __init__(self, page):
        self.page, self.loads = page, 0
        page.on("load", self._loaded)

    def _loaded(self, _):
        self.loads += 1


def is_on(page, wanted):
    """Waits until the page is of this build and live."""
    expect(page.locator(f"script[src*='{wanted}']")).to_have_count(1)
    expect(page.get_by_role("link", name="All saved")).to_be_visible()


def replace(server, program, with_signal=signal.SIGKILL):
    server.stop(with_signal)
    server.program = program
    server.start()


def engine_builds(browser, server):
    """The matrix: visible, hidden and offline pages, several tabs, each with a worker and without one."""
    former, newer = server.program, another(server)
    for workers in ["allow", "block"]:
        server.program = former
        if workers == "block":
            replace(server, former)
        link = Link(server)
        ana = Person(browser, link, service_workers=workers).sign_in("Carmen", "/room")
        visible = ana.page
        if workers == "allow":
            visible.evaluate("navigator.serviceWorker.ready.then(() => true)")
        old = build(visible)
        hidden, offline = ana.open(), ana.open()
        for page in (hidden, offline):
            page.goto(link.url + "/room")
            is_on(page, old)
        # A hidden page gets no timers in time; Chromium without a window calls every page visible, so that the page is told otherwise.
        hidden.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }); document.dispatchEvent(new Event('visibilitychange'));")
        visible.get_by_label("Message", exact=True).fill("Typed before the upgrade")
        is_typed(visible, "Typed before the upgrade")
        counted = [Counted(page) for page in (visible, hidden, offline)]
        replace(server, newer)
        is_new = [page for page in (visible, hidden, offline)]
        for page in is_new:
            expect(page.locator(f"script[src*='{old}']")).to_have_count(0)
        new = build(visible)
        assert new != old
        for page in is_new:
            is_on(page, new)
        expect(visible.get_by_label("Message", exact=True)).to_have_value("Typed before the upgrade")
        assert [one.loads for one in counted] == [1, 1, 1], [one.loads for one in counted]
        # Nothing more happens with the next connections.
        link.cut()
        for page in is_new:
            is_on(page, new)
        assert [one.loads for one in counted] == [1, 1, 1], [one.loads for one in counted]
        print(f"engine_builds: workers {workers}: {[one.loads for one in counted]} loads")
        ana.end()
        link.close()


def engine_builds_interrupted(browser, server):
    """The server is killed, and the page is closed, while the worker fetches the new build: the client starts all the same, and the second start is the new build."""
    former, newer = server.program, another(server)
    link = Link(server)
    try:
        ana = Person(browser, link).sign_in("Carmen", "/room")
        page = ana.page
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        old = build(page)
        for way in ["server", "page", "offline"]:
            # The new worker's script has come; what it fetches then stops on its way.
            server.stop(signal.SIGKILL)
            link.cut()
            server.program = newer
            if way == "offline":
                link.hold()
            else:
                link.hold_at(b"GET /app/")
            server.start()
            if way != "offline":
                link.wait_held()
            if way == "server":
                server.stop(signal.SIGKILL)
                link.cut()
                link.release()
                expect(page.locator("a.pill")).to_contain_text("offline")
                # Without a server it starts, as what it was or as the new one: never as a mixture.
                page.reload()
                expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
                server.start()
            elif way == "page":
                page.close(run_before_unload=False)
                link.cut()
                link.release()
                page = ana.page = ana.open()
                page.goto(link.url + "/room")
            else:
                page.reload()
                expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
                link.cut()
                link.release()
            expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
            expect(page.locator(f"script[src*='{old}']")).to_have_count(0)
            new = build(page)
            is_on(page, new)
            # The second start, without a server, is the new build.
            server.stop(signal.SIGKILL)
            page.reload()
            expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
            assert build(page) == new
            # Back, for the next round: a tab of its own, since this one has been loaded for that build.
            server.program = former
            server.start()
            page.close()
            page = ana.page = ana.open()
            page.goto(link.url + "/room")
            is_on(page, old)
            print(f"engine_builds_interrupted: {way} done", flush=True)
        ana.end()
    finally:
        link.close()


def engine_builds_circle(browser, server):
    """Two servers of different builds behind one address, in turn: a page is loaded again once for each, and then stays as it is."""
    former, newer = server.program, another(server)
    ana = Person(browser, server).sign_in("Carmen", "/room")
    page = ana.page
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    old = build(page)
    counted = Counted(page)
    changes = 0
    for program in [newer, former, newer, former, newer]:
        replace(server, program)
        expect(page.locator("a.pill")).to_contain_text("offline")
        retry(page)
        changes += 1
        expect(page.get_by_role("link", name="All saved")).to_be_visible()
        if changes <= 2:
            # The first two changes are followed.
            expect(page.locator(f"script[src*='{old}']")).to_have_count(0 if program == newer else 1)
            expect(page.get_by_role("link", name="All saved")).to_be_visible()
    # A message goes there and back: whatever would have come has come.
    page.get_by_label("Message", exact=True).fill("Still here")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Still here", exact=True)).to_be_visible()
    ana.is_live()
    assert counted.loads == 2, counted.loads
    ana.end()


FLOWS = {one.__name__: one for one in (engine_builds, engine_builds_interrupted, engine_builds_circle)}
