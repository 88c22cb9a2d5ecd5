// One document: its versions, its file, with whom it is shared (R129, R149).
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { request, sentence } from "../sessions/account.js";
import { counted, instantText, sizeText } from "../words/dates.js";
import { WORDS } from "../words/document.js";
import { comments } from "./comments.js";
import { historyDialog } from "./history.js";
import { labelled } from "./event.js";
import { thumbnail, uploadDialog } from "./documents.js";
import { differing } from "./form.js";
import { labelOf, titleOf } from "./season.js";
import { formDialog } from "./submission.js";

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
  const school = /** @type {HTMLSelectElement} */ (h("select", { value: document_.fields.school_id ?? "" }, h("option", { value: "" }, WORDS.general), app.season.list({ kind: "school", sort: "name" }).map((one) => h("option", { value: one.id }, one.fields.name))));
  formDialog(app, WORDS.editDocument, {
    label: WORDS.save,
    content: [labelled(WORDS.title, title), labelled(WORDS.school, school), labelled(WORDS.description, description)],
    wanted: () => {
      if (title.value.trim() === "") {
        title.focus();
        return WORDS.titleIsRequired;
      }
      const now = app.season.find("document", document_.id) ?? document_;
      const changed = differing({ title: title.value.trim(), description: description.value.trim(), school_id: school.value }, document_.fields);
      return { operations: Object.keys(changed).length === 0 ? [] : [{ ...app.update(now, changed), base: Math.min(now.version, document_.version) }], done: WORDS.documentSaved };
    },
  });
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
  openDialog(WORDS.shareWithASchool, (close) => {
    if (schools.length === 0) return [h("p", null, WORDS.thereIsNoSchoolYet), h("div.buttons", null, button("primary", WORDS.close, close))];
    const place = h("div", null);
    place.append(h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          const answer = await request("POST", `/documents/${id}/shares`, { school: school.value, days: Number(days.value) });
          if (answer.status !== 201) { error.textContent = sentence(answer); return; }
          const url = location.origin + answer.content.url;
          const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: url, on: { focus: () => field.select() } }));
          fill(place, h("p", null, WORDS.sendThisLinkToThe), labelled(WORDS.link, field), h("div.buttons", null,
            navigator.clipboard && button("plain", WORDS.copy, () => navigator.clipboard.writeText(url).then(() => app.toasts.show(WORDS.theLinkIsCopied))), button("primary", WORDS.done, close)));
          field.focus();
          done();
        },
      },
    }, labelled(WORDS.school, school), labelled(WORDS.days, days, WORDS.afterSoManyDaysThe), error, h("div.buttons", null, button("plain", WORDS.cancel, close), h("button.primary", { type: "submit" }, WORDS.makeALink))));
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
  let isAway = false;

  async function load() {
    const answer = await request("GET", `/documents/${id}/shares`);
    isAway = answer.status === 0;
    links = answer.status === 200 ? answer.content.shares : undefined;
    showLinks();
  }

  function showLinks() {
    const document_ = season.find("document", id);
    if (!document_) return;
    const mayShare = season.may("update", "document", { record: document_ });
    const open = (links ?? []).filter((one) => one.ended_at === undefined && one.expires_at > Date.now());
    fill(shares, h("h2", null, WORDS.sharedWith),
      (document_.fields.shared_with_schools ?? []).length === 0 && h("p.hint", null, WORDS.notSharedWithASchool),
      h("ul", null, (document_.fields.shared_with_schools ?? []).map((/** @type {any} */ one) => {
        const share = open.find((each) => each.school === one.id);
        return h("li", null, h("strong", { dir: "auto" }, one.name ?? WORDS.school), share ? h("p.hint", null, WORDS.linkUntil(instantText(share.expires_at), counted(share.views, WORDS.view), counted(share.downloads, WORDS.download), share.last_opened_at ? WORDS.lastOpened(instantText(share.last_opened_at)) : "")) : (links || isAway) && h("p.hint", null, links ? WORDS.noOpenLink : WORDS.linksAreShownWhen),
          mayShare && share && button("plain", WORDS.endTheLink, async () => {
            if (!(await ask(WORDS.endThisLink, WORDS.canNoLongerOpenIt(one.name ?? WORDS.theSchool), { yes: WORDS.endIt, danger: true }))) return;
            const answer = await request("DELETE", `/documents/${id}/shares?share=${share.id}`);
            app.toasts.show(answer.status === 204 ? WORDS.theLinkIsEnded : sentence(answer));
            load();
          }));
      })),
      mayShare && h("p", null, button("plain", WORDS.shareWithASchoolPart, () => shareDialog(app, id, load))));
  }

  function update() {
    const document_ = season.find("document", id);
    talk.element.toggleAttribute("hidden", !document_);
    if (!document_) {
      const { isLoading } = app.store;
      if (isLoading) skeleton(body, "detail");
      else fill(body, h("h1", null, WORDS.documentNotFound), h("p", null, link("/documents", WORDS.returnToDocuments)));
      fill(shares);
      return;
    }
    const { fields } = document_;
    const mayEdit = season.may("update", "document", { record: document_ });
    const older = season.list({ kind: "document", athlete: document_.athlete }).filter((one) => one.id !== id && chainOf(app, one).has(id));
    fill(body,
      h("p", null, link("/documents", WORDS.backToDocuments)), h("div.badges", null, h("span.badge", null, labelOf(document_, "type")), h("span.badge", null, WORDS.version(fields.version ?? 1)), fields.is_current === false && h("span.badge", null, WORDS.anOlderVersion)),
      h("h1", { dir: "auto" }, titleOf(document_)), thumbnail(document_),
      h("dl.facts", null, [[WORDS.school, season.schoolOf(document_) ?? WORDS.general], [WORDS.file, fields.file_name], [WORDS.size, sizeText(fields.octets ?? 0)], [WORDS.athlete, season.nameOf(document_.athlete)], [WORDS.uploaded, WORDS.by(instantText(document_.created_at), season.nameOf(fields.uploaded_by ?? document_.created_by))]]
        .map(([label, value]) => h("div", null, h("dt", null, label), h("dd", { dir: "auto" }, value)))),
      fields.description && h("p.text", { dir: "auto" }, fields.description),
      h("div.buttons", null,
        h("a.button.primary", { href: `/documents/${id}`, download: fields.file_name ?? "document", "data-outside": true }, WORDS.download2),
        mayEdit && button("plain", WORDS.edit, () => editDialog(app, document_)), mayEdit && fields.is_current !== false && button("plain", WORDS.newVersion, () => uploadDialog(app, { replaces: document_ })),
        button("plain", WORDS.history, () => historyDialog(app, { kind: "document", id })),
        season.may("delete", "document", { record: document_ }) && button("danger", WORDS.delete, async () => {
          if (await app.remove(document_, WORDS.areYouSureYouWant, WORDS.deleted(titleOf(document_)))) app.router.go("/documents", { replace: true });
        })),
      older.length > 0 && h("section", null, h("h2", null, WORDS.otherVersions), h("ul", null, older.map((one) => h("li", null, link(`/documents/${one.id}/about`, WORDS.version(one.fields.version ?? 1)), ` ${instantText(one.created_at)}`)))));
    showLinks();
    talk.update();
  }

  update();
  load();
  return {
    title: WORDS.document, element: h("section.detail", null, body, shares, talk.element),
    update: () => {
      update();
      if (!isAway || app.store.engine.phase !== "live") return;
      isAway = false;
      load();
    },
  };
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
