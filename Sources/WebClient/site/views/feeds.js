// Calendar feeds: the member's own, what each shows and when it was read; adding, changing and removing one.
import { instantOf, localAt } from "../dates/zones.js";
import { readDate, writeDate } from "../dates/calendar.js";
import { ask, openDialog } from "../screen/dialog.js";
import { codePictures } from "../screen/code.js";
import { button, fill, h, link, refill } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { newId, nonce } from "../sessions/ids.js";
import { dayText, instantText, ownZone } from "../words/dates.js";
import { WORDS } from "../words/feeds.js";
import { Refusal } from "../wire/rejections.js";
import { unanswered } from "./answers.js";
import { confirmDialog } from "./confirm.js";
import { labelled } from "./event.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/**
 * What a feed shows (proto/calendars.md): one of `mine`, `athlete`, `trip` and `all`; what is left out has its usual value.
 * @typedef {{name: string, mine?: string[], athlete?: string, trip?: string, all?: true, kinds?: string[], detail?: "full" | "busy", alarms?: boolean, expires_at?: number}} Settings
 */
/** @typedef {Settings & {id: string, created_at: number, fetches: number, fetched_at?: number, program?: string}} Feed */

/** The feeds of a member (proto/limits.json does not have it). */
const MOST = 20;
const KINDS = ["event", "trip_item", "trip"];
const USUAL_KINDS = ["event", "trip_item"];
const DAY = 1440;

/**
 * The settings of a feed, all of them, as `change_calendar` has them.
 * @param {Feed} feed
 * @returns {Settings}
 */
export function settingsOf({ name, mine, athlete, trip, all, kinds, detail, alarms, expires_at }) {
  return {
    name, ...(mine ? { mine } : athlete ? { athlete } : trip ? { trip } : { all }), ...(kinds ? { kinds } : {}), ...(detail ? { detail } : {}), ...(alarms === undefined ? {} : { alarms }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
}

/**
 * The addresses of a feed: for programs, and for the calendar of this device.
 * @param {string} origin
 * @param {string} token
 */
export function addressesOf(origin, token) {
  const address = `${origin}/feeds/${token}.ics`;
  return { address, subscription: address.replace(/^https?:/, "webcal:") };
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function feedsPage(app) {
  const { season, store } = app;
  const list = h("ul.rows", { "aria-label": WORDS.title }), state = h("div.nothing", null), add = h("div.buttons", null);
  /** @type {Feed[] | undefined} */
  let feeds;
  let isWaiting = false;
  const zone = () => store.engine.timeZone ?? ownZone();

  async function load() {
    if (store.engine.phase === "live" && !store.engine.features.has("calendars")) return fill(state, h("p", { role: "status" }, WORDS.unsupported));
    if (!feeds) skeleton(state);
    try {
      show((await store.ask((request) => ({ type: "calendars", request }))).calendars);
    } catch (error) {
      isWaiting = store.engine.phase !== "live";
      if (feeds && isWaiting) return undefined;
      fill(state, h("p.problem", { role: "alert" }, isWaiting ? WORDS.offline : unanswered(error)), !isWaiting && button("plain", WORDS.tryAgain, load));
    }
    return undefined;
  }

  /** @param {Feed[]} all */
  function show(all) {
    feeds = all;
    isWaiting = false;
    refill(list, all.map(row));
    fill(state, all.length === 0 && [h("h2", null, WORDS.none), h("p.hint", null, WORDS.noneHint)]);
    const isFull = all.length >= MOST;
    refill(add, isFull ? h("p.hint", null, WORDS.full(MOST)) : button("primary", WORDS.add, () => feedDialog(), { "data-act": "add" }));
  }

  /** @param {Feed} feed */
  function row(feed) {
    const kinds = feed.kinds ?? USUAL_KINDS;
    const parts = [
      scopeText(feed), kinds.join() === USUAL_KINDS.join() ? undefined : WORDS.and(kinds.map((kind) => WORDS.kinds[kind] ?? kind)), feed.detail === "busy" && WORDS.busy, feed.alarms === false && WORDS.silent,
      feed.expires_at !== undefined && WORDS.until(dayText(lastDayOf(feed.expires_at))),
    ];
    return h("li", null,
      h("div", null, h("strong", { dir: "auto" }, feed.name), h("p.hint", { dir: "auto" }, WORDS.list(/** @type {string[]} */ (parts.filter((part) => part)))),
        h("p.hint", { dir: "auto" }, feed.fetched_at === undefined ? WORDS.unread : WORDS.read(feed.fetches, instantText(feed.fetched_at), feed.program ?? ""))),
      h("div.actions", null,
        button("plain", WORDS.change, () => feedDialog(feed), { "aria-label": WORDS.changeLabel(feed.name), "data-act": `change ${feed.id}` }),
        button("danger", WORDS.remove, () => remove(feed), { "aria-label": WORDS.removeLabel(feed.name), "data-act": `remove ${feed.id}` })));
  }

  /** @param {Settings} feed */
  function scopeText({ mine, athlete, trip }) {
    if (mine && mine.length > 0) return WORDS.someSeasons(WORDS.names(mine.map((id) => season.nameOf(id))));
    if (mine) return season.role === "athlete" ? WORDS.choiceOwn : WORDS.choiceAllSeasons;
    if (athlete) return WORDS.choiceAthlete(season.nameOf(athlete));
    if (!trip) return WORDS.choiceAll;
    const record = season.find("trip", trip);
    return record ? WORDS.choiceTrip(titleOf(record)) : WORDS.goneTrip;
  }

  /**
   * The last whole day of a feed, in the family's zone.
   * @param {number} end
   */
  function lastDayOf(end) {
    return Math.floor((localAt(zone(), end - 1) ?? Math.floor((end - 1) / 60_000)) / DAY);
  }

  /**
   * The choices of what a feed shows, those of the past trips left out.
   * @param {Feed | undefined} feed
   * @returns {string[][]}
   */
  function choices(feed) {
    const today = writeDate(season.today) ?? "";
    const trips = season.records("trip").filter((trip) => trip.id === feed?.trip || (trip.fields.end_date ?? "") >= today)
      .sort((one, other) => (one.fields.start_date < other.fields.start_date ? -1 : 1));
    const { athletes } = season;
    return [
      ["mine", season.role === "athlete" ? WORDS.choiceOwn : WORDS.choiceAllSeasons],
      ...(season.role !== "athlete" && (athletes.length > 1 || (feed?.mine ?? []).length > 0) ? [["some", WORDS.choiceSomeSeasons]] : []),
      ...athletes.filter((one) => one.id !== season.self).map((one) => [`athlete:${one.id}`, WORDS.choiceAthlete(season.nameOf(one.id))]),
      ...trips.map((trip) => [`trip:${trip.id}`, WORDS.choiceTrip(titleOf(trip))]),
      ["all", WORDS.choiceAll],
    ];
  }

  /**
   * Makes a feed, or changes one.
   * @param {Feed} [feed]
   */
  function feedDialog(feed) {
    const error = h("p.error", { role: "alert" });
    const name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "60", dir: "auto", value: feed?.name ?? store.engine.familyName ?? "" }));
    const box = (/** @type {string} */ id, /** @type {boolean} */ checked, /** @type {string} */ label, type = "checkbox", /** @type {string | undefined} */ group = undefined) => {
      const control = /** @type {HTMLInputElement} */ (h("input", { type, id: `feed-${id}`, name: group, checked }));
      return { control, element: h("div.check", null, control, h("label", { for: control.id }, label)) };
    };
    const isSome = feed?.mine !== undefined && feed.mine.length > 0;
    const scope = /** @type {HTMLSelectElement} */ (h("select", {
      value: feed === undefined || feed.mine ? (isSome ? "some" : "mine") : feed.athlete ? `athlete:${feed.athlete}` : feed.trip ? `trip:${feed.trip}` : "all", on: { change: () => { seasons.hidden = scope.value !== "some"; } },
    }, choices(feed).map(([value, label]) => h("option", { value }, label))));
    const chosen = season.athletes.map((one) => ({ id: one.id, ...box(one.id, feed?.mine?.includes(one.id) ?? false, season.nameOf(one.id)) }));
    const seasons = h("fieldset", { hidden: !isSome }, h("legend", null, WORDS.seasons), chosen.map((one) => one.element));
    const kinds = KINDS.map((kind) => ({ kind, ...box(kind, (feed?.kinds ?? USUAL_KINDS).includes(kind), WORDS.kindChoices[kind]) }));
    const full = box("full", feed?.detail !== "busy", WORDS.detailFull, "radio", "feed-detail"), busy = box("busy", feed?.detail === "busy", WORDS.detailBusy, "radio", "feed-detail");
    const alarms = box("alarms", feed?.alarms ?? true, WORDS.alarms);
    const lastDay = /** @type {HTMLInputElement} */ (h("input", { type: "date", value: feed?.expires_at === undefined ? "" : writeDate(lastDayOf(feed.expires_at)) ?? "" }));
    // Drawn once per form, so that a lost answer makes no second feed.
    const id = newId(), secret = nonce();

    /** @returns {Settings | string} the sentence of what is missing */
    function settings() {
      const shown = name.value.trim();
      if (shown === "") { name.focus(); return WORDS.nameRequired; }
      const [word, about] = scope.value.split(":");
      const mine = word === "some" ? chosen.filter((one) => one.control.checked).map((one) => one.id) : [];
      if (word === "some" && mine.length === 0) { chosen[0]?.control.focus(); return WORDS.seasonRequired; }
      const wanted = kinds.filter((one) => one.control.checked).map((one) => one.kind);
      if (wanted.length === 0) { kinds[0].control.focus(); return WORDS.kindRequired; }
      const day = readDate(lastDay.value);
      const end = day === undefined ? undefined : instantOf(zone(), (day + 1) * DAY) ?? (day + 1) * DAY * 60_000;
      return {
        name: shown, ...(word === "athlete" ? { athlete: about } : word === "trip" ? { trip: about } : word === "all" ? { all: true } : { mine }),
        kinds: wanted, detail: busy.control.checked ? "busy" : "full", alarms: alarms.control.checked, ...(end === undefined ? {} : { expires_at: end }),
      };
    }

    openDialog(feed ? WORDS.changeTitle(feed.name) : WORDS.addTitle, (close) => {
      const submit = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, feed ? WORDS.save : WORDS.make));

      async function send() {
        const wanted = settings();
        error.textContent = typeof wanted === "string" ? wanted : "";
        if (typeof wanted === "string" || submit.disabled) return;
        submit.disabled = true;
        try {
          const answer = await store.ask((request) => (feed ? { type: "change_calendar", request, id: feed.id, ...wanted } : { type: "add_calendar", request, id, nonce: secret, ...wanted }));
          close();
          show(answer.calendars);
          if (feed) app.toasts.show(WORDS.changed, { label: WORDS.undo, act: () => restore(feed) });
          else addressDialog(wanted.name, answer.token);
        } catch (refusal) {
          if (refusal instanceof Refusal && refusal.rejection.code === "confirm_first") confirmDialog(app, send);
          else error.textContent = unanswered(refusal);
        } finally {
          submit.disabled = false;
        }
      }

      return [h("form", { novalidate: true, on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); send(); } } },
        labelled(WORDS.name, name, WORDS.nameHint), labelled(WORDS.shows, scope), seasons,
        h("fieldset", null, h("legend", null, WORDS.entries), kinds.map((one) => one.element)),
        h("fieldset", null, h("legend", null, WORDS.detail), full.element, busy.element), alarms.element,
        labelled(WORDS.lastDay, lastDay, WORDS.lastDayHint), error,
        h("div.buttons", null, button("plain", WORDS.cancel, close), submit))];
    });
  }

  /**
   * Gives a feed its former settings back.
   * @param {Feed} feed
   */
  async function restore(feed) {
    try {
      show((await store.ask((request) => ({ type: "change_calendar", request, id: feed.id, ...settingsOf(feed) }))).calendars);
      app.toasts.show(WORDS.undone);
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.rejection.code === "confirm_first") confirmDialog(app, () => restore(feed));
      else app.toasts.show(unanswered(refusal));
    }
  }

  /**
   * Shows the address, which the server does not know any more.
   * @param {string} name
   * @param {string} token
   */
  function addressDialog(name, token) {
    const { address, subscription } = addressesOf(location.origin, token);
    const codes = codePictures([[subscription, WORDS.codeOfSubscription], [address, WORDS.codeOfAddress]]);
    const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: address, dir: "ltr", on: { focus: () => field.select() } }));
    openDialog(WORDS.addressTitle(name), (close) => [
      h("p", null, WORDS.secret), labelled(WORDS.address, field),
      h("div.buttons", null, h("a.button.primary", { href: subscription, "data-outside": true }, WORDS.subscribe),
        navigator.clipboard && button("plain", WORDS.copy, () => { navigator.clipboard.writeText(address).then(() => app.toasts.show(WORDS.copied), () => field.focus()); })),
      codes, location.protocol !== "https:" && h("p.notice", null, WORDS.near),
      h("div", null, WORDS.programs.map((one) => h("details", null, h("summary", null, one.name), h("p", null, one.text)))),
      h("div.buttons", null, button("plain", WORDS.done, close)),
    ], { wide: true, closed: () => /** @type {HTMLElement | null} */ (add.querySelector("button"))?.focus() });
    field.focus();
  }

  /** @param {Feed} feed */
  async function remove(feed) {
    if (!(await ask(WORDS.removeTitle(feed.name), WORDS.removeText, { yes: WORDS.remove, danger: true }))) return;
    try {
      show((await store.ask((request) => ({ type: "remove_calendar", request, id: feed.id }))).calendars);
      app.toasts.show(WORDS.removed(feed.name));
      /** @type {HTMLElement | null} */ (add.querySelector("button"))?.focus();
    } catch (error) {
      app.toasts.show(unanswered(error));
    }
  }

  load();
  return {
    title: WORDS.title,
    update: (ids) => {
      if (isWaiting && store.engine.phase === "live") { isWaiting = false; load(); } else if (feeds && (ids === undefined || ids.size > 0)) show(feeds);
    },
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.back)), h("h1", null, WORDS.title), h("p.subtitle", null, WORDS.subtitle),
      season.role === "parent" && h("p.hint", null, WORDS.forChildren), add, list, state),
  };
}
