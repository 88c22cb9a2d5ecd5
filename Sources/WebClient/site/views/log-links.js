// The parts of the settings that lead to pages of their own: sign-ins, access and the audit log; calendar feeds and the family as a whole.
import { h, link } from "../screen/html.js";
import { WORDS as TEXTS } from "../words/log-links.js";
import { WORDS as DELETION } from "../words/deletion.js";
import { WORDS as FEEDS } from "../words/feeds.js";
import { WORDS as REMINDERS } from "../words/reminder-rule.js";

/** @typedef {import("./app.js").App} App */

/**
 * @param {string} path
 * @param {string} label
 * @param {string} text
 */
function row(path, label, text) {
  return h("li", null, h("div", null, link(path, label), h("p.hint", null, text)));
}

/** @param {App} app */
export function logLinks({ season }) {
  return h("section", null, h("h2", null, TEXTS.whoMayDoWhatAnd), h("ul.rows", null,
    row("/settings/consent", TEXTS.signInsOfMembers, TEXTS.consentsForAthletesOf13),
    season.role !== "guest" && row("/settings/access", TEXTS.accessLog, TEXTS.whoOpenedAnAthletes),
    row("/settings/audit", TEXTS.auditLog, TEXTS.signInsInvitesRoles)));
}

/** @param {App} app */
export function wholeLinks({ season }) {
  return h("section", null, h("h2", null, TEXTS.calendarsAndTheWhole), h("ul.rows", null,
    row("/settings/calendars", FEEDS.link, FEEDS.linkHint),
    row("/settings/reminders", REMINDERS.link, REMINDERS.linkHint),
    row("/settings/family", DELETION.title, season.role === "parent" ? DELETION.linkHint : DELETION.linkHintOther)));
}
