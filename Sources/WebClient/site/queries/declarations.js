// Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

/**
 * The possible lists of one kind, with the fields that they use; the first order is the usual one.
 * @typedef {object} QueryDeclaration
 * @property {string[]} name
 * @property {string[]} searched
 * @property {string} [type]
 * @property {string} [first]
 * @property {string} [last]
 * @property {string} [time]
 * @property {string[]} filters
 * @property {string[]} sorts
 */

/** @type {{[kind: string]: QueryDeclaration}} */
export const QUERIES = {
  family: { name: [], searched: [], filters: [], sorts: [] },
  member: { name: ["name"], searched: [], filters: [], sorts: ["name", "newest", "oldest"] },
  school: { name: ["name"], searched: ["location"], filters: [], sorts: ["name", "newest", "oldest"] },
  coach: { name: ["first_name", "last_name"], searched: ["role", "email"], filters: ["school_id"], sorts: ["name", "newest", "oldest"] },
  event: { name: ["name"], searched: ["description", "location", "address", "city"], type: "type", first: "start_date", last: "end_date", time: "start_time", filters: ["type", "types", "status", "date", "school_id", "from", "to", "day"], sorts: ["date_desc", "date_asc", "name", "type"] },
  message: { name: [], searched: ["text"], filters: ["about"], sorts: ["newest"] },
  metric: { name: ["label"], searched: ["notes"], type: "metric_type", first: "recorded_date", filters: ["type", "types", "event_id", "from", "to"], sorts: ["date_desc", "date_asc", "type"] },
  interaction: { name: ["subject"], searched: ["content"], type: "interaction_type", first: "occurred_at", filters: ["type", "types", "event_id", "school_id", "coach_id", "from", "to"], sorts: ["date_desc", "date_asc", "type"] },
  trip: { name: ["name"], searched: ["location", "notes"], first: "start_date", last: "end_date", filters: ["date", "from", "to", "day"], sorts: ["date_desc", "date_asc", "name"] },
  trip_item: { name: ["title"], searched: ["description", "location"], type: "category", first: "start_time", last: "end_time", filters: ["trip_id", "type", "types", "day", "from", "to", "itinerary"], sorts: ["start", "name", "type"] },
  document: { name: ["title"], searched: ["description"], type: "type", filters: ["type", "types", "school_id", "shared", "current"], sorts: ["newest", "oldest", "name", "type", "most_shared"] },
  reading_position: { name: [], searched: [], filters: [], sorts: [] },
  reminder_rule: { name: [], searched: [], filters: [], sorts: [] },
};

/** The longest search in characters. */
export const MAX_SEARCH = 255;
/** The octets of a folded name that count for the order. */
export const ORDERED_NAME_OCTETS = 72;
