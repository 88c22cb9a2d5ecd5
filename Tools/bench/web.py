#!/usr/bin/env python3
"""The budgets of the web client, in Chromium: web.py HUDDLED LOADGEN [--rounds N].

Needs Playwright 1.60 (Tests/Python/requirements.txt). Each figure is the median of N rounds (9); networks are throttled by the browser itself.
Prints a line per figure: what, seen, asked. Use release builds, and a machine at rest.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from playwright.sync_api import expect, sync_playwright

NETWORKS = {
    "no throttle": None,
    "60 ms, 9 Mbit/s": {"offline": False, "latency": 60, "downloadThroughput": 9e6 / 8, "uploadThroughput": 9e6 / 8},
    "150 ms, 1.6 Mbit/s": {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1.6e6 / 8},
}


class Server:
    def __init__(self, huddled, data):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.command = [huddled, "serve", "--data", data, "--listen", f"127.0.0.1:{self.port}"]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def signed_in(browser, server, token):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    answer = context.request.post(server.url + "/session", data={"token": token}, headers={"Origin": server.url})
    assert answer.status == 201, answer.text()
    return context


def told(what, seen, asked, unit="ms"):
    print(f"{what:70} {seen:>10.1f} {unit:3} asked {asked}", flush=True)


def first_visits(browser, server, token, rounds):
    for network, rule in NETWORKS.items():
        paints, usables, octets, requests = [], [], [], []
        for _ in range(rounds):
            context = signed_in(browser, server, token)
            page = context.new_page()
            devtools = context.new_cdp_session(page)
            devtools.send("Network.enable")
            if rule:
                devtools.send("Network.emulateNetworkConditions", rule)
            loaded = []
            devtools.on("Network.loadingFinished", lambda event: loaded.append(event["encodedDataLength"]))
            begun = time.monotonic()
            page.goto(server.url + "/events", wait_until="commit")
            page.locator("article.card").first.wait_for()
            usables.append((time.monotonic() - begun) * 1000)
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            octets.append(sum(loaded))
            requests.append(len(loaded))
            context.close()
        forms = []
        for _ in range(rounds):
            # Somebody who is not signed in: the page can be used once its form takes a code.
            context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
            page = context.new_page()
            if rule:
                devtools = context.new_cdp_session(page)
                devtools.send("Network.enable")
                devtools.send("Network.emulateNetworkConditions", rule)
            begun = time.monotonic()
            page.goto(server.url + "/events", wait_until="commit")
            page.locator("#sign-in-code").wait_for()
            forms.append((time.monotonic() - begun) * 1000)
            context.close()
        asked = {"no throttle": ("-", "-", "-"), "60 ms, 9 Mbit/s": ("400", "2000", "800"), "150 ms, 1.6 Mbit/s": ("700", "-", "1600")}[network]
        told(f"first visit, first paint; {network}", statistics.median(paints), asked[0])
        told(f"first visit, usable (the form to sign in takes a code); {network}", statistics.median(forms), asked[2])
        told(f"first visit, demo season on screen; {network}", statistics.median(usables), asked[1])
        if rule is None:
            told("first visit, octets of all answers over HTTP", statistics.median(octets) / 1000, "120", "KB")
            told("first visit, requests before it is usable", statistics.median(requests), "5", "")


def returns(browser, server, token, rounds, records):
    context = signed_in(browser, server, token)
    page = context.new_page()
    page.goto(server.url + "/events")
    page.locator("article.card").first.wait_for(timeout=120_000)
    expect(page.get_by_role("link", name="All saved")).to_be_visible(timeout=120_000)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_timeout(3_000)  # the rows of the copy are written
    for name in ["server reachable", "server away"]:
        if name == "server away":
            server.stop()
        times = []
        for _ in range(rounds):
            page = context.new_page()
            begun = time.monotonic()
            page.goto(server.url + "/events", wait_until="commit")
            page.locator("article.card").first.wait_for(timeout=60_000)
            times.append((time.monotonic() - begun) * 1000)
            page.close(run_before_unload=False)
        told(f"return with {records} records, list on screen; {name}", statistics.median(times), "300")
    server.start()
    page = context.new_page()
    page.goto(server.url + "/events")
    page.locator("article.card").first.wait_for(timeout=60_000)
    # Keystroke to paint, by the browser's own clock.
    page.evaluate("""() => {
      window.times = [];
      const field = document.getElementById("events-search");
      field.addEventListener("input", () => {
        const begun = performance.now();
        requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => window.times.push(performance.now() - begun); channel.port2.postMessage(0); });
      }, true);
    }""")
    page.locator("#events-search").focus()
    for _ in range(rounds):
        for key in "event 12":
            page.keyboard.press(key if key != " " else "Space")
            page.wait_for_timeout(30)
        for _ in range(8):
            page.keyboard.press("Backspace")
            page.wait_for_timeout(30)
    times = sorted(page.evaluate("window.times"))
    told(f"keystroke in the search to its paint, {records} events, p50", times[len(times) // 2], "30")
    told(f"keystroke in the search to its paint, {records} events, p99", times[int(len(times) * 0.99)], "100")
    told(f"elements in the page with {records} events", page.evaluate("document.querySelectorAll('*').length"), "3000", "")
    context.close()


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


# Interactions by the browser's own clock, long tasks and shifts of what is on the screen.
OBSERVER = """() => {
  window.seen = { events: [], tasks: [0], shift: 0 };
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.seen.events.push(one.duration); }).observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.seen.tasks.push(one.duration); }).observe({ type: "longtask" });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.seen.shift += one.value; }).observe({ type: "layout-shift", buffered: true });
}"""


def walk(page):
    for label in ["Trips", "Documents", "Room", "Outbox", "Events"]:
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=label).click()
        expect(page.get_by_role("heading", level=1, name=label, exact=True)).to_be_visible()
    page.locator("#events-search").press_sequentially("camp")
    page.locator("#events-search").fill("")
    page.locator(".day.marked").first.click()
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")


def busiest(trace):
    """The processor time of the longest task of a page's own thread, in ms: other programs do not count, as they do by the clock."""
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    main = {(one["pid"], one["tid"]) for one in events if one.get("name") == "thread_name" and one["args"]["name"] == "CrRendererMain"}
    return max(one.get("tdur", 0) for one in events if one.get("ph") == "X" and one["name"].endswith("RunTask") and (one["pid"], one["tid"]) in main) / 1_000


def interactions(browser, server, token, rounds):
    """Every page by its link, a search, a day, a dialog: paint after input, long tasks, shifts; the heap after 200 changes of the page."""
    # Traced by itself: the tracing costs time.
    context = signed_in(browser, server, token)
    page = context.new_page()
    trace = tempfile.mktemp(suffix=".json")
    browser.start_tracing(page=page, path=trace, categories=["toplevel", "__metadata"])
    page.goto(server.url + "/events")
    page.locator("article.card").first.wait_for(timeout=60_000)
    for _ in range(3):
        walk(page)
    browser.stop_tracing()
    told("longest task, start included, processor time", busiest(trace), "50")
    os.unlink(trace)
    context.close()
    for slow, asked in [(1, "100"), (4, "200")]:
        context = signed_in(browser, server, token)
        page = context.new_page()
        page.goto(server.url + "/events")
        page.locator("article.card").first.wait_for(timeout=60_000)
        devtools = context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        page.evaluate(OBSERVER)
        for _ in range(rounds):
            walk(page)
        seen = page.evaluate("window.seen")
        name = "plain" if slow == 1 else f"CPU {slow} times slower"
        # Events below 16 ms are not reported: they count as 16.
        count = rounds * 14
        told(f"interaction to paint, p99; {name}", percentile(seen["events"] + [16] * max(0, count - len(seen["events"])), 0.99), asked)
        told(f"longest task; {name}", max(seen["tasks"]), "50" if slow == 1 else "-")
        if slow == 1:
            told("layout shift", seen["shift"] * 100, "2", "%")
            # The first changes make what later ones use again.
            heaps = []
            for changes in [40, 200]:
                for _ in range(changes // 5):
                    for label in ["Trips", "Documents", "Room", "Outbox", "Events"]:
                        page.get_by_role("navigation", name="Pages").get_by_role("link", name=label).click()
                devtools.send("HeapProfiler.collectGarbage")
                heaps.append(devtools.send("Runtime.getHeapUsage")["usedSize"])
            told("heap after 200 changes of the page, against that after 40", (heaps[1] / heaps[0] - 1) * 100, "5", "%")
        context.close()


def saves(browser, server, tokens, rounds):
    """A message is in the list of its author before the server answers; and it is painted at another client."""
    context, other = signed_in(browser, server, tokens[0]), signed_in(browser, server, tokens[1])
    page, there = context.new_page(), other.new_page()
    # When the author's socket has an ack.
    page.add_init_script("""window.acks = []; const Plain = WebSocket; window.WebSocket = class extends Plain {
      constructor(...all) { super(...all); this.addEventListener("message", ({ data }) => { if (data.includes('"type":"ack"')) window.acks.push(performance.timeOrigin + performance.now()); }); }
    };""")
    for one in (page, there):
        one.goto(server.url + "/room")
        expect(one.get_by_role("link", name="All saved")).to_be_visible()
    there.evaluate("""() => {
      window.painted = [];
      new MutationObserver(() => { const at = performance.timeOrigin + performance.now(); requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => window.painted.push(performance.timeOrigin + performance.now()); channel.port2.postMessage(0); }); void at; })
        .observe(document.querySelector("ol.messages"), { childList: true });
    }""")
    sent = []
    for number in range(rounds * 5):
        expect(page.get_by_role("link", name="All saved")).to_be_visible()
        sent.append(page.evaluate("""(text) => {
          const field = document.querySelector("#message");
          field.value = text;
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
          return performance.timeOrigin + performance.now();
        }""", f"Number {number}"))
        expect(there.get_by_text(f"Number {number}", exact=True)).to_be_visible()
    # The last one is counted behind its paint.
    there.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")
    painted = there.evaluate("window.painted")
    first = [min(at for at in painted if at > begun) - begun for begun in sent]
    told("a key at one client to its paint at another, p50", percentile(first, 0.5), "-")
    told("a key at one client to its paint at another, p99", percentile(first, 0.99), "-")
    acks = page.evaluate("window.acks")
    from_ack = [max(0, min(at for at in painted if at > begun) - min(at for at in acks if at > begun)) for begun in sent]
    told("an ack at one client to the paint at another, p50", percentile(from_ack, 0.5), "100")
    told("an ack at one client to the paint at another, p99", percentile(from_ack, 0.99), "100")
    # The server two seconds away: a saved record is in the list immediately.
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", {"offline": False, "latency": 2_000, "downloadThroughput": -1, "uploadThroughput": -1})
    times = [page.evaluate("""(text) => new Promise((resolve) => {
      const field = document.querySelector("#message"), begun = performance.now();
      new MutationObserver((_, observer) => { observer.disconnect(); requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => resolve(performance.now() - begun); channel.port2.postMessage(0); }); })
        .observe(document.querySelector("ol.messages"), { childList: true });
      field.value = text;
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    })""", f"Far {number}") for number in range(rounds)]
    told("save to the list, server 2 s away", statistics.median(times), "50")
    context.close()
    other.close()


def resident(processes):
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/status", encoding="ascii") as file:
                total += next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) * 1_024
        except (OSError, StopIteration):
            pass
    return total


def uploads(browser, server, demo, folder, rounds):
    """100 MB by the page against a bare PATCH, in turn; and the memory of the tab during that time."""
    import base64
    import http.client
    octets = 100_000_000
    parent = next(one for one in demo["members"] if one["role"] == "parent")
    athlete = next(one for one in demo["members"] if one["role"] == "athlete")
    path = os.path.join(folder, "film.mp4")
    with open(path, "wb") as file:
        file.write(b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom")
        file.write(os.urandom(octets - file.tell()))
    context = signed_in(browser, server, parent["token"])
    page = context.new_page()
    bare, browsers_own, own, growth = [], [], [], []
    browsers = browser.new_browser_cdp_session()
    for number in range(rounds):
        metadata = {"family": demo["family"], "athlete": athlete["member"], "type": "highlight_video", "title": f"Bare {number}", "filename": "film.mp4"}
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        head = {"Authorization": "Bearer " + parent["token"], "Tus-Resumable": "1.0.0"}
        connection.request("POST", "/files", headers={**head, "Upload-Length": str(octets), "Upload-Metadata": ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in metadata.items())})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 201, answer.status
        with open(path, "rb") as file:
            begun = time.monotonic()
            connection.request("PATCH", answer.getheader("Location"), body=file, headers={**head, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "Content-Length": str(octets)})
            done = connection.getresponse()
            done.read()
        bare.append(time.monotonic() - begun)
        assert done.status == 204, done.status
        page.goto(server.url + "/documents")
        expect(page.get_by_role("link", name="All saved")).to_be_visible()
        # By the same browser, without anything of the client.
        page.evaluate("document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'bare' }))")
        page.locator("#bare").set_input_files(path)
        browsers_own.append(page.evaluate("""async (metadata) => {
          const [file] = document.querySelector("#bare").files;
          const encoded = Object.entries({ ...metadata, title: metadata.title + " by the browser" }).map(([name, value]) => name + " " + btoa(value)).join(",");
          const made = await fetch("/files", { method: "POST", headers: { "Tus-Resumable": "1.0.0", "Upload-Length": String(file.size), "Upload-Metadata": encoded } });
          const begun = performance.now();
          const request = new XMLHttpRequest();
          request.open("PATCH", made.headers.get("Location"));
          for (const [name, value] of [["Tus-Resumable", "1.0.0"], ["Upload-Offset", "0"], ["Content-Type", "application/offset+octet-stream"]]) request.setRequestHeader(name, value);
          await new Promise((resolve, reject) => { request.onload = () => (request.status === 204 ? resolve() : reject(new Error(String(request.status)))); request.onerror = reject; request.send(file); });
          document.querySelector("#bare").remove();
          return performance.now() - begun;
        }""", metadata) / 1_000)
        page.get_by_role("button", name="Upload new document").click()
        page.get_by_role("button", name=athlete["name"]).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Document type").select_option(label="Highlight Video")
        dialog.get_by_label("File").set_input_files(path)
        dialog.get_by_label("Title").fill(f"Page {number}")
        renderers = [one["id"] for one in browsers.send("SystemInfo.getProcessInfo")["processInfo"] if one["type"] == "renderer"]
        before, most = resident(renderers), 0
        # From the press of the button on: what Playwright needs to press it is not the page's.
        page.evaluate("""() => { window.took = new Promise((resolve) => {
          const list = document.querySelector("ul.uploads");
          let begun;
          addEventListener("click", () => { begun ??= performance.now(); }, true);
          new MutationObserver(() => { if (list.textContent.includes("Uploaded")) resolve(performance.now() - begun); }).observe(list, { childList: true, subtree: true, characterData: true });
        }); }""")
        dialog.get_by_role("button", name="Upload").click()
        while page.locator("li.upload").get_by_text("Uploaded").count() == 0:
            most = max(most, resident(renderers))
            page.wait_for_timeout(100)
        own.append(page.evaluate("window.took") / 1_000)
        growth.append((most - before) / 1e6)
    told("upload of 100 MB by the page, seconds", statistics.median(own), "-", "s")
    told("the same by a bare PATCH of the browser, seconds", statistics.median(browsers_own), "-", "s")
    told("the same by a bare PATCH of a program, seconds", statistics.median(bare), "-", "s")
    told("speed of the page relative to the browser's bare PATCH", statistics.median(browsers_own) / statistics.median(own), "0.8", "")
    told("memory of the tab during the upload, more than before", statistics.median(growth), "32", "MB")
    context.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("huddled")
    arguments.add_argument("loadgen")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--records", type=int, default=10_000)
    arguments.add_argument("--only", choices=["visits", "interactions", "saves", "uploads", "returns"], help="one part")
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="huddle-web.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("HUDDLE_BROWSER", "/usr/bin/chromium-headless-shell"), args=["--no-sandbox"])
        try:
            demo = json.loads(subprocess.run([options.huddled, "demo", "--data", folder + "/demo", "--json"], check=True, capture_output=True).stdout)
            parents = [one["token"] for one in demo["members"] if one["role"] == "parent"]
            server = Server(options.huddled, folder + "/demo")
            wanted = options.only
            if wanted in (None, "visits"):
                first_visits(browser, server, parents[0], options.rounds)
            if wanted in (None, "interactions"):
                interactions(browser, server, parents[0], options.rounds)
            if wanted in (None, "saves"):
                saves(browser, server, parents, options.rounds)
            if wanted in (None, "uploads"):
                uploads(browser, server, demo, folder, min(options.rounds, 5))
            server.stop()
            if wanted not in (None, "returns"):
                return
            subprocess.run(
                [options.loadgen, "seed", "--data", folder + "/large", "--families", "1", "--members", "1", "--records", str(options.records), "--record-kind", "event"], check=True, capture_output=True, text=True)
            server = Server(options.huddled, folder + "/large")
            returns(browser, server, f"{0:039d}{0:04d}", options.rounds, options.records)
            server.stop()
        finally:
            browser.close()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
