// The outbox: what waits for the server, what it refused, and conflicts field by field.
import { KINDS } from "../family/kinds.js";
import { ask } from "../screen/dialog.js";
import { Cache } from "../sessions/cache.js";
import { button, fill, h, keyed } from "../screen/html.js";
import { counted, instantText } from "../words/dates.js";
import { WORDS } from "../words/kept.js";
import { choicesOf } from "./event.js";
import { CONTROLS, newSchoolDialog, newSchoolOption, recordOptions } from "./form.js";
import { deletedDialog, historyDialog } from "./history.js";
import { overlapDialog } from "./trip-items.js";
import { titleOf } from "./season.js";
import { valueText } from "./values.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {import("../sync/conflicts.js").ConflictSides} ConflictSides */
/** @typedef {import("../sync/conflicts.js").ConflictChoice} ConflictChoice */

const PROBLEMS = /** @type {{[problem: string]: string}} */ ({
  newer: WORDS.theCopyOnThisDevice, blocked: WORDS.thisBrowserDoesNotLet,
  damaged: WORDS.theCopyOnThisDevice2,
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
  const verb = /** @type {{[op: string]: string}} */ ({ create: WORDS.new, update: WORDS.changeOf, delete: WORDS.delete, restore: WORDS.bringBack, shift: WORDS.move, copy: WORDS.copyOf })[operation.op] ?? operation.op;
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
  /** The decisions of conflicts that are not complete yet, by draft. */
  /** @type {Map<number, {[field: string]: ConflictChoice}>} */
  const choices = new Map();
  /**
   * The controls for values of neither side, by draft and field: what is typed in them stays when their row is drawn again. `look` brings the choices up to date.
   * @type {Map<string, {control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, look?: () => void}>}
   */
  const typed = new Map();

  /**
   * The control for a value of neither side; undefined for types that nobody types.
   * @param {number} id of the draft
   * @param {import("../family/records.js").FamilyRecord} record
   * @param {import("../sync/conflicts.js").ConflictSide} side
   */
  function another(id, { kind, athlete }, { field, theirs }) {
    const held = typed.get(`${id} ${field}`);
    const declared = KINDS[kind].fields.find((one) => one.name === field);
    const of = declared?.type === "reference" ? declared.of : undefined;
    const type = of ? "select" : CONTROLS[declared?.type ?? ""];
    if (held || type === undefined || type === "checkbox") return held?.control;
    let value = String(theirs ?? "");
    const attributes = {
      value, "aria-label": WORDS.anotherValueOf(declared?.label), "data-act": `value ${id} ${field}`, dir: "auto",
      on: {
        input: () => {
          if (of && control.value === "new") {
            control.value = value;
            newSchoolDialog(app, (school) => {
              look?.();
              control.value = school;
              control.dispatchEvent(new Event("input"));
            });
            return;
          }
          value = control.value.trim();
          choices.set(id, { ...choices.get(id), [field]: { value: value === "" ? null : type === "number" ? Number(value) : value } });
          // The rest of the draft is drawn again with the next change; the caret stays where it is.
          const radio = /** @type {HTMLInputElement | null} */ (document.getElementById(`${id}-${field}-value`));
          if (radio && !radio.checked) update();
        },
      },
    };
    const control = /** @type {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */ (
      type === "textarea" ? h("textarea", { rows: 2, ...attributes }) : type === "select" ? h("select", attributes, !of && choicesOf(kind, field, "–")) : h("input", { type, ...attributes }));
    /** @type {readonly any[] | undefined} */
    let listed;
    const look = of === undefined ? undefined : () => {
      // The same array until a record of the kind changes.
      const list = app.season.list({ kind: of, sort: "name", athlete });
      if (list === listed) return;
      listed = list;
      fill(control, !declared?.required && h("option", { value: "" }, "–"), recordOptions(app, of, value, athlete), of === "school" && newSchoolOption(app));
      control.value = value;
    };
    look?.();
    typed.set(`${id} ${field}`, { control, look });
    return control;
  }

  /** @param {number} id @param {ConflictSides} shown */
  function conflict(id, shown) {
    const made = choices.get(id) ?? {};
    const decide = (/** @type {ConflictChoice | undefined} */ whole) => {
      try {
        const fresh = app.store.engine.conflict(id);
        const { outcome } = app.store.resolve(fresh ?? shown, (whole === undefined && choices.get(id)) || {}, whole);
        choices.delete(id);
        outcome.then(({ rejection }) => app.toasts.show(rejection ? rejection.message : WORDS.decidedAndSaved));
      } catch (error) {
        app.complain(error);
      }
    };
    if (shown.matter !== "fields") {
      const isDeleted = shown.record.deleted_at !== undefined;
      return [
        h("p", null, isDeleted ? WORDS.deletedItMeanwhile(app.season.nameOf(shown.record.updated_by)) : WORDS.changedItMeanwhile(app.season.nameOf(shown.record.updated_by))),
        h("div.buttons", null, button("plain", isDeleted ? WORDS.leaveItDeleted : WORDS.keepTheirs, () => decide("theirs"), { "data-act": `theirs ${id}` }), button("primary", isDeleted ? WORDS.bringItBackWithMy : WORDS.doMineAllTheSame, () => decide("yours"), { "data-act": `yours ${id}` })),
      ];
    }
    const contested = shown.fields.filter((one) => one.contested);
    const others = shown.fields.filter((one) => !one.contested);
    const kind = shown.record.kind;
    return [
      h("div.scroll", null, h("table.conflict", null,
        h("caption", null, WORDS.somebodyElseChangedThe),
        h("thead", null, h("tr", null, [WORDS.field, WORDS.before, WORDS.yours, WORDS.theirs, WORDS.keep].map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", null, contested.map((side) => {
          const label = KINDS[kind].fields.find((one) => one.name === side.field)?.label ?? side.field;
          const type = KINDS[kind].fields.find((one) => one.name === side.field)?.type;
          const control = another(id, shown.record, side);
          const hasBoth = ["text", "line", "set"].includes(type ?? "") && side.yours !== null && side.theirs !== null;
          const options = [["yours", WORDS.yours], ["theirs", WORDS.theirs], ...(hasBoth ? [["both", WORDS.both]] : []), ...(control ? [["value", WORDS.another]] : [])];
          const chosen = made[side.field];
          return h("tr", null, h("th", { scope: "row" }, label),
            h("td", { dir: "auto" }, valueText(app, kind, side.field, side.base)), h("td", { dir: "auto" }, valueText(app, kind, side.field, side.yours)),
            h("td", { dir: "auto" }, valueText(app, kind, side.field, side.theirs), h("br", null), h("span.hint", null, `${app.season.nameOf(side.member)}${side.at ? `, ${instantText(side.at)}` : ""}`)),
            h("td", null, h("fieldset.inline", null, h("legend.unseen", null, WORDS.keepOf(label)), options.map(([word, text]) => {
              const box = /** @type {HTMLInputElement} */ (h("input", { type: "radio", name: `${id} ${side.field}`, id: `${id}-${side.field}-${word}`, checked: (typeof chosen === "object" ? "value" : chosen) === word, "data-act": `${id} ${side.field} ${word}`,
                on: { change: () => { choices.set(id, { ...choices.get(id), [side.field]: /** @type {any} */ (word) }); if (word === "value") control?.dispatchEvent(new Event("input")); update(); } } }));
              return h("span.check", null, box, h("label", { for: `${id}-${side.field}-${word}` }, text));
            })), control));
        })))),
      others.length > 0 && h("p.hint", null, WORDS.notContestedSavedWith(others.map((side) => `${KINDS[kind].fields.find((one) => one.name === side.field)?.label ?? side.field}: ${valueText(app, kind, side.field, side.yours)}`).join("; "))),
      h("div.buttons", null, button("plain", WORDS.allTheirs, () => decide("theirs"), { "data-act": `theirs ${id}` }), button("plain", WORDS.allMine, () => decide("yours"), { "data-act": `yours ${id}` }),
        h("button.primary", { type: "button", disabled: contested.some((side) => made[side.field] === undefined), "data-act": `decide ${id}`, on: { click: () => decide(undefined) } }, WORDS.saveMyChoices)),
    ];
  }

  /** What cannot be read on this device, and the way out. */
  function showRescue() {
    const { unreadable, storageProblem } = app.store;
    const stamp = `${unreadable.length} ${storageProblem}`;
    if (rescue.dataset.stamp === stamp) return;
    rescue.dataset.stamp = stamp;
    fill(rescue,
      unreadable.length > 0 && h("section.card", null, h("p.problem", null, WORDS.ofYoursOnThisDevice(counted(unreadable.length, WORDS.change), unreadable.length === 1 ? WORDS.it : WORDS.them)),
        h("div.buttons", null, h("a.button.primary", { href: URL.createObjectURL(new Blob([JSON.stringify(unreadable, null, 2)], { type: "application/json" })), download: "huddle-unreadable.json", "data-outside": true }, WORDS.saveAsAFile),
          button("danger", WORDS.remove, async () => { if (await ask(WORDS.removeWhatCannotBeRead, WORDS.itCannotBeBroughtBack, { yes: WORDS.remove, danger: true })) app.store.dropUnreadable(); }))),
      storageProblem === "damaged" && h("section.card", null, h("p.problem", null, WORDS.theCopyOnThisDevice3),
        h("div.buttons", null, button("danger", WORDS.removeTheCopy, async () => {
          if (!(await ask(WORDS.removeTheCopyOnThis, WORDS.whatWaitedInItIs, { yes: WORDS.remove, danger: true }))) return;
          if (await Cache.destroy()) location.reload();
          else app.toasts.show(WORDS.anotherTabUsesItClose);
        }))));
  }

  function update() {
    const { engine } = app.store;
    const pending = engine.waiting;
    for (const one of typed.values()) one.look?.();
    heading.textContent = pending.length === 0 ? WORDS.nothingWaits : WORDS.waitingForTheServer(counted(pending.length, WORDS.change));
    keyed(waiting, pending.map((one) => ({
      key: String(one.id), stamp: JSON.stringify([one.operations, one.state]),
      make: () => h("li", null, h("p", { dir: "auto" }, one.undo === undefined ? one.operations.slice(0, 5).map((operation) => [operationText(app, operation), h("br", null)]) : WORDS.undoOfAChange,
        one.operations.length > 5 && WORDS.andMore(one.operations.length - 5)), h("p.hint", null, `${instantText(one.at)}${one.state === "in_flight" ? WORDS.beingSent : ""}`)),
    })));
    showRescue();
    files.textContent = app.store.isMemoryOnly ? (app.isBrief ? WORDS.nothingIsKeptOnThis : WORDS.doNotCloseThePage(PROBLEMS[app.store.storageProblem ?? ""] ?? WORDS.thisBrowserKeepsNoCopy))
      : app.store.isThin ? WORDS.thisDeviceHasNoRoom
      : WORDS.whatWaitsIsStoredOn;
    refusedHeading.textContent = engine.drafts.length === 0 ? WORDS.nothingWasRefused : WORDS.refused(counted(engine.drafts.length, WORDS.change));
    keyed(refused, engine.drafts.map((draft) => {
      const shown = engine.conflict(draft.id);
      return {
        key: String(draft.id), stamp: JSON.stringify([draft.rejection, draft.operations, shown, choices.get(draft.id)]),
        make: () => h("article.card", null,
          h("p", { dir: "auto" }, draft.undo === undefined ? draft.operations.slice(0, 5).map((operation) => [operationText(app, operation), h("br", null)]) : WORDS.undoOfAChange),
          h("p.problem", { dir: "auto" }, draft.rejection.message), h("p.hint", null, instantText(draft.at)),
          shown ? conflict(draft.id, shown) : h("div.buttons", null,
            draft.rejection.code === "overlap" ? button("primary", WORDS.keepBoth, () => overlapDialog(app, draft.id, draft.rejection, draft.operations[0]), { "data-act": `overlap ${draft.id}` })
              : button("primary", WORDS.tryAgain, () => { try { app.store.retry(draft.id)?.outcome.then(({ rejection }) => app.toasts.show(rejection ? rejection.message : WORDS.saved)); } catch (error) { app.complain(error); } }, { "data-act": `retry ${draft.id}` }),
            button("danger", WORDS.drop, async () => { if (await ask(WORDS.dropThisChange, WORDS.itCannotBeBroughtBack, { yes: WORDS.drop, danger: true })) { app.store.drop(draft.id); update(); } }, { "data-act": `drop ${draft.id}` }))),
      };
    }));
  }

  update();
  return {
    title: WORDS.kept, update,
    element: h("section.kept-page", null, h("h1", null, WORDS.kept), h("p.subtitle", null, WORDS.whatIsNotOnThe), rescue, heading, waiting, files, refusedHeading, refused,
      h("div.buttons", null, button("plain", WORDS.historyOfTheFamily, () => historyDialog(app, undefined)), button("plain", WORDS.deletedRecords, () => deletedDialog(app)))),
  };
}
