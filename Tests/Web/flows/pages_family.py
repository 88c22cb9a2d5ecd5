"""Flows of the family as a whole: calendar feeds, the copy, the deletion and its withdrawal, and what is left afterwards."""
import json
import os
import re
import socket
import sqlite3
import subprocess
import tarfile
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect

from harness import Person

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


def fetched(url):
    """A feed, as a calendar program reads it; the status if it was refused."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"User-Agent": "Calendar/1.0 (test)"}), timeout=30) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code


def give_token(server, name):
    """A new sign-in token by the host; a password ended the earlier ones."""
    member = next(one for one in server.demo["members"] if one["name"].startswith(name))
    made = subprocess.run([server.program, "token", "--data", server.data, "--member", member["member"], "--json"], check=True, capture_output=True, timeout=60)
    member["token"] = json.loads(made.stdout)["token"]


# Twenty feeds by a socket of the page's own.
TWENTY = """async () => {
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws", "huddle.v1");
  const frames = [];
  let wake = () => {};
  socket.onmessage = (event) => { frames.push(JSON.parse(event.data)); wake(); };
  await new Promise((resolve) => { socket.onopen = resolve; });
  const next = async (...types) => {
    for (;;) {
      const place = frames.findIndex((frame) => types.includes(frame.type));
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
  for (let number = 0; number < 20; number += 1) {
    send({ type: "add_calendar", request: number + 1, id: id(), nonce: id().replaceAll("-", ""), name: `Feed ${number}`, mine: [] });
    const told = await next("calendars", "error");
    if (told.type === "error") return JSON.stringify(told);
  }
  socket.close();
  return "done";
}"""


@flow
def feeds(browser, server):
    """Issue 17 §1: a feed is added, read by a program, changed, undone and removed, by mouse and by keys; offline."""
    ana = Person(browser, server, permissions=["clipboard-read", "clipboard-write"]).sign_in("Carmen", "/settings")
    page = ana.page
    dialog, rows = page.get_by_role("dialog"), page.get_by_role("list", name="Calendar feeds").get_by_role("listitem")
    page.get_by_role("link", name="Calendar feeds").click()
    expect(page.get_by_role("heading", level=1, name="Calendar feeds")).to_be_focused()
    expect(page.get_by_role("heading", name="No calendar feed yet")).to_be_visible()
    # By mouse. What is missing is said, and what was typed stays.
    page.get_by_role("button", name="+ Add a feed").click()
    expect(dialog.get_by_label("Name", exact=True)).to_have_value("The Rivera family")
    dialog.get_by_label("Name", exact=True).fill("")
    dialog.get_by_role("button", name="Make the address").click()
    expect(dialog.get_by_role("alert")).to_have_text("Name is required")
    dialog.get_by_label("Name", exact=True).fill("Kitchen")
    dialog.get_by_label("What it shows").select_option(label="Seasons that I choose, and my trips")
    dialog.get_by_role("button", name="Make the address").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose at least one season")
    dialog.get_by_label("Elena Rivera", exact=True).check()
    dialog.get_by_label("Items of trips", exact=True).uncheck()
    dialog.get_by_label("Last day").fill("2027-06-30")
    dialog.get_by_role("button", name="Make the address").click()
    expect(dialog.get_by_role("heading", name="The address of Kitchen")).to_be_visible()
    field = dialog.get_by_label("Address")
    expect(field).to_be_focused()
    address = field.input_value()
    assert re.fullmatch(re.escape(server.url) + r"/feeds/[A-Za-z0-9_-]{32}\.ics", address), address
    assert dialog.get_by_role("link", name="Open in this device's calendar").get_attribute("href") == "webcal" + address[4:]
    # For the camera of a phone: both addresses as pictures of their own.
    codes = dialog.get_by_role("img", name="For the camera of a phone")
    expect(codes).to_have_count(2)
    drawn = codes.evaluate_all("(all) => all.map((one) => [one.viewBox.baseVal.width, one.querySelector('path').getAttribute('d')])")
    assert drawn[0] != drawn[1] and all(side >= 29 and path.startswith("M4,4h1v1h-1zM5,4h1") for side, path in drawn), drawn
    expect(dialog.get_by_text("This page is not on https.")).to_be_visible()
    dialog.get_by_role("button", name="Copy the address").click()
    assert page.evaluate("navigator.clipboard.readText()") == address
    dialog.get_by_text("Google Calendar", exact=True).click()
    expect(dialog.get_by_text("From URL, paste the address")).to_be_visible()
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_role("button", name="+ Add a feed")).to_be_focused()
    kitchen = rows.filter(has_text="Kitchen")
    expect(kitchen).to_contain_text("Seasons of Elena Rivera, and my trips · events · until Jun 30, 2027")
    expect(kitchen).to_contain_text("Not read by a calendar yet")
    assert address not in page.content() and address not in page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    # A program reads it: the page says when, and who.
    text = fetched(address)
    assert text.startswith("BEGIN:VCALENDAR") and text.count("BEGIN:VEVENT") > 5 and "NAME:Kitchen" in text, text[:400]
    assert "BEGIN:VALARM" in text
    for _ in range(50):
        page.reload()
        expect(kitchen).to_contain_text(re.compile("Read 1 time, last .* by Calendar/1.0|Not read"))
        if "Read 1 time" in kitchen.inner_text():
            break
    expect(kitchen).to_contain_text("by Calendar/1.0 (test)")
    # Changed, with its way back; the address stays.
    page.get_by_role("button", name="Change the feed Kitchen").click()
    expect(dialog.get_by_label("Elena Rivera", exact=True)).to_be_checked()
    expect(dialog.get_by_label("Last day")).to_have_value("2027-06-30")
    expect(dialog.get_by_label("Items of trips", exact=True)).not_to_be_checked()
    dialog.get_by_label("What it shows").select_option(label="Everything of the family")
    dialog.get_by_label("Times only: each entry is called “Busy”").check()
    dialog.get_by_label(re.compile("^With alarms")).uncheck()
    dialog.get_by_label("Last day").fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(kitchen).to_contain_text("Everything of the family · events · times only · without alarms")
    expect(kitchen).not_to_contain_text("until")
    page.locator(".toasts").get_by_role("button", name="Undo").click()
    ana.toast("Undone")
    expect(kitchen).to_contain_text("Seasons of Elena Rivera, and my trips · events · until Jun 30, 2027")
    # Removed: the question names the feed, and no one gets anything at its address afterwards.
    page.get_by_role("button", name="Remove the feed Kitchen").click()
    expect(dialog.get_by_role("heading", name="Remove the feed Kitchen?")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(kitchen).to_be_visible()
    page.get_by_role("button", name="Remove the feed Kitchen").click()
    dialog.get_by_role("button", name="Remove").click()
    ana.toast("The feed Kitchen is removed")
    expect(rows).to_have_count(0)
    expect(page.get_by_role("button", name="+ Add a feed")).to_be_focused()
    assert fetched(address) == 404
    # Twenty are the most: the page says so in place of its button, until one is removed.
    assert page.evaluate(TWENTY) == "done"
    page.reload()
    expect(rows).to_have_count(20)
    expect(page.get_by_text("You have 20 feeds, and 20 is the most. Remove one first.")).to_be_visible()
    expect(page.get_by_role("button", name="+ Add a feed")).to_have_count(0)
    page.get_by_role("button", name="Remove the feed Feed 7", exact=True).click()
    dialog.get_by_role("button", name="Remove").click()
    expect(rows).to_have_count(19)
    expect(page.get_by_role("button", name="+ Add a feed")).to_be_focused()

    # By keys alone, as an athlete: from the palette to the address.
    elena = Person(browser, server).sign_in("Elena")
    page = elena.page
    press, dialog, rows = page.keyboard.press, page.get_by_role("dialog"), page.get_by_role("list", name="Calendar feeds").get_by_role("listitem")
    page.keyboard.press("Control+k")
    page.keyboard.type("calendar of a phone")
    expect(page.locator("#palette-list [role=option]")).to_have_count(1)
    press("Enter")
    expect(page.get_by_role("heading", level=1, name="Calendar feeds")).to_be_focused()
    press("Tab")
    expect(page.get_by_role("button", name="+ Add a feed")).to_be_focused()
    press("Enter")
    expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
    press("Control+a")
    page.keyboard.type("Elena's phone")
    expect(dialog.get_by_label("What it shows")).to_have_value("mine")
    press("Enter")
    expect(dialog.get_by_label("Address")).to_be_focused()
    assert fetched(dialog.get_by_label("Address").input_value()).count("BEGIN:VEVENT") > 5
    press("Escape")
    expect(rows.filter(has_text="Elena's phone")).to_contain_text("My season and my trips")
    expect(page.get_by_role("button", name="+ Add a feed")).to_be_focused()
    press("Tab")
    press("Tab")
    expect(page.get_by_role("button", name="Remove the feed Elena's phone")).to_be_focused()
    press("Enter")
    press("Tab")
    press("Enter")
    elena.toast("The feed Elena's phone is removed")
    # Without a connection the page says why it is empty, and what cannot be done.
    page.get_by_role("button", name="+ Add a feed").click()
    server.stop()
    expect(page.get_by_role("link", name="offline")).to_be_visible()
    dialog.get_by_role("button", name="Make the address").click()
    expect(dialog.get_by_role("alert")).to_have_text("There is no connection to the server. Try again when it is back.")
    press("Escape")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Calendar feeds").click()
    expect(page.get_by_text("This list comes from the server. It is shown when the connection is back.")).to_be_visible()
    server.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_role("heading", name="No calendar feed yet")).to_be_visible()
    elena.end()
    ana.end()


@flow
def farewell(browser, server):
    """Issue 15 §3: a copy, the request with its name and password, the banner at every member, the withdrawal; and the family's end."""
    ana, elena = Person(browser, server).sign_in("Carmen"), Person(browser, server).sign_in("Elena")
    page, dialog = ana.page, ana.page.get_by_role("dialog")
    # With a password, the acts ask for it.
    page.goto(server.url + "/settings")
    page.get_by_role("button", name="Set a name and a password").click()
    dialog.get_by_label("Name", exact=True).fill("carmen")
    dialog.get_by_label("Password").fill("a long night in april")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You sign in as carmen.")).to_be_visible()
    # A session that was opened by a token of the host has not shown the password.
    ana.end()
    give_token(server, "Carmen")
    ana, other = Person(browser, server).sign_in("Carmen"), Person(browser, server).sign_in("David", "/settings")
    page, dialog = ana.page, ana.page.get_by_role("dialog")

    def confirmed(password):
        confirm = page.get_by_role("dialog").filter(has=page.get_by_role("heading", name="Confirm that it is you"))
        confirm.get_by_label("Password", exact=True).fill(password)
        confirm.get_by_role("button", name="Confirm").click()
        return confirm

    ana.go("Settings")
    page.get_by_role("link", name="Copy or delete the family").click()
    expect(page.get_by_role("heading", level=1, name="Copy or delete the family")).to_be_focused()
    # The copy: whole, with the family's name.
    with page.expect_download() as download:
        page.get_by_role("button", name="Export the family").click()
    path = os.path.join(server.folder, "copy.tar")
    download.value.save_as(path)
    assert download.value.suggested_filename == "The_Rivera_family.tar", download.value.suggested_filename
    with tarfile.open(path) as archive:
        assert len(archive.getnames()) > 2, archive.getnames()
    expect(page.get_by_text(re.compile(r"The copy is saved: The_Rivera_family\.tar, "))).to_be_visible()
    # The request: a copy is there, so the name is asked for.
    page.get_by_role("button", name="Delete this family …").click()
    ask = dialog.get_by_role("button", name="Ask for the deletion")
    assert ask.is_disabled()
    dialog.get_by_label("The family's name").fill("Riviera")
    ask.click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not the name of the family.")
    dialog.get_by_label("The family's name").fill("the rivera  FAMILY")
    ask.click()
    expect(confirmed("not my password").get_by_role("alert")).not_to_be_empty()
    confirmed("a long night in april")
    ana.toast("All members see the request now.")
    # Everybody sees it, on every page, and a loaded page, too.
    banner = re.compile(r"Carmen Rivera asked for the deletion of this family\. It is erased on \w+ \d+, 20\d\d, with everything in it\.")
    for person in (ana, elena, other):
        expect(person.page.get_by_role("status").filter(has_text=banner)).to_be_visible()
    for name in ("Trips", "Documents", "Room", "Events"):
        elena.go(name)
        expect(elena.page.get_by_role("status").filter(has_text=banner)).to_be_visible()
    elena.page.reload()
    expect(elena.page.get_by_role("status").filter(has_text=banner)).to_be_visible()
    elena.page.get_by_role("link", name="What this means").click()
    expect(elena.page.get_by_text("Only parents take a copy of the family, or ask for its deletion.")).to_be_visible()
    assert elena.page.get_by_role("button", name=re.compile("Export|Keep|Delete")).count() == 0
    # A copy with private data asks for the password in a session that has not shown it; a second one within a minute is refused in words.
    ana.end()
    give_token(server, "Carmen")
    ana = Person(browser, server).sign_in("Carmen", "/settings/family")
    page, dialog = ana.page, ana.page.get_by_role("dialog")
    page.get_by_label("With private data").check()
    page.get_by_role("button", name="Export the family").click()
    confirmed("a long night in april")
    expect(page.get_by_text("A copy of this family was made a moment ago. Try again in a minute")).to_be_visible()
    # Another parent keeps the family.
    other.page.get_by_role("link", name="What this means").click()
    expect(other.page.get_by_text(re.compile(r"^Carmen Rivera asked for the deletion of this family \(.+\)\. It is erased from"))).to_be_visible()
    other.page.get_by_role("button", name="Keep the family").click()
    other.toast("The request is withdrawn. The family stays.")
    for person in (ana, elena, other):
        expect(person.page.get_by_role("status").filter(has_text=banner)).to_have_count(0)
    # Without a copy on this page, one is offered first; then once more to its end.
    other.page.get_by_role("button", name="Delete this family …").click()
    theirs = other.page.get_by_role("dialog")
    expect(theirs.get_by_role("heading", name="Take a copy first?")).to_be_visible()
    expect(theirs.get_by_role("button", name="Take a copy")).to_be_focused()
    theirs.get_by_role("button", name="Continue without a copy").click()
    expect(theirs.get_by_label("The family's name")).to_be_focused()
    other.page.keyboard.type("The Rivera family")
    other.page.keyboard.press("Enter")
    other.toast("All members see the request now.")
    expect(ana.page.get_by_role("status").filter(has_text=re.compile("^David Rivera asked for the deletion"))).to_be_visible()
    # A device that is offline at the end is told when it connects again, and keeps nothing.
    elena.is_live()
    elena.page.goto("about:blank")
    server.stop()
    database = sqlite3.connect(os.path.join(server.data, "huddle.db"))
    assert database.execute("UPDATE families SET deletion_due = ? WHERE deletion_due IS NOT NULL", (int(time.time() * 1000),)).rowcount == 1
    database.commit()
    database.close()
    for person in (ana, elena, other):
        person.page.clock.set_fixed_time(time.time() + 20 * 86_400)
    server.start()
    # The server looks every ten minutes, and when the host's socket asks for it.
    with socket.socket(socket.AF_UNIX) as host:
        host.connect(os.path.join(server.data, "huddled.sock"))
        host.sendall(b'{"command":"purge"}\n')
        assert b"purged" in host.recv(4096)
    gone = "The family “The Rivera family” has been deleted. Its records have been removed from this device."
    for person in (ana, other):
        expect(person.page.get_by_text(gone)).to_be_visible()
    elena.page.goto(server.url + "/events")
    expect(elena.page.get_by_text(gone)).to_be_visible()
    for person in (ana, elena, other):
        left = person.page.evaluate("""async () => {
          const names = (await indexedDB.databases()).map((one) => one.name);
          const rows = [];
          for (const name of names) {
            const database = await new Promise((resolve) => { const request = indexedDB.open(name); request.onsuccess = () => resolve(request.result); });
            for (const store of database.objectStoreNames) {
              const all = await new Promise((resolve) => { const request = database.transaction(store).objectStore(store).getAll(); request.onsuccess = () => resolve(request.result); });
              rows.push(...all.map((one) => `${store} ${JSON.stringify(one)}`));
            }
            database.close();
          }
          return rows.join("\\n") + JSON.stringify({ ...localStorage });
        }""")
        assert "Rivera" not in left and "Elena" not in left, left[:600]
        person.end()
