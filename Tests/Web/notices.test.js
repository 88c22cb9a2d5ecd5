// The notices above each page: a recovery, a mail that failed, athletes for whom a parent should act.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener ??= () => {};
const { dueNotice, noticeOf } = await import("../../Sources/WebClient/site/views/notices.js");

test("each way of a recovery is named, and a second frame about it is the same notice", () => {
  const at = Date.UTC(2026, 3, 15, 12);
  const texts = ["code", "parent", "mail", "host"].map((way) => noticeOf({ notify: "recovered", way, at })?.text);
  assert.equal(new Set(texts).size, 4);
  for (const text of texts) assert.match(text ?? "", /^Your sign-in was recovered with .*If that was not you/);
  assert.equal(noticeOf({ notify: "recovered", way: "host", at })?.key, noticeOf({ notify: "recovered", way: "host", at })?.key);
  assert.notEqual(noticeOf({ notify: "recovered", way: "host", at })?.key, noticeOf({ notify: "recovered", way: "host", at: at + 1 })?.key);
  assert.match(noticeOf({ notify: "recovered", way: "a way of a newer server", at })?.text ?? "", /recovered with /);
});

test("a mail that failed says what to do; nothing else is a notice", () => {
  assert.match(noticeOf({ notify: "mail_failed", kind: "invite", address: "r…@example.org", problem: "refused", invite: "i" })?.text ?? "", /invite to r…@example\.org was refused\. Hand the code over/);
  assert.match(noticeOf({ notify: "mail_failed", kind: "confirm", address: "r…@example.org", problem: "late" })?.text ?? "", /could not be sent in time\. Check/);
  for (const notify of ["live", "change", "answer", "joined"]) assert.equal(noticeOf({ notify }), undefined);
});

test("athletes who have the age and no sign-in are named, once for each state", () => {
  const standing = (member, more) => ({ member, role: "athlete", state: "open", signed_in: false, invited: false, ...more });
  const nameOf = (member) => member.toUpperCase();
  assert.equal(dueNotice([standing("a", { state: "under_age" }), standing("b", { signed_in: true }), standing("c", { invited: true }), standing("d", { role: "parent" })], nameOf), undefined);
  const first = dueNotice([standing("a", { state: "consent_needed" }), standing("b"), standing("c", { state: "under_age" })], nameOf);
  assert.equal(first?.text, "Old enough for a sign-in: A, B.");
  assert.equal(first?.path, "/settings/consent");
  assert.notEqual(first?.key, dueNotice([standing("a", { state: "consented" }), standing("b")], nameOf)?.key);
});
