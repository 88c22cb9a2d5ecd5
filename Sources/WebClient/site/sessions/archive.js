// The copy of a family as one file (proto/documents.md), for the parent's own disk. A link would do, but a browser saves the sentence of a refusal as if it
// were the copy: so the octets are counted here, and a copy counts once it is whole.
/** @typedef {import("./account.js").Answer} Answer */

/** Octets that are in memory before they become a part of the file, which browsers keep on disk. */
const PART = 8 << 20;

/**
 * Asks for the copy.
 * @param {string} family
 * @param {{isPrivate: boolean, signal: AbortSignal, told: (received: number, total: number) => void}} options
 * @returns {Promise<{file: Blob} | {refused: Answer} | {problem: "cut" | "no_room" | "stopped"}>}
 */
export async function archiveOf(family, { isPrivate, signal, told }) {
  /**
   * What happened, if the next step fails.
   * @type {{refused: Answer} | {problem: "cut" | "no_room"}}
   */
  let otherwise = { refused: { status: 0, content: undefined } };
  try {
    const response = await fetch(`/families/${family}/export${isPrivate ? "?private=yes" : ""}`, { credentials: "same-origin", cache: "no-store", signal });
    if (response.status !== 200 || !response.body) {
      const content = await response.json().catch(() => undefined);
      return { refused: { status: response.status, content } };
    }
    otherwise = { problem: "cut" };
    const total = Number(response.headers.get("Content-Length"));
    const reader = response.body.getReader();
    /** @type {Blob[]} */
    const parts = [];
    /** @type {Uint8Array[]} */
    let held = [];
    let size = 0, received = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (value) {
        held.push(value);
        size += value.length;
        received += value.length;
        told(received, total);
      }
      if (size < PART && !done) continue;
      otherwise = { problem: "no_room" };
      parts.push(new Blob(held));
      otherwise = { problem: "cut" };
      held = [];
      size = 0;
      if (done) break;
    }
    if (received !== total) return { problem: "cut" };
    return { file: new Blob(parts, { type: "application/x-tar" }) };
  } catch {
    return signal.aborted ? { problem: "stopped" } : otherwise;
  }
}
