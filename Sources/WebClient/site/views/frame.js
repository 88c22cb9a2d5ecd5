// The frame around every page: whose season is open, the pages, the state of what is saved.
import { button, fill, h } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { WORDS } from "../words/frame.js";
import { deletionBanner } from "./deletion.js";
import { historyDialog } from "./history.js";
import { keysDialog, listenForKeys, openSelect } from "./keys.js";
import { noticeBanners } from "./notices.js";
import { openPalette } from "./palette.js";
import { reminderBanner } from "./reminders.js";

/** @typedef {import("./app.js").App} App */

const PAGES = [
  { path: "/events", label: WORDS.events, icon: "calendar" },
  { path: "/trips", label: WORDS.trips, icon: "car" },
  { path: "/documents", label: WORDS.documents, icon: "document" },
  { path: "/room", label: WORDS.room, icon: "chat" },
  { path: "/kept", label: WORDS.kept, icon: "inbox" },
  { path: "/settings", label: WORDS.settings, icon: "gear" },
];

/**
 * The state of what is saved, in a few words.
 * @param {App} app
 * @returns {{text: string, word: string}}
 */
export function saved(app) {
  const { waiting, refused } = app.store.waiting;
  const { phase } = app.store.engine;
  const isOffline = app.store.isOffline || (phase === "signing_in" && app.store.isAway);
  // What is not on stable storage yet is not said to wait: it could be lost with this page.
  if (app.store.isKeeping) return { text: WORDS.saving, word: "busy" };
  const parts = [];
  if (waiting > 0) parts.push(WORDS.waiting(waiting));
  if (isOffline) parts.push(WORDS.offline);
  if (refused > 0) parts.push(WORDS.refused(refused));
  if (app.store.isMemoryOnly && !app.isBrief) parts.push(WORDS.notKeptOnThisDevice);
  if (parts.length === 0) return phase === "live" ? { text: WORDS.allSaved, word: "saved" } : { text: WORDS.connecting, word: "busy" };
  return { text: parts.join(" · "), word: refused > 0 ? "refused" : isOffline ? "offline" : "busy" };
}

export class Frame {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.place = h("main", { id: "page", tabindex: "-1" });
    this.pill = h("a.pill", { href: "/kept" });
    this.season = /** @type {HTMLSelectElement} */ (h("select", { id: "season", "aria-label": WORDS.season, on: { change: () => this.#chosen() } }));
    this.family = h("span.family", { dir: "auto" });
    this.banner = h("div.banner", { role: "status" });
    this.here = h("span.here", null);
    this.readOnly = h("p.read-only", { role: "status" });
    this.tabs = PAGES.map((page) => h("a", { href: page.path }, icon(page.icon), h("span.label", null, page.label)));
    this.element = h("div.frame", null,
      h("a.skip", { href: "#page" }, WORDS.skipToThePage),
      h("header", null,
        h("div.brand", null, this.family, h("label.season", null, h("span", null, WORDS.season), this.season)),
        h("div.state", null, this.here, this.pill, button("icon", icon("search"), () => openPalette(app, this.acts()), { "aria-label": WORDS.commands, "aria-keyshortcuts": "Control+K Meta+K" }))),
      deletionBanner(app), noticeBanners(app), reminderBanner(app), this.banner, this.readOnly,
      h("nav", { "aria-label": WORDS.pages }, this.tabs),
      this.place,
      app.toasts.element);
    app.store.listen(() => this.update());
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      openPalette(app, this.acts());
    });
    listenForKeys(() => this.acts());
    this.update();
  }

  update() {
    const { app } = this;
    const { engine } = app.store;
    this.family.textContent = engine.familyName ?? app.memberships.find((one) => one.family === engine.family)?.name ?? WORDS.huddle;
    const { text, word } = saved(app);
    this.pill.textContent = text;
    this.pill.className = `pill ${word}`;
    const { athletes, self, role } = app.season;
    const options = role === "athlete" ? athletes.filter((one) => one.id === self) : athletes;
    const stamp = JSON.stringify([options.map((one) => [one.id, one.fields.name]), engine.context, role]);
    if (this.season.dataset.stamp !== stamp) {
      this.season.dataset.stamp = stamp;
      fill(this.season, role !== "athlete" && h("option", { value: "all" }, WORDS.allAthletes), options.map((one) => h("option", { value: one.id }, one.fields.name)));
      this.season.value = engine.context ?? "all";
      this.season.disabled = options.length + (role === "athlete" ? 0 : 1) < 2;
      const place = options.findIndex((one) => one.id === engine.context);
      this.element.dataset.season = String(place < 0 ? "all" : place % 6);
    }
    const others = [...engine.presence.values()].filter((one) => one.member !== self);
    this.here.textContent = others.length === 0 ? "" : WORDS.here(others.map((one) => app.season.nameOf(one.member)).join(", "), others.length === 1 ? WORDS.is : WORDS.are);
    // Whose season nothing can be changed in says so before a button is missed.
    const refusal = self !== undefined && (role === "guest" || app.season.athlete !== undefined) ? app.season.refusal("update", "event") : undefined;
    const told = refusal === undefined ? "" : WORDS.readOnly(refusal.replace(WORDS.nothingWasChanged, ""));
    if (this.readOnly.textContent !== told) this.readOnly.textContent = told;
    if (!app.store.isOffline) fill(this.banner);
    else if (this.banner.childElementCount === 0) {
      fill(this.banner, h("span", null, WORDS.offlineYouSeeTheCopy),
        button("plain", WORDS.retry, () => app.store.check()));
    }
  }

  /**
   * Marks the page that is open.
   * @param {string} path
   */
  shown(path) {
    PAGES.forEach((page, place) => {
      if (path === page.path || path.startsWith(page.path + "/")) this.tabs[place].setAttribute("aria-current", "page");
      else this.tabs[place].removeAttribute("aria-current");
    });
  }

  #chosen() {
    this.app.store.setContext(this.season.value);
  }

  /**
   * What can be done now: by the page that is open, and everywhere.
   * @returns {Map<string, () => void>}
   */
  acts() {
    const { app } = this;
    const go = (/** @type {string} */ path) => () => app.router.go(path);
    /** @type {Map<string, () => void>} */
    const acts = new Map(PAGES.map((page) => [`go-${page.path.slice(1)}`, go(page.path)]));
    if (!this.season.disabled) acts.set("choose-season", () => openSelect(this.season));
    acts.set("palette", () => openPalette(app, this.acts()));
    acts.set("help-keys", () => keysDialog(this.acts()));
    acts.set("undo-last", () => app.undoLast());
    acts.set("redo-last", () => app.redoLast());
    acts.set("history", () => historyDialog(app, undefined));
    acts.set("audit", go("/settings/audit"));
    if (app.season.role !== "guest") acts.set("access", go("/settings/access"));
    acts.set("consents", go("/settings/consent"));
    acts.set("calendar", go("/settings/calendars"));
    acts.set("family", go("/settings/family"));
    acts.set("drafts", go("/kept"));
    acts.set("sessions", go("/settings"));
    if (app.season.role === "parent") acts.set("invites", go("/settings"));
    if (app.store.engine.phase === "offline") acts.set("reconnect", () => app.store.check());
    acts.set("logout", () => app.signOut());
    for (const [name, act] of app.router.page?.acts ?? []) acts.set(name, act);
    return acts;
  }
}
