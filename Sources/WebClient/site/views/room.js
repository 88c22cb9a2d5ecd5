// The room: the family's timeline of messages and changes, who is here, what happened since the last look.
import { button, fill, h, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { LongList } from "../screen/longlist.js";
import { counted, instantText } from "../words/dates.js";
import { WORDS } from "../words/room.js";
import { people } from "./activity.js";
import { Changes } from "./changes.js";
import { entryText } from "./history.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/** The milliseconds from a message on the screen to the reading position behind it: what came together moves it once. */
const READ_AFTER = 500;
/** The messages of a question for earlier ones. */
const PORTION = 100;
/** The kinds that the page shows something of. */
const SHOWN = ["message", "member", "event", "trip", "trip_item", "document", "school", "coach"];
/** The parts of a change that a line shows. */
const PARTS = 5;
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
  const earlier = button("plain", WORDS.earlierMessages, () => { hasFailed = false; load(); });
  let isLoading = false, hasFailed = false;
  const changes = (app.changes ??= new Changes(app));

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

  /** Draws without a screen reader that reads what is older. */
  /** @param {() => void} act */
  function quietly(act) {
    log.setAttribute("aria-live", "off");
    act();
    requestAnimationFrame(() => requestAnimationFrame(() => log.removeAttribute("aria-live")));
  }

  /** @returns {Promise<void>} */
  async function load() {
    if (isLoading) return undefined;
    isLoading = true;
    const first = messages()[0];
    try {
      const page = await app.store.ask((request) => ({ type: "list", request, kind: "message", limit: PORTION, ...(next === undefined ? {} : { before: next }) }));
      for (const record of page.records ?? []) older.set(record.id, record);
      next = page.next;
      isAtStart = page.next === undefined;
    } catch (error) {
      app.complain(error);
      next = undefined;
      hasFailed = true;
    }
    isLoading = false;
    // The snapshot may have the first pages already.
    if (next !== undefined && messages()[0]?.id === first?.id) return load();
    quietly(update);
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

  /** What a change of the connection or of the others' presence alters. */
  function showHere() {
    form.toggleAttribute("hidden", !season.may("create", "message"));
    earlier.toggleAttribute("hidden", isAtStart || season.records("message").length === 0 || engine.phase !== "live");
    const others = [...engine.presence.values()].filter((one) => one.member !== season.self).map((one) => {
      const context = one.context && one.context !== "all" ? WORDS.seasonOf(season.nameOf(one.context)) : "";
      return `${season.nameOf(one.member)}${context}`;
    });
    const text = others.length > 0 ? WORDS.hereNow(others.join(", ")) : WORDS.nobodyElseIsHereNow;
    if (here.textContent !== text) here.textContent = text;
  }

  /** Messages and changes by time, and the place from where on the changes are known. */
  /** @returns {{key: string, at: number, message?: FamilyRecord, change?: import("./changes.js").Told}[]} */
  function timeline() {
    const all = [
      ...messages().map((message) => ({ key: message.id, at: message.created_at, message })), ...[...changes.all.values()].map((change) => ({ key: String(change.seq), at: change.at, change })),
      ...(changes.known?.before === undefined ? [] : [{ key: "known", at: changes.known.at }]),
    ];
    return all.sort((one, other) => one.at - other.at);
  }

  function update() {
    const found = timeline();
    const size = found.length;
    showHere();
    /** @param {number} index @returns {import("../screen/html.js").Item} */
    const item = (index) => {
      const { key, at, message, change } = found[index];
      const place = entries.isVirtual ? { "aria-posinset": index + 1, "aria-setsize": size } : {};
      const stamp = [entries.isVirtual && index, entries.isVirtual && size];
      if (!message) {
        const told = change?.changes ?? [];
        return {
          key, stamp: JSON.stringify([...stamp, change && season.nameOf(change.member)]),
          make: () => h("li.change", place, change ? [
            h("p.hint", null, h("strong", { dir: "auto" }, season.nameOf(change.member)), ` ${instantText(at)}`),
            h("ul", null, told.slice(0, PARTS).map((one) => entryText(app, one)), told.length > PARTS && h("li", null, WORDS.andMore(told.length - PARTS))),
          ] : button("plain", WORDS.earlierChanges, () => { changes.load(); }, { "data-act": "changes" })),
        };
      }
      const isMention = (message.fields.mentions ?? []).some((/** @type {any} */ one) => one.id === season.self);
      const about = message.fields.about ? engine.record(message.fields.about.id) : undefined;
      const isOwn = message.created_by === season.self;
      const isChanged = message.updated_at > message.created_at && message.version > 1;
      return {
        key: message.id,
        stamp: JSON.stringify([message.version, message.fields, season.nameOf(message.created_by), season.isWaiting(message.id), about && titleOf(about), editing === message.id, ...stamp]),
        make: () => h(`li${isOwn ? ".own" : ""}${isMention ? ".mention" : ""}${editing === message.id ? ".editing" : ""}`, place,
          h("p.hint", null, h("strong", { dir: "auto" }, season.nameOf(message.created_by)), ` ${instantText(message.created_at)}`, isMention && WORDS.mentionsYou, isChanged && WORDS.changed, season.isWaiting(message.id) && WORDS.waiting,
            about && [WORDS.about, PATHS[about.kind] ? link(PATHS[about.kind].replace("ID", about.id), titleOf(about), { dir: "auto" }) : titleOf(about)]),
          h("p.text", { dir: "auto" }, message.fields.text),
          h("div.actions", null,
            season.may("update", "message", { record: message, fields: ["text"] }) && button("plain", WORDS.edit, () => edit(message), { "data-act": "edit" }),
            season.may("delete", "message", { record: message }) && button("icon", icon("trash"), () => app.remove(message, WORDS.deleteThisMessage, WORDS.messageDeleted), { "aria-label": WORDS.deleteThisMessage2, "data-act": "delete" }))),
      };
    };
    entries.show({ count: size, key: (index) => found[index].key, item });
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

  const scrolled = () => {
    if (!list.isConnected) return;
    isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
    // Older messages come while the reader is on the way to them; without a wheel there is the button.
    if (scrollY < innerHeight && !isAtEnd && !isAtStart && !hasFailed && engine.phase === "live") load();
  };
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

  changes.changed = (areOlder) => (areOlder ? quietly(update) : update());
  let { setting } = season;
  update();
  look();
  requestAnimationFrame(() => toEnd());
  return {
    title: WORDS.room, acts: new Map([["message-write", () => input.focus()]]),
    element: h("section.room", null, h("h1", null, WORDS.room), here, digest, h("p", null, earlier), log, typing, form),
    update: (ids) => {
      if (setting === season.setting && !season.concerns(ids, SHOWN)) showHere();
      else {
        setting = season.setting;
        update();
      }
      look();
      readSoon();
    },
    leave: () => { clearTimeout(timer); clearTimeout(reading); stopListening(); changes.changed = () => {}; entries.leave(); removeEventListener("scroll", scrolled); },
  };
}
