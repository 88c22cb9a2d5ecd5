// Items of trips: their rows in an itinerary, and the dialog for one, with overlaps (R150–R164).
import { readDate, readLocal, writeLocal } from "../dates/calendar.js";
import { instantOf, localAt } from "../dates/zones.js";
import { itinerary, minutesOf } from "../family/itinerary.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { newId } from "../sessions/ids.js";
import { durationText, localParts, localText, minutesText, ownZone } from "../words/dates.js";
import { WORDS } from "../words/trip-items.js";
import { choicesOf, labelled } from "./event.js";
import { directions } from "./event-form.js";
import { differing } from "./form.js";
import { Submission } from "./submission.js";
import { labelOf, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */

const ICONS = /** @type {{[category: string]: string}} */ ({ accommodation: "bed", food: "food", transportation: "car", activity: "walk", entertainment: "mask", other: "calendar" });

/**
 * The name of the icon of an item's category (R151).
 * @param {FamilyRecord} item
 */
export function categoryIcon(item) {
  return ICONS[item.fields.category] ?? ICONS.other;
}

/**
 * A place with its way to a map; on paper the place alone.
 * @param {string} location
 * @param {string} title what is there, for screen readers
 */
export function place(location, title) {
  return h("p.hint", { dir: "auto" }, location, " ", h("a.map.no-print", { href: directions({ address: location }), target: "_blank", rel: "noopener noreferrer", "aria-label": WORDS.mapOf(title) }, WORDS.map));
}

/**
 * The items of a day, by their start; a stay is on every day that it covers.
 * @param {FamilyRecord[]} items
 * @param {number} day
 */
export function itemsOn(items, day) {
  return itinerary(items).find((one) => one.date === day)?.items ?? [];
}

/**
 * A row of an itinerary.
 * @param {App} app
 * @param {FamilyRecord} item
 * @param {number} day
 * @param {{trip?: boolean, actions?: boolean}} options
 */
export function itemRow(app, item, day, { trip = false, actions = false } = {}) {
  const { season } = app;
  const { fields } = item;
  const start = localParts(fields.start_time), end = localParts(fields.end_time);
  const duration = durationText(minutesOf(fields));
  let when = start && start.date === day ? (end ? minutesText(start.minutes) : WORDS.allDay) : "";
  if (start && start.date < day) when = end && end.date === day && end.minutes > 0 ? WORDS.until(minutesText(end.minutes)) : WORDS.allDay2;
  // The viewer's own time beside it, where it differs.
  const instant = start && instantOf(fields.start_zone, start.date * 1440 + start.minutes);
  const here = instant === undefined ? undefined : localAt(ownZone(), instant);
  const own = here !== undefined && start && end && start.date === day && here !== start.date * 1440 + start.minutes ? WORDS.whereYouAre(minutesText(here - Math.floor(here / 1440) * 1440)) : "";
  const parent = trip ? season.find("trip", fields.trip_id) : undefined;
  const people = (fields.participants ?? []).map((/** @type {any} */ one) => one.name).join(", ");
  const mayEdit = actions && season.may("update", "trip_item", { record: item });
  return h(`li.item.${fields.category ?? "other"}`, { "data-key": item.id },
    icon(categoryIcon(item)),
    h("div.body", null,
      h("p.when", null, when, " ", h("span.badge", null, duration), fields.include_in_itinerary === false && h("span.badge", null, WORDS.notInTheItinerary), season.isWaiting(item.id) && h("span.badge.waiting", null, WORDS.waiting)),
      h("p.title", { dir: "auto" }, titleOf(item), h("span.unseen", null, `, ${labelOf(item, "category")}`)),
      own && h("p.hint.no-print", null, own), fields.location && place(fields.location, titleOf(item)), people && h("p.hint", { dir: "auto" }, people),
      parent && h("p.hint", null, link(`/trips/${parent.id}`, titleOf(parent), { dir: "auto" })),
      fields.description && h("p.text", { dir: "auto" }, fields.description)),
    mayEdit && h("div.actions.no-print", null,
      button("plain", WORDS.edit, () => itemDialog(app, item.fields.trip_id, item), { "aria-label": WORDS.editOf(titleOf(item)), "data-act": `edit ${item.id}` }),
      button("icon.danger", icon("trash"), () => app.remove(item, WORDS.deleteThisItem, WORDS.deleted(titleOf(item))), { "aria-label": WORDS.delete(titleOf(item)), "data-act": `delete ${item.id}` })));
}

/**
 * What the forms of an item have in common: they send one change, wait for the answer, and close only on success; an overlap is asked about above them.
 * @param {App} app
 * @param {Submission} submission
 * @param {{label: string, error: HTMLElement, isComplete?: () => boolean, back: HTMLElement, close: () => void, saved?: () => void}} form
 *   `back`: the control that has the focus after “Change it”; `saved`: what follows a success, before the form closes
 */
export function itemSubmission(app, submission, { label, error, isComplete = () => true, back, close, saved = () => {} }) {
  const save = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, label));
  const check = () => { save.disabled = submission.isWaiting || !isComplete(); };

  /**
   * @param {Promise<import("../wire/rejections.js").Rejection | undefined>} answer to the change, or to what was refused with the overlaps that it may have
   * @param {import("../family/records.js").Operation} operation
   */
  async function settle(answer, operation) {
    check();
    fill(save, WORDS.saving);
    fill(error);
    const rejection = await answer;
    fill(save, label);
    check();
    if (submission.isLeft) return;
    if (!rejection) {
      saved();
      close();
    } else if (rejection.code !== "overlap" || submission.refused === undefined) fill(error, rejection.message);
    else {
      overlapDialog(app, submission.refused, rejection, operation, {
        accept: (overlap) => settle(submission.accept(overlap, WORDS.bothAreInThePlan), operation), back: () => back.focus(), drop: () => { submission.forget(); close(); }, later: close,
      });
    }
  }

  check();
  return { save, check, send: (/** @type {import("../family/records.js").Operation} */ operation, /** @type {string} */ done) => settle(submission.send([operation], done), operation) };
}

/**
 * The dialog for an item; it stays open with both sides of an overlap.
 * @param {App} app
 * @param {string} trip
 * @param {FamilyRecord | undefined} item
 * @param {number} [day] of a new one
 */
export function itemDialog(app, trip, item, day) {
  const { season } = app;
  const id = item?.id ?? newId();
  const parent = season.find("trip", trip);
  const fields = item?.fields ?? {};
  const now = Math.ceil((localAt(parent?.fields.time_zone ?? ownZone(), Date.now()) ?? 0) / 15) * 15;
  const first = (day ?? readDate(parent?.fields.start_date ?? "") ?? Math.floor(now / 1440)) * 1440 + (now - Math.floor(now / 1440) * 1440);
  const input = (/** @type {string} */ type, /** @type {any} */ value, /** @type {any} */ more = {}) => /** @type {HTMLInputElement} */ (h("input", { type, value: value ?? "", ...more }));
  const title = input("text", fields.title, { maxlength: "255", dir: "auto" });
  const start = input("datetime-local", fields.start_time ?? writeLocal(first));
  const hasEnd = input("checkbox", "", { id: "item-has-end", checked: item ? fields.end_time !== undefined : true });
  const end = input("datetime-local", fields.end_time ?? (item ? "" : writeLocal(first + 60)));
  const location = input("text", fields.location, { maxlength: "255", dir: "auto" });
  const category = /** @type {HTMLSelectElement} */ (h("select", { value: fields.category ?? "activity" }, choicesOf("trip_item", "category")));
  const description = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 3, value: fields.description ?? "", dir: "auto" }));
  const included = input("checkbox", "", { id: "item-included", checked: fields.include_in_itinerary !== false });
  const error = h("p.error", { role: "alert" });
  const submission = new Submission(app);
  let last = readLocal(start.value);
  // The end keeps its distance from the start.
  start.addEventListener("change", () => {
    const from = readLocal(start.value), to = readLocal(end.value);
    if (from !== undefined && to !== undefined && last !== undefined) end.value = writeLocal(to + from - last) ?? end.value;
    last = from ?? last;
  });
  const endField = labelled(WORDS.end, end);
  hasEnd.addEventListener("change", () => endField.toggleAttribute("hidden", !hasEnd.checked));
  endField.toggleAttribute("hidden", !hasEnd.checked);
  openDialog(item ? WORDS.editItem : WORDS.addToTheTrip, (close) => {
    const { save, check, send } = itemSubmission(app, submission, { label: item ? WORDS.save : WORDS.add, error, isComplete: () => title.value.trim() !== "", back: title, close });
    title.addEventListener("input", check);
    return [h("form", {
      novalidate: true, on: {
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          if (save.disabled) return;
          const from = readLocal(start.value), to = hasEnd.checked ? readLocal(end.value) : undefined;
          error.textContent = from === undefined ? WORDS.startIsRequiredAsA : hasEnd.checked && to === undefined ? WORDS.endIsRequiredOrSwitch : to !== undefined && to < from ? WORDS.endMustBeAfterStart : "";
          if (error.textContent !== "") return;
          const wanted = {
            trip_id: trip, title: title.value.trim(), description: description.value.trim(), location: location.value.trim(), start_time: start.value, end_time: hasEnd.checked ? end.value : "",
            category: category.value, include_in_itinerary: included.checked,
          };
          if (item) {
            const { trip_id: _, ...rest } = wanted;
            const held = season.find("trip_item", id) ?? item;
            const changed = differing(rest, item.fields);
            if (Object.keys(changed).length === 0) close();
            else send({ ...app.update(held, changed), base: Math.min(held.version, item.version) }, WORDS.saved(wanted.title));
          } else send(app.create("trip_item", differing(wanted), { id }), WORDS.added(wanted.title));
        },
      },
    }, labelled(WORDS.title, title), labelled(WORDS.category, category), labelled(WORDS.start, start), h("div.check", null, hasEnd, h("label", { for: "item-has-end" }, WORDS.hasAnEnd)), endField,
    labelled(WORDS.location, location), labelled(WORDS.description, description), h("div.check", null, included, h("label", { for: "item-included" }, WORDS.inTheItinerary)), error,
    h("div.buttons", null, button("plain", WORDS.cancel, () => { submission.forget(); close(); }), save))];
  }, { closed: () => { submission.isLeft = true; } });
}

/**
 * Requests a change of an item; if it overlaps others, both sides are shown, with what can be done.
 * @param {App} app
 * @param {import("../family/records.js").Operation} operation
 * @param {string} done
 */
export function saveItem(app, operation, done) {
  try {
    const { mutation, outcome } = app.store.perform([operation]);
    outcome.then(({ seq, rejection, warnings = [] }) => {
      app.remember(seq);
      if (rejection?.code === "overlap") overlapDialog(app, mutation, rejection, operation);
      else if (rejection) app.toasts.show(rejection.message, { label: WORDS.show, act: () => app.router.go("/kept") });
      else {
        app.toasts.show(warnings.length > 0 ? `${done}. ${warnings.map((one) => one.message ?? WORDS.itOverlapsSomethingElse).join(" ")}` : done,
          seq === undefined ? undefined : { label: WORDS.undo, act: () => app.undo(seq) });
      }
    });
  } catch (error) {
    app.complain(error);
  }
}

/**
 * One side of an overlap: what it is, and when.
 * @param {import("./app.js").App} app
 * @param {{id: string, title: string, start_time: string, start_zone: string, end_time: string, end_zone: string}} side
 * @param {string} whose
 */
function overlapSide(app, side, whose) {
  const { season } = app;
  const record = season.find("trip_item", side.id);
  const [start, end] = [localParts(side.start_time), localParts(side.end_time)];
  const until = start && end && start.date === end.date ? minutesText(end.minutes) : localText(side.end_time);
  return h("div.side", null, h("p.hint", null, whose),
    h("p.title", { dir: "auto" }, record && [icon(categoryIcon(record)), " "], side.title),
    h("p", null, WORDS.to(localText(side.start_time), until)), side.start_zone !== side.end_zone && h("p.hint", null, WORDS.toZone(side.start_zone, side.end_zone)),
    record?.fields.location && h("p.hint", { dir: "auto" }, record.fields.location));
}

/**
 * Shows both sides of each overlap with their people, and asks what is to be done.
 * @param {App} app
 * @param {number} draft
 * @param {import("../wire/rejections.js").Rejection} refused
 * @param {import("../family/records.js").Operation} operation
 * @param {{accept: (overlap: import("../family/records.js").OverlapOverride) => void, back: () => void, drop: () => void, later: () => void}} [form] the form that
 *   is open behind it
 */
export function overlapDialog(app, draft, refused, operation, form) {
  const found = refused.overlaps ?? [];
  const reason = /** @type {HTMLInputElement} */ (h("input", { maxlength: "500", dir: "auto", placeholder: WORDS.asTomJoinsLater }));
  openDialog(WORDS.twoThingsAtTheSame, (close) => {
    const accept = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit", disabled: true }, WORDS.keepBoth));
    reason.addEventListener("input", () => { accept.disabled = reason.value.trim() === ""; });
    return [
      h("p", null, WORDS.thisIsNotSavedYet),
      h("ul.overlaps", null, found.map((one) => {
        const [own, other] = one.with.id === operation.id ? [one.with, one.item] : [one.item, one.with];
        const names = one.members.map((/** @type {string} */ id) => app.season.nameOf(id)).join(", ");
        return h("li", null,
          h("div.sides", null, overlapSide(app, own, own.id === operation.id ? WORDS.yourChange : WORDS.one), overlapSide(app, other, WORDS.inThePlan)),
          names && h("p", { dir: "auto" }, WORDS.bothHave(names)));
      })),
      h("form", {
        novalidate: true, on: {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            if (accept.disabled) return;
            close();
            if (form) return form.accept({ reason: reason.value.trim(), pairs: pairsOf(found) });
            try {
              const again = app.store.retry(draft, { reason: reason.value.trim(), pairs: pairsOf(found) });
              again?.outcome.then(({ seq, rejection }) => {
                app.remember(seq);
                if (rejection) app.toasts.show(rejection.message, { label: WORDS.show, act: () => app.router.go("/kept") });
                else app.toasts.show(WORDS.bothAreInThePlan, seq === undefined ? undefined : { label: WORDS.undo, act: () => app.undo(seq) });
              });
            } catch (error) {
              app.complain(error);
            }
          },
        },
      }, labelled(WORDS.whyBothAtOnceIs, reason, WORDS.theReasonStaysWithThe), h("div.buttons", null,
        form && button("plain", WORDS.changeIt, () => { close(); form.back(); }),
        button("plain", WORDS.dropIt, () => {
          close();
          if (form) form.drop();
          else app.store.drop(draft);
          app.toasts.show(WORDS.everythingIsWhereItWas);
        }),
        button("plain", WORDS.decideLater, () => { close(); form?.later(); app.toasts.show(WORDS.itIsInKept); }), accept)),
    ];
  }, { wide: true });
}

/**
 * The pairs of an overlap, for `allow_overlap`.
 * @param {any[]} overlaps
 * @returns {[string, string][]}
 */
export function pairsOf(overlaps) {
  return overlaps.map((one) => /** @type {[string, string]} */ ([one.item.id, one.with.id]));
}
