// Texts as search and sorting see them, as in the Swift target Folding: the same result on every code point, whatever
// version of Unicode the browser knows from 15 on.
import { COMPUTED, LISTED, SAME, SHIFTED } from "./table.js";

/** @type {Map<number, string> | undefined} */
let changes;

/**
 * The code points above ASCII that folding changes otherwise than browsers do, without Hangul; and those that were asked for.
 * @returns {Map<number, string>}
 */
function table() {
  if (changes) return changes;
  /** @type {Map<number, string>} */
  const map = new Map();
  for (let index = 0; index < SHIFTED.length; index += 4) {
    const [first, count, step, distance] = SHIFTED.slice(index, index + 4);
    for (let number = 0; number < count; number += 1) {
      map.set(first + number * step, String.fromCodePoint(first + number * step + distance));
    }
  }
  for (let index = 0; index < SAME.length; index += 3) {
    const first = Number(SAME[index]);
    for (let number = 0; number < Number(SAME[index + 1]); number += 1) map.set(first + number, String(SAME[index + 2]));
  }
  for (let index = 0; index < LISTED.length; index += 2) {
    const first = Number(LISTED[index]);
    for (const [number, target] of String(LISTED[index + 1]).split("Z").entries()) map.set(first + number, target);
  }
  changes = map;
  return map;
}

/**
 * The folded form of a code point that is not in the table: what the browser itself makes of it, or the character.
 * @param {number} point
 * @param {string} character
 * @returns {string}
 */
function computed(point, character) {
  let low = 0;
  let high = COMPUTED.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (COMPUTED[2 * middle] > point) high = middle;
    else low = middle + 1;
  }
  return low > 0 && point < COMPUTED[2 * low - 2] + COMPUTED[2 * low - 1] ? character.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "") : character;
}

/**
 * The parts of a Hangul syllable (Unicode Standard, section 3.12).
 * @param {number} point
 * @returns {string}
 */
function jamo(point) {
  const index = point - 0xac00;
  const parts = [0x1100 + Math.floor(index / 588), 0x1161 + Math.floor((index % 588) / 28)];
  if (index % 28 > 0) parts.push(0x11a7 + (index % 28));
  return String.fromCodePoint(...parts);
}

/**
 * A text without case, accents and other marks: what two texts have in common that a search takes for the same.
 * @param {string} text
 * @returns {string}
 */
export function folded(text) {
  // All characters of most texts.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const map = table();
  let result = "";
  for (const character of text) {
    const point = /** @type {number} */ (character.codePointAt(0));
    if (point < 0x80) result += character.toLowerCase();
    else if (point >= 0xac00 && point <= 0xd7a3) result += jamo(point);
    // Half of a pair of code units is no character: no text of the server has one.
    else if (point >= 0xd800 && point <= 0xdfff) result += "\ufffd";
    else {
      let target = map.get(point);
      if (target === undefined) map.set(point, target = computed(point, character));
      result += target;
    }
  }
  return result;
}

/**
 * The order of two texts by code point, which is that of their octets in UTF-8; code units, which `<` compares, order
 * characters above U+FFFF differently.
 * @param {string} left
 * @param {string} right
 * @returns {number} negative if `left` comes first, 0 for equal texts
 */
export function compare(left, right) {
  const count = Math.min(left.length, right.length);
  for (let index = 0; index < count; index += 1) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (one === other) continue;
    // Surrogates stand for code points above all others.
    const isOneHigh = one >= 0xd800 && one <= 0xdfff;
    const isOtherHigh = other >= 0xd800 && other <= 0xdfff;
    return isOneHigh === isOtherHigh ? one - other : isOneHigh ? 1 : -1;
  }
  return left.length - right.length;
}

/**
 * The longest beginning of a text with at most that many octets in UTF-8, in whole characters.
 * @param {string} text
 * @param {number} octets
 * @returns {string}
 */
export function prefix(text, octets) {
  if (text.length * 3 <= octets) return text;
  let rest = octets;
  let length = 0;
  for (const character of text) {
    const point = /** @type {number} */ (character.codePointAt(0));
    rest -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (rest < 0) break;
    length += character.length;
  }
  return text.slice(0, length);
}
