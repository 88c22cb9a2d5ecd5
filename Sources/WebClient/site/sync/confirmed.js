// The records as the server has confirmed them: only a snapshot and the changes after it; as `ConfirmedRecords` in Swift.
import { followed, replaced, sum } from "../family/checksum.js";
import { makeRecord, readFields } from "../family/records.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../family/records.js").ChangeEntry} ChangeEntry */
/** @typedef {import("../wire/frames.js").Change} Change */

/** A change that does not continue the held records. */
export class Divergence extends Error {
  /** @param {string} id */
  constructor(id) {
    super(`diverged: ${id}`);
    /** @readonly */
    this.id = id;
  }
}

export class ConfirmedRecords {
  /**
   * @param {FamilyRecord[]} [records]
   * @param {number} [unsent] the checksum of the records that `records` leaves out; undefined if no server has reported it
   */
  constructor(records = [], unsent) {
    /** @type {Map<string, FamilyRecord>} */
    this.all = new Map();
    for (const record of records) this.all.set(record.id, record);
    /** The checksum of the held records, once it was asked for. */
    /** @type {number | undefined} */
    this.sum = undefined;
    this.unsent = unsent;
  }

  /** The checksum of the held records: nothing that a list on the screen waits for. */
  get held() {
    if (this.sum === undefined) {
      this.sum = 0;
      for (const record of this.all.values()) this.sum = replaced(this.sum, undefined, record);
    }
    return this.sum;
  }

  /**
   * The checksum of all records of the family, as known to this client; undefined if it does not know the checksum of the
   * records that it does not hold.
   * @returns {number | undefined}
   */
  get checksum() {
    return this.unsent === undefined ? undefined : sum(this.held, this.unsent);
  }

  /**
   * Applies one change, all or nothing.
   *
   * Old messages are not in a snapshot (they are paged), so a change of a message that is not held is ignored.
   * @param {Change} change
   * @throws {Divergence} if the change does not continue the held records
   */
  apply(change) {
    /** @type {Map<string, FamilyRecord>} */
    const touched = new Map();
    let unsent = this.unsent === undefined ? undefined : sum(this.unsent, change.unknown);
    for (const entry of change.entries) {
      const record = recordAfter(entry, change, touched.get(entry.id) ?? this.all.get(entry.id));
      if (record) touched.set(entry.id, record);
      else if (unsent !== undefined) unsent = followed(unsent, entry);
    }
    for (const [id, record] of touched) {
      this.sum = replaced(this.held, this.all.get(id), record);
      this.all.set(id, record);
    }
    this.unsent = unsent;
  }
}

/**
 * @param {ChangeEntry} entry
 * @param {Change} change
 * @param {FamilyRecord | undefined} held
 * @returns {FamilyRecord | undefined}
 */
function recordAfter(entry, change, held) {
  const fields = entry.fields ?? {};
  /**
   * @param {number} createdAt
   * @param {string} createdBy
   * @returns {FamilyRecord}
   */
  const made = (createdAt, createdBy) =>
    makeRecord(
      {
        kind: entry.kind, id: entry.id, athlete: entry.athlete, version: entry.version, created_at: createdAt, created_by: createdBy,
        updated_at: change.at, updated_by: change.member, fields: {},
      },
      fields);
  if (entry.op === "create") {
    if (held) throw new Divergence(entry.id);
    return made(change.at, change.member);
  }
  if (!held) {
    // The frame contains the whole record, so it need not be held (its tombstone may have been older than the snapshot).
    if (entry.op === "restore") return made(entry.created_at ?? 0, entry.created_by ?? "");
    if (entry.kind !== "message") throw new Divergence(entry.id);
    return undefined;
  }
  if (held.kind !== entry.kind || held.version !== entry.version - 1) throw new Divergence(entry.id);
  const record = { ...held, version: entry.version, updated_at: change.at, updated_by: change.member };
  switch (entry.op) {
    case "update":
      return makeRecord(record, readFields(entry.kind, { ...held.fields, ...fields }));
    case "delete":
      return makeRecord({ ...record, deleted_at: change.at }, held.fields);
    default:
      return makeRecord({ ...record, athlete: entry.athlete, deleted_at: undefined }, fields);
  }
}
