// Frames of the server as the engine uses them. `type` names a frame; what this program does not know is left out.
import { followed, replaced, sum } from "../family/checksum.js";
import { isKnown, readEntry, readRecord } from "../family/records.js";
import { FEATURES } from "./protocol.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../family/records.js").ChangeEntry} ChangeEntry */
/**
 * A frame as JSON has it.
 * @typedef {{type: string, [name: string]: any}} Frame
 */
/**
 * @typedef {object} Change
 * @property {number} seq
 * @property {number} at
 * @property {string} member
 * @property {string} [client]
 * @property {number} [mutation]
 * @property {ChangeEntry[]} entries
 * @property {number} unknown the effect of entries of unknown kinds on the family's checksum
 */
/** @typedef {{type: "ack", mutation: number, seq?: number, records: {id: string, version: number}[], warnings?: any[]}} Ack */

/** The types of frames that a server sends. */
export const SERVER_FRAMES = new Set([
  "welcome", "token", "joined", "reset", "snapshot", "snapshot_end", "change", "live", "checksum", "ack", "reject", "presence", "upload", "activity", "pong", "context",
  "role", "page", "statistics", "history", "digest", "access_log", "invite", "invites", "audit", "standing", "standings",
  "sessions", "program_token", "calendars", "device_code", "account", "deletion", "membership", "signed_in", "recovered", "mail_failed", "reminder", "reminder_seen", "signed_out", "drain", "error",
]);

/**
 * The records of a `snapshot` frame, and the checksum of its records of unknown kinds.
 * @param {Frame} frame
 * @returns {{records: FamilyRecord[], unknown: number}}
 */
export function readSnapshot(frame) {
  /** @type {FamilyRecord[]} */
  const records = [];
  let unknown = 0;
  for (const raw of frame.records) {
    if (isKnown(raw)) records.push(readRecord(raw));
    else unknown = replaced(unknown, undefined, raw.deleted_at === null ? { ...raw, deleted_at: undefined } : raw);
  }
  return { records, unknown };
}

/**
 * A `change` frame.
 * @param {Frame} frame
 * @returns {Change}
 */
export function readChange(frame) {
  /** @type {ChangeEntry[]} */
  const entries = [];
  let unknown = 0;
  for (const raw of frame.changes) {
    if (isKnown(raw)) entries.push(readEntry(raw));
    else unknown = sum(unknown, followed(0, raw));
  }
  return { seq: frame.seq, at: frame.at, member: frame.member, client: frame.client, mutation: frame.mutation, entries, unknown };
}

/**
 * An `ack` frame without members that this program does not know.
 * @param {Frame} frame
 * @returns {Ack}
 */
export function readAck(frame) {
  const records = frame.records.map((/** @type {any} */ one) => ({ id: one.id, version: one.version }));
  return makeAck(frame.mutation, frame.seq, records, frame.warnings);
}

/**
 * An ack, with the members in the order of frames.
 * @param {number} mutation
 * @param {number | undefined} seq
 * @param {{id: string, version: number}[]} records
 * @param {any[]} [warnings]
 * @returns {Ack}
 */
export function makeAck(mutation, seq, records, warnings = []) {
  return { type: "ack", mutation, ...(seq === undefined ? {} : { seq }), records, ...(warnings.length > 0 ? { warnings } : {}) };
}

/**
 * The features in a `welcome` that this program knows.
 * @param {Frame} frame
 * @returns {Set<string>}
 */
export function readFeatures(frame) {
  return new Set((frame.features ?? []).filter((/** @type {string} */ word) => FEATURES.has(word)));
}
