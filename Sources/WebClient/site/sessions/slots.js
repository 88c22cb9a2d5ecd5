// Which tab has which client id. With Web Locks (https, loopback) a tab holds a lock as long as it lives; without them tabs
// ask each other.
import { newId } from "./ids.js";

/** The milliseconds that a living tab may take to answer. */
const ANSWER = 300;
/** Those after which a tab that does not answer at all counts as frozen. */
const FROZEN = 3_000;
/** Those that a page which is loaded again waits for its slot: the browser may not have ended its earlier document yet. */
const PATIENCE = 1_000;
/** Where a tab remembers its slot over a reload; a tab that is duplicated begins with the same value. */
const REMEMBERED = "huddle-slot";

export class Slots {
  constructor() {
    /** @type {Set<string>} */
    this.held = new Set();
    /** Called with the slot that another tab has taken because this one did not answer. */
    /** @type {(client: string) => void} */
    this.lost = () => {};
    /** Called when another tab has begun or ended. */
    /** @type {Set<() => void>} */
    this.moved = new Set();
    this.channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("huddle-slots");
    if (this.channel) {
      this.channel.onmessage = ({ data }) => {
        if (data.asked !== undefined && this.held.has(data.asked)) this.channel?.postMessage({ held: data.asked });
        else if (data.moved !== undefined) for (const listener of this.moved) listener();
      };
      addEventListener("pagehide", () => this.announce());
    }
  }

  get #hasLocks() {
    return typeof navigator.locks !== "undefined";
  }

  /**
   * Takes a client id for this tab.
   * @param {string} client
   * @returns {Promise<boolean>} false if another tab has it
   */
  async take(client) {
    if (this.held.has(client)) return true;
    const isFree = this.#hasLocks ? await this.#lock(client) : await this.#isUnanswered(client);
    if (isFree) this.held.add(client);
    return isFree;
  }

  /**
   * The client id that this tab had before it was loaded again.
   * @returns {string | undefined}
   */
  get remembered() {
    try { return sessionStorage.getItem(REMEMBERED) ?? undefined; } catch { return undefined; }
  }

  /**
   * Takes the client id that this tab had before it was loaded again, as soon as its earlier document has ended.
   * @param {string} client
   * @returns {Promise<boolean>} false if another tab has it
   */
  async takeBack(client) {
    if (await this.take(client)) return true;
    if (!this.#hasLocks || !(await this.#isUnanswered(client))) return false;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), PATIENCE);
    const isFree = await this.#hold(client, { signal: late.signal });
    clearTimeout(timer);
    return isFree;
  }

  /**
   * Asks for the lock of a slot, and holds it until this tab ends or another one steals it.
   * @param {string} client
   * @param {LockOptions} options
   * @returns {Promise<boolean>} false if it was not granted
   */
  #hold(client, options) {
    return new Promise((/** @type {(isFree: boolean) => void} */ resolve) => {
      navigator.locks.request(`huddle-slot-${client}`, options, () => {
        this.held.add(client);
        resolve(true);
        return new Promise(() => {});
      }).catch((error) => {
        resolve(false);
        this.#stolen(client, error);
      });
    });
  }

  /**
   * Remembers this tab's client id for a reload.
   * @param {string} client
   */
  remember(client) {
    try { sessionStorage.setItem(REMEMBERED, client); } catch { /* blocked storage */ }
  }

  /**
   * A client id that no tab has had.
   * @returns {Promise<string>}
   */
  async make() {
    const client = newId();
    await this.take(client);
    return client;
  }

  /** @param {string} client */
  #lock(client) {
    return new Promise((/** @type {(isFree: boolean) => void} */ resolve) => {
      // Held until the tab ends: the promise that the lock waits for never resolves.
      navigator.locks.request(`huddle-slot-${client}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise(() => {});
      }).catch((error) => {
        resolve(true);
        this.#stolen(client, error);
      });
    });
  }

  /**
   * @param {string} client
   * @param {any} error
   */
  #stolen(client, error) {
    if (error?.name !== "AbortError" || !this.held.delete(client)) return;
    this.lost(client);
  }

  /** Tells the other tabs that this one has begun, or ends. */
  announce() {
    this.channel?.postMessage({ moved: true });
  }

  /** Whether a tab learns that another one has ended. */
  get canLook() {
    return this.#hasLocks;
  }

  /**
   * Takes the slot of a tab that does not answer: a browser has frozen it. When it thaws it learns so.
   * @param {string} client
   * @returns {Promise<boolean>}
   */
  async takeFrozen(client) {
    if (!this.#hasLocks || this.held.has(client)) return false;
    if (!(await this.#isUnanswered(client, FROZEN))) return false;
    return this.#hold(client, { steal: true });
  }

  /**
   * Whether a tab has a slot. Nobody waits for a lock: a tab that is granted one while the browser has frozen it would keep it from all others.
   * @param {string} client
   * @returns {Promise<boolean>} true also where nobody can know
   */
  async isHeld(client) {
    if (!this.#hasLocks) return true;
    const { held } = await navigator.locks.query();
    return (held ?? []).some((lock) => lock.name === `huddle-slot-${client}`);
  }

  /**
   * @param {string} client
   * @param {number} [within] milliseconds
   */
  #isUnanswered(client, within = ANSWER) {
    const { channel } = this;
    if (!channel) return Promise.resolve(true);
    return new Promise((/** @type {(isFree: boolean) => void} */ resolve) => {
      const heard = (/** @type {MessageEvent} */ { data }) => { if (data.held === client) finish(false); };
      const timer = setTimeout(() => finish(true), within);
      const finish = (/** @type {boolean} */ isFree) => {
        clearTimeout(timer);
        channel.removeEventListener("message", heard);
        resolve(isFree);
      };
      channel.addEventListener("message", heard);
      channel.postMessage({ asked: client });
    });
  }
}
