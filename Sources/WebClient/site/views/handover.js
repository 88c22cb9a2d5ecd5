// A code that a person hands over, or takes to another device of theirs: its link, also as a picture, the code, a button that copies the link.
import { codePictures } from "../screen/code.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/handover.js";
import { labelled } from "./event.js";

/** @typedef {import("./app.js").App} App */

/**
 * Shows a code in a dialog.
 * @param {App} app
 * @param {Element} place everything in it is replaced
 * @param {{text: string, code: string, close: () => void}} parts `text`: what to do with the link
 */
export function handOver(app, place, { text, code, close }) {
  const url = `${location.origin}/#${code}`;
  const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: url, on: { focus: () => field.select() } }));
  const isHereOnly = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  fill(place, h("p", null, text), isHereOnly && h("p.notice", null, WORDS.onThisComputerOnly(location.hostname)), codePictures([[url, WORDS.picture]]), labelled(WORDS.link, field), labelled(WORDS.code, h("input", { readonly: true, value: code }), WORDS.forTheTerminalClient),
    h("div.buttons", null, navigator.clipboard && button("plain", WORDS.copyTheLink, () => navigator.clipboard.writeText(url).then(() => app.toasts.show(WORDS.theLinkIsCopied))), button("primary", WORDS.done, close)));
  field.focus();
}

/**
 * Makes a code that signs the person in on another device.
 * @param {App} app
 */
export async function deviceDialog(app) {
  const answer = await request("POST", "/devices");
  if (answer.status !== 201) return app.toasts.show(sentence(answer));
  const { code, expires_at: end } = answer.content;
  const place = h("div", null);
  return openDialog(WORDS.anotherDevice, (close) => {
    handOver(app, place, { text: WORDS.openThisLink(instantText(end)), code, close });
    return [place];
  });
}
