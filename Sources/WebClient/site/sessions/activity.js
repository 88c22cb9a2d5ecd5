// What members do at this moment: who types, edits or looks at a record. Nothing of it is kept anywhere; a receiver forgets it after six seconds.

/** @typedef {"typing" | "editing" | "looking"} Action */
/** @typedef {{action: Action, record?: {kind: string, id: string}}} Activity */
/** @typedef {{member: string, action: string, record?: {kind: string, id: string}}} MemberActivity */

/** The milliseconds after which an activity that was not repeated is forgotten. */
export const LIFE = 6_000;
/** The milliseconds after which one that continues is told again. */
const REPETITION = 2_500;
/** The least milliseconds between two that are told. */
const PACE = 1_000;
/** The milliseconds without a key or a click after which a person looks at nothing any more. */
const ABSENCE = 60_000;

/** What the others do, until it is told otherwise, or no more. */
export class Activities {
  constructor() {
    /** @type {Map<string, Activity & {until: number}>} */
    this.all = new Map();
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * @param {MemberActivity} one
   * @param {number} now
   */
  receive({ member, action, record }, now) {
    if (action === "idle") return this.end(member);
    this.all.set(member, { action: /** @type {Action} */ (action), record, until: now + LIFE });
    this.#schedule(now);
    this.#tell();
  }

  /**
   * The member left, or said what they typed.
   * @param {string} member
   */
  end(member) {
    if (this.all.delete(member)) this.#tell();
  }

  clear() {
    if (this.all.size === 0) return;
    this.all.clear();
    this.#tell();
  }

  /**
   * The members who do this with a record, or type into the room.
   * @param {string} action
   * @param {string} [id]
   * @returns {string[]}
   */
  members(action, id) {
    return [...this.all].filter(([, one]) => one.action === action && one.record?.id === id).map(([member]) => member);
  }

  /** @param {number} now */
  #schedule(now) {
    clearTimeout(this.timer);
    if (this.all.size === 0) return;
    const next = Math.min(...[...this.all.values()].map((one) => one.until));
    this.timer = setTimeout(() => {
      const late = performance.now();
      let isNews = false;
      for (const [member, one] of this.all) if (one.until <= late && this.all.delete(member)) isNews = true;
      this.#schedule(late);
      if (isNews) this.#tell();
    }, Math.max(0, next - now) + 1);
  }

  #tell() {
    for (const listener of [...this.listeners]) listener();
  }
}

/** The person's own activity, as the others are told. */
export class OwnActivity {
  /** @param {(activity: Activity | {action: "idle"}) => void} send */
  constructor(send) {
    this.send = send;
    this.isOn = true;
    /** @type {Activity | undefined} the page's: looking or editing */
    this.page = undefined;
    /** @type {Activity | undefined} */
    this.typing = undefined;
    this.typedAt = 0;
    this.usedAt = 0;
    /** @type {string | undefined} what the others know */
    this.told = undefined;
    this.toldAt = -PACE;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  get #now() {
    return performance.now();
  }

  /**
   * Another page is open.
   * @param {Activity | undefined} activity
   */
  open(activity) {
    this.page = activity;
    this.typing = undefined;
    this.used();
  }

  /**
   * A letter was typed into a message; with undefined the line is empty again.
   * @param {Activity | undefined} activity
   */
  type(activity) {
    this.typing = activity;
    this.typedAt = this.#now;
    this.used();
  }

  /** A key or a click: somebody is here. */
  used() {
    this.usedAt = this.#now;
    this.#look();
  }

  /** @param {boolean} isOn whether the others are told */
  set(isOn) {
    this.isOn = isOn;
    this.#look();
  }

  /** The connection or the page is another one: what the others know is not known. */
  forget() {
    this.told = undefined;
  }

  /** The page is hidden or left. */
  stop() {
    this.usedAt = -ABSENCE;
    this.typing = undefined;
    this.#look();
  }

  /** @returns {Activity | undefined} */
  get #wanted() {
    const now = this.#now;
    if (!this.isOn || now - this.usedAt >= ABSENCE) return undefined;
    if (this.typing && now - this.typedAt < LIFE) return this.typing;
    return this.page;
  }

  #look() {
    clearTimeout(this.timer);
    const wanted = this.#wanted;
    if (!wanted && this.told === undefined) return;
    const now = this.#now;
    const word = wanted && JSON.stringify(wanted);
    const wait = (word === this.told ? REPETITION : PACE) - (now - this.toldAt);
    if (wait <= 0) {
      this.send(wanted ?? { action: "idle" });
      this.told = word;
      this.toldAt = now;
    }
    if (wanted || wait > 0) this.timer = setTimeout(() => this.#look(), Math.max(wait, wait <= 0 ? REPETITION : 0));
  }
}
