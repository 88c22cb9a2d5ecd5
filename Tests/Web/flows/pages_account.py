"""The ways to sign in, under settings: a second factor, recovery codes, an e-mail address; and another device. A part of the flow `signing_out`."""
import queue
import re
import socket

from aiosmtpd.controller import Controller
from playwright.sync_api import expect
import pyotp

from harness import Person


class Mailbox:
    """A mail server on loopback that keeps what it accepts."""

    def __init__(self):
        self.mails = queue.Queue()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.controller = Controller(self, hostname="127.0.0.1", port=port)
        self.controller.start()
        self.options = ["--smtp", f"smtp://127.0.0.1:{port}", "--smtp-tls", "off", "--mail-from", "huddle@club.example"]

    async def handle_DATA(self, server, session, envelope):
        self.mails.put((envelope.rcpt_tos[0], envelope.content.decode()))
        return "250 ok"

    def end(self):
        self.controller.stop()


def ways_to_sign_in(browser, server, bob, mailbox):
    """David sets a password, a second factor and recovery codes, gives an address, and ends the factor on another device, which asks who he is. Returns the codes that are left."""
    page, dialog = bob.page, bob.page.get_by_role("dialog")

    def row(on, title):
        return on.locator("#page .rows > li").filter(has=on.get_by_text(title, exact=True))

    page.get_by_role("button", name="Set a name and a password").click()
    dialog.get_by_label("Name").fill("david.r")
    dialog.get_by_label("Password").fill("short")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    dialog.get_by_label("Password").fill("a long one of mine")
    dialog.get_by_role("button", name="Save").click()
    expect(row(page, "Name and password")).to_contain_text("You sign in as david.r.")
    # The second factor: a wrong one-time password, then the right one; codes are offered with it.
    page.get_by_role("button", name="Set up the second factor").click()
    expect(dialog.get_by_role("img", name="The key, for an authenticator program")).to_be_visible()
    authenticator = pyotp.TOTP(dialog.get_by_label("Key", exact=True).input_value().replace(" ", ""))
    field = dialog.get_by_label("One-time password")
    expect(field).to_be_focused()
    field.fill("12 34")
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This one-time password is wrong")
    expect(field).to_be_focused()
    field.fill(authenticator.now())
    dialog.get_by_role("button", name="Turn on").click()
    expect(dialog.get_by_role("heading", name="Make recovery codes as well?")).to_be_visible()
    dialog.get_by_role("button", name="Make codes").click()
    listed = dialog.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(listed).to_have_count(10)
    codes = listed.all_text_contents()
    # On paper they are alone, with their owner.
    page.evaluate("window.print = () => { window.printed = true; }")
    dialog.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    if browser.browser_type.name == "chromium":
        # Playwright does not show Firefox's pages as on paper.
        page.emulate_media(media="print")
        expect(dialog.get_by_text(re.compile("^Recovery codes of david.r for Huddle at "))).to_be_visible()
        expect(listed.first).to_be_visible()
        expect(page.get_by_role("heading", level=1, name="Settings", include_hidden=True)).to_be_hidden()
        expect(dialog.get_by_role("button", name="Print", include_hidden=True)).to_be_hidden()
        page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    dialog.get_by_role("button", name="Done").click()
    expect(row(page, "Second factor")).to_contain_text("On: a one-time password is asked for")
    expect(row(page, "Recovery codes")).to_contain_text("10 codes are left.")
    expect(page.get_by_text("(this one)")).to_be_visible()
    # An e-mail address, which a code confirms.
    page.get_by_role("button", name="Add your e-mail address").click()
    dialog.get_by_label("E-mail address").fill("no address")
    dialog.get_by_role("button", name="Send a code").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    dialog.get_by_label("E-mail address").fill("david@example.org")
    dialog.get_by_role("button", name="Send a code").click()
    expect(dialog.get_by_text("A code is on its way to d…@example.org.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(row(page, "E-mail address")).to_contain_text("A code is on its way to d…@example.org.")
    page.get_by_role("button", name="Enter the code").click()
    dialog.get_by_label("Code").fill("AAAAA-AAAAA-AAAAA-AAAAA")
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This code is wrong")
    to, content = mailbox.mails.get(timeout=90)
    assert to == "david@example.org", to
    dialog.get_by_label("Code").fill(re.search(r"[0-9A-Z]{5}(?:-[0-9A-Z]{5}){3}", content)[0])
    dialog.get_by_role("button", name="Confirm").click()
    bob.toast("Mail goes to d…@example.org.")
    page.get_by_role("button", name="Remove your e-mail address").click()
    dialog.get_by_role("button", name="Remove").click()
    expect(row(page, "E-mail address")).to_contain_text("You have none.")
    expect(page.get_by_role("button", name="Add your e-mail address")).to_be_focused()
    # Another device, by a link that a camera can read; it has to confirm before it ends the factor.
    page.get_by_role("button", name="Add a device …").click()
    expect(dialog.get_by_role("img", name="For the camera of the other device")).to_be_visible()
    expect(dialog.get_by_text("This link opens on this computer only")).to_be_visible()
    phone = Person(browser, server, width=390, height=844)
    phone.page.goto(dialog.get_by_label("Link").input_value())
    dialog.get_by_role("button", name="Done").click()
    phone.page.get_by_role("button", name="Sign in", exact=True).click()
    phone.is_live()
    phone.go("Settings")
    asked = phone.page.get_by_role("dialog")
    phone.page.get_by_role("button", name="Turn off the second factor").click()
    asked.get_by_role("button", name="Turn off").click()
    expect(asked.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    asked.get_by_label("Password", exact=True).fill("a long one of mine")
    asked.get_by_label("One-time password").fill(codes[0])
    asked.get_by_role("button", name="Confirm").click()
    phone.toast("The second factor is off")
    expect(phone.page.get_by_role("button", name="Set up the second factor")).to_be_focused()
    expect(row(phone.page, "Recovery codes")).to_contain_text("9 codes are left.")
    phone.end()
    return codes[1:]
