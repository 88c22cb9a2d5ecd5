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

/** Half of a pair of code units, which no text holds: no search matches across two texts. */
const SEPARATOR = "\ud800";

/** Days by their texts, and how many are remembered. */
/** @type {Map<string, number>} */
const days = new Map();
const MOST_DAYS = 4_096;

/**
 * @param {string | undefined} text a date, or a date with a time
 * @returns {{date: number, time: number | undefined} | undefined}
 */
function readDay(text) {
  if (text === undefined) return undefined;
  // Thousands of records share some hundred days.
  let date = days.get(text);
  if (date === undefined) {
    date = readDate(text);
    if (date !== undefined && days.size < MOST_DAYS) days.set(text, date);
  }
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
 * The folded name of a record, whole.
 * @param {FamilyRecord} record
 */
function nameOf({ kind, fields }) {
  let name = "";
  for (const [index, field] of QUERIES[kind].name.entries()) {
    if (index > 0 && name !== "") name += " ";
    name += folded(textOf(fields[field]) ?? "");
  }
  return name;
}

/** What lists need from one record. */
export class ListKeys {
  /**
   * @param {FamilyRecord} record
   * @param {InstantOf} instantOf
   */
  constructor(record, instantOf) {
    const declared = QUERIES[record.kind];
    const { fields } = record;
    const start = declared.first ? readDay(textOf(fields[declared.first])) : undefined;
    const type = declared.type ? textOf(fields[declared.type]) : undefined;
    this.record = record;
    /** Day and time, or the instant if it has a zone; a day without a time comes before its times. */
    this.moment = -Infinity;
    /** Days since 1970-01-01; undefined without a date. */
    this.firstDay = start?.date;
    this.lastDay = -Infinity;
    /** The word of the type, if the kind declares it. */
    this.type = type !== undefined && typesOf(record.kind).includes(type) ? type : undefined;
    /** @type {"attended" | "registered" | "not_registered"} */
    this.status = fields.attended === true ? "attended" : fields.registered === true ? "registered" : "not_registered";
    this.sharedCount = Array.isArray(fields.shared_with_schools) ? fields.shared_with_schools.length : 0;
    /** The event or the trip to which the record belongs. */
    this.parent = textOf(fields.event_id) ?? textOf(fields.trip_id);
    /** @type {string | undefined} */
    this.names = undefined;
    /** @type {string | undefined} */
    this.all = undefined;
    /** Whether the order of the name's code units is that of its code points: nothing in it is at or above the surrogates. */
    this.isPlain = false;
    if (!start) return;
    const clock = start.time ?? (declared.time ? readTime(textOf(fields[declared.time]) ?? "") : undefined);
    this.moment = start.date * 1441 + (clock === undefined ? 0 : clock + 1);
    this.lastDay = start.date;
    const end = declared.last ? readDay(textOf(fields[declared.last])) : undefined;
    // A record that ends at midnight does not cover the day that begins then.
    if (end) this.lastDay = Math.max(this.lastDay, end.time === 0 && end.date > start.date ? end.date - 1 : end.date);
    if (clock !== undefined && zoned(record.kind)) {
      const local = start.date * 1440 + clock;
      this.moment = Math.trunc((instantOf(textOf(fields.start_zone) ?? "UTC", local) ?? local * 60000) / 60000);
    }
  }

  // The folded texts are made when an order or a search asks for them: a list by date needs few of them.

  /** The folded name, as far as it counts for the order. */
  get name() {
    if (this.names === undefined) {
      this.names = prefix(nameOf(this.record), ORDERED_NAME_OCTETS);
      this.isPlain = !/[\ud800-\uffff]/.test(this.names);
    }
    return this.names;
  }

  /** The folded name and the other folded texts, for searches. */
  get texts() {
    if (this.all === undefined) {
      const { kind, fields } = this.record;
      this.all = nameOf(this.record);
      for (const field of QUERIES[kind].searched) {
        const text = textOf(fields[field]);
        if (text) this.all += SEPARATOR + folded(text);
      }
    }
    return this.all;
  }
}

/**
 * The keys of a record.
 * @param {FamilyRecord} record
 * @param {InstantOf} instantOf
 * @returns {ListKeys}
 */
export function listKeys(record, instantOf) {
  return new ListKeys(record, instantOf);
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
