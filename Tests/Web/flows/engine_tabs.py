"""Several tabs of one browser: killed, frozen, loaded again, duplicated. Nothing is lost, nothing takes effect twice."""
import os
import re
import signal

from playwright.sync_api import expect

from harness import Person, retry


def says(page, text):
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")
    expect(page.get_by_text(text, exact=True)).to_be_visible()
    expect(page.locator("a.pill")).to_have_text(re.compile("waiting|All saved"))


def opened(ana, path="/room"):
    page = ana.open()
    page.goto(ana.server.url + path)
    expect(page.get_by_role("heading", level=1, name="Room")).to_be_visible()
    return page


def duplicated(ana, page):
    """A copy of a tab, with the same session storage, as browsers make it."""
    with ana.context.expect_page() as opening:
        page.evaluate("void open(location.href)")
    copy = ana.watch(opening.value)
    expect(copy.get_by_role("heading", level=1, name="Room")).to_be_visible()
    return copy


def all_say(browser, server, texts):
    """Somebody else reads each text once, in no other number, and sees the author once, however many tabs are open."""
    bob = Person(browser, server).sign_in("David", "/room")
    expect(bob.page.get_by_role("status").filter(has_text="Here now: ")).to_have_text(re.compile(r"^Here now: Carmen Rivera[^,]*$"))
    for text in texts:
        expect(bob.page.get_by_text(text, exact=True)).to_have_count(1)
    bob.end()


def engine_tabs_ended(browser, server):
    """What waits in a tab that was closed, or in the copy of a tab that crashed, another open tab sends; a tab that is loaded again comes back for its own."""
    ana = Person(browser, server).sign_in("Carmen", "/room")
    first = ana.page
    first.evaluate("navigator.serviceWorker.ready.then(() => true)")
    second = opened(ana)
    expect(second.get_by_role("link", name="All saved")).to_be_visible()
    third = duplicated(ana, second)
    for page in (first, second, third):
        expect(page.get_by_role("link", name="All saved")).to_be_visible()
    server.stop(signal.SIGKILL)
    for page in (first, second, third):
        expect(page.locator("a.pill")).to_contain_text("offline")
    says(second, "Closed with its tab")
    says(third, "Crashed with its tab")
    says(first, "In the tab that stays")
    # Loaded again without a server: its own change is there again, and no other tab has taken it.
    second.reload()
    expect(second.get_by_text("Closed with its tab", exact=True)).to_be_visible()
    expect(second.locator("a.pill")).to_have_text("1 waiting · offline")
    second.close(run_before_unload=False)
    crash(third)
    server.start()
    retry(first)
    ana.is_live()
    # The open tab takes the work of the two others, one after the other, behind its own.
    for text in ["Closed with its tab", "Crashed with its tab", "In the tab that stays"]:
        expect(first.get_by_text(text, exact=True)).to_have_count(1)
    ana.is_live()
    all_say(browser, server, ["Closed with its tab", "Crashed with its tab", "In the tab that stays"])
    ana.end()


def crash(page):
    """Ends a tab without a word to the others, as a browser that runs out of memory does."""
    page.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    page.close(run_before_unload=False)


def engine_tabs_frozen(browser, server):
    """The browser freezes a tab in which something waits: the visible one sends it. Thawed, the frozen tab begins again, and nothing is there twice."""
    ana = Person(browser, server).sign_in("Carmen", "/room")
    frozen = ana.page
    frozen.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.stop(signal.SIGKILL)
    expect(frozen.locator("a.pill")).to_contain_text("offline")
    says(frozen, "From the frozen tab")
    page = ana.page = opened(ana)
    says(page, "From the visible tab")
    frozen.evaluate("document.body.dataset.former = 'yes'")
    devtools = ana.context.new_cdp_session(frozen)
    # Chromium without a window does not freeze what it calls visible; the debugger stops all scripts of the tab at the next one.
    devtools.send("Debugger.enable")
    devtools.send("Debugger.pause")
    server.start()
    retry(page)
    expect(page.get_by_text("From the frozen tab", exact=True)).to_have_count(1)
    ana.is_live()
    all_say(browser, server, ["From the frozen tab", "From the visible tab"])
    devtools.send("Debugger.disable")
    expect(frozen.locator("body[data-former]")).to_have_count(0)
    expect(frozen.get_by_role("link", name="All saved")).to_be_visible()
    for one in (frozen, page):
        expect(one.get_by_text("From the frozen tab", exact=True)).to_have_count(1)
    says(frozen, "Thawed again")
    expect(page.get_by_text("Thawed again", exact=True)).to_have_count(1)
    all_say(browser, server, ["From the frozen tab", "From the visible tab", "Thawed again"])
    ana.end()


def engine_tabs_killed(browser, server):
    """Three tabs write while the server is killed again and again, and tabs are closed, crash and are opened anew: each message is there once. HUDDLE_KILLS=20 kills twenty times."""
    kills = int(os.environ.get("HUDDLE_KILLS", "4"))
    ana = Person(browser, server).sign_in("Carmen", "/room")
    ana.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    pages = [ana.page, opened(ana), opened(ana)]
    texts = []
    for number in range(kills):
        server.stop(signal.SIGKILL)
        for place, page in enumerate(pages):
            text = f"Message {number} of tab {place}"
            says(page, text)
            texts.append(text)
        place = number % 3
        if number % 2:
            crash(pages[place])
        else:
            pages[place].close(run_before_unload=False)
        server.start()
        pages[place] = opened(ana)
    ana.page = pages[0]
    # Everything arrives with nobody's help: the tabs look after one another.
    for page in pages:
        expect(page.get_by_role("link", name="All saved")).to_be_visible()
    for text in texts:
        expect(pages[0].get_by_text(text, exact=True)).to_have_count(1)
    all_say(browser, server, texts)
    ana.end()


FLOWS = {one.__name__: one for one in (engine_tabs_ended, engine_tabs_frozen, engine_tabs_killed)}
