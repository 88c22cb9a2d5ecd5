// Where items stand on the board of days: blocks by the local clock, side by side where their cards would cover each other.
import { readLocal, writeLocal } from "../dates/calendar.js";
import { daysOf, minutesOf } from "../family/itinerary.js";

/** @typedef {import("../family/records.js").Fields} Fields */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {{start: number, end: number}} LocalSpan minutes since 1970-01-01T00:00 on the item's own clock */
/**
 * A part of an item on one day, in minutes since its midnight.
 * @typedef {object} Block
 * @property {FamilyRecord} item
 * @property {number} from
 * @property {number} to
 * @property {boolean} isFirst whether the item begins here
 * @property {boolean} isLast whether it ends here
 * @property {number} lane its place among those beside it, from 0
 * @property {number} lanes how many stand side by side
 */

/** The minutes of a row, and of a step by keys. */
export const STEP = 15;
/** The height of the shortest card, in minutes: three rows have room for a target of 44 px. */
export const SHORTEST = 45;
const DAY = 1440;

/**
 * When an item is on its own clock; an end in another zone that is earlier on the clock counts by its real length.
 * @param {Fields} fields
 * @returns {LocalSpan | undefined} undefined without a start, and for an item that lasts all day
 */
export function clockSpan(fields) {
  const start = readLocal(fields.start_time ?? ""), end = readLocal(fields.end_time ?? "");
  if (start === undefined || end === undefined) return undefined;
  return { start, end: end > start ? end : start + Math.max(minutesOf(fields) ?? 0, STEP) };
}

/**
 * Whether an item is in the strip above the hours: a stay, or something that lasts all day.
 * @param {Fields} fields
 */
export function isInStrip(fields) {
  return fields.category === "accommodation" || clockSpan(fields) === undefined;
}

/**
 * The stays and the items without an end on a day.
 * @param {readonly FamilyRecord[]} items
 * @param {number} day
 * @returns {FamilyRecord[]} by start, then id, so that a stay keeps its place from day to day
 */
export function stripOn(items, day) {
  return items.filter(({ fields }) => {
    const covered = isInStrip(fields) ? daysOf(fields) : undefined;
    return covered !== undefined && covered[0] <= day && covered[1] >= day;
  }).sort(byStart);
}

/**
 * The blocks of a day, side by side where their cards would cover each other.
 * @param {readonly FamilyRecord[]} items
 * @param {number} day
 * @returns {Block[]} by start
 */
export function blocksOn(items, day) {
  /** @type {Block[]} */
  const blocks = [];
  for (const item of items) {
    const span = isInStrip(item.fields) ? undefined : clockSpan(item.fields);
    if (!span || span.start >= (day + 1) * DAY || span.end <= day * DAY) continue;
    const from = Math.max(span.start - day * DAY, 0), to = Math.min(span.end - day * DAY, DAY);
    blocks.push({ item, from, to, isFirst: span.start >= day * DAY, isLast: span.end <= (day + 1) * DAY, lane: 0, lanes: 1 });
  }
  blocks.sort((left, right) => left.from - right.from || byStart(left.item, right.item));
  /** @type {Block[]} those that stand side by side, directly or through others */
  let group = [];
  let bottom = 0;
  /** @type {number[]} where each lane is free again */
  let lanes = [];
  const close = () => { for (const block of group) block.lanes = lanes.length; };
  for (const block of blocks) {
    const foot = Math.max(block.to, block.from + SHORTEST);
    if (block.from >= bottom) {
      close();
      [group, lanes] = [[], []];
    }
    const free = lanes.findIndex((end) => end <= block.from);
    block.lane = free < 0 ? lanes.length : free;
    lanes[block.lane] = foot;
    group.push(block);
    bottom = Math.max(bottom, foot);
  }
  close();
  return blocks;
}

/**
 * @param {FamilyRecord} left
 * @param {FamilyRecord} right
 */
function byStart(left, right) {
  const [one, other] = [String(left.fields.start_time), String(right.fields.start_time)];
  return one < other ? -1 : one > other ? 1 : left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/**
 * The times of an item that begins at another local time; its length on the clock stays.
 * @param {Fields} fields
 * @param {number} start minutes since 1970-01-01T00:00
 * @returns {{start_time: string, end_time?: string} | undefined} undefined outside of the calendar
 */
export function timesAt(fields, start) {
  const from = readLocal(fields.start_time ?? ""), end = readLocal(fields.end_time ?? "");
  const first = writeLocal(start);
  if (from === undefined || first === undefined) return undefined;
  if (end === undefined) return { start_time: first };
  const last = writeLocal(end + start - from);
  return last === undefined ? undefined : { start_time: first, end_time: last };
}

/**
 * The next quarter of an hour in a direction.
 * @param {number} start minutes
 * @param {1 | -1} direction
 */
export function nextStep(start, direction) {
  return direction > 0 ? (Math.floor(start / STEP) + 1) * STEP : (Math.ceil(start / STEP) - 1) * STEP;
}

/**
 * The hours that are shown: those of a usual day, and all that have something.
 * @param {readonly Block[]} blocks of all days
 * @returns {[number, number]} the first, and the first that is not shown
 */
export function hoursOf(blocks) {
  let first = 7, last = 21;
  for (const { from, to } of blocks) {
    first = Math.min(first, Math.floor(from / 60));
    last = Math.max(last, Math.ceil(Math.max(to, from + SHORTEST) / 60));
  }
  return [first, Math.min(last, 24)];
}
