// The keys that lists need from one record, computed once, as in the Swift target Queries.
import { readDate, readLocal, readTime } from "../dates/calendar.js";
import { folded, prefix } from "../folding/folded.js";
import { KINDS } from "../family/kinds.js";
import { ORDERED_NAME_OCTETS, QUERIES } from "./declarations.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/**
 * Converts a local time of a zone, in minutes since 1970-01-01T00:00, to milliseconds of UTC; undefined for an unknown
 * zone, which is read as UTC. `dates/zones.js` has one.
 * @typedef {(zone: string, minutes: number) => number | undefined} InstantOf
 */
/**
 * @typedef {object} ListKeys
 * @property {FamilyRecord} record
 * @property {number} moment day and time, or the instant if it has a zone; a day without a time comes before its times
 * @property {number | undefined} firstDay days since 1970-01-01; undefined without a date
 * @property {number} lastDay
 * @property {string | undefined} type the word of the type, if the kind declares it
 * @property {"attended" | "registered" | "not_registered"} status
 * @property {number} sharedCount
 * @property {string | undefined} parent the event or the trip to which the record belongs
 * @property {string} name the folded name, as far as it counts for the order
 * @property {string} texts the folded name and the other folded texts, for searches
 */

/** Half of a pair of code units, which no text holds: no search matches across two texts. */
const SEPARATOR = "\ud800";

/**
 * @param {string | undefined} text a date, or a date with a time
 * @returns {{date: number, time: number | undefined} | undefined}
 */
function readDay(text) {
  if (text === undefined) return undefined;
  const date = readDate(text);
  if (date !== undefined) return { date, time: undefined };
  const local = readLocal(text);
  if (local === undefined) return undefined;
  const day = Math.floor(local / 1440);
  return { date: day, time: local - day * 1440 };
}

/**
 * @param {any} value
 * @returns {string | undefined}
 */
function textOf(value) {
  return typeof value === "string" ? value : undefined;
}

/**
 * The keys of a record.
 * @param {FamilyRecord} record
 * @param {InstantOf} instantOf
 * @returns {ListKeys}
 */
export function listKeys(record, instantOf) {
  const declared = QUERIES[record.kind];
  const fields = record.fields;
  const start = declared.first ? readDay(textOf(fields[declared.first])) : undefined;
  let moment = -Infinity;
  let lastDay = -Infinity;
  if (start) {
    const clock = start.time ?? (declared.time ? readTime(textOf(fields[declared.time]) ?? "") : undefined);
    moment = start.date * 1441 + (clock === undefined ? 0 : clock + 1);
    lastDay = start.date;
    const end = declared.last ? readDay(textOf(fields[declared.last])) : undefined;
    // A record that ends at midnight does not cover the day that begins then.
    if (end) lastDay = Math.max(lastDay, end.time === 0 && end.date > start.date ? end.date - 1 : end.date);
    if (clock !== undefined && zoned(record.kind)) {
      const local = start.date * 1440 + clock;
      moment = Math.trunc((instantOf(textOf(fields.start_zone) ?? "UTC", local) ?? local * 60000) / 60000);
    }
  }
  let names = "";
  for (const [index, field] of declared.name.entries()) {
    if (index > 0 && names !== "") names += " ";
    names += folded(textOf(fields[field]) ?? "");
  }
  let texts = names;
  for (const field of declared.searched) {
    const text = textOf(fields[field]);
    if (text) texts += SEPARATOR + folded(text);
  }
  const type = declared.type ? textOf(fields[declared.type]) : undefined;
  return {
    record, moment, lastDay, texts,
    firstDay: start?.date,
    type: type !== undefined && typesOf(record.kind).includes(type) ? type : undefined,
    status: fields.attended === true ? "attended" : fields.registered === true ? "registered" : "not_registered",
    sharedCount: Array.isArray(fields.shared_with_schools) ? fields.shared_with_schools.length : 0,
    parent: textOf(fields.event_id) ?? textOf(fields.trip_id),
    name: prefix(names, ORDERED_NAME_OCTETS),
  };
}

/** @type {Map<string, boolean>} */
const zones = new Map();

/**
 * Whether times of a kind have zones of their own.
 * @param {string} kind
 * @returns {boolean}
 */
function zoned(kind) {
  let known = zones.get(kind);
  if (known === undefined) {
    known = KINDS[kind].fields.some((field) => field.name === "start_zone");
    zones.set(kind, known);
  }
  return known;
}

/** @type {Map<string, string[]>} */
const types = new Map();

/**
 * The words of a kind's type, in the order of the declaration; empty without a type.
 * @param {string} kind
 * @returns {string[]}
 */
export function typesOf(kind) {
  let known = types.get(kind);
  if (known === undefined) {
    const { type } = QUERIES[kind];
    known = KINDS[kind].fields.find((field) => field.name === type)?.words ?? [];
    types.set(kind, known);
  }
  return known;
}
