// The list of events beside the month (R015–R055).
import { readDate } from "../dates/calendar.js";
import { button, fill, h, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { LongList } from "../screen/longlist.js";
import { skeleton } from "../screen/skeleton.js";
import { swipes } from "../screen/swipe.js";
import { counted, rangeText, timeText } from "../words/dates.js";
import { WORDS } from "../words/events.js";
import { covered, MonthGrid } from "./calendar.js";
import { interactionDialog } from "./event.js";
import { openSelect } from "./keys.js";
import { eventStatus, labelOf, shortened, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/** The kinds that the page shows something of: an event has a school, an athlete, and the family's days. */
const SHOWN = ["event", "school", "member", "family"];
const SORTS = [["date_desc", WORDS.dateNewestFirst], ["date_asc", WORDS.dateOldestFirst], ["name", WORDS.name], ["type", WORDS.type]];

/**
 * A list of choices with its label.
 * @param {string} label
 * @param {string} id
 * @param {string[][]} options
 * @param {(value: string) => void} chosen
 * @param {string} [value]
 */
export function choice(label, id, options, chosen, value = options[0][0]) {
  const select = /** @type {HTMLSelectElement} */ (h("select", { id, value, on: { change: () => chosen(select.value) } }, options.map(([word, text]) => h("option", { value: word }, text))));
  return { element: h("div.field", null, h("label", { for: id }, label), select), select };
}

/**
 * What comes next in a season, in one line (R026).
 * @param {App} app
 * @returns {string}
 */
function timelineStatus({ season }) {
  const upcoming = season.list({ kind: "event", filter: { date: "upcoming" }, sort: "date_asc" });
  if (upcoming.length === 0) return season.records("event").length > 0 ? WORDS.noUpcomingEvents : "";
  const [next] = upcoming;
  const start = readDate(next.fields.start_date) ?? season.today;
  const days = start - season.today;
  const when = days < 0 ? WORDS.isOnNow : days === 0 ? WORDS.isToday : days === 1 ? WORDS.isTomorrow : WORDS.isInDays(days);
  const open = upcoming.filter((event) => !event.fields.registered && !event.fields.attended).length;
  return `${shortened(titleOf(next), 60)} ${when}. ${counted(upcoming.length, WORDS.upcomingEvent)}${open > 0 ? WORDS.notRegistered(open) : ""}.`;
}

/**
 * A card of an event (R041).
 * @param {App} app
 * @param {FamilyRecord} event
 * @param {{position: number, size: number}} place
 * @returns {import("../screen/html.js").Item}
 */
function card(app, event, { position, size }) {
  const { season } = app;
  const { fields } = event;
  const status = eventStatus(event);
  const type = labelOf(event, "type");
  const range = rangeText(fields.start_date, fields.end_date);
  const owner = season.athlete === undefined && season.athletes.length > 1 ? season.nameOf(event.athlete) : undefined;
  const school = season.schoolOf(event);
  const mayDelete = season.may("delete", "event", { record: event });
  const isWaiting = season.isWaiting(event.id);
  return {
    key: event.id,
    stamp: JSON.stringify([event.version, fields, owner, school, mayDelete, isWaiting, position, size]),
    make: () => {
      const title = titleOf(event);
      const heading = h("h3", null, link(`/events/${event.id}`, shortened(title, 60), { dir: "auto", "aria-label": `${title}, ${type}, ${range}, ${status.label}`, "data-act": "open" }));
      const time = [timeText(fields.start_time), timeText(fields.end_time)].filter((one) => one !== undefined).join(" – ");
      const place = [fields.location, fields.city, fields.state].filter((one) => one !== undefined).join(", ");
      const facts = [
        ["calendar", range], time && ["clock", time], fields.cost !== undefined && ["cost", fields.cost === "0.00" ? WORDS.free : `$${fields.cost}`], place && ["pin", place],
        school && ["school", school], owner && ["person", owner],
      ].filter((one) => one);
      return h("article.card", { "aria-posinset": position, "aria-setsize": size, tabindex: "-1" },
        h("div.badges", null, h(`span.badge.${fields.type ?? "unknown"}`, null, type), h(`span.badge.${status.word}`, null, status.label), isWaiting && h("span.badge.waiting", null, WORDS.waiting)),
        heading,
        h("ul.facts", null, facts.map((fact) => h("li", null, icon(/** @type {string[]} */ (fact)[0]), " ", h("span", { dir: "auto" }, /** @type {string[]} */ (fact)[1])))),
        fields.performance_notes && h("p.preview", { dir: "auto" }, shortened(fields.performance_notes, 120)),
        mayDelete && button("icon.danger.delete", icon("trash"), () => app.remove(event, WORDS.areYouSureYouWant, WORDS.deleted(shortened(title, 40))),
          { "aria-label": WORDS.delete(title), "data-act": "delete" }));
    },
  };
}

/**
 * @param {App} app
 * @param {string} [athlete] whose events; without it those of the open season. A former athlete's season cannot be opened.
 * @returns {Page}
 */
export function eventsPage(app, athlete) {
  const { season } = app;
  /** @type {any} */
  const filter = {};
  let search = "";
  /** @type {{date: number | undefined}} */
  const wanted = { date: undefined };
  const status = h("p.snippet", { role: "status" });
  const whose = h("p.notice", { hidden: athlete === undefined });
  const results = h("p.results", { role: "status" });
  const list = h("div.cards", { role: "feed", "aria-label": WORDS.events });
  const entries = new LongList(list);
  swipes(list);
  const nothing = h("div.nothing", null);
  const clear = button("icon", icon("close"), () => { searchField.value = ""; searched(); searchField.focus(); }, { "aria-label": WORDS.clearSearch, hidden: true });
  const searchField = /** @type {HTMLInputElement} */ (h("input", { type: "search", id: "events-search", placeholder: WORDS.nameDescriptionOrPlace, autocomplete: "off", on: { input: () => searched() } }));
  const types = [["", WORDS.all], ["camp", WORDS.camp], ["showcase", WORDS.showcase], ["visit", WORDS.visit], ["game", WORDS.game]];
  const pick = (/** @type {string} */ name, /** @type {string} */ value) => {
    if (value === "") delete filter[name];
    else filter[name] = value;
    update();
  };
  const type = choice(WORDS.type, "events-type", types, (value) => pick("type", value));
  const state = choice(WORDS.status, "events-status", [["", WORDS.all], ["registered", WORDS.registered], ["not_registered", WORDS.notRegistered2], ["attended", WORDS.attended]], (value) => pick("status", value));
  const date = choice(WORDS.date, "events-date", [["", WORDS.all], ["upcoming", WORDS.upcoming], ["past", WORDS.past], ["this_month", WORDS.thisMonth], ["next_month", WORDS.nextMonth]], (value) => pick("date", value));
  let held = "date_desc";
  try { held = SORTS.some(([word]) => word === localStorage.getItem("huddle-events-sort")) ? String(localStorage.getItem("huddle-events-sort")) : held; } catch { /* blocked storage */ }
  const sort = choice(WORDS.sort, "events-sort", SORTS, (value) => {
    try { localStorage.setItem("huddle-events-sort", value); } catch { /* blocked storage */ }
    update();
  }, held);
  const grid = new MonthGrid(season, {
    noun: WORDS.event,
    marked: (first, last) => season.covered("event", first, last).days,
    count: (first, last) => season.covered("event", first, last).count,
    chosen: (day) => {
      wanted.date = day;
      show(day);
    },
  });

  function searched() {
    search = searchField.value;
    clear.toggleAttribute("hidden", search === "");
    update();
  }

  function reset() {
    for (const name of Object.keys(filter)) delete filter[name];
    searchField.value = "";
    for (const one of [type, state, date]) one.select.value = "";
    searched();
  }

  /**
   * Shows the first event of a day.
   * @param {number} day
   */
  function show(day) {
    const events = matching();
    const place = events.findIndex((event) => covered([{ start: event.fields.start_date, end: event.fields.end_date }], day, day).size > 0);
    entries.reveal(place)?.focus({ preventScroll: true });
  }

  function matching() {
    return season.list({ kind: "event", athlete, filter, search: search.trim() === "" ? undefined : search, sort: sort.select.value });
  }

  function update() {
    const events = matching();
    if (athlete !== undefined) fill(whose, WORDS.theSeasonOf(season.nameOf(athlete)), link("/events", WORDS.showAllEvents));
    // The line has its room before the records are there, so that nothing moves when they come.
    status.classList.toggle("awaited", app.store.isLoading);
    status.textContent = timelineStatus(app);
    results.textContent = counted(events.length, WORDS.result);
    // A feed without an entry is not one (ARIA).
    list.hidden = events.length === 0;
    entries.show({ count: events.length, key: (place) => events[place].id, item: (place) => card(app, events[place], { position: place + 1, size: events.length }) });
    const mayCreate = season.mayCreate("event");
    add.toggleAttribute("hidden", !mayCreate);
    const isEmpty = events.length === 0 && season.list({ kind: "event", athlete }).length === 0;
    if (app.store.isLoading && isEmpty) skeleton(nothing);
    else if (events.length > 0) fill(nothing);
    else if (isEmpty) {
      fill(nothing, h("p.symbol", null, icon("calendar")), h("h2", null, WORDS.noEventsYet), h("p", null, WORDS.createYourFirstEventTo),
        mayCreate && link("/events/create", WORDS.addEvent, { class: "button primary" }));
    } else {
      fill(nothing, h("p.symbol", null, icon("filter")), h("h2", null, WORDS.noEventsMatchYourFilters), h("p", null, WORDS.tryAdjustingYourSearch), button("plain", WORDS.clearFilters, reset));
    }
  }

  /**
   * The event whose card has the focus; the person is told if there is none.
   * @param {(event: FamilyRecord) => void} act
   */
  function chosen(act) {
    const event = matching()[entries.focused];
    if (event) act(event);
    else app.toasts.show(WORDS.noEventIsSelectedPress);
  }

  const add = link("/events/create", WORDS.addEvent, { class: "button primary" });
  const pressed = (/** @type {{select: HTMLSelectElement}} */ { select }) => () => openSelect(select);
  /** @type {Map<string, () => void>} */
  const acts = new Map([
    ["event-next", () => entries.focus(entries.focused + 1)], ["event-previous", () => entries.focus(Math.max(0, entries.focused - 1))], ["event-search", () => searchField.focus()],
    ["filter-type", pressed(type)], ["filter-status", pressed(state)], ["filter-date", pressed(date)], ["event-sort", pressed(sort)], ["filter-clear", reset],
    ["month-next", () => grid.turn(1)], ["month-previous", () => grid.turn(-1)], ["month-today", () => grid.showToday()],
    ["event-edit", () => chosen((event) => { if (season.may("update", "event", { record: event })) app.router.go(`/events/${event.id}/edit`); })],
    ["event-attend", () => chosen((event) => { if (season.may("update", "event", { record: event }) && !event.fields.attended) interactionDialog(app, event, true); else app.toasts.show(WORDS.itIsMarkedAttended); })],
    ["event-delete", () => chosen((event) => { if (season.may("delete", "event", { record: event })) app.remove(event, WORDS.areYouSureYouWant, WORDS.deleted(shortened(titleOf(event), 40))); })],
  ]);
  let { setting } = season;
  update();
  return {
    title: WORDS.events,
    element: h("section.events", null,
      h("div.page-head", null, h("div", null, h("h1", null, WORDS.events), h("p.subtitle", null, WORDS.trackCampsShowcases)), add),
      whose, status,
      h("div.columns", null,
        h("div.side", null, grid.element),
        h("div.main", null,
          h("div.filters", { role: "search" },
            h("div.field.search", null, h("label", { for: "events-search" }, WORDS.search), h("div.with-clear", null, searchField, clear)), type.element, state.element, date.element),
          h("div.list-head", null, results, sort.element),
          list, nothing))),
    update: (ids) => {
      if (setting === season.setting && !season.concerns(ids, SHOWN)) return;
      setting = season.setting;
      grid.update();
      update();
    },
    get acts() {
      return season.mayCreate("event") ? new Map([...acts, ["event-add", () => app.router.go("/events/create")]]) : acts;
    },
    leave: () => entries.leave(),
    // The way back from an event leads to the same place of the same list.
    position: () => ({ search: searchField.value, filter: { ...filter }, month: grid.offset, ...entries.position }),
    restore: (position) => {
      searchField.value = position.search ?? "";
      for (const [name, one] of /** @type {[string, {select: HTMLSelectElement}][]} */ ([["type", type], ["status", state], ["date", date]])) {
        one.select.value = position.filter?.[name] ?? "";
        if (position.filter?.[name]) filter[name] = position.filter[name];
      }
      grid.turn(position.month ?? 0);
      searched();
      const place = matching().findIndex((event) => event.id === position.key);
      if (place >= 0) entries.reveal(place, position.top);
    },
  };
}
