// Reminders: what begins soon, above every page until a device of the member has seen it.
import { button, fill, h, link } from "../screen/html.js";
import { dateText, localText } from "../words/dates.js";
import { WORDS } from "../words/reminders.js";

/** @typedef {import("./app.js").App} App */
/**
 * As in the frame of the server.
 * @typedef {{kind: string, item: string, lead: number, start: number, when: string, state: string, title: string, body: string}} Reminder
 */

/** How many are shown at once. */
const SHOWN = 3;

/** @param {{item: string, lead: number, start: number}} one */
const nameOf = ({ item, lead, start }) => `${item} ${lead} ${start}`;

/**
 * The banner with the reminders that no device has seen, the newest first.
 * @param {App} app
 */
export function reminderBanner(app) {
  /** @type {Map<string, Reminder>} */
  const held = new Map();
  const element = h("div.banner.reminders", { role: "status", "aria-label": WORDS.label });

  /** @param {Reminder} one */
  const see = (one) => {
    held.delete(nameOf(one));
    app.store.seeReminder(one);
    show();
  };

  /** @param {Reminder} one */
  const address = (one) => {
    const trip = one.kind === "trip_item" ? app.store.engine.record(one.item)?.fields.trip_id : undefined;
    return one.kind === "event" ? `/events/${one.item}` : trip ? `/trips/${trip}` : "/trips";
  };

  /** @param {Reminder} one */
  const row = (one) => {
    const state = one.state === "late" ? WORDS.late : one.state === "missed" ? WORDS.missed : undefined;
    const when = one.when.includes("T") ? localText(one.when) : dateText(one.when);
    return h("p", null, h("span", { dir: "auto" }, [state, one.title, when, one.body].filter((part) => part !== undefined).join(" · ")), " ",
      link(address(one), WORDS.show), " ", button("plain", WORDS.seen, () => see(one)));
  };

  function show() {
    const all = [...held.values()].reverse();
    fill(element, all.slice(0, SHOWN).map(row), all.length > SHOWN && h("p", null, WORDS.more(all.length - SHOWN)));
  }

  app.store.listen((_, notes) => {
    let isChanged = false;
    for (const note of notes) {
      // The server sends those again that no device has seen.
      if (note.notify === "joined") held.clear();
      else if (note.notify === "reminder") held.set(nameOf(note.frame), note.frame);
      else if (note.notify === "reminder_seen") held.delete(nameOf(note.frame));
      else continue;
      isChanged = true;
    }
    if (isChanged) show();
  });
  return element;
}
