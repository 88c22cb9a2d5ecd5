"""Flows of the pages of trips: the board of days, the itinerary on paper."""
import os
import re
import subprocess
import tempfile

from playwright.sync_api import expect

from harness import Person

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


def add_trip(ana, name, start, end):
    page = ana.page
    ana.go("Trips")
    page.get_by_role("button", name="+ Add Trip").click()
    page.get_by_label("Trip name").fill(name)
    page.get_by_label("Start date").fill(start)
    page.get_by_label("End date").fill(end)
    page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def add_item(page, day, title, start, end, category="Activity"):
    """An item by the button of a day; start and end as `2027-03-01T10:00`, no end for the whole day."""
    page.get_by_role("button", name=f"Add to {day}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Title").fill(title)
    dialog.get_by_label("Category").select_option(label=category)
    dialog.get_by_label("Start").fill(start)
    if end:
        dialog.get_by_label("End", exact=True).fill(end)
    else:
        dialog.get_by_label("Has an end").uncheck()
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog).to_have_count(0)


def handle(page, title):
    return page.get_by_role("button", name=re.compile(f"^Move {title}, "))


def spoken(page):
    return page.locator(".board-part > [role=status]")


def swipes(bob):
    """R042, R010: a swipe to the left over a card asks as its button does; a swipe down scrolls. The phone answers a deletion so that it is noticed."""
    bob.go("Events")
    bob.is_live()
    bob.page.evaluate("window.felt = []; Object.defineProperty(navigator, 'vibrate', { value: (pattern) => window.felt.push(String(pattern)) })")
    swipe = """(card, [across, down]) => {
      const touch = (x, y) => new Touch({ identifier: 1, target: card, clientX: x, clientY: y });
      card.dispatchEvent(new TouchEvent("touchstart", { bubbles: true, touches: [touch(300, 300)], changedTouches: [touch(300, 300)] }));
      card.dispatchEvent(new TouchEvent("touchend", { bubbles: true, changedTouches: [touch(300 + across, 300 + down)] }));
    }"""
    card = bob.page.locator("article.card").first
    name = card.locator("h3").inner_text()
    for moved in [[-20, 0], [-150, 90], [150, 0]]:
        card.evaluate(swipe, moved)
        expect(bob.page.get_by_role("dialog")).to_have_count(0)
    card.evaluate(swipe, [-150, 5])
    expect(bob.page.get_by_role("dialog").get_by_text("Are you sure you want to delete this event?")).to_be_visible()
    bob.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    bob.toast("deleted")
    expect(bob.page.get_by_role("link", name=re.compile(f"^{re.escape(name)}, "))).to_have_count(0)
    assert bob.page.evaluate("window.felt") == ["20,40,20"], bob.page.evaluate("window.felt")
    bob.is_live()


@flow
def board(browser, server):
    """R165: the board of days by keys, pointer and dialog; each move is one change with its undo; an overlap shows both sides."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    add_trip(ana, "Boston", "2027-03-01", "2027-03-03")
    page.get_by_role("link", name="Board", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Boston")).to_be_focused()
    add_item(page, "Monday, March 1, 2027", "Campus tour", "2027-03-01T10:00", "2027-03-01T12:30")
    add_item(page, "Monday, March 1, 2027", "Dinner", "2027-03-01T18:00", "2027-03-01T19:00", "Food")
    add_item(page, "Monday, March 1, 2027", "Harbour hotel", "2027-03-01T15:00", "2027-03-03T11:00", "Accommodation")
    add_item(page, "Tuesday, March 2, 2027", "Rest", "2027-03-02T08:00", None, "Other")
    days = page.locator(".board-day")
    expect(days).to_have_count(3)
    for number in range(3):
        expect(days.nth(number).get_by_text("Harbour hotel")).to_have_count(1)
    ana.is_live()

    # By keys: taken, moved, put back; moved again, and dropped.
    tour = handle(page, "Campus tour")
    tour.focus()
    page.keyboard.press("Space")
    expect(spoken(page)).to_contain_text("Campus tour taken. Monday, March 1, 2027, 10:00 AM to 12:30 PM.")
    expect(tour).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowDown")
    expect(spoken(page)).to_have_text("Monday, March 1, 2027, 10:15 AM to 12:45 PM.")
    page.keyboard.press("Shift+ArrowDown")
    expect(spoken(page)).to_have_text("Tuesday, March 2, 2027, 10:15 AM to 12:45 PM.")
    expect(tour).to_be_focused()
    page.keyboard.press("Escape")
    expect(spoken(page)).to_have_text("Put back where it was.")
    expect(days.nth(0).get_by_text("Campus tour", exact=True)).to_have_count(1)
    page.keyboard.press("Space")
    for key in ["ArrowUp", "ArrowUp", "ArrowRight"]:
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(spoken(page)).to_have_text("Dropped. Tuesday, March 2, 2027, 9:30 AM to 12:00 PM.")
    ana.toast("Campus tour moved to Tuesday, March 2, 2027, 9:30 AM to 12:00 PM")
    expect(tour).to_be_focused()
    expect(days.nth(1).get_by_text("Campus tour", exact=True)).to_have_count(1)
    # One change, taken back by one undo.
    page.locator(".toasts").get_by_role("button", name="Undo").last.click()
    expect(days.nth(0).get_by_text("Campus tour", exact=True)).to_have_count(1)
    ana.is_live()

    # By the pointer: 6:00 PM on Monday to 8:00 PM on Wednesday.
    grip = handle(page, "Dinner")
    # The entry may be drawn again in between, which Playwright does not wait for.
    grip.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box, from_day, to_day = grip.bounding_box(), days.nth(0).bounding_box(), days.nth(2).bounding_box()
    row = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
    x, y = box["x"] + box["width"] / 2, box["y"] + 8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 10)
    page.mouse.move(x + to_day["x"] - from_day["x"], y + 4 * row, steps=5)
    expect(page.locator(".ghost")).to_contain_text("Wednesday, March 3, 2027, 7:00 PM to 8:00 PM")
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)
    ana.toast("Dinner moved to Wednesday, March 3, 2027, 7:00 PM to 8:00 PM")
    expect(days.nth(2).get_by_text("Dinner", exact=True)).to_have_count(1)
    ana.is_live()
    for _ in range(page.locator(".toast").count()):
        page.get_by_role("button", name="Close this message").first.click()
    # Esc while it is under the pointer.
    # The entry may be drawn again in between, which Playwright does not wait for.
    grip.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box = grip.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] - 300, box["y"] + 60, steps=4)
    expect(page.locator(".ghost")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".ghost")).to_have_count(0)
    page.mouse.up()
    expect(days.nth(2).get_by_text("Dinner", exact=True)).to_have_count(1)

    # By the dialog, into the tour: both sides with people and times, then both stay, with a reason.
    handle(page, "Dinner").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Move Dinner to …")).to_be_visible()
    dialog.get_by_label("Day").fill("2027-03-01")
    dialog.get_by_label("Start").fill("12:00")
    expect(dialog.get_by_role("status")).to_contain_text("Monday, March 1, 2027, 12:00 PM to 1:00 PM. At the same time as Campus tour, for Carmen Rivera")
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(dialog.get_by_role("heading", name="Two things at the same time")).to_be_visible()
    sides = dialog.locator(".side")
    expect(sides.nth(0)).to_contain_text("Dinner")
    expect(sides.nth(0)).to_contain_text("Mar 1, 2027, 12:00 PM to 1:00 PM")
    expect(sides.nth(1)).to_contain_text("Campus tour")
    expect(sides.nth(1)).to_contain_text("Mar 1, 2027, 10:00 AM to 12:30 PM")
    expect(dialog.get_by_text(re.compile("Both have .*Carmen Rivera"))).to_be_visible()
    assert dialog.get_by_role("button", name="Keep both").is_disabled()
    dialog.get_by_label("Why both fit").fill("We eat on the way")
    dialog.get_by_role("button", name="Keep both").click()
    ana.toast("Both are in the plan")
    expect(days.nth(0).get_by_text("At the same time as Campus tour")).to_have_count(1)
    ana.is_live()
    # Somebody else moves it meanwhile: the card follows, and what is taken stays taken.
    bob = Person(browser, server, width=390, height=844, has_touch=True).sign_in("David")
    bob.page.goto(page.url)
    bob.is_live()
    # Firefox has the focus in one window alone, and no fingers without a screen that feels them.
    page.bring_to_front()
    has_fingers = browser.browser_type.name == "chromium"
    touch = (lambda control: control.tap()) if has_fingers else (lambda control: control.click())
    handle(page, "Dinner").focus()
    page.keyboard.press("Space")
    # 390 px: one day, by buttons; the pages scroll under a finger on a card, and a handle does not scroll.
    expect(bob.page.locator(".board-day:visible")).to_have_count(1)
    touch(bob.page.get_by_role("button", name="Later day"))
    expect(bob.page.locator(".board-day:visible").get_by_text("Rest")).to_be_visible()
    touch(handle(bob.page, "Rest"))
    bob.page.get_by_role("dialog").get_by_label("Day").fill("2027-03-03")
    touch(bob.page.get_by_role("dialog").get_by_role("button", name="Move", exact=True))
    bob.toast("Rest moved to Wednesday, March 3, 2027, all day")
    assert bob.page.evaluate("getComputedStyle(document.querySelector('.block')).touchAction") == "auto"
    assert bob.page.evaluate("getComputedStyle(document.querySelector('.handle')).touchAction") == "none"
    wide = bob.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} px too wide"
    expect(days.nth(2).get_by_text("Rest")).to_have_count(1)
    expect(handle(page, "Dinner")).to_be_focused()
    expect(handle(page, "Dinner")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    if has_fingers:
        swipes(bob)
    bob.end()
    # Who may only read sees the board without handles.
    assert page.locator(".handle").count() == 4
    ana.end()


@flow
def months(browser, server):
    """R156–R163: the month over all trips, the day of the picker with its empty state, "+" on a day, a stay on every day, pinned days."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    add_trip(ana, "Boston", "2027-03-01", "2027-03-03")
    add_item(page, "Monday, March 1, 2027", "Harbour hotel", "2027-03-01T15:00", "2027-03-03T11:00", "Accommodation")
    ana.is_live()
    for day in ["Monday, March 1, 2027", "Tuesday, March 2, 2027", "Wednesday, March 3, 2027"]:
        expect(page.locator(".day-plan", has=page.get_by_role("heading", name=day)).get_by_text("Harbour hotel")).to_have_count(1)
    add_trip(ana, "Providence", "2027-03-03", "2027-03-05")
    ana.go("Trips")
    expect(page.get_by_text("Nothing planned on this day.")).to_be_visible()
    page.get_by_role("button", name="Month", exact=True).click()
    expect(page.get_by_role("button", name="Month", exact=True)).to_have_attribute("aria-pressed", "true")
    while page.locator(".month h2").inner_text() != "March 2027":
        page.get_by_role("button", name="Next month").click()
    both = page.get_by_role("gridcell", name="3, Wednesday. Has item. On a trip: Boston, Providence.")
    expect(both.locator(".bar:not(.free)")).to_have_count(2)
    # Each trip keeps its row; the second is below the first on the day that both have.
    tops = [page.get_by_role("gridcell", name=re.compile(name)).locator(f".bar.{edge}").bounding_box()["y"] for name, edge in [("^3, Wednesday", "begins"), ("^5, Friday", "ends")]]
    assert abs(tops[0] - tops[1]) < 1, tops
    both.click()
    expect(page.get_by_role("heading", name="Wednesday, March 3, 2027")).to_be_visible()
    expect(page.locator(".day-of-month").get_by_text("Harbour hotel")).to_be_visible()
    page.get_by_role("button", name="Add to Wednesday, March 3, 2027").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Providence")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Start")).to_have_value(re.compile("^2027-03-03T"))
    assert dialog.get_by_role("button", name="Add", exact=True).is_disabled()
    dialog.get_by_label("Title").fill("Train")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".day-of-month").get_by_text("Train", exact=False).first).to_be_visible()
    ana.is_live()
    # On a day of one trip alone there is no question.
    page.get_by_role("gridcell", name=re.compile("^4, Thursday")).click()
    page.get_by_role("button", name="Add to Thursday, March 4, 2027").click()
    expect(page.get_by_role("dialog").get_by_label("Title")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("button", name="Month", exact=True)).to_have_attribute("aria-pressed", "true")
    # The heading of a day stays in sight while its items scroll.
    page.set_viewport_size({"width": 390, "height": 500})
    page.get_by_role("link", name="Asheville for the Prospect Camp").click()
    expect(page.get_by_role("heading", name="Friday, December 4")).to_be_visible()
    ana.is_live()
    last = page.locator(".day-plan").first.locator(".item").last
    last.evaluate("(item) => scrollTo(0, item.getBoundingClientRect().top + scrollY - 120)")
    box = page.get_by_role("heading", name="Friday, December 4").bounding_box()
    assert 0 <= box["y"] < 60, box
    ana.end()


def pages_of(page, paper, scale=1):
    """The texts of the pages of the print view, by pdftotext."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.pdf")
        page.pdf(path=path, format=paper, print_background=False, scale=scale)
        text = subprocess.run(["pdftotext", "-layout", path, "-"], check=True, capture_output=True, text=True, timeout=60).stdout
        return [[line.strip() for line in one.splitlines() if line.strip()] for one in text.split("\f") if one.strip()]


@flow
def paper(browser, server):
    """R112 and the print view: A4 and Letter; no page shows items without their day or a day without its items; results as a table."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    add_trip(ana, "Long weekend", "2027-03-05", "2027-03-06")
    for hour in range(7, 16):
        add_item(page, "Friday, March 5, 2027", f"Friday part {hour}", f"2027-03-05T{hour:02}:00", f"2027-03-05T{hour:02}:45")
    for hour in range(8, 10):
        add_item(page, "Saturday, March 6, 2027", f"Saturday part {hour}", f"2027-03-06T{hour:02}:00", f"2027-03-06T{hour:02}:45")
    ana.is_live()
    for name in ["A4", "Letter"]:
        sheets = pages_of(page, name, 1.6)
        assert len(sheets) >= 2, sheets
        whole = "\n".join(line for sheet in sheets for line in sheet)
        assert "The Rivera family, printed" in whole and "Long weekend" in whole
        for unwanted in ["All saved", "Settings", "Edit", "Comment", "Back to Trips"]:
            assert unwanted not in whole, f"{name} shows {unwanted}"
        found = re.findall(r"(?:Friday|Saturday) part \d+", whole)
        assert found == [f"Friday part {hour}" for hour in range(7, 16)] + [f"Saturday part {hour}" for hour in range(8, 10)], found
        for number, sheet in enumerate(sheets):
            marks = [match[1] if (match := re.match(r"(Friday|Saturday), March", line)) else "part " + match[1] if (match := re.search(r"(Friday|Saturday) part", line)) else "" for line in sheet]
            marks = [mark for mark in marks if mark]
            assert not marks or not marks[0].startswith("part"), f"{name}, page {number + 1} begins without its day: {sheet[:6]}"
            assert not marks or marks[-1].startswith("part"), f"{name}, page {number + 1} ends with a day: {sheet[-6:]}"
            assert sheet[-1].replace(" ", "") == f"{number + 1}/{len(sheets)}", sheet[-3:]
    # The results of an event.
    ana.go("Events")
    page.get_by_role("searchbox", name="Search").fill("Sonoran")
    page.locator("article.card a").first.click()
    page.get_by_role("button", name="Log Performance Metric").click()
    page.get_by_label("Value").fill("88.5")
    page.get_by_role("button", name="Log Metric").click()
    expect(page.get_by_text("88.5").first).to_be_visible()
    ana.is_live()
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Export results").click()
    page.get_by_role("button", name="Print or PDF").click()
    assert page.evaluate("window.printed")
    title = page.get_by_role("heading", level=1).inner_text()
    sheets = pages_of(page, "A4")
    text = "\n".join(sheets[0])
    assert len(sheets) == 1 and f"Results: {title}" in text, sheets
    assert re.search(r"Fastball Velocity +88\.5 +mph +No", text), text
    assert "Coaches Present" not in text and "Log Interaction" not in text, text
    # Afterwards the page prints as a page again.
    assert "Coaches Present" in "\n".join(line for sheet in pages_of(page, "A4") for line in sheet)
    ana.end()
