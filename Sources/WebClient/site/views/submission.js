// What a form requested: the form stays until the server has answered, and closes only on success (R164).
import { openDialog } from "../screen/dialog.js";
import { button, fill, h } from "../screen/html.js";
import { WORDS } from "../words/submission.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").Operation} Operation */
/** @typedef {import("../family/records.js").OverlapOverride} OverlapOverride */
/** @typedef {import("../wire/rejections.js").Rejection} Rejection */
/** @typedef {import("../sessions/store.js").Outcome} Outcome */
/** @typedef {{mutation: number, outcome: Promise<Outcome>}} Requested */
/** @typedef {import("../screen/html.js").Child} Child */
/** @typedef {{operations: Operation[], done: string}} Wanted a change, and the message of its success */

/** An answer that takes longer than that many milliseconds makes the page ask for a sign of life. */
const PATIENCE = 5_000;

export class Submission {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The draft of the last refusal, which a second try replaces. @type {number | undefined} */
    this.refused = undefined;
    /** Whether the form waits for the server. */
    this.isWaiting = false;
    /** Whether the form has been closed meanwhile: then messages say what became of its change. */
    this.isLeft = false;
  }

  /**
   * Requests the change and waits for the answer. Without a server the change is kept on this device, and that is all there is to wait for.
   * @param {Operation[]} operations
   * @param {string} done the message, as "Camp created"
   * @returns {Promise<Rejection | undefined>} undefined for success
   */
  async send(operations, done) {
    if (operations.length === 0) return undefined;
    const { app } = this;
    this.forget();
    let requested;
    try {
      requested = app.store.perform(operations);
    } catch (/** @type {any} */ error) {
      if (!error?.rejection) throw error;
      return error.rejection;
    }
    return this.#answer(requested, done);
  }

  /**
   * Sends the refused change again, with the overlaps that it may have.
   * @param {OverlapOverride} overlap
   * @param {string} done
   * @returns {Promise<Rejection | undefined>}
   */
  async accept(overlap, done) {
    const { app, refused } = this;
    let requested;
    try {
      requested = refused === undefined ? undefined : app.store.retry(refused, overlap);
    } catch (/** @type {any} */ error) {
      if (!error?.rejection) throw error;
      return error.rejection;
    }
    this.refused = undefined;
    return requested && this.#answer(requested, done);
  }

  /** Drops the refused change: it is written again, or given up. */
  forget() {
    if (this.refused !== undefined) this.app.store.drop(this.refused);
    this.refused = undefined;
  }

  /**
   * @param {Requested} requested
   * @param {string} done
   * @returns {Promise<Rejection | undefined>}
   */
  async #answer({ mutation, outcome }, done) {
    const { app } = this;
    const { store } = app;
    this.isWaiting = true;
    // A connection that died without a word is noticed by its missing sign of life.
    const slow = setTimeout(() => store.check(), PATIENCE);
    let stop = () => {};
    const away = new Promise((resolve) => {
      const look = () => { if (store.isAway) resolve(undefined); };
      stop = store.listen(look);
      look();
    });
    const told = /** @type {Outcome | undefined} */ (await Promise.race([outcome, away]));
    clearTimeout(slow);
    stop();
    if (told === undefined) {
      await store.writing;
      this.isWaiting = false;
      app.toasts.show(WORDS.sentLater(done));
      outcome.then(({ seq, rejection }) => {
        app.remember(seq);
        if (rejection) this.#complain(rejection);
      });
      return undefined;
    }
    this.isWaiting = false;
    app.remember(told.seq);
    if (told.rejection) {
      this.refused = mutation;
      if (this.isLeft) this.#complain(told.rejection);
      return told.rejection;
    }
    const { seq, warnings = [] } = told;
    const text = [done, ...warnings.map((one) => one.message ?? WORDS.overlaps)].join(". ");
    if (seq !== undefined || warnings.length > 0) app.toasts.show(text, seq === undefined ? undefined : { label: WORDS.undo, act: () => app.undo(seq) });
    return undefined;
  }

  /** @param {Rejection} rejection */
  #complain(rejection) {
    this.app.toasts.show(rejection.message, { label: WORDS.show, act: () => this.app.router.go("/kept") });
  }
}

/**
 * Opens a form in a dialog, which closes only on success: it waits for the answer, and says what was refused.
 * @param {App} app
 * @param {string} title
 * @param {{label: string, content: Child[], wanted: () => Wanted | string | Promise<void> | void, check?: () => boolean, above?: (send: (wanted: Wanted) => void) => Child[],
 *   skip?: {label: string, wanted: () => Wanted}, failed?: string, saved?: () => void}} options
 *   `wanted`: the change, or the sentence about what is missing; nothing if the form itself has done it. `check`: false disables the button. `above`: what stands above
 *   the form, and may send something else. `skip`: in place of Cancel. `failed`: goes before the reason of a refusal
 */
export function formDialog(app, title, { label, content, wanted, check = () => true, above = () => [], skip, failed, saved = () => {} }) {
  const submission = new Submission(app);
  const error = h("p.error", { role: "alert" });
  const submit = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, label));
  const look = () => { submit.disabled = submission.isWaiting || !check(); };

  /** @param {ReturnType<typeof wanted>} one */
  async function send(one) {
    if (submission.isWaiting) return;
    fill(error, typeof one === "string" && one);
    if (typeof one === "string") return;
    if (one && "operations" in one) {
      const answer = submission.send(one.operations, one.done);
      look();
      fill(submit, WORDS.saving);
      const rejection = await answer;
      fill(submit, label);
      look();
      if (submission.isLeft) return;
      if (rejection) {
        fill(error, failed && `${failed} `, rejection.message);
        return;
      }
    }
    close();
    saved();
  }

  const cancel = button("plain", skip?.label ?? WORDS.cancel, () => {
    if (skip) {
      send(skip.wanted());
      return;
    }
    submission.forget();
    close();
  });
  const form = h("form", {
    novalidate: true, on: {
      input: look, change: look,
      submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (!submit.disabled) send(wanted());
      },
    },
  }, content, error, h("div.buttons", null, cancel, submit));
  const { close } = openDialog(title, () => [...above(send), form], { closed: () => { submission.isLeft = true; } });
  look();
}
