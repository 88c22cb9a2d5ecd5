"""The moment in the browser: who types, edits or looks; and connections that died without a word."""
from playwright.sync_api import expect

from engine_link import Link
from harness import Person


def engine_activity(browser, server):
    """Typing, editing and looking are seen by the others, end by themselves or with the message, and can be switched off."""
    ana, bob = Person(browser, server).sign_in("Carmen", "/room"), Person(browser, server).sign_in("Elena", "/room")
    typing = ana.page.locator("p.typing")
    bob.page.get_by_label("Message", exact=True).press_sequentially("Are we")
    expect(typing).to_have_text("Elena Rivera is typing …")
    bob.page.keyboard.press("Enter")
    expect(ana.page.get_by_text("Are we", exact=True)).to_be_visible()
    expect(typing).not_to_contain_text("typing")
    # Left alone, a line that was begun is no news after six seconds.
    bob.page.get_by_label("Message", exact=True).press_sequentially("Half")
    expect(typing).to_have_text("Elena Rivera is typing …")
    expect(typing).not_to_contain_text("typing")
    # At a record.
    ana.go("Events")
    ana.page.locator("article.card a").first.click()
    expect(ana.page.locator("#page h1")).to_be_visible()
    path = ana.page.url
    line = ana.page.locator(".activity")
    bob.page.goto(path)
    expect(line).to_have_text("Elena Rivera is looking at this, too")
    bob.page.goto(path + "/edit")
    expect(line).to_have_text("Elena Rivera is editing this")
    expect(line.get_by_role("status")).to_have_text("Elena Rivera is editing this")
    bob.page.goto(path)
    bob.page.get_by_label("Comment").press_sequentially("Nice")
    expect(line).to_have_text("Elena Rivera is writing a comment …")
    # Switched off, nothing is told any more: what is sent later comes later.
    bob.go("Settings")
    bob.page.get_by_label("The others see when I type").uncheck()
    bob.go("Room")
    ana.go("Room")
    expect(typing).not_to_contain_text("typing")
    seen = ana.page.evaluate_handle("""() => {
      const texts = [];
      new MutationObserver(() => texts.push(document.querySelector("p.typing")?.textContent ?? "")).observe(document.querySelector("p.typing"), { childList: true, characterData: true, subtree: true });
      return texts;
    }""")
    bob.page.get_by_label("Message", exact=True).press_sequentially(" then sent")
    bob.page.keyboard.press("Enter")
    expect(ana.page.get_by_text("then sent")).to_be_visible()
    assert not any("typing" in text for text in seen.json_value()), seen.json_value()
    ana.end()
    bob.end()


def engine_liveness(browser, server):
    """A connection that died without a word is noticed when the page comes online, and when the clock has jumped; nothing is lost."""
    link = Link(server)
    try:
        ana = Person(browser, link).sign_in("Carmen", "/room")
        page = ana.page
        pill = page.locator("a.pill")
        took = []
        for wake in ["dispatchEvent(new Event('online'))", "{ const now = Date.now; Date.now = () => now() + 3600000; }"]:
            link.hold()
            page.evaluate("""(wake) => {
              window.wokeAt = performance.now();
              window.noticedAt = new Promise((resolve) => {
                const pill = document.querySelector("a.pill");
                new MutationObserver(() => { if (pill.textContent.includes("offline")) resolve(performance.now() - window.wokeAt); }).observe(pill, { childList: true, characterData: true, subtree: true });
              });
            }""")
            page.evaluate(wake)
            # Without asking, silence is noticed after 45 s: longer than this waits.
            expect(pill).to_contain_text("offline")
            took.append(round(page.evaluate("window.noticedAt")))
            page.get_by_label("Message", exact=True).fill(f"Said in the dark {len(took)}")
            page.keyboard.press("Enter")
            expect(pill).to_contain_text("1 waiting")
            link.release()
            # The attempt that was under way comes through, or one of the next.
            ana.is_live()
        print(f"engine_liveness: noticed after {took} ms")
        bob = Person(browser, server).sign_in("David", "/room")
        for number in [1, 2]:
            expect(bob.page.get_by_text(f"Said in the dark {number}", exact=True)).to_have_count(1)
        bob.end()
        ana.end()
    finally:
        link.close()


FLOWS = {one.__name__: one for one in (engine_activity, engine_liveness)}
