// Kept: what waits for the server, what it refused, and conflicts field by field.
import { KINDS } from "../family/kinds.js";
import { ask } from "../screen/dialog.js";
import { Cache } from "../sessions/cache.js";
import { button, fill, h, keyed } from "../screen/html.js";
import { counted, instantText } from "../words/dates.js";
import { deletedDialog, historyDialog } from "./history.js";
import { overlapDialog } from "./trip-items.js";
import { titleOf } from "./season.js";
import { valueText } from "./values.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {import("../sync/conflicts.js").ConflictSides} ConflictSides */
/** @typedef {import("../sync/conflicts.js").ConflictChoice} ConflictChoice */

const PROBLEMS = /** @type {{[problem: string]: string}} */ ({
  newer: "The copy on this device is of a newer Huddle, which this page cannot read; load the page again", blocked: "This browser does not let Huddle keep anything (a private window, or a setting)",
  damaged: "The copy on this device does not open",
});

/**
 * One operation in words.
 * @param {App} app
 * @param {import("../family/records.js").Operation} operation
 */
function operationText(app, operation) {
  const label = KINDS[operation.kind].label.toLowerCase();
  const record = app.store.engine.record(operation.id);
  const name = record ? titleOf(record) : operation.fields?.name ?? operation.fields?.title ?? operation.fields?.text ?? "";
  const verb = /** @type {{[op: string]: string}} */ ({ create: "New", update: "Change of", delete: "Delete", restore: "Bring back", shift: "Move", copy: "Copy of" })[operation.op] ?? operation.op;
  const fields = Object.entries(operation.op === "update" ? operation.fields ?? {} : {})
    .map(([field, value]) => `${KINDS[operation.kind].fields.find((one) => one.name === field)?.label ?? field}: ${valueText(app, operation.kind, field, value)}`);
  return `${verb} ${label}${name ? ` “${name}”` : ""}${fields.length > 0 ? ` – ${fields.join("; ")}` : ""}`;
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function keptPage(app) {
  const waiting = h("ul.kept", null), refused = h("div.kept", null), files = h("p.hint", null), rescue = h("div", null), heading = h("h2", null), refusedHeading = h("h2", null);
  /** The decisions of conflicts that are not complete yet, by draft. @type {Map<number, {[field: string]: ConflictChoice}>} */
  const choices = new Map();

  /** @param {number} id @param {ConflictSides} shown */
  function conflict(id, shown) {
    const made = choices.get(id) ?? {};
    const decide = (/** @type {ConflictChoice | undefined} */ whole) => {
      try {
        const fresh = app.store.engine.conflict(id);
        const { outcome } = app.store.resolve(fresh ?? shown, made, whole);
        choices.delete(id);
        outcome.then(({ rejection }) => app.toasts.show(rejection ? rejection.message : "Decided, and saved"));
      } catch (error) {
        app.complain(error);
      }
    };
    if (shown.matter !== "fields") {
      const isDeleted = shown.record.deleted_at !== undefined;
      return [
        h("p", null, isDeleted ? `${app.season.nameOf(shown.record.updated_by)} deleted it meanwhile.` : `${app.season.nameOf(shown.record.updated_by)} changed it meanwhile.`),
        h("div.buttons", null, button("plain", isDeleted ? "Leave it deleted" : "Keep theirs", () => decide("theirs"), { "data-act": `theirs ${id}` }), button("primary", isDeleted ? "Bring it back with my change" : "Do mine all the same", () => decide("yours"), { "data-act": `yours ${id}` })),
      ];
    }
    const contested = shown.fields.filter((one) => one.contested);
    const others = shown.fields.filter((one) => !one.contested);
    const kind = shown.record.kind;
    return [
      h("div.scroll", null, h("table.conflict", null,
        h("caption", null, "Somebody else changed the same fields. Choose one side for each."),
        h("thead", null, h("tr", null, ["Field", "Before", "Yours", "Theirs", "Keep"].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", null, contested.map((side) => {
          const label = KINDS[kind].fields.find((one) => one.name === side.field)?.label ?? side.field;
          const type = KINDS[kind].fields.find((one) => one.name === side.field)?.type;
          const options = [["yours", "Yours"], ["theirs", "Theirs"], ...(["text", "line", "set"].includes(type ?? "") && side.yours !== null && side.theirs !== null ? [["both", "Both"]] : [])];
          return h("tr", null, h("th", { scope: "row" }, label),
            h("td", { dir: "auto" }, valueText(app, kind, side.field, side.base)), h("td", { dir: "auto" }, valueText(app, kind, side.field, side.yours)),
            h("td", { dir: "auto" }, valueText(app, kind, side.field, side.theirs), h("br", null), h("span.hint", null, `${app.season.nameOf(side.member)}${side.at ? `, ${instantText(side.at)}` : ""}`)),
            h("td", null, h("fieldset.inline", null, h("legend.unseen", null, `Keep of ${label}`), options.map(([word, text]) => {
              const box = /** @type {HTMLInputElement} */ (h("input", { type: "radio", name: `${id} ${side.field}`, id: `${id}-${side.field}-${word}`, checked: made[side.field] === word, "data-act": `${id} ${side.field} ${word}`,
                on: { change: () => { choices.set(id, { ...choices.get(id), [side.field]: /** @type {any} */ (word) }); update(); } } }));
              return h("span.check", null, box, h("label", { for: `${id}-${side.field}-${word}` }, text));
            }))));
        })))),
      others.length > 0 && h("p.hint", null, `Not contested, saved with your decision: ${others.map((side) => `${KINDS[kind].fields.find((one) => one.name === side.field)?.label ?? side.field}: ${valueText(app, kind, side.field, side.yours)}`).join("; ")}`),
      h("div.buttons", null, button("plain", "All theirs", () => decide("theirs"), { "data-act": `theirs ${id}` }), button("plain", "All mine", () => { choices.set(id, {}); decide("yours"); }, { "data-act": `yours ${id}` }),
        h("button.primary", { type: "button", disabled: contested.some((side) => made[side.field] === undefined), "data-act": `decide ${id}`, on: { click: () => decide(undefined) } }, "Save my choices")),
    ];
  }

  /** What cannot be read on this device, and the way out. */
  function showRescue() {
    const { unreadable, storageProblem } = app.store;
    const stamp = `${unreadable.length} ${storageProblem}`;
    if (rescue.dataset.stamp === stamp) return;
    rescue.dataset.stamp = stamp;
    fill(rescue,
      unreadable.length > 0 && h("section.card", null, h("p.problem", null, `${counted(unreadable.length, "change")} of yours on this device cannot be read. Save ${unreadable.length === 1 ? "it" : "them"} as a file, and show it to the person who runs the server.`),
        h("div.buttons", null, h("a.button.primary", { href: URL.createObjectURL(new Blob([JSON.stringify(unreadable, null, 2)], { type: "application/json" })), download: "huddle-unreadable.json", "data-outside": true }, "Save as a file"),
          button("danger", "Remove", async () => { if (await ask("Remove what cannot be read?", "It cannot be brought back.", { yes: "Remove", danger: true })) app.store.dropUnreadable(); }))),
      storageProblem === "damaged" && h("section.card", null, h("p.problem", null, "The copy on this device does not open. If that stays so after a restart of the browser, remove it: the records come back from the server, and what waited in it is lost."),
        h("div.buttons", null, button("danger", "Remove the copy", async () => {
          if (!(await ask("Remove the copy on this device?", "What waited in it is lost.", { yes: "Remove", danger: true }))) return;
          if (await Cache.destroy()) location.reload();
          else app.toasts.show("Another tab uses it. Close the other tabs of Huddle, then try again.");
        }))));
  }

  function update() {
    const { engine } = app.store;
    const pending = engine.pending.filter((one) => one.operations.length === 0 || one.operations.some((operation) => operation.kind !== "reading_position"));
    heading.textContent = pending.length === 0 ? "Nothing waits" : `${counted(pending.length, "change")} waiting for the server`;
    keyed(waiting, pending.map((one) => ({
      key: String(one.id), stamp: JSON.stringify([one.operations, one.state]),
      make: () => h("li", null, h("p", { dir: "auto" }, one.undo === undefined ? one.operations.slice(0, 5).map((operation) => [operationText(app, operation), h("br", null)]) : "Undo of a change",
        one.operations.length > 5 && `and ${one.operations.length - 5} more`), h("p.hint", null, `${instantText(one.at)}${one.state === "in_flight" ? " · being sent" : ""}`)),
    })));
    showRescue();
    files.textContent = app.store.isMemoryOnly ? (app.isBrief ? "Nothing is kept on this computer: close the page only when nothing waits." : `${PROBLEMS[app.store.storageProblem ?? ""] ?? "This browser keeps no copy"}: do not close the page while something waits.`)
      : app.store.isThin ? "This device has no room for a copy of the records. What waits is kept all the same, and Huddle starts with the network only."
      : "What waits is stored on this device, and is sent when the connection is back, also after a restart. Safari removes such data after seven days without a visit.";
    refusedHeading.textContent = engine.drafts.length === 0 ? "Nothing was refused" : `${counted(engine.drafts.length, "change")} refused`;
    keyed(refused, engine.drafts.map((draft) => {
      const shown = engine.conflict(draft.id);
      return {
        key: String(draft.id), stamp: JSON.stringify([draft.rejection, draft.operations, shown, choices.get(draft.id)]),
        make: () => h("article.card", null,
          h("p", { dir: "auto" }, draft.undo === undefined ? draft.operations.slice(0, 5).map((operation) => [operationText(app, operation), h("br", null)]) : "Undo of a change"),
          h("p.problem", { dir: "auto" }, draft.rejection.message), h("p.hint", null, instantText(draft.at)),
          shown ? conflict(draft.id, shown) : h("div.buttons", null,
            draft.rejection.code === "overlap" ? button("primary", "Keep both …", () => overlapDialog(app, draft.id, draft.rejection, draft.operations[0]), { "data-act": `overlap ${draft.id}` })
              : button("primary", "Try again", () => { try { app.store.retry(draft.id)?.outcome.then(({ rejection }) => app.toasts.show(rejection ? rejection.message : "Saved")); } catch (error) { app.complain(error); } }, { "data-act": `retry ${draft.id}` }),
            button("danger", "Drop", async () => { if (await ask("Drop this change?", "It cannot be brought back.", { yes: "Drop", danger: true })) { app.store.drop(draft.id); update(); } }, { "data-act": `drop ${draft.id}` }))),
      };
    }));
  }

  update();
  return {
    title: "Kept", update,
    element: h("section.kept-page", null, h("h1", null, "Kept"), h("p.subtitle", null, "What is not on the server yet, and what it refused"), rescue, heading, waiting, files, refusedHeading, refused,
      h("div.buttons", null, button("plain", "History of the family", () => historyDialog(app, undefined)), button("plain", "Deleted records", () => deletedDialog(app)))),
  };
}
