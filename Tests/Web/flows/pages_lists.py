"""Flows of long lists: documents and the room."""
import time

from playwright.sync_api import expect

from harness import Held, Person

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


SIZE = 10_000
FRAME = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"

# A small document by an upload of the page's own; `athlete` owns it.
UPLOAD = """async ([family, athlete]) => {
  const metadata = { family, athlete, type: "transcript", title: "Seed", filename: "seed.txt" };
  const body = new TextEncoder().encode("A transcript");
  const made = await fetch("/files", { method: "POST", headers: { "Tus-Resumable": "1.0.0", "Upload-Length": String(body.length), "Upload-Metadata": Object.entries(metadata).map(([name, value]) => `${name} ${btoa(value)}`).join(",") } });
  if (made.status !== 201) return `${made.status} ${await made.text()}`;
  const sent = await fetch(made.headers.get("Location"), { method: "PATCH", headers: { "Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" }, body });
  return sent.status === 204 ? "done" : `${sent.status} ${await sent.text()}`;
}"""

# The records of a kind in the copy on this device.
COPIED = """async (kind) => {
  const request = indexedDB.open("huddle", 1);
  const database = await new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  const all = database.transaction(["chunks"], "readonly").objectStore("chunks").getAll();
  await new Promise((resolve) => { all.onsuccess = resolve; });
  database.close();
  return all.result.flatMap((text) => JSON.parse(text)).filter((one) => one.kind === kind && one.deleted_at === undefined).length;
}"""

# Puts copies of a record of a kind into the copy on this device, as if they had come from the server.
GROW = """async ([kind, count]) => {
  const request = indexedDB.open("huddle", 1);
  const database = await new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  const transaction = database.transaction(["chunks"], "readwrite"), store = transaction.objectStore("chunks");
  const cursor = store.openCursor();
  const done = new Promise((resolve, reject) => { transaction.oncomplete = resolve; transaction.onabort = () => reject(transaction.error); });
  cursor.onsuccess = () => {
    const records = JSON.parse(cursor.result.value), like = records.find((one) => one.kind === kind && one.deleted_at === undefined);
    if (!like) return cursor.result.continue();
    for (let number = 0; number < count; number += 1) {
      const title = `Seeded ${String(number).padStart(5, "0")}${number % 7 === 0 ? " with a title that takes more than one line of a card" : ""}`;
      records.push({ ...like, id: crypto.randomUUID().replace(/^(.{14})./, "$17"), created_at: like.created_at + number, fields: { ...like.fields, title } });
    }
    cursor.result.update(JSON.stringify(records));
  };
  await done;
  database.close();
}"""

# Messages by a socket of the page's own, in batches.
MESSAGES = """async ([from, count]) => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws", "huddle.v1");
  const frames = [];
  let wake = () => {};
  socket.onmessage = (event) => { frames.push(JSON.parse(event.data)); wake(); };
  await new Promise((resolve) => { socket.onopen = resolve; });
  const next = async (type) => {
    for (;;) {
      const place = frames.findIndex((frame) => [type].flat().includes(frame.type));
      if (place >= 0) return frames.splice(place, 1)[0];
      await new Promise((resolve) => { wake = resolve; });
    }
  };
  const send = (frame) => socket.send(JSON.stringify(frame));
  send({ type: "sign_in" });
  const [{ family }] = (await next("welcome")).memberships;
  const id = () => crypto.randomUUID().replace(/^(.{14})./, "$17");
  send({ type: "join", family, client: id(), context: "all", quiet: true });
  await next("joined");
  for (let batch = 0; batch * 50 < count; batch += 1) {
    const operations = Array.from({ length: Math.min(50, count - batch * 50) }, (_, number) => {
      const place = from + batch * 50 + number;
      return { op: "create", kind: "message", id: id(), fields: { text: `Seeded message ${String(place).padStart(5, "0")}${place % 5 === 0 ? ". A text of several lines. ".repeat(8) : ""}` } };
    });
    send({ type: "mutate", mutation: batch + 1, operations });
    const told = await next(["ack", "reject"]);
    if (told.type === "reject") return JSON.stringify(told);
  }
  socket.close();
  return "done";
}"""


def shown(page, selector):
    return page.evaluate("(selector) => [...document.querySelectorAll(selector)].map((one) => { const box = one.getBoundingClientRect(); return [Number(one.getAttribute('aria-posinset')), Number(one.getAttribute('aria-setsize')), box.top, box.bottom, box.left]; })", selector)


def check(page, selector, size, height=900):
    """What is in the window is there whole and in order, with position and size."""
    rows = shown(page, selector)
    assert rows and all(row[1] == size for row in rows), rows[:3]
    assert [row[0] for row in rows] == list(range(rows[0][0], rows[0][0] + len(rows))), rows
    assert rows[0][2] <= 0 or rows[0][0] == 1, rows[0]
    assert rows[-1][3] >= height or rows[-1][0] == size, rows[-1]
    # From row to row without a gap; entries of one row stand side by side.
    for before, after in zip(rows, rows[1:]):
        assert abs(after[2] - before[2]) < 1 and after[4] > before[4] or 0 <= after[2] - before[3] < 20, (before, after)
    return rows


@flow
def long_documents(browser, server):
    """R124 R144: up to 200 documents are on the page whole, as a grid and as a list; of more only those near the window, with position and size, also after a change of the look and of the width."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    athlete = page.get_by_label("Season", exact=True).locator("option", has_text="Elena").get_attribute("value")
    assert page.evaluate(UPLOAD, [server.demo["family"], athlete]) == "done"
    deadline = time.monotonic() + 30
    while (before := page.evaluate(COPIED, "document")) == 0:
        assert time.monotonic() < deadline, "no copy on this device"
    page.close()
    # A page of the same origin that is not the client holds no slot.
    page = ana.open()
    page.goto(server.url + "/session")
    page.evaluate(GROW, ["document", SIZE - before])
    Held(page)
    page.goto(server.url + "/documents")
    total = f"{SIZE} of {SIZE} total"
    expect(page.get_by_text(total)).to_be_visible()
    cards = page.locator("article.card")
    nodes = page.evaluate("document.querySelectorAll('*').length")
    assert nodes < 3000, nodes
    for width, mode, columns in [(1280, "list", 1), (1280, "grid", 4), (390, "grid", 2)]:
        page.set_viewport_size({"width": width, "height": 900})
        look = page.get_by_role("button", name=f"Show as {mode}")
        if look.count():
            look.click()
        for share in [0.5, 1, 0.2, 0]:
            page.evaluate("(share) => scrollTo(0, document.documentElement.scrollHeight * share)", share)
            page.evaluate(FRAME)
            rows = check(page, "article.card", SIZE)
            assert len(rows) < 120, len(rows)
            assert len({round(row[4]) for row in rows}) == columns, (width, mode, rows[:6])
            assert (rows[0][0] - 1) % columns == 0, rows[0]
    # Small steps move what is in the window by the step alone.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight * 0.6)")
    page.evaluate(FRAME)
    for _ in range(8):
        was = {row[0]: row[2] for row in shown(page, "article.card")}
        page.evaluate("scrollBy(0, -240)")
        page.evaluate(FRAME)
        now = {row[0]: row[2] for row in check(page, "article.card", SIZE)}
        moved = [now[key] - was[key] for key in was if key in now and 0 < was[key] < 600]
        assert moved and all(abs(one - 240) < 2 for one in moved), moved
    # Up to 200 are on the page whole.
    page.get_by_role("searchbox", name="Search").fill("Seeded 001")
    expect(page.get_by_text(f"100 of {SIZE} total")).to_be_visible()
    expect(cards).to_have_count(100)
    page.get_by_role("searchbox", name="Search").fill("")
    expect(page.get_by_text(total)).to_be_visible()
    page.evaluate(FRAME)
    check(page, "article.card", SIZE)
    ana.end()


@flow
def long_room(browser, server):
    """Of more than 200 messages only those near the window are on the page, each with position and size; the newest is in the window, and what comes does not move what is read."""
    ana = Person(browser, server).sign_in("Carmen", "/room")
    page = ana.page
    messages = page.locator("ol.messages > li")
    expect(page.locator("li.change").first).to_be_visible()
    before = messages.count()
    assert page.evaluate(MESSAGES, [0, 100]) == "done"
    expect(messages).to_have_count(before + 100)
    assert page.evaluate(MESSAGES, [100, 900]) == "done"
    size = before + 1000
    expect(messages.last).to_have_attribute("aria-posinset", str(size))
    expect(messages.last).to_be_in_viewport()

    def settled():
        page.evaluate(FRAME)
        return check(page, "ol.messages > li", size)

    assert settled()[-1][0] == size
    assert messages.count() < 120, messages.count()
    assert page.evaluate("document.querySelectorAll('*').length") < 3000
    for share in [0.5, 0.9, 0.1]:
        page.evaluate("(share) => scrollTo(0, document.documentElement.scrollHeight * share)", share)
        settled()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight * 0.6)")
    settled()
    for _ in range(8):
        was = {row[0]: row[2] for row in shown(page, "ol.messages > li")}
        page.evaluate("scrollBy(0, -240)")
        now = {row[0]: row[2] for row in settled()}
        moved = [now[key] - was[key] for key in was if key in now and 0 < was[key] < 600]
        assert moved and all(abs(one - 240) < 2 for one in moved), moved
    # A message of another member is added at the end, and does not move the messages that are being read.
    was = {row[0]: row[2] for row in settled()}
    bob = Person(browser, server).sign_in("David", "/room")
    bob.page.get_by_label("Message", exact=True).fill("Late news")
    bob.page.keyboard.press("Enter")
    size += 1
    expect(messages.first).to_have_attribute("aria-setsize", str(size))
    now = {row[0]: row[2] for row in settled()}
    assert all(abs(now[key] - was[key]) < 2 for key in was if key in now and 0 < was[key] < 600), (was, now)
    # Older ones than the copy of a new device has come while it scrolls to them.
    oldest = bob.page.get_by_text("Welcome, everybody!")
    deadline = time.monotonic() + 60
    while oldest.count() == 0:
        assert time.monotonic() < deadline, bob.page.locator("ol.messages > li").first.inner_text()
        for top in [400, 0]:
            bob.page.evaluate("(top) => scrollTo(0, top)", top)
            bob.page.evaluate(FRAME)
    # One's own brings the end into the window.
    page.get_by_label("Message", exact=True).fill("Mine")
    page.keyboard.press("Enter")
    size += 1
    expect(page.get_by_text("Mine", exact=True)).to_be_in_viewport()
    assert settled()[-1][0] == size
    # From the beginning, too, the newest is in the window.
    ana.is_live()
    page.reload()
    expect(page.get_by_text("Mine", exact=True)).to_be_in_viewport()
    bob.end()
    ana.end()
