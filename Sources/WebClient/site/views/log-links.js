// The parts of the settings that lead to pages of their own: sign-ins, access and the audit log; calendar feeds and the family as a whole.
import { h, link } from "../screen/html.js";
import { WORDS as DELETION } from "../words/deletion.js";
import { WORDS as FEEDS } from "../words/feeds.js";

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
  return h("section", null, h("h2", null, "Who may do what, and who did what"), h("ul.rows", null,
    row("/settings/consent", "Sign-ins of members", "Consents for athletes of 13 to 17, birth dates, last days of guests"),
    season.role !== "guest" && row("/settings/access", "Access log", "Who opened an athlete's season or documents"),
    row("/settings/audit", "Audit log", "Sign-ins, invites, roles, consents, exports, and what the host did")));
}

/** @param {App} app */
export function wholeLinks({ season }) {
  return h("section", null, h("h2", null, "Calendars and the whole family"), h("ul.rows", null,
    row("/settings/calendars", FEEDS.link, FEEDS.linkHint),
    row("/settings/family", DELETION.title, season.role === "parent" ? DELETION.linkHint : DELETION.linkHintOther)));
}
