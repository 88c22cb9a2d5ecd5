// The question who somebody is, before an act that needs a fresh check (`confirm_first`).
import { openDialog } from "../screen/dialog.js";
import { button, h } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { hasPasskeys, show as showPasskey } from "../sessions/passkeys.js";
import { WORDS } from "../words/confirm.js";
import { labelled } from "./event.js";

/** @typedef {import("./app.js").App} App */

/**
 * Asks for the password, so that an act goes that needs a check; then does it again.
 * @param {App} app
 * @param {() => void} again
 */
export function confirmDialog(app, again) {
  const password = /** @type {HTMLInputElement} */ (h("input", { type: "password", autocomplete: "current-password" }));
  const factor = /** @type {HTMLInputElement} */ (h("input", { inputmode: "numeric", autocomplete: "one-time-code" }));
  const error = h("p.error", { role: "alert" });
  openDialog(WORDS.confirmThatItIsYou, (close) => [h("form", {
    novalidate: true, on: {
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const answer = await request("POST", "/account/confirm", { password: password.value, ...(factor.value.trim() ? { one_time: factor.value.trim() } : {}) });
        if (answer.status !== 200) { error.textContent = sentence(answer); return; }
        close();
        again();
      },
    },
  }, h("p", null, WORDS.thisActNeedsYourPassword), labelled(WORDS.password, password), labelled(WORDS.oneTimePassword, factor, WORDS.ifYouHaveASecond), error,
  h("div.buttons", null, button("plain", WORDS.cancel, close), hasPasskeys() && button("plain", WORDS.useAPasskey, async () => {
    const answer = await showPasskey("confirm");
    if (answer.status !== 200) { error.textContent = sentence(answer); return; }
    close();
    again();
  }), h("button.primary", { type: "submit" }, WORDS.confirm)))]);
}
