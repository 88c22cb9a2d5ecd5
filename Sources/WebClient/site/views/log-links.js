// The part of the settings that leads to the pages about sign-ins, access and the audit log.
import { h, link } from "../screen/html.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export function logLinks({ season }) {
  const row = (/** @type {string} */ path, /** @type {string} */ label, /** @type {string} */ text) => h("li", null, h("div", null, link(path, label), h("p.hint", null, text)));
  return h("section", null, h("h2", null, "Who may do what, and who did what"), h("ul.rows", null,
    row("/settings/consent", "Sign-ins of members", "Consents for athletes of 13 to 17, birth dates, last days of guests"),
    season.role !== "guest" && row("/settings/access", "Access log", "Who opened an athlete's season or documents"),
    row("/settings/audit", "Audit log", "Sign-ins, invites, roles, consents, exports, and what the host did")));
}
