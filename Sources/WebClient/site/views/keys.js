// Single keys: those of the page that is open and those of all pages, the overlay that lists them, and their switch (WCAG 2.1.4).
import { openDialog } from "../screen/dialog.js";
import { button, h } from "../screen/html.js";
import { WORDS } from "../words/keys.js";
import { COMMANDS } from "../words/commands.js";

/** @typedef {import("../words/commands.js").Command} Command */
/** @typedef {Map<string, () => void>} Acts what can be done now, by the name of the command */

const SETTING = "huddle-single-keys";
/** Switched off where storage is blocked. */
let isOff = false;

/** Whether single keys are commands in this browser. */
export function hasSingleKeys() {
  try {
    return localStorage.getItem(SETTING) !== "off";
  } catch {
    return !isOff;
  }
}

/** @param {boolean} isOn */
function setSingleKeys(isOn) {
  isOff = !isOn;
  try {
    if (isOn) localStorage.removeItem(SETTING);
    else localStorage.setItem(SETTING, "off");
  } catch {
    // Blocked storage: it counts until the page is loaded again.
  }
}

/**
 * Whether keys belong to a field.
 * @param {KeyboardEvent} event
 */
export function isTyping(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/**
 * Gives the focus to a select, and opens it where the browser lets a page do that.
 * @param {HTMLSelectElement} select
 */
export function openSelect(select) {
  select.focus();
  try {
    /** @type {any} */ (select).showPicker();
  } catch {
    // Older browsers open the list with a press of the person's own.
  }
}

/** The switch of single keys, for the overlay and for the settings. */
export function keysSwitch() {
  const box = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "single-keys", checked: hasSingleKeys(), on: { change: () => setSingleKeys(box.checked) } }));
  return h("div.check", null, box, h("label", { for: "single-keys" }, WORDS.singleKeysAreCommands));
}

/**
 * Acts that press the controls of a page that are there now, so that a key does no more than its button.
 * @param {HTMLElement} element
 * @param {{[command: string]: string}} names the beginning of the control's `data-act` by command
 * @returns {Acts}
 */
export function presses(element, names) {
  /** @type {Acts} */
  const acts = new Map();
  for (const [command, name] of Object.entries(names)) {
    const control = /** @type {HTMLElement | null} */ (element.querySelector(`[data-act^="${name}"]`));
    if (control) acts.set(command, () => control.click());
  }
  return acts;
}

/**
 * The commands that can be used now, in the order of the table.
 * @param {Acts} acts
 * @returns {(Command & {act: () => void})[]}
 */
export function available(acts) {
  return COMMANDS.flatMap((command) => {
    const act = acts.get(command.name);
    return act ? [{ ...command, act }] : [];
  });
}

/**
 * Opens the overlay that lists the keys of this page.
 * @param {Acts} acts
 */
export function keysDialog(acts) {
  const rows = available(acts).filter((one) => one.keys !== "");
  openDialog(WORDS.keys, (close) => [
    keysSwitch(),
    h("dl.keys", null, [...rows, { keys: "Ctrl-K", text: WORDS.commandsAndNames }, { keys: "Esc", text: WORDS.closeWhatIsOpen }].map((one) => h("div", null, h("dt", null, one.keys.split(" ").map((key, place) => [place > 0 && " ", h("kbd", null, key)])), h("dd", null, one.text)))),
    h("div.buttons", null, button("primary", WORDS.close, close)),
  ], { wide: true });
}

/**
 * Runs commands by single keys; a field, an open dialog and other modifiers than Shift keep the keys.
 * @param {() => Acts} acts
 */
export function listenForKeys(acts) {
  let prefix = "";
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || [...event.key].length !== 1 || event.key === " "
      || isTyping(event) || !hasSingleKeys() || document.querySelector("dialog[open]")) return;
    const pressed = `${prefix}${event.key}`;
    prefix = "";
    const commands = available(acts());
    const found = commands.find((one) => one.keys === pressed);
    if (!found && !commands.some((one) => one.keys.startsWith(`${pressed} `))) return;
    event.preventDefault();
    if (found) found.act();
    else prefix = `${pressed} `;
  });
}
