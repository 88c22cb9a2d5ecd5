// One document: its versions, its file, with whom it is shared (R129, R149).
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { counted, instantText, sizeText } from "../words/dates.js";
import { comments } from "./comments.js";
import { historyDialog } from "./history.js";
import { labelled } from "./event.js";
import { thumbnail, uploadDialog } from "./documents.js";
import { differing } from "./form.js";
import { labelOf, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/**
 * @param {App} app
 * @param {FamilyRecord} document_
 */
function editDialog(app, document_) {
  const title = /** @type {HTMLInputElement} */ (h("input", { maxlength: "255", value: document_.fields.title ?? "", dir: "auto" }));
  const description = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 3, value: document_.fields.description ?? "", dir: "auto" }));
  const school = /** @type {HTMLSelectElement} */ (h("select", { value: document_.fields.school_id ?? "" }, h("option", { value: "" }, "General"), app.season.list({ kind: "school", sort: "name" }).map((one) => h("option", { value: one.id }, one.fields.name))));
  const error = h("p.error", { role: "alert" });
  openDialog("Edit document", (close) => [h("form", {
    novalidate: true, on: {
      submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        if (title.value.trim() === "") { error.textContent = "Title is required"; title.focus(); return; }
        const now = app.season.find("document", document_.id) ?? document_;
        const changed = differing({ title: title.value.trim(), description: description.value.trim(), school_id: school.value }, document_.fields);
        if (Object.keys(changed).length > 0 && !app.perform([{ ...app.update(now, changed), base: Math.min(now.version, document_.version) }], "Document saved")) return;
        close();
      },
    },
  }, labelled("Title", title), labelled("School", school), labelled("Description", description), error, h("div.buttons", null, button("plain", "Cancel", close), h("button.primary", { type: "submit" }, "Save")))]);
}

/**
 * @param {App} app
 * @param {string} id
 * @param {() => void} done
 */
function shareDialog(app, id, done) {
  const schools = app.season.list({ kind: "school", sort: "name" });
  const school = /** @type {HTMLSelectElement} */ (h("select", null, schools.map((one) => h("option", { value: one.id }, one.fields.name))));
  const days = /** @type {HTMLInputElement} */ (h("input", { type: "number", min: "1", max: "365", value: "30" }));
  const error = h("p.error", { role: "alert" });
  openDialog("Share with a school", (close) => {
    if (schools.length === 0) return [h("p", null, "There is no school yet. Add one with an event first."), h("div.buttons", null, button("primary", "Close", close))];
    const place = h("div", null);
    place.append(h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          const answer = await request("POST", `/documents/${id}/shares`, { school: school.value, days: Number(days.value) });
          if (answer.status !== 201) { error.textContent = sentence(answer); return; }
          const url = location.origin + answer.content.url;
          const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: url, on: { focus: () => field.select() } }));
          fill(place, h("p", null, "Send this link to the coach. It is shown only now; it opens this document alone."), labelled("Link", field), h("div.buttons", null,
            navigator.clipboard && button("plain", "Copy", () => navigator.clipboard.writeText(url).then(() => app.toasts.show("The link is copied"))), button("primary", "Done", close)));
          field.focus();
          done();
        },
      },
    }, labelled("School", school), labelled("Days", days, "After so many days the link opens nothing."), error, h("div.buttons", null, button("plain", "Cancel", close), h("button.primary", { type: "submit" }, "Make a link"))));
    return [place];
  });
}

/**
 * @param {App} app
 * @param {string} id
 * @returns {Page}
 */
export function documentPage(app, id) {
  const { season } = app;
  const body = h("div.document-detail", null), shares = h("section", null);
  const talk = comments(app, { kind: "document", id });
  /** @type {any[] | undefined} */
  let links;

  async function load() {
    const answer = await request("GET", `/documents/${id}/shares`);
    links = answer.status === 200 ? answer.content.shares : undefined;
    showLinks();
  }

  function showLinks() {
    const document_ = season.find("document", id);
    if (!document_) return;
    const mayShare = season.may("update", "document", { record: document_ });
    const open = (links ?? []).filter((one) => one.ended_at === undefined && one.expires_at > Date.now());
    fill(shares, h("h2", null, "Shared with"),
      (document_.fields.shared_with_schools ?? []).length === 0 && h("p.hint", null, "Not shared with a school yet"),
      h("ul", null, (document_.fields.shared_with_schools ?? []).map((/** @type {any} */ one) => {
        const share = open.find((each) => each.school === one.id);
        return h("li", null, h("strong", { dir: "auto" }, one.name ?? "School"), share ? h("p.hint", null, `Link until ${instantText(share.expires_at)}, ${counted(share.views, "view")}, ${counted(share.downloads, "download")}${share.last_opened_at ? `, last opened ${instantText(share.last_opened_at)}` : ""}`) : h("p.hint", null, "No open link"),
          mayShare && share && button("plain", "End the link", async () => {
            if (!(await ask("End this link?", `${one.name ?? "The school"} can no longer open it.`, { yes: "End it", danger: true }))) return;
            const answer = await request("DELETE", `/documents/${id}/shares?share=${share.id}`);
            app.toasts.show(answer.status === 204 ? "The link is ended" : sentence(answer));
            load();
          }));
      })),
      mayShare && h("p", null, button("plain", "+ Share with a school", () => shareDialog(app, id, load))));
  }

  function update() {
    const document_ = season.find("document", id);
    talk.element.toggleAttribute("hidden", !document_);
    if (!document_) {
      const { isLoading } = app.store;
      fill(body, h("h1", null, isLoading ? "Loading …" : "Document not found"), h("p", null, link("/documents", "Return to Documents →")));
      fill(shares);
      return;
    }
    const { fields } = document_;
    const mayEdit = season.may("update", "document", { record: document_ });
    const older = season.list({ kind: "document", athlete: document_.athlete }).filter((one) => one.id !== id && chainOf(app, one).has(id));
    fill(body,
      h("p", null, link("/documents", "← Back to Documents")), h("div.badges", null, h("span.badge", null, labelOf(document_, "type")), h("span.badge", null, `Version ${fields.version ?? 1}`), fields.is_current === false && h("span.badge", null, "An older version")),
      h("h1", { dir: "auto" }, titleOf(document_)), thumbnail(document_),
      h("dl.facts", null, [["School", season.schoolOf(document_) ?? "General"], ["File", fields.file_name], ["Size", sizeText(fields.octets ?? 0)], ["Athlete", season.nameOf(document_.athlete)], ["Uploaded", `${instantText(document_.created_at)} by ${season.nameOf(fields.uploaded_by ?? document_.created_by)}`]]
        .map(([label, value]) => h("div", null, h("dt", null, label), h("dd", { dir: "auto" }, value)))),
      fields.description && h("p.text", { dir: "auto" }, fields.description),
      h("div.buttons", null,
        h("a.button.primary", { href: `/documents/${id}`, download: fields.file_name ?? "document", "data-outside": true }, "Download"),
        mayEdit && button("plain", "Edit", () => editDialog(app, document_)), mayEdit && fields.is_current !== false && button("plain", "New version", () => uploadDialog(app, { replaces: document_ })),
        button("plain", "History", () => historyDialog(app, { kind: "document", id })),
        season.may("delete", "document", { record: document_ }) && button("danger", "Delete", async () => {
          if (await app.remove(document_, "Are you sure you want to delete this document?", `${titleOf(document_)} deleted`)) app.router.go("/documents", { replace: true });
        })),
      older.length > 0 && h("section", null, h("h2", null, "Other versions"), h("ul", null, older.map((one) => h("li", null, link(`/documents/${one.id}/about`, `Version ${one.fields.version ?? 1}`), ` ${instantText(one.created_at)}`)))));
    showLinks();
    talk.update();
  }

  update();
  load();
  return { title: "Document", element: h("section.detail", null, body, shares, talk.element), update };
}

/**
 * The ids of all versions of a document.
 * @param {App} app
 * @param {FamilyRecord} document_
 * @returns {Set<string>}
 */
function chainOf(app, document_) {
  const all = app.season.records("document");
  const ids = new Set([document_.id]);
  for (let size = 0; size !== ids.size;) {
    size = ids.size;
    for (const one of all) {
      if (ids.has(one.id) && one.fields.replaces) ids.add(one.fields.replaces);
      if (one.fields.replaces && ids.has(one.fields.replaces)) ids.add(one.id);
    }
  }
  return ids;
}
