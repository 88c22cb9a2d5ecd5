// The two sides of a refused change, and the decision about them; as `ConflictSides` in Swift.
import { KINDS } from "../family/kinds.js";
import { apply } from "../family/merge.js";
import { isEqual, makeOperation, readFields } from "../family/records.js";
import { WORDS } from "../words/conflicts.js";
import { Refusal, rejection } from "../wire/rejections.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/kinds.js").FieldDeclaration} FieldDeclaration */
/** @typedef {import("./pending.js").Draft} Draft */
/**
 * One field that the refused change writes; null stands for an empty field.
 * @typedef {object} ConflictSide
 * @property {string} field
 * @property {any} base the value that the author saw; null if it was empty, or is unknown by now
 * @property {any} yours
 * @property {any} theirs
 * @property {boolean} contested whether another member changed it too, so that a choice is needed
 * @property {string} [member]
 * @property {number} [at]
 */
/**
 * @typedef {object} ConflictSides
 * @property {number} draft
 * @property {number} operation position of the operation in its batch
 * @property {"fields" | "deleted" | "whole"} matter
 * @property {FamilyRecord} record the current record; a decision is based on this version
 * @property {ConflictSide[]} fields
 */
/** @typedef {"yours" | "theirs" | "both" | {value: any}} ConflictChoice */

/**
 * The two sides of a draft; undefined for a draft that was not refused with `conflict`.
 * @param {Draft} draft
 * @param {(id: string) => FamilyRecord | undefined} confirmed
 * @returns {ConflictSides | undefined}
 */
export function sides(draft, confirmed) {
  const told = draft.rejection.conflict;
  if (!told) return undefined;
  const found = draft.operations.findIndex((operation) => operation.id === told.record.id);
  const place = draft.rejection.operation ?? Math.max(found, 0);
  const operation = draft.operations[place];
  if (!operation || operation.id !== told.record.id) return undefined;
  let now = told.record;
  const held = confirmed(now.id);
  if (held && held.version > now.version) now = held;
  if (operation.op !== "update") return { draft: draft.id, operation: place, matter: "whole", record: now, fields: [] };
  const isDeleted = now.deleted_at !== undefined;
  const mine = apply(operation, now.fields, () => undefined);
  /** @type {ConflictSide[]} */
  const fields = [];
  for (const { name, type } of KINDS[now.kind].fields) {
    if (!operation.fields || !(name in operation.fields)) continue;
    const theirs = now.fields[name] ?? null;
    const field = told.fields.find((one) => one.field === name);
    // The record changed again since the refusal, and the author has not seen that.
    const isNew = now.version > told.record.version && !isEqual(theirs, told.record.fields[name] ?? null);
    const contested = !isDeleted && (field !== undefined || isNew) && !isEqual(theirs, mine[name] ?? null);
    const yours = operation.fields[name] ?? null;
    /** @type {ConflictSide} */
    const side = {
      field: name, base: field?.base ?? null, yours: type === "set" && yours !== null ? yours.map((/** @type {any} */ id) => ({ id })) : yours, theirs,
      contested,
    };
    const member = contested ? (isNew ? now.updated_by : field?.member) : undefined;
    if (member !== undefined) side.member = member;
    const at = contested ? (isNew ? now.updated_at : field?.at) : undefined;
    if (at !== undefined) side.at = at;
    fields.push(side);
  }
  return { draft: draft.id, operation: place, matter: isDeleted ? "deleted" : "fields", record: now, fields };
}

/**
 * The operations of a draft with the decisions in them; empty if nothing is left to request.
 * @param {Draft} draft
 * @param {ConflictSides} shown
 * @param {{[field: string]: ConflictChoice}} choices
 * @param {ConflictChoice} [whole]
 * @returns {Operation[]}
 * @throws {Refusal} if a contested field is not decided, or cannot be both
 */
export function decided(draft, shown, choices, whole) {
  const refused = draft.operations[shown.operation];
  const record = shown.record;
  const fields = { ...refused.fields };
  for (const side of shown.fields.filter((one) => one.contested)) {
    const declaration = /** @type {FieldDeclaration} */ (KINDS[record.kind].fields.find((one) => one.name === side.field));
    const choice = Object.hasOwn(choices, side.field) ? choices[side.field] : whole;
    if (choice === undefined) {
      throw new Refusal(
        rejection("required", WORDS.sayForWhetherYoursTheirs(declaration.label), { kind: record.kind, id: record.id, field: side.field }));
    }
    delete fields[side.field];
    if (choice === "yours") fields[side.field] = side.yours;
    else if (choice === "both") fields[side.field] = both(side, declaration, record);
    else if (choice !== "theirs") fields[side.field] = choice.value ?? null;
  }
  const operations = [...draft.operations];
  const isEmpty = Object.keys(fields).length === 0 && Object.keys(refused.add ?? {}).length === 0 && Object.keys(refused.remove ?? {}).length === 0;
  if (isEmpty) operations.splice(shown.operation, 1);
  else operations[shown.operation] = makeOperation({ ...refused, base: record.version, merge: "disjoint", fields });
  // The server found no conflict in the draft's earlier operations on the record, up to the version that it returned.
  const version = draft.rejection.conflict?.record.version;
  if (version !== undefined) {
    for (let place = 0; place < Math.min(shown.operation, operations.length); place += 1) {
      const operation = operations[place];
      if (operation.id === record.id && operation.base !== undefined) operations[place] = { ...operation, base: version };
    }
  }
  return operations;
}

/**
 * @param {ConflictSide} side
 * @param {FieldDeclaration} declaration
 * @param {FamilyRecord} record
 * @returns {any}
 */
function both(side, declaration, record) {
  const { theirs, yours } = side;
  if (yours === null) return theirs;
  if (theirs === null) return yours;
  const about = { kind: record.kind, id: record.id, field: side.field };
  if (declaration.type === "text" || declaration.type === "line") {
    const text = theirs + (declaration.type === "text" ? "\n" : " / ") + yours;
    // Characters are Unicode scalars, as in the server's limits.
    if ([...text].length > (declaration.max ?? 0)) {
      throw new Refusal(
        rejection("too_long", WORDS.bothTogetherAreLonger(declaration.max), about));
    }
    return text;
  }
  if (declaration.type === "set") {
    const held = new Set(theirs.map((/** @type {any} */ element) => element.id));
    const more = yours.filter((/** @type {any} */ element) => !held.has(element.id));
    return readFields(record.kind, { [side.field]: [...theirs, ...more].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)) })[side.field];
  }
  throw new Refusal(rejection("invalid", WORDS.cannotBeBothChooseYours(declaration.label), about));
}
