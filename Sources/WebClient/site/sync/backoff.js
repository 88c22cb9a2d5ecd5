// Waiting times between connection attempts: exponential with full jitter, so that the clients of a restarted server do
// not arrive together; as `Backoff` in Swift.

/** The longest first wait in milliseconds: a restart of the server takes about as long. */
export const FIRST = 250;
/** The longest wait in milliseconds: a waiting user sees success within a quarter of a minute. */
export const LONGEST = 15_000;

/**
 * A wait before the attempt after `failures` consecutive failures: uniform in 0 to min(15 s, 0.25 s · 2^failures).
 * @param {number} failures
 * @param {(bound: number) => number} random a whole number of at least 0, below the bound
 * @returns {number}
 */
export function wait(failures, random) {
  const ceiling = Math.min(LONGEST, FIRST * 2 ** Math.min(Math.max(failures, 0), 10));
  return random(ceiling + 1);
}
