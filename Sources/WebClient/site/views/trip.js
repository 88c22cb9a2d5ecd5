// One trip: its itinerary by day, shift, copy, print (R150–R165).
import { readDate, writeDate } from "../dates/calendar.js";
import { daysOf, itinerary } from "../family/itinerary.js";
import { button, fill, h, link, refill } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { newId } from "../sessions/ids.js";
import { dayText, longDayText, rangeText } from "../words/dates.js";
import { WORDS } from "../words/trip.js";
import { comments } from "./comments.js";
import { historyDialog } from "./history.js";
import { labelled } from "./event.js";
import { presses } from "./keys.js";
import { titleOf } from "./season.js";
import { formDialog } from "./submission.js";
import { itemDialog, itemRow, place } from "./trip-items.js";
import { tripDialog } from "./trips.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/** The most days that an itinerary shows, against damaged dates. */
const MAX_DAYS = 400;

/**
 * The dialog that moves or copies a trip: to a new first day.
 * @param {App} app
 * @param {FamilyRecord} trip
 * @param {"shift" | "copy"} act
 */
function daysDialog(app, trip, act) {
  const from = readDate(trip.fields.start_date);
  if (from === undefined) return;
  const start = /** @type {HTMLInputElement} */ (h("input", { type: "date", value: writeDate(act === "shift" ? from : from + 364) }));
  // Drawn once: however often it is sent, it is one copy (R013).
  const copy = newId();
  formDialog(app, act === "shift" ? WORDS.moveTheWholeTrip : WORDS.copyTheTrip, {
    label: act === "shift" ? WORDS.move : WORDS.copy,
    content: [h("p", null, WORDS.daysMoveLocalTimesStay), labelled(WORDS.newFirstDay, start)],
    wanted: () => {
      const to = readDate(start.value);
      if (to === undefined) return WORDS.theNewFirstDayIs;
      const days = to - from;
      if (act === "shift" && days === 0) return WORDS.theTripBeginsOnThis;
      if (Math.abs(days) > 3660) return WORDS.atMostTenYearsEarlier;
      const now = app.season.find("trip", trip.id) ?? trip;
      return act === "shift" ? { operations: [{ op: "shift", kind: "trip", id: trip.id, base: now.version, days }], done: WORDS.moved(titleOf(trip)) }
        : { operations: [{ op: "copy", kind: "trip", id: copy, from: trip.id, days }], done: WORDS.copied(titleOf(trip)) };
    },
    saved: () => { if (act === "copy") app.router.go(`/trips/${copy}`); },
  });
}

/**
 * The days of a trip, in order: its own, and those outside that have something on them.
 * @param {FamilyRecord} trip
 * @param {readonly FamilyRecord[]} items
 * @param {number} today where a trip with a damaged date is put
 * @returns {number[]}
 */
export function daysOfTrip(trip, items, today) {
  const { fields } = trip;
  const first = readDate(fields.start_date) ?? today, last = readDate(fields.end_date ?? fields.start_date) ?? first;
  const days = new Set();
  for (let day = first; day <= Math.min(last, first + MAX_DAYS); day += 1) days.add(day);
  for (const item of items) {
    const covered = daysOf(item.fields);
    if (covered) for (let day = covered[0]; day <= covered[1]; day += 1) days.add(day);
  }
  return [...days].sort((one, other) => one - other).slice(0, MAX_DAYS);
}

/**
 * The head of the pages of a trip: its name, when it is, and the way from one to the other.
 * @param {App} app
 * @param {FamilyRecord} trip
 * @param {"itinerary" | "board"} current
 */
export function tripHead(app, trip, current) {
  const { fields } = trip;
  const view = (/** @type {string} */ word, /** @type {string} */ label, /** @type {string} */ path) => link(path, label, { "aria-current": word === current ? "page" : undefined, "data-act": `view ${word}` });
  return [
    h("p.no-print", null, link("/trips", WORDS.backToTrips)),
    h("div.page-head", null,
      h("div", null, h("h1", { dir: "auto" }, titleOf(trip)), h("p.range", null, rangeText(fields.start_date, fields.end_date), fields.time_zone && ` · ${fields.time_zone}`)),
      h("nav.switch.no-print", { "aria-label": WORDS.viewsOfTheTrip }, view("itinerary", WORDS.itinerary, `/trips/${trip.id}`), view("board", WORDS.board, `/trips/${trip.id}/board`))),
  ];
}

/**
 * @param {App} app
 * @param {string} id
 * @returns {Page}
 */
export function tripPage(app, id) {
  const { season } = app;
  const body = h("div.trip", null);
  const talk = comments(app, { kind: "trip", id });
  const element = h("section.detail", null, body, talk.element);

  function update() {
    const trip = season.find("trip", id);
    talk.element.toggleAttribute("hidden", !trip);
    if (!trip) {
      const { isLoading } = app.store;
      if (isLoading) skeleton(body, "detail");
      else fill(body, h("h1", null, WORDS.tripNotFound), h("p", null, link("/trips", WORDS.returnToTrips)));
      return;
    }
    const { fields } = trip;
    const items = season.records("trip_item").filter((item) => item.fields.trip_id === id);
    const plan = new Map(itinerary(items).map((one) => [one.date, one.items]));
    const others = items.filter((item) => item.fields.include_in_itinerary !== true);
    const first = readDate(fields.start_date) ?? season.today;
    const mayEdit = season.may("update", "trip", { record: trip });
    const mayAdd = season.may("create", "trip_item");
    const people = (fields.participants ?? []).map((/** @type {any} */ one) => one.name).join(", ");
    const days = [];
    // Days of the trip are shown also when they are free; days outside only with something on them.
    for (const day of daysOfTrip(trip, items.filter((item) => item.fields.include_in_itinerary === true), season.today)) {
      const found = plan.get(day) ?? [];
      days.push(h("section.day-plan", null,
        h("div.pinned", null, h("h2", null, longDayText(day, season.today)),
          mayAdd && button("icon.no-print", "+", () => itemDialog(app, id, undefined, day), { "aria-label": WORDS.addTo(longDayText(day, season.today)), "data-act": `add ${day}` })),
        found.length > 0 ? h("ul.items", null, found.map((item) => itemRow(app, item, day, { actions: true }))) : h("p.hint", null, WORDS.free)));
    }
    refill(body,
      tripHead(app, trip, "itinerary"),
      fields.location && place(fields.location, titleOf(trip)), people && h("p", { dir: "auto" }, WORDS.with(people)), fields.notes && h("p.text", { dir: "auto" }, fields.notes),
      h("p.print-only", null, WORDS.printed(app.store.engine.familyName ?? WORDS.huddle, dayText(season.today))),
      h("div.buttons.no-print", null,
        mayEdit && button("plain", WORDS.edit, () => tripDialog(app, trip, () => {}), { "data-act": "edit trip" }), mayEdit && button("plain", WORDS.moveMore, () => daysDialog(app, trip, "shift"), { "data-act": "shift" }),
        season.may("create", "trip") && button("plain", WORDS.copyMore, () => daysDialog(app, trip, "copy"), { "data-act": "copy" }), button("plain", WORDS.print, () => print(), { "data-act": "print" }), button("plain", WORDS.history, () => historyDialog(app, { kind: "trip", id }), { "data-act": "history" }),
        season.may("delete", "trip", { record: trip }) && button("danger", WORDS.delete, async () => {
          if (await app.remove(trip, WORDS.deleteThisTripWithAll, WORDS.deleted(titleOf(trip)))) app.router.go("/trips", { replace: true });
        }, { "data-act": "delete trip" })),
      days,
      others.length > 0 && h("section.no-print", null, h("h2", null, WORDS.notInTheItinerary), h("ul.items", null, others.map((item) => itemRow(app, item, daysOf(item.fields)?.[0] ?? first, { actions: true })))));
    talk.update();
  }

  update();
  return {
    title: WORDS.trip, element, update,
    get acts() {
      return presses(body, { "trip-add": "add ", "trip-edit": "edit trip", "trip-delete": "delete trip", "trip-shift": "shift", "trip-copy": "copy", "trip-board": "view board", "trip-print": "print", history: "history" });
    },
  };
}
