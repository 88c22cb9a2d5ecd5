// The checksum of a family's records; as `StateChecksum` in Swift, proto/protocol.md, "Checksum".

/** @typedef {import("./records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("./records.js").ChangeEntry} ChangeEntry */

/**
 * @param {number} word
 * @param {number} bits
 * @returns {number}
 */
function rotated(word, bits) {
  return (word << bits) | (word >>> (32 - bits));
}

/**
 * @param {number} block four octets, big endian
 * @param {number} hash
 * @returns {number}
 */
function mixed(block, hash) {
  // MurmurHash3 reads blocks as little endian.
  const swapped = ((block & 0xff) << 24) | ((block & 0xff00) << 8) | ((block >>> 8) & 0xff00) | (block >>> 24);
  hash ^= Math.imul(rotated(Math.imul(swapped, 0xcc9e2d51), 15), 0x1b873593);
  return Math.imul(rotated(hash, 13), 5) + 0xe6546b64;
}

/**
 * The term of one record: MurmurHash3_x86_32 of its id and version.
 * @param {string} id
 * @param {number} version
 * @returns {number}
 */
export function term(id, version) {
  const digits = id.replaceAll("-", "");
  let hash = 0;
  for (let at = 0; at < 32; at += 8) hash = mixed(parseInt(digits.slice(at, at + 8), 16) | 0, hash);
  hash = mixed(Math.floor(version / 2 ** 32) | 0, hash);
  hash = mixed(version % 2 ** 32 | 0, hash);
  hash ^= 24;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The sum of two checksums, modulo 2^32.
 * @param {number} left
 * @param {number} right
 * @returns {number}
 */
export function sum(left, right) {
  return (left + right) >>> 0;
}

/**
 * A checksum that follows one record from its state before a change to its state after the change.
 * @param {number} checksum
 * @param {FamilyRecord | undefined} former
 * @param {FamilyRecord | undefined} record
 * @returns {number}
 */
export function replaced(checksum, former, record) {
  if (former && former.deleted_at === undefined) checksum -= term(former.id, former.version);
  if (record && record.deleted_at === undefined) checksum += term(record.id, record.version);
  return checksum >>> 0;
}

/**
 * A checksum that follows a record of which only the entry of the change is known.
 * @param {number} checksum
 * @param {{op: string, id: string, version: number}} entry
 * @returns {number}
 */
export function followed(checksum, entry) {
  if (entry.op === "update" || entry.op === "delete") checksum -= term(entry.id, entry.version - 1);
  if (entry.op !== "delete") checksum += term(entry.id, entry.version);
  return checksum >>> 0;
}
