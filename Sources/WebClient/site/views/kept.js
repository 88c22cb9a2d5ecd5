// Kept: what waits for the server, what it refused, and conflicts field by field.
import { KINDS } from "../family/kinds.js";
import { ask } from "../screen/dialog.js";
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
  const waiting = h("ul.kept", null), refused = h("div.kept", null), files = h("p.hint", null), heading = h("h2", null), refusedHeading = h("h2", null);
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

  function update() {
    const { engine } = app.store;
    const pending = engine.pending.filter((one) => one.operations.length === 0 || one.operations.some((operation) => operation.kind !== "reading_position"));
    heading.textContent = pending.length === 0 ? "Nothing waits" : `${counted(pending.length, "change")} waiting for the server`;
    keyed(waiting, pending.map((one) => ({
      key: String(one.id), stamp: JSON.stringify([one.operations, one.state]),
      make: () => h("li", null, h("p", { dir: "auto" }, one.undo === undefined ? one.operations.slice(0, 5).map((operation) => [operationText(app, operation), h("br", null)]) : "Undo of a change",
        one.operations.length > 5 && `and ${one.operations.length - 5} more`), h("p.hint", null, `${instantText(one.at)}${one.state === "in_flight" ? " · being sent" : ""}`)),
    })));
    files.textContent = app.store.isMemoryOnly ? (app.isBrief ? "Nothing is kept on this computer: close the page only when nothing waits." : "This browser keeps no copy: do not close the page while something waits.")
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
    element: h("section.kept-page", null, h("h1", null, "Kept"), h("p.subtitle", null, "What is not on the server yet, and what it refused"), heading, waiting, files, refusedHeading, refused,
      h("div.buttons", null, button("plain", "History of the family", () => historyDialog(app, undefined)), button("plain", "Deleted records", () => deletedDialog(app)))),
  };
}
