// Trips: the list, and what is on a chosen day (R150–R165).
import { readDate } from "../dates/calendar.js";
import { itinerary } from "../family/itinerary.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, keyed, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { skeleton } from "../screen/skeleton.js";
import { newId } from "../sessions/ids.js";
import { counted, longDayText, rangeText } from "../words/dates.js";
import { WORDS } from "../words/trips.js";
import { MonthGrid } from "./calendar.js";
import { labelled } from "./event.js";
import { differing } from "./form.js";
import { shortened, titleOf } from "./season.js";
import { formDialog } from "./submission.js";
import { itemDialog, itemRow, itemsOn } from "./trip-items.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/**
 * The dialog for a trip.
 * @param {App} app
 * @param {FamilyRecord | undefined} trip
 * @param {(id: string) => void} done
 */
export function tripDialog(app, trip, done) {
  const id = trip?.id ?? newId();
  const fields = trip?.fields ?? {};
  const input = (/** @type {string} */ type, /** @type {any} */ value) => /** @type {HTMLInputElement} */ (h("input", { type, value: value ?? "", dir: type === "text" ? "auto" : undefined }));
  const name = input("text", fields.name), start = input("date", fields.start_date), end = input("date", fields.end_date), location = input("text", fields.location);
  name.maxLength = 255;
  location.maxLength = 255;
  const notes = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 3, value: fields.notes ?? "", dir: "auto" }));
  const chosen = new Set((fields.participants ?? []).map((/** @type {any} */ one) => one.id));
  const people = h("fieldset", null, h("legend", null, WORDS.whoComesAlong), app.season.members.map((member) => {
    const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: `member-${member.id}`, checked: chosen.has(member.id), value: member.id }));
    return h("div.check", null, box, h("label", { for: `member-${member.id}`, dir: "auto" }, member.fields.name));
  }));
  start.addEventListener("change", () => { if (end.value === "" || end.value < start.value) end.value = start.value; });
  formDialog(app, trip ? WORDS.editTrip : WORDS.newTrip, {
    label: trip ? WORDS.save : WORDS.add,
    content: [labelled(WORDS.tripName, name), labelled(WORDS.startDate, start), labelled(WORDS.endDate, end), labelled(WORDS.location, location), labelled(WORDS.notes, notes), people],
    wanted: () => {
      const missing = name.value.trim() === "" ? name : start.value === "" ? start : end.value !== "" && end.value < start.value ? end : undefined;
      missing?.focus();
      if (missing) return missing === name ? WORDS.tripNameIsRequired : missing === start ? WORDS.startDateIsRequired : WORDS.endDateMustBeAfter;
      const ids = [...people.querySelectorAll("input:checked")].map((one) => /** @type {HTMLInputElement} */ (one).value);
      const wanted = { name: name.value.trim(), start_date: start.value, end_date: end.value, location: location.value.trim(), notes: notes.value.trim() };
      const done = trip ? WORDS.tripSaved : WORDS.created(shortened(wanted.name, 40));
      if (!trip) return { operations: [app.create("trip", { ...differing(wanted), ...(ids.length > 0 ? { participants: ids } : {}) }, { id })], done };
      const now = app.season.find("trip", id) ?? trip;
      const changed = differing(wanted, trip.fields);
      const add = ids.filter((one) => !chosen.has(one)), remove = [...chosen].filter((one) => !ids.includes(one));
      const isSame = Object.keys(changed).length + add.length + remove.length === 0;
      return { operations: isSame ? [] : [{ ...app.update(now, changed, { add: { participants: add }, remove: { participants: remove } }), base: Math.min(now.version, trip.version) }], done };
    },
    saved: () => done(id),
  });
}

/** The kinds that the page shows something of. */
const SHOWN = ["trip", "trip_item", "member", "family"];
/** The trips of a day that a month has room for. */
const MAX_BARS = 3;

/**
 * The bars of trips in a month: each trip keeps its row over all of its days.
 * @param {readonly FamilyRecord[]} trips
 * @param {number} first days since 1970-01-01
 * @param {number} last
 * @returns {(date: number) => {content: import("../screen/html.js").Child, text: string}}
 */
export function tripBars(trips, first, last) {
  /** @type {{trip: FamilyRecord, from: number, to: number, row: number, hue: number}[]} */
  const bars = [];
  for (const [hue, trip] of trips.entries()) {
    const from = readDate(trip.fields.start_date), to = readDate(trip.fields.end_date ?? trip.fields.start_date) ?? from;
    if (from === undefined || to === undefined || from > last || to < first) continue;
    const taken = new Set(bars.filter((one) => one.from <= to && one.to >= from).map((one) => one.row));
    let row = 0;
    while (taken.has(row)) row += 1;
    bars.push({ trip, from, to, row, hue: hue % 6 });
  }
  return (date) => {
    const here = bars.filter((one) => one.from <= date && one.to >= date);
    const rows = Array.from({ length: Math.min(MAX_BARS, Math.max(0, ...here.map((one) => one.row + 1))) }, (_, row) => here.find((one) => one.row === row));
    const more = here.filter((one) => one.row >= MAX_BARS).length;
    const isWeekStart = (date - first) % 7 === 0;
    return {
      text: here.length === 0 ? "" : WORDS.onATrip(here.map((one) => titleOf(one.trip)).join(", ")),
      content: h("span.bars", { "aria-hidden": "true" }, rows.map((one) => (one
        ? h(`span.bar.hue-${one.hue}${one.from === date ? ".begins" : ""}${one.to === date ? ".ends" : ""}`, { dir: "auto" }, one.from === date || isWeekStart || date === first ? titleOf(one.trip) : "\u00a0")
        : h("span.bar.free", null, "\u00a0"))), more > 0 && h("span.more-bars", null, `+${more}`)),
    };
  };
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function tripsPage(app) {
  const { season } = app;
  /** @type {number | undefined} the chosen day; undefined: today, also after midnight */
  let chosenDay;
  let mode = "list";
  try { mode = localStorage.getItem("huddle-trips-view") === "month" ? "month" : "list"; } catch { /* blocked storage */ }
  const list = h("div.cards", null);
  const nothing = h("div.nothing", null);
  const dayHeading = h("h2", null);
  const dayList = h("ul.items", null);
  const dayEmpty = h("p.hint", null);
  const add = button("primary", WORDS.addTrip, () => tripDialog(app, undefined, (id) => app.router.go(`/trips/${id}`)));
  const addToDay = button("icon.add", "+", () => addItem(), {});
  const items = () => season.records("trip_item");
  const grid = new MonthGrid(season, {
    noun: WORDS.item,
    marked: (first, last) => new Map(itinerary(items()).filter((one) => one.date >= first && one.date <= last).map((one) => [one.date, one.items.length])),
    count: (first, last) => new Set(itinerary(items()).filter((one) => one.date >= first && one.date <= last).flatMap((one) => one.items)).size,
    chosen: (date) => { chosenDay = date; update(); },
    bars: (first, last) => tripBars(season.list({ kind: "trip", sort: "date_asc" }), first, last),
  });
  const views = h("div.switch", { role: "group", "aria-label": WORDS.view }, [["list", WORDS.list], ["month", WORDS.month]].map(([word, label]) => button("plain", label, () => {
    mode = word;
    try { localStorage.setItem("huddle-trips-view", mode); } catch { /* blocked storage */ }
    update();
  }, { "data-act": `view ${word}`, "data-word": word })));
  const columns = h("div.columns", null, h("div.side", null, grid.element, h("section.day-of-month", { "aria-live": "polite" }, h("div.day-head", null, dayHeading, addToDay), dayList, dayEmpty)), h("div.main", null, list, nothing));

  /** The day that is shown. */
  function day() {
    return chosenDay ?? season.today;
  }

  /** Adds to the day that is shown: to the trip that is under way then, or to one that is chosen. */
  function addItem() {
    const date = day();
    const trips = season.list({ kind: "trip", sort: "date_asc" });
    const there = trips.filter((trip) => { const from = readDate(trip.fields.start_date); return from !== undefined && from <= date && (readDate(trip.fields.end_date ?? trip.fields.start_date) ?? from) >= date; });
    if (there.length === 1) return itemDialog(app, there[0].id, undefined, date);
    const some = there.length > 0 ? there : trips.filter((trip) => (readDate(trip.fields.end_date ?? trip.fields.start_date) ?? date) >= season.today);
    return openDialog(WORDS.toWhichTrip, (close) => [
      some.length === 0 ? h("p", null, WORDS.thereIsNoTripYet)
        : h("div.choices", null, some.map((trip) => button("plain", `${shortened(titleOf(trip), 60)}, ${rangeText(trip.fields.start_date, trip.fields.end_date)}`, () => { close(); itemDialog(app, trip.id, undefined, date); }))),
      h("div.buttons", null, button("plain", WORDS.cancel, close), season.may("create", "trip") && button("plain", WORDS.addTrip, () => { close(); tripDialog(app, undefined, (id) => app.router.go(`/trips/${id}`)); })),
    ]);
  }

  function update() {
    const { today } = season;
    const trips = season.list({ kind: "trip", sort: "date_asc" });
    const upcoming = trips.filter((trip) => (readDate(trip.fields.end_date ?? trip.fields.start_date) ?? today) >= today);
    const past = trips.filter((trip) => !upcoming.includes(trip)).reverse();
    const mayAdd = season.may("create", "trip");
    add.toggleAttribute("hidden", !mayAdd);
    grid.element.classList.toggle("large", mode === "month");
    columns.classList.toggle("month-mode", mode === "month");
    for (const one of views.children) one.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (one).dataset.word === mode));
    keyed(list, [...upcoming, ...past].map((trip) => {
      const count = items().filter((item) => item.fields.trip_id === trip.id).length;
      const people = (trip.fields.participants ?? []).map((/** @type {any} */ one) => one.name).join(", ");
      const isPast = past.includes(trip);
      const hue = trips.indexOf(trip) % 6;
      return {
        key: trip.id, stamp: JSON.stringify([trip.version, trip.fields, count, isPast, hue, season.isWaiting(trip.id)]),
        make: () => h(`article.card.trip-card.hue-${hue}${isPast ? ".past" : ""}`, null,
          h("h3", null, link(`/trips/${trip.id}`, titleOf(trip), { dir: "auto" })),
          h("ul.facts", null, [["calendar", rangeText(trip.fields.start_date, trip.fields.end_date)], trip.fields.location && ["pin", trip.fields.location], people && ["person", people], ["form", counted(count, WORDS.item)]]
            .filter((one) => one).map((one) => h("li", null, icon(one[0]), " ", h("span", { dir: "auto" }, one[1])))),
          season.isWaiting(trip.id) && h("span.badge.waiting", null, WORDS.waiting)),
      };
    }));
    const { isLoading } = app.store;
    if (trips.length > 0) fill(nothing);
    else if (isLoading) skeleton(nothing);
    else fill(nothing, h("p.symbol", null, icon("car")), h("h2", null, WORDS.noTripsYet), h("p", null, WORDS.aTripHasDaysWith), mayAdd && button("primary", WORDS.addTrip, () => add.click()));
    const name = longDayText(day(), today);
    dayHeading.textContent = name;
    addToDay.setAttribute("aria-label", WORDS.addTo(name));
    addToDay.toggleAttribute("hidden", !season.may("create", "trip_item"));
    const found = itemsOn(items(), day());
    fill(dayList, found.map((item) => itemRow(app, item, day(), { trip: true })));
    dayEmpty.textContent = found.length === 0 ? WORDS.nothingPlannedOnThisDay : "";
  }

  let { setting } = season;
  update();
  return {
    title: WORDS.trips,
    element: h("section.trips", null,
      h("div.page-head", null, h("div", null, h("h1", null, WORDS.trips), h("p.subtitle", null, WORDS.whoIsWhereAndWhen)), views, add),
      columns),
    update: (ids) => {
      if (setting === season.setting && !season.concerns(ids, SHOWN)) return;
      setting = season.setting;
      grid.update();
      update();
    },
    get acts() {
      /** @type {Map<string, () => void>} */
      const acts = new Map([["month-next", () => grid.turn(1)], ["month-previous", () => grid.turn(-1)], ["month-today", () => grid.showToday()]]);
      if (season.may("create", "trip")) acts.set("trip-add", () => add.click());
      return acts;
    },
  };
}
