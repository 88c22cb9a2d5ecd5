// Rejections as frames have them.
import { KINDS } from "../family/kinds.js";
import { isKnown, readRecord } from "../family/records.js";
import { RETRYABLE, SHORTEST_RETRY, USUAL_RETRY, ERROR_CODES } from "./protocol.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/**
 * @typedef {object} ConflictField
 * @property {string} field
 * @property {any} base
 * @property {any} yours
 * @property {any} theirs
 * @property {string} member
 * @property {number} at
 */
/** @typedef {{record: FamilyRecord, fields: ConflictField[]}} Conflict */
/**
 * Why a mutation or a request was not done.
 * @typedef {object} Rejection
 * @property {string} code
 * @property {string} message for people, with a full stop
 * @property {number} [operation]
 * @property {string} [kind]
 * @property {string} [id]
 * @property {string} [field]
 * @property {boolean} retry
 * @property {number} [retry_after]
 * @property {Conflict} [conflict]
 * @property {any[]} [overlaps]
 * @property {number} [seq]
 */

/** An error that carries a rejection; nothing has changed. */
export class Refusal extends Error {
  /** @param {Rejection} rejection */
  constructor(rejection) {
    super(rejection.message);
    /** @readonly */
    this.rejection = rejection;
  }
}

/**
 * A rejection by the client itself.
 * @param {string} code
 * @param {string} message
 * @param {{kind?: string, id?: string, field?: string}} [about]
 * @returns {Rejection}
 */
export function rejection(code, message, about = {}) {
  return { code, message, ...about, retry: RETRYABLE.has(code), ...(RETRYABLE.has(code) ? { retry_after: USUAL_RETRY } : {}) };
}

/**
 * The rejection in a frame. A code that a newer server added is read as the plainest one that means the same to a program;
 * the sentence stays.
 * @param {any} raw
 * @returns {Rejection}
 */
export function readRejection(raw) {
  const code = ERROR_CODES.has(raw.code) ? raw.code : raw.retry ? "busy" : "invalid";
  /** @type {any} */
  const result = { code, message: raw.message };
  if (raw.operation !== undefined) result.operation = raw.operation;
  if (raw.kind !== undefined) result.kind = raw.kind;
  if (raw.id !== undefined) result.id = raw.id;
  if (raw.field !== undefined) result.field = raw.field;
  result.retry = RETRYABLE.has(code);
  if (result.retry) result.retry_after = Math.max(raw.retry_after ?? USUAL_RETRY, SHORTEST_RETRY);
  if (raw.conflict !== undefined && isKnown(raw.conflict.record)) result.conflict = readConflict(raw.conflict);
  if (raw.overlaps !== undefined && raw.overlaps.length > 0) result.overlaps = raw.overlaps;
  if (raw.seq !== undefined) result.seq = raw.seq;
  return result;
}

/**
 * @param {any} raw
 * @returns {Conflict}
 */
function readConflict(raw) {
  const record = readRecord(raw.record);
  const names = new Set(KINDS[record.kind].fields.map((field) => field.name));
  const fields = raw.fields
    .filter((/** @type {any} */ field) => names.has(field.field))
    .map((/** @type {any} */ field) => ({
      field: field.field, base: field.base ?? null, yours: field.yours ?? null, theirs: field.theirs ?? null, member: field.member, at: field.at,
    }));
  return { record, fields };
}
