// The room: the family's conversation, who is here, what happened since the last look.
import { button, fill, h, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { LongList } from "../screen/longlist.js";
import { counted, instantText } from "../words/dates.js";
import { WORDS } from "../words/room.js";
import { people } from "./activity.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/** The milliseconds from a message on the screen to the reading position behind it: what came together moves it once. */
const READ_AFTER = 500;
/** The messages of a question for earlier ones. */
const PORTION = 100;
const PATHS = /** @type {{[kind: string]: string}} */ ({ event: "/events/ID", trip: "/trips/ID", document: "/documents/ID/about" });

/**
 * The members whom a text names with `@`: the longest name that fits.
 * @param {string} text
 * @param {readonly FamilyRecord[]} members
 * @returns {string[]}
 */
export function mentioned(text, members) {
  const folded = text.toLowerCase();
  return members.filter((member) => {
    const name = String(member.fields.name ?? "").toLowerCase();
    if (name === "") return false;
    const first = name.split(" ")[0];
    return [name, first].some((one) => {
      const place = folded.indexOf(`@${one}`);
      return place >= 0 && !/[\p{L}\p{N}]/u.test(folded[place + one.length + 1] ?? " ");
    });
  }).map((member) => member.id);
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function roomPage(app) {
  const { season } = app;
  const { engine } = app.store;
  const list = h("ol.messages", null);
  const entries = new LongList(list, { isFeed: false });
  /** Whether the newest message is in the window: then the next one comes into it, too. */
  let isAtEnd = true;
  const log = h("div", { role: "log", "aria-label": WORDS.conversation }, list);
  const digest = h("section.digest", { hidden: true });
  const here = h("p.hint", { role: "status" });
  const typing = h("p.hint.typing", null, "\u00a0");
  const stopListening = app.store.activities.listen(() => showTyping());
  const input = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "message", rows: 2, maxlength: "4000", placeholder: WORDS.writeToTheFamilyName, dir: "auto" }));
  const form = h("form.line", { on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); send(); } } },
    h("label.unseen", { for: "message" }, WORDS.message), input, h("button.primary", { type: "submit" }, WORDS.send));
  /** @type {string | undefined} the message that is edited */
  let editing;
  /** @type {Map<string, FamilyRecord>} older messages, which the snapshot does not have */
  const older = new Map();
  /** @type {any} */
  let next;
  let isAtStart = false;
  const earlier = button("plain", WORDS.earlierMessages, () => { load(); });

  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && input.value === "") {
      const own = messages().filter((message) => message.created_by === season.self).pop();
      if (own) edit(own);
    } else if (event.key === "Escape" && editing !== undefined) {
      editing = undefined;
      input.value = "";
      update();
    }
  });
  let timer = setTimeout(() => {}, 0);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { app.cache?.type("room", input.value === "" || editing ? undefined : { member: season.self, text: input.value }).catch(() => undefined); }, 100);
  });
  app.cache?.typed("room").then((typed) => { if (typed?.member === season.self && input.value === "") input.value = typed.text; }).catch(() => undefined);

  function send() {
    const text = input.value.trim();
    if (text === "") return;
    const mentions = mentioned(text, season.members);
    const message = editing === undefined ? undefined : season.find("message", editing);
    const done = message ? text === message.fields.text || app.perform([app.update(message, { text })], WORDS.messageChanged)
      : app.perform([app.create("message", { text, ...(mentions.length > 0 ? { mentions } : {}) })], "");
    if (!done) return;
    input.value = "";
    editing = undefined;
    clearTimeout(timer);
    app.cache?.type("room", undefined).catch(() => undefined);
    isAtEnd = true;
    update();
  }

  /** @param {FamilyRecord} message */
  function edit(message) {
    editing = message.id;
    input.value = message.fields.text;
    input.focus();
    update();
  }

  /** @returns {Promise<void>} */
  async function load() {
    const first = messages()[0];
    try {
      const page = await app.store.ask((request) => ({ type: "list", request, kind: "message", limit: PORTION, ...(next === undefined ? {} : { before: next }) }));
      for (const record of page.records ?? []) older.set(record.id, record);
      next = page.next;
      isAtStart = page.next === undefined;
      // The snapshot may have the first pages already.
      if (!isAtStart && messages()[0]?.id === first?.id) return load();
    } catch (error) {
      app.complain(error);
    }
    update();
    return undefined;
  }

  function showTyping() {
    // The line keeps its height, so that nothing moves when somebody begins.
    typing.textContent = people(app, app.store.activities.members("typing"), WORDS.typing) || "\u00a0";
  }

  function messages() {
    const all = new Map([...older].filter(([id]) => !engine.record(id)));
    for (const message of season.records("message")) all.set(message.id, message);
    return [...all.values()].sort((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
  }

  function update() {
    const found = messages();
    const size = found.length;
    form.toggleAttribute("hidden", !season.may("create", "message"));
    earlier.toggleAttribute("hidden", isAtStart || size === 0 || engine.phase !== "live");
    /** @param {number} index @returns {import("../screen/html.js").Item} */
    const item = (index) => {
      const message = found[index];
      const about = message.fields.about ? engine.record(message.fields.about.id) : undefined;
      const isOwn = message.created_by === season.self;
      const isChanged = message.updated_at > message.created_at && message.version > 1;
      return {
        key: message.id,
        stamp: JSON.stringify([message.version, message.fields, season.nameOf(message.created_by), season.isWaiting(message.id), about && titleOf(about), editing === message.id, entries.isVirtual && index, entries.isVirtual && size]),
        make: () => h(`li${isOwn ? ".own" : ""}${editing === message.id ? ".editing" : ""}`, entries.isVirtual ? { "aria-posinset": index + 1, "aria-setsize": size } : null,
          h("p.hint", null, h("strong", { dir: "auto" }, season.nameOf(message.created_by)), ` ${instantText(message.created_at)}`, isChanged && WORDS.changed, season.isWaiting(message.id) && WORDS.waiting,
            about && [WORDS.about, PATHS[about.kind] ? link(PATHS[about.kind].replace("ID", about.id), titleOf(about), { dir: "auto" }) : titleOf(about)]),
          h("p.text", { dir: "auto" }, message.fields.text),
          h("div.actions", null,
            season.may("update", "message", { record: message, fields: ["text"] }) && button("plain", WORDS.edit, () => edit(message), { "data-act": "edit" }),
            season.may("delete", "message", { record: message }) && button("icon", icon("trash"), () => app.remove(message, WORDS.deleteThisMessage, WORDS.messageDeleted), { "aria-label": WORDS.deleteThisMessage2, "data-act": "delete" }))),
      };
    };
    entries.show({ count: size, key: (index) => found[index].id, item });
    const people = [...engine.presence.values()].filter((one) => one.member !== season.self).map((one) => {
      const context = one.context && one.context !== "all" ? WORDS.seasonOf(season.nameOf(one.context)) : "";
      return `${season.nameOf(one.member)}${context}`;
    });
    here.textContent = people.length > 0 ? WORDS.hereNow(people.join(", ")) : WORDS.nobodyElseIsHereNow;
    if (size === 0) fill(list, h("li.nothing", null, h("p", null, season.may("create", "message") ? WORDS.noMessagesYetWriteThe : WORDS.noMessagesYet)));
    if (isAtEnd && list.isConnected) toEnd();
  }

  /** Brings the newest message into the window; heights become known on the way. */
  function toEnd() {
    for (let look = 0; look < (entries.isVirtual ? 3 : 1); look += 1) {
      scrollTo(0, document.documentElement.scrollHeight);
      entries.redraw();
    }
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let reading;

  /** Moves the reading position, once what came is painted. */
  function readSoon() {
    if (reading !== undefined || document.visibilityState !== "visible" || !digest.dataset.asked) return;
    reading = setTimeout(() => {
      reading = undefined;
      app.store.read();
    }, READ_AFTER);
  }

  const scrolled = () => { if (list.isConnected) isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80; };
  addEventListener("scroll", scrolled, { passive: true });

  /** Tells what changed since the reading position, once per visit, and moves the position. */
  async function look() {
    if (engine.phase !== "live" || digest.dataset.asked) return;
    digest.dataset.asked = "1";
    try {
      const frame = await app.store.ask((request) => ({ type: "digest", request }));
      const { digest: told } = frame;
      const mine = new Map((told.members ?? []).map((/** @type {any} */ one) => [one.member, one.changes]));
      mine.delete(season.self);
      if (mine.size > 0) {
        const words = WORDS.kinds;
        const lines = (told.kinds ?? []).filter((/** @type {any} */ one) => words[one.kind]).map((/** @type {any} */ one) => {
          const parts = [[WORDS.new, one.created], [WORDS.changedCount, one.updated], [WORDS.deleted, one.deleted], [WORDS.restored, one.restored]].filter(([, number]) => number > 0).map(([word, number]) => `${number} ${word}`);
          return `${words[one.kind][1][0].toUpperCase()}${words[one.kind][1].slice(1)}: ${parts.join(", ")}`;
        });
        fill(digest, h("h2", null, WORDS.sinceYouLastLooked), h("p", null, WORDS.by(counted([...mine.values()].reduce((sum, one) => sum + one, 0), WORDS.change), [...mine.keys()].map((one) => season.nameOf(one)).join(", "))),
          h("ul", null, lines.map((/** @type {string} */ line) => h("li", null, line))), button("plain", WORDS.seen, () => { digest.hidden = true; }));
        digest.hidden = false;
      }
    } catch {
      delete digest.dataset.asked;
      return;
    }
    app.store.read();
  }

  update();
  look();
  requestAnimationFrame(() => toEnd());
  return {
    title: WORDS.room,
    element: h("section.room", null, h("h1", null, WORDS.room), here, digest, h("p", null, earlier), log, typing, form),
    update: () => { update(); look(); readSoon(); },
    leave: () => { clearTimeout(timer); clearTimeout(reading); stopListening(); entries.leave(); removeEventListener("scroll", scrolled); },
  };
}
