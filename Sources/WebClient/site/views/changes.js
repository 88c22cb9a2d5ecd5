// What the members changed, for the timeline of the room: asked for with the first look at it, and followed from then on.

/** @typedef {import("./app.js").App} App */
/** @typedef {{seq: number, at: number, member: string, changes: any[]}} Told */

/** The changes of one question, and those that a tab collects by itself. */
const PORTION = 50;
const MOST = 500;

export class Changes {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** By sequence. */
    /** @type {Map<number, Told>} */
    this.all = new Map();
    /** From where on the changes are known: their time, and the sequence to ask before. */
    /** @type {{at: number, before: number | undefined} | undefined} */
    this.known = undefined;
    this.isAsking = false;
    /** Called when there are more. */
    /** @type {(areOlder: boolean) => void} */
    this.changed = () => {};
    app.store.listen((_, notes) => {
      let isNew = false;
      for (const note of notes) {
        if (note.notify === "reset") {
          this.all.clear();
          this.known = undefined;
        } else if (note.notify === "live" && !this.known) this.load();
        else if (note.notify === "change" && this.#keep(note.change, note.change.entries)) {
          isNew = true;
          this.#trim();
        }
      }
      if (isNew) this.changed(false);
    });
    this.load();
  }

  /**
   * Keeps what a change did besides messages and reading positions.
   * @param {{seq: number, at: number, member: string}} change
   * @param {any[]} parts
   * @returns {boolean} false for nothing besides them
   */
  #keep({ seq, at, member }, parts) {
    const changes = parts.filter((one) => one.kind !== "message" && one.kind !== "reading_position" && one.kind !== "reminder_rule");
    if (changes.length > 0) this.all.set(seq, { seq, at, member, changes });
    return changes.length > 0;
  }

  #trim() {
    if (this.all.size <= MOST) return;
    const [oldest, next] = [...this.all.keys()].sort((one, other) => one - other);
    this.all.delete(oldest);
    this.known = { at: /** @type {Told} */ (this.all.get(next)).at, before: next };
  }

  /** Asks for older ones. */
  async load() {
    const { store } = this.app;
    const before = this.known?.before;
    if (this.isAsking || store.engine.phase !== "live" || !store.engine.features.has("history")) return;
    this.isAsking = true;
    try {
      const page = await store.ask((request) => ({ type: "history", request, limit: PORTION, ...(before === undefined ? {} : { before }) }));
      this.known = { at: page.entries[page.entries.length - 1]?.at ?? 0, before: page.next };
      for (const entry of page.entries) this.#keep(entry, entry.changes);
      this.changed(true);
    } catch (error) {
      // The first ones are asked for again with the next connection.
      if (before !== undefined) this.app.complain(error);
    } finally {
      this.isAsking = false;
    }
  }
}
