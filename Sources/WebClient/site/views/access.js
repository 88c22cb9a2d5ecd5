// The access log: who looked at an athlete's season and documents.
import { h, link } from "../screen/html.js";
import { instantText } from "../words/dates.js";
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
    label: "Access log", nothing: "No one has viewed it yet.",
    ask: (before, limit) => ({ type: "access_log", limit, ...(before === undefined ? {} : { before }) }),
    row: (entry) => {
      const whose = season.nameOf(entry.athlete);
      const record = entry.record === undefined ? undefined : app.store.engine.record(entry.record);
      const isOperator = entry.member === app.store.engine.family;
      const what = entry.what === "document" ? [`opened a document of ${whose}`, record && [": ", record.deleted_at === undefined ? link(`/documents/${record.id}/about`, titleOf(record), { dir: "auto" }) : titleOf(record)]]
        : entry.what === "export" ? `exported what is ${whose}'s` : `looked at ${whose}'s season`;
      return h("li", null, h("p.hint", null, instantText(entry.at)), h("p", { dir: "auto" }, h("strong", null, isOperator ? "The host" : season.nameOf(entry.member)), " ", what));
    },
  });
  list.load();
  return {
    title: "Access log", update: list.update,
    element: h("section.log-page", null, h("p", null, link("/settings", "← Back to Settings")), h("h1", null, "Access log"),
      h("p.subtitle", null, "Who opened an athlete's season or documents. Athletes see their own; parents see those of athletes whose records they may edit."), list.element),
  };
}
