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
        asked = {"no throttle": ("-", "-"), "60 ms, 9 Mbit/s": ("400", "2000"), "150 ms, 1.6 Mbit/s": ("700", "-")}[network]
        told(f"first visit, first paint; {network}", statistics.median(paints), asked[0])
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


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("huddled")
    arguments.add_argument("loadgen")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--records", type=int, default=10_000)
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="huddle-web.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("HUDDLE_BROWSER", "/usr/bin/chromium"), args=["--no-sandbox"])
        try:
            demo = json.loads(subprocess.run([options.huddled, "demo", "--data", folder + "/demo", "--json"], check=True, capture_output=True).stdout)
            server = Server(options.huddled, folder + "/demo")
            first_visits(browser, server, next(one["token"] for one in demo["members"] if one["role"] == "parent"), options.rounds)
            server.stop()
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
