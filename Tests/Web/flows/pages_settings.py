"""Flows of the pages under settings: consents and the sign-ins of members, the access log, the audit log."""
import json
import re
import subprocess
import urllib.request

from playwright.sync_api import expect

from harness import Person, retry

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


@flow
def consents(browser, server):
    """A parent adds an athlete of 15, reads the text and consents, invites, withdraws; a birth date; a guest's last day; a former athlete's season."""
    ana = Person(browser, server).sign_in("Carmen", "/settings")
    page = ana.page
    dialog = page.get_by_role("dialog")
    rows = page.get_by_role("list", name="Members").get_by_role("listitem")

    def invite(name, role, born=None):
        page.get_by_role("button", name="+ Invite someone").click()
        dialog.get_by_label("Name", exact=True).fill(name)
        dialog.get_by_label("Role", exact=True).select_option(label=role)
        if born:
            dialog.get_by_label("Date of birth").fill(born)
        dialog.get_by_role("button", name="Invite", exact=True).click()
        dialog.get_by_role("button", name="Done").click()

    year = page.evaluate("new Date().getFullYear()")
    invite("Lucia Rivera", "Athlete", f"{year - 15}-01-15")
    # Every page of a parent says so, until the athlete is invited.
    old_enough = page.get_by_text("Old enough for a sign-in: Lucia Rivera.")
    expect(old_enough).to_be_visible()
    page.get_by_role("link", name="Sign-ins of members").click()
    expect(page.get_by_role("heading", level=1, name="Sign-ins of members")).to_be_focused()
    expect(page.get_by_text("Lucia Rivera is old enough for a sign-in, if a parent consents.")).to_be_visible()
    lucia = rows.filter(has_text="Lucia Rivera")
    expect(lucia).to_contain_text("No sign-in: no parent has consented.")
    page.get_by_role("button", name="Read and consent to a sign-in for Lucia Rivera").click()
    expect(dialog.get_by_role("heading", name="Consent to a sign-in for an athlete of 13 to 17")).to_be_visible()
    expect(dialog.get_by_text("Version huddle-consent-2")).to_be_visible()
    assert dialog.get_by_text("#").count() == 0, "Markdown is not shown raw"
    agree = dialog.get_by_role("button", name="I consent")
    assert agree.is_disabled()
    dialog.get_by_label("I am a parent of Lucia Rivera, and I have read this text.").check()
    agree.click()
    expect(dialog.get_by_role("heading", name="Invite Lucia Rivera")).to_be_visible()
    dialog.get_by_role("button", name="Make a link").click()
    address = dialog.get_by_label("Link").input_value()
    dialog.get_by_role("button", name="Done").click()
    expect(lucia).to_contain_text("Carmen Rivera consented (")
    expect(lucia).to_contain_text("May sign in, and is invited.")
    expect(old_enough).to_have_count(0)
    # The athlete comes in by the link.
    joe = Person(browser, server)
    joe.page.goto(address)
    joe.page.get_by_role("button", name="Sign in", exact=True).click()
    joe.page.get_by_label("Your name").fill("Lucia Rivera")
    joe.page.get_by_role("button", name="Sign in", exact=True).click()
    joe.is_live()
    # An athlete sees their own standing, and no act of parents.
    joe.page.goto(server.url + "/settings/consent")
    expect(joe.page.get_by_role("list", name="Members").get_by_role("listitem")).to_have_count(1)
    assert joe.page.get_by_role("button", name=re.compile("Withdraw|Birth date|Invite|Lost")).count() == 0
    # She has lost her sign-in: a link of a parent brings her back, and her other device says so.
    expect(lucia).to_contain_text("May sign in, and has signed in.")
    page.get_by_role("button", name="Lost sign-in of Lucia Rivera").click()
    dialog.get_by_role("button", name="Make a link").click()
    expect(dialog.get_by_role("img", name="For the camera of the other device")).to_be_visible()
    back = Person(browser, server)
    back.page.goto(dialog.get_by_label("Link").input_value())
    dialog.get_by_role("button", name="Done").click()
    back.page.get_by_role("button", name="Sign in", exact=True).click()
    back.is_live()
    expect(joe.page.get_by_text("Your sign-in was recovered with a code of a parent")).to_be_visible()
    back.end()
    # An event of hers, so that something stays behind.
    joe.page.goto(server.url + "/events/create")
    joe.page.get_by_label("Event type").select_option(label="Game")
    joe.page.get_by_label("Event name").fill("Lucia's game")
    joe.page.get_by_label("Start date").fill("2026-12-12")
    joe.page.get_by_role("button", name="Create Event").click()
    expect(joe.page.get_by_role("heading", level=1, name="Lucia's game")).to_be_visible()
    joe.is_live()
    # The consent is taken back: her pages close.
    page.get_by_role("button", name="Withdraw the consent for Lucia Rivera").click()
    dialog.get_by_role("button", name="Withdraw", exact=True).click()
    expect(lucia).to_contain_text("No sign-in: no parent has consented.")
    expect(joe.page.get_by_role("heading", level=1, name="Huddle")).to_be_visible()
    # A younger birth date: no consent is asked for any more.
    page.get_by_role("button", name="Correct the birth date of Lucia Rivera").click()
    dialog.get_by_label("Birth date").fill(f"{year - 11}-01-15")
    dialog.get_by_role("button", name="Save").click()
    expect(lucia).to_contain_text("No sign-in: below 13 a parent keeps the profile.")
    joe.context.close()
    # Removed: the season stays, and is found.
    ana.go("Settings")
    page.get_by_role("button", name="Remove Lucia Rivera").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="Sign-ins of members").click()
    expect(page.get_by_role("heading", name="Seasons of former athletes")).to_be_visible()
    page.get_by_role("link", name="Show the season").click()
    expect(page.get_by_text("1 result", exact=True)).to_be_visible()
    expect(page.get_by_text("The season of Lucia Rivera.")).to_be_visible()
    page.get_by_role("link", name="Show all events").click()
    expect(page.get_by_text("41 results")).to_be_visible()
    # Both logs.
    page.goto(server.url + "/settings/audit")
    log = page.get_by_role("list", name="Audit log")
    for text in ["Carmen Rivera consented to a sign-in for Lucia Rivera (huddle-consent-2)", "Carmen Rivera withdrew the consent for Lucia Rivera (huddle-consent-2)",
                 "Carmen Rivera corrected Lucia Rivera's birth date", "Carmen Rivera removed Lucia Rivera", "Carmen Rivera signed in"]:
        expect(log.get_by_text(text).first).to_be_visible()
    page.get_by_label("Only what I did, and what concerns me").check()
    expect(log.get_by_text("Carmen Rivera signed in").first).to_be_visible()
    # Offline the page says why it is empty, and fills itself afterwards.
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.stop()
    expect(page.get_by_role("link", name="offline")).to_be_visible()
    page.reload()
    expect(page.get_by_text("This list comes from the server. It is shown when the connection is back.")).to_be_visible()
    server.start()
    retry(page)
    expect(log.get_by_text("Carmen Rivera signed in").first).to_be_visible()
    ana.end()


@flow
def looked_at(browser, server):
    """R004: who looked at an athlete's season and opened a document is told to the athlete; a guest sees no log and has a last day."""
    ana, elena = Person(browser, server).sign_in("Carmen"), Person(browser, server).sign_in("Elena")
    ana.page.get_by_label("Season", exact=True).select_option(label="Elena Rivera")
    expect(ana.page.locator(".frame")).to_have_attribute("data-season", re.compile(r"\d"))
    ana.is_live()
    elena.page.goto(server.url + "/settings/access")
    log = elena.page.get_by_role("list", name="Access log")
    expect(log.get_by_text("Carmen Rivera looked at Elena Rivera's season").first).to_be_visible()
    # A guest comes, reads neither log of others, and gets a last day.
    page, dialog = ana.page, ana.page.get_by_role("dialog")
    ana.go("Settings")
    page.get_by_role("button", name="+ Invite someone").click()
    dialog.get_by_label("Name", exact=True).fill("Grandma Ines")
    dialog.get_by_label("Role", exact=True).select_option(label="Guest (reads only)")
    dialog.get_by_role("button", name="Invite", exact=True).click()
    address = dialog.get_by_label("Link").input_value()
    dialog.get_by_role("button", name="Done").click()
    ines = Person(browser, server)
    ines.page.goto(address)
    ines.page.get_by_role("button", name="Sign in", exact=True).click()
    ines.page.get_by_label("Your name").fill("Grandma Ines")
    ines.page.get_by_role("button", name="Sign in", exact=True).click()
    ines.is_live()
    ines.page.goto(server.url + "/settings/access")
    expect(ines.page.get_by_role("alert")).not_to_be_empty()
    ines.page.goto(server.url + "/settings/audit")
    expect(ines.page.get_by_text("Grandma Ines accepted an invite")).to_be_visible()
    assert ines.page.get_by_text("Carmen Rivera signed in").count() == 0
    # Guests have feeds of their own, and no part in the end of the family.
    ines.page.goto(server.url + "/settings/calendars")
    ines.page.get_by_role("button", name="+ Add a feed").click()
    theirs = ines.page.get_by_role("dialog")
    theirs.get_by_role("button", name="Make the address").click()
    expect(theirs.get_by_label("Address")).to_be_visible()
    theirs.get_by_role("button", name="Done").click()
    expect(ines.page.get_by_role("list", name="Calendar feeds").get_by_role("listitem")).to_contain_text("All seasons, and my trips")
    ines.page.goto(server.url + "/settings/family")
    expect(ines.page.get_by_text("Nobody has asked for the deletion of this family.")).to_be_visible()
    expect(ines.page.get_by_text("Only parents take a copy of the family, or ask for its deletion.")).to_be_visible()
    assert ines.page.get_by_role("button", name=re.compile("Export|Delete")).count() == 0
    page.get_by_role("link", name="Sign-ins of members").click()
    page.get_by_role("button", name="Last day of Grandma Ines").click()
    dialog.get_by_label("Last day").fill("2027-08-31")
    dialog.get_by_role("button", name="Save").click()
    row = page.get_by_role("list", name="Members").get_by_role("listitem").filter(has_text="Grandma Ines")
    expect(row).to_contain_text("Last day: Aug 31, 2027.")
    page.get_by_role("button", name="Last day of Grandma Ines").click()
    dialog.get_by_role("button", name="Stays without an end").click()
    expect(row).not_to_contain_text("Last day:")
    ines.end()
    # Somebody else comes back as Elena, by a code of the host: her page says so until she hides it.
    elena_member = next(member for member in server.demo["members"] if member["name"].startswith("Elena"))
    made = subprocess.run([server.program, "recover", "--data", server.data, "--member", elena_member["member"], "--json"], check=True, capture_output=True, timeout=60)
    content = {"code": json.loads(made.stdout)["code"], "client": "9d1f6b0c3e7a4852c06e5fb18a2d7394"}
    urllib.request.urlopen(urllib.request.Request(server.url + "/session", json.dumps(content).encode(), {"Content-Type": "application/json", "Origin": server.url}), timeout=60).read()
    recovered = elena.page.get_by_text("Your sign-in was recovered with a code of the person who runs the server")
    expect(recovered).to_be_visible()
    elena.page.get_by_role("button", name="Hide", exact=True).click()
    expect(recovered).to_have_count(0)
    elena.page.reload()
    elena.is_live()
    expect(recovered).to_have_count(0)
    elena.end()
    ana.end()


@flow
def reminders(browser, server):
    """Issue 17 §3: a member chooses when to be reminded, for one athlete as well, sets quiet hours, undoes it, and goes back to the usual; by mouse and by keys."""
    carmen = Person(browser, server).sign_in("Carmen", "/settings")
    page = carmen.page
    page.get_by_role("link", name="Reminders", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Reminders")).to_be_focused()
    events = page.get_by_role("group", name="Before events", exact=True)
    expect(page.get_by_label("Remind me", exact=True)).to_be_checked()
    expect(events.get_by_label("30 minutes before", exact=True)).to_be_checked()
    expect(page.get_by_role("group", name="Before events and items without a time").get_by_label("18:00 of the day before", exact=True)).to_be_checked()
    expect(page.get_by_role("button", name="Back to the usual reminders")).to_have_count(0)
    # The page names the faulty value and sends nothing.
    for lead in ["At the start", "10 minutes before", "1 hour before", "2 hours before", "1 day before"]:
        events.get_by_label(lead, exact=True).check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Before events: choose at most 5")).to_be_visible()
    for lead in ["At the start", "10 minutes before", "30 minutes before", "2 hours before"]:
        events.get_by_label(lead, exact=True).uncheck()
    page.get_by_label("From", exact=True).fill("22:00")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Quiet until is required")).to_be_visible()
    expect(page.get_by_label("Until", exact=True)).to_be_focused()
    page.get_by_label("Until", exact=True).fill("07:00")
    elena = page.get_by_role("group", name="Before events of Elena Rivera", exact=True)
    elena.get_by_label("As for all events").uncheck()
    elena.get_by_label("1 day before", exact=True).uncheck()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    # Another device has it, and the server's dry run lists it.
    member = next(one for one in server.demo["members"] if one["name"].startswith("Carmen"))["member"]
    planned = json.loads(subprocess.run(
        [server.program, "reminders", "--dry-run", "--data", server.data, "--member", member, "--from", "2026-01-01", "--to", "2029-01-01", "--json"],
        check=True, capture_output=True, timeout=60).stdout)["reminders"]
    assert planned and all("by the member's own rule" in one["reason"] for one in planned), planned[:3]
    other = Person(browser, server).sign_in("Carmen", "/settings/reminders")
    expect(other.page.get_by_role("group", name="Before events", exact=True).get_by_label("1 day before", exact=True)).to_be_checked()
    expect(other.page.get_by_label("From", exact=True)).to_have_value("22:00")
    # Back by the message's button, then again by keys; the other device follows.
    page.get_by_role("button", name="Undo").click()
    expect(events.get_by_label("30 minutes before", exact=True)).to_be_checked()
    expect(other.page.get_by_role("button", name="Back to the usual reminders")).to_have_count(0)
    page.get_by_label("Remind me", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Back to the usual reminders")).to_be_visible()
    expect(other.page.get_by_label("Remind me", exact=True)).not_to_be_checked()
    page.get_by_role("button", name="Back to the usual reminders").click()
    expect(page.get_by_label("Remind me", exact=True)).to_be_checked()
    # It can be chosen again, over the deleted one.
    page.get_by_label("My calendar app reminds me, Huddle does not").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(other.page.get_by_label("My calendar app reminds me, Huddle does not")).to_be_checked()
