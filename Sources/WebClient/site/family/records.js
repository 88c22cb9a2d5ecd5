// Records, operations and changes in the form of frames; members that this program does not know are left out.
import { KINDS } from "./kinds.js";

/**
 * One element of a set-valued field.
 * @typedef {{id: string, name?: string, role?: string}} SetElement
 */
/**
 * The fields of a record by name, in the order of the declaration; an empty field is absent.
 * @typedef {{[name: string]: any}} Fields
 */
/**
 * @typedef {object} FamilyRecord
 * @property {string} kind
 * @property {string} id
 * @property {string} [athlete]
 * @property {number} version
 * @property {number} created_at
 * @property {string} created_by
 * @property {number} updated_at
 * @property {string} updated_by
 * @property {number} [deleted_at]
 * @property {Fields} fields
 */
/**
 * An operation as frames have it. `fields` may hold null, which clears a field.
 * @typedef {object} Operation
 * @property {string} op
 * @property {string} kind
 * @property {string} id
 * @property {string} [athlete]
 * @property {string} [from]
 * @property {number} [base]
 * @property {string} [merge]
 * @property {number} [days]
 * @property {Fields} [fields]
 * @property {{[name: string]: string[]}} [add]
 * @property {{[name: string]: string[]}} [remove]
 */
/**
 * @typedef {object} ChangeEntry
 * @property {string} op
 * @property {string} kind
 * @property {string} id
 * @property {string} [athlete]
 * @property {number} version
 * @property {number} [created_at]
 * @property {string} [created_by]
 * @property {Fields} [fields]
 */
/** @typedef {{reason: string, pairs: [string, string][]}} OverlapOverride */

/**
 * Whether two values of a field are equal.
 * @param {any} left
 * @param {any} right
 * @returns {boolean}
 */
export function isEqual(left, right) {
  if (left === right) return true;
  if (left === undefined || right === undefined || left === null || right === null) return (left ?? null) === (right ?? null);
  return typeof left === "object" && typeof right === "object" && JSON.stringify(left) === JSON.stringify(right);
}

/**
 * A value as the server writes it.
 * @param {string} type
 * @param {any} value
 * @returns {any}
 */
function readValue(type, value) {
  if (value === null || value === undefined) return null;
  if (type === "link") return { kind: value.kind, id: value.id };
  if (type !== "set") return value;
  return value.map((/** @type {SetElement} */ element) => setElement(element.id, element.name, element.role));
}

/**
 * An element of a set, without an empty name or role.
 * @param {string} id
 * @param {string} [name]
 * @param {string} [role]
 * @returns {SetElement}
 */
export function setElement(id, name, role) {
  /** @type {SetElement} */
  const element = { id };
  if (name) element.name = name;
  if (role) element.role = role;
  return element;
}

/**
 * Fields in the order of the declaration, without empty ones.
 * @param {string} kind
 * @param {Fields} raw
 * @returns {Fields}
 */
export function readFields(kind, raw) {
  /** @type {Fields} */
  const fields = {};
  for (const field of KINDS[kind].fields) {
    const value = readValue(field.type, raw[field.name]);
    if (value !== null) fields[field.name] = value;
  }
  return fields;
}

/**
 * Assigned fields in the order of the declaration; null for a field that is empty now.
 * @param {string} kind
 * @param {Fields} raw
 * @returns {Fields}
 */
export function readAssignments(kind, raw) {
  /** @type {Fields} */
  const fields = {};
  for (const field of KINDS[kind].fields) {
    if (field.name in raw) fields[field.name] = readValue(field.type, raw[field.name]);
  }
  return fields;
}

/**
 * Whether this program knows the kind of a record, and the kinds of its links.
 * @param {any} raw a record, or an entry about one
 * @returns {boolean}
 */
export function isKnown(raw) {
  if (!Object.hasOwn(KINDS, raw.kind)) return false;
  for (const field of KINDS[raw.kind].fields) {
    const value = raw.fields?.[field.name];
    if (field.type === "link" && value && !Object.hasOwn(KINDS, value.kind)) return false;
  }
  return true;
}

/**
 * A record of a known kind.
 * @param {any} raw
 * @returns {FamilyRecord}
 */
export function readRecord(raw) {
  return makeRecord(raw, readFields(raw.kind, raw.fields));
}

/**
 * A record with other fields; its members have the order of frames.
 * @param {FamilyRecord} from
 * @param {Fields} fields
 * @returns {FamilyRecord}
 */
export function makeRecord(from, fields) {
  /** @type {any} */
  const record = { kind: from.kind, id: from.id };
  if (from.athlete !== undefined) record.athlete = from.athlete;
  record.version = from.version;
  record.created_at = from.created_at;
  record.created_by = from.created_by;
  record.updated_at = from.updated_at;
  record.updated_by = from.updated_by;
  if (from.deleted_at !== undefined) record.deleted_at = from.deleted_at;
  record.fields = fields;
  return record;
}

/**
 * An entry of a change, about a record of a known kind.
 * @param {any} raw
 * @returns {ChangeEntry}
 */
export function readEntry(raw) {
  /** @type {any} */
  const entry = { op: raw.op, kind: raw.kind, id: raw.id };
  if (raw.athlete !== undefined) entry.athlete = raw.athlete;
  entry.version = raw.version;
  if (raw.op === "restore") {
    entry.created_at = raw.created_at;
    entry.created_by = raw.created_by;
  }
  if (raw.op === "create" || raw.op === "restore") entry.fields = readFields(raw.kind, raw.fields);
  if (raw.op === "update") entry.fields = readAssignments(raw.kind, raw.fields);
  return entry;
}

/**
 * An operation in the one spelling that is sent: members in the order of frames, fields in that of the declaration, sets
 * as ids.
 * @param {Operation} raw
 * @returns {Operation}
 */
export function makeOperation(raw) {
  /** @type {any} */
  const operation = { op: raw.op, kind: raw.kind, id: raw.id };
  switch (raw.op) {
    case "create":
      if (raw.athlete !== undefined) operation.athlete = raw.athlete;
      operation.fields = assignments(raw);
      break;
    case "update": {
      operation.base = raw.base;
      if (raw.merge === "disjoint") operation.merge = "disjoint";
      const fields = assignments(raw);
      if (Object.keys(fields).length > 0) operation.fields = fields;
      const add = edits(raw.kind, raw.add);
      if (Object.keys(add).length > 0) operation.add = add;
      const remove = edits(raw.kind, raw.remove);
      if (Object.keys(remove).length > 0) operation.remove = remove;
      break;
    }
    case "copy":
      operation.from = raw.from;
      operation.days = raw.days;
      break;
    case "shift":
      operation.base = raw.base;
      operation.days = raw.days;
      break;
    default:
      operation.base = raw.base;
  }
  return operation;
}

/**
 * @param {Operation} raw
 * @returns {Fields}
 */
function assignments(raw) {
  /** @type {Fields} */
  const fields = {};
  for (const field of KINDS[raw.kind].fields) {
    if (!raw.fields || !(field.name in raw.fields)) continue;
    const value = raw.fields[field.name] ?? null;
    fields[field.name] = field.type === "set" && value !== null ? value.map((/** @type {any} */ element) => element.id ?? element) : value;
  }
  return fields;
}

/**
 * @param {string} kind
 * @param {{[name: string]: string[]} | undefined} raw
 * @returns {{[name: string]: string[]}}
 */
function edits(kind, raw) {
  /** @type {{[name: string]: string[]}} */
  const result = {};
  for (const field of KINDS[kind].fields) {
    const ids = raw?.[field.name];
    if (ids && ids.length > 0) result[field.name] = [...ids];
  }
  return result;
}

/**
 * Accepted overlaps with their pairs in order, each once.
 * @param {OverlapOverride} raw
 * @returns {OverlapOverride}
 */
export function makeOverlap(raw) {
  const pairs = raw.pairs.map(([one, other]) => /** @type {[string, string]} */ (one < other ? [one, other] : [other, one]));
  const unique = new Map(pairs.map((pair) => [pair.join(" "), pair]));
  return { reason: raw.reason, pairs: [...unique.keys()].sort().map((key) => /** @type {[string, string]} */ (unique.get(key))) };
}

/**
 * Whether an operation makes a record.
 * @param {Operation} operation
 * @returns {boolean}
 */
export function isCreate(operation) {
  return operation.op === "create" || operation.op === "copy";
}

/**
 * All records that the values of an operation name.
 * @param {Operation} operation
 * @returns {string[]}
 */
export function references(operation) {
  /** @type {string[]} */
  const found = [];
  if (operation.op === "create" && operation.athlete !== undefined) found.push(operation.athlete);
  if (operation.op === "copy" && operation.from !== undefined) found.push(operation.from);
  for (const field of KINDS[operation.kind].fields) {
    const value = operation.fields?.[field.name] ?? null;
    if (value === null) continue;
    if (field.type === "reference") found.push(value);
    if (field.type === "link") found.push(value.id);
    if (field.type === "set") found.push(...value);
  }
  for (const ids of Object.values(operation.add ?? {})) found.push(...ids);
  return found;
}

/**
 * Who or what a record is, for people.
 * @param {FamilyRecord} record
 * @returns {string}
 */
export function shownName(record) {
  const fields = record.fields;
  switch (record.kind) {
    case "coach":
      return [fields.first_name, fields.last_name].filter((name) => name !== undefined).join(" ");
    case "trip_item":
    case "document":
      return fields.title ?? "";
    case "interaction":
      return fields.subject ?? "";
    case "metric":
      return fields.label ?? choiceLabel(record, "metric_type") ?? "";
    case "message":
    case "reading_position":
    case "reminder_rule":
      return "";
    default:
      return fields.name ?? "";
  }
}

/**
 * The label of a choice; the word itself if it is one of a newer program.
 * @param {FamilyRecord} record
 * @param {string} name
 * @returns {string | undefined}
 */
export function choiceLabel(record, name) {
  const word = record.fields[name];
  const field = KINDS[record.kind].fields.find((one) => one.name === name);
  const place = field?.words?.indexOf(word) ?? -1;
  return place >= 0 ? field?.labels?.[place] : word;
}

/**
 * A record as an element of a set.
 * @param {FamilyRecord} record
 * @returns {SetElement}
 */
export function asSetElement(record) {
  const hasRole = record.kind === "coach" || record.kind === "member";
  return setElement(record.id, shownName(record), hasRole ? record.fields.role : undefined);
}
