// The audit log: who did what about sign-ins, rights, consents and copies of the family's data.
import { h, link } from "../screen/html.js";
import { auditText } from "../words/acts.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/audit.js";
import { pagedList } from "./answers.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */

/**
 * @param {App} app
 * @returns {Page}
 */
export function auditPage(app) {
  const { season } = app;
  const own = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "audit-own", on: { change: () => list.load() } }));
  const choice = h("div.check", { hidden: true }, own, h("label", { for: "audit-own" }, WORDS.onlyWhatIDidAnd));
  const list = pagedList(app, {
    label: WORDS.auditLog, nothing: WORDS.theAuditLogHasNo,
    ask: (before, limit) => ({ type: "audit", limit, ...(own.checked ? { own: true } : {}), ...(before === undefined ? {} : { before }) }),
    row: (entry) => h("li", null, h("p.hint", null, instantText(entry.at)), h("p", { dir: "auto" }, auditText(entry, (id) => season.nameOf(id)))),
  });
  const update = () => {
    choice.toggleAttribute("hidden", season.role !== "parent");
    list.update();
  };
  update();
  list.load();
  return {
    title: WORDS.auditLog, update,
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.backToSettings)), h("h1", null, WORDS.auditLog),
      h("p.subtitle", null, WORDS.signInsInvitesRoles), choice, list.element),
  };
}
