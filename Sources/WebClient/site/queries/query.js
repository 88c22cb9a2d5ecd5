// Filters, searches and orders of lists, as in the Swift target Queries.
import { monthOf, readDate } from "../dates/calendar.js";
import { compare, folded } from "../folding/folded.js";
import { QUERIES } from "./declarations.js";
import { typesOf } from "./keys.js";

/** @typedef {import("./keys.js").ListKeys} ListKeys */
/**
 * Conditions by their names in frames; absent members set no condition.
 * @typedef {object} Filter
 * @property {string} [type]
 * @property {string[]} [types]
 * @property {"registered" | "not_registered" | "attended"} [status]
 * @property {"upcoming" | "past" | "this_month" | "next_month"} [date]
 * @property {string} [school_id]
 * @property {string} [coach_id]
 * @property {string} [event_id]
 * @property {string} [trip_id]
 * @property {string} [from]
 * @property {string} [to]
 * @property {string} [day]
 * @property {boolean} [itinerary]
 * @property {boolean} [shared]
 * @property {boolean} [current]
 * @property {string} [about]
 */
/**
 * @typedef {object} Query
 * @property {string} kind
 * @property {string} [athlete] the owner of the records; all owners without it
 * @property {Filter} [filter]
 * @property {string} [search] as typed
 * @property {string} [sort] the kind's usual order without it
 * @property {boolean} [deleted] whether the list has the deleted records instead of the living ones
 */

/**
 * The types of a filter, each as it was named.
 * @param {Filter} filter
 * @returns {string[]}
 */
export function wordsOf(filter) {
  return filter.types ?? (filter.type === undefined ? [] : [filter.type]);
}

/**
 * The types that a word means: one type, or both visits (R033); undefined for an unknown word.
 * @param {string} kind
 * @param {string} word
 * @returns {string[] | undefined}
 */
export function meaning(kind, word) {
  if (kind === "event" && word === "visit") return ["official_visit", "unofficial_visit"];
  return typesOf(kind).includes(word) ? [word] : undefined;
}

/**
 * A test whether records match a query, with everything that does not depend on the record computed before.
 * @param {Query} query one that is not refused
 * @param {number} today in the family's zone, in days since 1970-01-01
 * @returns {(keys: ListKeys) => boolean}
 */
export function matcher(query, today) {
  const filter = query.filter ?? {};
  const deleted = query.deleted ?? false;
  const words = wordsOf(filter).flatMap((word) => meaning(query.kind, word) ?? []);
  const types = words.length > 0 ? new Set(words) : undefined;
  const parent = filter.event_id ?? filter.trip_id;
  const [from, to, day] = [filter.from, filter.to, filter.day].map((text) => (text === undefined ? undefined : readDate(text)));
  const needle = folded(query.search ?? "");
  // Older versions of a document are rarely wanted; among deleted documents all versions are.
  const hasVersions = QUERIES[query.kind].filters.includes("current");
  const current = hasVersions ? filter.current ?? (deleted ? undefined : true) : undefined;
  const month = filter.date === "this_month" ? monthOf(today, 0) : filter.date === "next_month" ? monthOf(today, 1) : undefined;
  return (keys) => {
    const { record, firstDay, lastDay } = keys;
    const { fields } = record;
    if (record.kind !== query.kind || (record.deleted_at !== undefined) !== deleted) return false;
    if (query.athlete !== undefined && record.athlete !== undefined && record.athlete !== query.athlete) return false;
    if (types && (keys.type === undefined || !types.has(keys.type))) return false;
    if (filter.status !== undefined && keys.status !== filter.status) return false;
    if (filter.date !== undefined) {
      // A record without a date is in no window.
      if (firstDay === undefined) return false;
      if (filter.date === "upcoming" && lastDay < today) return false;
      if (filter.date === "past" && lastDay >= today) return false;
      if ((filter.date === "this_month" || filter.date === "next_month") && (!month || firstDay > month[1] || lastDay < month[0])) return false;
    }
    if (filter.school_id !== undefined && fields.school_id !== filter.school_id) return false;
    if (filter.coach_id !== undefined && fields.coach_id !== filter.coach_id) return false;
    if (parent !== undefined && keys.parent !== parent) return false;
    if (from !== undefined && (firstDay === undefined || firstDay < from)) return false;
    if (to !== undefined && (firstDay === undefined || firstDay > to)) return false;
    if (day !== undefined && (firstDay === undefined || firstDay > day || day > lastDay)) return false;
    if (filter.itinerary !== undefined && (fields.include_in_itinerary === true) !== filter.itinerary) return false;
    if (filter.shared !== undefined && keys.sharedCount > 0 !== filter.shared) return false;
    if (current !== undefined && (fields.is_current === true) !== current) return false;
    return needle === "" || keys.texts.includes(needle);
  };
}

/**
 * The order of two numbers that may be infinite.
 * @param {number} left
 * @param {number} right
 * @returns {number}
 */
function byNumber(left, right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * The order of two records in a list; no two records are equal.
 * @param {string} sort
 * @returns {(left: ListKeys, right: ListKeys) => number}
 */
export function comparator(sort) {
  /** @type {(left: ListKeys, right: ListKeys) => number} */
  const later = (left, right) => byNumber(right.moment, left.moment);
  /** @type {(left: ListKeys, right: ListKeys) => number} */
  const newer = (left, right) => right.record.created_at - left.record.created_at;
  /** @type {(left: ListKeys, right: ListKeys) => number} */
  const named = (left, right) => {
    const [one, other] = [left.name, right.name];
    return left.isPlain && right.isPlain ? (one < other ? -1 : one > other ? 1 : 0) : compare(one, other);
  };
  /** @type {(left: ListKeys, right: ListKeys) => number} */
  const first = {
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    date_desc: later,
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    date_asc: (left, right) => -later(left, right),
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    start: (left, right) => -later(left, right),
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    name: (left, right) => named(left, right) || later(left, right),
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    type: (left, right) => compare(left.type ?? "", right.type ?? "") || later(left, right) || newer(left, right),
    newest: newer,
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    oldest: (left, right) => -newer(left, right),
    /** @type {(left: ListKeys, right: ListKeys) => number} */
    most_shared: (left, right) => right.sharedCount - left.sharedCount || newer(left, right),
  }[sort] ?? later;
  return (left, right) => first(left, right) || named(left, right) || (left.record.id < right.record.id ? -1 : left.record.id > right.record.id ? 1 : 0);
}

/**
 * The matching records, in order.
 * @param {Query} query one that is not refused
 * @param {Iterable<ListKeys>} records the keys of all records of the kind
 * @param {number} today in the family's zone, in days since 1970-01-01
 * @returns {ListKeys[]}
 */
export function select(query, records, today) {
  const matches = matcher(query, today);
  /** @type {ListKeys[]} */
  const found = [];
  for (const keys of records) if (matches(keys)) found.push(keys);
  return found.sort(comparator(query.sort ?? QUERIES[query.kind].sorts[0]));
}
