// Dialogs and short messages. A dialog is the browser's own: it holds the focus, closes with Esc, and gives the focus back.
import { button, h } from "./html.js";
import { icon } from "./icons.js";
import { WORDS } from "../words/dialog.js";

/** @typedef {import("./html.js").Child} Child */

let count = 0;

/**
 * Opens a dialog.
 * @param {string} title
 * @param {(close: () => void) => Child[]} content
 * @param {{wide?: boolean, closed?: () => void, mayClose?: () => boolean}} options
 * @returns {{element: HTMLDialogElement, close: () => void}}
 */
export function openDialog(title, content, { wide = false, closed, mayClose } = {}) {
  count += 1;
  const id = `dialog-${count}`;
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const element = /** @type {HTMLDialogElement} */ (h(wide ? "dialog.wide" : "dialog", { "aria-labelledby": id }));
  const close = () => element.close();
  element.append(h("h2", { id }, title), ...content(close).filter((child) => child instanceof Node).map((child) => /** @type {Node} */ (child)));
  element.addEventListener("cancel", (event) => {
    if (mayClose && !mayClose()) event.preventDefault();
  });
  element.addEventListener("close", () => {
    element.remove();
    // A page that was drawn again meanwhile has the same control under the same name.
    const again = opener?.isConnected || opener?.dataset.act === undefined ? opener : /** @type {HTMLElement | null} */ (document.querySelector(`[data-act="${CSS.escape(opener.dataset.act)}"]`));
    if (again?.isConnected) again.focus();
    closed?.();
  });
  document.body.append(element);
  element.showModal();
  return { element, close };
}

/**
 * Asks a question with two answers.
 * @param {string} title
 * @param {string} text
 * @param {{yes: string, no?: string, danger?: boolean}} answers
 * @returns {Promise<boolean>} false also for Esc
 */
export function ask(title, text, { yes, no = WORDS.cancel, danger = false }) {
  return new Promise((resolve) => {
    let answer = false;
    openDialog(title, (close) => [
      h("p", null, text),
      h("div.buttons", null,
        button("plain", no, close, { autofocus: danger }),
        button(danger ? "danger" : "primary", yes, () => { answer = true; close(); }, { autofocus: !danger })),
    ], { closed: () => resolve(answer) });
  });
}

/** The messages at the foot of the window; a screen reader reads them without moving the focus. */
export class Toasts {
  constructor() {
    this.element = h("div.toasts", { role: "status", "aria-live": "polite" });
  }

  /**
   * Shows a message for ten seconds, or until the next three.
   * @param {string} text
   * @param {{label: string, act: () => void}} [action]
   */
  show(text, action) {
    const toast = h("div.toast", null, h("span", { dir: "auto" }, text));
    const close = () => toast.remove();
    if (action) toast.append(button("plain", action.label, () => { close(); action.act(); }));
    toast.append(button("icon", icon("close"), close, { "aria-label": WORDS.closeThisMessage }));
    this.element.append(toast);
    while (this.element.children.length > 3) this.element.firstElementChild?.remove();
    let timer = setTimeout(close, 10_000);
    // Time for slow readers: a message in use does not go away (WCAG 2.2.1).
    toast.addEventListener("focusin", () => clearTimeout(timer));
    toast.addEventListener("mouseenter", () => clearTimeout(timer));
    toast.addEventListener("mouseleave", () => { timer = setTimeout(close, 10_000); });
  }
}
