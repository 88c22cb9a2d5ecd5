// What pages share: the store, the season, the router, messages, and the acts with their undo.
import { ask, openDialog } from "../screen/dialog.js";
import { button, h } from "../screen/html.js";
import { newId } from "../sessions/ids.js";
import { WORDS } from "../words/pages.js";
import { Refusal } from "../wire/rejections.js";
import { Deletion } from "./deletion.js";

/** @typedef {import("../sessions/store.js").Store} Store */
/** @typedef {import("../sessions/cache.js").Cache} Cache */
/** @typedef {import("../sessions/store.js").Membership} Membership */
/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("./season.js").Season} Season */
/** @typedef {import("../screen/router.js").Router} Router */
/** @typedef {import("../screen/dialog.js").Toasts} Toasts */

/** The changes of a tab that the undo key reaches. */
const MAX_UNDONE = 100;

export class App {
  /**
   * @param {{store: Store, season: Season, toasts: Toasts, cache: Cache | undefined, memberships: Membership[], isBrief: boolean}} parts
   */
  constructor({ store, season, toasts, cache, memberships, isBrief }) {
    this.store = store;
    this.season = season;
    this.toasts = toasts;
    this.cache = cache;
    this.memberships = memberships;
    /** Whether this computer is not the person's: nothing is kept on it. */
    this.isBrief = isBrief;
    /** What the members changed, once the room was looked at. */
    /** @type {import("./changes.js").Changes | undefined} */
    this.changes = undefined;
    /** Whether the family is to be deleted. */
    this.deletion = new Deletion(this);
    /** Whether the person signs out, so that the end of the session is no news. */
    this.isLeaving = false;
    /** The person's own changes in this tab that can be undone, the last one at the end. */
    /** @type {number[]} */
    this.done = [];
    /** Undone ones that can be done again. */
    /** @type {number[]} */
    this.undone = [];
    /** @type {Router} */
    this.router = /** @type {any} */ (undefined);
    /** @type {() => void} */
    this.signOut = () => {};
    /** @type {(membership: Membership) => void} */
    this.openFamily = () => {};
  }

  /**
   * Requests a change and says so, with its undo.
   * @param {Operation[]} operations
   * @param {string} done the message, as "Camp deleted"; empty shows none
   * @returns {boolean} false if it was refused here, and the person has been told
   */
  perform(operations, done) {
    if (operations.length === 0) return true;
    try {
      const { outcome } = this.store.perform(operations);
      this.#tell(outcome, done);
      outcome.then(({ seq }) => this.remember(seq));
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  /**
   * @param {Promise<import("../sessions/store.js").Outcome>} outcome
   * @param {string} done
   */
  #tell(outcome, done) {
    let isTold = false;
    // Soon: the server's number is needed to undo it. Offline the change is still told, without the button.
    const late = setTimeout(() => {
      isTold = true;
      if (done) this.toasts.show(this.store.engine.phase === "live" ? done : WORDS.itIsSentWhenThe(done));
    }, 1_500);
    outcome.then(({ seq, rejection }) => {
      clearTimeout(late);
      if (rejection) {
        this.toasts.show(rejection.message, { label: WORDS.show, act: () => this.router.go("/kept") });
      } else if (!isTold && done) {
        this.toasts.show(done, seq === undefined ? undefined : { label: WORDS.undo, act: () => this.undo(seq) });
      }
    });
  }

  /**
   * Keeps a change for `undoLast`.
   * @param {number | undefined} seq undefined for a change without an effect
   */
  remember(seq) {
    if (seq === undefined) return;
    this.done.push(seq);
    if (this.done.length > MAX_UNDONE) this.done.shift();
    this.undone = [];
  }

  /**
   * Takes a change back.
   * @param {number} seq
   */
  undo(seq) {
    this.done = this.done.filter((one) => one !== seq);
    this.#takeBack(seq, WORDS.undone, this.undone);
  }

  /** Takes back the last change that was made in this tab. */
  undoLast() {
    const seq = this.done.pop();
    if (seq === undefined) this.toasts.show(WORDS.thereIsNothingOfYours);
    else this.#takeBack(seq, WORDS.undone, this.undone);
  }

  /** Does again what was undone last in this tab. */
  redoLast() {
    const seq = this.undone.pop();
    if (seq === undefined) this.toasts.show(WORDS.thereIsNothingToDo);
    else this.#takeBack(seq, WORDS.doneAgain, this.done);
  }

  /**
   * @param {number} seq
   * @param {string} text
   * @param {number[]} other where the undo of the undo is kept
   */
  #takeBack(seq, text, other) {
    try {
      const { outcome } = this.store.undo(seq);
      this.#tell(outcome, text);
      outcome.then((told) => { if (told.seq !== undefined) other.push(told.seq); });
    } catch (error) {
      this.complain(error);
    }
  }

  /** @param {any} error */
  complain(error) {
    if (!(error instanceof Refusal)) console.error(error);
    this.toasts.show(error instanceof Refusal ? error.rejection.message : WORDS.somethingWentWrongOnThis);
  }

  /**
   * Asks, and deletes.
   * @param {FamilyRecord} record
   * @param {string} question
   * @param {string} done
   * @returns {Promise<boolean>}
   */
  async remove(record, question, done) {
    if (!(await ask(question, WORDS.youCanUndoThisFor, { yes: WORDS.delete, danger: true }))) return false;
    const now = this.store.engine.record(record.id);
    if (!now || now.deleted_at !== undefined) return true;
    return this.perform([{ op: "delete", kind: now.kind, id: now.id, base: now.version }], done);
  }

  /**
   * An update of the newest version.
   * @param {FamilyRecord} record
   * @param {{[field: string]: any}} fields
   * @param {{add?: {[field: string]: string[]}, remove?: {[field: string]: string[]}}} sets
   * @returns {Operation}
   */
  update(record, fields, { add, remove } = {}) {
    return { op: "update", kind: record.kind, id: record.id, base: record.version, merge: "disjoint", fields, add, remove };
  }

  /**
   * @param {string} kind
   * @param {{[field: string]: any}} fields
   * @param {{id?: string, athlete?: string}} options
   * @returns {Operation}
   */
  create(kind, fields, { id = newId(), athlete } = {}) {
    return { op: "create", kind, id, athlete, fields };
  }

  /**
   * Asks whose record a new one is while all seasons are open.
   * @param {string} what as "event"
   * @returns {Promise<string | undefined>} the athlete; undefined if the question was closed
   */
  async owner(what) {
    const { season } = this;
    if (season.athlete) return season.athlete;
    const athletes = season.athletes.filter((athlete) => season.may("create", "event", { owner: athlete.id }));
    if (athletes.length === 1) return athletes[0].id;
    return new Promise((resolve) => {
      /** @type {string | undefined} */
      let chosen;
      openDialog(WORDS.whoseIsIt(what), (close) => [
        h("div.choices", null, athletes.map((athlete) => button("plain", athlete.fields.name, () => { chosen = athlete.id; close(); }))),
        athletes.length === 0 && h("p", null, WORDS.thereIsNoAthleteWhose),
        h("div.buttons", null, button("plain", WORDS.cancel, close)),
      ], { closed: () => resolve(chosen) });
    });
  }
}
