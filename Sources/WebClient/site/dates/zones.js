// Local times and instants by the browser's own zone data, with the rules of the Swift target Dates.
import { dayNumber } from "./calendar.js";

const MINUTE = 60000;

/** @type {Map<string, Intl.DateTimeFormat | undefined>} */
const formats = new Map();

/**
 * @param {string} zone
 * @returns {Intl.DateTimeFormat | undefined}
 */
function format(zone) {
  if (formats.has(zone)) return formats.get(zone);
  /** @type {Intl.DateTimeFormat | undefined} */
  let made;
  try {
    // Offsets such as +02:00, which newer browsers accept, are not names of zones.
    if (/^[A-Za-z]/.test(zone)) {
      made = new Intl.DateTimeFormat("en-US", {
        timeZone: zone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23", era: "short",
        year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric",
      });
    }
  } catch {
    // The browser does not know the zone.
  }
  // A family uses few zones; names from damaged records must not fill the memory.
  if (formats.size > 1000) formats.clear();
  formats.set(zone, made);
  return made;
}

/**
 * Whether the browser knows a zone of that name. A name in other letters than its own, which browsers accept and servers do
 * not, is none; other names of a zone are.
 * @param {string} zone
 * @returns {boolean}
 */
export function knowsZone(zone) {
  const known = format(zone)?.resolvedOptions().timeZone;
  return known !== undefined && (known === zone || known.toLowerCase() !== zone.toLowerCase());
}

/**
 * The difference of local time from UTC.
 * @param {string} zone
 * @param {number} instant milliseconds of UTC
 * @returns {number | undefined} milliseconds, negative west of Greenwich; undefined for an unknown zone
 */
export function offsetAt(zone, instant) {
  const known = format(zone);
  if (!known) return undefined;
  const second = Math.floor(instant / 1000) * 1000;
  /** @type {{[type: string]: string}} */
  const parts = {};
  for (const part of known.formatToParts(second)) parts[part.type] = part.value;
  const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
  const minutes = (dayNumber(year, Number(parts.month), Number(parts.day)) * 24 + Number(parts.hour)) * 60 + Number(parts.minute);
  return minutes * MINUTE + Number(parts.second) * 1000 - second;
}

/**
 * The instant at which the clocks show a local time: a time in a gap moves forward by the gap, and of a time that exists
 * twice the first is meant (RFC 5545, section 3.3.5).
 * @param {string} zone
 * @param {number} minutes since 1970-01-01T00:00 on the local clock
 * @returns {number | undefined} milliseconds of UTC; undefined for an unknown zone
 */
export function instantOf(zone, minutes) {
  const local = minutes * MINUTE;
  const before = offsetAt(zone, local - 26 * 60 * MINUTE);
  const after = offsetAt(zone, local + 26 * 60 * MINUTE);
  if (before === undefined || after === undefined) return undefined;
  const first = local - before;
  if (before === after || offsetAt(zone, first) === before) return first;
  const second = local - after;
  return offsetAt(zone, second) === after ? second : first;
}

/**
 * The time that the clocks show at an instant.
 * @param {string} zone
 * @param {number} instant milliseconds of UTC
 * @returns {number | undefined} minutes since 1970-01-01T00:00 on the local clock; undefined for an unknown zone
 */
export function localAt(zone, instant) {
  const offset = offsetAt(zone, instant);
  return offset === undefined ? undefined : Math.floor((instant + offset) / MINUTE);
}

/**
 * The date in a zone, or in UTC if the browser does not know the zone.
 * @param {string} zone
 * @param {number} now milliseconds of UTC
 * @returns {number} days since 1970-01-01
 */
export function todayIn(zone, now) {
  return Math.floor((localAt(zone, now) ?? Math.floor(now / MINUTE)) / 1440);
}
