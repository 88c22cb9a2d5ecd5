// Random numbers and ids. `crypto.randomUUID` exists only on https and loopback; `getRandomValues` everywhere.

/**
 * A whole number of at least 0, below the bound.
 * @param {number} bound at most 2^32
 */
export function randomBelow(bound) {
  return Math.floor((crypto.getRandomValues(new Uint32Array(1))[0] / 4294967296) * bound);
}

/**
 * @param {Uint8Array} octets
 */
function hexadecimal(octets) {
  return [...octets].map((octet) => octet.toString(16).padStart(2, "0")).join("");
}

/**
 * A number that nobody guesses: 32 hexadecimal digits.
 */
export function nonce() {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

let last = 0;

/**
 * A new id, a UUID of version 7 (RFC 9562): ids of one tab are in the order in which they were made.
 * @param {number} [at] milliseconds of UTC
 */
export function newId(at = Date.now()) {
  last = Math.max(at, last + 1);
  const octets = crypto.getRandomValues(new Uint8Array(16));
  let time = last;
  for (let place = 5; place >= 0; place -= 1) {
    octets[place] = time % 256;
    time = Math.floor(time / 256);
  }
  octets[6] = 0x70 | (octets[6] & 0x0f);
  octets[8] = 0x80 | (octets[8] & 0x3f);
  const text = hexadecimal(octets);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
