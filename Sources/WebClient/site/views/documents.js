// Documents: grid and list, statistics, filters, uploads (R118–R149).
import { KINDS } from "../family/kinds.js";
import { EXTENSIONS, fileProblem, Uploads } from "../documents/uploads.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, keyed, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { LongList } from "../screen/longlist.js";
import { skeleton } from "../screen/skeleton.js";
import { swipes } from "../screen/swipe.js";
import { counted, dayText, instantText, sizeText } from "../words/dates.js";
import { WORDS } from "../words/documents.js";
import { choicesOf, labelled } from "./event.js";
import { choice } from "./events.js";
import { labelOf, shortened, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

export const ICONS = /** @type {{[type: string]: string}} */ ({ highlight_video: "video", transcript: "document", resume: "person", rec_letter: "letter", questionnaire: "form", stats_sheet: "chart" });
/** The kinds that the page shows something of. */
const SHOWN = ["document", "school", "member"];
const SORTS = [["newest", WORDS.newest], ["oldest", WORDS.oldest], ["name", WORDS.name], ["type", WORDS.type], ["most_shared", WORDS.mostShared]];

/** The uploads of this tab, whatever page is open. */
export const uploads = new Uploads();

addEventListener("beforeunload", (event) => { if (uploads.isBusy) event.preventDefault(); });

/**
 * The small picture of a document, or the sign of its type.
 * @param {FamilyRecord} document_
 */
export function thumbnail(document_) {
  const sign = icon(ICONS[document_.fields.type] ?? "document");
  const place = h("span.thumbnail", null, sign);
  if (document_.version === 0 || !["highlight_video", "transcript", "resume", "rec_letter", "questionnaire"].includes(document_.fields.type)) return place;
  const image = h("img", { src: `/documents/${document_.id}/thumbnail`, alt: "", loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.remove());
  image.addEventListener("load", () => sign.remove());
  place.append(image);
  return place;
}

/**
 * The dialog that uploads a file, or a new version of a document.
 * @param {App} app
 * @param {{replaces?: FamilyRecord, file?: File, rest?: File[], like?: {athlete: string, type: string, school: string}}} options `rest`: files that were dropped with
 *   it, each of which gets its own dialog; `like`: what the last one was
 */
export async function uploadDialog(app, { replaces, file: dropped, rest = [], like } = {}) {
  const athlete = like?.athlete ?? replaces?.athlete ?? (await app.owner(WORDS.document));
  if (athlete === undefined) return;
  const type = /** @type {HTMLSelectElement} */ (h("select", { value: like?.type ?? replaces?.fields.type ?? "" }, choicesOf("document", "type", WORDS.selectAType)));
  const title = /** @type {HTMLInputElement} */ (h("input", { maxlength: "255", value: replaces?.fields.title ?? "", dir: "auto" }));
  const school = /** @type {HTMLSelectElement} */ (h("select", { value: like?.school ?? replaces?.fields.school_id ?? "" }, h("option", { value: "" }, WORDS.general), app.season.list({ kind: "school", sort: "name" }).map((one) => h("option", { value: one.id }, one.fields.name))));
  const description = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 3, value: replaces?.fields.description ?? "", dir: "auto" }));
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "file" }));
  const error = h("p.error", { role: "alert" });
  /** @type {File | undefined} */
  let file = dropped;
  const name = h("p.hint", { dir: "auto" }, file?.name ?? "");
  openDialog(replaces ? WORDS.newVersionOf(titleOf(replaces)) : WORDS.uploadDocument, (close) => {
    const go = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, WORDS.upload));
    const check = () => {
      input.accept = (EXTENSIONS[type.value] ?? []).map((one) => `.${one}`).join(",");
      const label = KINDS.document.fields.find((one) => one.name === "type")?.labels?.[[...type.options].findIndex((one) => one.value === type.value) - 1] ?? WORDS.thisType;
      const problem = file && type.value !== "" ? fileProblem(file, type.value, label) : undefined;
      error.textContent = problem ?? "";
      go.disabled = !file || type.value === "" || title.value.trim() === "" || problem !== undefined;
    };
    input.addEventListener("change", () => {
      file = input.files?.[0];
      name.textContent = file ? `${file.name}, ${sizeText(file.size)}` : "";
      if (file && title.value === "") title.value = file.name.replace(/\.[^.]*$/, "").replaceAll("_", " ");
      check();
    });
    if (file && title.value === "") title.value = file.name.replace(/\.[^.]*$/, "").replaceAll("_", " ");
    for (const one of [type, title]) one.addEventListener("input", check);
    check();
    return [h("form", {
      novalidate: true, on: {
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          if (go.disabled || !file) return;
          uploads.add(file, {
            family: app.store.engine.family ?? "", athlete, type: type.value, title: title.value.trim(), filename: file.name,
            ...(school.value ? { school_id: school.value } : {}), ...(description.value.trim() ? { description: description.value.trim() } : {}), ...(replaces ? { replaces: replaces.id } : {}),
          });
          close();
          if (rest.length > 0) uploadDialog(app, { file: rest[0], rest: rest.slice(1), like: { athlete, type: type.value, school: school.value } });
        },
      },
    }, rest.length > 0 && h("p.hint", null, WORDS.afterThisOne(counted(rest.length, WORDS.moreFile))), labelled(WORDS.documentType, type), labelled(WORDS.title, title), labelled(WORDS.school, school), labelled(WORDS.description, description), labelled(WORDS.file, input, WORDS.atMost100Mb), name, error,
    h("div.buttons", null, button("plain", WORDS.cancel, close), go))];
  });
}

/**
 * The rows of uploads that run here, and of those of other members.
 * @param {App} app
 * @param {HTMLElement} place
 */
function showUploads(app, place) {
  const own = uploads.all.map((upload) => {
    const share = upload.size === 0 ? 0 : upload.offset / upload.size;
    const rate = (upload.offset - upload.beganAt) / Math.max(0.5, (performance.now() - upload.began) / 1000);
    const left = rate > 0 ? Math.ceil((upload.size - upload.offset) / rate) : undefined;
    const asked = WORDS.chooseAgainToContinue(upload.name);
    const text = upload.state === "finished" ? WORDS.uploaded : upload.state === "failed" || upload.state === "waiting" ? upload.problem : upload.state === "queued" ? WORDS.waitsForItsTurn
      : upload.state === "asks" ? upload.problem || asked : WORDS.of(Math.floor(share * 100), sizeText(upload.offset), sizeText(upload.size), left !== undefined ? WORDS.sLeft(sizeText(rate), left < 60 ? WORDS.s(left) : WORDS.min(Math.ceil(left / 60))) : "");
    const isOpen = upload.state !== "finished" && upload.state !== "failed" && upload.state !== "asks";
    const keeping = !isOpen ? "" : upload.isKept ? WORDS.youCanCloseThisPage : upload.isKept === undefined ? "" : WORDS.leaveThisPageOpenUntil;
    return {
      key: upload.key, stamp: JSON.stringify([upload.state, Math.floor(share * 200), upload.problem, left, keeping]),
      make: () => {
        const input = /** @type {HTMLInputElement} */ (h("input", { type: "file", id: `again-${upload.key}`, on: {
          change: async () => {
            const file = input.files?.[0];
            const problem = file && (await uploads.choose(upload, file));
            if (problem) fill(error, problem);
          },
        } }));
        const error = h("p.error", { role: "alert" });
        return h("li.upload", null, h("p", { dir: "auto" }, upload.metadata.title), h("progress", { max: "1", value: share, "aria-label": WORDS.uploadOf(upload.metadata.title) }), h("p.hint", null, text),
          keeping && h("p.hint", null, keeping), upload.state === "asks" && h("div.field", null, h("label", { for: `again-${upload.key}` }, WORDS.theSameFileAgain(upload.name)), input, error),
          upload.state === "failed" && button("plain", WORDS.tryAgain, () => uploads.again(upload), { "data-act": "again" }),
          button("plain", upload.state === "finished" || upload.state === "failed" ? WORDS.close : WORDS.cancel, () => uploads.cancel(upload), { "data-act": "cancel" }));
      },
    };
  });
  const ids = new Set(uploads.all.map((upload) => upload.address?.split("/").pop()));
  const others = [...app.store.engine.uploads.values()].filter((one) => !ids.has(one.id)).map((one) => ({
    key: one.id, stamp: JSON.stringify([one.octets, one.state]),
    make: () => h("li.upload", null, h("p", { dir: "auto" }, WORDS.uploads(app.season.nameOf(one.member), one.title ?? WORDS.aDocument)), h("progress", one.total ? { max: String(one.total), value: one.octets } : {}), h("p.hint", null, one.state === "paused" ? WORDS.paused : sizeText(one.octets ?? 0))),
  }));
  keyed(place, [...own, ...others]);
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function documentsPage(app) {
  const { season } = app;
  /** @type {any} */
  const filter = { current: true };
  let search = "";
  const read = (/** @type {string} */ key, /** @type {string} */ otherwise) => { try { return localStorage.getItem(key) ?? otherwise; } catch { return otherwise; } };
  const write = (/** @type {string} */ key, /** @type {string} */ value) => { try { localStorage.setItem(key, value); } catch { /* blocked storage */ } };
  let mode = read("documentsViewMode", "grid");
  const subtitle = h("p.subtitle", { role: "status" });
  const figures = h("dl.figures", null), running = h("ul.uploads", { "aria-label": WORDS.uploads2 }), list = h("div.documents", { role: "feed", "aria-label": WORDS.documents }), nothing = h("div.nothing", null), chips = h("div.chips", null);
  const entries = new LongList(list);
  swipes(list);
  const searchField = /** @type {HTMLInputElement} */ (h("input", { type: "search", id: "documents-search", placeholder: WORDS.titleOrDescription, autocomplete: "off", on: { input: () => { search = searchField.value; update(); } } }));
  const sort = choice(WORDS.sort, "documents-sort", SORTS, (value) => { write("documentsSortBy", value); update(); }, SORTS.some(([word]) => word === read("documentsSortBy", "")) ? read("documentsSortBy", "") : "newest");
  const typeField = KINDS.document.fields.find((one) => one.name === "type");
  const types = h("fieldset.inline", null, h("legend", null, WORDS.type), (typeField?.words ?? []).map((word, place) => {
    const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: `type-${word}`, value: word, on: { change: () => {
      const chosen = [...types.querySelectorAll("input:checked")].map((one) => /** @type {HTMLInputElement} */ (one).value);
      if (chosen.length > 0) filter.types = chosen;
      else delete filter.types;
      update();
    } } }));
    return h("span.check", null, box, h("label", { for: `type-${word}` }, typeField?.labels?.[place] ?? word));
  }));
  const school = /** @type {HTMLSelectElement} */ (h("select", { on: { change: () => { if (school.value) filter.school_id = school.value; else delete filter.school_id; update(); } } }));
  const shared = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "documents-shared", on: { change: () => { if (shared.checked) filter.shared = true; else delete filter.shared; update(); } } }));
  const modeButton = button("plain", "", () => { mode = mode === "grid" ? "list" : "grid"; write("documentsViewMode", mode); update(); });
  const add = button("primary", WORDS.uploadDocumentPart, () => uploadDialog(app), { "aria-label": WORDS.uploadNewDocument });
  const details = h("details.filters", null, h("summary", null, WORDS.filter), types, labelled(WORDS.school, school), h("div.check", null, shared, h("label", { for: "documents-shared" }, WORDS.sharedOnly)));

  function reset() {
    for (const name of Object.keys(filter)) if (name !== "current") delete filter[name];
    for (const box of types.querySelectorAll("input")) box.checked = false;
    school.value = "";
    shared.checked = false;
    search = searchField.value = "";
    update();
  }

  function update() {
    const all = season.list({ kind: "document", filter: { current: true } });
    const every = season.list({ kind: "document" });
    const found = season.list({ kind: "document", filter, search: search.trim() === "" ? undefined : search, sort: sort.select.value });
    subtitle.textContent = WORDS.ofTotal(found.length, all.length);
    const counts = new Map();
    for (const one of all) counts.set(one.fields.type, (counts.get(one.fields.type) ?? 0) + 1);
    const [common] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? [];
    const figure = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ value) => h(`div.${name}`, null, h("dt", null, label), h("dd", null, value));
    fill(figures, figure("blue", WORDS.total, all.length), figure("green", WORDS.shared, all.filter((one) => (one.fields.shared_with_schools ?? []).length > 0).length),
      figure("purple", WORDS.mostCommon, common ? typeField?.labels?.[typeField.words?.indexOf(common) ?? -1] ?? common : "–"), figure("orange", WORDS.storage, sizeText(every.reduce((sum, one) => sum + (one.fields.octets ?? 0), 0))));
    const schools = season.list({ kind: "school", sort: "name" });
    const stamp = JSON.stringify(schools.map((one) => [one.id, one.fields.name]));
    if (school.dataset.stamp !== stamp) {
      school.dataset.stamp = stamp;
      fill(school, h("option", { value: "" }, WORDS.all), schools.map((one) => h("option", { value: one.id }, one.fields.name)));
      school.value = filter.school_id ?? "";
    }
    const active = (filter.types?.length ?? 0) + (filter.school_id ? 1 : 0) + (filter.shared ? 1 : 0);
    const summary = /** @type {HTMLElement} */ (details.querySelector("summary"));
    fill(summary, WORDS.filter, active > 0 && h("span.badge", null, active));
    summary.setAttribute("aria-label", WORDS.filterDocumentsActive(counted(active, WORDS.filter2)));
    const chip = (/** @type {string} */ text, /** @type {() => void} */ act) => button("chip", `${text} ✕`, () => { act(); update(); }, { "aria-label": WORDS.removeFilter(text) });
    fill(chips,
      (filter.types ?? []).map((/** @type {string} */ word) => chip(WORDS.typeOf(typeField?.labels?.[typeField.words?.indexOf(word) ?? -1]), () => {
        const box = /** @type {HTMLInputElement} */ (types.querySelector(`#type-${word}`));
        box.checked = false;
        filter.types = filter.types.filter((/** @type {string} */ one) => one !== word);
        if (filter.types.length === 0) delete filter.types;
      })),
      filter.school_id && chip(WORDS.schoolOf(season.find("school", filter.school_id)?.fields.name ?? ""), () => { delete filter.school_id; school.value = ""; }),
      filter.shared && chip(WORDS.shared, () => { delete filter.shared; shared.checked = false; }), active > 0 && button("plain", WORDS.clearFilters, reset));
    fill(modeButton, mode === "grid" ? WORDS.showAsList : WORDS.showAsGrid);
    const isList = mode === "list";
    if (!list.classList.contains(isList ? "as-list" : "as-grid")) {
      list.classList.toggle("as-list", isList);
      list.classList.toggle("as-grid", !isList);
      entries.forget();
    }
    const size = found.length;
    /** @param {number} index @returns {import("../screen/html.js").Item} */
    const item = (index) => {
      const one = found[index];
      const { fields } = one;
      const number = (fields.shared_with_schools ?? []).length;
      const owner = season.athlete === undefined && season.athletes.length > 1 ? season.nameOf(one.athlete) : undefined;
      const mayDelete = season.may("delete", "document", { record: one });
      return {
        key: one.id, stamp: JSON.stringify([one.version, fields, mode, owner, season.schoolOf(one), season.isWaiting(one.id), mayDelete, index, size]),
        make: () => h("article.card.document", { "aria-posinset": index + 1, "aria-setsize": size, tabindex: "-1" }, thumbnail(one), h("div.body", null,
          h("span.badge", null, labelOf(one, "type")), fields.version > 1 && h("span.badge", null, WORDS.v(fields.version)), number > 0 && h("span.badge.attended", null, WORDS.sharedOf(number >= 20 ? "20+" : number)),
          h("h3", null, link(`/documents/${one.id}/about`, shortened(titleOf(one), 120), {
            dir: "auto", "data-act": "open", "aria-label": WORDS.sharedWithUploaded(titleOf(one), labelOf(one, "type"), counted(number, WORDS.school2), dayText(Math.floor(one.created_at / 86400000))),
          })),
          mayDelete && button("icon.danger.delete", icon("trash"), () => app.remove(one, WORDS.areYouSureYouWant, WORDS.deleted(shortened(titleOf(one), 40))), { "aria-label": WORDS.delete(titleOf(one)), "data-act": "delete" }),
          h("p.hint", { dir: "auto" }, [season.schoolOf(one) ?? WORDS.general, owner, instantText(one.created_at)].filter((text) => text).join(" · ")))),
      };
    };
    // A feed without an entry is not one (ARIA).
    list.hidden = size === 0;
    entries.show({ count: size, key: (index) => found[index].id, item });
    add.toggleAttribute("hidden", !season.mayCreate("document"));
    const { isLoading } = app.store;
    if (found.length > 0) fill(nothing);
    else if (isLoading) skeleton(nothing);
    else if (all.length === 0) fill(nothing, h("p.symbol", null, icon("document")), h("h2", null, WORDS.noDocumentsYet), h("p", null, WORDS.uploadVideosTranscripts));
    else fill(nothing, h("h2", null, WORDS.noDocumentsMatchYour), button("plain", WORDS.clearFilters, reset));
    showUploads(app, running);
  }

  const stop = uploads.listen(() => showUploads(app, running));
  const element = h("section.documents-page", null,
    h("div.page-head", null, h("div", null, h("h1", null, WORDS.documents), subtitle), add), figures, running,
    h("div.filters", { role: "search" }, h("div.field.search", null, h("label", { for: "documents-search" }, WORDS.search), searchField), sort.element, modeButton), details, chips, list, nothing);
  element.addEventListener("dragover", (event) => { if (!add.hidden) event.preventDefault(); });
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    const [file, ...rest] = [...(event.dataTransfer?.files ?? [])];
    if (file && !add.hidden && !document.querySelector("dialog[open]")) uploadDialog(app, { file, rest });
  });
  update();
  const acts = new Map([["document-upload", () => add.click()], ["document-search", () => searchField.focus()], ["document-view", () => modeButton.click()]]);
  let { setting } = season;
  return {
    title: WORDS.documents, element, acts,
    update: (ids) => {
      if (setting === season.setting && !season.concerns(ids, SHOWN)) return showUploads(app, running);
      setting = season.setting;
      return update();
    },
    leave: () => { stop(); entries.leave(); },
  };
}
