// Your sign-in, under settings: name and password, a second factor, recovery codes, the e-mail address (proto/sessions.md).
import { codePictures } from "../screen/code.js";
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, refill } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { dayText } from "../words/dates.js";
import { WORDS } from "../words/sign-in-ways.js";
import { confirmDialog } from "./confirm.js";
import { labelled } from "./event.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/html.js").Child} Child */
/** @typedef {import("../sessions/account.js").Answer} Answer */
/**
 * The members of `account` (proto/protocol.md, 10f and 10g). `secret`, `address` and `codes` come once.
 * @typedef {{name?: string, factor: boolean, recovery_codes: number, mail?: string, mail_pending?: string, mail_problem?: "refused" | "late", secret?: string, address?: string, codes?: string[]}} Account
 */

/**
 * @param {App} app
 * @param {() => void} ended called when the person's other sessions have ended
 * @returns {{element: HTMLElement, load: () => Promise<void>}}
 */
export function signInWays(app, ended) {
  const rows = h("ul.rows", null);

  async function load() {
    const answer = await request("GET", "/account");
    if (answer.status === 200) show(answer.content);
    else fill(rows, h("li.hint", null, sentence(answer)));
  }

  /** @param {Account} account */
  function show(account) {
    const { name, factor, recovery_codes: left, mail, mail_pending: pending, mail_problem: problem } = account;
    const row = (/** @type {string} */ title, /** @type {string[]} */ lines, /** @type {Child[]} */ ...actions) =>
      h("li", null, h("div", null, h("strong", null, title), lines.map((line) => h("p.hint", { dir: "auto" }, line))), h("div.actions", null, actions));
    // The first button of a row has the same name in each state of it, so that the focus stays there.
    const act = (/** @type {string} */ label, /** @type {() => void} */ press, /** @type {string} */ noun, /** @type {string} */ name, isDanger = false) =>
      button(isDanger ? "danger" : "plain", label, press, { "aria-label": `${label} ${noun}`, "data-act": name });
    refill(rows,
      row(WORDS.nameAndPassword, [name ? WORDS.youSignInAs(name) : WORDS.noPassword],
        button("plain", name ? WORDS.changeNameOrPassword : WORDS.setNameAndPassword, () => passwordDialog(name ?? ""), { "data-act": "password" })),
      // Both belong to a password.
      name && row(WORDS.factor, [factor ? WORDS.factorIsOn : WORDS.factorIsOff],
        act(factor ? WORDS.replace : WORDS.setUp, addFactor, WORDS.factorNoun, "factor"), factor && act(WORDS.turnOff, removeFactor, WORDS.factorNoun, "factor-end", true)),
      name && row(WORDS.recoveryCodes, [left > 0 ? WORDS.codesLeft(left) : WORDS.noCodes], act(left > 0 ? WORDS.makeNew : WORDS.make, () => offerCodes(left), WORDS.codesNoun, "codes")),
      row(WORDS.mail, [...(mail ? [WORDS.mailGoesTo(mail)] : pending ? [] : [WORDS.noMail]), ...(pending ? [problem === "late" ? WORDS.mailWasLate(pending) : problem ? WORDS.mailWasRefused(pending) : WORDS.codeIsSent(pending)] : [])],
        act(mail || pending ? WORDS.change : WORDS.add, mailDialog, WORDS.mailNoun, "mail"), pending && !problem && act(WORDS.enter, () => codeDialog(pending), WORDS.codeNoun, "code"),
        (mail || pending) && act(WORDS.remove, removeMail, WORDS.mailNoun, "mail-end", true)));
  }

  /**
   * Sends a change without content.
   * @param {string} method
   * @param {string} path
   * @param {() => void} again after the person has confirmed who they are
   * @returns {Promise<Account | undefined>} undefined if nothing was changed
   */
  async function change(method, path, again) {
    const answer = await request(method, path);
    if (answer.content?.code === "confirm_first") confirmDialog(app, again);
    else if (answer.status !== 200) app.toasts.show(sentence(answer));
    else {
      show(answer.content);
      return answer.content;
    }
    return undefined;
  }

  /**
   * A form in a dialog, which closes only on success.
   * @param {string} title
   * @param {{content: Child[], field: HTMLInputElement, yes: string, send: () => Promise<Answer>, done: (account: Account) => void}} form
   */
  function accountDialog(title, { content, field, yes, send, done }) {
    const error = h("p.error", { role: "alert" });
    const go = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, yes));
    async function submit() {
      if (go.disabled) return;
      go.disabled = true;
      const answer = await send();
      go.disabled = false;
      if (answer.content?.code === "confirm_first") confirmDialog(app, submit);
      else if (answer.status !== 200) {
        fill(error, sentence(answer));
        field.focus();
      } else {
        close();
        show(answer.content);
        done(answer.content);
      }
    }
    const { close } = openDialog(title, (end) => [h("form", { novalidate: true, on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); submit(); } } },
      content, error, h("div.buttons", null, button("plain", WORDS.cancel, end), go))]);
  }

  /** @param {string} held */
  function passwordDialog(held) {
    const name = /** @type {HTMLInputElement} */ (h("input", { id: "account-name", value: held, autocomplete: "username", autocapitalize: "none", spellcheck: "false", maxlength: "64" }));
    const password = /** @type {HTMLInputElement} */ (h("input", { id: "account-password", type: "password", autocomplete: "new-password" }));
    accountDialog(WORDS.nameAndPassword, {
      content: [labelled(WORDS.name, name, WORDS.nameHint), labelled(WORDS.password, password, WORDS.passwordHint)], field: password, yes: WORDS.save,
      send: () => request("PUT", "/account/password", { name: name.value.trim(), password: password.value }),
      done: () => {
        app.toasts.show(WORDS.savedYourOtherDevicesAre);
        ended();
      },
    });
  }

  async function addFactor() {
    const account = await change("POST", "/account/factor", addFactor);
    if (!account) return;
    const { secret = "", address = "" } = account;
    const key = /** @type {HTMLTextAreaElement} */ (h("textarea", { readonly: true, rows: 2, value: secret.replace(/(.{4})(?=.)/g, "$1 "), dir: "ltr", spellcheck: "false", on: { focus: () => key.select() } }));
    const field = oneTimeField("factor-one-time");
    accountDialog(WORDS.factorTitle, {
      content: [h("p", null, WORDS.factorText), codePictures([[address, WORDS.factorPicture]]), h("a.button.narrow-only", { href: address, "data-outside": true }, WORDS.openAuthenticator), labelled(WORDS.key, key), labelled(WORDS.oneTimePassword, field, WORDS.oneTimeHint)],
      field, yes: WORDS.turnOn, send: () => request("PUT", "/account/factor", { one_time: field.value.replace(/\s/g, "") }),
      done: async ({ recovery_codes: left }) => {
        app.toasts.show(WORDS.factorIsOnNow);
        ended();
        // A lost phone locks out a person without codes.
        if (left === 0 && (await ask(WORDS.codesQuestion, WORDS.codesReason, { yes: WORDS.makeCodes, no: WORDS.later }))) makeCodes();
      },
    });
    field.focus();
  }

  async function removeFactor() {
    if (await ask(WORDS.factorQuestion, WORDS.factorLoss, { yes: WORDS.turnOff, danger: true })) endFactor();
  }

  async function endFactor() {
    if (await change("DELETE", "/account/factor", endFactor)) gone("factor", WORDS.factorIsOffNow);
  }

  /** @param {number} left */
  async function offerCodes(left) {
    if (left === 0 || (await ask(WORDS.newCodesQuestion, WORDS.newCodesLoss(left), { yes: WORDS.makeCodes, danger: true }))) makeCodes();
  }

  async function makeCodes() {
    const account = await change("POST", "/account/recovery-codes", makeCodes);
    if (!account) return;
    const { codes = [], name = "" } = account;
    openDialog(WORDS.recoveryCodes, (close) => [
      h("p", null, WORDS.codesText(codes.length)), h("ol.secrets", { "aria-label": WORDS.recoveryCodes }, codes.map((code) => h("li", null, code))),
      h("p.print-only", { dir: "auto" }, WORDS.codesOf(name, location.host, dayText(app.season.today))),
      h("div.buttons.no-print", null,
        navigator.clipboard && button("plain", WORDS.copy, () => navigator.clipboard.writeText(codes.join("\n")).then(() => app.toasts.show(WORDS.copied))),
        button("plain", WORDS.print, () => {
          document.documentElement.dataset.print = "dialog";
          addEventListener("afterprint", () => { delete document.documentElement.dataset.print; }, { once: true });
          print();
        }), button("primary", WORDS.done, close, { autofocus: true })),
    ]);
  }

  function mailDialog() {
    const field = /** @type {HTMLInputElement} */ (h("input", { type: "email", autocomplete: "email", maxlength: "254", autocapitalize: "none", spellcheck: "false" }));
    accountDialog(WORDS.mail, {
      content: [h("p", null, WORDS.mailText), labelled(WORDS.mail, field)], field, yes: WORDS.sendCode, send: () => request("PUT", "/account/mail", { address: field.value.trim() }),
      done: ({ mail_pending: pending }) => { if (pending) codeDialog(pending); },
    });
  }

  /** @param {string} address masked */
  function codeDialog(address) {
    const field = /** @type {HTMLInputElement} */ (h("input", { id: "mail-code", autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false", maxlength: "40" }));
    accountDialog(WORDS.confirmMail, {
      content: [h("p", { dir: "auto" }, WORDS.codeIsSent(address)), labelled(WORDS.code, field)], field, yes: WORDS.confirm, send: () => request("POST", "/account/mail", { code: field.value.trim() }),
      done: ({ mail = "" }) => app.toasts.show(WORDS.mailGoesTo(mail)),
    });
  }

  async function removeMail() {
    if (await ask(WORDS.mailQuestion, WORDS.mailLoss, { yes: WORDS.remove, danger: true })) endMail();
  }

  async function endMail() {
    if (await change("DELETE", "/account/mail", endMail)) gone("mail", WORDS.mailIsRemoved);
  }

  /**
   * The button that was pressed is gone: the focus goes to its neighbour.
   * @param {string} name
   * @param {string} done
   */
  function gone(name, done) {
    /** @type {HTMLElement | null} */ (rows.querySelector(`[data-act=${name}]`))?.focus();
    app.toasts.show(done);
  }

  return { element: h("section", null, h("h2", null, WORDS.yourSignIn), rows), load };
}

/**
 * @param {string} id
 * @returns {HTMLInputElement}
 */
function oneTimeField(id) {
  return /** @type {HTMLInputElement} */ (h("input", { id, inputmode: "numeric", autocomplete: "one-time-code", maxlength: "12" }));
}
