// Runs proto/views/rules.json and trips.json with the modules in JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { writeDate } from "../../Sources/WebClient/site/dates/calendar.js";
import { daysOf, itinerary, minutesOf, overlaps, spanOf } from "../../Sources/WebClient/site/family/itinerary.js";
import { KINDS } from "../../Sources/WebClient/site/family/kinds.js";
import { canonical, checkForm, completed, filledIn, mistake, trimmed, visible } from "../../Sources/WebClient/site/family/rules.js";
import { SENTENCES } from "../../Sources/WebClient/site/family/sentences.js";
import { ERROR_CODES } from "../../Sources/WebClient/site/wire/protocol.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../proto/views/${name}.json`, import.meta.url), "utf8"));
const rules = read("rules");

/** A value of the vectors; long ones are a part, repeated, behind another text. */
const written = (value) => (value?.part === undefined ? value : (value.after ?? "") + value.part.repeat(value.times));

test("values have the spelling, or the sentence, of the server", () => {
  const seen = new Set();
  for (const { kind, field, value: raw, canonical: spelling, mistake: wrong } of rules.values) {
    const value = written(raw);
    const declared = KINDS[kind].fields.find((one) => one.name === field);
    const told = `${kind}.${field} ${JSON.stringify(value).slice(0, 80)}`;
    seen.add(`${declared.type} ${wrong?.code ?? "right"}`);
    const found = canonical(kind, field, value);
    if (wrong) assert.deepEqual(found.mistake, wrong, told);
    else assert.deepEqual([found.mistake, found.value ?? null], [undefined, spelling === "same" ? value : spelling ?? null], told);
    if (found.value !== undefined) assert.deepEqual(canonical(kind, field, found.value).value, found.value, `${told}, a second time`);
  }
  for (const one of ["line too_long", "line invalid", "decimal out_of_range", "measure invalid", "set too_many", "url too_long", "url invalid", "json invalid", "json too_long", "zone invalid", "state right"]) {
    assert.ok(seen.has(one), `no value is ${one}`);
  }
});

test("white space and invisible characters agree on every code point", () => {
  const among = (ranges) => {
    const points = new Set();
    for (const [first, last] of ranges) for (let point = first; point <= last; point += 1) points.add(point);
    return points;
  };
  const [spaces, invisible] = [among(rules.spaces), among(rules.invisible)];
  assert.ok(spaces.size > 25 && invisible.size > 3000);
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const text = String.fromCodePoint(point);
    if ((trimmed(text) === "") !== spaces.has(point)) assert.fail(`U+${point.toString(16)} is ${spaces.has(point) ? "" : "no "}white space`);
    if ((visible(`a${text}b`).length === 2) !== invisible.has(point)) assert.fail(`U+${point.toString(16)} is ${invisible.has(point) ? "in" : ""}visible`);
  }
});

test("whole records have the first mistake that the server finds", () => {
  assert.ok(rules.records.length > 70);
  for (const { kind, fields, mistake: wrong } of rules.records) assert.deepEqual(mistake(kind, fields) ?? null, wrong, `${kind} ${JSON.stringify(fields).slice(0, 200)}`);
});

test("new records are completed as the server completes them", () => {
  assert.ok(rules.completed.length > 40);
  for (const { kind, fields, zone, now, member, targets, whole } of rules.completed) {
    const found = completed(kind, fields, { member, now, zone, target: (id) => targets.find((one) => one.id === id) });
    assert.deepEqual(found, whole, `${kind} ${JSON.stringify(fields)}`);
    assert.deepEqual(completed(kind, found, { member, now, zone, target: () => undefined }), found, "completing twice changes nothing");
  }
});

test("a form tells every mistake by its field, in the requirements' words", () => {
  const { mistakes } = checkForm("event", { type: "", name: " ", start_date: "2026-04-15", end_date: "2026-04-14", url: "example.org", state: "oh" });
  assert.deepEqual(Object.fromEntries(Object.entries(mistakes).map(([name, one]) => [name, one.message])), {
    type: "Event type is required", name: "Event name is required", end_date: "End date must be after start date", url: "Please enter a valid URL (e.g., https://...)",
  });
  const { fields, mistakes: none } = checkForm("event", { type: "camp", name: " Camp ", start_date: "2026-04-15", end_date: "", cost: "5", state: "oh", registered: false });
  assert.deepEqual([fields, none], [{ type: "camp", name: "Camp", start_date: "2026-04-15", cost: "5.00", state: "OH", registered: false }, {}]);
  // The unit of a metric is filled in by its type, but not for type other.
  const context = { member: "", now: 0, zone: "UTC", target: () => undefined };
  const metric = { metric_type: "other", label: "Grip", value: "7", unit: "" };
  assert.deepEqual(checkForm("metric", metric).mistakes, {});
  assert.equal(checkForm("metric", metric, context).mistakes.unit.message, "Unit is required");
  assert.deepEqual(checkForm("metric", { ...metric, metric_type: "era" }, context).mistakes, {});
  // A mistake in a field that the form does not show is not shown anywhere.
  assert.deepEqual(checkForm("trip_item", { title: "Zoo", start_time: "2026-04-15T09:30" }, context).mistakes, {});
});

test("sentences belong to codes that there are, and have no word in braces left", () => {
  for (const { code, template } of Object.values(SENTENCES)) assert.ok(ERROR_CODES.has(code) && template !== "");
  assert.equal(filledIn("{field} must be from {lowest} to {highest}.", { field: "Size", lowest: 0, highest: 7 }), "Size must be from 0 to 7.");
  // A text of a person is not read as a template.
  assert.equal(filledIn("{a} and {b}", { a: "{b}", b: "$&" }), "{b} and $&");
  for (const { mistake: wrong } of [...rules.values, ...rules.records]) assert.ok(!/[{}]/.test(wrong?.message ?? ""));
});

test("itineraries, durations and days of trip items", () => {
  const { trips } = read("trips");
  let stays = 0;
  for (const { items, durations, dates, days } of trips) {
    for (const [place, item] of items.entries()) {
      const minutes = minutesOf(item.fields);
      const text = !spanOf(item.fields) ? null : minutes === undefined ? "All day" : minutes >= 60 ? `${Math.floor(minutes / 60)}h ${minutes % 60}m` : `${minutes}m`;
      assert.equal(text, durations[place], JSON.stringify(item));
      const covered = daysOf(item.fields) ?? [];
      assert.deepEqual(covered.map(writeDate), dates[place], JSON.stringify(item));
      if (covered[1] > covered[0]) stays += 1;
    }
    assert.deepEqual(itinerary(items).map(({ date, items: found }) => [writeDate(date), ...found.map((item) => item.id)]), days);
  }
  assert.ok(stays > 10, `${stays} stays`);
});

test("overlaps of trip items", () => {
  const { trips } = read("trips");
  let pairs = 0;
  for (const { items, due, travellers, overlaps: expected } of trips) {
    const found = overlaps(new Set(due), items.filter((item) => item.deleted_at === undefined), new Set(travellers));
    assert.deepEqual(found.map(({ item, with: other, members }) => ({ item: item.id, with: other.id, members })), expected);
    pairs += found.length;
  }
  assert.ok(pairs > 20, `${pairs} pairs`);
});
