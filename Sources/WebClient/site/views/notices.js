// What concerns the person, above each page: a recovery of their sign-in, a mail that failed, athletes for whom a parent should act.
import { button, h, link } from "../screen/html.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/notices.js";
import { isDue } from "./consent.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./consent.js").Standing} Standing */
/** @typedef {{key: string, text: string, path: string}} Notice */

/** The notices that the person has hidden on this device, by their keys. */
export const HIDDEN = "huddle-hidden-notices";
const MOST_HIDDEN = 50;
const MOST_SHOWN = 5;
const WAYS = { code: WORDS.aRecoveryCode, parent: WORDS.aCodeOfAParent, mail: WORDS.aMailedCode, host: WORDS.aCodeOfTheHost };

/**
 * The notice about what has happened; undefined for everything else.
 * @param {any} note
 * @returns {Notice | undefined}
 */
export function noticeOf(note) {
  if (note.notify === "recovered") {
    const way = WAYS[/** @type {keyof typeof WAYS} */ (note.way)] ?? WORDS.aRecoveryCode;
    return { key: `recovered.${note.at}`, text: WORDS.recovered(way, instantText(note.at)), path: "/settings" };
  }
  if (note.notify !== "mail_failed") return undefined;
  const reason = note.problem === "late" ? WORDS.wasTooLate : WORDS.wasRefused;
  const text = note.kind === "invite" ? WORDS.inviteMail(note.address, reason) : WORDS.mail(note.address, reason);
  return { key: `mail.${note.kind}.${note.invite ?? note.address}.${note.problem}`, text, path: "/settings" };
}

/**
 * The notice about athletes for whom a parent should act; undefined if there are none.
 * @param {Standing[]} standings
 * @param {(member: string) => string} nameOf
 * @returns {Notice | undefined}
 */
export function dueNotice(standings, nameOf) {
  const due = standings.filter(isDue);
  if (due.length === 0) return undefined;
  const names = due.map((one) => nameOf(one.member)).join(WORDS.between);
  return { key: `due.${due.map((one) => one.member + one.state).join()}`, text: WORDS.oldEnough(names), path: "/settings/consent" };
}

/** @returns {string[]} */
function hidden() {
  try {
    const keys = JSON.parse(localStorage.getItem(HIDDEN) ?? "[]");
    return Array.isArray(keys) ? keys : [];
  } catch {
    return [];
  }
}

/**
 * The notices that every page has.
 * @param {App} app
 */
export function noticeBanners(app) {
  const { store } = app;
  const element = h("div.notices", { role: "status" });
  /** Those that this page has had, by their keys: a notice comes again with each connection. @type {Map<string, HTMLElement>} */
  const known = new Map();
  /** @type {Standing[]} */
  let standings = [];
  /** @type {string | undefined} */
  let due;

  /** @param {Notice} notice */
  function show({ key, text, path }) {
    if (known.has(key) || hidden().includes(key)) return;
    const banner = h("div.banner.ending", null, h("span", null, text), link(path, WORDS.act), button("plain", WORDS.hide, () => {
      banner.remove();
      if (app.isBrief) return;
      try {
        localStorage.setItem(HIDDEN, JSON.stringify([...hidden(), key].slice(-MOST_HIDDEN)));
      } catch {
        // Blocked storage: it is shown again with the next page.
      }
    }));
    known.set(key, banner);
    element.append(banner);
    if (element.childElementCount > MOST_SHOWN) element.firstElementChild?.remove();
  }

  function showDue() {
    const notice = app.season.role === "parent" ? dueNotice(standings, (member) => app.season.nameOf(member)) : undefined;
    if (notice?.key === due) return;
    if (due !== undefined) {
      known.get(due)?.remove();
      known.delete(due);
    }
    due = notice?.key;
    if (notice) show(notice);
  }

  function ask() {
    if (app.season.role !== "parent" || store.engine.phase !== "live" || !store.engine.features.has("consent")) return;
    // The answer is a note, as the answers to other pages are.
    store.ask((request) => ({ type: "standings", request })).catch(() => undefined);
  }

  store.listen((_, notes) => {
    for (const note of notes) {
      const notice = noticeOf(note);
      if (notice) show(notice);
      if (note.notify === "answer" && note.frame.type === "standings") standings = note.frame.standings;
      else if (note.notify === "answer" && note.frame.type === "standing") standings = standings.map((one) => (one.member === note.frame.standing.member ? note.frame.standing : one));
      else if (note.notify === "live" || (note.notify === "answer" && note.frame.type === "invite") || (note.notify === "change" && note.change?.entries.some((/** @type {any} */ entry) => entry.kind === "member"))) ask();
      else continue;
      showDue();
    }
  });
  return element;
}
