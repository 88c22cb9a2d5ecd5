#!/usr/bin/env python3
"""What people do in the web client, in a real browser: flows.py HUDDLED [NAME …] runs all flows, or those that are named.

Prints a line per flow, and exits with 1 if one failed. HUDDLE_BROWSER names another Chromium, or `firefox` for Debian's
Firefox ESR, which has no protocol for what CHROMIUM_ONLY lists; HUDDLE_SHOTS a folder for pictures.
"""
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from playwright.sync_api import expect, sync_playwright

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine_builds  # noqa: E402
import engine_live  # noqa: E402
import engine_storage  # noqa: E402
import engine_tabs  # noqa: E402
import engine_together  # noqa: E402
import engine_uploads  # noqa: E402
from harness import Held, is_typed, Person, retry, RULES, Server, violations  # noqa: E402
import pages_account  # noqa: E402
import pages_family  # noqa: E402
import pages_forms  # noqa: E402
import pages_keys  # noqa: E402
import pages_lists  # noqa: E402
import pages_settings  # noqa: E402
import pages_spoken  # noqa: E402
import pages_trips  # noqa: E402

FLOWS = {}
for module in (
    pages_trips, pages_keys, pages_settings, pages_spoken, pages_family, pages_forms, pages_lists,
    engine_builds, engine_live, engine_storage, engine_tabs, engine_together, engine_uploads,
):
    FLOWS |= module.FLOWS


def flow(function):
    FLOWS[function.__name__] = function
    return function


def create_event(page, name, start="2026-12-12"):
    page.get_by_role("link", name="+ Add Event").first.click()
    expect(page.get_by_role("heading", name="Add New Event")).to_be_visible()
    owner = page.get_by_label("Whose event")
    if owner.count():
        owner.select_option(label="Elena Rivera")
    page.get_by_label("Event type").select_option(label="Camp")
    page.get_by_label("Event name").fill(name)
    page.get_by_label("Start date").fill(start)
    page.get_by_role("button", name="Create Event").click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


@flow
def events(browser, server):
    """R025–R055: filters, search, sort, the month, a card's way to its event, deletion and its undo."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    expect(page.get_by_text("40 results")).to_be_visible()
    cards = page.locator("article.card")
    assert cards.count() == 40
    page.get_by_label("Type").select_option(label="Visit")
    badges = set(page.locator("article.card .badge:first-child").all_text_contents())
    assert badges <= {"Official Visit", "Unofficial Visit"} and badges, badges
    page.get_by_label("Type").select_option(label="All")
    page.get_by_role("searchbox", name="Search").fill("TWIN rivers")
    expect(page.get_by_text("1 result", exact=True)).to_be_visible()
    page.get_by_role("button", name="Clear search").click()
    page.get_by_role("searchbox", name="Search").fill("nothing has this name")
    expect(page.get_by_role("heading", name="No events match your filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text("40 results")).to_be_visible()
    page.get_by_label("Sort").select_option(label="Name")
    names = page.locator("article.card h3").all_text_contents()
    folded = [name.lower() for name in names]
    assert folded == sorted(folded), [pair for pair in zip(folded, sorted(folded)) if pair[0] != pair[1]]
    page.reload()
    expect(page.get_by_text("40 results")).to_be_visible()
    assert page.get_by_label("Sort").input_value() == "name", "the order persists"
    # The month by keys.
    day = page.locator(".day[tabindex='0']")
    day.focus()
    date = int(day.get_attribute("data-date"))
    page.keyboard.press("ArrowRight")
    assert int(page.evaluate("document.activeElement.dataset.date")) == date + 1
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    assert int(page.evaluate("document.activeElement.dataset.date")) == date + 1
    # A day leads to its card.
    page.locator(".day.marked:not(.outside)").first.click()
    expect(page.locator("article.card:focus")).to_have_count(1)
    # Deleted, and back.
    title = names[0]
    page.get_by_role("button", name=f"Delete {title}").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("39 results")).to_be_visible()
    page.locator(".toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("40 results")).to_be_visible()
    ana.end()


@flow
def event(browser, server):
    """R056–R117: the form's rules, one event per press, attended with an interaction, a metric, coaches, comments."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    page.get_by_role("link", name="+ Add Event").first.click()
    page.get_by_role("button", name="Create Event").click()
    expect(page.get_by_text("Please complete all required fields")).to_be_visible()
    for text in ["Event type is required", "Event name is required", "Start date is required"]:
        expect(page.get_by_text(text)).to_be_visible()
    page.get_by_label("Whose event").select_option(label="Elena Rivera")
    page.get_by_label("Event type").select_option(label="Showcase")
    page.get_by_label("Event name").fill("Ocean View Showcase")
    page.get_by_label("Start date").fill("2026-12-12")
    assert page.get_by_label("End date").input_value() == "2026-12-12"
    page.get_by_label("Start time").fill("23:30")
    assert page.get_by_label("End time").input_value() == "00:30"
    assert page.get_by_label("End date").input_value() == "2026-12-13"
    page.get_by_label("End date").fill("2026-12-11")
    page.get_by_label("Event link").fill("example")
    page.get_by_label("City").fill("Tampa")
    expect(page.get_by_text("End date must be after start date")).to_be_visible()
    expect(page.get_by_text("Please enter a valid URL (e.g., https://...)")).to_be_visible()
    page.get_by_label("End date").fill("2026-12-13")
    page.get_by_label("Event link").fill("https://example.org/x")
    page.get_by_label("State").fill("fl")
    assert page.get_by_label("State").input_value() == "FL"
    page.get_by_label("Cost").fill("150.5")
    assert "Tampa" in page.get_by_role("link", name="Get Directions").get_attribute("href")
    page.get_by_label("School").select_option(label="+ Add new school")
    page.get_by_role("dialog").get_by_label("School name").fill("Bay State")
    page.get_by_role("button", name="Save School").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_label("School").locator("option:checked")).to_have_text("Bay State")
    page.get_by_role("button", name="Create Event").dblclick()
    expect(page.get_by_role("heading", level=1, name="Ocean View Showcase")).to_be_visible()
    expect(page.get_by_text("$150.50")).to_be_visible()
    expect(page.locator("dl").get_by_text("Bay State")).to_be_visible()
    page.get_by_role("button", name="Mark as attended").click()
    page.get_by_label("What happened").fill("They liked her swing.")
    page.get_by_role("button", name="Log Interaction").last.click()
    expect(page.locator(".badges").get_by_text("Attended")).to_be_visible()
    expect(page.get_by_text("They liked her swing.")).to_be_visible()
    page.get_by_role("button", name="Log Performance Metric").click()
    page.get_by_label("Value").fill("abc")
    expect(page.get_by_text("Please enter a valid number")).to_be_visible()
    page.get_by_label("Value").fill("88.5")
    page.get_by_role("button", name="Log Metric").click()
    expect(page.get_by_text("88.5")).to_be_visible()
    page.get_by_role("button", name="+ Add Coach").click()
    page.get_by_label("First name").fill("Ruth")
    page.get_by_label("Last name").fill("Gray")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Ruth Gray", exact=True)).to_be_visible()
    # Attended, who was there, the contact and a result are one change, and one undo takes all of it back.
    page.get_by_role("button", name="Remove Ruth Gray").click()
    expect(page.get_by_text("No coaches recorded")).to_be_visible()
    page.get_by_role("button", name="Not attended after all").click()
    page.get_by_role("button", name="Mark as attended").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Log Interaction")).to_be_disabled()
    dialog.get_by_label("Ruth Gray", exact=True).check()
    dialog.get_by_label("What happened").fill("A talk at the fence.")
    dialog.get_by_role("button", name="+ Add a result").click()
    dialog.get_by_label("Value").fill("fast")
    expect(dialog.get_by_role("button", name="Log Interaction")).to_be_disabled()
    dialog.get_by_label("Value").fill("91")
    dialog.get_by_role("button", name="Log Interaction").click()
    expect(dialog).to_have_count(0)
    batch = [page.get_by_role("listitem", name="Ruth Gray"), page.get_by_text("A talk at the fence."), page.get_by_role("listitem", name="Fastball Velocity, 91 mph")]
    for one in batch:
        expect(one).to_have_count(1)
    expect(page.locator(".badges").get_by_text("Attended", exact=True)).to_be_visible()
    page.locator(".toast", has_text="Attended, and the interaction is logged").last.get_by_role("button", name="Undo").click()
    for one in batch:
        expect(one).to_have_count(0)
    expect(page.get_by_role("button", name="Mark as attended")).to_be_visible()
    ana.is_live()
    # Below an open dialog everything is inert: the link is pressed when the dialog has closed.
    page.evaluate("document.addEventListener('click', (event) => { if (event.target.matches('a[download]')) document.body.dataset.pressed = document.querySelector('dialog[open]') ? 'inert' : 'free'; }, true)")
    with page.expect_download() as file:
        page.get_by_role("button", name="Export results").click()
        page.get_by_role("button", name="Download CSV").click()
    expect(page.locator("body")).to_have_attribute("data-pressed", "free")
    text = open(file.value.path(), encoding="utf-8", newline="").read()
    assert text.startswith("date,metric,value,unit,verified,notes\r\n") and ",88.5,mph,no," in text, text
    page.get_by_label("Comment").fill("See you there")
    page.keyboard.press("Enter")
    expect(page.get_by_text("See you there")).to_be_visible()
    page.get_by_role("link", name="Edit event").click()
    page.get_by_label("Event name").fill("Ocean View Winter Showcase")
    page.get_by_role("button", name="Save Changes").click()
    expect(page.get_by_role("heading", level=1, name="Ocean View Winter Showcase")).to_be_visible()
    ana.is_live()
    page.get_by_role("button", name="History").click()
    history = page.get_by_role("dialog")
    expect(history.get_by_text("Event name: Ocean View Showcase → Ocean View Winter Showcase")).to_be_visible()
    history.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_role("heading", level=1, name="Ocean View Showcase")).to_be_visible()
    ana.is_live()
    page.get_by_role("button", name="Delete event").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("40 results")).to_be_visible()
    ana.go("Outbox")
    page.get_by_role("button", name="Deleted records").click()
    page.get_by_role("button", name="Restore Ocean View Showcase").click()
    ana.toast("Restored")
    ana.go("Events")
    expect(page.get_by_text("41 results")).to_be_visible()
    page.goto(server.url + "/events/01990000-0000-7000-8000-000000000000")
    expect(page.get_by_role("heading", name="Event not found")).to_be_visible()
    ana.end()


@flow
def offline(browser, server):
    """The page starts without a server, keeps what is written, and sends it once the server is back; nothing is doubled."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    page.wait_for_function = None  # needs eval, which the policy forbids
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.stop()
    expect(page.get_by_role("link", name="offline")).to_be_visible()
    create_event(page, "Camp without a network")
    expect(page.get_by_role("link", name="1 waiting · offline")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Camp without a network")).to_be_visible()
    expect(page.get_by_role("link", name="1 waiting · offline")).to_be_visible()
    page.get_by_role("link", name="Edit event").click()
    page.get_by_label("Location").fill("Half typed")
    is_typed(page, "Half typed")
    page.reload()
    expect(page.get_by_label("Location")).to_have_value("Half typed")
    # Lists that only the server has are not shown as empty; they load when the connection is back.
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Outbox").click()
    page.get_by_role("button", name="Deleted records").click()
    expect(page.get_by_text("The list could not be loaded. Try again when the connection is back.")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Settings").click()
    expect(page.get_by_text("There is no connection to the server").first).to_be_visible()
    server.start()
    retry(page)
    ana.is_live()
    expect(page.get_by_text("(this one)")).to_be_visible()
    bob = Person(browser, server).sign_in("David")
    expect(bob.page.get_by_text("41 results")).to_be_visible()
    assert bob.page.get_by_role("link", name="Camp without a network").count() == 1
    bob.end()
    ana.end()


@flow
def conflict(browser, server):
    """Two change the same field, one of them offline: both sides are shown, and one decides."""
    ana, bob = Person(browser, server, width=390, height=844).sign_in("Carmen"), Person(browser, server).sign_in("David")
    create_event(ana.page, "Contested camp")
    ana.page.get_by_role("button", name="Close this message").click()
    path = ana.page.url
    bob.page.goto(path)
    expect(bob.page.get_by_role("heading", level=1, name="Contested camp")).to_be_visible()
    ana.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    # In Firefox, Playwright's offline mode leaves sockets open; the form is refused there instead.
    is_cut = browser.browser_type.name == "chromium"
    ana.context.set_offline(is_cut)
    ana.page.get_by_role("link", name="Edit event").click()
    ana.page.get_by_label("Location").fill("Field A")
    ana.page.get_by_label("City").fill("Tampa")
    ana.page.get_by_label("School").select_option(index=1)
    bob.page.get_by_role("link", name="Edit event").click()
    bob.page.get_by_label("Location").fill("Field B")
    bob.page.get_by_label("City").fill("Orlando")
    bob.page.get_by_label("School").select_option(index=2)
    bob.page.get_by_role("button", name="Save Changes").click()
    expect(bob.page.get_by_text("Field B").first).to_be_visible()
    bob.is_live()
    # By the key: on a phone a message may lie over the button for some seconds.
    ana.page.get_by_label("City").press("Control+Enter")
    if is_cut:
        expect(ana.page.get_by_role("link", name="1 waiting · offline")).to_be_visible()
    ana.context.set_offline(False)
    expect(ana.page.get_by_role("link", name="1 refused")).to_be_visible()
    ana.go("Outbox")
    row = ana.page.get_by_role("row", name="Location")
    expect(row).to_contain_text("Field A")
    expect(row).to_contain_text("Field B")
    expect(row).to_contain_text("David Rivera")
    row.get_by_label("Both").check()
    # A value of neither side, typed; what others do meanwhile does not disturb it.
    city = ana.page.get_by_role("row", name="City")
    assert ana.page.get_by_role("button", name="Save my choices").is_disabled()
    # Firefox has the focus in one window alone.
    ana.page.bring_to_front()
    field = city.get_by_label("Another value for City")
    field.fill("")
    field.press_sequentially("Sara")
    expect(city.get_by_label("Another", exact=True)).to_be_checked()
    bob.page.get_by_label("Comment").fill("Which city?")
    bob.page.keyboard.press("Enter")
    bob.is_live()
    expect(field).to_be_focused()
    ana.page.keyboard.type("sota")
    expect(field).to_have_value("Sarasota")
    # A school of neither side: the choice of the form, with one that is added here.
    school = ana.page.get_by_role("row", name="School")
    choice = school.get_by_label("Another value for School")
    choice.select_option(index=3)
    expect(school.get_by_label("Another", exact=True)).to_be_checked()
    choice.select_option(label="+ Add new school")
    ana.page.get_by_role("dialog").get_by_label("School name").fill("Third State")
    ana.page.get_by_role("button", name="Save School").click()
    expect(ana.page.get_by_role("dialog")).to_have_count(0)
    expect(choice.locator("option:checked")).to_have_text("Third State")
    ana.page.get_by_role("button", name="Save my choices").click()
    ana.is_live()
    bob.page.goto(path)
    expect(bob.page.get_by_text("Field B / Field A").first).to_be_visible()
    expect(bob.page.get_by_text("Sarasota").first).to_be_visible()
    expect(bob.page.locator("dl").get_by_text("Third State")).to_be_visible()
    ana.end()
    bob.end()


@flow
def trips(browser, server):
    """R150–R165, on a phone: a trip, its items by day, an overlap with both sides, the move of the whole trip."""
    ana = Person(browser, server, width=390, height=844).sign_in("Carmen")
    page = ana.page
    ana.go("Trips")
    page.get_by_role("button", name="+ Add Trip").click()
    page.get_by_label("Trip name").fill("Boston")
    page.get_by_label("Start date").fill("2027-03-01")
    page.get_by_label("End date").fill("2027-03-03")
    page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Boston")).to_be_visible()

    def add(title, start, end):
        page.get_by_role("button", name="Add to Monday, March 1").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Title").fill(title)
        dialog.get_by_label("Start").fill(f"2027-03-01T{start}")
        dialog.get_by_label("End", exact=True).fill(f"2027-03-01T{end}")
        dialog.get_by_role("button", name="Add", exact=True).click()

    add("Campus tour", "10:00", "12:30")
    expect(page.get_by_text("2h 30m")).to_be_visible()
    add("Lunch", "12:00", "13:00")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Two things at the same time")).to_be_visible()
    expect(dialog.locator(".side").last).to_contain_text("Campus tour")
    expect(dialog.locator(".side").last).to_contain_text("Mar 1, 2027, 10:00 AM to 12:30 PM")
    dialog.get_by_label("Why both fit").fill("We eat on the way")
    dialog.get_by_role("button", name="Keep both").click()
    ana.toast("Both are in the plan")
    page.get_by_role("button", name="Move …").click()
    page.get_by_label("New first day").fill("2027-03-08")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("heading", name="Monday, March 8")).to_be_visible()
    expect(page.locator("li.item")).to_have_count(2)
    ana.is_live()
    ana.end()


@flow
def documents(browser, server):
    """R118–R149, on a phone: a file that is refused before an octet is sent, an upload, a download, a share link, a new version, filters, deletion."""
    ana = Person(browser, server, width=390, height=844).sign_in("Carmen")
    page = ana.page
    ana.go("Documents")
    with tempfile.TemporaryDirectory() as folder:
        pdf, wrong = os.path.join(folder, "My_transcript.pdf"), os.path.join(folder, "film.exe")
        content = b"%PDF-1.4\n" + os.urandom(300_000)
        open(pdf, "wb").write(content)
        open(wrong, "wb").write(b"MZ")
        page.get_by_role("button", name="Upload new document").click()
        page.get_by_role("button", name="Elena Rivera").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Document type").select_option(label="Transcript")
        dialog.get_by_label("File").set_input_files(wrong)
        expect(dialog.get_by_text("Invalid file type. Transcript requires .pdf, .txt.")).to_be_visible()
        assert dialog.get_by_role("button", name="Upload").is_disabled()
        dialog.get_by_label("File").set_input_files(pdf)
        dialog.get_by_label("Title").fill("Spring transcript")
        dialog.get_by_role("button", name="Upload").click()
        expect(page.locator("li.upload").get_by_text("Uploaded")).to_be_visible()
        page.get_by_role("link", name="Spring transcript. Transcript. Shared with 0 schools.").click()
        expect(page.get_by_role("heading", level=1, name="Spring transcript")).to_be_visible()
        with page.expect_download() as file:
            page.get_by_role("link", name="Download").click()
        assert open(file.value.path(), "rb").read() == content
        page.get_by_role("button", name="+ Share with a school").click()
        page.get_by_role("button", name="Make a link").click()
        address = page.get_by_label("Link").input_value()
        assert address.startswith(server.url + "/s/"), address
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_text("0 views")).to_be_visible()
        page.get_by_role("button", name="New version").click()
        page.get_by_label("File").set_input_files(pdf)
        page.get_by_role("dialog").get_by_role("button", name="Upload").click()
        expect(page.get_by_text("An older version")).to_be_visible()
    ana.is_live()
    # R123–R128: the figures, a filter with its chip, and nothing of it after the page was left.
    ana.go("Documents")
    cards = page.locator("article.card")
    total = cards.count()
    page.locator("summary").click()
    page.get_by_role("group", name="Type").get_by_label("Transcript").check()
    page.get_by_label("Shared only").check()
    expect(page.locator("summary")).to_have_attribute("aria-label", "Filter documents. 2 filters active.")
    assert {one.strip() for one in page.locator("article.card .badge:first-child").all_text_contents()} <= {"Transcript"}
    page.get_by_role("button", name="Remove filter Type: Transcript").click()
    expect(page.locator("summary")).to_have_attribute("aria-label", "Filter documents. 1 filter active.")
    page.get_by_role("searchbox", name="Search").fill("no such paper")
    expect(page.get_by_role("heading", name="No documents match your filters")).to_be_visible()
    ana.go("Events")
    ana.go("Documents")
    expect(cards).to_have_count(total)
    # Dropped files ask for what they are, one after the other.
    page.locator(".documents-page").evaluate("""(element) => {
      const dataTransfer = new DataTransfer();
      for (const name of ["Letter_of_Ruth.pdf", "Second.pdf"]) dataTransfer.items.add(new File(["%PDF-1.4"], name, { type: "application/pdf" }));
      element.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
    }""")
    page.get_by_role("button", name="Elena Rivera").click()
    expect(page.get_by_role("dialog").get_by_label("Title")).to_have_value("Letter of Ruth")
    expect(page.get_by_role("dialog").get_by_text("1 more file after this one")).to_be_visible()
    page.keyboard.press("Escape")
    # R142: deleted from its card, and back.
    page.get_by_role("button", name="Delete Spring transcript").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    ana.toast("Spring transcript deleted")
    page.locator(".toast", has_text="Spring transcript deleted").get_by_role("button", name="Undo").click()
    ana.toast("Undone")
    expect(cards).to_have_count(total)
    ana.is_live()
    ana.end()


@flow
def room(browser, server):
    """Messages go both ways, presence and mentions are told, one's own message can be changed and taken back."""
    ana, bob = Person(browser, server).sign_in("Carmen", "/room"), Person(browser, server)
    held = Held(bob.page)
    held.isHeld = False
    bob.sign_in("Elena", "/room")
    expect(ana.page.get_by_text("Here now: Elena Rivera")).to_be_visible()
    ana.page.get_by_label("Message", exact=True).fill("@Elena are the cleats <b>dry</b>?")
    ana.page.keyboard.press("Enter")
    expect(bob.page.get_by_text("@Elena are the cleats <b>dry</b>?")).to_be_visible()
    expect(bob.page.locator("ol.messages > .mention", has_text="cleats")).to_contain_text("mentions you")
    expect(ana.page.locator("ol.messages > .mention", has_text="cleats")).to_have_count(0)
    bob.page.get_by_label("Message", exact=True).fill("yes")
    bob.page.get_by_role("button", name="Send").click()
    expect(ana.page.get_by_text("yes", exact=True)).to_be_visible()
    bob.page.get_by_label("Message", exact=True).press("ArrowUp")
    expect(bob.page.get_by_label("Message", exact=True)).to_have_value("yes")
    bob.page.get_by_label("Message", exact=True).fill("yes, both pairs")
    bob.page.keyboard.press("Enter")
    expect(ana.page.get_by_text("yes, both pairs")).to_be_visible()
    # Changes by members appear between the messages: earlier ones, and new ones as they happen.
    expect(bob.page.locator("li.change").first).to_be_visible()
    ana.go("Events")
    create_event(ana.page, "Camp of the timeline")
    expect(bob.page.locator("li.change").last).to_contain_text("added event “Camp of the timeline”")
    ana.is_live()
    bob.page.reload()
    expect(bob.page.locator("li.change").last).to_contain_text("added event “Camp of the timeline”")
    # A server that breaks the protocol: the page leaves, comes back once for each time, and holds the same.
    bob.is_live()
    before = held.opened
    for number, text in enumerate(['{"type":"live","seq":1}', "no frame"]):
        held.say(text)
        deadline = time.monotonic() + 30
        while held.opened == before + number:
            assert time.monotonic() < deadline, "the page stays with a server that breaks the protocol"
            bob.page.evaluate("new Promise((done) => requestAnimationFrame(done))")
        bob.page.get_by_label("Message", exact=True).fill(f"After the fault {number}")
        bob.page.keyboard.press("Enter")
        expect(bob.page.get_by_text(f"After the fault {number}", exact=True)).to_have_count(1)
        bob.is_live()
        assert held.opened == before + number + 1, (before, held.opened)
    ana.go("Room")
    for number in range(2):
        expect(ana.page.get_by_text(f"After the fault {number}", exact=True)).to_have_count(1)
    ana.end()
    bob.end()


@flow
def joining(browser, server):
    """A parent invites a guest; the link opens in another browser, asks for the name, and the guest can change nothing. The parent adds a second family."""
    ana = Person(browser, server).sign_in("Carmen", "/settings")
    page = ana.page
    page.get_by_role("button", name="+ Invite someone").click()
    page.get_by_label("Name", exact=True).fill("Grandpa Joe")
    page.get_by_label("Role", exact=True).select_option(label="Guest (reads only)")
    page.get_by_role("button", name="Invite", exact=True).click()
    address = page.get_by_label("Link").input_value()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Grandpa Joe", exact=True)).to_be_visible()
    joe = Person(browser, server)
    joe.page.goto(address)
    assert "#" not in joe.page.url, "the fragment goes before anything is sent"
    joe.page.get_by_role("button", name="Sign in", exact=True).click()
    joe.page.get_by_label("Your name").fill("Grandpa Joe")
    joe.page.get_by_role("button", name="Sign in", exact=True).click()
    joe.is_live()
    expect(joe.page.get_by_text("40 results")).to_be_visible()
    assert joe.page.get_by_role("link", name="+ Add Event").count() == 0
    assert joe.page.get_by_role("button", name="Delete").count() == 0
    # The code of another family: it is added to the sign-in of this browser, and the person stays one.
    def host(*words):
        return json.loads(subprocess.run([server.program, words[0], "--data", server.data, "--json", *words[1:]], check=True, capture_output=True, timeout=60).stdout)

    other = host("init", "--family", "Okafor", "--zone", "UTC", "--parent", "Ada")["family"]
    page.goto(f"{server.url}/#{host('invite', '--family', other, '--name', 'Carmen R', '--role', 'parent')['code']}")
    expect(page.get_by_text("You are signed in here (The Rivera family).")).to_be_visible()
    page.get_by_role("button", name="Add the family").click()
    page.get_by_label("Your name").fill("Carmen R")
    page.get_by_role("button", name="Add the family").click()
    ana.toast("The family Okafor is added to your sign-in.")
    ana.is_live()
    ana.go("Settings")
    page.get_by_role("button", name="The Rivera family", exact=True).click()
    expect(page.get_by_text("40 results")).to_be_visible()
    ana.go("Settings")
    # A code for another device of theirs opens both families there.
    page.get_by_role("button", name="Add a device …").click()
    address = page.get_by_label("Link").input_value()
    page.get_by_role("button", name="Done").click()
    phone = Person(browser, server)
    phone.page.goto(address)
    phone.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(phone.page.get_by_role("heading", level=1, name="Which family?")).to_be_visible()
    phone.page.get_by_role("button", name="Okafor").click()
    phone.is_live()
    phone.end()
    # Removed: the records go from that browser, too.
    page.get_by_role("button", name="Remove Grandpa Joe").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(joe.page.get_by_text("You are no longer in this family.")).to_be_visible()
    joe.page.reload()
    expect(joe.page.get_by_role("heading", level=1, name="Huddle")).to_be_visible()
    ana.end()
    joe.end()


@flow
def signing_out(browser, server):
    """A brief sign-in keeps nothing; a password, a second factor, recovery codes and an address are set under settings; signing out, and back in with one of the codes."""
    server.end()
    mailbox = pages_account.Mailbox()
    server = Server(server.program, *mailbox.options)
    try:
        ana = Person(browser, server).sign_in("Carmen", brief=True)
        assert ana.page.evaluate("indexedDB.databases().then((all) => all.length)") == 0
        ana.page.reload()
        ana.is_live()
        assert ana.page.evaluate("indexedDB.databases().then((all) => all.length)") == 0
        bob = Person(browser, server).sign_in("David", "/settings")
        # The week of this browser begins on the chosen day.
        bob.page.get_by_label("Weeks begin on").select_option(label="Monday")
        bob.go("Events")
        expect(bob.page.get_by_role("columnheader").first).to_have_accessible_name("Monday")
        bob.go("Settings")
        codes = pages_account.ways_to_sign_in(browser, server, bob, mailbox)
        bob.page.get_by_role("button", name="Sign out").click()
        expect(bob.page.get_by_role("heading", level=1, name="Huddle")).to_be_visible()
        assert bob.page.evaluate("fetch('/session').then((answer) => answer.json()).then((told) => told.signed_in)") is False
        bob.page.get_by_role("button", name="Use name and password").click()
        bob.page.get_by_label("Name").fill("david.r")
        bob.page.get_by_label("Password").fill(codes[0])
        bob.page.get_by_role("button", name="Sign in", exact=True).click()
        bob.is_live()
        ana.end()
        bob.end()
    finally:
        server.end()
        mailbox.end()


@flow
def passkeys(browser, server):
    """A passkey is made on this device, opens a new session without a name, and is removed with a confirmation."""
    server.end()
    server = Server(server.program, "--public-url", "http://localhost:PORT", host="localhost")
    try:
        ana = Person(browser, server)
        page = ana.page
        devtools = ana.context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}})
        ana.sign_in("Carmen", "/settings")
        page.get_by_role("button", name="+ Add a passkey of this device").click()
        page.get_by_label("Name of this device").fill("Laptop")
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_text("Laptop", exact=True)).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("button", name="Use a passkey").click()
        ana.is_live()
        ana.go("Settings")
        page.get_by_role("button", name="Remove the passkey Laptop").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.get_by_text("No passkey yet.")).to_be_visible()
        ana.end()
    finally:
        server.end()


@flow
def upgrade(browser, server):
    """A server with another build takes over: open pages change to it, with what was typed, and start on it without a network."""
    newer = os.path.join(server.folder, "huddled-newer")
    octets = open(server.program, "rb").read()
    # A comment of the style sheet, which is in the program as it is written.
    assert octets.count(b"/* The frame */") == 1
    with open(newer, "wb") as file:
        file.write(octets.replace(b"/* The frame */", b"/* The FRAME */"))
    os.chmod(newer, 0o755)

    def build(page):
        return re.search("/app/([0-9a-f]{32})/", page.evaluate("document.querySelector('script').src"))[1]

    ana = Person(browser, server).sign_in("Carmen", "/room")
    page = ana.page
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    old = build(page)
    page.get_by_label("Message", exact=True).fill("Half a sentence")
    is_typed(page, "Half a sentence")
    former = server.program
    server.stop()
    server.program = newer
    with page.expect_event("load"):
        server.start()
        retry(page)
    ana.is_live()
    assert build(page) != old
    expect(page.get_by_label("Message", exact=True)).to_have_value("Half a sentence")
    server.stop()
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
    assert build(page) != old
    # Back to the former one: once, and not in a circle.
    server.program = former
    server.start()
    with page.expect_event("load"):
        retry(page)
    ana.is_live()
    assert build(page) == old
    ana.end()


@flow
def attacks(browser, server):
    """Texts that look like markup, are long, turn round or pile up stay texts in their boxes; a page of another origin does nothing."""
    ana = Person(browser, server, width=390, height=844).sign_in("Carmen")
    page = ana.page
    texts = [
        "<img src=x onerror=alert(1)><script>alert(2)</script>", "\u05e9\u05dc\u05d5\u05dd turned round (end)", "Z" + "\u0301\u0316\u0488" * 80, "W" * 250, "javascript:alert(3)", "{{7*7}}${7*7}", "=HYPERLINK(\"http://x\")",
    ]
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    for text in texts:
        create_event(page, text[:250])
        page.get_by_label("Comment").fill(text * (10_000 // len(text)) if len(text) > 1 and text[0] == "W" else text)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("heading", name="Comments (1)")).to_be_visible()
        for path in [page.url, server.url + "/events", server.url + "/room"]:
            page.goto(path)
            ana.is_live()
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{text[:20]!r} makes {path} {wide} px too wide"
            assert page.evaluate("document.querySelectorAll('img[src=\"x\"], #page script').length") == 0
        page.goto(server.url + "/events")
    # Addresses that nobody made: a page says that there is nothing, or shows what is there.
    for path in ["/events/%3Cimg%20src=x%20onerror=alert(4)%3E", "/trips/..%2F..%2Fevents", "/documents/" + "9" * 2_000 + "/about", "/events?athlete=%3Cb%3E&family=javascript:alert(5)&date=%ff"]:
        page.goto(server.url + path)
        expect(page.locator("#page h1")).to_be_visible()
        assert page.evaluate("document.querySelectorAll('img[src=\"x\"], #page script').length") == 0
    page.goto(server.url + "/events")
    ana.is_live()
    assert not dialogs, dialogs

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as elsewhere:
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        foreign = ana.context.new_page()
        foreign.goto(f"http://127.0.0.1:{elsewhere.server_port}/")
        # The same host: the browser sends the cookie along, so that the server alone stands against it.
        tried = foreign.evaluate("""async (base) => {
          const result = {};
          for (const [method, path] of [["POST", "/session"], ["DELETE", "/session"], ["DELETE", "/sessions"], ["PUT", "/account/password"], ["POST", "/passkeys/options"], ["POST", "/files"], ["POST", "/tokens"], ["POST", "/families"]]) {
            result[method + " " + path] = await fetch(base + path, { method, credentials: "include", mode: method === "POST" ? "no-cors" : "cors", body: method === "POST" ? "{}" : undefined })
              .then((answer) => answer.type === "opaque" ? "opaque" : answer.status, () => "refused");
          }
          result.read = await fetch(base + "/session", { credentials: "include" }).then((answer) => answer.text(), () => "refused");
          result.socket = await new Promise((resolve) => {
            const socket = new WebSocket(base.replace("http", "ws") + "/ws", "huddle.v1");
            socket.onopen = () => resolve("open");
            socket.onerror = () => resolve("refused");
          });
          result.frame = await new Promise((resolve) => {
            const frame = document.createElement("iframe");
            frame.src = base + "/events";
            frame.onload = () => { try { resolve(frame.contentDocument ? "readable" : "blocked"); } catch { resolve("blocked"); } };
            document.body.append(frame);
          });
          return result;
        }""", server.url)
        elsewhere.shutdown()
    assert all(value in ("opaque", "refused", 403) for name, value in tried.items() if name not in ("read", "socket", "frame")), tried
    assert tried["read"] == "refused" and tried["socket"] == "refused" and tried["frame"] == "blocked", tried
    # Nothing was done: the session is there, and it is the only one of this browser.
    page.goto(server.url + "/settings")
    ana.is_live()
    expect(page.get_by_text("(this one)")).to_be_visible()
    ana.end()


@flow
def keyboard(browser, server):
    """Everything by keys: the palette, a form, a dialog; the focus is visible on every page, never under a bar, and in no trap."""
    ana = Person(browser, server).sign_in("Carmen")
    page = ana.page
    press = page.keyboard.press
    press("Control+k")
    page.keyboard.type("new event")
    press("Enter")
    expect(page.get_by_role("heading", name="Add New Event")).to_be_focused()

    def field(label):
        for _ in range(60):
            press("Tab")
            if page.evaluate("document.activeElement.id && document.querySelector(`label[for='${document.activeElement.id}']`)?.textContent.includes(%r)" % label):
                return
        raise AssertionError(f"no way to {label} by Tab")

    field("Whose event")
    page.keyboard.type("Elena")
    field("Event type")
    page.keyboard.type("Game")
    field("Event name")
    page.keyboard.type("Typed game")
    field("Start date")
    page.keyboard.type("12122026")
    press("Control+Enter")
    expect(page.get_by_role("heading", level=1, name="Typed game")).to_be_visible()
    expect(page.get_by_text("Dec 12, 2026").first).to_be_visible()
    press("Control+k")
    page.keyboard.type("settings")
    press("Enter")
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_focused()
    press("Control+k")
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    # A trip, an item of it, and a message.
    press("g")
    press("t")
    expect(page.get_by_role("heading", level=1, name="Trips")).to_be_focused()
    press("n")
    expect(page.get_by_role("dialog").get_by_label("Trip name")).to_be_focused()
    page.keyboard.type("Typed trip")
    field("Start date")
    page.keyboard.type("12142026")
    press("Enter")
    expect(page.get_by_role("heading", level=1, name="Typed trip")).to_be_focused()
    press("n")
    expect(page.get_by_role("dialog").get_by_label("Title")).to_be_focused()
    page.keyboard.type("Typed item")
    press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("li.item")).to_contain_text("Typed item")
    press("g")
    press("r")
    expect(page.get_by_role("heading", level=1, name="Room")).to_be_focused()
    press("w")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type("Typed message")
    press("Enter")
    expect(page.get_by_text("Typed message", exact=True)).to_be_visible()
    ana.is_live()
    walk = """() => {
      const active = document.activeElement;
      if (!active || active === document.body) return "body";
      const box = active.getBoundingClientRect();
      const name = active.tagName + " " + (active.getAttribute("aria-label") ?? active.textContent ?? "").slice(0, 40) + " " + active.id;
      if (box.width === 0 || box.height === 0) return "no size: " + name;
      if (box.top >= innerHeight || box.bottom <= 0) return "out of sight: " + name;
      const x = Math.min(innerWidth - 1, box.left + box.width / 2), y = Math.max(0, Math.min(innerHeight - 1, (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2));
      const top = document.elementFromPoint(x, y);
      if (!top || !(active.contains(top) || top.contains(active) || top.closest("label"))) return "covered by " + (top?.className || top?.tagName) + ": " + name;
      const style = getComputedStyle(active);
      if (style.outlineStyle === "none") return "no ring: " + name;
      return "seen " + name;
    }"""
    for width in [390, 1280]:
        page.set_viewport_size({"width": width, "height": 700})
        for path in ["/events", "/events/create", "/trips", "/documents", "/room", "/kept", "/settings"]:
            page.goto(server.url + path)
            ana.is_live()
            steps = 45
            if browser.browser_type.name == "firefox":
                # Behind the last element Tab leads into the bars of Firefox; from there nothing brings the focus back to the page.
                stops = "document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]')"
                steps = min(steps, page.evaluate(f"[...{stops}].filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length"))
            seen = []
            for _ in range(steps):
                press("Tab")
                seen.append(page.evaluate(walk))
                # Round the whole page.
                if len(seen) > 12 and seen[-1] == seen[0]:
                    break
            wrong = [one for one in seen if not one.startswith("seen") and one != "body"]
            assert not wrong, f"{path} at {width} px: {wrong}"
            assert len(set(seen)) >= 12, f"{path}: a trap? {set(seen)}"
    ana.end()


@flow
def killed(browser, server):
    """Server and page are killed again and again, each after the page said that a change is kept: each takes effect once."""
    ana = Person(browser, server).sign_in("Carmen", "/room")
    ana.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    rounds = 8
    for number in range(rounds):
        page = ana.page
        if number % 2:
            server.stop(signal.SIGKILL)
        page.get_by_label("Message", exact=True).fill(f"Message number {number}")
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"Message number {number}")).to_be_visible()
        expect(page.locator("a.pill")).to_have_text(re.compile("waiting|All saved"))
        page.close(run_before_unload=False)
        if number % 2:
            server.start()
        ana.page = ana.open()
        ana.page.goto(server.url + "/room")
    # A second tab beside the first has a client of its own.
    other = ana.open()
    other.goto(server.url + "/room")
    other.get_by_label("Message", exact=True).fill("From the second tab")
    other.keyboard.press("Enter")
    ana.is_live()
    for number in range(rounds):
        expect(ana.page.get_by_text(f"Message number {number}")).to_have_count(1)
    expect(ana.page.get_by_text("From the second tab")).to_have_count(1)
    bob = Person(browser, server).sign_in("David", "/room")
    texts = bob.page.locator("ol.messages p.text").all_text_contents()
    told = [text for text in texts if text.startswith("Message number")]
    assert told == [f"Message number {number}" for number in range(rounds)], told
    ana.end()
    bob.end()


@flow
def accessible(browser, server):
    """axe finds nothing on any page, at three widths, light and dark; nothing is wider than the screen."""
    ana = Person(browser, server, width=1280, height=844)
    page = ana.page
    page.goto(server.url)
    expect(page.get_by_role("heading", level=1, name="Huddle")).to_be_visible()
    found = looks(page, "sign-in")
    ana.sign_in("Carmen")
    event = page.locator("article.card a").first.get_attribute("href")
    if os.environ.get("HUDDLE_SHOTS"):
        # The picture of the README (deploy/pictures/web.png).
        page.set_viewport_size({"width": 1180, "height": 760})
        page.emulate_media(color_scheme="light")
        page.get_by_label("Season", exact=True).select_option(label="Elena Rivera")
        expect(page.get_by_text("20 results")).to_be_visible()
        page.screenshot(path=os.path.join(os.environ["HUDDLE_SHOTS"], "web.png"))
        page.get_by_label("Season", exact=True).select_option(label="All athletes")
    ana.go("Trips")
    trip = page.locator("article.card a").first.get_attribute("href")
    for path in ["/events", event, event + "/edit", "/events/create", "/trips", trip, "/documents", "/room", "/kept", "/settings"]:
        page.goto(server.url + path)
        ana.is_live()
        expect(page.locator("#page h1")).to_be_visible()
        expect(page.locator(".skeleton")).to_have_count(0)
        found += looks(page, path)
    ana.end()
    assert not found, "\n".join(found)


def looks(page, path):
    """What axe finds on a page at three widths, light and dark. The page is loaded once: what differs is the style."""
    shots = os.environ.get("HUDDLE_SHOTS")
    found = []
    for width in [320, 390, 1280]:
        page.set_viewport_size({"width": width, "height": 844})
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            # In other colours only the rules about colours can find something else.
            found += [f"{path} at {width} px, {scheme}: {one}" for one in violations(page, RULES if scheme == "light" else ["color-contrast", "link-in-text-block"])]
            if shots and scheme == "light":
                page.screenshot(path=os.path.join(shots, f"{path.strip('/').replace('/', '-')}-{width}.png"))
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            found.append(f"{path} at {width} px is {wide} px too wide")
    return found


# Virtual authenticators, a debugger that stops a tab, files that are downloaded, and paper in its size: Playwright gives them in Chromium alone.
CHROMIUM_ONLY = {"passkeys", "engine_tabs_frozen", "event", "documents", "farewell", "paper", "engine_storage_damaged"}


def launched(playwright):
    wanted = os.environ.get("HUDDLE_BROWSER", "/usr/bin/chromium-headless-shell")
    if wanted == "firefox":
        return playwright.firefox.launch(channel="moz-firefox", executable_path="/usr/bin/firefox-esr"), True
    # A name of a home network, which is neither loopback nor https.
    return playwright.chromium.launch(executable_path=wanted, args=["--no-sandbox", "--host-resolver-rules=MAP huddle.home.arpa 127.0.0.1"]), False


def main():
    program, names = sys.argv[1], sys.argv[2:] or list(FLOWS)
    failed = 0
    with sync_playwright() as playwright:
        browser, is_firefox = launched(playwright)
        for name in names:
            if is_firefox and name in CHROMIUM_ONLY:
                print(f"{name}: skipped, because it needs Chromium's own protocol", flush=True)
                continue
            begun = time.monotonic()
            server = Server(program)
            try:
                FLOWS[name](browser, server)
                print(f"{name}: passed in {time.monotonic() - begun:.1f} s", flush=True)
            except Exception:
                failed += 1
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
                for context in browser.contexts:
                    context.close()
            finally:
                server.end()
        browser.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
