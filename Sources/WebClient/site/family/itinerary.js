// When trip items are, on which days of an itinerary, and which are at the same time; as the Swift target Family.
import { readLocal } from "../dates/calendar.js";
import { instantOf } from "../dates/zones.js";
import { compare } from "../folding/folded.js";
import { shownName } from "./records.js";

/** @typedef {import("./records.js").Fields} Fields */
/** @typedef {import("./records.js").FamilyRecord} FamilyRecord */
/** @typedef {{start: number, end?: number}} Span milliseconds of UTC; without an end it lasts all day */
/** @typedef {{date: number, items: FamilyRecord[]}} ItineraryDay `date` in days since 1970-01-01 */
/** @typedef {{item: FamilyRecord, with: FamilyRecord, members: string[]}} Overlap */

/** The most days of one stay that are shown. */
export const MAX_STAY_DAYS = 400;
/** The most overlaps that one look finds. */
export const MAX_OVERLAPS = 50;

/**
 * @param {string | undefined} zone
 * @param {number} minutes
 * @returns {number} milliseconds of UTC; a local time of an unknown zone is taken for UTC
 */
function instant(zone, minutes) {
  return (zone === undefined ? undefined : instantOf(zone, minutes)) ?? minutes * 60000;
}

/**
 * When an item is.
 * @param {Fields} fields
 * @returns {Span | undefined} undefined without a start
 */
export function spanOf({ start_time, start_zone, end_time, end_zone }) {
  const [start, end] = [readLocal(start_time ?? ""), readLocal(end_time ?? "")];
  if (start === undefined) return undefined;
  /** @type {Span} */
  const span = { start: instant(start_zone, start) };
  if (end !== undefined) span.end = instant(end_zone ?? start_zone, end);
  return span;
}

/**
 * The length of an item (R152).
 * @param {Fields} fields
 * @returns {number | undefined} whole minutes, never negative; undefined for an item that lasts all day or has no start
 */
export function minutesOf(fields) {
  const span = spanOf(fields);
  return span?.end === undefined ? undefined : Math.max(0, Math.floor((span.end - span.start) / 60000));
}

/**
 * The local days on which an item shows: that of its start; for a stay all that it covers, without a last one that ends at
 * midnight.
 * @param {Fields} fields
 * @returns {[number, number] | undefined} the first and the last, in days since 1970-01-01; undefined without a start
 */
export function daysOf({ category, start_time, end_time }) {
  const [start, end] = [readLocal(start_time ?? ""), readLocal(end_time ?? "")];
  if (start === undefined) return undefined;
  const first = Math.floor(start / 1440);
  if (category !== "accommodation" || end === undefined) return [first, first];
  const last = Math.floor(end / 1440) - (end % 1440 === 0 ? 1 : 0);
  return [first, Math.min(Math.max(first, last), first + MAX_STAY_DAYS - 1)];
}

/**
 * The days that have something, in order, with their items by start, title and id. Deleted items and those that are not in
 * the itinerary are left out.
 * @param {Iterable<FamilyRecord>} items
 * @returns {ItineraryDay[]}
 */
export function itinerary(items) {
  /** @type {Map<number, {start: number, title: string, item: FamilyRecord}[]>} */
  const days = new Map();
  for (const item of items) {
    const span = spanOf(item.fields);
    const covered = daysOf(item.fields);
    if (item.kind !== "trip_item" || item.deleted_at !== undefined || item.fields.include_in_itinerary !== true || !span || !covered) continue;
    const entry = { start: span.start, title: shownName(item).normalize("NFC"), item };
    for (let date = covered[0]; date <= covered[1]; date += 1) {
      const day = days.get(date);
      if (day) day.push(entry);
      else days.set(date, [entry]);
    }
  }
  return [...days].sort(([left], [right]) => left - right).map(([date, entries]) => ({
    date,
    items: entries.sort((left, right) => left.start - right.start || compare(left.title, right.title) || compare(left.item.id, right.item.id)).map(({ item }) => item),
  }));
}

/**
 * The items that are at the same time for the same people. Touching is no overlap; an item without an end overlaps with
 * nothing, and a stay only with stays.
 * @param {Set<string>} due the ids of the items to look at; overlaps of others among themselves are left out
 * @param {Iterable<FamilyRecord>} items the living items of one trip
 * @param {Set<string>} travellers the participants of the trip; everybody in the family if it names none
 * @returns {Overlap[]} each pair once, by start
 */
export function overlaps(due, items, travellers) {
  /** @typedef {{item: FamilyRecord, start: number, end: number, isStay: boolean, people: Set<string>}} Timed */
  /** @type {Timed[]} */
  const timed = [];
  for (const item of items) {
    const span = spanOf(item.fields);
    if (span?.end === undefined || span.end <= span.start) continue;
    /** @type {Set<string>} */
    const people = new Set((item.fields.participants ?? []).map((/** @type {{id: string}} */ one) => one.id));
    timed.push({ item, start: span.start, end: span.end, isStay: item.fields.category === "accommodation", people: people.size > 0 ? people : travellers });
  }
  timed.sort((left, right) => left.start - right.start || compare(left.item.id, right.item.id));
  /** @type {Overlap[]} */
  const found = [];
  for (const [place, earlier] of timed.entries()) {
    for (let next = place + 1; next < timed.length && timed[next].start < earlier.end; next += 1) {
      const later = timed[next];
      if (earlier.isStay !== later.isStay || !(due.has(earlier.item.id) || due.has(later.item.id))) continue;
      const members = [...earlier.people].filter((id) => later.people.has(id)).sort(compare);
      if (members.length === 0) continue;
      const isEarlierFirst = due.has(earlier.item.id) && !(due.has(later.item.id) && later.item.id < earlier.item.id);
      const [item, other] = isEarlierFirst ? [earlier.item, later.item] : [later.item, earlier.item];
      found.push({ item, with: other, members });
      if (found.length === MAX_OVERLAPS) return found;
    }
  }
  return found;
}
