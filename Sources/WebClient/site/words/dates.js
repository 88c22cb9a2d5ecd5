// Dates, times and numbers as people read them, by the locale of the browser. A date is a number of days throughout; it is
// never an instant of some zone.
import { readDate, readLocal, readTime } from "../dates/calendar.js";
import { localAt } from "../dates/zones.js";

const DAY = 86400000;

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", calendar: "gregory", ...options });
    formats.set(key, made);
  }
  return made;
}

/** @type {Intl.DateTimeFormatOptions} */
const SHORT = { year: "numeric", month: "short", day: "numeric" };

/**
 * `Apr 15, 2026`.
 * @param {number} date days since 1970-01-01
 */
export function dayText(date) {
  return format(SHORT).format(date * DAY);
}

/**
 * `Wednesday, April 15`, with the year if it is not the present one.
 * @param {number} date
 * @param {number} today
 */
export function longDayText(date, today) {
  const year = { year: /** @type {"numeric"} */ ("numeric") };
  const isOtherYear = format(year).format(date * DAY) !== format(year).format(today * DAY);
  return format({ weekday: "long", month: "long", day: "numeric", ...(isOtherYear ? year : {}) }).format(date * DAY);
}

/** @param {number} date */
export function weekdayText(date) {
  return format({ weekday: "long" }).format(date * DAY);
}

/** @param {number} date */
export function shortWeekdayText(date) {
  return format({ weekday: "short" }).format(date * DAY);
}

/** @param {number} date any day of the month */
export function monthText(date) {
  return format({ month: "long", year: "numeric" }).format(date * DAY);
}

/**
 * A date as it is stored, for people: `Apr 15, 2026`; "Unknown" for anything else.
 * @param {any} text
 */
export function dateText(text) {
  const date = typeof text === "string" ? readDate(text.slice(0, 10)) : undefined;
  return date === undefined ? "Unknown" : dayText(date);
}

/**
 * The dates of an event: `Apr 15, 2026` or `Apr 15 – 16, 2026`.
 * @param {any} start
 * @param {any} [end]
 */
export function rangeText(start, end) {
  const first = typeof start === "string" ? readDate(start) : undefined;
  const last = typeof end === "string" ? readDate(end) : undefined;
  if (first === undefined) return "Unknown";
  if (last === undefined || last <= first) return dayText(first);
  return format(SHORT).formatRange(first * DAY, last * DAY);
}

/**
 * `9:00 AM`.
 * @param {any} text `HH:MM`
 * @returns {string | undefined}
 */
export function timeText(text) {
  const minutes = typeof text === "string" ? readTime(text) : undefined;
  return minutes === undefined ? undefined : minutesText(minutes);
}

/** @param {number} minutes since midnight */
export function minutesText(minutes) {
  return format({ hour: "numeric", minute: "2-digit" }).format(minutes * 60000);
}

/**
 * The day and the time of day of a local time.
 * @param {any} text `YYYY-MM-DDTHH:MM`
 * @returns {{date: number, minutes: number} | undefined}
 */
export function localParts(text) {
  const local = typeof text === "string" ? readLocal(text) : undefined;
  return local === undefined ? undefined : { date: Math.floor(local / 1440), minutes: local - Math.floor(local / 1440) * 1440 };
}

/**
 * `Apr 15, 2026, 9:00 AM`.
 * @param {any} text `YYYY-MM-DDTHH:MM`
 */
export function localText(text) {
  const parts = localParts(text);
  return parts ? `${dayText(parts.date)}, ${minutesText(parts.minutes)}` : dateText(text);
}

/**
 * An instant in the zone of this browser: the time alone today, else with the day.
 * @param {number} instant milliseconds of UTC
 */
export function instantText(instant) {
  const { zone, local: now } = presentTime();
  const local = localAt(zone, instant) ?? Math.floor(instant / 60000);
  const date = Math.floor(local / 1440);
  const time = minutesText(local - date * 1440);
  return date === Math.floor(now / 1440) ? time : `${dayText(date)}, ${time}`;
}

/** The zone of this browser and the present there, as they were found last: lists ask for them with every row. */
let present = { minute: -1, zone: "UTC", local: 0 };

function presentTime() {
  const minute = Math.floor(Date.now() / 60_000);
  if (present.minute !== minute) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    present = { minute, zone, local: localAt(zone, minute * 60_000) ?? minute };
  }
  return present;
}

/** The zone of this browser. */
export function ownZone() {
  return presentTime().zone;
}

/**
 * `2h 0m`, `45m`; `All day` without an end (R152).
 * @param {number | undefined} minutes
 */
export function durationText(minutes) {
  if (minutes === undefined) return "All day";
  return minutes >= 60 ? `${Math.floor(minutes / 60)}h ${minutes % 60}m` : `${minutes}m`;
}

/** @param {number} octets */
export function sizeText(octets) {
  if (octets < 1000) return `${octets} bytes`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = octets / 1000, unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} ${units[unit]}`;
}

/**
 * A number with its noun: `1 event`, `2 events`.
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function counted(number, one, many = `${one}s`) {
  return `${new Intl.NumberFormat().format(number)} ${number === 1 ? one : many}`;
}
