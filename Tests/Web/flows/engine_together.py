"""Everybody at the same time: two browsers, the terminal client and a client in Python, with a server that is killed; and pages that are killed between a
keystroke and its stored row. HUDDLE_KILLS=20 and HUDDLE_ROUNDS=200 make it long."""
import asyncio
import os
import random
import signal
import subprocess
import sys
import threading

from playwright.sync_api import expect

from harness import Person

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "proto", "examples")


class Example:
    """The client of proto/examples, in a thread of its own."""

    def __init__(self, url, token):
        sys.path.insert(0, EXAMPLES)
        import client
        import uuid
        self.uuid, self.loop = uuid, asyncio.new_event_loop()
        self.client = client.Huddle(url, token, lambda frame: None)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.task = self.loop.create_task(self.client.run())
        try:
            self.loop.run_until_complete(self.task)
        except asyncio.CancelledError:
            pass

    def say(self, text):
        return asyncio.run_coroutine_threadsafe(self.client.mutate({"op": "create", "kind": "message", "id": str(self.uuid.uuid4()), "fields": {"text": text}}), self.loop)

    def end(self):
        self.loop.call_soon_threadsafe(self.task.cancel)

    def texts(self):
        return [record["fields"]["text"] for record in self.client.all("message")]


class Terminal:
    """`huddle --plain` with its input and output in pipes."""

    def __init__(self, server, token):
        huddle = os.path.join(os.path.dirname(os.path.realpath(server.program)), "huddle")
        home = os.path.join(server.folder, "home")
        os.makedirs(home, exist_ok=True)
        environment = {**os.environ, "HOME": home, "HUDDLE_TOKEN": token, "HUDDLE_SERVER": server.url.replace("http", "ws")}
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME"]:
            environment.pop(name, None)
        self.process = subprocess.Popen([huddle, "--plain"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        self.changed, self.output = threading.Condition(), ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.changed:
                self.output += line
                self.changed.notify_all()

    def say(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def shows(self, text):
        with self.changed:
            assert self.changed.wait_for(lambda: text in self.output, 60), self.output[-2_000:]

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0, self.output[-2_000:]


def says(page, text):
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")
    expect(page.get_by_text(text, exact=True)).to_be_visible()


def engine_together(browser, server):
    """Two browsers, the terminal client and the Python client write while the server is killed: all of them end alike, and each message is there once."""
    kills = int(os.environ.get("HUDDLE_KILLS", "3"))
    ana, bob = Person(browser, server).sign_in("Carmen", "/room"), Person(browser, server).sign_in("David", "/room")
    terminal, example = Terminal(server, server.token("Elena")), Example(server.url.replace("http", "ws"), server.token("Carmen"))
    terminal.say("The terminal is here")
    expect(ana.page.get_by_text("The terminal is here", exact=True)).to_be_visible()
    said = ["The terminal is here"]
    for number in range(kills):
        server.stop(signal.SIGKILL)
        answers = []
        for name, act in [("ana", lambda text: says(ana.page, text)), ("bob", lambda text: says(bob.page, text)), ("terminal", terminal.say), ("example", lambda text: answers.append(example.say(text)))]:
            text = f"{name} number {number}"
            act(text)
            said.append(text)
        server.start()
        for one in answers:
            one.result(60)
        for text in said[-4:]:
            for page in (ana.page, bob.page):
                expect(page.get_by_text(text, exact=True)).to_have_count(1)
            if "terminal" not in text:
                terminal.shows(text)
    for one in (ana, bob):
        one.is_live()
    lists = [[text for text in page.locator("ol.messages p.text").all_text_contents() if text in said] for page in (ana.page, bob.page)]
    held = [text for text in example.texts() if text in said]
    assert sorted(lists[0]) == sorted(said) and lists[0] == lists[1] and sorted(held) == sorted(said), (said, lists, held)
    terminal.end()
    example.end()
    ana.end()
    bob.end()


def engine_keystrokes(browser, server):
    """Pages are killed between the key that sends a message and its stored row: what the page said is kept is there once, and nothing is there twice."""
    rounds = int(os.environ.get("HUDDLE_ROUNDS", "6"))
    ana = Person(browser, server).sign_in("Carmen", "/room")
    kept = set()

    def told(message):
        if message.text.startswith("kept "):
            kept.add(int(message.text.split()[1]))

    for number in range(rounds):
        page = ana.page
        page.on("console", told)
        if number:
            page.goto(server.url + "/room")
            expect(page.get_by_label("Message", exact=True)).to_be_visible()
        page.evaluate("""(number) => {
          const pill = document.querySelector("a.pill"), field = document.querySelector("#message");
          let wasSaving = false;
          new MutationObserver(() => {
            if (pill.textContent.startsWith("Saving")) wasSaving = true;
            else if (wasSaving) console.info(`kept ${number}`);
          }).observe(pill, { childList: true, characterData: true, subtree: true });
          field.value = `Keystroke ${number}.`;
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        }""", number)
        # No wait for a state, but the moment of the kill.
        page.evaluate("(wait) => new Promise((resolve) => setTimeout(resolve, wait))", random.choice([0, 0, 1, 2, 4, 8, 16, 32]))
        page.close(run_before_unload=False)
        ana.page = ana.open()
    ana.page.goto(server.url + "/room")
    ana.is_live()
    bob = Person(browser, server).sign_in("David", "/room")
    # A message of its own comes after all that was sent before it.
    says(ana.page, "The last one")
    expect(bob.page.get_by_text("The last one", exact=True)).to_be_visible()
    ana.is_live()
    texts = [text for text in bob.page.locator("ol.messages p.text").all_text_contents() if text.startswith("Keystroke")]
    assert len(texts) == len(set(texts)), sorted(texts)
    lost = sorted(number for number in kept if f"Keystroke {number}." not in texts)
    assert not lost, f"{lost} were said to be kept"
    print(f"engine_keystrokes: {rounds} kills, {len(kept)} were told to be kept, {len(texts)} arrived, each once")
    ana.end()
    bob.end()


FLOWS = {one.__name__: one for one in (engine_together, engine_keystrokes)}
