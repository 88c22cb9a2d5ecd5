// The page for a person who is signed in and has the code of an invite to another family: one person stays one person.
import { button, h } from "../screen/html.js";
import { request, sentence, session } from "../sessions/account.js";
import { nonce } from "../sessions/ids.js";
import { WORDS } from "../words/add-family.js";
import { labelled } from "./event.js";

/** @typedef {import("../sessions/store.js").Membership} Membership */

/**
 * @param {{code: string, memberships: Membership[], added: (membership: Membership) => void, other: (code: string) => void, back: () => void}} options
 *   `code`: from the link with which the page was opened; `other`: the code is for another person
 * @returns {HTMLElement}
 */
export function addFamilyPage({ code, memberships, added, other, back }) {
  const typed = /** @type {HTMLInputElement} */ (h("input", { value: code, required: true, autocomplete: "one-time-code", autocapitalize: "characters", spellcheck: "false" }));
  const name = /** @type {HTMLInputElement} */ (h("input", { autocomplete: "name" }));
  const nameField = labelled(WORDS.name, name, WORDS.nameHint), problem = h("p.problem", { role: "alert" });
  /** Drawn once per code: the same request again gets the same answer. */
  let client = nonce();
  nameField.hidden = true;
  typed.addEventListener("input", () => { client = nonce(); });

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const answer = await request("POST", "/families", { code: typed.value.trim(), client, ...(name.value.trim() ? { name: name.value.trim() } : {}) });
    if (answer.status === 201) return added(answer.content.membership);
    // The answer to an earlier attempt may be lost.
    const known = answer.content?.code === "code_unknown" ? await session() : undefined;
    const found = known?.state === "signed_in" && known.memberships.find((one) => !memberships.some((other) => other.family === one.family));
    if (found) return added(found);
    const isNameAsked = answer.content?.code === "required" && answer.content?.field === "name" && nameField.hidden;
    problem.textContent = isNameAsked ? "" : sentence(answer);
    if (isNameAsked) nameField.hidden = false;
    return (isNameAsked || answer.content?.field === "name" ? name : typed).focus();
  }

  return h("main.sign-in", null, h("h1", null, WORDS.title),
    h("p.subtitle", null, WORDS.youAreSignedIn(memberships.map((one) => one.name).join(WORDS.between))),
    h("form", { novalidate: true, on: { submit } }, labelled(WORDS.code, typed, WORDS.codeHint), nameField, problem,
      h("div.buttons", null, h("button.primary", { type: "submit" }, WORDS.add)),
      h("div.buttons", null, button("plain", WORDS.other, () => other(typed.value.trim())), button("plain", WORDS.back, back))));
}
