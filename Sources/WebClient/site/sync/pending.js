// Mutations without a final result, and drafts; as `PendingMutation` and `Draft` in Swift.
import { makeOperation, makeOverlap } from "../family/records.js";
import { readRejection } from "../wire/rejections.js";

/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").OverlapOverride} OverlapOverride */
/** @typedef {import("../wire/rejections.js").Rejection} Rejection */
/**
 * A mutation without a final result from the server.
 * @typedef {object} PendingMutation
 * @property {number} id the same at every attempt
 * @property {Operation[]} operations
 * @property {number} [undo] the sequence of the change to undo, in place of operations
 * @property {OverlapOverride} [overlap] the overlaps of trip items that its author accepts
 * @property {number} at the time of the request in UTC milliseconds
 * @property {"unsent" | "in_flight" | "resend" | "acknowledged"} state `unsent`: later edits of its records may still fold
 *   into it; `in_flight`: sent on the current connection at `since`; `resend`: sent earlier, or refused for now, so it is
 *   sent again unchanged; `acknowledged`: its change with the sequence `seq` has not arrived yet
 * @property {number} since
 * @property {number} seq
 * @property {number} complaints connections that the server ended with a complaint while this was unanswered
 * @property {number} notBefore engine time before which it is not sent again
 */
/**
 * A mutation that was finally refused, kept for its author until it is retried or dropped. It blocks nothing.
 * @typedef {object} Draft
 * @property {number} id
 * @property {Operation[]} operations
 * @property {number} [undo]
 * @property {OverlapOverride} [overlap]
 * @property {number} at
 * @property {Rejection} rejection
 */

/**
 * @param {number} id
 * @param {{operations?: Operation[], undo?: number, overlap?: OverlapOverride, at: number}} content
 * @returns {PendingMutation}
 */
export function makePending(id, content) {
  return {
    id, operations: content.operations ?? [], undo: content.undo, overlap: content.overlap, at: content.at, state: "unsent", since: 0, seq: 0,
    complaints: 0, notBefore: 0,
  };
}

/**
 * The frame that sends a mutation.
 * @param {PendingMutation} mutation
 * @returns {any}
 */
export function mutationFrame(mutation) {
  const body = mutation.undo === undefined ? { operations: mutation.operations } : { undo: mutation.undo };
  return { type: "mutate", mutation: mutation.id, ...body, ...(mutation.overlap ? { allow_overlap: mutation.overlap } : {}) };
}

/**
 * @param {PendingMutation} mutation
 * @param {string} id
 * @returns {boolean}
 */
export function touches(mutation, id) {
  return mutation.operations.some((operation) => operation.id === id);
}

/**
 * A mutation or a draft for storage, without what only its kind has.
 * @param {PendingMutation | Draft} from
 * @returns {any}
 */
function content(from) {
  const body = from.undo === undefined ? { operations: from.operations } : { undo: from.undo };
  return { id: from.id, ...body, ...(from.overlap ? { allow_overlap: from.overlap } : {}), at: from.at };
}

/**
 * A mutation as state, in the form of proto/sync.md.
 * @param {PendingMutation} mutation
 * @returns {any}
 */
export function writePending(mutation) {
  return {
    ...content(mutation), state: mutation.state, ...(mutation.state === "in_flight" ? { since: mutation.since } : {}),
    ...(mutation.state === "acknowledged" ? { seq: mutation.seq } : {}), ...(mutation.complaints > 0 ? { complaints: mutation.complaints } : {}),
  };
}

/**
 * A mutation for storage: one in flight when a program ended may have been applied, so it is sent again unchanged.
 * @param {PendingMutation} mutation
 * @returns {any}
 */
export function savePending(mutation) {
  return writePending(mutation.state === "in_flight" ? { ...mutation, state: "resend" } : mutation);
}

/**
 * Whether a mutation moves reading positions alone. The program requests that, not the user: there is nothing to decide about
 * its refusal, and its loss would not be noticed.
 * @param {{operations: Operation[]}} mutation
 */
export function isReadingPosition({ operations }) {
  return operations.length > 0 && operations.every((operation) => operation.kind === "reading_position");
}

/**
 * A stored mutation.
 * @param {any} raw
 * @returns {PendingMutation}
 */
export function readPending(raw) {
  const mutation = makePending(raw.id, readContent(raw));
  if (raw.state === "acknowledged") {
    mutation.state = "acknowledged";
    mutation.seq = raw.seq;
  } else if (raw.state === "resend" || raw.state === "in_flight") {
    mutation.state = "resend";
  }
  mutation.complaints = Math.max(0, raw.complaints ?? 0);
  return mutation;
}

/**
 * @param {any} raw
 * @returns {{operations: Operation[], undo?: number, overlap?: OverlapOverride, at: number}}
 */
function readContent(raw) {
  return {
    operations: (raw.operations ?? []).map(makeOperation), undo: raw.undo, overlap: raw.allow_overlap ? makeOverlap(raw.allow_overlap) : undefined,
    at: raw.at,
  };
}

/**
 * A draft for storage, and as state.
 * @param {Draft} draft
 * @returns {any}
 */
export function writeDraft(draft) {
  return { ...content(draft), rejection: draft.rejection };
}

/**
 * A stored draft.
 * @param {any} raw
 * @returns {Draft}
 */
export function readDraft(raw) {
  return { id: raw.id, ...readContent(raw), rejection: readRejection(raw.rejection) };
}
