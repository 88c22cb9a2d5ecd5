// The page for people who are not signed in: an invite's code, a name with a password, or a sign-in token.
import { button, fill, h } from "../screen/html.js";
import { request, sentence, session } from "../sessions/account.js";
import { nonce } from "../sessions/ids.js";
import { hasPasskeys, show as showPasskey } from "../sessions/passkeys.js";
import { WORDS } from "../words/sign-in.js";

/** @typedef {import("../sessions/store.js").Membership} Membership */
/**
 * @param {string} label
 * @param {{[name: string]: any}} attributes
 * @param {string} [hint]
 */
function field(label, attributes, hint) {
  const id = `sign-in-${attributes.name}`;
  return h("div.field", null,
    h("label", { for: id }, label),
    h("input", { id, ...attributes, ...(hint ? { "aria-describedby": `${id}-hint` } : {}) }),
    hint && h("p.hint", { id: `${id}-hint` }, hint));
}

const COOKIES = WORDS.thisBrowserBlocksCookies;

/**
 * @param {{code: string, reason?: string, signedIn: (memberships: Membership[], isBrief: boolean) => void}} options `code`: from the link with which the
 *   page was opened; `reason`: why the former session ended
 * @returns {HTMLElement}
 */
export function signInPage({ code, reason, signedIn }) {
  const problem = h("p.problem", { role: "alert" });
  const form = /** @type {HTMLFormElement} */ (h("form", { novalidate: true }));
  const brief = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "sign-in-brief", name: "brief" }));
  /** @type {"code" | "name" | "token"} */
  let way = "code";
  /** Drawn once per code: the same request again gets the same answer. */
  let client = nonce();
  let needsName = false, needsFactor = false;

  function show() {
    /** @type {HTMLElement[]} */
    const fields = [];
    if (way === "code") {
      fields.push(field(WORDS.code, { name: "code", value: code, required: true, autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false" },
        WORDS.theCodeOfYourInvite));
      if (needsName) fields.push(field(WORDS.yourName, { name: "name", required: true, autocomplete: "name" }, WORDS.asThePersonWroteIt));
    } else if (way === "name") {
      fields.push(field(WORDS.name, { name: "name", required: true, autocomplete: "username webauthn", autocapitalize: "none", spellcheck: "false" }));
      fields.push(field(WORDS.password, { name: "password", type: "password", required: true, autocomplete: "current-password" }, WORDS.orOneOfYourRecovery));
      if (needsFactor) fields.push(field(WORDS.oneTimePassword, { name: "one_time", required: true, inputmode: "numeric", autocomplete: "one-time-code" },
        WORDS.fromYourAuthenticatorOr));
    } else {
      fields.push(field(WORDS.signInToken, { name: "token", type: "password", required: true, autocomplete: "off" }, WORDS.theTextOf43Letters));
    }
    const others = /** @type {const} */ ([["code", WORDS.useACode], ["name", WORDS.useNameAndPassword], ["token", WORDS.useASignInToken]]).filter(([word]) => word !== way);
    fill(form,
      fields,
      h("div.check", null, brief, h("label", { for: "sign-in-brief" }, WORDS.thisIsNotMyComputer)),
      problem,
      h("div.buttons", null, h("button.primary", { type: "submit" }, WORDS.signIn)),
      h("div.buttons", null, way === "name" && button("plain", WORDS.haveACodeMailed, askForMail), hasPasskeys() && button("plain", WORDS.useAPasskey, usePasskey), others.map(([word, label]) => button("plain", label, () => { way = word; problem.textContent = ""; show(); }))));
    /** @type {HTMLElement | null} */ (form.querySelector("input"))?.focus();
  }

  async function usePasskey() {
    problem.textContent = "";
    const isBrief = brief.checked;
    const answer = await showPasskey("sign-in", isBrief ? { brief: true } : {});
    if (answer.status === 201) enter(answer.content.memberships, isBrief);
    else problem.textContent = sentence(answer);
  }

  /**
   * Goes on once the browser has shown that it keeps the sign-in.
   * @param {Membership[]} memberships
   * @param {boolean} isBrief
   */
  async function enter(memberships, isBrief) {
    if ((await session()).state === "signed_out") {
      problem.textContent = COOKIES;
      return;
    }
    signedIn(memberships, isBrief);
  }

  /** The answer is the same whether anybody has the name or not. */
  async function askForMail() {
    const input = /** @type {HTMLInputElement} */ (form.querySelector("[name=name]"));
    if (input.value.trim() === "") {
      problem.textContent = WORDS.typeYourNameOrYour;
      input.focus();
      return;
    }
    const answer = await request("POST", "/account/recovery", { name: input.value.trim() });
    problem.textContent = answer.status === 202 ? WORDS.typeItInThePlace(answer.content.message) : sentence(answer);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
    const empty = /** @type {HTMLInputElement | undefined} */ ([...form.querySelectorAll("input[required]")].find((one) => /** @type {HTMLInputElement} */ (one).value.trim() === ""));
    if (empty) {
      problem.textContent = WORDS.isRequired(form.querySelector(`label[for="${empty.id}"]`)?.textContent);
      empty.focus();
      return;
    }
    const submit = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
    submit.disabled = true;
    submit.textContent = WORDS.signingIn;
    if (values.code !== undefined && values.code !== code) {
      code = values.code;
      client = nonce();
    }
    const isBrief = brief.checked;
    /** @type {any} */
    const content = { ...(isBrief ? { brief: true } : {}) };
    if (way === "code") Object.assign(content, { code, client, ...(values.name ? { name: values.name } : {}) });
    else if (way === "token") content.token = values.token;
    else {
      content.name = values.name;
      // A recovery code is five groups of letters and digits; no rule keeps a password from looking alike, so it is the second attempt.
      content.password = /** @type {HTMLInputElement} */ (form.querySelector("[name=password]")).value;
      if (values.one_time) content.one_time = values.one_time;
    }
    let answer = await request("POST", "/session", content);
    if (way === "name" && answer.status === 401 && answer.content?.code === "sign_in_failed" && /^[0-9A-Za-z]{4,5}(-[0-9A-Za-z]{4,5}){2,}$/.test(values.password)) {
      answer = await request("POST", "/session", { ...content, password: undefined, recovery_code: values.password });
    }
    submit.disabled = false;
    submit.textContent = WORDS.signIn;
    if (answer.status === 201) {
      await enter(answer.content.memberships, isBrief);
      return;
    }
    if (answer.content?.code === "required" && answer.content?.field === "name") {
      needsName = true;
      problem.textContent = "";
      show();
      /** @type {HTMLElement | null} */ (form.querySelector("[name=name]"))?.focus();
      return;
    }
    if (answer.content?.code === "factor_required" && !needsFactor) {
      const typed = values;
      needsFactor = true;
      show();
      for (const name of ["name", "password"]) /** @type {HTMLInputElement} */ (form.querySelector(`[name=${name}]`)).value = typed[name];
      /** @type {HTMLElement | null} */ (form.querySelector("[name=one_time]"))?.focus();
      return;
    }
    problem.textContent = sentence(answer);
  });

  show();
  const isPlain = location.protocol !== "https:" && !["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return h("main.sign-in", null,
    h("h1", null, WORDS.huddle),
    h("p.subtitle", null, WORDS.theSeasonOfYourFamily),
    reason && h("p.notice", { role: "status" }, reason),
    !navigator.cookieEnabled && h("p.notice", { role: "alert" }, COOKIES),
    isPlain && h("p.notice", null, WORDS.thisAddressHasNo),
    form);
}
