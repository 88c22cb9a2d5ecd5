// The frame around every page: whose season is open, the pages, the state of what is saved.
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { counted } from "../words/dates.js";

/** @typedef {import("./app.js").App} App */

const PAGES = [
  { path: "/events", label: "Events", icon: "calendar" },
  { path: "/trips", label: "Trips", icon: "car" },
  { path: "/documents", label: "Documents", icon: "document" },
  { path: "/room", label: "Room", icon: "chat" },
  { path: "/kept", label: "Kept", icon: "inbox" },
  { path: "/settings", label: "Settings", icon: "gear" },
];

/**
 * The state of what is saved, in a few words.
 * @param {App} app
 * @returns {{text: string, word: string}}
 */
export function saved(app) {
  const { waiting, refused } = app.store.waiting;
  const { phase } = app.store.engine;
  const isOffline = phase === "offline" || phase === "signing_in" || phase === "stopped";
  // What is not on stable storage yet is not said to wait: it could be lost with this page.
  if (app.store.isKeeping) return { text: "Saving …", word: "busy" };
  const parts = [];
  if (waiting > 0) parts.push(`${waiting} waiting`);
  if (isOffline) parts.push("offline");
  if (refused > 0) parts.push(`${refused} refused`);
  if (app.store.isMemoryOnly && !app.isBrief) parts.push("not kept on this device");
  if (parts.length === 0) return phase === "live" ? { text: "All saved", word: "saved" } : { text: "Connecting …", word: "busy" };
  return { text: parts.join(" · "), word: refused > 0 ? "refused" : isOffline ? "offline" : "busy" };
}

export class Frame {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.place = h("main", { id: "page", tabindex: "-1" });
    this.pill = h("a.pill", { href: "/kept" });
    this.season = /** @type {HTMLSelectElement} */ (h("select", { id: "season", "aria-label": "Season", on: { change: () => this.#chosen() } }));
    this.family = h("span.family", { dir: "auto" });
    this.banner = h("div.banner", { role: "status" });
    this.here = h("span.here", null);
    this.tabs = PAGES.map((page) => h("a", { href: page.path }, icon(page.icon), h("span.label", null, page.label)));
    this.element = h("div.frame", null,
      h("a.skip", { href: "#page" }, "Skip to the page"),
      h("header", null,
        h("div.brand", null, this.family, h("label.season", null, h("span", null, "Season"), this.season)),
        h("div.state", null, this.here, this.pill)),
      this.banner,
      h("nav", { "aria-label": "Pages" }, this.tabs),
      this.place,
      app.toasts.element);
    app.store.listen(() => this.update());
    addEventListener("keydown", (event) => this.#key(event));
    this.update();
  }

  update() {
    const { app } = this;
    const { engine } = app.store;
    this.family.textContent = engine.familyName ?? app.memberships.find((one) => one.family === engine.family)?.name ?? "Huddle";
    const { text, word } = saved(app);
    this.pill.textContent = text;
    this.pill.className = `pill ${word}`;
    const { athletes, self, role } = app.season;
    const options = role === "athlete" ? athletes.filter((one) => one.id === self) : athletes;
    const stamp = JSON.stringify([options.map((one) => [one.id, one.fields.name]), engine.context, role]);
    if (this.season.dataset.stamp !== stamp) {
      this.season.dataset.stamp = stamp;
      fill(this.season, role !== "athlete" && h("option", { value: "all" }, "All athletes"), options.map((one) => h("option", { value: one.id }, one.fields.name)));
      this.season.value = engine.context ?? "all";
      this.season.disabled = options.length + (role === "athlete" ? 0 : 1) < 2;
      const place = options.findIndex((one) => one.id === engine.context);
      this.element.dataset.season = String(place < 0 ? "all" : place % 6);
    }
    const others = [...engine.presence.values()].filter((one) => one.member !== self);
    this.here.textContent = others.length === 0 ? "" : `${others.map((one) => app.season.nameOf(one.member)).join(", ")} ${others.length === 1 ? "is" : "are"} here`;
    const isOffline = engine.phase === "offline" || engine.phase === "stopped";
    if (!isOffline) fill(this.banner);
    else if (this.banner.childElementCount === 0) {
      fill(this.banner, h("span", null, "Offline. You see the copy on this device; what you change is sent when the connection is back."),
        button("plain", "Retry", () => app.store.check()));
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

  /** @param {KeyboardEvent} event */
  #key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      this.#palette();
    }
  }

  /** Commands and records by name. */
  #palette() {
    if (document.querySelector("dialog[open]")) return;
    const { app } = this;
    /** @type {{label: string, act: () => void}[]} */
    const commands = PAGES.map((page) => ({ label: `Go to ${page.label}`, act: () => app.router.go(page.path) }));
    if (app.season.mayCreate("event")) commands.push({ label: "New event", act: () => app.router.go("/events/create") });
    for (const athlete of app.season.athletes) commands.push({ label: `Season of ${athlete.fields.name}`, act: () => app.store.setContext(athlete.id) });
    if (app.season.role !== "athlete") commands.push({ label: "Season of all athletes", act: () => app.store.setContext("all") });
    commands.push({ label: "Sign out", act: () => app.signOut() });
    const input = /** @type {HTMLInputElement} */ (h("input", {
      type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-label": "Command or name", placeholder: "Command, event, trip …",
      autocomplete: "off",
    }));
    const list = h("ul.palette", { id: "palette-list", role: "listbox", "aria-label": "Matches" });
    let selected = 0;
    /** @type {{label: string, act: () => void}[]} */
    let shown = [];
    let dismiss = () => {};
    const update = () => {
      const text = input.value.trim();
      const words = text.toLowerCase();
      const found = (/** @type {string} */ kind, /** @type {string} */ path) => text.length < 2 ? [] : app.season.list({ kind, search: text }).slice(0, 6)
        .map((record) => ({ label: record.fields.name ?? record.fields.title, act: () => app.router.go(path.replace("ID", record.id)) }));
      shown = [...commands.filter((one) => one.label.toLowerCase().includes(words)), ...found("event", "/events/ID"), ...found("trip", "/trips/ID"), ...found("document", "/documents/ID/about")].slice(0, 12);
      selected = Math.min(selected, Math.max(shown.length - 1, 0));
      fill(list, shown.map((one, place) => h("li", {
        role: "option", id: `palette-${place}`, "aria-selected": String(place === selected), on: { click: () => choose(place) },
      }, one.label)));
      if (shown.length > 0) input.setAttribute("aria-activedescendant", `palette-${selected}`);
      else input.removeAttribute("aria-activedescendant");
    };
    const choose = (/** @type {number} */ place) => {
      const one = shown[place];
      dismiss();
      one?.act();
    };
    input.addEventListener("input", () => { selected = 0; update(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        selected = shown.length === 0 ? 0 : (selected + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length;
        update();
      } else if (event.key === "Enter") {
        event.preventDefault();
        choose(selected);
      }
    });
    const { close } = openDialog("Commands", () => [input, list, h("p.hint", null, `${counted(commands.length, "command")}; type to find events, trips and documents, too.`)]);
    dismiss = close;
    update();
    input.focus();
  }
}
