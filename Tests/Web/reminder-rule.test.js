// The lead times of a member, as the page of reminders writes them.
import assert from "node:assert/strict";
import { test } from "node:test";

// The modules behind the page use the browser; what matters here is read without it.
globalThis.addEventListener ??= () => {};
const { leadsField } = await import("../../Sources/WebClient/site/views/reminder-rule.js");
const { areLeads, leadsOf, MOST_LEADS } = await import("../../Sources/WebClient/site/family/reminder-rule.js");
const { reminderRuleOf } = await import("../../Sources/WebClient/site/family/permission.js");
const { WORDS } = await import("../../Sources/WebClient/site/words/reminder-rule.js");

test("what is usual is left out, and what is left is valid", () => {
  assert.equal(leadsField({ event: [30], trip_item: [30], all_day: [360], athletes: { a: {} } }), undefined);
  assert.deepEqual(leadsField({ event: [0, 1440], trip_item: [30], all_day: [], athletes: {} }), { event: [0, 1440], all_day: [] });
  const leads = leadsField({ event: [30], athletes: { "00000000-0000-7000-8000-000000000001": { event: [30] }, "00000000-0000-7000-8000-000000000002": {} } });
  assert.deepEqual(leads, { athletes: { "00000000-0000-7000-8000-000000000001": { event: [30] } } });
  assert.ok(areLeads(leads));
});

test("lead times have the bounds of the server", () => {
  for (const good of [{}, { event: [] }, { event: [40320, 0, 1, 2, 3] }]) assert.ok(areLeads(good), JSON.stringify(good));
  for (const wrong of [undefined, null, [], { event: Array.from({ length: MOST_LEADS + 1 }, (_, lead) => lead) }, { event: [1, 1] }, { event: [40321] }, { event: [0.5] }, { other: [1] }, { athletes: { x: {} } }]) {
    assert.ok(!areLeads(wrong), JSON.stringify(wrong));
  }
  assert.deepEqual(leadsOf({ event: [60, 5] }, "event"), [5, 60]);
  assert.deepEqual(leadsOf({ event: [60, 5] }, "all_day"), [360]);
  assert.deepEqual(leadsOf({ event: "soon" }, "event"), [30]);
});

test("a rule has the id that the server expects", () => {
  assert.equal(reminderRuleOf("01998c2e-7a10-7c3b-9d41-5a0c7be2f003"), "01998c2e-7a10-8c3b-9d41-a5f3841d0ffc");
});

test("lead times are said in words", () => {
  assert.deepEqual([0, 30, 60, 90, 1440].map(WORDS.lead), ["At the start", "30 minutes before", "1 hour before", "90 minutes before", "1 day before"]);
  assert.deepEqual([0, 360, 900, 1440, 1800].map(WORDS.day), ["00:00 of the first day", "18:00 of the day before", "09:00 of the day before", "00:00 of the day before", "18:00, 2 days before"]);
});
