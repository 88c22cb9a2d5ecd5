// The one store of a tab: the engine, its connection, its copy on this device, and who listens to changes.
import { SyncEngine } from "../sync/engine.js";
import { savePending, writeDraft } from "../sync/pending.js";
import { WORDS } from "../words/store.js";
import { rejection, Refusal } from "../wire/rejections.js";
import { Activities } from "./activity.js";
import { newId, randomBelow } from "./ids.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").OverlapOverride} OverlapOverride */
/** @typedef {import("../wire/frames.js").Frame} Frame */
/** @typedef {import("../wire/rejections.js").Rejection} Rejection */
/** @typedef {import("./cache.js").Cache} Cache */
/** @typedef {import("./cache.js").Slot} Slot */
/** @typedef {import("./cache.js").Waiting} Waiting */
/** @typedef {import("./slots.js").Slots} Slots */
/** @typedef {{family: string, name: string, member: string, role: string, ends?: number}} Membership `ends`: when the family is erased, UTC milliseconds */
/** @typedef {{seq?: number, rejection?: Rejection, warnings?: any[]}} Outcome */
/**
 * What happened: the ids of records that look different now (undefined: any may), and the engine's notes.
 * @typedef {(ids: Set<string> | undefined, notes: any[]) => void} Listener
 */

/** The protocol's name in the handshake of the socket. */
const SUBPROTOCOL = "huddle.v1";
/** The milliseconds from a change to its rows on this device. */
const WRITE_AFTER = 250;
/** A connection without a frame for that many milliseconds is asked for a sign of life. */
const SILENCE = 45_000;
/** The milliseconds that the sign of life may take; the connection counts as lost after them. With a tick of the clock it is noticed within five seconds. */
const PROBE = 3_900;
/** The milliseconds between two looks at the clock. If it has jumped by more than `SLEEP`, the machine was asleep. */
const TICK = 1_000;
/** The milliseconds in which a tab that was loaded again comes back for its own. */
const RETURN = 5_000;
const SLEEP = 5_000;
/** The milliseconds that the first connection may take before the page says that the server is out of reach. */
const FIRST = 3_000;

export class Store {
  /** @param {{cache: Cache | undefined, slots: Slots, open?: (url: string, protocol: string) => WebSocket}} parts `cache`: undefined keeps everything in memory */
  constructor({ cache, slots, open = (url, protocol) => new WebSocket(url, protocol) }) {
    this.cache = cache;
    this.slots = slots;
    this.open = open;
    /** @type {SyncEngine} */
    this.engine = new SyncEngine({ token: "", client: newId(), random: randomBelow });
    /** @type {any} the reason of the engine's stop */
    this.stopped = undefined;
    /** Whether the copy on this device could not be written: what waits is in this page alone. */
    this.isMemoryOnly = cache === undefined;
    /** Whether this device has no room for the records: what waits is kept all the same. */
    this.isThin = false;
    /** Why there is no copy on this device. */
    /** @type {"newer" | "blocked" | "damaged" | undefined} */
    this.storageProblem = undefined;
    /** What waited on this device and cannot be read. */
    /** @type {Waiting[]} */
    this.unreadable = [];
    /** @type {Set<Listener>} */
    this.listeners = new Set();
    /** @type {Set<string> | undefined} */
    this.changed = new Set();
    /** @type {any[]} */
    this.notes = [];
    this.isTelling = false;
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.reconnect = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.wake = undefined;
    this.lastFrame = 0;
    /** Whether a connection was lost, or the first one is late, and none is live since. */
    this.hasLost = false;
    /** Waits for the sign of life that was asked for. */
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.probe = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.ticks = undefined;
    this.tickedAt = Date.now();
    /** What the other members do at this moment. */
    this.activities = new Activities();
    /** @type {Map<number, (frame: Frame | undefined, rejection?: Rejection) => void>} */
    this.questions = new Map();
    /** @type {Map<number, (outcome: Outcome) => void>} */
    this.outcomes = new Map();
    // What is on this device.
    /** @type {Slot | undefined} */
    this.slot = undefined;
    /** @type {Map<string, string>} */
    this.kept = new Map();
    /** @type {Set<string>} */
    this.dirty = new Set();
    this.isReplaced = false;
    /** The slots of ended tabs whose work goes behind this tab's own. */
    /** @type {Set<string>} */
    this.left = new Set();
    this.isLooking = false;
    this.isTaking = false;
    this.hasAsked = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.writeTimer = undefined;
    /** @type {Promise<void>} */
    this.writing = Promise.resolve();
    /** @type {Frame[]} mutations that go out once their rows are on stable storage */
    this.outgoing = [];
    this.isKeeping = false;
  }

  // Start and end.

  /**
   * Loads what this device has for a member of a family, and connects.
   * @param {Membership} membership
   */
  async begin(membership) {
    const loaded = await this.#load(membership).catch((error) => this.#failed(error));
    const client = loaded?.client ?? (await this.slots.make());
    const engine = this.#restored(client, membership, loaded);
    this.engine = engine;
    this.stopped = undefined;
    this.slots.remember(client);
    this.slot = loaded?.slot ?? { client, family: membership.family, member: membership.member, chunks: 1, used: Date.now(), state: {} };
    engine.family = membership.family;
    engine.member ??= membership.member;
    engine.role ??= membership.role;
    this.#tell(undefined, []);
    this.run(engine.start(this.now));
    setTimeout(() => {
      if (engine !== this.engine || engine.phase === "live") return;
      this.hasLost = true;
      this.#tell([], []);
    }, FIRST);
    this.slots.lost = (one) => { if (one === this.slot?.client) this.#lostSlot(); };
    this.slots.moved.add(() => this.#lookAround());
    // Written before it is announced: the others look for its row.
    if (this.cache) this.#write((cache, slot) => cache.keep(slot, [], [])).then(() => this.slots.announce());
  }

  /**
   * An engine with what is on this device. What cannot be read of it is left out, and never what can be.
   * @param {string} client
   * @param {Membership} membership
   * @param {{slot: Slot | undefined, records: FamilyRecord[], waiting: Waiting[]} | undefined} loaded
   * @returns {SyncEngine}
   */
  #restored(client, membership, loaded) {
    const make = (/** @type {any} */ state, /** @type {any[]} */ records, /** @type {Waiting[]} */ waiting) => {
      const engine = new SyncEngine({ token: "", client, family: membership.family, returnsToContext: true, random: randomBelow });
      // The cookie signs in; no script sees a token.
      engine.configuration.token = /** @type {any} */ (undefined);
      const rows = (/** @type {string} */ kind) => waiting.filter((one) => one.kind === kind).map((one) => one.row).sort((one, other) => one.id - other.id);
      if (state) {
        engine.restore({
          role: null, context: null, cursor: null, unsent: null, last_mutation: 0, ...state, client, family: membership.family, member: membership.member, records, pending: rows("pending"), drafts: rows("draft"),
        });
      }
      return engine;
    };
    if (!loaded?.slot) return make(undefined, [], []);
    const { slot, waiting } = loaded;
    let engine;
    let readable = waiting;
    try {
      // A page that was closed before its records were stored left a state without them.
      engine = make(slot.state, slot.state.cursor ? loaded.records : [], waiting);
    } catch (error) {
      console.warn("huddle: the copy on this device is damaged", error);
      const bare = { last_mutation: Number(slot.state?.last_mutation) || 0 };
      readable = waiting.filter((one) => {
        try {
          make(bare, [], [one]);
          return true;
        } catch {
          return false;
        }
      });
      this.unreadable = waiting.filter((one) => !readable.includes(one));
      engine = make(bare, [], readable);
      slot.state = { ...slot.state, cursor: null, unsent: null };
    }
    for (const one of readable) this.kept.set(`${one.kind} ${one.id}`, JSON.stringify(one.row));
    return engine;
  }

  /** Removes what could not be read from this device. */
  async dropUnreadable() {
    const { unreadable } = this;
    this.unreadable = [];
    await this.#write((cache, slot) => cache.keep(slot, [], unreadable));
    this.#tell([], []);
  }

  /** @param {Membership} membership */
  async #load(membership) {
    const { cache } = this;
    if (!cache) return undefined;
    const own = (await cache.slots()).filter((slot) => slot.family === membership.family && slot.member === membership.member);
    const counted = await Promise.all(own.map(async (slot) => ({ slot, count: await cache.waitingIn(slot.client) })));
    // What waits goes first.
    counted.sort((one, other) => other.count - one.count);
    const { remembered } = this.slots;
    for (const { slot: { client } } of counted) {
      if (await (client === remembered ? this.slots.takeBack(client) : this.slots.take(client))) return { client, ...(await cache.load(client)) };
    }
    return undefined;
  }

  /**
   * Ends the connection; nothing that waits is lost.
   */
  end() {
    clearTimeout(this.reconnect);
    clearTimeout(this.wake);
    this.#close(1000);
    this.activities.clear();
    this.engine.phase = "stopped";
  }

  get now() {
    return performance.now();
  }

  /** Whether the server is out of reach. While the first connection is under way nobody knows that yet. */
  get isOffline() {
    const { phase } = this.engine;
    return phase === "stopped" || (phase === "offline" && this.hasLost);
  }

  /** Whether an answer cannot be expected: the connection is lost, and not live again. */
  get isAway() {
    const { phase } = this.engine;
    return phase === "stopped" || (phase !== "live" && this.hasLost);
  }

  /** Whether the records are on their way for the first time. */
  get isLoading() {
    return this.engine.cursor === undefined && !this.isOffline;
  }

  // Listeners.

  /**
   * @param {Listener} listener
   * @returns {() => void} ends it
   */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Tells the listeners once for everything that happens in one turn of the event loop.
   * @param {string[] | undefined} ids
   * @param {any[]} notes
   * @param {boolean} [later] in a turn of its own, so that no turn is too long for what a person does meanwhile
   */
  #tell(ids, notes, later = false) {
    if (ids === undefined) this.changed = undefined;
    else for (const id of ids) this.changed?.add(id);
    this.notes.push(...notes);
    if (this.isTelling) return;
    this.isTelling = true;
    const tell = () => {
      const { changed, notes: told } = this;
      this.isTelling = false;
      this.changed = new Set();
      this.notes = [];
      for (const listener of [...this.listeners]) listener(changed, told);
    };
    if (later) setTimeout(tell);
    else queueMicrotask(tell);
  }

  // Actions of the engine.

  /** @param {any[]} actions */
  run(actions) {
    // Rows first: a mutation is sent once it is on stable storage.
    this.#keep();
    for (const action of actions) {
      if (action.send) this.#send(action.send);
      else if (action.connect !== undefined) this.#connectAfter(action.connect);
      else if (action.disconnect !== undefined) this.#close(action.disconnect);
      else if (action.wake !== undefined) {
        clearTimeout(this.wake);
        // Whole milliseconds: a fraction is cut off, and the timer fires early.
        this.wake = setTimeout(() => this.run(this.engine.timerFired(this.now)), Math.ceil(action.wake));
      } else if (action.changed) {
        for (const id of action.changed) this.dirty.add(id);
        this.#writeSoon();
        this.#tell(action.changed, []);
      } else if (action.replaced) {
        this.isReplaced = true;
        this.#writeSoon();
        this.#tell(undefined, [], true);
      } else if (action.stop) {
        clearTimeout(this.reconnect);
        this.stopped = action;
        this.#forgetQuestions();
        this.#tell([], [action]);
      } else if (action.notify) this.#note(action);
    }
    // What other tabs left goes behind this tab's own changes; the end of one is not always reported, as that of a refused reading position.
    if (this.engine.pending.length === 0) for (const client of this.left) queueMicrotask(() => this.#takeOver(client));
    this.#tell([], []);
  }

  /** @param {any} note */
  #note(note) {
    // Nothing looks different but the line about it.
    if (note.notify === "activity") return this.activities.receive(note, this.now);
    if (note.notify === "presence" && note.connections === 0) this.activities.end(note.member);
    else if (note.notify === "change" && note.change?.entries.some((/** @type {any} */ entry) => entry.kind === "message")) this.activities.end(note.change.member);
    else if (note.notify === "offline") this.activities.clear();
    if (note.notify === "answer") this.#answered(note.frame.request, note.frame);
    else if (note.notify === "failed" && note.request !== undefined) this.#answered(note.request, undefined, note.rejection);
    else if (note.notify === "offline") this.#forgetQuestions();
    if (note.notify === "live") {
      this.hasLost = false;
      this.#lookAround();
    }
    if (note.notify === "acknowledged") this.#settled(note.ack.mutation, { seq: note.ack.seq, warnings: note.ack.warnings });
    else if (note.notify === "rejected") this.#settled(note.mutation, { rejection: note.rejection });
    if (note.notify === "joined" || note.notify === "live" || note.notify === "role" || note.notify === "context") this.#writeSoon();
    this.#tell([], [note]);
  }

  /**
   * @param {number} mutation
   * @param {Outcome} outcome
   */
  #settled(mutation, outcome) {
    this.outcomes.get(mutation)?.(outcome);
    this.outcomes.delete(mutation);
  }

  /**
   * @param {number} request
   * @param {Frame | undefined} frame
   * @param {Rejection} [refused]
   */
  #answered(request, frame, refused) {
    this.questions.get(request)?.(frame, refused);
    this.questions.delete(request);
  }

  #forgetQuestions() {
    const offline = rejection("busy", WORDS.thereIsNoConnectionTo);
    for (const answer of this.questions.values()) answer(undefined, offline);
    this.questions.clear();
  }

  // The connection.

  /** @param {Frame} frame */
  #send(frame) {
    if (frame.type === "mutate" && this.isKeeping) this.outgoing.push(frame);
    else if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  /** @param {number} wait milliseconds */
  #connectAfter(wait) {
    clearTimeout(this.reconnect);
    this.reconnect = setTimeout(() => this.#connect(), wait);
  }

  #connect() {
    clearTimeout(this.reconnect);
    if (this.engine.phase !== "offline") return;
    this.#close(1000);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.open(`${scheme}://${location.host}/ws`, SUBPROTOCOL);
    this.socket = socket;
    this.lastFrame = this.now;
    this.#watch();
    socket.onopen = () => {
      if (socket !== this.socket) return;
      this.run(this.engine.connected(this.now));
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      this.lastFrame = this.now;
      this.#receive(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.#lost(code);
    };
  }

  /** @param {any} data */
  #receive(data) {
    try {
      this.run(this.engine.receive(JSON.parse(data), this.now));
    } catch (error) {
      // Not a frame of the protocol, or one with other members: the server or something between is broken.
      console.warn("huddle: a frame could not be read", error);
      this.#close(1002);
      this.#lost(undefined);
    }
  }

  /** @param {number | undefined} code */
  #lost(code) {
    this.#unwatch();
    this.socket = undefined;
    this.outgoing = [];
    this.hasLost = true;
    this.run(this.engine.disconnected(code, this.now));
  }

  /** @param {number} code */
  #close(code) {
    this.#unwatch();
    this.outgoing = [];
    const { socket } = this;
    this.socket = undefined;
    // Scripts may send 1000 and codes from 3000 on.
    socket?.close(code === 1000 ? 1000 : 3000 + code - 1000);
  }

  /**
   * Notices a dead connection: browsers show no pings to scripts, and the socket of a machine that slept stays "open". Timers stop with the machine,
   * so a jump of the clock says that it slept.
   */
  #watch() {
    this.#unwatch();
    this.tickedAt = Date.now();
    this.ticks = setInterval(() => {
      const now = Date.now();
      const slept = now - this.tickedAt > SLEEP;
      this.tickedAt = now;
      if (slept || this.now - this.lastFrame >= SILENCE) this.check();
    }, TICK);
  }

  #unwatch() {
    clearInterval(this.ticks);
    clearTimeout(this.probe);
    this.probe = undefined;
  }

  /** Asks for a sign of life; without one the connection counts as lost. Call it when the page wakes up or comes online. */
  check() {
    if (this.engine.phase === "stopped") return;
    this.#lookAround();
    if (this.engine.phase === "offline") return this.#connect();
    const { socket } = this;
    if (!socket || this.probe !== undefined) return;
    const asked = this.now;
    // Before the room there is nothing to ask with, and always something to wait for.
    if (this.engine.isJoined && this.engine.features.has("ping")) {
      const question = this.engine.ask(asked, (request) => ({ type: "ping", request }));
      if (question) this.run(question.actions);
    } else if (this.engine.isJoined) {
      return;
    }
    this.probe = setTimeout(() => {
      this.probe = undefined;
      if (socket !== this.socket || this.lastFrame >= asked) return;
      this.#close(1001);
      this.#lost(undefined);
    }, PROBE);
  }

  /**
   * Tells the others what the person does at this moment.
   * @param {{action: string, record?: {kind: string, id: string}}} activity
   */
  tell(activity) {
    if (this.engine.isJoined && this.engine.features.has("activity")) this.#send({ type: "activity", ...activity });
  }

  /**
   * Reports that the member has seen a reminder; all their devices then receive that.
   * @param {{item: string, lead: number, start: number}} reminder
   */
  seeReminder({ item, lead, start }) {
    if (this.engine.isJoined) this.#send({ type: "reminder_seen", item, lead, start });
  }

  // Requests.

  /**
   * Requests a batch; it is on the screen immediately.
   * @param {Operation[]} operations
   * @param {OverlapOverride} [overlap]
   * @returns {{mutation: number, outcome: Promise<Outcome>}} `outcome` waits for the server, however long that takes
   * @throws {Refusal}
   */
  perform(operations, overlap) {
    return this.#requested(this.engine.perform(operations, { at: Date.now(), now: this.now, overlap }));
  }

  /**
   * @param {number} seq
   * @throws {Refusal}
   */
  undo(seq) {
    return this.#requested(this.engine.undo(seq, { at: Date.now(), now: this.now }));
  }

  /**
   * @param {{mutation: number | undefined, actions: any[]}} requested
   * @returns {{mutation: number, outcome: Promise<Outcome>}}
   */
  #requested({ mutation = 0, actions }) {
    /** @type {Promise<Outcome>} */
    const outcome = mutation === 0 ? Promise.resolve({}) : new Promise((resolve) => this.outcomes.set(mutation, resolve));
    this.run(actions);
    return { mutation, outcome };
  }

  /**
   * Sends a draft again as it is.
   * @param {number} draft
   * @param {OverlapOverride} [overlap]
   */
  retry(draft, overlap) {
    const requested = this.engine.retry(draft, { at: Date.now(), now: this.now, overlap });
    return requested && this.#requested(requested);
  }

  /**
   * Decides a conflict.
   * @param {import("../sync/conflicts.js").ConflictSides} shown
   * @param {{[field: string]: import("../sync/conflicts.js").ConflictChoice}} choices
   * @param {import("../sync/conflicts.js").ConflictChoice} [whole]
   */
  resolve(shown, choices, whole) {
    return this.#requested(this.engine.resolve(shown, choices, { at: Date.now(), now: this.now, whole }));
  }

  /** @param {number} draft */
  drop(draft) {
    this.engine.drop(draft);
    this.run([]);
  }

  /** @param {string} context an athlete's id, or "all" */
  setContext(context) {
    this.run(this.engine.setContext(context, this.now));
    this.#tell(undefined, []);
  }

  /**
   * Asks the server for something that the records do not have.
   * @param {(request: number) => Frame} make
   * @returns {Promise<Frame>}
   * @throws {Refusal} also without a connection
   */
  ask(make) {
    return new Promise((resolve, reject) => {
      const question = this.engine.ask(this.now, make);
      if (!question) {
        reject(new Refusal(rejection("busy", WORDS.thereIsNoConnectionTo)));
        return;
      }
      this.questions.set(question.request, (frame, refused) => (frame ? resolve(frame) : reject(new Refusal(/** @type {Rejection} */ (refused)))));
      this.run(question.actions);
    });
  }

  /**
   * Moves the reading position to the last change.
   */
  read() {
    const operation = this.engine.cursor && this.engine.phase === "live" && this.engine.readOperation(this.engine.cursor.seq);
    if (operation) this.run(this.engine.perform([operation], { at: Date.now(), now: this.now }).actions);
  }

  // The copy on this device.

  /** @returns {Map<string, Waiting>} */
  #waiting() {
    /** @type {Map<string, Waiting>} */
    const rows = new Map();
    for (const one of this.engine.pending) rows.set(`pending ${one.id}`, { kind: "pending", id: one.id, row: savePending(one) });
    for (const one of this.engine.drafts) rows.set(`draft ${one.id}`, { kind: "draft", id: one.id, row: writeDraft(one) });
    return rows;
  }

  /** Writes the rows of waiting changes that differ from those on this device. */
  #keep() {
    if (!this.cache || !this.slot || this.isMemoryOnly) return;
    const rows = this.#waiting();
    /** @type {Waiting[]} */
    const put = [];
    for (const [key, one] of rows) {
      const text = JSON.stringify(one.row);
      if (this.kept.get(key) === text) continue;
      this.kept.set(key, text);
      put.push(one);
    }
    /** @type {Waiting[]} */
    const remove = [];
    for (const key of this.kept.keys()) {
      if (rows.has(key)) continue;
      this.kept.delete(key);
      const [kind, id] = key.split(" ");
      remove.push({ kind: /** @type {"pending" | "draft"} */ (kind), id: Number(id), row: undefined });
    }
    if (put.length === 0 && remove.length === 0) return;
    this.isKeeping = true;
    if (!this.hasAsked && put.length > 0) {
      // The first item that waits: a browser that is asked does not remove it when it needs room.
      this.hasAsked = true;
      navigator.storage?.persist?.().catch(() => false);
    }
    this.#write((cache, slot) => cache.keep(slot, put, remove)).then(() => this.#sendOutgoing());
  }

  #sendOutgoing() {
    if (this.slot && !this.isMemoryOnly && [...this.#waiting()].some(([key, one]) => this.kept.get(key) !== JSON.stringify(one.row))) return;
    this.isKeeping = false;
    for (const frame of this.outgoing.splice(0)) this.#send(frame);
    this.#tell([], []);
  }

  // Other tabs of this browser. Each is a client of its own; what a tab leaves when it ends, or when the browser freezes it, another one continues.

  /** Looks for what waits in tabs that have ended, or that do not answer. */
  async #lookAround() {
    const { cache, slot, slots } = this;
    if (!cache || !slot || !slots.canLook || this.isMemoryOnly || this.isLooking) return;
    this.isLooking = true;
    try {
      const others = (await cache.slots()).filter((one) => one.client !== slot.client && one.family === slot.family && one.member === slot.member);
      for (const { client } of others) {
        if (this.slot !== slot || this.engine.phase === "stopped") return;
        if (slots.held.has(client) || (await cache.waitingIn(client)) === 0) continue;
        if (await slots.isHeld(client)) {
          if (document.visibilityState === "visible" && this.engine.phase === "live" && (await slots.takeFrozen(client))) await this.#takeOver(client);
          continue;
        }
        // A tab that is loaded again comes back for its own.
        await new Promise((resolve) => setTimeout(resolve, RETURN));
        if (!(await slots.isHeld(client)) && (await slots.take(client))) await this.#takeOver(client);
      }
    } catch (error) {
      console.warn("huddle: the other tabs cannot be looked at", error);
    } finally {
      this.isLooking = false;
    }
  }

  /**
   * Takes over what waits in the slot of a tab that has ended. This tab holds that slot.
   * @param {string} client
   */
  async #takeOver(client) {
    const { cache, slot } = this;
    if (!cache || !slot || this.isMemoryOnly || this.isTaking || this.engine.phase === "stopped") return;
    this.isTaking = true;
    try {
      await this.writing;
      const { slot: left, waiting } = await cache.load(client);
      if (!left) this.left.delete(client);
      if (!left || this.slot !== slot) return;
      const rows = (/** @type {string} */ kind) => waiting.filter((one) => one.kind === kind).map((one) => one.row).sort((one, other) => one.id - other.id);
      const isOwn = this.engine.takeOver({ last_mutation: 0, ...left.state, client, family: left.family, member: left.member, records: [], pending: rows("pending"), drafts: rows("draft") });
      // Behind the changes that this tab has under its own id.
      if (isOwn === undefined) {
        this.left.add(client);
        return;
      }
      this.left.delete(client);
      if (isOwn) {
        this.#keep();
        await this.writing;
        if (!this.isMemoryOnly) await cache.remove(client);
      } else {
        // From now on this tab is that client; its own changes are settled, and its drafts move along.
        this.slots.remember(client);
        this.slot = { ...left, chunks: 1, used: Date.now(), state: { ...left.state, cursor: null } };
        this.kept = new Map(waiting.map((one) => [`${one.kind} ${one.id}`, JSON.stringify(one.row)]));
        this.isReplaced = true;
        this.#keep();
        this.#writeSoon();
        this.run(this.engine.rejoin(this.now));
        await this.writing;
        if (!this.isMemoryOnly) await cache.remove(slot.client);
      }
      this.#tell(undefined, []);
    } catch (error) {
      console.warn("huddle: what another tab left could not be taken over", error);
    } finally {
      this.isTaking = false;
    }
  }

  /** Another tab has taken this one's slot while the browser had frozen it: begin again, with what is on this device. */
  #lostSlot() {
    this.isMemoryOnly = true;
    this.end();
    location.reload();
  }

  #writeSoon() {
    if (this.writeTimer !== undefined || !this.cache) return;
    this.writeTimer = setTimeout(() => this.#writeRecords(), WRITE_AFTER);
  }

  #writeRecords() {
    clearTimeout(this.writeTimer);
    this.writeTimer = undefined;
    return this.#write((cache, slot) => {
      const { savedState } = this.engine;
      // Without a position there is nothing yet whose rows would belong together.
      if (!savedState || !this.engine.cursor || this.isThin) return Promise.resolve();
      slot.used = Date.now();
      slot.state = { ...savedState, records: [], pending: [], drafts: [] };
      const dirty = this.dirty;
      this.dirty = new Set();
      if (!this.isReplaced) return cache.update(slot, dirty, this.engine.confirmed.all);
      this.isReplaced = false;
      return cache.replace(slot, this.engine.confirmed.all.values());
    });
  }

  /**
   * One writer after the other; a failure ends writing, and the page says so.
   * @param {(cache: Cache, slot: Slot) => Promise<void>} act
   * @returns {Promise<void>}
   */
  #write(act) {
    const { cache } = this;
    if (!cache || this.isMemoryOnly) return Promise.resolve();
    this.writing = this.writing.then(async () => {
      if (!this.slot || this.isMemoryOnly) return;
      try {
        await act(cache, this.slot);
      } catch (/** @type {any} */ error) {
        if (error?.name !== "QuotaExceededError" || this.isThin) throw error;
        // What waits is here alone; the records are on the server, too.
        console.warn("huddle: this device has no room for the records", error);
        this.isThin = true;
        this.slot.state = { ...this.slot.state, cursor: null, unsent: null };
        for (const other of await cache.slots()) if (other.client === this.slot.client || !this.slots.canLook || !(await this.slots.isHeld(other.client))) await cache.removeRecords(other);
        await act(cache, this.slot);
        this.#tell([], []);
      }
    }).catch((error) => { this.#failed(error); });
    return this.writing;
  }

  /** @param {any} error */
  #failed(error) {
    console.warn("huddle: this device keeps no copy", error);
    this.isMemoryOnly = true;
    this.isKeeping = false;
    this.#tell([], [{ notify: "storage", error: String(error?.name ?? error) }]);
    return undefined;
  }

  /** Resolves once everything up to now is on this device. */
  async settle() {
    await this.#writeRecords();
    await this.writing;
  }

  /**
   * Takes the records from this device.
   * @param {{all: boolean}} which `all`: also what the member wrote itself and is not sent
   */
  async forget({ all }) {
    const { cache, slot } = this;
    this.end();
    clearTimeout(this.writeTimer);
    if (!cache) return;
    await this.writing;
    this.slot = undefined;
    for (const other of await cache.slots()) {
      if (slot && (other.family !== slot.family || other.member !== slot.member)) continue;
      if (all || (await cache.waitingIn(other.client)) === 0) await cache.remove(other.client);
      else await cache.removeRecords(other);
    }
  }

  /** The number of the member's own changes that are not on the server, and of those that it refused. */
  get waiting() {
    return { waiting: this.engine.waiting.length, refused: this.engine.drafts.length };
  }
}
