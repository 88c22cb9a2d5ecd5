// Runs the vectors of proto/views with the modules in JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { monthOf, readDate, readLocal, writeDate, writeLocal } from "../../Sources/WebClient/site/dates/calendar.js";
import { instantOf, knowsZone, localAt, todayIn } from "../../Sources/WebClient/site/dates/zones.js";
import { refusal } from "../../Sources/WebClient/site/family/permission.js";
import { compare, folded, prefix } from "../../Sources/WebClient/site/folding/folded.js";
import { listKeys } from "../../Sources/WebClient/site/queries/keys.js";
import { select } from "../../Sources/WebClient/site/queries/query.js";
import { refusalOf } from "../../Sources/WebClient/site/queries/refusal.js";
import { documentFigures, eventFigures, metricFigures } from "../../Sources/WebClient/site/queries/statistics.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../proto/views/${name}.json`, import.meta.url), "utf8"));

test("folding agrees on every code point", () => {
  const { shifted, same, listed } = read("folding");
  const changes = new Map();
  for (const [first, count, step, distance] of shifted) {
    for (let index = 0; index < count; index += 1) changes.set(first + index * step, String.fromCodePoint(first + index * step + distance));
  }
  for (const [first, count, target] of same) for (let index = 0; index < count; index += 1) changes.set(first + index, target);
  for (const [first, targets] of listed) for (const [index, target] of targets.entries()) changes.set(first + index, target);
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const text = String.fromCodePoint(point);
    const isHangul = point >= 0xac00 && point <= 0xd7a3;
    const expected = point < 0x80 ? text.toLowerCase() : isHangul ? text.normalize("NFD") : changes.get(point) ?? text;
    if (folded(text) !== expected) assert.equal(folded(text), expected, point.toString(16));
  }
  assert.ok(changes.size > 5000, String(changes.size));
});

test("folded texts, their order, and whole characters at their beginning", () => {
  const { texts, order } = read("folding");
  for (const { text, folded: expected } of texts) {
    assert.equal(folded(text), expected);
    assert.equal(folded(expected), expected, "folding twice changes nothing");
  }
  assert.deepEqual([...order].reverse().sort(compare), order);
  for (const text of ["abc", "łódź", "한글", "a𝔘b", ""]) {
    for (let octets = 0; octets < 14; octets += 1) {
      const cut = prefix(text, octets);
      assert.ok(text.startsWith(cut) && Buffer.byteLength(cut) <= octets);
      const next = [...text][[...cut].length];
      assert.ok(next === undefined || Buffer.byteLength(cut + next) > octets, `${text} to ${octets}`);
    }
  }
  assert.equal(folded("\ud800a"), "\ufffda");
});

test("local times and instants around the changes of clocks", () => {
  const { times } = read("zones");
  assert.ok(times.length > 1000);
  for (const [zone, local, instant, shown] of times) {
    const minutes = readLocal(local);
    assert.equal(instantOf(zone, minutes), instant, `${zone} ${local}`);
    assert.equal(writeLocal(localAt(zone, instant)), shown, `${zone} ${local}`);
    assert.equal(writeLocal(minutes), local);
    assert.equal(todayIn(zone, instant), Math.floor(readLocal(shown) / 1440));
  }
  for (const zone of ["", "Mars/Base", "+02:00", "not a zone"]) {
    assert.equal(knowsZone(zone), false, zone);
    assert.equal(instantOf(zone, 0), undefined);
  }
  assert.equal(todayIn("Mars/Base", 86400000), 1);
});

test("days and months to the ends of the calendar", () => {
  const { days } = read("zones");
  assert.ok(days.length > 350);
  for (const [text, number] of days) assert.deepEqual([readDate(text), writeDate(number)], [number, text]);
  assert.equal(writeDate(readDate("0001-01-01") - 1), undefined);
  assert.equal(writeDate(readDate("9999-12-31") + 1), undefined);
  assert.deepEqual(monthOf(readDate("2024-01-31"), 1).map(writeDate), ["2024-02-01", "2024-02-29"]);
  assert.deepEqual(monthOf(readDate("2023-12-31"), 1).map(writeDate), ["2024-01-01", "2024-01-31"]);
  assert.deepEqual(monthOf(readDate("2024-01-01"), -1).map(writeDate), ["2023-12-01", "2023-12-31"]);
  assert.equal(monthOf(readDate("9999-12-01"), 1), undefined);
  assert.equal(monthOf(readDate("0001-01-01"), -1), undefined);
  assert.equal(readLocal("2024-02-30T09:00"), undefined);
  assert.equal(readLocal("2024-02-28 09:00"), undefined);
  assert.equal(readLocal("2024-02-28T24:00"), undefined);
});

test("lists have the records of the Swift client, in its order", () => {
  const { records, queries } = read("queries");
  const keyed = records.map((record) => listKeys(record, instantOf));
  const places = new Map(keyed.map((keys, index) => [keys, index]));
  let filled = 0;
  for (const query of queries) {
    assert.equal(refusalOf(query), undefined, JSON.stringify(query));
    const found = select(query, keyed, readDate(query.today)).map((keys) => places.get(keys));
    assert.deepEqual(found, query.found, JSON.stringify(query));
    if (found.length > 1) filled += 1;
  }
  assert.ok(filled > queries.length / 4, `${filled} of ${queries.length} lists have two records`);
});

test("queries that the server refuses are refused with its sentence", () => {
  const { refused } = read("queries");
  assert.ok(refused.length > 50);
  for (const { code, message, field, ...query } of refused) assert.deepEqual(refusalOf(query), { code, message, field }, JSON.stringify(query));
});

test("figures of events, documents and metrics", () => {
  const { records, statistics } = read("queries");
  const keyed = records.map((record) => listKeys(record, instantOf));
  for (const { kind, athlete, today, figures } of statistics) {
    const found = kind === "event" ? eventFigures(keyed, athlete, readDate(today)) : kind === "document" ? documentFigures(keyed, athlete) : metricFigures(keyed, athlete);
    assert.deepEqual(found, figures, `${kind} ${athlete} ${today}`);
  }
});

test("what a member may write, with the server's sentence otherwise", () => {
  const { member, accesses } = read("permissions");
  assert.ok(accesses.length > 300);
  for (const { refused, ...access } of accesses) assert.equal(refusal({ member, ...access }) ?? null, refused, JSON.stringify(access));
});
