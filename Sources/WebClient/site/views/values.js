// Values of fields, as people read them.
import { KINDS } from "../family/kinds.js";
import { dateText, localText, timeText } from "../words/dates.js";
import { WORDS } from "../words/values.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */

/**
 * A value of a field, for people.
 * @param {App} app
 * @param {string} kind
 * @param {string} name
 * @param {any} value
 * @returns {string}
 */
export function valueText(app, kind, name, value) {
  if (value === null || value === undefined || value === "") return "(empty)";
  const field = KINDS[kind].fields.find((one) => one.name === name);
  switch (field?.type) {
    case "choice": return field.labels?.[field.words?.indexOf(value) ?? -1] ?? String(value);
    case "flag": return value ? WORDS.yes : WORDS.no;
    case "date": return dateText(value);
    case "time": return timeText(value) ?? String(value);
    case "local_date_time": return localText(value);
    case "reference": { const record = app.store.engine.record(value); return record ? titleOf(record) : "(deleted)"; }
    case "set": return value.map((/** @type {any} */ one) => one.name ?? app.season.nameOf(one.id ?? one)).join(", ") || "(empty)";
    case "link": { const record = app.store.engine.record(value.id); return record ? titleOf(record) : "(deleted)"; }
    case "json": return JSON.stringify(value);
    default: return String(value);
  }
}
