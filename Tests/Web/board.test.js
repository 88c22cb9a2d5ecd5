// The plan of the board of days: who stands beside whom, and where a step leads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOn, clockSpan, hoursOf, nextStep, SHORTEST, stripOn, timesAt } from "../../Sources/WebClient/site/views/board-plan.js";
import { readDate } from "../../Sources/WebClient/site/dates/calendar.js";

const DAY = readDate("2027-03-01");
const item = (id, start, end, more = {}) => ({ kind: "trip_item", id, version: 1, fields: { title: id, category: "activity", start_time: start, ...(end ? { end_time: end } : {}), ...more } });
const places = (items, day = DAY) => blocksOn(items, day).map(({ item: { id }, from, to, lane, lanes, isFirst, isLast }) => [id, from, to, `${lane}/${lanes}`, `${isFirst ? "first" : ""}${isLast ? "last" : ""}`]);

test("items stand side by side only where their cards would cover each other", () => {
  assert.deepEqual(places([
    item("c", "2027-03-01T11:00", "2027-03-01T13:00"), item("a", "2027-03-01T10:00", "2027-03-01T12:00"), item("b", "2027-03-01T10:30", "2027-03-01T11:00"), item("d", "2027-03-01T13:00", "2027-03-01T14:00"),
  ]), [["a", 600, 720, "0/3", "firstlast"], ["b", 630, 660, "1/3", "firstlast"], ["c", 660, 780, "2/3", "firstlast"], ["d", 780, 840, "0/1", "firstlast"]]);
  // A card is higher than its item of 15 minutes.
  assert.deepEqual(places([item("a", "2027-03-01T10:00", "2027-03-01T10:15"), item("b", "2027-03-01T10:30", "2027-03-01T11:30")]).map((one) => one[3]), ["0/2", "1/2"]);
  assert.deepEqual(places([item("a", "2027-03-01T10:00", "2027-03-01T10:15"), item("b", "2027-03-01T10:45", "2027-03-01T11:30")]).map((one) => one[3]), ["0/1", "0/1"]);
});

test("no two cards of a day cover each other, and each is in the day", () => {
  let state = 7;
  const below = (bound) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor((state / 2147483648) * bound); };
  const clock = (minutes) => timesAt({ start_time: "2027-03-01T00:00" }, DAY * 1440 + minutes).start_time;
  for (let world = 0; world < 300; world += 1) {
    const items = Array.from({ length: below(14) }, (_, number) => { const start = below(2 * 1440) - 720; return item(`item ${number}`, clock(start), clock(start + 1 + below(600))); });
    const blocks = blocksOn(items, DAY);
    for (const block of blocks) assert.ok(block.from >= 0 && block.to <= 1440 && block.from < block.to && block.lane < block.lanes, JSON.stringify(block));
    for (const [place, one] of blocks.entries()) for (const other of blocks.slice(place + 1)) {
      const isBeside = one.from < Math.max(other.to, other.from + SHORTEST) && other.from < Math.max(one.to, one.from + SHORTEST);
      if (isBeside) assert.ok(one.lanes === other.lanes && one.lane !== other.lane, `${world}: ${JSON.stringify([one, other])}`);
    }
    assert.equal(blocks.length, items.filter((one) => { const span = clockSpan(one.fields); return span.start < (DAY + 1) * 1440 && span.end > DAY * 1440; }).length);
  }
});

test("an item past midnight has a part on each day; one to midnight has none on the next", () => {
  const night = item("night", "2027-03-01T23:00", "2027-03-02T01:30");
  assert.deepEqual(places([night]), [["night", 1380, 1440, "0/1", "first"]]);
  assert.deepEqual(places([night], DAY + 1), [["night", 0, 90, "0/1", "last"]]);
  assert.deepEqual(places([item("late", "2027-03-01T22:00", "2027-03-02T00:00")], DAY + 1), []);
});

test("an end that is earlier on the clock of another zone counts by its real length", () => {
  const west = item("west", "2027-03-01T09:00", "2027-03-01T08:30", { start_zone: "America/New_York", end_zone: "America/Los_Angeles" });
  assert.equal(clockSpan(west.fields).end - clockSpan(west.fields).start, 150);
});

test("stays and items without an end are in the strip of each day that they cover", () => {
  const stay = item("stay", "2027-03-01T15:00", "2027-03-03T11:00", { category: "accommodation" }), free = item("free", "2027-03-02T00:00");
  assert.deepEqual([0, 1, 2, 3].map((day) => stripOn([free, stay], DAY + day).map((one) => one.id)), [["stay"], ["stay", "free"], ["stay"], []]);
  assert.deepEqual(places([stay, free]), []);
});

test("a move keeps the length on the clock, and the calendar's ends", () => {
  assert.deepEqual(timesAt({ start_time: "2027-03-01T23:00", end_time: "2027-03-02T01:30" }, (DAY + 1) * 1440 + 15), { start_time: "2027-03-02T00:15", end_time: "2027-03-02T02:45" });
  assert.deepEqual(timesAt({ start_time: "2027-03-01T23:00" }, DAY * 1440), { start_time: "2027-03-01T00:00" });
  assert.equal(timesAt({ start_time: "9999-12-31T20:00", end_time: "9999-12-31T23:00" }, readDate("9999-12-31") * 1440 + 1430), undefined);
  assert.equal(timesAt({}, 0), undefined);
});

test("a step leads to the next quarter of an hour, and hours cover what is there", () => {
  assert.deepEqual([nextStep(550, 1), nextStep(550, -1), nextStep(555, 1), nextStep(555, -1), nextStep(0, -1)], [555, 540, 570, 540, -15]);
  assert.deepEqual(hoursOf([]), [7, 21]);
  assert.deepEqual(hoursOf(blocksOn([item("early", "2027-03-01T05:50", "2027-03-01T06:00"), item("late", "2027-03-01T23:50", "2027-03-02T01:00")], DAY)), [5, 24]);
});
