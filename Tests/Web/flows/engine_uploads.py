"""Uploads that outlive the page."""
import hashlib
import os
import tempfile

from playwright.sync_api import expect

from engine_link import Link
from harness import Person

# More than the buffers of the sockets on the way take, so that a held link holds the upload.
OCTETS = 12_000_000
HELD = 3_000_000


def choose(page, path, title, owner="Elena Rivera"):
    page.get_by_role("button", name="Upload new document").click()
    if owner:
        page.get_by_role("button", name=owner).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Document type").select_option(label="Transcript")
    dialog.get_by_label("File").set_input_files(path)
    dialog.get_by_label("Title").fill(title)
    dialog.get_by_role("button", name="Upload").click()


def digest(page, title):
    page.get_by_role("link", name=title + ". Transcript.").click()
    expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
    # What the link leads to; that it downloads is a matter of the flow `documents`.
    return page.evaluate("""async (path) => {
      const answer = await fetch(path);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.arrayBuffer()));
      return [...digest].map((octet) => octet.toString(16).padStart(2, "0")).join("");
    }""", page.get_by_role("link", name="Download").get_attribute("href"))


def offsets(page):
    """Where the requests of a page begin that carry octets of files, from now on. Octets on the way are no measure: a refused request has sent some."""
    found = []

    def note(request):
        if request.method == "PATCH":
            found.append(int(request.headers["upload-offset"]))

    page.on("request", note)
    return found


def engine_uploads(browser, server):
    """An upload continues after a reload, a killed server and a crash of the page, from the octets that the server has, without choosing the file again."""
    link = Link(server)
    try:
        ana = Person(browser, link).sign_in("Carmen", "/documents")
        page = ana.page
        with tempfile.TemporaryDirectory() as folder:
            pdf = os.path.join(folder, "Long transcript.pdf")
            content = b"%PDF-1.4\n" + os.urandom(OCTETS)
            open(pdf, "wb").write(content)
            link.hold_after(HELD)
            choose(page, pdf, "Long transcript")
            row = page.locator("li.upload")
            expect(row).to_contain_text("You can close this page")
            link.wait_held()
            # Left while it is under way; the page does not ask, since nothing is lost.
            page.goto("about:blank")
            link.cut()
            link.release()
            link.hold_after(HELD)
            page.goto(link.url + "/documents")
            link.wait_held()
            # The server is killed under it.
            server.stop(9)
            link.cut()
            link.release()
            link.hold_after(HELD)
            server.start()
            link.wait_held()
            # The page crashes, and another one is opened.
            page.close(run_before_unload=False)
            link.cut()
            link.release()
            page = ana.page = ana.open()
            begun = offsets(page)
            page.goto(link.url + "/documents")
            expect(page.locator("article.card").get_by_text("Long transcript")).to_be_visible()
            expect(page.locator("li.upload").get_by_text("Uploaded")).to_be_visible()
            assert begun and min(begun) > 0, f"it begins from what the server has: {begun}"
            assert digest(page, "Long transcript") == hashlib.sha256(content).hexdigest()
            # Nothing is kept of what has arrived.
            kept = page.evaluate("""async () => {
              const open = indexedDB.open("huddle-uploads");
              const database = await new Promise((resolve) => { open.onsuccess = () => resolve(open.result); });
              const count = (name) => new Promise((resolve) => { const asked = database.transaction([name]).objectStore(name).count(); asked.onsuccess = () => resolve(asked.result); });
              return [await count("uploads"), await count("files")];
            }""")
            assert kept == [0, 0], kept
        ana.end()
    finally:
        link.close()


def engine_uploads_full(browser, server):
    """A browser without room for the file asks for the same file after a reload, takes no other one, and continues; a file that is gone is told before an octet is sent."""
    link = Link(server)
    try:
        ana = Person(browser, link)
        ana.context.add_init_script("""
          const put = IDBObjectStore.prototype.put;
          IDBObjectStore.prototype.put = function (value, key) {
            if (value instanceof Blob) throw new DOMException("no room", "QuotaExceededError");
            return key === undefined ? put.call(this, value) : put.call(this, value, key);
          };
        """)
        ana.sign_in("Carmen", "/documents")
        page = ana.page
        with tempfile.TemporaryDirectory() as folder:
            pdf, same = os.path.join(folder, "Big.pdf"), os.path.join(folder, "other", "Big.pdf")
            os.mkdir(os.path.dirname(same))
            content = b"%PDF-1.4\n" + os.urandom(OCTETS)
            open(pdf, "wb").write(content)
            open(same, "wb").write(b"%PDF-1.5\n" + content[9:])
            link.hold_after(HELD)
            choose(page, pdf, "Big file")
            expect(page.locator("li.upload")).to_contain_text("Leave this page open until it has arrived.")
            link.wait_held()
            link.cut()
            link.release()
            page.on("dialog", lambda dialog: dialog.accept())
            page.reload()
            row = page.locator("li.upload")
            expect(row).to_contain_text("Choose Big.pdf again to continue")
            begun = offsets(page)
            row.get_by_label("The same file again").set_input_files(same)
            expect(row.get_by_role("alert")).to_have_text("This is another file. Choose Big.pdf again, as it was.")
            row.get_by_label("The same file again").set_input_files(pdf)
            expect(row.get_by_text("Uploaded")).to_be_visible()
            assert begun and min(begun) > 0, f"it continues from what the server has: {begun}"
            assert digest(page, "Big file") == hashlib.sha256(content).hexdigest()
            # Two at a time; the third file is gone when its turn comes.
            page.goto(link.url + "/documents")
            ana.is_live()
            link.hold_after(HELD)
            for name in ["One", "Two", "Three"]:
                path = os.path.join(folder, name + ".pdf")
                open(path, "wb").write(content[:5_000_000])
                choose(page, path, "File " + name)
            expect(page.locator("li.upload").nth(2)).to_contain_text("Waits for its turn")
            os.remove(os.path.join(folder, "Three.pdf"))
            link.release()
            expect(page.locator("li.upload").nth(2)).to_contain_text("The file cannot be read any more")
            expect(page.locator("li.upload").get_by_text("Uploaded")).to_have_count(2)
        ana.end()
    finally:
        link.close()


def engine_uploads_tabs(browser, server):
    """An upload belongs to one tab; when that tab ends, another open one continues it, and the file arrives once."""
    link = Link(server)
    try:
        ana = Person(browser, link).sign_in("Carmen", "/documents")
        page = ana.page
        with tempfile.TemporaryDirectory() as folder:
            pdf = os.path.join(folder, "Shared.pdf")
            content = b"%PDF-1.4\n" + os.urandom(OCTETS)
            open(pdf, "wb").write(content)
            other = ana.open()
            other.goto(link.url + "/documents")
            expect(other.get_by_role("link", name="All saved")).to_be_visible()
            # Here before it begins: a member who comes while it is held sees it with its next octets.
            bob = Person(browser, server).sign_in("David", "/documents")
            bob.is_live()
            link.hold_after(HELD)
            choose(page, pdf, "Two tabs")
            expect(page.locator("li.upload")).to_contain_text("You can close this page")
            link.wait_held()
            # The others see how far it is.
            expect(bob.page.locator("li.upload")).to_contain_text("Carmen Rivera uploads")
            page.close(run_before_unload=False)
            link.cut()
            link.release()
            ana.page = other
            expect(other.locator("li.upload").get_by_text("Uploaded")).to_be_visible()
            expect(other.locator("article.card").get_by_text("Two tabs")).to_have_count(1)
            assert digest(other, "Two tabs") == hashlib.sha256(content).hexdigest()
            expect(bob.page.locator("article.card").get_by_text("Two tabs")).to_have_count(1)
            expect(bob.page.locator("li.upload")).to_have_count(0)
            bob.end()
        ana.end()
    finally:
        link.close()


FLOWS = {one.__name__: one for one in (engine_uploads, engine_uploads_full, engine_uploads_tabs)}
