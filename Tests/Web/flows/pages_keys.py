"""Flows of commands by keys, and of long lists."""
import json
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
    expect(page.get_by_role("heading", level=1, name="Kept")).to_be_focused()
    ana.end()
