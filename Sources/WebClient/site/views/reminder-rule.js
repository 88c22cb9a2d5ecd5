// When the member is reminded: one record of their own, for all their devices.
import { button, fill, h, link, refill } from "../screen/html.js";
import { reminderRuleOf } from "../family/permission.js";
import { areLeads, leadsOf, MOST_LEADS, USUAL } from "../family/reminder-rule.js";
import { contradiction } from "../family/rules.js";
import { WORDS } from "../words/reminder-rule.js";
import { labelled } from "./event.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {import("../family/reminder-rule.js").Leads} Leads */

/** The leads that the page offers; those of the member are added. */
const OFFERED = [0, 10, 30, 60, 120, 1440, 2880, 10080];
/** The same before the first midnight: 20:00, 18:00 and 09:00 of the day before, 18:00 two and seven days before. */
const OFFERED_DAYS = [240, 360, 900, 1800, 9000];

/**
 * The value of the field `leads` of what was chosen; undefined if all of it is usual.
 * @param {Leads} chosen
 * @returns {Leads | undefined}
 */
export function leadsField({ athletes, ...items }) {
  /** @type {Leads} */
  const leads = {};
  for (const [item, list] of Object.entries(items)) if (list && list.join() !== USUAL[item].join()) leads[/** @type {"event"} */ (item)] = list;
  const own = Object.entries(athletes ?? {}).filter(([, one]) => Object.keys(one).length > 0);
  if (own.length > 0) leads.athletes = Object.fromEntries(own);
  return Object.keys(leads).length > 0 ? leads : undefined;
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function reminderRulePage(app) {
  const { season, store } = app;
  const place = h("div", null);
  const record = () => store.engine.record(reminderRuleOf(season.self ?? ""));
  const held = () => { const found = record(); return found && found.deleted_at === undefined ? found : undefined; };

  /**
   * @param {string} id
   * @param {string} label
   * @param {boolean} checked
   */
  function box(id, label, checked) {
    const control = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: `reminder-${id}`, checked, "data-act": id }));
    return { control, element: h("div.check", null, control, h("label", { for: control.id }, label)) };
  }

  /**
   * The boxes of one list of leads.
   * @param {string} id
   * @param {string} label
   * @param {number[]} chosen
   * @param {boolean} isDay
   */
  function list(id, label, chosen, isDay) {
    const offered = [...new Set([...(isDay ? OFFERED_DAYS : OFFERED), ...chosen])].sort((one, other) => one - other);
    const boxes = offered.map((lead) => ({ lead, ...box(`${id}-${lead}`, isDay ? WORDS.day(lead) : WORDS.lead(lead), chosen.includes(lead)) }));
    return { label, boxes, read: () => boxes.filter((one) => one.control.checked).map((one) => one.lead), element: h("fieldset", null, h("legend", null, label), boxes.map((one) => one.element)) };
  }

  /**
   * The boxes of a list that holds for one athlete, or follows that of all.
   * @param {string} id
   * @param {string} label
   * @param {number[] | undefined} own
   * @param {number[]} usual
   * @param {boolean} isDay
   */
  function ownList(id, label, own, usual, isDay) {
    const asAll = box(`${id}-all`, WORDS.asAll, own === undefined);
    const part = list(id, label, own ?? usual, isDay);
    const rest = h("div", { hidden: own === undefined }, part.boxes.map((one) => one.element));
    asAll.control.addEventListener("change", () => { rest.hidden = asAll.control.checked; });
    return { label, read: () => (asAll.control.checked ? undefined : part.read()), element: h("fieldset", null, h("legend", null, label), asAll.element, rest) };
  }

  function show() {
    const now = held();
    const fields = now?.fields ?? {};
    const leads = /** @type {Leads} */ (areLeads(fields.leads) ? fields.leads : {});
    const isGuest = season.role === "guest";
    const on = box("on", WORDS.on, now ? fields.muted !== true : !isGuest);
    const calendar = box("calendar", WORDS.calendar, fields.calendar_reminds === true);
    const event = list("event", WORDS.event, leadsOf(leads, "event"), false);
    const item = list("item", WORDS.tripItem, leadsOf(leads, "trip_item"), false);
    const day = list("day", WORDS.allDay, leadsOf(leads, "all_day"), true);
    // With one athlete, all events are theirs.
    const athletes = (season.athletes.length > 1 ? season.athletes : season.athletes.filter((one) => leads.athletes?.[one.id])).map((one) => ({
      id: one.id,
      event: ownList(`event-${one.id}`, WORDS.ofAthlete(season.nameOf(one.id)), leads.athletes?.[one.id]?.event, leadsOf(leads, "event"), false),
      day: ownList(`day-${one.id}`, WORDS.ofAthleteAllDay(season.nameOf(one.id)), leads.athletes?.[one.id]?.all_day, leadsOf(leads, "all_day"), true),
    }));
    const from = /** @type {HTMLInputElement} */ (h("input", { type: "time", value: fields.quiet_from ?? "" }));
    const until = /** @type {HTMLInputElement} */ (h("input", { type: "time", value: fields.quiet_until ?? "" }));
    const error = h("p.error", { role: "alert" });

    function save() {
      const lists = [event, item, day, ...athletes.flatMap((one) => [one.event, one.day])];
      const long = lists.find((one) => (one.read() ?? []).length > MOST_LEADS);
      if (long) { error.textContent = WORDS.tooMany(long.label, MOST_LEADS); return; }
      /** @type {{[id: string]: {event?: number[], all_day?: number[]}}} */
      const own = {};
      // Leads for people who are no longer in the list stay.
      for (const [id, one] of Object.entries(leads.athletes ?? {})) if (!athletes.some((known) => known.id === id)) own[id] = one;
      for (const one of athletes) {
        const [timed, whole] = [one.event.read(), one.day.read()];
        own[one.id] = { ...(timed ? { event: timed } : {}), ...(whole ? { all_day: whole } : {}) };
      }
      const wanted = /** @type {{[field: string]: any}} */ ({
        muted: !on.control.checked, calendar_reminds: calendar.control.checked ? true : undefined,
        leads: leadsField({ event: event.read(), trip_item: item.read(), all_day: day.read(), athletes: own }),
        quiet_from: from.value || undefined, quiet_until: until.value || undefined,
      });
      const wrong = contradiction("reminder_rule", wanted);
      error.textContent = wrong?.message ?? "";
      if (wrong) { (wrong.field === "quiet_from" ? from : until).focus(); return; }
      const former = record();
      const changed = Object.entries(wanted).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(former?.fields[name]));
      if (!former) {
        app.perform([app.create("reminder_rule", Object.fromEntries(changed), { id: reminderRuleOf(season.self ?? "") })], WORDS.saved);
        return;
      }
      const update = app.update(former, Object.fromEntries(changed.map(([name, value]) => [name, value ?? null])));
      const isBack = former.deleted_at !== undefined;
      app.perform([...(isBack ? [{ op: /** @type {const} */ ("restore"), kind: former.kind, id: former.id, base: former.version }] : []), ...(changed.length > 0 ? [update] : [])], WORDS.saved);
    }

    const had = place.contains(document.activeElement);
    refill(place, h("form", { novalidate: true, on: { submit: (/** @type {Event} */ submitted) => { submitted.preventDefault(); save(); } } },
      isGuest && h("p.hint", null, WORDS.guest), on.element, calendar.element, event.element, item.element, day.element,
      athletes.flatMap((one) => [one.event.element, one.day.element]),
      h("fieldset", null, h("legend", null, WORDS.quiet), h("p.hint", null, WORDS.quietHint), labelled(WORDS.from, from), labelled(WORDS.until, until)),
      error, h("div.buttons", null,
        now && button("plain", WORDS.usual, () => { const last = held(); if (last) app.perform([{ op: "delete", kind: last.kind, id: last.id, base: last.version }], WORDS.usualDone); }, { "data-act": "usual" }),
        h("button.primary", { type: "submit", "data-act": "save" }, WORDS.save))));
    // The button that was pressed may be gone.
    if (had && document.activeElement === document.body) on.control.focus();
  }

  if (store.engine.phase === "live" && !store.engine.features.has("reminders")) fill(place, h("p", { role: "status" }, WORDS.unsupported));
  else show();
  return {
    title: WORDS.title,
    update: (ids) => { if (ids === undefined || ids.has(reminderRuleOf(season.self ?? ""))) show(); },
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.back)), h("h1", null, WORDS.title), h("p.subtitle", null, WORDS.subtitle), place),
  };
}
