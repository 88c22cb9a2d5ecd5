// Records that cannot be shown (R048, R049, R132): left out and logged; all others stay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Season, titleOf } from "../../Sources/WebClient/site/views/season.js";
import { rangeText } from "../../Sources/WebClient/site/words/dates.js";

const event = (id, fields) => ({ kind: "event", id, version: 1, created_at: 1, created_by: "m", updated_at: 1, updated_by: "m", athlete: "a", fields });

test("a record that cannot be read is left out and logged, and harms no other", () => {
  const livingRecords = [
    event("1", { name: "First", start_date: "2026-03-01", type: "camp" }), event("2", null), event("3", { start_date: "2026-03-02", type: "camp" }), event("4", { name: "Some day", start_date: "soon", type: "no such type" }),
    event("5", { name: "Last", start_date: "2026-03-05", end_date: "2026-03-04", type: "game" }),
  ];
  const season = new Season({ listen() {}, engine: { timeZone: "UTC", context: "all", unordered: (isWanted) => livingRecords.filter(isWanted) } });
  const logged = [];
  const warn = console.warn;
  console.warn = (...all) => logged.push(all.join(" "));
  try {
    assert.deepEqual(season.list({ kind: "event", sort: "date_asc" }).map((one) => one.id), ["4", "1", "3", "5"]);
    assert.deepEqual([...season.covered("event", 0, 100_000).days.values()], [1, 1, 1], "the month marks what has a date");
  } finally {
    console.warn = warn;
  }
  assert.ok(logged.length > 0 && logged.every((line) => line.includes("event 2")), logged.join("\n"));
  assert.equal(titleOf(livingRecords[2]), "Unknown event");
  assert.equal(rangeText("soon", undefined), "Unknown");
});
