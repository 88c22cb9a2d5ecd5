// The end of a family: what every member sees of it, the copy that parents take, the request and its withdrawal.
import { instantOf } from "../dates/zones.js";
import { readDate } from "../dates/calendar.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, link, refill } from "../screen/html.js";
import { sentence } from "../sessions/account.js";
import { archiveOf } from "../sessions/archive.js";
import { dateText, instantText, ownZone, sizeText } from "../words/dates.js";
import { WORDS } from "../words/deletion.js";
import { Refusal } from "../wire/rejections.js";
import { unanswered } from "./answers.js";
import { confirmDialog } from "./confirm.js";
import { labelled } from "./event.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {{due_at?: number, requested_at?: number, by?: string}} Request a request for the deletion, empty without one */

const DAY = 1440;

/** Whether the family is to be deleted: the day from its record, which every copy has, and the rest from the server. */
export class Deletion {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The server's last answer. @type {Request | undefined} */
    this.request = undefined;
    /** The day for which the server was asked. @type {string | undefined} */
    this.askedFor = undefined;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  /** The day of the erasure, as it is stored. @returns {string | undefined} */
  get day() {
    return this.app.store.engine.familyRecord?.fields.deletion_date;
  }

  /** When the family is gone, UTC milliseconds; undefined if it stays. */
  get dueAt() {
    const date = readDate(this.day ?? "");
    if (date === undefined) return undefined;
    return this.request?.due_at ?? instantOf(this.app.store.engine.timeZone ?? ownZone(), (date + 1) * DAY) ?? (date + 1) * DAY * 60_000;
  }

  /** The author of the request in words; undefined before the server has said it. */
  get author() {
    if (this.request?.due_at === undefined) return undefined;
    return this.request.by === undefined ? WORDS.host : this.app.season.nameOf(this.request.by);
  }

  /**
   * Asks the server who asked, once for each request.
   * @param {any[]} notes what has happened
   */
  async update(notes) {
    const { day, app } = this;
    // While this device was away, the request may have become another one for the same day.
    if (notes.some((note) => note.notify === "live")) this.askedFor = undefined;
    if (day === this.askedFor) return;
    if (day === undefined) {
      this.askedFor = undefined;
      this.received({});
    } else if (app.store.engine.phase === "live" && app.store.engine.features.has("deletion")) {
      this.askedFor = day;
      await this.send({ type: "deletion" }).catch(() => undefined);
    }
  }

  /**
   * Sends a request of the protocol, and keeps its answer.
   * @param {{type: string, name?: string}} frame
   * @throws {Refusal}
   */
  async send(frame) {
    this.received(/** @type {any} */ (await this.app.store.ask((request) => ({ ...frame, request }))));
  }

  /** @param {Request} answer */
  received({ due_at, requested_at, by }) {
    this.request = { due_at, requested_at, by };
    for (const listener of this.listeners) listener();
  }
}

/**
 * The banner that every page has while the family is to be deleted.
 * @param {App} app
 */
export function deletionBanner(app) {
  const { deletion } = app;
  const text = h("span", null);
  const element = h("div.banner.ending", { role: "status" });
  const update = () => {
    const { day, author } = deletion;
    if (day === undefined) return fill(element);
    const told = author === undefined ? WORDS.bannerUnknown(dateText(day)) : WORDS.banner(author, dateText(day));
    if (text.textContent !== told) text.textContent = told;
    if (element.childElementCount === 0) fill(element, text, link("/settings/family", WORDS.details));
    return undefined;
  };
  deletion.listeners.add(update);
  app.store.listen((_, notes) => { deletion.update(notes); update(); });
  update();
  return element;
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function familyPage(app) {
  const { season, store, deletion } = app;
  const copyPart = h("section", { hidden: true }), copyState = h("div", { role: "status" }), ending = h("section", null);
  const isPrivate = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "export-private" }));
  const copy = /** @type {HTMLButtonElement} */ (button("primary", WORDS.copy, () => take()));
  const name = () => store.engine.familyName ?? "";
  /** Whether a copy was saved on this page. */
  let hasCopy = false;
  /** @type {AbortController | undefined} */
  let taking;

  async function take() {
    if (taking) return;
    const own = new AbortController();
    taking = own;
    copy.disabled = true;
    const progress = /** @type {HTMLProgressElement} */ (h("progress", { "aria-label": WORDS.progress })), numbers = h("p.hint", null, WORDS.making);
    fill(copyState, numbers, progress, h("div.buttons", null, button("plain", WORDS.stop, () => own.abort(), { autofocus: true })));
    let told = 0;
    const result = await archiveOf(store.engine.family ?? "", {
      isPrivate: isPrivate.checked, signal: own.signal, told: (received, total) => {
        progress.max = total;
        progress.value = received;
        // A screen reader hears each tenth, not each piece.
        if (received < told) return;
        told = received + total / 10;
        numbers.textContent = WORDS.receiving(sizeText(received), sizeText(total));
      },
    });
    taking = undefined;
    copy.disabled = false;
    if ("file" in result) {
      const file = `${name().replace(/[^\p{L}\p{N}]+/gu, "_") || WORDS.file}.tar`;
      const url = URL.createObjectURL(result.file);
      const anchor = h("a", { href: url, download: file });
      document.body.append(anchor);
      anchor.click();
      anchor.remove();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      hasCopy = true;
      fill(copyState, h("p", null, WORDS.copied(file, sizeText(result.file.size))));
    } else if ("problem" in result) {
      fill(copyState, h("p.problem", null, { cut: WORDS.cut, no_room: WORDS.noRoom, stopped: WORDS.stopped }[result.problem]));
    } else if (result.refused.content?.code === "confirm_first") {
      fill(copyState);
      confirmDialog(app, take);
    } else {
      fill(copyState, h("p.problem", null, sentence(result.refused)));
    }
    if (document.activeElement === document.body) copy.focus();
  }

  function askForCopy() {
    if (hasCopy) return nameDialog();
    openDialog(WORDS.copyFirstTitle, (close) => [
      h("p", null, WORDS.copyFirstText),
      h("div.buttons", null, button("plain", WORDS.cancel, close), button("plain", WORDS.withoutCopy, () => { close(); nameDialog(); }), button("primary", WORDS.copyFirst, () => { close(); take(); }, { autofocus: true })),
    ]);
    return undefined;
  }

  function nameDialog() {
    const typed = /** @type {HTMLInputElement} */ (h("input", { dir: "auto", autocomplete: "off", spellcheck: "false" }));
    const error = h("p.error", { role: "alert" });
    openDialog(WORDS.nameTitle, (close) => {
      const submit = /** @type {HTMLButtonElement} */ (h("button.danger", { type: "submit", disabled: true }, WORDS.request));
      typed.addEventListener("input", () => { submit.disabled = typed.value.trim() === ""; });

      async function send() {
        if (submit.disabled) return;
        submit.disabled = true;
        error.textContent = "";
        try {
          await deletion.send({ type: "delete_family", name: typed.value });
          close();
          app.toasts.show(WORDS.requested, { label: WORDS.undo, act: keep });
        } catch (refusal) {
          if (refusal instanceof Refusal && refusal.rejection.code === "confirm_first") confirmDialog(app, send);
          else error.textContent = unanswered(refusal);
        } finally {
          submit.disabled = false;
        }
      }

      return [h("form", { novalidate: true, on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); send(); } } },
        h("p", null, WORDS.nameText(name())), labelled(WORDS.name, typed, WORDS.nameHint(name())), error, h("div.buttons", null, button("plain", WORDS.cancel, close), submit))];
    });
    typed.focus();
  }

  async function keep() {
    try {
      await deletion.send({ type: "keep_family" });
      app.toasts.show(WORDS.kept);
    } catch (error) {
      app.toasts.show(unanswered(error));
    }
  }

  function show() {
    const { day, author, request } = deletion;
    const may = season.role === "parent";
    copyPart.hidden = !may;
    const isOld = store.engine.phase === "live" && !store.engine.features.has("deletion");
    const told = day === undefined ? [] : [
      h("p.notice", null, author === undefined || request?.due_at === undefined ? WORDS.standingUnknown(dateText(day)) : WORDS.standing(author, instantText(request.requested_at ?? 0), instantText(request.due_at))),
      h("p", null, WORDS.before),
    ];
    refill(ending, h("h2", null, WORDS.heading),
      isOld ? h("p.hint", null, WORDS.unsupported)
        : [told, may ? day === undefined ? [h("ul.bullets", null, WORDS.effects.map((text) => h("li", null, text))), h("div.buttons", null, button("danger", WORDS.ask, askForCopy, { "data-act": "family" }))]
          : h("div.buttons", null, button("primary", WORDS.keep, keep, { "data-act": "family" }))
          : [day === undefined && h("p", null, WORDS.none), h("p.hint", null, WORDS.onlyParents)]]);
  }

  fill(copyPart, h("h2", null, WORDS.copyHeading), h("p", null, WORDS.copyText), h("div.check", null, isPrivate, h("label", { for: "export-private" }, WORDS.isPrivate)), h("div.buttons", null, copy), copyState);
  deletion.listeners.add(show);
  show();
  return {
    title: WORDS.title, update: show,
    leave: () => { deletion.listeners.delete(show); taking?.abort(); },
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.back)), h("h1", null, WORDS.title), copyPart, ending),
  };
}
