// SHA-256 of short texts, where no promise can be awaited. Source: FIPS 180-4.

/**
 * The first 32 bits of the fractional parts of roots of the first primes, exact in integers.
 * @param {number} count
 * @param {bigint} degree 2 or 3
 * @returns {number[]}
 */
function roots(count, degree) {
  /** @type {number[]} */
  const words = [];
  for (let candidate = 2n; words.length < count; candidate += 1n) {
    let isPrime = true;
    for (let divisor = 2n; divisor * divisor <= candidate; divisor += 1n) if (candidate % divisor === 0n) isPrime = false;
    if (!isPrime) continue;
    const target = candidate << (32n * degree);
    let low = 0n;
    let high = candidate << 32n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** degree <= target) low = middle;
      else high = middle;
    }
    words.push(Number(low & 0xffffffffn));
  }
  return words;
}

/** @type {{start: number[], constants: number[]} | undefined} */
let tables;

/**
 * The digest of a text's UTF-8 octets.
 * @param {string} text
 * @returns {string} 64 hexadecimal digits in lower case
 */
export function sha256(text) {
  tables ??= { start: roots(8, 2n), constants: roots(64, 3n) };
  const octets = new TextEncoder().encode(text);
  const padded = new Uint8Array((((octets.length + 8) >> 6) + 1) << 6);
  padded.set(octets);
  padded[octets.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(octets.length / 2 ** 29));
  view.setUint32(padded.length - 4, octets.length << 3);
  const state = Uint32Array.from(tables.start);
  const schedule = new Uint32Array(64);
  const turned = (/** @type {number} */ word, /** @type {number} */ bits) => (word >>> bits) | (word << (32 - bits));
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 64; at += 1) {
      if (at < 16) {
        schedule[at] = view.getUint32(block + 4 * at);
        continue;
      }
      const [early, late] = [schedule[at - 15], schedule[at - 2]];
      const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      schedule[at] = schedule[at - 16] + small + schedule[at - 7] + large;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at += 1) {
      const first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + tables.constants[at] + schedule[at];
      const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] += word;
  }
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}
