"""Flows of forms: records that arrive after a form was opened, and forms that close only on success."""
import re
import signal

from playwright.sync_api import expect

from harness import Held, Person, retry

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


def with_cookie(person, name):
    """A session of the browser without a record on this device."""
    answer = person.context.request.post(person.server.url + "/session", data={"token": person.server.token(name)}, headers={"Origin": person.server.url})
    assert answer.status == 201, answer.text()


@flow
def late_records(browser, server):
    """R056 R061: a form that is opened before the records are there gets the athletes, the schools and the event once they arrive, and keeps what was typed."""
    ana = Person(browser, server)
    with_cookie(ana, "Carmen")
    page = ana.page
    held = Held(page)
    page.goto(server.url + "/events/create")
    expect(page.get_by_role("link", name="Connecting …")).to_be_visible()
    expect(page.get_by_text("You see the copy on this device")).to_have_count(0)
    expect(page.get_by_label("Whose event")).to_be_hidden()
    page.get_by_label("Event name").fill("Early bird camp")
    held.release()
    ana.is_live()
    expect(page.get_by_label("Whose event")).to_be_visible()
    expect(page.get_by_label("Event name")).to_have_value("Early bird camp")
    page.get_by_label("Event type").select_option(label="Camp")
    page.get_by_label("Start date").fill("2035-05-05")
    page.get_by_role("button", name="Create Event").click()
    expect(page.get_by_text("Say whose event it is")).to_be_visible()
    # The season that is chosen meanwhile says whose it is; and back.
    page.get_by_label("Season", exact=True).select_option(label="Elena Rivera")
    expect(page.get_by_label("Whose event")).to_be_hidden()
    page.get_by_label("Season", exact=True).select_option(label="All athletes")
    page.get_by_label("Whose event").select_option(label="Elena Rivera")
    page.get_by_role("button", name="Create Event").click()
    expect(page.get_by_role("heading", level=1, name="Early bird camp")).to_be_visible()
    ana.is_live()
    path = page.url
    ana.end()
    # The edit of an event that is not there yet.
    bob = Person(browser, server)
    with_cookie(bob, "David")
    held = Held(bob.page)
    bob.page.goto(path + "/edit")
    expect(bob.page.locator(".skeleton")).to_be_visible()
    expect(bob.page.get_by_role("heading", name="Event not found")).to_have_count(0)
    held.release()
    expect(bob.page.get_by_role("heading", level=1, name="Edit Event")).to_be_visible()
    expect(bob.page.get_by_label("Event name")).to_have_value("Early bird camp")
    bob.is_live()
    bob.end()


@flow
def closes_on_success(browser, server):
    """R077 R164: a form waits for the server's answer and closes only on success; what is refused is said in it, and goes again as one change; offline it closes once the change is kept."""
    ana = Person(browser, server)
    with_cookie(ana, "Carmen")
    page = ana.page
    held = Held(page)
    held.isHeld = False
    page.goto(server.url + "/trips")
    ana.is_live()
    dialog = page.get_by_role("dialog")
    # A trip: its form stays while the answer is under way.
    page.get_by_role("button", name="+ Add Trip").first.click()
    dialog.get_by_label("Trip name").fill("Far away")
    dialog.get_by_label("Start date").fill("2035-06-11")
    held.isHeld = True
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("article.card").get_by_text("Far away")).to_be_visible()
    expect(page.get_by_role("link", name="1 waiting")).to_be_attached()
    expect(dialog.get_by_role("button", name="Saving...")).to_be_disabled()
    held.release()
    expect(page.get_by_role("heading", level=1, name="Far away")).to_be_visible()
    expect(dialog).to_have_count(0)

    def add(title, start, end):
        page.get_by_role("button", name="Add to Monday, June 11, 2035").click()
        dialog.get_by_label("Title").fill(title)
        dialog.get_by_label("Start").fill(f"2035-06-11T{start}")
        dialog.get_by_label("End", exact=True).fill(f"2035-06-11T{end}")
        dialog.get_by_role("button", name="Add", exact=True).click()

    add("Dinner", "09:15", "09:45")
    expect(dialog).to_have_count(0)
    # An overlap is asked about in the form; what was typed stays there.
    add("Batting", "09:00", "10:00")
    expect(dialog.get_by_role("heading", name="Two things at the same time")).to_be_visible()
    expect(page.get_by_role("link", name="1 refused")).to_be_attached()
    dialog.get_by_role("button", name="Change it").click()
    form = dialog.filter(has=page.get_by_role("heading", name="Add to the trip"))
    expect(form.get_by_label("Title")).to_have_value("Batting")
    # The same again is refused again, and is still one change that was refused.
    form.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_role("heading", name="Two things at the same time")).to_be_visible()
    expect(page.get_by_role("link", name="1 refused")).to_be_attached()
    dialog.get_by_role("button", name="Change it").click()
    form.get_by_label("Start").fill("2035-06-11T09:30")
    form.get_by_role("button", name="Add", exact=True).click()
    dialog.get_by_label("Why both fit").fill("One each")
    dialog.get_by_role("button", name="Keep both").click()
    expect(dialog).to_have_count(0)
    ana.toast("Both are in the plan")
    ana.is_live()
    expect(page.locator("li.item")).to_have_count(2)
    # The dialog that moves an item on the board waits, too, and says an overlap above it.
    page.get_by_role("link", name="Board", exact=True).click()
    page.get_by_role("button", name=re.compile("^Move Dinner, ")).click()
    dialog.get_by_label("Start").fill("09:35")
    dialog.get_by_role("button", name="Move", exact=True).click()
    dialog.get_by_role("button", name="Change it").click()
    expect(dialog.get_by_label("Day")).to_be_focused()
    dialog.get_by_label("Start").fill("11:00")
    held.isHeld = True
    dialog.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("link", name="1 waiting")).to_be_attached()
    expect(dialog.get_by_role("button", name="Saving …")).to_be_disabled()
    held.release()
    expect(dialog).to_have_count(0)
    ana.toast("Dinner moved to Monday, June 11, 2035, 11:00 AM to 11:30 AM")
    ana.is_live()
    page.get_by_role("link", name="Itinerary", exact=True).click()
    # A trip that another member has deleted meanwhile: the form says so, and stays.
    page.get_by_role("button", name="Edit", exact=True).click()
    dialog.get_by_label("Notes").fill("Bring hats")
    held.isHeld = True
    bob = Person(browser, server).sign_in("David")
    bob.page.goto(page.url)
    bob.page.get_by_role("button", name="Delete", exact=True).click()
    bob.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    bob.toast("Far away deleted")
    bob.is_live()
    dialog.get_by_role("button", name="Save", exact=True).click()
    held.release()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    expect(dialog.get_by_label("Notes")).to_have_value("Bring hats")
    expect(page.get_by_role("link", name="1 refused")).to_be_attached()
    dialog.get_by_role("button", name="Cancel").click()
    ana.is_live()
    # A result, a coach, a contact: their forms wait as well.
    page.goto(server.url + "/events")
    ana.is_live()
    page.locator("article.card a").first.click()
    path = page.url
    page.get_by_role("button", name="Log Performance Metric").click()
    dialog.get_by_label("Value").fill("88.5")
    held.isHeld = True
    dialog.get_by_role("button", name="Log Metric").click()
    expect(page.get_by_role("listitem", name="Fastball Velocity, 88.5 mph")).to_be_attached()
    expect(dialog.get_by_role("button", name="Saving...")).to_be_disabled()
    held.release()
    expect(dialog).to_have_count(0)
    ana.toast("Metric logged")
    # An event: a field that another member changed meanwhile is not overwritten, and the form stays.
    page.get_by_role("link", name="Edit event").click()
    page.get_by_label("Location").fill("Field A")
    bob.page.goto(path + "/edit")
    bob.page.get_by_label("Location").fill("Field B")
    bob.page.get_by_role("button", name="Save Changes").click()
    expect(bob.page.get_by_text("Field B").first).to_be_visible()
    bob.is_live()
    bob.end()
    page.get_by_role("button", name="Save Changes").click()
    expect(page.get_by_role("alert").get_by_role("link", name="Compare both sides")).to_be_visible()
    expect(page.get_by_label("Location")).to_have_value("Field A")
    expect(page.get_by_role("link", name="1 refused")).to_be_visible()
    # Given up, nothing of it is left.
    page.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Yes").click()
    expect(page.get_by_text("Field B").first).to_be_visible()
    ana.is_live()
    # The server goes while the form waits: the change is kept, and there is nothing more to wait for.
    page.get_by_role("link", name="Edit event").click()
    page.get_by_label("Location").fill("Field C")
    held.isHeld = True
    page.get_by_role("button", name="Save Changes").click()
    expect(page.get_by_role("button", name="Saving...")).to_be_disabled()
    server.stop(signal.SIGKILL)
    expect(page.get_by_text("Field C").first).to_be_visible()
    ana.toast("It is sent when the connection is back.")
    expect(page.get_by_role("link", name="1 waiting · offline")).to_be_visible()
    held.release()
    server.start()
    retry(page)
    ana.is_live()
    expect(page.get_by_text("Field C").first).to_be_visible()
    ana.end()
