// The rules of what a record may hold, as `Validation` in the Swift target Family: for forms, before anything is sent.
import { readDate, readLocal, readTime, writeDate, writeLocal } from "../dates/calendar.js";
import { instantOf, knowsZone, localAt, todayIn } from "../dates/zones.js";
import { WORDS } from "../words/rules.js";
import { KINDS } from "./kinds.js";
import { areLeads, MOST_ATHLETES, MOST_LEAD, MOST_LEADS } from "./reminder-rule.js";
import { SENTENCES } from "./sentences.js";
import { spanOf } from "./itinerary.js";

/** @typedef {import("./kinds.js").FieldDeclaration} FieldDeclaration */
/** @typedef {import("./records.js").Fields} Fields */
/** @typedef {import("./records.js").FamilyRecord} FamilyRecord */
/** @typedef {{code: string, message: string, field: string}} Mistake */
/**
 * Everything that the defaults of a new record need from the family around it.
 * @typedef {object} RuleContext
 * @property {string} member who creates the record
 * @property {number} now milliseconds of UTC
 * @property {string} zone of the family
 * @property {(id: string) => FamilyRecord | undefined} target the living record with an id
 */

/** The longest URL in octets. */
const URL_OCTETS = 2048;
const SPACE = /[\p{White_Space}\u200b\ufeff]/u;
/** Control characters, and separators that break a line. */
const BREAKING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u;
/** The names by which people tell records apart. */
const NAMES = new Set(["name", "first_name", "last_name", "title"]);
/** The units of results by type. */
const UNITS = /** @type {{[type: string]: string}} */ ({
  velocity: "mph", exit_velo: "mph", sixty_time: "sec", pop_time: "sec", batting_avg: "avg", era: "ER/9", strikeouts: "count",
});

/** @param {string} text */
function octets(text) {
  return new TextEncoder().encode(text).length;
}

/**
 * A sentence of the catalogue with its words in braces filled in.
 * @param {string} template
 * @param {{[word: string]: string | number}} words
 * @returns {string}
 */
export function filledIn(template, words) {
  return template.replace(/\{([^}]*)\}/g, (whole, word) => String(words[word] ?? whole));
}

/** Why a value is refused; the caller adds where. */
class Fault extends Error {
  /**
   * @param {{code: string, template: string}} sentence
   * @param {{[word: string]: string | number}} words
   */
  constructor({ code, template }, words) {
    super(filledIn(template, words));
    /** @readonly */
    this.code = code;
  }
}

/**
 * A text without white space at both ends.
 * @param {string} text
 * @returns {string}
 */
export function trimmed(text) {
  // Not by a regular expression: its search for an end of white space takes a time that grows with the square of the text.
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start])) start += 1;
  while (start < end && SPACE.test(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/**
 * A text without the characters that show nothing (UAX #44, Default_Ignorable_Code_Point). Joiners stay, and variation
 * selectors where they select.
 * @param {string} text
 * @returns {string}
 */
export function visible(text) {
  const points = [...text];
  return points.filter((point, index) => {
    const before = index > 0 ? points[index - 1] : " ";
    if (point === "\u200c" || point === "\u200d") return true;
    if (point === "\ufe0e" || point === "\ufe0f") return (before > "\u007f" && /\p{Emoji}/u.test(before)) || points[index + 1] === "\u20e3";
    if (/[\u{e0100}-\u{e01ef}]/u.test(point)) return /\p{Ideographic}/u.test(before);
    return !/\p{Default_Ignorable_Code_Point}/u.test(point);
  }).join("");
}

/**
 * An absolute http or https URL with its scheme in lower case (RFC 3986, 3). Names of users before the host are refused.
 * @param {string} text
 * @returns {string | undefined} undefined for anything else
 */
export function canonicalURL(text) {
  const parts = /^(https?):(\/\/([^/?#]*).*)$/su.exec(text.replace(/^https?(?=:)/i, (scheme) => scheme.toLowerCase()));
  if (!parts || /["<>\\^\u0060{|}]/u.test(parts[2]) || BREAKING.test(text) || SPACE.test(text)) return undefined;
  const authority = /^(?:\[[0-9a-f:.]+\]|((?:[a-z0-9_-]|[^\u0000-\u007f])+(?:\.(?:[a-z0-9_-]|[^\u0000-\u007f])+)*\.?))(?::([0-9]{0,5}))?$/iu.exec(parts[3]);
  return authority && Number(authority[2] ?? 0) <= 65535 ? `${parts[1]}:${parts[2]}` : undefined;
}

/**
 * A decimal number in its one spelling.
 * @param {string} text
 * @param {FieldDeclaration} field
 * @returns {string}
 */
function number(text, { label, type, digits = 0, scale = 0, min = 0 }) {
  const parts = text.length <= 64 ? /^(-?)0*([0-9]*?)(?:\.([0-9]+))?$/.exec(text) : null;
  if (!parts || !/^-?[0-9]/.test(text)) {
    throw type === "measure" ? new Fault(SENTENCES.noNumber, {}) : new Fault(SENTENCES.form, { field: label, form: WORDS.aNumberSuchAs150 });
  }
  const [whole, fraction] = [parts[2], parts[3] ?? ""];
  const isNegative = parts[1] === "-" && /[1-9]/.test(whole + fraction);
  if (fraction.length > scale) throw new Fault(SENTENCES.decimals, { field: label, limit: scale });
  if (whole.length > digits) throw new Fault(SENTENCES.digits, { field: label, limit: digits });
  const magnitude = BigInt(whole + fraction.padEnd(scale, "0") || "0");
  if ((isNegative ? -magnitude : magnitude) < BigInt(min) * 10n ** BigInt(scale)) throw new Fault(SENTENCES.below, { field: label, bound: min });
  const decimals = fraction.padEnd(type === "decimal" ? scale : 0, "0");
  return `${isNegative ? "-" : ""}${whole || "0"}${decimals === "" ? "" : `.${decimals}`}`;
}

/**
 * The levels of objects and lists in a value.
 * @param {any} value
 * @param {number} most where counting ends
 * @returns {number}
 */
function depth(value, most) {
  if (typeof value !== "object" || value === null) return 0;
  if (most === 0) return 1;
  let deepest = 0;
  for (const element of Object.values(value)) deepest = Math.max(deepest, depth(element, most - 1));
  return deepest + 1;
}

/**
 * @param {string} text
 * @param {FieldDeclaration} field
 * @returns {string}
 */
function shown(text, field) {
  const { label, type, max = 0 } = field;
  if ((type === "line" ? BREAKING : CONTROL).test(text)) throw new Fault(SENTENCES.control, { field: label });
  // A code point is one or two units, so most texts need no counting.
  if (text.length > max && (text.length > 2 * max || [...text].length > max)) throw new Fault(SENTENCES.tooLong, { field: label, limit: max });
  if (type === "line" && NAMES.has(field.name) && visible(text) !== text) throw new Fault(SENTENCES.invisible, { field: label });
  return text;
}

/**
 * @param {any} value neither null nor undefined
 * @param {FieldDeclaration} field
 * @returns {any} undefined if nothing is left
 */
function read(value, field) {
  const { label, type } = field;
  /** @type {(form: string) => Fault} */
  const form = (words) => new Fault(SENTENCES.form, { field: label, form: words });
  const wrong = () => new Fault(SENTENCES.wrongType, { field: label });
  switch (type) {
    case "flag":
      if (typeof value !== "boolean") throw wrong();
      return value;
    case "integer":
      if (!Number.isSafeInteger(value)) throw wrong();
      if (value < (field.min ?? 0) || value > (field.max ?? 0)) throw new Fault(SENTENCES.range, { field: label, lowest: field.min ?? 0, highest: field.max ?? 0 });
      return value;
    case "set": {
      if (!Array.isArray(value)) throw wrong();
      const ids = [...new Set(value.map((element) => element.id ?? element))].sort();
      if (value.length > 2 * (field.max ?? 0) || ids.length > (field.max ?? 0)) throw new Fault(SENTENCES.tooMany, { field: label, limit: field.max ?? 0 });
      return ids.length === 0 ? undefined : ids;
    }
    case "link":
      if (typeof value !== "object") throw wrong();
      return value;
    case "json":
      if (typeof value !== "object") throw wrong();
      if (Array.isArray(value)) throw form(WORDS.anObject);
      if (octets(JSON.stringify(value)) > (field.max ?? 0)) throw new Fault(SENTENCES.jsonTooLong, { field: label, limit: field.max ?? 0 });
      if (depth(value, field.digits ?? 0) > (field.digits ?? 0)) throw new Fault(SENTENCES.tooDeep, { field: label, limit: field.digits ?? 0 });
      return value;
  }
  if (typeof value !== "string") throw wrong();
  // Half of a pair of units is no character.
  const whole = value.replace(/\p{Surrogate}/gu, "\ufffd");
  const text = trimmed(whole);
  if (text === "") {
    // White space is not a choice either.
    if (type === "choice" && whole !== "") throw form(WORDS.oneOf((field.words ?? []).join(", ")));
    return undefined;
  }
  switch (type) {
    case "line": return shown(text, field);
    // Several lines keep their white space; only the ends of lines become one kind.
    case "text": return shown(whole.replace(/\r\n?/g, "\n"), field);
    case "choice":
      if (!field.words?.includes(whole)) throw form(WORDS.oneOf((field.words ?? []).join(", ")));
      return whole;
    case "decimal":
    case "measure": return number(text, field);
    case "date":
      if (readDate(text) === undefined) throw form(WORDS.aDateThatExistsSuch);
      return text;
    case "time":
      if (readTime(text) === undefined) throw form(WORDS.aTimeFrom0000);
      return text;
    case "local_date_time":
      if (readLocal(text) === undefined) throw form(WORDS.aDateAndATime);
      return text;
    case "zone":
      if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z][A-Za-z0-9_+-]*)*$/.test(text) || !knowsZone(text)) throw form(WORDS.aTimeZoneSuchAs);
      return text;
    case "url": {
      if (octets(text) > URL_OCTETS) throw new Fault(SENTENCES.tooLong, { field: label, limit: URL_OCTETS });
      const url = canonicalURL(text);
      if (url === undefined) throw new Fault(SENTENCES.noURL, {});
      return url;
    }
    case "state":
      if (!/^[A-Za-z]{1,2}$/.test(text)) throw new Fault(SENTENCES.state, { field: label });
      return text.toUpperCase();
    default: return whole;
  }
}

/**
 * @param {string} kind
 * @param {string} name
 * @returns {FieldDeclaration}
 */
function declared(kind, name) {
  const field = KINDS[kind].fields.find((one) => one.name === name);
  if (!field) throw new Error(`${kind} declares no field ${name}`);
  return field;
}

/**
 * A value in its one spelling.
 * @param {string} kind
 * @param {string} name of a field
 * @param {any} value as a form has it; elements of sets as ids
 * @returns {{value: any, mistake?: undefined} | {value?: undefined, mistake: Mistake}} `value` is undefined if nothing is left of it
 */
export function canonical(kind, name, value) {
  if (value === null || value === undefined) return { value: undefined };
  try {
    return { value: read(value, declared(kind, name)) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { mistake: { code: error.code, message: error.message, field: name } };
  }
}

/**
 * @param {{code: string, template: string}} sentence
 * @param {string} field
 * @param {{[word: string]: string | number}} [words]
 * @returns {Mistake}
 */
function mistakeOf({ code, template }, field, words = {}) {
  return { code, message: filledIn(template, words), field };
}

/**
 * Fields of one record that contradict each other; empty ones are passed over.
 * @param {string} kind
 * @param {Fields} fields canonical
 * @returns {Mistake | undefined}
 */
export function contradiction(kind, fields) {
  if (kind === "metric") {
    return fields.metric_type === "other" && fields.label === undefined ? mistakeOf(SENTENCES.required, "label", { field: declared(kind, "label").label }) : undefined;
  }
  if (kind === "trip_item") {
    const span = spanOf(fields);
    return span?.end !== undefined && span.end <= span.start ? mistakeOf(SENTENCES.endTime, "end_time") : undefined;
  }
  if (kind === "reminder_rule") {
    const { leads, quiet_from: from, quiet_until: until } = fields;
    if (leads !== undefined && !areLeads(leads)) return mistakeOf(SENTENCES.form, "leads", { field: declared(kind, "leads").label, form: WORDS.leads(MOST_LEADS, MOST_LEAD, MOST_ATHLETES) });
    const missing = from === until ? undefined : from === undefined ? "quiet_from" : until === undefined ? "quiet_until" : undefined;
    if (missing) return mistakeOf(SENTENCES.required, missing, { field: declared(kind, missing).label });
    return from !== undefined && from === until ? mistakeOf(SENTENCES.form, "quiet_until", { field: declared(kind, "quiet_until").label, form: WORDS.anotherTime }) : undefined;
  }
  if ((kind !== "event" && kind !== "trip") || fields.start_date === undefined) return undefined;
  // Canonical dates and times have one width, so that their order is the order of their texts.
  const { start_date: start, end_date: end = start } = fields;
  if (end < start) return mistakeOf(SENTENCES.endDate, "end_date");
  const hasTimes = kind === "event" && end === start && fields.start_time !== undefined && fields.end_time !== undefined;
  return hasTimes && fields.end_time < fields.start_time ? mistakeOf(SENTENCES.endTime, "end_time") : undefined;
}

/**
 * The first mistake in a whole record.
 * @param {string} kind
 * @param {Fields} fields canonical, and completed if the record is new
 * @returns {Mistake | undefined}
 */
export function mistake(kind, fields) {
  for (const field of KINDS[kind].fields) {
    const value = fields[field.name];
    if (value === undefined && field.required) return mistakeOf(SENTENCES.required, field.name, { field: field.label });
    if (field.type === "set" && value?.length > (field.max ?? 0)) return mistakeOf(SENTENCES.tooMany, field.name, { field: field.label, limit: field.max ?? 0 });
  }
  return contradiction(kind, fields);
}

/**
 * Every mistake of a form, by field, and the values in their one spelling.
 * @param {string} kind
 * @param {{[name: string]: any}} values of the form's fields; fields that it does not name are not looked at
 * @param {RuleContext} [context] of a new record: what the server would complete counts as filled in
 * @returns {{fields: Fields, mistakes: {[name: string]: Mistake}}} fields that are empty or wrong are left out of `fields`
 */
export function checkForm(kind, values, context) {
  /** @type {Fields} */
  const fields = {};
  /** @type {{[name: string]: Mistake}} */
  const mistakes = {};
  for (const field of KINDS[kind].fields) {
    if (!(field.name in values) || field.server_only) continue;
    const found = canonical(kind, field.name, values[field.name]);
    if (found.mistake) mistakes[field.name] = found.mistake;
    else if (found.value !== undefined) fields[field.name] = found.value;
    else if (field.required && !field.filled_in && field.default === undefined) mistakes[field.name] = mistakeOf(SENTENCES.required, field.name, { field: field.label });
  }
  const together = contradiction(kind, fields) ?? (context && mistake(kind, completed(kind, fields, context)));
  if (together && together.field in values && !(together.field in mistakes)) mistakes[together.field] = together;
  return { fields, mistakes };
}

/**
 * The fields of a new record as the server completes them.
 * @param {string} kind
 * @param {Fields} given canonical
 * @param {RuleContext} context
 * @returns {Fields} in the order of the declaration
 */
export function completed(kind, given, context) {
  const fields = { ...given };
  for (const field of KINDS[kind].fields) if (field.default !== undefined) fields[field.name] ??= field.default;
  /** @type {(id: string | undefined) => Fields | undefined} */
  const target = (id) => (id === undefined ? undefined : context.target(id)?.fields);
  if (kind === "event") completeEvent(fields);
  if (kind === "metric") {
    const unit = UNITS[fields.metric_type];
    if (unit !== undefined) fields.unit ??= unit;
    fields.recorded_date ??= target(fields.event_id)?.start_date ?? writeDate(todayIn(context.zone, context.now));
  }
  if (kind === "interaction") completeInteraction(fields, target(fields.event_id), context);
  if (kind === "trip") fields.time_zone ??= context.zone;
  if (kind === "trip_item") {
    fields.start_zone ??= target(fields.trip_id)?.time_zone ?? context.zone;
    if (fields.end_time !== undefined) fields.end_zone ??= fields.start_zone;
  }
  return Object.fromEntries(KINDS[kind].fields.filter(({ name }) => fields[name] !== undefined).map(({ name }) => [name, fields[name]]));
}

/**
 * The end of an event: its first day; one hour after its start, on the next day if that passes midnight.
 * @param {Fields} fields
 */
function completeEvent(fields) {
  if (fields.start_date === undefined) return;
  const end = fields.end_date ?? fields.start_date;
  fields.end_date = end;
  const [date, time] = [readDate(fields.start_date), readTime(fields.start_time ?? "")];
  if (fields.end_time !== undefined || date === undefined || time === undefined) return;
  // The last hour of the last year has no hour after it.
  const later = writeLocal(date * 1440 + time + 60);
  if (later === undefined) return;
  if (end === fields.start_date) fields.end_date = later.slice(0, 10);
  fields.end_time = later.slice(11);
}

/**
 * What a new interaction takes over from its event, or else from the clock (R092).
 * @param {Fields} fields
 * @param {Fields | undefined} event
 * @param {RuleContext} context
 */
function completeInteraction(fields, event, { member, now, zone: familyZone }) {
  fields.logged_by = member;
  if (event?.school_id !== undefined && fields.school_id === undefined) {
    fields.school_id = event.school_id;
    if (event.school_name !== undefined) fields.school_name = event.school_name;
  }
  if (event?.name !== undefined) fields.subject ??= `Interaction at ${event.name}`;
  const eventZone = event?.time_zone ?? familyZone;
  const zone = (fields.time_zone ??= eventZone);
  if (fields.occurred_at !== undefined) return;
  const date = readDate(event?.start_date ?? "");
  let local = localAt(zone, now) ?? Math.floor(now / 60000);
  if (date !== undefined) {
    local = date * 1440 + (readTime(event?.start_time ?? event?.checkin_time ?? "") ?? 0);
    if (zone !== eventZone) {
      const instant = instantOf(eventZone, local) ?? local * 60000;
      local = localAt(zone, instant) ?? Math.floor(instant / 60000);
    }
  }
  fields.occurred_at = writeLocal(local);
}
