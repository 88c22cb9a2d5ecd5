// The leads of a member's reminder rule, as `ReminderRule` in the Swift target Family.

/** @typedef {{event?: number[], trip_item?: number[], all_day?: number[], athletes?: {[id: string]: {event?: number[], all_day?: number[]}}}} Leads */
/** @typedef {"event" | "trip_item" | "all_day"} Item */

/** The leads of a member who has chosen none, minutes: half an hour; 18:00 of the evening before. */
export const USUAL = /** @type {{[item: string]: number[]}} */ ({ event: [30], trip_item: [30], all_day: [360] });
/** Leads of one list at most. */
export const MOST_LEADS = 5;
/** The largest lead, minutes: 28 days. */
export const MOST_LEAD = 28 * 1440;
/** Athletes with leads of their own at most. */
export const MOST_ATHLETES = 50;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {any} list */
function isList(list) {
  return Array.isArray(list) && list.length <= MOST_LEADS && new Set(list).size === list.length
    && list.every((lead) => Number.isInteger(lead) && lead >= 0 && lead <= MOST_LEAD);
}

/**
 * Whether a value may stand in the field `leads`.
 * @param {any} leads
 * @returns {boolean}
 */
export function areLeads(leads) {
  if (!isObject(leads)) return false;
  return Object.entries(leads).every(([key, value]) => {
    if (key !== "athletes") return key in USUAL && isList(value);
    const own = isObject(value) ? Object.entries(value) : undefined;
    return own !== undefined && own.length <= MOST_ATHLETES && own.every(([id, items]) => ID.test(id) && isObject(items)
      && Object.entries(items).every(([item, list]) => (item === "event" || item === "all_day") && isList(list)));
  });
}

/**
 * The leads for one kind of item, minutes, ascending. A value that is not valid, as of a newer program, counts as absent.
 * @param {any} leads the field
 * @param {Item} item
 * @returns {number[]}
 */
export function leadsOf(leads, item) {
  const known = areLeads(leads) ? /** @type {Leads} */ (leads) : {};
  return [...(known[item] ?? USUAL[item])].sort((one, other) => one - other);
}
