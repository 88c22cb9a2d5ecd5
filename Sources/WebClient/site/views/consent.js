// Who may sign in: consents of parents for athletes of 13 to 17, birth dates, last days of guests, seasons of former athletes.
import { sha256 } from "../crypto/sha256.js";
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { newId, nonce } from "../sessions/ids.js";
import { counted, dateText, instantText } from "../words/dates.js";
import { unanswered } from "./answers.js";
import { labelled } from "./event.js";
import { titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {{member: string, role: string, state: string, signed_in: boolean, invited: boolean, last_day?: string, consent?: {by: string, at: number, version: string}}} Standing */

/**
 * Markdown as the text of consent has it: headings, lists, paragraphs. What is written otherwise stays as it is.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function proseOf(text) {
  /** @type {HTMLElement[]} */
  const parts = [];
  /** @type {string[]} */
  let lines = [];
  let isList = false;
  const close = () => {
    if (lines.length > 0) parts.push(isList ? h("ul.bullets", null, lines.map((line) => h("li", null, line))) : h("p", null, lines.join(" ")));
    [lines, isList] = [[], false];
  };
  for (const line of text.split("\n")) {
    const heading = /^(#{1,6}) +(.*)$/.exec(line), point = /^ *[-*] +(.*)$/.exec(line);
    if (heading) {
      close();
      parts.push(h(heading[1].length === 1 ? "h3.first" : "h3", null, heading[2]));
    } else if (point) {
      if (!isList) close();
      isList = true;
      lines.push(point[1]);
    } else if (line.trim() === "") close();
    else if (isList) lines[lines.length - 1] += ` ${line.trim()}`;
    else lines.push(line.trim());
  }
  close();
  return parts;
}

/**
 * Whether a parent should act: an athlete has the age for a sign-in and has none.
 * @param {Standing} one
 */
export function isDue(one) {
  return one.role === "athlete" && ["consent_needed", "consented", "open"].includes(one.state) && !one.signed_in && !one.invited;
}

/**
 * The state of a sign-in, in words.
 * @param {Standing} one
 */
function stateText(one) {
  const signIn = one.signed_in ? "has signed in" : one.invited ? "is invited" : "has not signed in yet";
  switch (one.state) {
    case "under_age": return "No sign-in: below 13 a parent keeps the profile.";
    case "age_unknown": return "No sign-in: the birth date is missing.";
    case "consent_needed": return "No sign-in: no parent has consented.";
    case "ended": return `No sign-in: the last day is over${one.last_day ? ` (${dateText(one.last_day)})` : ""}.`;
    default: return `May sign in, and ${signIn}.${one.last_day ? ` Last day: ${dateText(one.last_day)}.` : ""}`;
  }
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function consentPage(app) {
  const { season } = app;
  const due = h("div", null), list = h("ul.rows", { "aria-label": "Members" }), state = h("div.nothing", null), text = h("details", { hidden: true }), former = h("section", { hidden: true });
  /** @type {{version: string, text: string, standings: Standing[]} | undefined} */
  let told;
  let isWaiting = false;

  async function load() {
    if (!told) skeleton(state);
    try {
      told = /** @type {any} */ (await app.store.ask((request) => ({ type: "standings", request })));
      isWaiting = false;
      fill(state);
    } catch (error) {
      isWaiting = app.store.engine.phase !== "live";
      if (!told) fill(state, h("p.problem", { role: "alert" }, isWaiting ? "This page comes from the server. It is shown when the connection is back." : unanswered(error)), !isWaiting && button("plain", "Try again", load));
    }
    show();
  }

  /**
   * Sends a request about a member, and shows the answer; false if it was refused, and the person has been told.
   * @param {{type: string, member: string, version?: string, sha256?: string, born?: string, day?: string}} frame
   * @param {string} done
   */
  async function act(frame, done) {
    try {
      const answer = /** @type {any} */ (await app.store.ask((request) => ({ ...frame, request })));
      if (told) told = { ...told, standings: told.standings.map((one) => (one.member === answer.standing.member ? answer.standing : one)) };
      show();
      app.toasts.show(done);
      return true;
    } catch (error) {
      app.toasts.show(unanswered(error));
      return false;
    }
  }

  /** @param {Standing} one */
  function consentDialog(one) {
    if (!told) return;
    const { version, text: words } = told;
    const name = season.nameOf(one.member);
    const read = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "consent-read" }));
    openDialog(`Consent to a sign-in for ${name}`, (close) => {
      const agree = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit", disabled: true }, "I consent"));
      read.addEventListener("change", () => { agree.disabled = !read.checked; });
      return [
        h("div.prose", { tabindex: "0", role: "region", "aria-label": "Text of the consent" }, proseOf(words)), h("p.hint", null, `Version ${version}`),
        h("form", {
          on: {
            submit: async (/** @type {Event} */ event) => {
              event.preventDefault();
              if (agree.disabled) return;
              agree.disabled = true;
              const isDone = await act({ type: "consent", member: one.member, version, sha256: sha256(words) }, `You have consented to a sign-in for ${name}`);
              agree.disabled = false;
              if (!isDone) return;
              close();
              inviteDialog(one.member);
            },
          },
        }, h("div.check", null, read, h("label", { for: "consent-read" }, `I am a parent of ${name}, and I have read this text.`)),
        h("div.buttons", null, button("plain", "Cancel", close), agree)),
      ];
    }, { wide: true });
  }

  /** @param {string} member */
  function inviteDialog(member) {
    const name = season.nameOf(member);
    const id = newId(), secret = nonce();
    const error = h("p.error", { role: "alert" });
    openDialog(`Invite ${name}`, (close) => {
      const place = h("div", null);
      const go = button("primary", "Make a link", async () => {
        try {
          const { code } = /** @type {any} */ (await app.store.ask((request) => ({ type: "invite", request, id, nonce: secret, member })));
          const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: `${location.origin}/#${code}`, on: { focus: () => field.select() } }));
          fill(place, h("p", null, `Give this link to ${name}. It is good once and for seven days.`), labelled("Link", field), labelled("Code", h("input", { readonly: true, value: code }), "For the terminal client: huddle join CODE"),
            h("div.buttons", null, button("primary", "Done", close)));
          field.focus();
          load();
        } catch (refusal) {
          error.textContent = unanswered(refusal);
        }
      });
      place.append(h("p", null, `${name} signs in with a link that you hand over yourself.`), error, h("div.buttons", null, button("plain", "Later", close), go));
      return [place];
    });
  }

  /** @param {Standing} one */
  async function withdraw(one) {
    const name = season.nameOf(one.member);
    if (!(await ask(`Withdraw the consent for ${name}?`, `${name} is signed out everywhere, and cannot sign in any more. What ${name} wrote stays.`, { yes: "Withdraw", danger: true }))) return;
    await act({ type: "withdraw_consent", member: one.member }, `The consent for ${name} is withdrawn`);
  }

  /**
   * @param {string} title
   * @param {string} label
   * @param {string} hint
   * @param {string} held
   * @param {(date: string) => Promise<boolean>} save
   * @param {{label: string, act: () => Promise<boolean>}} [other]
   */
  function dayDialog(title, label, hint, held, save, other) {
    const date = /** @type {HTMLInputElement} */ (h("input", { type: "date", value: held }));
    const error = h("p.error", { role: "alert" });
    openDialog(title, (close) => [h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          error.textContent = date.value === "" ? `${label} is required` : "";
          if (date.value !== "" && await save(date.value)) close();
        },
      },
    }, labelled(label, date, hint), error, h("div.buttons", null, button("plain", "Cancel", close), other && button("plain", other.label, async () => { if (await other.act()) close(); }), h("button.primary", { type: "submit" }, "Save")))]);
  }

  /** @param {Standing} one */
  function row(one) {
    const name = season.nameOf(one.member);
    const isParent = season.role === "parent";
    const { consent } = one;
    return h("li", null,
      h("div", null, h("strong", { dir: "auto" }, name), one.member === season.self && " (you)", h("p.hint", null, stateText(one)),
        consent && h("p.hint", null, `${season.nameOf(consent.by)} consented (${instantText(consent.at)}, ${consent.version}).`)),
      isParent && h("div.actions", null,
        one.state === "consent_needed" && button("primary", "Read and consent …", () => consentDialog(one), { "aria-label": `Read and consent to a sign-in for ${name}`, "data-act": `consent ${one.member}` }),
        ["open", "consented"].includes(one.state) && !one.signed_in && !one.invited && button("primary", "Invite …", () => inviteDialog(one.member), { "aria-label": `Invite ${name}`, "data-act": `invite ${one.member}` }),
        consent && one.state === "consented" && button("danger", "Withdraw", () => withdraw(one), { "aria-label": `Withdraw the consent for ${name}`, "data-act": `withdraw ${one.member}` }),
        one.role === "athlete" && button("plain", "Birth date …", () => dayDialog(`Birth date of ${name}`, "Birth date", "It is shown to nobody, and opens no sign-in by itself. A younger age closes one.", "",
          (born) => act({ type: "birth_date", member: one.member, born: born }, `The birth date of ${name} is corrected`)), { "aria-label": `Correct the birth date of ${name}`, "data-act": `born ${one.member}` }),
        one.role === "guest" && button("plain", "Last day …", () => dayDialog(`Last day of ${name}`, "Last day", "On the day after, the guest is out of the family.", one.last_day ?? "",
          (day) => act({ type: "last_day", member: one.member, day: day }, `The last day of ${name} is ${dateText(day)}`),
          one.last_day === undefined ? undefined : { label: "Stays without an end", act: () => act({ type: "last_day", member: one.member }, `${name} stays without an end`) }), { "aria-label": `Last day of ${name}`, "data-act": `day ${one.member}` })));
  }

  /** Athletes who are no members any more, and whose records stay. */
  function formerAthletes() {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const event of season.records("event")) {
      if (event.athlete !== undefined && !season.find("member", event.athlete)) counts.set(event.athlete, (counts.get(event.athlete) ?? 0) + 1);
    }
    return [...counts];
  }

  function show() {
    const isParent = season.role === "parent";
    const standings = told?.standings ?? [];
    const waiting = isParent ? standings.filter(isDue) : [];
    fill(due, waiting.map((one) => h("p.notice", null, one.state === "consent_needed" ? `${season.nameOf(one.member)} is old enough for a sign-in, if a parent consents.` : `${season.nameOf(one.member)} is old enough for a sign-in: send an invite.`)));
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const held = active && list.contains(active) ? active.dataset.act : undefined;
    fill(list, standings.map(row));
    if (held !== undefined) /** @type {HTMLElement | null} */ (list.querySelector(`[data-act="${held}"]`))?.focus();
    text.hidden = !told;
    if (told && text.dataset.version !== told.version) {
      text.dataset.version = told.version;
      fill(text, h("summary", null, `Text of the consent in force (${told.version})`), h("div.prose", null, proseOf(told.text)));
    }
    const gone = formerAthletes();
    former.hidden = gone.length === 0;
    fill(former, h("h2", null, "Seasons of former athletes"), h("p.hint", null, "The records of an athlete who left stay with the family. Parents may change them as before."),
      h("ul.rows", null, gone.map(([id, count]) => {
        const record = app.store.engine.record(id);
        return h("li", null, h("div", null, h("strong", { dir: "auto" }, record ? titleOf(record) : "A former athlete"), h("p.hint", null, counted(count, "event"))), h("div.actions", null, link(`/events?athlete=${id}`, "Show the season", { class: "button plain" })));
      })));
  }

  load();
  return {
    title: "Sign-ins of members",
    update: (ids) => {
      if (isWaiting && app.store.engine.phase === "live") { isWaiting = false; load(); } else if (ids === undefined || ids.size > 0) show();
    },
    element: h("section.log-page", null, h("p", null, link("/settings", "← Back to Settings")), h("h1", null, "Sign-ins of members"),
      h("p.subtitle", null, "Consents for athletes of 13 to 17, birth dates, and last days of guests"), due, state, list, text, former),
  };
}
