// How an operation changes the fields of a record; as `Merge` in Swift.
import { KINDS } from "./kinds.js";
import { readFields, setElement } from "./records.js";

/** @typedef {import("./records.js").Fields} Fields */
/** @typedef {import("./records.js").Operation} Operation */
/** @typedef {import("./records.js").SetElement} SetElement */
/** @typedef {import("./kinds.js").FieldDeclaration} FieldDeclaration */

/**
 * Applies the fields and set edits of an operation.
 *
 * An element that a set held already keeps name and role; a new one gets them from `resolve`.
 * @param {Operation} operation
 * @param {Fields} current
 * @param {(kind: string, id: string) => SetElement | undefined} resolve
 * @returns {Fields}
 */
export function apply(operation, current, resolve) {
  /** @type {Fields} */
  const fields = { ...current };
  for (const field of KINDS[operation.kind].fields) {
    if (operation.fields && field.name in operation.fields) {
      const value = operation.fields[field.name] ?? null;
      if (field.type === "set" && value !== null) {
        assign(fields, field, madeSet(value.map((/** @type {any} */ one) => one.id ?? one), current[field.name] ?? [], field, resolve));
      } else if (!isSame(value, current[field.name], field)) {
        assign(fields, field, value);
      }
    }
    const add = operation.add?.[field.name];
    const remove = operation.remove?.[field.name];
    if (!add && !remove) continue;
    /** @type {SetElement[]} */
    const held = fields[field.name] ?? [];
    const ids = new Set(held.map((element) => element.id));
    for (const id of remove ?? []) ids.delete(id);
    for (const id of add ?? []) ids.add(id);
    assign(fields, field, madeSet([...ids], held, field, resolve));
  }
  return readFields(operation.kind, fields);
}

/**
 * @param {Fields} fields
 * @param {FieldDeclaration} field
 * @param {any} value
 */
function assign(fields, field, value) {
  if (value === null) delete fields[field.name];
  else fields[field.name] = value;
}

/**
 * @param {string[]} ids
 * @param {SetElement[]} held
 * @param {FieldDeclaration} field
 * @param {(kind: string, id: string) => SetElement | undefined} resolve
 * @returns {SetElement[] | null}
 */
function madeSet(ids, held, field, resolve) {
  if (ids.length === 0) return null;
  const known = new Map(held.map((element) => [element.id, element]));
  return [...ids].sort().map((id) => known.get(id) ?? resolve(field.of ?? "", id) ?? setElement(id));
}

/**
 * Whether assigning a value leaves a field as it is: a measure of the same value, or a smaller number where numbers only
 * grow.
 * @param {any} value
 * @param {any} current
 * @param {FieldDeclaration} field
 * @returns {boolean}
 */
function isSame(value, current, field) {
  if (field.type === "measure" && typeof value === "string" && typeof current === "string") {
    const [left, right] = [plainDecimal(value), plainDecimal(current)];
    return left !== undefined && left === right;
  }
  return field.type === "integer" && typeof value === "number" && typeof current === "number" && field.only_grows === true && value <= current;
}

/**
 * A decimal number without zeros that change nothing.
 * @param {string} text
 * @returns {string | undefined} undefined for other texts
 */
function plainDecimal(text) {
  const parts = text.length <= 64 ? /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text) : null;
  if (!parts) return undefined;
  const whole = parts[2].replace(/^0+/, "");
  const fraction = (parts[3] ?? "").replace(/0+$/, "");
  return `${whole === "" && fraction === "" ? "" : parts[1]}${whole}.${fraction}`;
}
