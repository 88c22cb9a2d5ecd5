// The folding of a later edit into an earlier, unsent edit of the same record; as `Folding` in Swift.
import { makeOperation } from "../family/records.js";
import { KINDS } from "../family/kinds.js";

/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").Fields} Fields */

/**
 * Folds `later` into `earlier`; both name the same record.
 *
 * The base of an update stays that of the earlier operation: the edit is based on the version that the author saw first.
 * A delete takes its own base, because it overwrites no part of the edit that it replaces.
 * @param {Operation} later
 * @param {Operation} earlier
 * @returns {Operation | "nothing" | "separate"} one operation that does both; "nothing" if they cancel out; "separate" if
 *   they have to be requested one after the other
 */
export function fold(later, earlier) {
  if (later.id !== earlier.id || later.kind !== earlier.kind) return "separate";
  switch (`${earlier.op} ${later.op}`) {
    case "create update":
      return makeOperation({ ...earlier, fields: withoutSetEdits(earlier.kind, merged(later, earlier)) });
    case "update update": {
      const merge = earlier.merge === "disjoint" && later.merge === "disjoint" ? "disjoint" : undefined;
      return makeOperation({ op: "update", kind: earlier.kind, id: earlier.id, base: earlier.base, merge, ...merged(later, earlier) });
    }
    case "update delete":
      return later;
    case "create delete":
    case "delete restore":
    case "restore delete":
      return "nothing";
    default:
      return "separate";
  }
}

/**
 * One patch with the effect of `earlier` followed by `later`.
 * @param {Operation} later
 * @param {Operation} earlier
 * @returns {{fields: Fields, add: {[name: string]: string[]}, remove: {[name: string]: string[]}}}
 */
export function merged(later, earlier) {
  /** @type {Fields} */
  const fields = { ...earlier.fields };
  const add = { ...earlier.add };
  const remove = { ...earlier.remove };
  for (const [name, value] of Object.entries(later.fields ?? {})) {
    fields[name] = value;
    delete add[name];
    delete remove[name];
  }
  for (const field of KINDS[later.kind].fields) {
    const name = field.name;
    const adding = later.add?.[name] ?? [];
    const removing = later.remove?.[name] ?? [];
    if (adding.length === 0 && removing.length === 0) continue;
    if (name in fields) {
      fields[name] = applied(adding, removing, fields[name]);
      continue;
    }
    const [added, removed] = [add[name] ?? [], remove[name] ?? []];
    add[name] = [...added.filter((id) => !removing.includes(id) && !adding.includes(id)), ...adding];
    remove[name] = [...removed.filter((id) => !adding.includes(id) && !removing.includes(id)), ...removing];
  }
  return { fields, add, remove };
}

/**
 * @param {string[]} add
 * @param {string[]} remove
 * @param {any} assigned
 * @returns {string[] | null}
 */
function applied(add, remove, assigned) {
  /** @type {string[]} */
  const ids = (assigned ?? []).map((/** @type {any} */ one) => one.id ?? one).filter((/** @type {string} */ id) => !remove.includes(id));
  for (const id of add) if (!ids.includes(id)) ids.push(id);
  return ids.length === 0 ? null : ids.sort();
}

/**
 * A create has no earlier set, so the added elements are the set.
 * @param {string} kind
 * @param {{fields: Fields, add: {[name: string]: string[]}, remove: {[name: string]: string[]}}} patch
 * @returns {Fields}
 */
function withoutSetEdits(kind, patch) {
  const fields = { ...patch.fields };
  for (const { name } of KINDS[kind].fields) {
    const [add, remove] = [patch.add[name] ?? [], patch.remove[name] ?? []];
    if (add.length > 0 || remove.length > 0) fields[name] = applied(add, remove, null);
  }
  return fields;
}
