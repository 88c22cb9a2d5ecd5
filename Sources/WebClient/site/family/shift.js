// Moving and copying records by whole days; as `DateShift` in Swift.
import { readDate, readTime, writeDate } from "../dates/calendar.js";
import { KINDS } from "./kinds.js";

/** @typedef {import("./records.js").Fields} Fields */

/**
 * The fields of a record with all its dates `days` later.
 * @param {string} kind
 * @param {Fields} fields
 * @param {number} days
 * @returns {Fields | undefined} undefined if a date would leave the calendar
 */
export function moved(kind, fields, days) {
  const result = { ...fields };
  for (const field of KINDS[kind].fields) {
    const text = fields[field.name];
    if (typeof text !== "string") continue;
    if (field.type === "date") {
      const date = readDate(text);
      if (date === undefined) continue;
      const later = writeDate(date + days);
      if (later === undefined) return undefined;
      result[field.name] = later;
    } else if (field.type === "local_date_time") {
      if (text.length !== 16 || text[10] !== "T") continue;
      const date = readDate(text.slice(0, 10));
      if (date === undefined || readTime(text.slice(11)) === undefined) continue;
      const later = writeDate(date + days);
      if (later === undefined) return undefined;
      result[field.name] = later + text.slice(10);
    }
  }
  return result;
}

/**
 * The fields of a copy, `days` later: all but the results of the original.
 * @param {string} kind
 * @param {Fields} fields
 * @param {number} days
 * @returns {Fields | undefined} undefined if a date would leave the calendar
 */
export function copied(kind, fields, days) {
  const copy = moved(kind, fields, days);
  if (!copy || kind !== "event") return copy;
  for (const name of ["coaches_present", "performance_notes", "stats_recorded"]) delete copy[name];
  for (const name of ["registered", "attended"]) copy[name] = false;
  return copy;
}
