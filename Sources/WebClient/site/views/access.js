// The access log: who looked at an athlete's season and documents.
import { h, link } from "../screen/html.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/access.js";
import { pagedList } from "./answers.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */

/**
 * @param {App} app
 * @returns {Page}
 */
export function accessPage(app) {
  const { season } = app;
  const list = pagedList(app, {
    label: WORDS.accessLog, nothing: WORDS.noOneHasViewedIt,
    ask: (before, limit) => ({ type: "access_log", limit, ...(before === undefined ? {} : { before }) }),
    row: (entry) => {
      const whose = season.nameOf(entry.athlete);
      const record = entry.record === undefined ? undefined : app.store.engine.record(entry.record);
      const isOperator = entry.member === app.store.engine.family;
      const what = entry.what === "document" ? [WORDS.openedADocumentOf(whose), record && [": ", record.deleted_at === undefined ? link(`/documents/${record.id}/about`, titleOf(record), { dir: "auto" }) : titleOf(record)]]
        : entry.what === "export" ? WORDS.exportedWhatIsS(whose) : WORDS.lookedAtSSeason(whose);
      return h("li", null, h("p.hint", null, instantText(entry.at)), h("p", { dir: "auto" }, h("strong", null, isOperator ? WORDS.theHost : season.nameOf(entry.member)), " ", what));
    },
  });
  list.load();
  return {
    title: WORDS.accessLog, update: list.update,
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.backToSettings)), h("h1", null, WORDS.accessLog),
      h("p.subtitle", null, WORDS.whoOpenedAnAthletes), list.element),
  };
}
