"""Flows of commands by keys, and of long lists."""
import re

from playwright.sync_api import expect

from harness import Person

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


@flow
def commands(browser, server):
    """The palette with names and keys; single keys of each page; the overlay that lists them; their switch; undo and redo by keys."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    press = page.keyboard.press
    # The overlay, and the keys of the page that it lists.
    press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Keys")).to_be_visible()
    expect(dialog.get_by_text("a new event")).to_be_visible()
    expect(dialog.get_by_text("move it by days, a trip with all its items")).to_have_count(0)
    press("Escape")
    # Chromium closes a dialog behind the key: until then the dialog has the keys.
    expect(dialog).to_have_count(0)
    # Two keys, one after the other; and a key that begins nothing is no command.
    press("g")
    press("t")
    expect(page.get_by_role("heading", level=1, name="Trips")).to_be_focused()
    press("z")
    press("g")
    press("e")
    expect(page.get_by_role("heading", level=1, name="Events")).to_be_focused()
    # From card to card, and what keys do to the chosen one.
    press("e")
    ana.toast("No event is selected. Press j to select the next one.")
    press("j")
    first = page.locator("article.card a").first
    expect(first).to_be_focused()
    press("j")
    expect(page.locator("article.card a").nth(1)).to_be_focused()
    press("PageDown")
    expect(page.locator("article.card a").nth(2)).to_be_focused()
    press("k")
    press("k")
    expect(first).to_be_focused()
    name = page.locator("article.card h3").first.inner_text()
    press("x")
    expect(dialog.get_by_text("Are you sure you want to delete this event?")).to_be_visible()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("39 results")).to_be_visible()
    ana.is_live()
    press("u")
    expect(page.get_by_text("40 results")).to_be_visible()
    ana.is_live()
    press("U")
    expect(page.get_by_text("39 results")).to_be_visible()
    ana.is_live()
    press("u")
    expect(page.get_by_text("40 results")).to_be_visible()
    # A field keeps its keys.
    press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("ge n?")
    expect(page.get_by_role("heading", name="No events match your filters")).to_be_visible()
    page.get_by_role("heading", level=1, name="Events").click()
    press("c")
    expect(page.get_by_text("40 results")).to_be_visible()
    press("n")
    expect(page.get_by_role("heading", level=1, name="Add New Event")).to_be_focused()
    # The palette finds commands by words, names and keys' owners, and records by their names.
    press("Control+k")
    box = page.get_by_role("combobox", name="Command or name")
    options = page.locator("#palette-list [role=option]")
    box.fill("audit")
    expect(options).to_have_count(1)
    expect(options.first).to_contain_text("/audit")
    box.fill("go trips")
    expect(options.first).to_contain_text("g t")
    box.fill(name[:12].lower())
    expect(options.filter(has_text=name).first).to_be_visible()
    box.fill("qqqq")
    expect(page.get_by_text("Nothing has these letters. Try fewer.")).to_be_visible()
    box.fill("season of elena")
    press("Enter")
    expect(page.get_by_label("Season", exact=True)).to_have_value(re.compile("[0-9a-f-]{36}"))
    # Keys of an event.
    press("g")
    press("e")
    page.locator("article.card a").first.click()
    expect(page.locator("#page h1")).to_be_focused()
    press("p")
    expect(dialog.get_by_role("heading", name="Log Performance Metric")).to_be_visible()
    press("Escape")
    expect(dialog).to_have_count(0)
    press("e")
    expect(page.get_by_role("heading", level=1, name="Edit Event")).to_be_focused()
    # Switched off, single keys do nothing; the palette still opens, and has the overlay, where they come back.
    press("?")
    dialog.get_by_label(re.compile("^Single keys are commands")).uncheck()
    dialog.get_by_role("button", name="Close").click()
    press("g")
    press("t")
    press("n")
    expect(page.get_by_role("heading", level=1, name="Edit Event")).to_be_visible()
    page.reload()
    ana.is_live()
    press("?")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Commands").click()
    box.fill("these keys")
    press("Enter")
    dialog.get_by_label(re.compile("^Single keys are commands")).check()
    dialog.get_by_role("button", name="Close").click()
    press("g")
    press("k")
    expect(page.get_by_role("heading", level=1, name="Outbox")).to_be_focused()
    ana.end()


# Events by a socket of the page's own, in batches; `athlete` owns them.
SEED = """async ([from, count, athlete]) => {
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
  for (let batch = 0; batch * 100 < count; batch += 1) {
    const operations = Array.from({ length: Math.min(100, count - batch * 100) }, (_, number) => ({
      op: "create", kind: "event", id: id(), athlete,
      fields: { type: "camp", name: `Seeded event ${String(from + batch * 100 + number).padStart(5, "0")}`, start_date: `20${27 + (number % 3)}-0${1 + (batch % 9)}-1${number % 10}`, ...(number % 4 === 0 ? { performance_notes: "A note that takes a line of its own. ".repeat(3) } : {}) },
    }));
    send({ type: "mutate", mutation: batch + 1, operations });
    const told = await next(["ack", "reject"]);
    if (told.type === "reject") return JSON.stringify(told);
  }
  socket.close();
  return "done";
}"""


@flow
def long_list(browser, server):
    """R052: up to 200 events are on the page whole; of 1,000 only those near the window, each with its position; the way back leads to the same place."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    cards = page.locator("article.card")
    expect(cards).to_have_count(40)
    athlete = page.get_by_label("Season", exact=True).locator("option", has_text="Elena").get_attribute("value")
    assert page.evaluate(SEED, [0, 150, athlete]) == "done"
    expect(page.get_by_text("190 results")).to_be_visible()
    expect(cards).to_have_count(190)
    assert page.evaluate(SEED, [150, 850, athlete]) == "done"
    expect(page.get_by_text("1,040 results")).to_be_visible()
    assert cards.count() < 60, cards.count()
    nodes = page.evaluate("document.querySelectorAll('*').length")
    assert nodes < 3000, nodes
    page.get_by_label("Sort").select_option(label="Date (Oldest First)")

    def shown():
        return page.evaluate("[...document.querySelectorAll('article.card')].map((card) => [Number(card.getAttribute('aria-posinset')), Number(card.getAttribute('aria-setsize')), card.getBoundingClientRect().top, card.getBoundingClientRect().bottom])")

    def check():
        """What is in the window is there whole, in order, without gaps."""
        rows = shown()
        assert all(size == 1040 for _, size, _, _ in rows), rows
        assert [row[0] for row in rows] == list(range(rows[0][0], rows[0][0] + len(rows))), rows
        assert rows[0][2] <= 0 or rows[0][0] == 1, rows[0]
        assert rows[-1][3] >= 900 or rows[-1][0] == 1040, rows[-1]
        assert all(0 <= after[2] - before[3] < 20 for before, after in zip(rows, rows[1:])), rows
        return rows

    frame = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
    for share in [0.5, 0.9, 1, 0.3, 0]:
        page.evaluate("(share) => scrollTo(0, document.documentElement.scrollHeight * share)", share)
        page.evaluate(frame)
        check()
    # By wheel in small steps: nothing jumps. What is in the window moves by the step alone.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight * 0.6)")
    page.evaluate(frame)
    for _ in range(12):
        before = {row[0]: row[2] for row in shown()}
        page.evaluate("scrollBy(0, -240)")
        page.evaluate(frame)
        after = {row[0]: row[2] for row in check()}
        moved = [after[key] - before[key] for key in before if key in after and 0 < before[key] < 600]
        assert moved and all(abs(one - 240) < 2 for one in moved), moved
    # The way back, with what was searched.
    page.get_by_role("searchbox", name="Search").fill("Seeded event")
    expect(page.get_by_text("1,000 results")).to_be_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight * 0.4)")
    page.evaluate(frame)
    link = cards.filter(has=page.locator("a")).nth(8).locator("a")
    # The entry may be drawn again in between, which Playwright does not wait for.
    link.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    name = link.inner_text()
    # Where it is at the press: with Firefox, Playwright scrolls before it presses.
    page.evaluate("document.addEventListener('click', (event) => { document.body.dataset.top = event.target.closest('a').getBoundingClientRect().top; }, { capture: true, once: true })")
    link.click()
    top = float(page.locator("body").get_attribute("data-top"))
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("1,000 results")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("Seeded event")
    page.evaluate(frame)
    now = page.get_by_role("link", name=re.compile(f"^{name}")).bounding_box()["y"]
    assert abs(now - top) < 4, f"the same place: {top}, {now}"
    # Anew by a link, the filters are gone (R040).
    ana.go("Trips")
    ana.go("Events")
    expect(page.get_by_text("1,040 results")).to_be_visible()
    # By keys through the list, and a day far away.
    page.keyboard.press("j")
    for _ in range(40):
        page.keyboard.press("PageDown")
    assert page.evaluate("Number(document.activeElement.closest('article').getAttribute('aria-posinset'))") == 41
    ana.end()
