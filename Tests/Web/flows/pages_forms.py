"""Flows of forms: records that arrive after a form was opened, and forms that close only on success."""
import re

from playwright.sync_api import expect

from harness import Person

FLOWS = {}


def flow(function):
    FLOWS[function.__name__] = function
    return function


class Held:
    """Connections of a page whose frames from the server wait until they are released."""

    def __init__(self, page):
        self.waiting, self.isHeld = [], True
        page.route_web_socket(re.compile("/ws$"), self._opened)

    def _opened(self, route):
        server = route.connect_to_server()
        server.on_message(lambda frame: self.waiting.append((route, frame)) if self.isHeld else route.send(frame))

    def release(self):
        self.isHeld = False
        for route, frame in self.waiting:
            route.send(frame)
        self.waiting = []


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
