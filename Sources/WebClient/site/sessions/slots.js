// Which tab has which client id. With Web Locks (https, loopback) a tab holds a lock as long as it lives; without them tabs
// ask each other.
import { newId } from "./ids.js";

/** The milliseconds that a living tab may take to answer. */
const ANSWER = 300;

export class Slots {
  constructor() {
    /** @type {Set<string>} */
    this.held = new Set();
    this.channel = typeof BroadcastChannel === "undefined" || this.#hasLocks ? undefined : new BroadcastChannel("huddle-slots");
    if (this.channel) {
      this.channel.onmessage = ({ data }) => {
        if (data.asked !== undefined && this.held.has(data.asked)) this.channel?.postMessage({ held: data.asked });
      };
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
      }).catch(() => resolve(true));
    });
  }

  /** @param {string} client */
  #isUnanswered(client) {
    const { channel } = this;
    if (!channel) return Promise.resolve(true);
    return new Promise((/** @type {(isFree: boolean) => void} */ resolve) => {
      const heard = (/** @type {MessageEvent} */ { data }) => { if (data.held === client) finish(false); };
      const timer = setTimeout(() => finish(true), ANSWER);
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
