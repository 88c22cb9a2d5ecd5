// The sentences of the audit log: one for each act of the server, in the words of the terminal client.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const swift = (path) => readFileSync(new URL(`../../Sources/${path}`, import.meta.url), "utf8");

// The modules behind the page use the browser; the two that matter here are read without them.
globalThis.addEventListener ??= () => {};
const { ACTS, auditText } = await import("../../Sources/WebClient/site/words/acts.js");
const name = (id) => ({ ana: "Ana", bob: "Bob" })[id] ?? "A former member";

test("each act has the sentence of the terminal client", () => {
  const acts = [...swift("Family/Audit.swift").split("enum Author")[0].matchAll(/^ +case (\w+)(?: = "(\w+)")?$/gm)].map(([, label, word]) => [label, word ?? label]);
  assert.ok(acts.length > 30);
  assert.deepEqual(new Set(Object.keys(ACTS)), new Set(acts.map(([, word]) => word)));
  const told = swift("Words/AuditText.swift");
  for (const [label, word] of acts) {
    const line = told.split("\n").find((one) => one.includes(`case .${label}:`));
    // A template in Swift becomes words with the same gaps.
    for (const [, text] of line.matchAll(/(?:: |\? )"((?:[^"\\]|\\\((?:[^()]|\([^()]*\))*\))*)"/g)) {
      const fixed = text.split(/\\\((?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*\)/).filter((part) => part.trim() !== "");
      const found = [0, 1].flatMap((many) => ["", "x"].map((detail) => auditText({ act: word, origin: "member", member: "ana", about: "bob", detail, count: 1 + many }, name)));
      if (text.includes("attempt") || fixed.length === 0) continue;
      assert.ok(found.some((sentence) => fixed.every((part) => sentence.includes(part))), `${word}: ${JSON.stringify(fixed)} is not in ${JSON.stringify(found)}`);
    }
  }
});

test("the author, the member and the family have their words", () => {
  assert.equal(auditText({ act: "password_set", origin: "member", member: "ana", about: "ana" }, name), "Ana set their own password");
  assert.equal(auditText({ act: "password_set", origin: "host", about: "bob" }, name), "The host set Bob's password");
  assert.equal(auditText({ act: "guest_ended", origin: "server", about: "bob", detail: "2026-08-31" }, name), "The server ended the access of Bob: the last day was 2026-08-31");
  assert.equal(auditText({ act: "guest_end_set", origin: "member", member: "ana", about: "bob" }, name), "Ana let Bob stay without an end");
  assert.equal(auditText({ act: "sign_in_failed", origin: "server", about: "bob", count: 3 }, name), "3 failed attempts to sign in as Bob");
  assert.equal(auditText({ act: "exported", origin: "host" }, name), "The host exported the family");
  assert.equal(auditText({ act: "of_a_later_server", origin: "member", member: "ana", about: "gone", detail: "x" }, name), "Ana: of_a_later_server, about A former member (x)");
  assert.equal(auditText({ act: "constructor", origin: "server" }, name), "The server: constructor, about the family");
});
