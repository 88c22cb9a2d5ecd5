// Figures about the living records of one kind, as in the Swift target Queries.
import { writeDate } from "../dates/calendar.js";
import { compare } from "../folding/folded.js";
import { typesOf } from "./keys.js";

/** @typedef {import("./keys.js").ListKeys} ListKeys */
/** @typedef {{type: string, records: number}} TypeCount */
/** @typedef {{total: number, upcoming: number, registered: number, not_registered: number, attended: number, types: TypeCount[]}} EventFigures */
/** @typedef {{total: number, shared: number, most_common_type?: string, octets: number, types: TypeCount[]}} DocumentFigures */
/** @typedef {{id: string, value: string, unit: string, date: string}} MetricMark */
/** @typedef {{type: string, label?: string, records: number, best: MetricMark, latest: MetricMark}} MetricFigures */

/**
 * The living records of one owner, or of all.
 * @param {Iterable<ListKeys>} records
 * @param {string} kind
 * @param {string | undefined} athlete
 * @returns {ListKeys[]}
 */
function living(records, kind, athlete) {
  return [...records].filter(({ record }) => record.kind === kind && record.deleted_at === undefined && (athlete === undefined || record.athlete === athlete));
}

/**
 * The number of records of each type, in the order of the declaration; types without records are left out.
 * @param {string} kind
 * @param {ListKeys[]} records
 * @returns {TypeCount[]}
 */
function typeCounts(kind, records) {
  return typesOf(kind)
    .map((type) => ({ type, records: records.filter((keys) => keys.type === type).length }))
    .filter((count) => count.records > 0);
}

/**
 * @param {Iterable<ListKeys>} records
 * @param {string | undefined} athlete the owner; undefined for all
 * @param {number} today days since 1970-01-01
 * @returns {EventFigures}
 */
export function eventFigures(records, athlete, today) {
  const events = living(records, "event", athlete);
  /** @type {(status: string) => number} */
  const count = (status) => events.filter((keys) => keys.status === status).length;
  return {
    total: events.length, upcoming: events.filter((keys) => keys.firstDay !== undefined && keys.lastDay >= today).length,
    registered: count("registered"), not_registered: count("not_registered"), attended: count("attended"), types: typeCounts("event", events),
  };
}

/**
 * Figures of newest versions; older ones count only for the octets (R123).
 * @param {Iterable<ListKeys>} records
 * @param {string | undefined} athlete the owner; undefined for all
 * @returns {DocumentFigures}
 */
export function documentFigures(records, athlete) {
  const all = living(records, "document", athlete);
  const current = all.filter((keys) => keys.record.fields.is_current === true);
  const types = typeCounts("document", current);
  const most = Math.max(...types.map((count) => count.records));
  /** @type {DocumentFigures} */
  const figures = {
    total: current.length, shared: current.filter((keys) => keys.sharedCount > 0).length,
    octets: all.reduce((sum, keys) => sum + (keys.record.fields.octets ?? 0), 0), types,
  };
  const common = types.find((count) => count.records === most);
  if (common) figures.most_common_type = common.type;
  return figures;
}

/** The types of which a smaller value is better: seconds, and runs that others make. */
const FEWER_IS_BETTER = new Set(["sixty_time", "pop_time", "era"]);
const LARGEST = 2n ** 63n;

/**
 * The number of a measure in ten-thousandths; 0 for a text that is not a number.
 * @param {string} text
 * @returns {bigint}
 */
function measure(text) {
  const parts = /^-*([0-9]*)(?:\.([0-9]*))?$/.exec(text);
  if (!parts) return 0n;
  const number = BigInt(parts[1] + (parts[2] ?? "").slice(0, 4).padEnd(4, "0"));
  if (number >= LARGEST) return 0n;
  return text.startsWith("-") ? -number : number;
}

/**
 * The order of two measurements by day, creation and id.
 * @param {ListKeys} left
 * @param {ListKeys} right
 * @returns {number}
 */
function byTime(left, right) {
  if (left.moment !== right.moment) return left.moment < right.moment ? -1 : 1;
  return left.record.created_at - right.record.created_at || compare(left.record.id, right.record.id);
}

/**
 * Whether a measurement is better; of equal values the earlier one is, because it was there first.
 * @param {ListKeys} keys
 * @param {ListKeys} best
 * @param {string} type
 * @returns {boolean}
 */
function isBetter(keys, best, type) {
  const [number, old] = [measure(keys.record.fields.value), measure(best.record.fields.value)];
  if (number !== old) return FEWER_IS_BETTER.has(type) ? number < old : number > old;
  return byTime(keys, best) < 0;
}

/**
 * @param {ListKeys} keys
 * @returns {MetricMark}
 */
function mark({ record, firstDay }) {
  const { value, unit } = record.fields;
  return { id: record.id, value, unit: unit ?? "", date: firstDay === undefined ? "" : writeDate(firstDay) ?? "" };
}

/**
 * One entry for each type and unit, and for type `other` for each label: in the order of the declaration, then of labels
 * and units.
 * @param {Iterable<ListKeys>} records
 * @param {string | undefined} athlete the owner; undefined for all
 * @returns {MetricFigures[]}
 */
export function metricFigures(records, athlete) {
  /** @typedef {{label: string, names: string[], records: number, best: ListKeys, latest: ListKeys}} Group */
  /** @type {Map<string, Map<string, Group>>} */
  const types = new Map();
  for (const keys of living(records, "metric", athlete)) {
    const { type, record } = keys;
    if (type === undefined || typeof record.fields.value !== "string") continue;
    const label = type === "other" ? record.fields.label ?? "" : "";
    // Texts that differ only in how their accents are written are one label.
    const names = [label.normalize("NFC"), (record.fields.unit ?? "").normalize("NFC")];
    const groups = types.get(type) ?? new Map();
    types.set(type, groups);
    const name = JSON.stringify(names);
    const group = groups.get(name) ?? { label, names, records: 0, best: keys, latest: keys };
    groups.set(name, group);
    group.records += 1;
    if (isBetter(keys, group.best, type)) group.best = keys;
    if (byTime(keys, group.latest) > 0) group.latest = keys;
  }
  return typesOf("metric").flatMap((type) =>
    [...(types.get(type)?.values() ?? [])]
      .sort((left, right) => compare(left.names[0], right.names[0]) || compare(left.names[1], right.names[1]))
      .map((group) => {
        /** @type {MetricFigures} */
        const figures = { type, records: group.records, best: mark(group.best), latest: mark(group.latest) };
        if (group.label !== "") figures.label = group.label;
        return figures;
      }));
}
