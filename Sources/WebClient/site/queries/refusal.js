// What the server refuses of a query: for tests, and for pages that let people type one. No page does, so it is not in the script.
import { WORDS } from "../words/query.js";
import { MAX_SEARCH, QUERIES } from "./declarations.js";
import { typesOf } from "./keys.js";
import { meaning, wordsOf } from "./query.js";

/** @typedef {import("./query.js").Query} Query */
/** @typedef {{code: string, message: string, field: string}} QueryRefusal */

/** The conditions in the order in which the server checks them. */
const KEYS = ["types", "status", "date", "school_id", "coach_id", "event_id", "trip_id", "from", "to", "day", "itinerary", "shared", "current", "about"];

/**
 * The server's refusal of a query.
 * @param {Query} query
 * @returns {QueryRefusal | undefined} undefined for a query that the kind has
 */
export function refusalOf(query) {
  const { kind, filter = {}, search = "" } = query;
  const { filters, sorts } = QUERIES[kind];
  /** @type {(field: string, message: string) => QueryRefusal} */
  const invalid = (field, message) => ({ code: "invalid", message, field });
  if (sorts.length === 0) return invalid("kind", WORDS.recordsOfThisKindHave);
  const words = wordsOf(filter);
  for (const key of KEYS) {
    const isSet = key === "types" ? words.length > 0 : /** @type {any} */ (filter)[key] !== undefined;
    if (!isSet || filters.includes(key)) continue;
    const known = filters.length === 0 ? WORDS.byNothing : WORDS.onlyBy(filters.join(", "));
    return invalid(key, WORDS.listsOfThisKindAre(known, key));
  }
  for (const word of words) {
    if (meaning(kind, word)) continue;
    const short = [...word].slice(0, 40).join("");
    return invalid("type", WORDS.thereIsNoTypeOf(short, typesOf(kind).join(", ")));
  }
  const sort = query.sort ?? sorts[0];
  if (!sorts.includes(sort)) return invalid("sort", WORDS.listsOfThisKindAreOf(sort, sorts.join(", ")));
  if ([...search].length > MAX_SEARCH) {
    return { code: "too_long", message: WORDS.aSearchIsAtMost(MAX_SEARCH), field: "search" };
  }
  return undefined;
}
