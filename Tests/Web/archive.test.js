// The copy of a family as the page receives it: it counts once it is whole, and each other end has its name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveOf } from "../../Sources/WebClient/site/sessions/archive.js";

/** Answers the next request; a piece that is an error breaks the connection. */
function answer(pieces, { status = 200, length = pieces.reduce((sum, piece) => sum + (piece.length ?? 0), 0) } = {}) {
  const asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push(path);
    options.signal?.throwIfAborted();
    let place = 0;
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces[place];
        place += 1;
        if (piece === undefined) controller.close();
        else if (piece instanceof Error) controller.error(piece);
        else if (typeof piece === "function") piece(controller);
        else controller.enqueue(piece);
      },
    });
    return new Response(body, { status, headers: { "Content-Length": String(length) } });
  };
  return asked;
}

const take = (options = {}) => archiveOf("fam", { isPrivate: false, signal: new AbortController().signal, told: () => {}, ...options });
const octets = (count, value) => new Uint8Array(count).fill(value);

test("a whole copy has all octets in order, also those of many parts, and its progress is told", async () => {
  const asked = answer([octets(5 << 20, 1), octets(4 << 20, 2), octets(3, 3)]);
  const told = [];
  const { file } = await take({ told: (received, total) => told.push([received, total]) });
  assert.equal(file.size, (9 << 20) + 3);
  const read = new Uint8Array(await file.arrayBuffer());
  assert.deepEqual([read[0], read[5 << 20], read.at(-1)], [1, 2, 3]);
  assert.deepEqual(told.map(([received]) => received), [5 << 20, 9 << 20, (9 << 20) + 3]);
  assert.ok(told.every(([, total]) => total === file.size));
  answer([octets(1, 1)]);
  assert.equal((await take({ isPrivate: true })).file.size, 1);
  assert.deepEqual(asked, ["/families/fam/export"]);
});

test("private data is asked for by name", async () => {
  const asked = answer([octets(1, 1)]);
  await take({ isPrivate: true });
  assert.deepEqual(asked, ["/families/fam/export?private=yes"]);
});

test("fewer octets than were promised, or a broken connection, are no copy", async () => {
  answer([octets(10, 1)], { length: 11 });
  assert.deepEqual(await take(), { problem: "cut" });
  answer([octets(10, 1), new Error("reset")], { length: 20 });
  assert.deepEqual(await take(), { problem: "cut" });
  answer([], { length: 5 });
  assert.deepEqual(await take(), { problem: "cut" });
});

test("a refusal is the server's sentence, never a file", async () => {
  const sentence = JSON.stringify({ code: "confirm_first", sentence: "Show your password first." });
  answer([new TextEncoder().encode(sentence)], { status: 403 });
  assert.deepEqual(await take(), { refused: { status: 403, content: JSON.parse(sentence) } });
  answer([new TextEncoder().encode("<html>")], { status: 502 });
  assert.deepEqual(await take(), { refused: { status: 502, content: undefined } });
  globalThis.fetch = async () => { throw new TypeError("no network"); };
  assert.deepEqual(await take(), { refused: { status: 0, content: undefined } });
});

test("a person who cancels has no copy, before and in the middle of it", async () => {
  const before = new AbortController();
  before.abort();
  answer([octets(1, 1)]);
  assert.deepEqual(await take({ signal: before.signal }), { problem: "stopped" });
  const later = new AbortController();
  answer([octets(1, 1), (controller) => { later.abort(); controller.error(new Error("aborted")); }], { length: 9 });
  assert.deepEqual(await take({ signal: later.signal }), { problem: "stopped" });
});

test("a browser without room says so", async () => {
  answer([octets(1, 1)]);
  const { Blob: real } = globalThis;
  globalThis.Blob = class { constructor() { throw new Error("no room"); } };
  try {
    assert.deepEqual(await take(), { problem: "no_room" });
  } finally {
    globalThis.Blob = real;
  }
});
