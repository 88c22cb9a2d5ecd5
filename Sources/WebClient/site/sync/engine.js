// Keeps one member's view of one family in sync with the server; as `SyncEngine` in Swift, which proto/sync describes.
//
// A value without I/O and without a clock: inputs are methods, each returns the actions to carry out, in order. `now` is
// any monotonic clock in milliseconds; `at` is UTC milliseconds. A lost connection loses nothing: pending mutations keep
// their ids and are sent again, drafts stay, and the position (`cursor`) moves only over applied changes.
import { sha256 } from "../crypto/sha256.js";
import { KINDS } from "../family/kinds.js";
import { apply as merge } from "../family/merge.js";
import { asSetElement, isCreate, makeOperation, makeOverlap, makeRecord, readFields, readRecord, references } from "../family/records.js";
import { copied, moved } from "../family/shift.js";
import { WORDS } from "../words/engine.js";
import { makeAck, readAck, readChange, readFeatures, readSnapshot, SERVER_FRAMES } from "../wire/frames.js";
import { LIMITS } from "../wire/protocol.js";
import { readRejection, Refusal, rejection } from "../wire/rejections.js";
import { wait as backoff } from "./backoff.js";
import { ConfirmedRecords, Divergence } from "./confirmed.js";
import { decided, sides } from "./conflicts.js";
import { fold } from "./folding.js";
import { isReadingPosition, makePending, mutationFrame, readDraft, readPending, savePending, touches, writeDraft } from "./pending.js";

/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").OverlapOverride} OverlapOverride */
/** @typedef {import("../wire/rejections.js").Rejection} Rejection */
/** @typedef {import("../wire/frames.js").Frame} Frame */
/** @typedef {import("../wire/frames.js").Change} Change */
/** @typedef {import("../wire/frames.js").Ack} Ack */
/** @typedef {import("./pending.js").PendingMutation} PendingMutation */
/** @typedef {import("./pending.js").Draft} Draft */
/** @typedef {import("./conflicts.js").ConflictSides} ConflictSides */
/** @typedef {import("./conflicts.js").ConflictChoice} ConflictChoice */
/** @typedef {{epoch: string, seq: number}} Cursor */
/**
 * An action for the engine's driver, in the form of proto/sync.md: `send`, `connect`, `disconnect`, `wake`, `changed`,
 * `replaced`, `notify` or `stop`.
 * @typedef {{[name: string]: any}} Action
 */
/**
 * The sign-in, and the wanted scope.
 * @typedef {object} Configuration
 * @property {string} token
 * @property {string} client this installation; mutation ids count under it
 * @property {string} [family] the family to join; left out: the only one
 * @property {string} [context] the wanted context; left out: the server's default
 * @property {Cursor} [cursor] the position to continue from; only for an engine that holds no records
 * @property {number} [resumeAfter] continue after this sequence in any epoch; only for an engine that holds no records
 * @property {boolean} [holdsRecords] false for a program that only follows the log
 * @property {boolean} [isQuiet] whether other members get no presence for this connection
 * @property {boolean} [returnsToContext] whether the last context is requested again, if no other is requested
 * @property {(bound: number) => number} random a whole number of at least 0, below the bound: for jitter and mutation ids
 */
/** @typedef {"stopped" | "offline" | "signing_in" | "joining" | "syncing" | "live"} Phase */
/**
 * One version of a record that arrived while an operation on it was pending. `fields` are those that it wrote; undefined
 * for a creation, deletion or restoration.
 * @typedef {{version: number, isOwn: boolean, fields: Set<string> | undefined}} VersionStep
 */

/** The milliseconds that a sent mutation may be unanswered; after it the connection counts as broken. */
export const ANSWER_TIME = 30_000;
/** The largest number of pending mutations and drafts together. */
export const MAX_WAITING = 4_096;
/** The wait after a retryable refusal without a time, in milliseconds. */
const DEFAULT_RETRY = 1_000;
/** The largest number of connections that may end with a complaint about one mutation. */
const MAX_COMPLAINTS = 2;
/** The largest number of uploads that a family may have open. */
const MAX_UPLOADS = 100;
/** The longest accepted wait before a return: no server asks for more. */
const LONGEST_RETURN = 60_000;
/** The milliseconds from one reload to the next, which double up to the longest. */
const FIRST_RELOAD_WAIT = 60_000;
const LONGEST_RELOAD_WAIT = 3_600_000;

const NORMAL = 1000;
const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;

/**
 * Whether a close code means that the server refused a frame, so that a mutation in flight may be the cause.
 * @param {number} code
 */
function isComplaint(code) {
  return code === 1002 || code === 1003 || (code >= 1007 && code <= 1010) || code === 4502;
}

/**
 * Whether a client connects again by itself after this code.
 * @param {number} code
 */
function reconnects(code) {
  return !(code === 1002 || code === 1003 || (code >= 1007 && code <= 1010) || (code >= 4500 && code <= 4999));
}

/**
 * The number of octets of a text.
 * @param {string} text
 */
function octets(text) {
  return new TextEncoder().encode(text).length;
}

/** @param {FamilyRecord[]} records */
function ordered(records) {
  return records.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
}

export class SyncEngine {
  /** @param {Configuration} configuration */
  constructor(configuration) {
    const holdsRecords = configuration.holdsRecords ?? true;
    if (holdsRecords && (configuration.cursor || configuration.resumeAfter !== undefined)) {
      throw new TypeError("a position without its records cannot be continued");
    }
    /** @type {Configuration} */
    this.configuration = { ...configuration, holdsRecords };
    /** @type {Phase} */
    this.phase = "stopped";
    /**
     * The position of the records; undefined before the first snapshot and after a reset.
     * @type {Cursor | undefined}
     */
    this.cursor = configuration.cursor;
    /**
     * In the order of the requests, which is the order of sending.
     * @type {PendingMutation[]}
     */
    this.pending = [];
    /**
     * The finally refused mutations, oldest first.
     * @type {Draft[]}
     */
    this.drafts = [];
    /** @type {{[name: string]: number}} */
    this.limits = { ...LIMITS };
    /** @type {Set<string>} */
    this.features = new Set();
    /** @type {{family: string, name: string, member: string, role: string}[]} */
    this.memberships = [];
    /** @type {string | undefined} */
    this.family = undefined;
    /** @type {string | undefined} */
    this.member = undefined;
    /** @type {string | undefined} */
    this.role = undefined;
    /**
     * The context in force at the server; while offline, the context to request.
     * @type {string | undefined}
     */
    this.context = configuration.context;
    /** @type {Map<string, any>} */
    this.presence = new Map();
    /** @type {Map<string, any>} */
    this.uploads = new Map();
    this.faultCount = 0;

    this.confirmed = new ConfirmedRecords();
    /** @type {{differed: number | undefined, notBefore: number, reloads: number, isReported: boolean}} */
    this.verification = { differed: undefined, notBefore: -Infinity, reloads: 0, isReported: false };
    /**
     * The records touched by pending mutations, in their future state.
     * @type {Map<string, FamilyRecord>}
     */
    this.overlay = new Map();
    /**
     * The number of pending operations that touch each record.
     * @type {Map<string, number>}
     */
    this.touchCount = new Map();
    /**
     * Versions that arrived while a record had pending operations, for moving bases forward.
     * @type {Map<string, VersionStep[]>}
     */
    this.steps = new Map();
    /**
     * The records of an incomplete snapshot.
     * @type {FamilyRecord[] | undefined}
     */
    this.snapshot = undefined;
    this.snapshotCount = 0;
    this.snapshotUnknown = 0;
    this.epoch = "";
    this.lastMutation = 0;
    this.lastRequest = 0;
    /** The number of pending mutations with complaints: while there are any, one is sent at a time. */
    this.suspects = 0;
    this.askedForContext = false;
    /** @type {number | undefined} */
    this.contextRequest = undefined;
    /** The number of consecutive attempts that did not reach `live`. */
    this.failures = 0;
    /** @type {number | undefined} */
    this.returnAfter = undefined;
    this.faultsInRow = 0;
    /** @type {number | undefined} */
    this.wakeAt = undefined;
    /** @type {Action[]} */
    this.output = [];
    /** @type {Set<string>} */
    this.touched = new Set();
  }

  // The connection.

  /**
   * Starts, or starts again after a stop: requests a connection immediately.
   * @param {number} now
   * @returns {Action[]}
   */
  start(now) {
    if (this.phase !== "stopped") return [];
    this.phase = "offline";
    this.failures = 0;
    this.output.push({ connect: 0 });
    return this.#flush(now);
  }

  /**
   * Called when the requested connection is open and supports the subprotocol.
   * @param {number} now
   * @returns {Action[]}
   */
  connected(now) {
    if (this.phase !== "offline") return [];
    this.phase = "signing_in";
    this.output.push({ send: { type: "sign_in", token: this.configuration.token } });
    return this.#flush(now);
  }

  /**
   * Called when the connection has ended, or could not be opened.
   * @param {number | undefined} closeCode the server's; 1006 or undefined for an abrupt end
   * @param {number} now
   * @returns {Action[]}
   */
  disconnected(closeCode, now) {
    if (this.phase === "stopped") return [];
    if (closeCode !== undefined && !reconnects(closeCode)) {
      if (!isComplaint(closeCode) || !this.#complainAboutInFlight(closeCode)) {
        this.phase = "offline";
        this.#stop({ stop: "closed", code: closeCode });
        return this.#flush(now);
      }
    }
    this.#lose(closeCode);
    return this.#flush(now);
  }

  /**
   * Called when the timer of the last `wake` has fired. A call too early only asks for the rest of the wait.
   * @param {number} now
   * @returns {Action[]}
   */
  timerFired(now) {
    this.wakeAt = undefined;
    const late = this.isJoined ? this.#unansweredMutation(now) : undefined;
    if (late !== undefined) this.#fail({ fault: "unanswered", mutation: late });
    else this.#sendDue(now);
    return this.#flush(now);
  }

  /**
   * Asks the server to change the context; repeated at each join.
   * @param {string} wanted
   * @param {number} now
   * @returns {Action[]}
   */
  setContext(wanted, now) {
    this.configuration.context = wanted;
    if (this.isJoined) {
      this.askedForContext = true;
      this.contextRequest = undefined;
      if (this.features.has("requests")) {
        this.lastRequest += 1;
        this.contextRequest = this.lastRequest;
      }
      this.output.push({ send: { type: "context", context: wanted, ...(this.contextRequest === undefined ? {} : { request: this.contextRequest }) } });
    } else {
      this.context = wanted;
    }
    return this.#flush(now);
  }

  /**
   * Requests data that the snapshot does not have. The response is `answer` or `failed` with the number that `make`
   * receives.
   * @param {number} now
   * @param {(request: number) => Frame} make
   * @returns {{request: number, actions: Action[]} | undefined} undefined outside the room
   */
  ask(now, make) {
    if (!this.isJoined) return undefined;
    this.lastRequest += 1;
    const request = this.lastRequest;
    this.output.push({ send: make(request) });
    return { request, actions: this.#flush(now) };
  }

  /**
   * Names the family to join, after a stop that asked for it; then call `start`.
   * @param {string} family
   */
  choose(family) {
    if (this.phase === "stopped") this.configuration.family = family;
  }

  /**
   * Ends this session everywhere; the response is a stop with `signed_out`.
   * @param {number} now
   * @returns {Action[]}
   */
  signOut(now) {
    if (this.isJoined || this.phase === "joining") this.output.push({ send: { type: "sign_out" } });
    return this.#flush(now);
  }

  /** Whether this connection is in the room for the server. */
  get isJoined() {
    return this.phase === "syncing" || this.phase === "live";
  }

  /**
   * Handles a lost connection: drops its state and requests another.
   * @param {number | undefined} closeCode
   */
  #lose(closeCode) {
    this.#endConnection();
    let wait = this.#wait(Math.max(this.failures, this.faultsInRow));
    if (this.returnAfter !== undefined) {
      // The server gave each client another time. A short wait of our own is added, for the clients of a machine that was
      // asleep.
      wait = Math.min(this.returnAfter, LONGEST_RETURN) + this.#wait(0);
      this.returnAfter = undefined;
    }
    this.failures += 1;
    this.output.push({ notify: "offline", ...(closeCode === undefined ? {} : { code: closeCode }), retry_after: wait });
    this.output.push({ connect: wait });
  }

  /** @param {number} failures */
  #wait(failures) {
    return backoff(failures, this.configuration.random);
  }

  /**
   * Handles a violation of the protocol: leaves, and returns with the cursor.
   * @param {{fault: string, [name: string]: any}} fault
   */
  #fail(fault) {
    this.faultCount += 1;
    this.output.push({ notify: "fault", ...fault });
    // The held records differ from the server's: only a snapshot can fix that.
    if (fault.fault === "diverged") this.cursor = undefined;
    this.output.push({ disconnect: fault.fault === "unanswered" ? GOING_AWAY : PROTOCOL_ERROR });
    this.#lose(undefined);
    this.faultsInRow += 1;
  }

  /** @param {Action} reason */
  #stop(reason) {
    const wasConnected = this.phase !== "offline" && this.phase !== "stopped";
    this.#endConnection();
    this.phase = "stopped";
    if (wasConnected) this.output.push({ disconnect: NORMAL });
    this.output.push(reason);
  }

  #endConnection() {
    this.phase = "offline";
    this.snapshot = undefined;
    this.presence = new Map();
    if (this.configuration.context !== undefined) this.context = this.configuration.context;
    this.askedForContext = false;
    for (const mutation of this.pending) if (mutation.state === "in_flight") mutation.state = "resend";
  }

  /**
   * Returns the actions of one input, and sets the timer if it has to fire earlier than planned.
   * @param {number} now
   * @returns {Action[]}
   */
  #flush(now) {
    if (this.touched.size > 0) {
      this.output.push({ changed: [...this.touched].sort() });
      this.touched = new Set();
    }
    const due = this.isJoined ? this.#nextDeadline(now) : undefined;
    if (due !== undefined && due < (this.wakeAt ?? Infinity)) {
      this.wakeAt = due;
      this.output.push({ wake: Math.max(due - now, 0) });
    }
    const actions = this.output;
    this.output = [];
    return actions;
  }

  // Frames of the server.

  /**
   * Handles a frame from the server. Frames of a connection that the engine has left are ignored.
   * @param {Frame} frame
   * @param {number} now
   * @returns {Action[]}
   */
  receive(frame, now) {
    // A newer server may send frames that this program does not know.
    if (!SERVER_FRAMES.has(frame.type)) return [];
    if (this.phase === "stopped" || this.phase === "offline") return [];
    // The server shuts down, and says when to come back.
    if (frame.type === "drain") this.returnAfter = Math.max(frame.retry_after, 0);
    else if (this.phase === "signing_in") this.#receiveSigningIn(frame);
    else this.#receiveJoined(frame, now);
    return this.#flush(now);
  }

  /** @param {Frame} frame */
  #receiveSigningIn(frame) {
    switch (frame.type) {
      case "welcome": {
        if (frame.protocol !== 1) return this.#stop({ stop: "protocol_unsupported", protocol: frame.protocol });
        this.limits = { ...LIMITS, ...frame.limits };
        this.features = readFeatures(frame);
        this.memberships = frame.memberships;
        this.output.push({ notify: "welcome", welcome: frame });
        const wanted = this.configuration.family ?? (this.memberships.length === 1 ? this.memberships[0].family : undefined);
        if (wanted === undefined || !this.memberships.some((one) => one.family === wanted)) {
          return this.#stop({ stop: "family_unclear", families: this.memberships.map((one) => one.family) });
        }
        this.family = wanted;
        return this.#join();
      }
      case "error":
        return this.#refuse(readRejection(frame));
      case "signed_out":
        return this.#stop({ stop: "signed_out" });
      default:
        return this.#unexpected(frame.type);
    }
  }

  /** @param {string} frame */
  #unexpected(frame) {
    this.#fail({ fault: "unexpected_frame", frame });
  }

  #join() {
    if (this.family === undefined) return;
    this.phase = "joining";
    /** @type {any} */
    const frame = { type: "join", family: this.family, client: this.configuration.client };
    if (this.configuration.context !== undefined) frame.context = this.configuration.context;
    if (this.cursor) frame.cursor = { epoch: this.cursor.epoch, seq: this.cursor.seq };
    // A server that does not know a key refuses the whole frame.
    if (this.configuration.isQuiet && this.features.has("quiet")) frame.quiet = true;
    if (!this.cursor && this.features.has("checksum") && this.verification.differed !== undefined) frame.differed = this.verification.differed;
    this.output.push({ send: frame });
  }

  /**
   * @param {Frame} frame
   * @param {number} now
   */
  #receiveJoined(frame, now) {
    if (this.phase === "joining" && !["joined", "reset", "error", "signed_out", "role", "presence", "upload", "activity"].includes(frame.type)) {
      return this.#unexpected(frame.type);
    }
    switch (frame.type) {
      case "joined":
        return this.#receiveWelcomeToRoom(frame);
      case "reset":
        this.cursor = undefined;
        this.snapshot = [];
        this.snapshotCount = 0;
        this.snapshotUnknown = 0;
        if (this.phase === "live") this.phase = "syncing";
        this.output.push({ notify: "reset", reason: frame.reason });
        return;
      case "snapshot":
        return this.#receiveSnapshot(frame);
      case "snapshot_end":
        return this.#applySnapshot(frame, now);
      case "change":
        return this.#receiveChange(readChange(frame), now);
      case "live":
        if (this.snapshot || !this.cursor) return this.#unexpected("live");
        if (this.cursor.seq !== frame.seq) return this.#fail({ fault: "gap", expected: this.cursor.seq, got: frame.seq });
        if (!this.#verify(frame.checksum, now)) return;
        this.phase = "live";
        this.failures = 0;
        this.output.push({ notify: "live", seq: frame.seq });
        this.#settleApplied(this.cursor.seq);
        return this.#sendDue(now);
      case "checksum":
        if (this.snapshot || !this.cursor) return this.#unexpected("checksum");
        // The server sends it after the change to which it belongs, so a later sequence names a change that never
        // arrived.
        if (frame.seq > this.cursor.seq) return this.#fail({ fault: "gap", expected: this.cursor.seq, got: frame.seq });
        if (frame.seq === this.cursor.seq) this.#verify(frame.checksum, now);
        return;
      case "ack":
        return this.#receiveAck(readAck(frame), now);
      case "reject":
        return this.#receiveRejection(frame.mutation, readRejection(frame), now);
      case "presence": {
        const one = { member: frame.member, connections: frame.connections, context: frame.context };
        if (one.connections > 0) this.presence.set(one.member, one);
        else this.presence.delete(one.member);
        this.output.push({ notify: "presence", ...one });
        return;
      }
      case "upload": {
        // A state that a newer server added says only that there is something.
        const state = ["running", "paused", "finished", "cancelled"].includes(frame.state) ? frame.state : "running";
        // A family has few uploads at a time; more are not stored.
        if (state === "finished" || state === "cancelled") this.uploads.delete(frame.id);
        else if (this.uploads.size < MAX_UPLOADS) this.uploads.set(frame.id, { ...frame, state });
        this.output.push({ notify: "upload", id: frame.id, state, octets: frame.octets, upload: frame });
        return;
      }
      case "activity": {
        // One that a newer server added, or about a record of a kind that this program does not know, is none that can be shown.
        const record = frame.record && KINDS[frame.record.kind] ? { kind: frame.record.kind, id: frame.record.id } : undefined;
        const isKnown = frame.action === "typing" || (record && (frame.action === "editing" || frame.action === "looking"));
        this.output.push({ notify: "activity", member: frame.member, action: isKnown ? frame.action : "idle", ...(isKnown && record ? { record } : {}) });
        return;
      }
      case "context":
        this.context = frame.context;
        this.configuration.context = frame.context;
        this.askedForContext = false;
        this.output.push({ notify: "context", context: frame.context });
        return;
      case "role":
        this.role = frame.role;
        this.output.push({ notify: "role", role: frame.role });
        return;
      case "recovered":
        this.output.push({ notify: "recovered", way: frame.way, at: frame.at });
        return;
      case "mail_failed":
        this.output.push({
          notify: "mail_failed", kind: frame.kind, address: frame.address, problem: frame.problem, ...(frame.invite ? { invite: frame.invite } : {}),
        });
        return;
      case "reminder":
      case "reminder_seen":
        this.output.push({ notify: frame.type, frame });
        return;
      case "page":
      case "statistics":
      case "history":
      case "digest":
      case "access_log":
      case "invite":
      case "invites":
      case "audit":
      case "standing":
      case "standings":
      case "sessions":
      case "program_token":
      case "calendars":
      case "device_code":
      case "account":
      case "deletion":
      case "pong":
        this.output.push({ notify: "answer", frame });
        return;
      case "signed_out":
        return this.#stop({ stop: "signed_out" });
      case "error":
        return this.#receiveError(readRejection(frame), frame.request);
      default:
        return this.#unexpected(frame.type);
    }
  }

  /** @param {Frame} joined */
  #receiveWelcomeToRoom(joined) {
    if (this.phase !== "joining" || joined.family !== this.family) return this.#unexpected("joined");
    if (this.configuration.resumeAfter !== undefined) {
      // The first join only asked for the epoch; the position in it needs another join.
      this.cursor = { epoch: joined.epoch, seq: this.configuration.resumeAfter };
      this.configuration.resumeAfter = undefined;
      this.#endForRejoin();
      return;
    }
    this.member = joined.member;
    this.role = joined.role;
    this.context = joined.context;
    this.presence = new Map(
      joined.presence.filter((/** @type {any} */ one) => one.connections > 0).map((/** @type {any} */ one) => [one.member, one]));
    // The server reports uploads in progress again within a second.
    this.uploads = new Map();
    if (this.epoch !== "" && !this.#isOurLog(joined)) this.#forgetUndos();
    this.epoch = joined.epoch;
    if (joined.resume === "changes") {
      if (this.snapshot || this.cursor?.epoch !== joined.epoch) return this.#unexpected("joined");
    } else {
      this.cursor = undefined;
      this.snapshot = [];
      this.snapshotCount = 0;
      this.snapshotUnknown = 0;
    }
    this.phase = "syncing";
    this.output.push({ notify: "joined", seq: joined.seq, joined });
  }

  /**
   * Whether the known sequences mean the same changes there. Before epochs belonged to families, a server sent the epoch of
   * the database: the log is the same, and only the records have to be sent again.
   * @param {Frame} joined
   */
  #isOurLog(joined) {
    return this.epoch === joined.epoch || sha256(`${this.epoch} ${joined.family}`).slice(0, 32) === joined.epoch;
  }

  /**
   * Drops pending undos: the server has another log, restored from a backup, in which a sequence of the old log names
   * another change, or none.
   */
  #forgetUndos() {
    const reason = rejection(
      "not_found", WORDS.theServerWasPutBack);
    const undos = [...this.pending, ...this.drafts].filter((one) => one.undo !== undefined).map((one) => one.id);
    for (const id of undos) this.#remove(id);
    this.drafts = this.drafts.filter((draft) => draft.undo === undefined);
    for (const id of undos) this.output.push({ notify: "rejected", mutation: id, rejection: reason });
  }

  #endForRejoin() {
    this.output.push({ disconnect: NORMAL });
    this.phase = "offline";
    this.output.push({ connect: 0 });
  }

  /**
   * @param {Rejection} reason
   * @param {number | undefined} request
   */
  #receiveError(reason, request) {
    if (this.phase === "joining") {
      if (reason.code === "not_found" && reason.field === "context" && this.configuration.context !== undefined) {
        // The owner of that season has left the family.
        this.configuration.context = undefined;
        this.context = undefined;
        this.output.push({ notify: "failed", rejection: reason });
        return this.#join();
      }
      if (reason.code !== "cursor_ahead" || !this.cursor) return this.#refuse(reason);
      // The server's log is shorter than ours (another disk, a restored copy): start from the beginning, with drafts and
      // pending mutations kept.
      this.cursor = undefined;
      this.output.push({ notify: "reset" });
      this.#forgetUndos();
      return this.#join();
    }
    if (reason.code === "not_signed_in" || reason.code === "not_joined") return this.#unexpected("error");
    if (this.askedForContext && request === this.contextRequest) {
      this.askedForContext = false;
      this.configuration.context = this.context;
      this.output.push({ notify: "failed", rejection: reason });
      return;
    }
    this.output.push({ notify: "failed", rejection: reason, ...(request === undefined ? {} : { request }) });
  }

  /**
   * Handles a refusal to sign in or join: for now, or finally.
   * @param {Rejection} reason
   */
  #refuse(reason) {
    if (reason.retry) {
      this.returnAfter = reason.retry_after === undefined ? undefined : Math.max(reason.retry_after, 0);
      this.output.push({ notify: "failed", rejection: reason });
      this.output.push({ disconnect: NORMAL });
      this.#lose(undefined);
    } else if (reason.code === "token_unknown") {
      this.#stop({ stop: "token_unknown" });
    } else {
      this.#stop({ stop: "refused", rejection: reason });
    }
  }

  /** @param {Frame} frame */
  #receiveSnapshot(frame) {
    if (!this.snapshot) return this.#unexpected("snapshot");
    const { records, unknown } = readSnapshot(frame);
    this.snapshotCount += records.length;
    this.snapshotUnknown = (this.snapshotUnknown + unknown) >>> 0;
    if (this.snapshotCount > this.limits.records_per_family + this.limits.snapshot_messages) return this.#fail({ fault: "snapshot_too_large" });
    if (this.configuration.holdsRecords) for (const record of records) this.snapshot.push(record);
  }

  /**
   * @param {Frame} frame
   * @param {number} now
   */
  #applySnapshot(frame, now) {
    if (!this.snapshot) return this.#unexpected("snapshot_end");
    const records = this.snapshot;
    this.snapshot = undefined;
    const hasSums = frame.checksum !== undefined && frame.unsent !== undefined;
    this.confirmed = new ConfirmedRecords(records, hasSums ? (frame.unsent + this.snapshotUnknown) >>> 0 : undefined);
    this.cursor = { epoch: this.epoch, seq: frame.seq };
    this.verification.differed = undefined;
    this.steps = new Map();
    // Acknowledged mutations are in the snapshot, or gone with a restored database: neither is shown twice.
    for (const mutation of this.pending.filter((one) => one.state === "acknowledged")) this.#remove(mutation.id);
    this.#refreshAll();
    this.touched = new Set();
    this.output.push({ replaced: true });
    this.#verify(hasSums ? frame.checksum : undefined, now);
  }

  /**
   * @param {Change} change
   * @param {number} now
   */
  #receiveChange(change, now) {
    if (this.snapshot || !this.cursor) return this.#unexpected("change");
    if (change.seq <= this.cursor.seq) return;
    if (change.seq !== this.cursor.seq + 1) return this.#fail({ fault: "gap", expected: this.cursor.seq + 1, got: change.seq });
    if (this.configuration.holdsRecords) {
      try {
        this.confirmed.apply(change);
      } catch (error) {
        if (error instanceof Divergence) return this.#fail({ fault: "diverged", id: error.id });
        throw error;
      }
    }
    this.cursor = { epoch: this.cursor.epoch, seq: change.seq };
    this.faultsInRow = 0;
    const own = change.client === this.configuration.client ? this.pending.find((one) => one.id === change.mutation) : undefined;
    this.#note(change, own !== undefined);
    for (const entry of change.entries) this.touched.add(entry.id);
    if (own) {
      const versions = change.entries.map((entry) => ({ id: entry.id, version: entry.version }));
      if (own.state !== "acknowledged") this.output.push({ notify: "acknowledged", ack: makeAck(own.id, change.seq, versions) });
      this.#settle(own, versions);
    }
    for (const entry of change.entries) this.#refresh(entry.id);
    this.output.push({ notify: "change", seq: change.seq, own: own !== undefined, change });
    if (own) this.#sendDue(now);
  }

  // Verification.

  /**
   * The checksum of all records of the family, as known to this client; undefined if the server keeps none.
   * @returns {number | undefined}
   */
  get checksum() {
    return this.confirmed.checksum;
  }

  /**
   * Compares the held records with the server's checksum at the cursor.
   *
   * If they differ, the connection ends, and the next join reports it and loads everything again; pending mutations and
   * drafts stay. If the last reload was too recent, the fault is reported once, and the engine continues with the held
   * records.
   * @param {number | undefined} checksum undefined from a server that keeps none
   * @param {number} now
   * @returns {boolean} false if the connection was ended
   */
  #verify(checksum, now) {
    if (checksum === undefined || !this.cursor || !this.configuration.holdsRecords) return true;
    const own = this.confirmed.checksum;
    // The records come from a cache or a server without checksums: nothing differs, but nothing can be compared either.
    if (own === undefined) return !this.#loadAgain(undefined, now);
    if (own === checksum) return true;
    const seq = this.cursor.seq;
    if (this.#loadAgain(seq, now)) return false;
    if (!this.verification.isReported) {
      this.verification.isReported = true;
      this.#reportDifference(seq);
    }
    return true;
  }

  /**
   * @param {number | undefined} differed
   * @param {number} now
   * @returns {boolean} false if the last reload was too recent
   */
  #loadAgain(differed, now) {
    const state = this.verification;
    if (now < state.notBefore) return false;
    if (state.reloads > 0 && now - state.notBefore > LONGEST_RELOAD_WAIT) state.reloads = 0;
    state.notBefore = now + Math.min(FIRST_RELOAD_WAIT * 2 ** Math.min(state.reloads, 10), LONGEST_RELOAD_WAIT);
    state.reloads += 1;
    state.isReported = false;
    state.differed = differed;
    if (differed !== undefined) this.#reportDifference(differed);
    this.cursor = undefined;
    this.output.push({ disconnect: NORMAL });
    this.#endConnection();
    // All clients notice a fault of the server at the same moment.
    this.output.push({ connect: this.#wait(0) });
    return true;
  }

  /** @param {number} seq */
  #reportDifference(seq) {
    this.faultCount += 1;
    this.output.push({ notify: "fault", fault: "differs", seq });
  }

  // Requests.

  /**
   * Requests a batch of operations, which commits completely or not at all. It is shown immediately, and sent as soon as
   * possible.
   *
   * If every named record was edited before in one unsent mutation, the batch folds into that one. An owner that the
   * context implies is fixed now, so that a later change of context does not change the owner of the record.
   * @param {Operation[]} wanted
   * @param {{at: number, now: number, overlap?: OverlapOverride}} request `overlap`: overlaps of trip items that the author
   *   has seen and accepts; such a batch is never folded
   * @returns {{mutation: number, actions: Action[]}} the id that `acknowledged` or `rejected` will carry
   * @throws {Refusal} if the batch could never be sent, or too many mutations wait; nothing has changed then
   */
  perform(wanted, { at, now, overlap }) {
    if (wanted.length === 0) throw new Refusal(rejection("invalid", WORDS.thereIsNothingToDo));
    const operations = wanted.map((operation) => this.#restingOnPending(this.#withOwner(makeOperation(operation))));
    const mutation = makePending(this.#nextMutation(at), { operations, overlap: overlap && makeOverlap(overlap), at });
    this.#checkLimits(mutation);
    const folded = overlap ? undefined : this.#fold(operations);
    if (folded !== undefined) return { mutation: folded, actions: this.#flush(now) };
    this.#enqueue(mutation);
    for (const operation of operations) {
      this.touchCount.set(operation.id, (this.touchCount.get(operation.id) ?? 0) + 1);
      this.#show(operation, mutation);
    }
    this.#sendDue(now);
    return { mutation: mutation.id, actions: this.#flush(now) };
  }

  /**
   * Requests the undo of the change with a sequence. Only the server knows its effect, so nothing is shown before its
   * response, and later requests wait for it.
   * @param {number} seq
   * @param {{at: number, now: number, overlap?: OverlapOverride}} request
   * @returns {{mutation: number, actions: Action[]}}
   * @throws {Refusal} if too many mutations wait
   */
  undo(seq, { at, now, overlap }) {
    const mutation = makePending(this.#nextMutation(at), { undo: seq, overlap: overlap && makeOverlap(overlap), at });
    this.#enqueue(mutation);
    this.#sendDue(now);
    return { mutation: mutation.id, actions: this.#flush(now) };
  }

  /**
   * @param {number} count
   * @throws {Refusal} if there is no room for so many more
   */
  #checkRoom(count) {
    if (this.pending.length + this.drafts.length + count > MAX_WAITING) {
      throw new Refusal(rejection("too_many_pending", WORDS.tooManyChangesWait));
    }
  }

  /** @param {PendingMutation} mutation */
  #enqueue(mutation) {
    this.#checkRoom(1);
    this.lastMutation = mutation.id;
    this.pending.push(mutation);
  }

  /**
   * Sends a draft again, now based on the current records ("keep mine"), under a new mutation id. A record that was deleted
   * meanwhile is restored first.
   * @param {number} id
   * @param {{at: number, now: number, overlap?: OverlapOverride}} request `overlap` left out: those that the draft accepted
   * @returns {{mutation: number, actions: Action[]} | undefined} undefined if there is no such draft
   * @throws {Refusal} as `perform`; the draft is unchanged
   */
  retry(id, { at, now, overlap }) {
    const index = this.drafts.findIndex((draft) => draft.id === id);
    if (index < 0) return undefined;
    const [draft] = this.drafts.splice(index, 1);
    const accepted = overlap ?? draft.overlap;
    try {
      if (draft.undo !== undefined) return this.undo(draft.undo, { at, now, overlap: accepted });
      /** @type {Operation[]} */
      const restores = [];
      const operations = draft.operations.map((operation) => this.#rebase(operation, draft.rejection.conflict?.record, restores));
      if (restores.length > 0) {
        // Both or neither: the actions of a restore whose change is refused here would be lost with the throw.
        this.#checkRoom(2);
        const owned = operations.map((operation) => this.#withOwner(makeOperation(operation)));
        // With the longest id, whichever it gets.
        this.#checkLimits(makePending(Number.MAX_SAFE_INTEGER, { operations: owned, overlap: accepted, at }));
      }
      const before = restores.length > 0 ? this.perform(restores, { at, now }).actions : [];
      const { mutation, actions } = this.perform(operations, { at, now, overlap: accepted });
      return { mutation, actions: [...before, ...actions] };
    } catch (error) {
      this.drafts.splice(index, 0, draft);
      throw error;
    }
  }

  /**
   * Sends the operations of a draft one by one, in their order and unchanged. Operations that the server refuses again
   * become separate drafts.
   * @param {number} id
   * @param {{at: number, now: number}} request
   * @returns {{mutations: number[], actions: Action[]} | undefined} undefined for a draft that is gone, or that has a single
   *   operation. Operations for which there was no room stay in the draft.
   * @throws {Refusal} if not even the first could be requested; the draft is unchanged
   */
  split(id, { at, now }) {
    const index = this.drafts.findIndex((draft) => draft.id === id);
    if (index < 0 || this.drafts[index].operations.length <= 1) return undefined;
    const [draft] = this.drafts.splice(index, 1);
    /** @type {number[]} */
    const mutations = [];
    /** @type {Action[]} */
    const actions = [];
    for (const [place, operation] of draft.operations.entries()) {
      try {
        const more = this.perform([operation], { at, now, overlap: draft.overlap });
        mutations.push(more.mutation);
        actions.push(...more.actions);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const rest = { ...draft, undo: undefined, operations: draft.operations.slice(place), rejection: error.rejection };
        this.drafts.splice(Math.min(index, this.drafts.length), 0, place === 0 ? draft : rest);
        if (place === 0) throw error;
        break;
      }
    }
    return { mutations, actions };
  }

  /**
   * Removes a draft.
   * @param {number} id
   * @returns {Draft | undefined}
   */
  drop(id) {
    const index = this.drafts.findIndex((draft) => draft.id === id);
    return index < 0 ? undefined : this.drafts.splice(index, 1)[0];
  }

  /**
   * The two sides of a draft that was refused with `conflict`; undefined for every other draft. Computed on each call:
   * another member may have changed the record again since the refusal.
   * @param {number} id
   * @returns {ConflictSides | undefined}
   */
  conflict(id) {
    const draft = this.drafts.find((one) => one.id === id);
    return draft && sides(draft, (record) => this.confirmedRecord(record));
  }

  /**
   * Decides a conflict. The decision is requested under a new mutation id, based on the version that was shown, so that a
   * simultaneous change by another member is not overwritten either: then it is a conflict again.
   * @param {ConflictSides} shown the sides as they were shown
   * @param {{[field: string]: ConflictChoice}} choices for each contested field
   * @param {{at: number, now: number, whole?: ConflictChoice}} request `whole`: "yours" or "theirs" for everything that
   *   `choices` does not name
   * @returns {{mutation: number | undefined, actions: Action[]}} without a mutation if nothing was left to request, and the
   *   draft is gone
   * @throws {Refusal} if a contested field is not decided, or cannot be both; the draft is unchanged
   */
  resolve(shown, choices, { at, now, whole }) {
    const index = this.drafts.findIndex((draft) => draft.id === shown.draft);
    const draft = this.drafts[index];
    if (index < 0 || !draft.operations[shown.operation]) throw new Refusal(rejection("not_found", WORDS.thisDraftIsGoneAlready));
    if (shown.matter !== "fields" || draft.operations[shown.operation].op !== "update") {
      if (whole === "theirs") {
        this.drop(shown.draft);
        return { mutation: undefined, actions: this.#flush(now) };
      }
      if (whole !== "yours") {
        throw new Refusal(rejection("required", WORDS.sayWhetherYoursOrTheirs, { kind: shown.record.kind, id: shown.record.id }));
      }
      return this.retry(shown.draft, { at, now }) ?? { mutation: undefined, actions: this.#flush(now) };
    }
    const operations = decided(draft, shown, choices, whole);
    this.drafts.splice(index, 1);
    if (operations.length === 0) return { mutation: undefined, actions: this.#flush(now) };
    try {
      return this.perform(operations, { at, now, overlap: draft.overlap });
    } catch (error) {
      this.drafts.splice(index, 0, draft);
      throw error;
    }
  }

  /**
   * @param {Operation} operation
   * @returns {Operation}
   */
  #withOwner(operation) {
    const context = this.configuration.context ?? this.context;
    const isOwned = KINDS[operation.kind].scope === "athlete" && operation.op === "create" && operation.athlete === undefined;
    return isOwned && context !== undefined && context !== "all" ? makeOperation({ ...operation, athlete: context }) : operation;
  }

  /**
   * A pending edit hides later changes by others to the same record, so an edit on top of it has the base of the pending
   * edit.
   * @param {Operation} operation
   * @returns {Operation}
   */
  #restingOnPending(operation) {
    const shown = this.overlay.get(operation.id);
    if (!this.touchCount.has(operation.id) || operation.base === undefined || !shown) return operation;
    return { ...operation, base: Math.min(operation.base, shown.version) };
  }

  /**
   * The next mutation id: larger than every earlier one; usually the wall clock in microseconds, so that two programs of
   * one installation, and the same program after a restart, do not collide.
   * @param {number} at
   */
  #nextMutation(at) {
    // 2^53 microseconds end in the year 2255.
    const clock = at > 0 && at < 9_000_000_000_000 ? at * 1_000 + this.configuration.random(1_000) : 0;
    return Math.max(this.lastMutation + 1, clock);
  }

  /** @param {PendingMutation} mutation */
  #checkLimits(mutation) {
    if (mutation.operations.length > this.limits.operations_per_mutation) {
      throw new Refusal(rejection("too_many", WORDS.atMostRecordsCanBe(this.limits.operations_per_mutation)));
    }
    if (octets(JSON.stringify(mutationFrame(mutation))) > this.limits.message_octets) {
      throw new Refusal(rejection("too_long", WORDS.thisChangeIsTooLarge));
    }
  }

  /** @param {PendingMutation} mutation */
  #isTooLarge(mutation) {
    try {
      this.#checkLimits(mutation);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.rejection;
      throw error;
    }
  }

  /**
   * Folds a batch into the unsent mutation that last touched all of its records.
   * @param {Operation[]} operations
   * @returns {number | undefined} that mutation's id; undefined if the batch needs a mutation of its own
   */
  #fold(operations) {
    const lastTouching = (/** @type {string} */ id) => this.pending.findLastIndex((mutation) => touches(mutation, id));
    const index = this.touchCount.has(operations[0].id) ? lastTouching(operations[0].id) : -1;
    if (index < 0 || this.pending[index].state !== "unsent" || this.pending[index].overlap) return undefined;
    // A request made after an undo stays after it.
    if (this.pending.slice(index).some((mutation) => mutation.undo !== undefined)) return undefined;
    const folded = [...this.pending[index].operations];
    /** @type {Set<string>} */
    const gone = new Set();
    /** @type {Set<string>} */
    const seen = new Set();
    for (const operation of operations) {
      if (seen.has(operation.id) || lastTouching(operation.id) !== index) return undefined;
      seen.add(operation.id);
      const places = [...folded.keys()].filter((place) => folded[place].id === operation.id);
      if (places.length !== 1) return undefined;
      const both = fold(operation, folded[places[0]]);
      if (both === "separate") return undefined;
      if (both === "nothing") {
        folded.splice(places[0], 1);
        gone.add(operation.id);
      } else {
        folded[places[0]] = both;
      }
    }
    // Folding moves the batch forward: it must not name records that are created only later, nor remove records that
    // others name.
    const later = this.pending.slice(index + 1).flatMap((mutation) => mutation.operations);
    const createdLater = new Set(later.filter(isCreate).map((operation) => operation.id));
    if (operations.flatMap(references).some((id) => createdLater.has(id))) return undefined;
    if ([...folded, ...later].flatMap(references).some((id) => gone.has(id))) return undefined;
    const whole = { ...this.pending[index], operations: folded };
    if (this.#isTooLarge(whole)) return undefined;

    this.pending[index] = whole;
    for (const record of gone) this.#release(record);
    if (folded.length === 0) {
      this.pending.splice(index, 1);
      this.output.push({ notify: "acknowledged", ack: makeAck(whole.id, undefined, []) });
    }
    for (const operation of operations) this.#refresh(operation.id);
    return whole.id;
  }

  /**
   * A draft's operation, based on the current record.
   * @param {Operation} operation
   * @param {FamilyRecord | undefined} conflicting
   * @param {Operation[]} restores
   * @returns {Operation}
   */
  #rebase(operation, conflicting, restores) {
    let current = this.record(operation.id);
    // The conflict may contain a version whose change has not arrived yet.
    if (conflicting && conflicting.id === operation.id && conflicting.version > (current?.version ?? 0)) current = conflicting;
    if (!current || isCreate(operation)) return operation;
    if (operation.op === "update" && current.deleted_at !== undefined) {
      restores.push(makeOperation({ op: "restore", kind: current.kind, id: current.id, base: current.version }));
    }
    return { ...operation, base: current.version };
  }

  // Sending, and results.

  /**
   * Sends the mutations that may be sent now, in order. One mutation per record is in flight at a time, so that the next
   * can be based on its result; no mutation overtakes another, because a later one may name a record that an earlier one
   * creates.
   * @param {number} now
   */
  #sendDue(now) {
    if (this.phase !== "live") return;
    const window = this.suspects > 0 ? 1 : Math.max(this.limits.pending_mutations, 1);
    /** @type {Set<string>} */
    const busy = new Set();
    let inFlight = 0;
    let index = 0;
    while (index < this.pending.length && inFlight < window) {
      const mutation = this.pending[index];
      if (mutation.state === "in_flight" || mutation.state === "acknowledged") {
        if (mutation.state === "in_flight") inFlight += 1;
        if (mutation.undo !== undefined) return;
      } else {
        if (mutation.notBefore > now || mutation.operations.some((operation) => busy.has(operation.id))) return;
        const tooLarge = this.#isTooLarge(mutation);
        if (tooLarge) {
          this.#makeDraft(mutation, tooLarge);
          continue;
        }
        mutation.state = "in_flight";
        mutation.since = now;
        inFlight += 1;
        this.output.push({ send: mutationFrame(mutation) });
        // The records that it touches are unknown until it is done.
        if (mutation.undo !== undefined) return;
      }
      for (const operation of mutation.operations) busy.add(operation.id);
      index += 1;
    }
  }

  /**
   * The pending mutation that a result is about; undefined if the result is known already (from the change, or because the
   * server responded twice).
   * @param {number} id
   */
  #answered(id) {
    return this.pending.find((one) => one.id === id && one.state !== "acknowledged" && one.state !== "unsent");
  }

  /**
   * @param {Ack} ack
   * @param {number} now
   */
  #receiveAck(ack, now) {
    const mutation = this.#answered(ack.mutation);
    if (!mutation) return;
    this.faultsInRow = 0;
    this.output.push({ notify: "acknowledged", ack });
    const isAhead = ack.seq !== undefined && (ack.seq > (this.cursor?.seq ?? 0) || this.snapshot !== undefined);
    if (ack.seq !== undefined && isAhead && this.configuration.holdsRecords) {
      if (mutation.complaints > 0) this.suspects -= 1;
      mutation.complaints = 0;
      mutation.state = "acknowledged";
      mutation.seq = ack.seq;
    } else {
      this.#settle(mutation, ack.records);
    }
    this.#sendDue(now);
  }

  /**
   * @param {number} id
   * @param {Rejection} reason
   * @param {number} now
   */
  #receiveRejection(id, reason, now) {
    const mutation = this.#answered(id);
    if (!mutation) return;
    if (reason.retry) {
      // At least a short wait, so that a server that returns 0 is not asked in a loop.
      const wait = Math.max(reason.retry_after ?? DEFAULT_RETRY, 50);
      mutation.state = "resend";
      mutation.notBefore = now + Math.min(wait, ANSWER_TIME);
      this.output.push({ notify: "postponed", mutation: id, rejection: reason, retry_after: wait });
    } else {
      this.#makeDraft(mutation, reason);
    }
    this.#sendDue(now);
  }

  /**
   * Counts a complaint against the mutations in flight; the second one makes a mutation a draft.
   * @param {number} code
   * @returns {boolean} false if no mutation was in flight
   */
  #complainAboutInFlight(code) {
    const accused = this.pending.filter((mutation) => mutation.state === "in_flight");
    for (const mutation of accused) {
      if (mutation.complaints === 0) this.suspects += 1;
      mutation.complaints += 1;
      if (mutation.complaints < MAX_COMPLAINTS) continue;
      this.#makeDraft(mutation, rejection("bad_frame", WORDS.theServerEndedThe(code)));
    }
    return accused.length > 0;
  }

  /**
   * @param {PendingMutation} mutation
   * @param {Rejection} reason
   */
  #makeDraft(mutation, reason) {
    this.#remove(mutation.id);
    if (isReadingPosition(mutation)) return;
    this.drafts.push({
      id: mutation.id, operations: mutation.operations, undo: mutation.undo, overlap: mutation.overlap, at: mutation.at, rejection: reason,
    });
    this.output.push({ notify: "rejected", mutation: mutation.id, rejection: reason });
  }

  /**
   * Finishes a mutation whose change, if there is one, is among the confirmed records.
   * @param {PendingMutation} mutation
   * @param {{id: string, version: number}[]} versions
   */
  #settle(mutation, versions) {
    for (const { id, version } of versions) this.#advanceBases(id, version);
    this.#remove(mutation.id);
  }

  /**
   * Finishes acknowledged mutations whose change is among the records already. A program that ended between storing its records
   * and removing the mutation restores one: that change does not come again.
   * @param {number} seq the last applied change
   */
  #settleApplied(seq) {
    for (const mutation of this.pending.filter((one) => one.state === "acknowledged" && one.seq <= seq)) {
      this.#settle(mutation, mutation.operations.map(({ id }) => ({ id, version: this.confirmed.all.get(id)?.version ?? 0 })));
    }
  }

  /** @param {number} id */
  #remove(id) {
    const index = this.pending.findIndex((one) => one.id === id);
    if (index < 0) return;
    const [mutation] = this.pending.splice(index, 1);
    if (mutation.complaints > 0) this.suspects -= 1;
    for (const operation of mutation.operations) this.#release(operation.id);
    for (const operation of mutation.operations) this.#refresh(operation.id);
  }

  /** @param {string} id */
  #release(id) {
    const count = this.touchCount.get(id);
    if (count === undefined) return;
    if (count > 1) {
      this.touchCount.set(id, count - 1);
    } else {
      this.touchCount.delete(id);
      this.steps.delete(id);
    }
  }

  /**
   * Remembers the effect of a change on records with pending operations.
   * @param {Change} change
   * @param {boolean} isOwn
   */
  #note(change, isOwn) {
    for (const entry of change.entries) {
      if (!this.touchCount.has(entry.id)) continue;
      const fields = entry.op === "update" ? new Set(Object.keys(entry.fields ?? {})) : undefined;
      const steps = this.steps.get(entry.id) ?? [];
      steps.push({ version: entry.version, isOwn, fields });
      this.steps.set(entry.id, steps);
    }
  }

  /**
   * Moves the bases of unsent operations on a record past this client's own version of it, which their author has seen.
   *
   * A version by another member in between is skipped only if it wrote other fields; otherwise the base stays, and the
   * server will report the conflict. Therefore no update is lost, and no member is in conflict with themself.
   * @param {string} id
   * @param {number} version
   */
  #advanceBases(id, version) {
    for (const mutation of this.pending) {
      if (mutation.state !== "unsent" || !touches(mutation, id)) continue;
      mutation.operations = mutation.operations.map((operation) => {
        if (operation.id !== id || operation.base === undefined || operation.base >= version) return operation;
        return this.#mayPass(operation.base, version, operation) ? { ...operation, base: version } : operation;
      });
    }
  }

  /**
   * @param {number} base
   * @param {number} version
   * @param {Operation} operation
   */
  #mayPass(base, version, operation) {
    // The next version is this client's own; a snapshot may have removed its step.
    if (version === base + 1) return true;
    const between = (this.steps.get(operation.id) ?? []).filter((step) => step.version > base && step.version <= version);
    if (between.length !== version - base) return false;
    return between.every((step) => {
      if (step.isOwn) return true;
      const written = step.fields;
      return written !== undefined && operation.op === "update" && !Object.keys(operation.fields ?? {}).some((name) => written.has(name));
    });
  }

  /**
   * The earliest time at which something has to be done without an input. Only the front of the queue can be in flight or
   * wait for its turn.
   * @param {number} now
   * @returns {number | undefined}
   */
  #nextDeadline(now) {
    /** @type {number | undefined} */
    let due;
    for (const mutation of this.pending.slice(0, Math.max(this.limits.pending_mutations, 1) + 1)) {
      if (mutation.state === "in_flight") due = Math.min(due ?? Infinity, mutation.since + ANSWER_TIME);
      else if (mutation.state === "resend" && mutation.notBefore > now) due = Math.min(due ?? Infinity, mutation.notBefore);
    }
    return due;
  }

  /**
   * @param {number} now
   * @returns {number | undefined}
   */
  #unansweredMutation(now) {
    return this.pending.find((mutation) => mutation.state === "in_flight" && now - mutation.since >= ANSWER_TIME)?.id;
  }

  // The view.

  /**
   * A record as its user sees it: confirmed, with pending mutations applied. The version is the base of a further edit: the
   * confirmed one; while a mutation is pending, the base of that mutation; and 0 for a record that only this client has.
   * @param {string} id
   * @returns {FamilyRecord | undefined}
   */
  record(id) {
    return this.overlay.get(id) ?? this.confirmed.all.get(id);
  }

  /**
   * A record in the server's state.
   * @param {string} id
   * @returns {FamilyRecord | undefined}
   */
  confirmedRecord(id) {
    return this.confirmed.all.get(id);
  }

  /**
   * The living records of a kind, as the user sees them, ordered by id.
   * @param {string} kind
   * @returns {FamilyRecord[]}
   */
  records(kind) {
    return ordered(this.unordered((record) => record.kind === kind));
  }

  /**
   * The living records of all kinds, as the user sees them, ordered by id.
   * @returns {FamilyRecord[]}
   */
  get livingRecords() {
    return ordered(this.unordered(() => true));
  }

  /**
   * Living records as the user sees them, in no order.
   * @param {(record: FamilyRecord) => boolean} isWanted
   * @returns {FamilyRecord[]}
   */
  unordered(isWanted) {
    /** @type {FamilyRecord[]} */
    const found = [];
    for (const record of this.confirmed.all.values()) if (record.deleted_at === undefined && isWanted(record) && !this.overlay.has(record.id)) found.push(record);
    for (const record of this.overlay.values()) if (record.deleted_at === undefined && isWanted(record)) found.push(record);
    return found;
  }

  /**
   * Whether part of this record has not been confirmed yet.
   * @param {string} id
   */
  isPending(id) {
    return this.touchCount.has(id);
  }

  /** The user's own mutations that wait for the server. */
  get waiting() {
    return this.pending.filter((mutation) => !isReadingPosition(mutation));
  }

  /** Whether a mutation was refused and waits for its author's decision. */
  get hasDrafts() {
    return this.drafts.length > 0;
  }

  /**
   * The family's own record.
   * @returns {FamilyRecord | undefined}
   */
  get familyRecord() {
    const record = this.family === undefined ? undefined : this.record(this.family);
    return record && record.kind === "family" && record.deleted_at === undefined ? record : undefined;
  }

  /**
   * The family's zone, from its record.
   * @returns {string | undefined}
   */
  get timeZone() {
    return this.familyRecord?.fields.time_zone;
  }

  /**
   * The family's name.
   * @returns {string | undefined}
   */
  get familyName() {
    return this.familyRecord?.fields.name ?? this.memberships.find((one) => one.family === this.family)?.name;
  }

  /**
   * Computes the shown state of a record again.
   * @param {string} id
   */
  #refresh(id) {
    this.touched.add(id);
    if (!this.touchCount.has(id)) {
      this.overlay.delete(id);
      return;
    }
    let record = this.confirmed.all.get(id);
    for (const mutation of this.pending) {
      for (const operation of mutation.operations) if (operation.id === id) record = this.#apply(operation, mutation, record);
    }
    this.#setShown(id, record);
  }

  /**
   * @param {string} id
   * @param {FamilyRecord | undefined} record
   */
  #setShown(id, record) {
    if (record) this.overlay.set(id, record);
    else this.overlay.delete(id);
  }

  /**
   * Applies one more operation to the shown state.
   * @param {Operation} operation
   * @param {PendingMutation} mutation
   */
  #show(operation, mutation) {
    this.touched.add(operation.id);
    this.#setShown(operation.id, this.#apply(operation, mutation, this.record(operation.id)));
  }

  /** Computes the shown states of all records with pending operations again. */
  #refreshAll() {
    this.overlay = new Map();
    // In the order of the requests, so that a copy finds its source, and a set its element, if an earlier request creates
    // it.
    for (const mutation of this.pending) for (const operation of mutation.operations) this.#show(operation, mutation);
  }

  /**
   * @param {Operation} operation
   * @param {PendingMutation} mutation
   * @param {FamilyRecord | undefined} record
   * @returns {FamilyRecord | undefined}
   */
  #apply(operation, mutation, record) {
    const resolve = (/** @type {string} */ kind, /** @type {string} */ id) => this.#element(kind, id);
    if (!record) {
      if (operation.op === "copy") return this.#copy(operation, mutation);
      if (operation.op !== "create") return undefined;
      /** @type {{[name: string]: any}} */
      const fields = {};
      for (const field of KINDS[operation.kind].fields) if (field.default !== undefined) fields[field.name] = field.default;
      return this.#made(operation, mutation, operation.athlete, merge(operation, fields, resolve));
    }
    if (isCreate(operation)) return record;
    let { fields, deleted_at, version } = record;
    switch (operation.op) {
      case "shift": {
        const shifted = record.kind === operation.kind ? moved(record.kind, fields, operation.days ?? 0) : undefined;
        if (!shifted) return record;
        fields = readFields(record.kind, shifted);
        break;
      }
      case "update":
        if (record.kind !== operation.kind) return record;
        fields = merge(operation, fields, resolve);
        break;
      case "delete":
        deleted_at = mutation.at;
        break;
      default:
        deleted_at = undefined;
        // Its author knows of the deletion, from a conflict that may have arrived before the change.
        version = Math.max(version, operation.base ?? 0);
    }
    version = Math.min(version, operation.base ?? 0);
    return makeRecord({ ...record, version, deleted_at, updated_at: mutation.at, updated_by: this.member ?? this.configuration.client }, fields);
  }

  /**
   * The server's response contains the copied trip's items.
   * @param {Operation} operation
   * @param {PendingMutation} mutation
   * @returns {FamilyRecord | undefined}
   */
  #copy(operation, mutation) {
    const source = operation.from === undefined ? undefined : this.record(operation.from);
    const fields = source && source.kind === operation.kind ? copied(source.kind, source.fields, operation.days ?? 0) : undefined;
    return source && fields && this.#made(operation, mutation, source.athlete, readFields(source.kind, fields));
  }

  /**
   * A record that only this client has.
   * @param {Operation} operation
   * @param {PendingMutation} mutation
   * @param {string | undefined} athlete
   * @param {{[name: string]: any}} fields
   * @returns {FamilyRecord}
   */
  #made(operation, mutation, athlete, fields) {
    const author = this.member ?? this.configuration.client;
    const { at } = mutation;
    return makeRecord(
      { kind: operation.kind, id: operation.id, athlete, version: 0, created_at: at, created_by: author, updated_at: at, updated_by: author, fields }, fields);
  }

  /**
   * A provisional element of a set, until the server has filled it in.
   * @param {string} kind
   * @param {string} id
   */
  #element(kind, id) {
    const record = this.record(id);
    return record && record.kind === kind ? asSetElement(record) : undefined;
  }

  // State to store.

  /**
   * Continues from the state of an earlier engine; call it before `start`.
   *
   * The context is shown until the server reports the one in force. A client with a user interface requests it
   * (`returnsToContext`), so that the user first sees, and then acts on, the same season.
   * @param {any} saved
   */
  restore(saved) {
    if (this.phase !== "stopped" || this.confirmed.all.size > 0) throw new TypeError("an engine continues from one state, before it starts");
    this.configuration.client = saved.client;
    this.configuration.family ??= saved.family;
    this.family = saved.family;
    this.member = saved.member;
    this.role = saved.role ?? undefined;
    if (this.context === undefined) {
      this.context = saved.context ?? undefined;
      if (this.configuration.returnsToContext) this.configuration.context = this.context;
    }
    if (saved.cursor && this.configuration.holdsRecords) {
      this.confirmed = new ConfirmedRecords(saved.records.map(readRecord), saved.unsent ?? undefined);
      this.cursor = { epoch: saved.cursor.epoch, seq: saved.cursor.seq };
      this.epoch = saved.cursor.epoch;
    }
    this.adopt(saved);
  }

  /**
   * Takes over pending mutations and drafts, before the engine has any of its own.
   * @param {any} saved
   * @returns {boolean} false if they were requested under another client id, under which they have to be sent: call
   *   `rejoin` then
   */
  adopt(saved) {
    const own = new Set([...this.pending, ...this.drafts].map((one) => one.id));
    /** @type {PendingMutation[]} */
    const older = saved.pending.map(readPending).filter((/** @type {PendingMutation} */ one) => !own.has(one.id));
    /** @type {Draft[]} */
    const drafts = saved.drafts.map(readDraft);
    this.pending = [...older, ...this.pending];
    this.drafts = [...drafts.filter((draft) => !own.has(draft.id)), ...this.drafts];
    this.lastMutation = Math.max(this.lastMutation, saved.last_mutation, ...this.pending.map((one) => one.id));
    this.suspects = this.pending.filter((one) => one.complaints > 0).length;
    for (const operation of older.flatMap((one) => one.operations)) {
      this.touchCount.set(operation.id, (this.touchCount.get(operation.id) ?? 0) + 1);
    }
    this.#refreshAll();
    this.touched = new Set();
    if ((older.length === 0 && drafts.length === 0) || this.configuration.client === saved.client) return true;
    this.configuration.client = saved.client;
    return false;
  }

  /**
   * Takes over the pending mutations of a program of the same person that ran beside another: after the ones here.
   * @param {any} left
   * @returns {boolean | undefined} as `adopt`; undefined if they were requested under another client id than the pending
   *   mutations here, and have to stay where they are
   */
  takeOver(left) {
    if (left.client !== this.configuration.client && this.pending.length > 0 && left.pending.length > 0) return undefined;
    const held = this.drafts;
    const ids = new Set(held.map((draft) => draft.id));
    // Drafts belong to no client's id.
    const isOwn = this.adopt(left.pending.length === 0 ? { ...left, client: this.configuration.client } : left);
    this.drafts = [...held, ...this.drafts.filter((draft) => !ids.has(draft.id))];
    this.pending.sort((one, other) => one.id - other.id);
    // The shown records result from the mutations in the order in which they are sent.
    this.#refreshAll();
    this.touched = new Set();
    return isOwn;
  }

  /**
   * Leaves the room and immediately returns, with the client id that the configuration has now.
   * @param {number} now
   * @returns {Action[]}
   */
  rejoin(now) {
    if (this.phase !== "joining" && !this.isJoined) return [];
    this.cursor = undefined;
    this.snapshot = undefined;
    this.#endForRejoin();
    return this.#flush(now);
  }

  /**
   * All state to store, except the records; undefined before the first join.
   * @returns {any}
   */
  get savedState() {
    if (this.family === undefined || this.member === undefined) return undefined;
    return {
      client: this.configuration.client, family: this.family, member: this.member, role: this.role ?? null, context: this.context ?? null,
      cursor: this.cursor ?? null, records: [], unsent: this.confirmed.unsent ?? null, pending: this.pending.map(savePending),
      drafts: this.drafts.map(writeDraft), last_mutation: this.lastMutation,
    };
  }

  /**
   * The operation that moves the member's reading position to the last applied change; undefined if no other member's
   * change followed it.
   * @param {number} upTo
   * @returns {Operation | undefined}
   */
  readOperation(upTo) {
    if (this.member === undefined || !this.cursor) return undefined;
    // As `ReadingPosition.id(of:)`: the digit of the version is turned around.
    const digit = (15 - parseInt(this.member[14], 16)).toString(16);
    const id = this.member.slice(0, 14) + digit + this.member.slice(15);
    const seq = Math.min(upTo, this.cursor.seq);
    if (this.touchCount.has(id)) return undefined;
    const held = this.confirmed.all.get(id);
    if (!held) return makeOperation({ op: "create", kind: "reading_position", id, fields: { sequence: seq } });
    // The last move of the position is a change as well: reporting that again would never end.
    const position = held.fields.sequence;
    if (typeof position !== "number" || seq <= position + 1) return undefined;
    return makeOperation({ op: "update", kind: "reading_position", id, base: held.version, merge: "disjoint", fields: { sequence: seq } });
  }
}
