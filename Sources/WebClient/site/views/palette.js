// The palette: commands, seasons and records by a few letters.
import { openDialog } from "../screen/dialog.js";
import { fill, h } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { counted } from "../words/dates.js";
import { WORDS } from "../words/palette.js";
import { available } from "./keys.js";
import { shortened, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./keys.js").Acts} Acts */
/** @typedef {{label: string, detail: string, keys: string, sign: string, words: string, act: () => void}} Row */

/** The rows that are shown at most, and of them records of a kind. */
const MAX_ROWS = 50;
const MAX_RECORDS = 6;
const RECORDS = [["event", "/events/ID", "calendar"], ["trip", "/trips/ID", "car"], ["document", "/documents/ID/about", "document"]];

/**
 * Whether each word of what is typed begins somewhere in a text.
 * @param {string} text
 * @param {string} typed
 */
function fits(text, typed) {
  const folded = text.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => folded.includes(word));
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {App} app
 * @param {Acts} acts what can be done now
 */
export function openPalette(app, acts) {
  if (document.querySelector("dialog[open]")) return;
  const { season } = app;
  /** @type {Row[]} */
  const commands = available(acts).filter((one) => one.name !== "palette").map((one) => ({
    label: capital(one.text), detail: one.mode === "line" ? `/${one.name}` : one.name, keys: one.keys, sign: "chevron", words: `${one.text} ${one.name} /${one.name}`, act: one.act,
  }));
  const seasons = [...season.athletes.map((one) => ({ id: one.id, name: String(one.fields.name) })), ...(season.role === "athlete" ? [] : [{ id: "all", name: WORDS.allAthletes }])];
  for (const { id, name } of seasons.length > 1 ? seasons : []) {
    commands.push({ label: WORDS.seasonOf(name), detail: `/context ${name}`, keys: "", sign: "person", words: WORDS.seasonOfContext(name), act: () => app.store.setContext(id) });
  }
  const input = /** @type {HTMLInputElement} */ (h("input", {
    type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": WORDS.commandOrName, placeholder: WORDS.commandEventTripDocument, autocomplete: "off", spellcheck: "false",
  }));
  const list = h("ul.palette", { id: "palette-list", role: "listbox", "aria-label": WORDS.matches });
  const state = h("p.hint", { role: "status" });
  let selected = 0;
  /** @type {Row[]} */
  let shown = [];
  let dismiss = () => {};
  const choose = (/** @type {number} */ place) => {
    const one = shown[place];
    dismiss();
    one?.act();
  };
  const mark = () => {
    [...list.children].forEach((child, place) => child.setAttribute("aria-selected", String(place === selected)));
    if (shown.length === 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `palette-${selected}`);
      list.children[selected].scrollIntoView({ block: "nearest" });
    }
  };
  const update = () => {
    const typed = input.value.trim();
    /** @type {Row[]} */
    const records = typed.length < 2 ? [] : RECORDS.flatMap(([kind, path, sign]) => season.list({ kind, search: typed }).slice(0, MAX_RECORDS)
      .map((record) => ({ label: shortened(titleOf(record), 80), detail: kind, keys: "", sign, words: "", act: () => app.router.go(path.replace("ID", record.id)) })));
    shown = [...commands.filter((one) => fits(one.words, typed)), ...records].slice(0, MAX_ROWS);
    selected = 0;
    fill(list, shown.map((one, place) => h("li", { role: "option", id: `palette-${place}`, "aria-selected": "false", on: { click: () => choose(place) } },
      icon(one.sign), h("span.label", { dir: "auto" }, one.label), h("span.detail", { dir: "auto" }, one.detail), one.keys !== "" && h("kbd", null, one.keys))));
    state.textContent = shown.length === 0 ? WORDS.nothingHasTheseLetters : WORDS.typeToFindEventsTrips(counted(shown.length, WORDS.match, WORDS.matches2));
    mark();
  };
  input.addEventListener("input", update);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      selected = shown.length === 0 ? 0 : (selected + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % shown.length;
      mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(selected);
    }
  });
  const { close } = openDialog(WORDS.commands, () => [input, list, state]);
  dismiss = close;
  update();
  input.focus();
}
