// What happened: the history of a record or of the family, with undo; and what was deleted, with its way back.
import { KINDS } from "../family/kinds.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h } from "../screen/html.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/history.js";
import { titleOf } from "./season.js";
import { valueText } from "./values.js";

/** @typedef {import("./app.js").App} App */

const VERBS = /** @type {{[op: string]: string}} */ ({ create: WORDS.added, update: WORDS.changed, delete: WORDS.deletedVerb, restore: WORDS.broughtBack });
/** Kinds whose deleted records have a list. */
const RESTORED = ["event", "trip", "trip_item", "document", "school", "coach", "metric", "interaction", "message"];

/**
 * One entry of a change, in words.
 * @param {App} app
 * @param {any} change
 */
export function entryText(app, change) {
  const label = (KINDS[change.kind]?.label ?? change.kind).toLowerCase();
  const record = app.store.engine.record(change.id);
  const name = record ? titleOf(record) : change.fields?.name ?? change.fields?.title ?? "";
  const head = `${VERBS[change.op] ?? change.op} ${label}${name ? ` “${name}”` : ""}`;
  if (change.op !== "update" || !KINDS[change.kind]) return h("li", { dir: "auto" }, head);
  const fields = Object.keys(change.fields ?? {}).map((field) => {
    const named = KINDS[change.kind].fields.find((one) => one.name === field)?.label ?? field;
    const value = valueText(app, change.kind, field, change.fields[field]);
    // A change that has just come does not have the values before it.
    return h("li", { dir: "auto" }, `${named}: ${change.before ? `${valueText(app, change.kind, field, change.before[field])} → ` : ""}${value}`);
  });
  return h("li", { dir: "auto" }, head, h("ul.changes", null, fields));
}

/**
 * Opens the history of a record, or of the whole family.
 * @param {App} app
 * @param {{kind: string, id: string} | undefined} record
 */
export function historyDialog(app, record) {
  const list = h("ul.history", null);
  const more = h("div.buttons", null);
  /** @type {number | undefined} */
  let before;

  async function load() {
    fill(more, h("p.hint", null, WORDS.loading));
    try {
      const page = await app.store.ask((request) => ({ type: "history", request, ...(record ? { record } : {}), ...(before === undefined ? {} : { before }), limit: 30 }));
      for (const entry of page.entries) {
        list.append(h("li", null,
          h("p.hint", null, h("strong", { dir: "auto" }, app.season.nameOf(entry.member)), ` ${instantText(entry.at)}`),
          h("ul", null, entry.changes.filter((/** @type {any} */ one) => one.kind !== "reading_position").map((/** @type {any} */ one) => entryText(app, one))),
          entry.undoable && button("plain", WORDS.undo, () => { app.undo(entry.seq); close(); }, { "aria-label": WORDS.undoTheChangeOf(instantText(entry.at)) })));
      }
      before = page.next;
      fill(more, page.next !== undefined && button("plain", WORDS.earlierChanges, load), list.childElementCount === 0 && h("p.hint", null, WORDS.noChangesAreKeptFrom));
    } catch (error) {
      fill(more, h("p.problem", null, /** @type {any} */ (error).rejection?.message ?? WORDS.theHistoryCouldNotBe), button("plain", WORDS.tryAgain, load));
    }
  }

  const { close } = openDialog(WORDS.history, (end) => [list, more, h("div.buttons", null, button("plain", WORDS.close, end))], { wide: true });
  load();
}

/**
 * Opens the list of deleted records.
 * @param {App} app
 */
export function deletedDialog(app) {
  const list = h("ul.rows", null);
  const state = h("p.hint", { role: "status" }, WORDS.loading);

  async function load() {
    try {
      const pages = await Promise.all(RESTORED.map((kind) => app.store.ask((request) => ({ type: "list", request, kind, deleted: true, limit: 50 })).catch(() => undefined)));
      if (!pages.some((page) => page)) throw new Error("no answer");
      const records = pages.flatMap((page) => page?.records ?? []).sort((one, other) => (other.deleted_at ?? 0) - (one.deleted_at ?? 0));
      state.textContent = records.length === 0 ? WORDS.nothingWasDeletedInThe : "";
      fill(list, records.map((record) => h("li", null,
        h("div", null, h("strong", { dir: "auto" }, titleOf(record) || record.fields.text?.slice(0, 80)), h("p.hint", null, WORDS.deletedBy(KINDS[record.kind].label, instantText(record.deleted_at ?? record.updated_at), app.season.nameOf(record.updated_by)))),
        app.season.may("restore", record.kind, { record }) && h("div.actions", null, button("plain", WORDS.restore, () => {
          if (app.perform([{ op: "restore", kind: record.kind, id: record.id, base: record.version }], WORDS.broughtBack2)) close();
        }, { "aria-label": WORDS.restoreOf(titleOf(record)) })))));
    } catch {
      state.textContent = WORDS.theListCouldNotBe;
    }
  }

  const { close } = openDialog(WORDS.deletedInTheLast30, (end) => [state, list, h("div.buttons", null, button("plain", WORDS.close, end))], { wide: true });
  load();
}
