"""Storage that is damaged, newer, blocked or full, and cookies that are blocked: the page says so, and rescues what it can."""
import re

from playwright.sync_api import expect

from engine_link import Link
from harness import Person, Server

DATABASE = """
const database = () => new Promise((resolve, reject) => {
  const asked = indexedDB.open("huddle");
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});
const done = (asked) => new Promise((resolve, reject) => { asked.onsuccess = () => resolve(asked.result); asked.onerror = () => reject(asked.error); });
"""


def in_database(page, script):
    """Runs a script with `store(name)` of the client's database."""
    return page.evaluate("async () => {" + DATABASE + """
      const held = await database();
      try {
        const store = (name) => held.transaction([name], "readwrite").objectStore(name);
        """ + script + """
      } finally {
        held.close();
      }
    }""")


def engine_storage_damaged(browser, server):
    """Records that cannot be read come again from the server; what waits and can be read is sent; what cannot is reported, and offered as a file."""
    ana = Person(browser, server).sign_in("Carmen", "/room")
    page = ana.page
    page.get_by_label("Message", exact=True).fill("Before the damage")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Before the damage", exact=True)).to_be_visible()
    ana.is_live()
    # The copy is written a moment after a change.
    expect_stored(page)
    page.goto("about:blank")
    page.goto(server.url + "/health")
    in_database(page, """
      for (const key of await done(store("chunks").getAllKeys())) await done(store("chunks").put("[{\\"kind\\": broken", key));
      const [slot] = await done(store("slots").getAll());
      const id = crypto.randomUUID();
      await done(store("waiting").put({ kind: "pending", id: 7, row: { id: 7, at: 1, state: "unsent", operations: [{ op: "create", kind: "message", id, fields: { text: "Rescued from the damage" } }] } }, [slot.client, "pending", 7]));
      await done(store("waiting").put({ kind: "pending", id: 8, row: { id: 8, at: 1, state: "unsent", operations: [null] } }, [slot.client, "pending", 8]));
    """)
    page.goto(server.url + "/room")
    expect(page.get_by_text("Rescued from the damage", exact=True)).to_be_visible()
    expect(page.get_by_text("Before the damage", exact=True)).to_be_visible()
    ana.is_live()
    ana.go("Outbox")
    expect(page.get_by_text("1 change of yours on this device cannot be read.")).to_be_visible()
    with page.expect_download() as file:
        page.get_by_role("link", name="Save as a file").click()
    assert '"id": 8' in open(file.value.path(), encoding="utf-8").read()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("cannot be read")).to_have_count(0)
    page.reload()
    ana.is_live()
    expect(page.get_by_role("heading", level=1, name="Outbox")).to_be_visible()
    assert page.get_by_text("cannot be read").count() == 0
    ana.end()


def expect_stored(page):
    """Waits until the records are in the database."""
    page.evaluate("async () => {" + DATABASE + """
      for (;;) {
        const held = await database();
        const slots = await done(held.transaction(["slots"]).objectStore("slots").getAll());
        const chunks = await done(held.transaction(["chunks"]).objectStore("chunks").count());
        held.close();
        if (chunks > 0 && slots.some((slot) => slot.state.cursor)) return;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }""")


def engine_storage_newer(browser, server):
    """A database of a newer program, and a browser that keeps nothing: the page works, says so, and loses nothing without a warning."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    page.goto(server.url + "/health")
    page.evaluate("""() => new Promise((resolve, reject) => {
      const asked = indexedDB.open("huddle", 99);
      asked.onsuccess = () => { asked.result.close(); resolve(); };
      asked.onerror = () => reject(asked.error);
    })""")
    page.goto(server.url + "/events")
    expect(page.get_by_role("link", name="not kept on this device")).to_be_visible()
    expect(page.get_by_text("40 results")).to_be_visible()
    ana.go("Outbox")
    expect(page.get_by_text("The copy on this device is of a newer Huddle")).to_be_visible()
    ana.end()
    bob = Person(browser, server)
    bob.context.add_init_script("Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('blocked', 'SecurityError'); } }); Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } });")
    bob.page.goto(server.url + "/events")
    bob.page.get_by_role("button", name="Use a sign-in token").click()
    bob.page.get_by_label("Sign-in token").fill(server.token("David"))
    bob.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(bob.page.get_by_role("link", name="not kept on this device")).to_be_visible()
    expect(bob.page.get_by_text("40 results")).to_be_visible()
    bob.go("Outbox")
    expect(bob.page.get_by_text("This browser does not let Huddle keep anything")).to_be_visible()
    bob.go("Room")
    bob.page.get_by_label("Message", exact=True).fill("Without a copy")
    bob.page.keyboard.press("Enter")
    expect(bob.page.get_by_text("Without a copy", exact=True)).to_be_visible()
    bob.end()


def engine_storage_full(browser, server):
    """Without room for the records, what waits is kept all the same; without any room the page says that it is not."""
    link = Link(server)
    try:
        ana = Person(browser, link)
        ana.context.add_init_script("""
          window.full = new Set(["chunks"]);
          const put = IDBObjectStore.prototype.put;
          IDBObjectStore.prototype.put = function (value, key) {
            if (window.full.has(this.name)) throw new DOMException("no room", "QuotaExceededError");
            return key === undefined ? put.call(this, value) : put.call(this, value, key);
          };
        """)
        ana.sign_in("Carmen", "/kept")
        page = ana.page
        expect(page.get_by_text("This device has no room for a copy of the records.")).to_be_visible()
        link.hold()
        ana.go("Room")
        page.get_by_label("Message", exact=True).fill("Kept in little room")
        page.keyboard.press("Enter")
        expect(page.locator("a.pill")).to_have_text("1 waiting")
        rows = in_database(page, "return done(store('waiting').getAll());")
        assert any("Kept in little room" in str(row) for row in rows), rows
        page.evaluate("window.full.add('waiting')")
        page.get_by_label("Message", exact=True).fill("No room at all")
        page.keyboard.press("Enter")
        expect(page.locator("a.pill")).to_have_text(re.compile("2 waiting.*not kept on this device"))
        link.release()
        expect(page.locator("a.pill")).to_have_text("not kept on this device")
        bob = Person(browser, server).sign_in("David", "/room")
        for text in ["Kept in little room", "No room at all"]:
            expect(bob.page.get_by_text(text, exact=True)).to_have_count(1)
        bob.end()
        ana.end()
    finally:
        link.close()


def at_home(browser, server):
    """By plain http on another name than loopback everything but the start offline works, and the page says what is missing."""
    home = Server(server.program, "--host", "huddle.home.arpa", host="huddle.home.arpa")
    try:
        use_at_home(browser, home)
    finally:
        home.end()


def use_at_home(browser, home):
    ana = Person(browser, home)
    page = ana.page
    page.goto(home.url)
    assert page.evaluate("isSecureContext") is False
    expect(page.get_by_text("This address has no encryption")).to_be_visible()
    ana.sign_in("Carmen", "/room")
    page.get_by_label("Message", exact=True).fill("From the kitchen")
    page.keyboard.press("Enter")
    expect(page.get_by_text("From the kitchen", exact=True)).to_be_visible()
    ana.is_live()
    page.reload()
    expect(page.get_by_text("From the kitchen", exact=True)).to_have_count(1)
    ana.is_live()
    ana.end()


def engine_cookies(browser, server):
    """A browser that keeps no cookie is told so, before and after the sign-in; without scripts the page says what it needs."""
    ana = Person(browser, server)
    ana.context.add_init_script("Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });")
    page = ana.page
    page.goto(server.url + "/events")
    expect(page.get_by_role("alert").filter(has_text="blocks cookies")).to_be_visible()
    ana.end()
    bob = Person(browser, server)
    bob.context.add_init_script("const real = fetch; window.fetch = (path, options) => real(path, { ...options, credentials: 'omit' });")
    bob.page.goto(server.url + "/events")
    bob.page.get_by_role("button", name="Use a sign-in token").click()
    bob.page.get_by_label("Sign-in token").fill(server.token("David"))
    bob.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(bob.page.get_by_role("alert").filter(has_text="blocks cookies")).to_be_visible()
    bob.end()
    if browser.browser_type.name == "chromium":
        at_home(browser, server)
    eve = Person(browser, server, java_script_enabled=False)
    eve.page.goto(server.url + "/events")
    # The debugging protocol stops scripts after the page was parsed as one with scripts, so that this text is not drawn here.
    assert "Huddle needs JavaScript in this browser." in eve.page.content()
    eve.end()


FLOWS = {one.__name__: one for one in (engine_storage_damaged, engine_storage_newer, engine_storage_full, engine_cookies)}
