// Who may sign in: consents of parents for athletes of 13 to 17, birth dates, last days of guests, seasons of former athletes.
import { sha256 } from "../crypto/sha256.js";
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { request, sentence } from "../sessions/account.js";
import { newId, nonce } from "../sessions/ids.js";
import { counted, dateText, instantText } from "../words/dates.js";
import { WORDS } from "../words/consent.js";
import { unanswered } from "./answers.js";
import { confirmDialog } from "./confirm.js";
import { labelled } from "./event.js";
import { handOver } from "./handover.js";
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
  const signIn = one.signed_in ? WORDS.hasSignedIn : one.invited ? WORDS.isInvited : WORDS.hasNotSignedInYet;
  switch (one.state) {
    case "under_age": return WORDS.noSignInBelow13;
    case "age_unknown": return WORDS.noSignInTheBirth;
    case "consent_needed": return WORDS.noSignInNoParent;
    case "ended": return WORDS.noSignInTheLast(one.last_day ? ` (${dateText(one.last_day)})` : "");
    default: return WORDS.maySignInAnd(signIn, one.last_day ? WORDS.lastDay(dateText(one.last_day)) : "");
  }
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function consentPage(app) {
  const { season } = app;
  const due = h("div", null), list = h("ul.rows", { "aria-label": WORDS.members }), state = h("div.nothing", null), text = h("details", { hidden: true }), former = h("section", { hidden: true });
  /** @type {{version: string, text: string, standings: Standing[]} | undefined} */
  let told;
  let isWaiting = false;
  /** Members about whose first sign-in the page has asked, each once. */
  const seen = new Set();

  async function load() {
    if (!told) skeleton(state);
    try {
      told = /** @type {any} */ (await app.store.ask((request) => ({ type: "standings", request })));
      isWaiting = false;
      fill(state);
    } catch (error) {
      isWaiting = app.store.engine.phase !== "live";
      if (!told) fill(state, h("p.problem", { role: "alert" }, isWaiting ? WORDS.thisPageComesFromThe : unanswered(error)), !isWaiting && button("plain", WORDS.tryAgain, load));
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
    openDialog(WORDS.consentToASignIn(name), (close) => {
      const agree = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit", disabled: true }, WORDS.iConsent));
      read.addEventListener("change", () => { agree.disabled = !read.checked; });
      return [
        h("div.prose", { tabindex: "0", role: "region", "aria-label": WORDS.textOfTheConsent }, proseOf(words)), h("p.hint", null, WORDS.version(version)),
        h("form", {
          on: {
            submit: async (/** @type {Event} */ event) => {
              event.preventDefault();
              if (agree.disabled) return;
              agree.disabled = true;
              const isDone = await act({ type: "consent", member: one.member, version, sha256: sha256(words) }, WORDS.youHaveConsentedToA(name));
              agree.disabled = false;
              if (!isDone) return;
              close();
              inviteDialog(one.member);
            },
          },
        }, h("div.check", null, read, h("label", { for: "consent-read" }, WORDS.iAmAParentOf(name))),
        h("div.buttons", null, button("plain", WORDS.cancel, close), agree)),
      ];
    }, { wide: true });
  }

  /** @param {string} member */
  function inviteDialog(member) {
    const name = season.nameOf(member);
    const id = newId(), secret = nonce();
    const error = h("p.error", { role: "alert" });
    openDialog(WORDS.invite(name), (close) => {
      const place = h("div", null);
      const go = button("primary", WORDS.makeALink, async () => {
        try {
          const { code } = /** @type {any} */ (await app.store.ask((request) => ({ type: "invite", request, id, nonce: secret, member })));
          handOver(app, place, { text: WORDS.giveThisLinkToIt(name), code, close });
          load();
        } catch (refusal) {
          error.textContent = unanswered(refusal);
        }
      });
      place.append(h("p", null, WORDS.signsInWithALink(name)), error, h("div.buttons", null, button("plain", WORDS.later, close), go));
      return [place];
    });
  }

  /**
   * Makes a link for a member who has lost password, devices or second factor.
   * @param {Standing} one
   */
  async function recover(one) {
    const name = season.nameOf(one.member);
    if (await ask(WORDS.letBackIn(name), WORDS.signsInAgainByALink(name), { yes: WORDS.makeALink })) makeWayBack(one.member, name);
  }

  /**
   * @param {string} member
   * @param {string} name
   * @returns {Promise<void>}
   */
  async function makeWayBack(member, name) {
    const answer = await request("POST", `/families/${app.store.engine.family}/members/${member}/recovery`);
    if (answer.content?.code === "confirm_first") return confirmDialog(app, () => makeWayBack(member, name));
    if (answer.status !== 200) return app.toasts.show(sentence(answer));
    const { code, expires_at: end } = answer.content;
    const place = h("div", null);
    openDialog(WORDS.lostSignInOf(name), (close) => {
      handOver(app, place, { text: WORDS.giveThisLinkBackTo(name, instantText(end)), code, close });
      return [place];
    });
    return undefined;
  }

  /** @param {Standing} one */
  async function withdraw(one) {
    const name = season.nameOf(one.member);
    if (!(await ask(WORDS.withdrawTheConsentFor(name), WORDS.isSignedOutEverywhereAnd(name), { yes: WORDS.withdraw, danger: true }))) return;
    await act({ type: "withdraw_consent", member: one.member }, WORDS.theConsentForIsWithdrawn(name));
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
          error.textContent = date.value === "" ? WORDS.isRequired(label) : "";
          if (date.value !== "" && await save(date.value)) close();
        },
      },
    }, labelled(label, date, hint), error, h("div.buttons", null, button("plain", WORDS.cancel, close), other && button("plain", other.label, async () => { if (await other.act()) close(); }), h("button.primary", { type: "submit" }, WORDS.save)))]);
  }

  /** @param {Standing} one */
  function row(one) {
    const name = season.nameOf(one.member);
    const isParent = season.role === "parent";
    const { consent } = one;
    return h("li", null,
      h("div", null, h("strong", { dir: "auto" }, name), one.member === season.self && WORDS.you, h("p.hint", null, stateText(one)),
        consent && h("p.hint", null, WORDS.consented(season.nameOf(consent.by), instantText(consent.at), consent.version))),
      isParent && h("div.actions", null,
        one.state === "consent_needed" && button("primary", WORDS.readAndConsent, () => consentDialog(one), { "aria-label": WORDS.readAndConsentToA(name), "data-act": `consent ${one.member}` }),
        ["open", "consented"].includes(one.state) && !one.signed_in && !one.invited && button("primary", WORDS.inviteMore, () => inviteDialog(one.member), { "aria-label": WORDS.invite(name), "data-act": `invite ${one.member}` }),
        consent && one.state === "consented" && button("danger", WORDS.withdraw, () => withdraw(one), { "aria-label": WORDS.withdrawTheConsentForOf(name), "data-act": `withdraw ${one.member}` }),
        one.signed_in && one.member !== season.self && ["open", "consented"].includes(one.state) && button("plain", WORDS.lostSignIn, () => recover(one), { "aria-label": WORDS.lostSignInOf(name), "data-act": `recover ${one.member}` }),
        one.role === "athlete" && button("plain", WORDS.birthDate, () => dayDialog(WORDS.birthDateOf(name), WORDS.birthDate2, WORDS.itIsShownToNobody, "",
          (born) => act({ type: "birth_date", member: one.member, born: born }, WORDS.theBirthDateOfIs(name))), { "aria-label": WORDS.correctTheBirthDateOf(name), "data-act": `born ${one.member}` }),
        one.role === "guest" && button("plain", WORDS.lastDayMore, () => dayDialog(WORDS.lastDayOf(name), WORDS.lastDay2, WORDS.onTheDayAfterThe, one.last_day ?? "",
          (day) => act({ type: "last_day", member: one.member, day: day }, WORDS.theLastDayOfIs(name, dateText(day))),
          one.last_day === undefined ? undefined : { label: WORDS.staysWithoutAnEnd, act: () => act({ type: "last_day", member: one.member }, WORDS.staysWithoutAnEndOf(name)) }), { "aria-label": WORDS.lastDayOf(name), "data-act": `day ${one.member}` })));
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
    fill(due, waiting.map((one) => h("p.notice", null, one.state === "consent_needed" ? WORDS.isOldEnoughForA(season.nameOf(one.member)) : WORDS.isOldEnoughForAOf(season.nameOf(one.member)))));
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const held = active && list.contains(active) ? active.dataset.act : undefined;
    fill(list, standings.map(row));
    if (held !== undefined) /** @type {HTMLElement | null} */ (list.querySelector(`[data-act="${held}"]`))?.focus();
    text.hidden = !told;
    if (told && text.dataset.version !== told.version) {
      text.dataset.version = told.version;
      fill(text, h("summary", null, WORDS.textOfTheConsentIn(told.version)), h("div.prose", null, proseOf(told.text)));
    }
    const gone = formerAthletes();
    former.hidden = gone.length === 0;
    fill(former, h("h2", null, WORDS.seasonsOfFormerAthletes), h("p.hint", null, WORDS.theRecordsOfAnAthlete),
      h("ul.rows", null, gone.map(([id, count]) => {
        const record = app.store.engine.record(id);
        return h("li", null, h("div", null, h("strong", { dir: "auto" }, record ? titleOf(record) : WORDS.aFormerAthlete), h("p.hint", null, counted(count, WORDS.event))), h("div.actions", null, link(`/events?athlete=${id}`, WORDS.showTheSeason, { class: "button plain" })));
      })));
  }

  load();
  return {
    title: WORDS.signInsOfMembers,
    update: (ids) => {
      // Somebody has signed in for the first time since the page asked.
      const arrived = told?.standings.filter((one) => !one.signed_in && !seen.has(one.member) && app.store.engine.presence.has(one.member)) ?? [];
      for (const { member } of arrived) seen.add(member);
      if (arrived.length > 0) load();
      if (isWaiting && app.store.engine.phase === "live") { isWaiting = false; load(); } else if (ids === undefined || ids.size > 0) show();
    },
    element: h("section.log-page", null, h("p", null, link("/settings", WORDS.backToSettings)), h("h1", null, WORDS.signInsOfMembers),
      h("p.subtitle", null, WORDS.consentsForAthletesOf13), due, state, list, text, former),
  };
}
