// The settings of a calendar feed as a change sends them, and its addresses.
import assert from "node:assert/strict";
import { test } from "node:test";

// The modules behind the page use the browser; what matters here is read without it.
globalThis.addEventListener ??= () => {};
const { addressesOf, settingsOf } = await import("../../Sources/WebClient/site/views/feeds.js");

test("a change back sends every setting, and nothing that the server alone knows", () => {
  const known = { id: "f", created_at: 1, fetches: 3, fetched_at: 2, program: "x" };
  for (const settings of [
    { name: "A", mine: [] }, { name: "A", mine: ["a", "b"] }, { name: "A", athlete: "a" }, { name: "A", trip: "t" }, { name: "A", all: true },
    { name: "A", all: true, kinds: ["trip"], detail: "busy", alarms: false, expires_at: 5 }, { name: "A", mine: [], alarms: true, detail: "full" },
  ]) assert.deepEqual(settingsOf({ ...known, ...settings }), settings);
});

test("programs subscribe to the address of the server, calendars of a device to the same one", () => {
  assert.deepEqual(addressesOf("https://huddle.example:8443", "tok"), { address: "https://huddle.example:8443/feeds/tok.ics", subscription: "webcal://huddle.example:8443/feeds/tok.ics" });
  assert.deepEqual(addressesOf("http://127.0.0.1:1", "t"), { address: "http://127.0.0.1:1/feeds/t.ics", subscription: "webcal://127.0.0.1:1/feeds/t.ics" });
});
