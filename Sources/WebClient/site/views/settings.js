// Settings: members and invites, sessions, this device, the family.
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { hasPasskeys, register } from "../sessions/passkeys.js";
import { newId, nonce } from "../sessions/ids.js";
import { dateText, instantText } from "../words/dates.js";
import { WORDS } from "../words/settings.js";
import { shownToOthers } from "./activity.js";
import { confirmDialog } from "./confirm.js";
import { labelled } from "./event.js";
import { nameDialog } from "./form.js";
import { deviceDialog, handOver } from "./handover.js";
import { keysSwitch } from "./keys.js";
import { logLinks, wholeLinks } from "./log-links.js";
import { signInWays } from "./sign-in-ways.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */

const ROLES = /** @type {{[role: string]: string}} */ ({ athlete: WORDS.athlete, parent: WORDS.parent, guest: WORDS.guestReadsOnly });

/**
 * @param {App} app
 * @param {() => void} done
 */
function inviteDialog(app, done) {
  const name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "100", dir: "auto" }));
  const role = /** @type {HTMLSelectElement} */ (h("select", { value: "parent" }, Object.entries(ROLES).map(([word, label]) => h("option", { value: word }, label))));
  const born = /** @type {HTMLInputElement} */ (h("input", { type: "date" }));
  const bornField = labelled(WORDS.dateOfBirth, born, WORDS.athletesUnder13HaveNo);
  const error = h("p.error", { role: "alert" });
  const id = newId(), secret = nonce();
  bornField.hidden = true;
  role.addEventListener("change", () => { bornField.hidden = role.value !== "athlete"; });
  openDialog(WORDS.inviteSomebody, (close) => {
    const place = h("div", null);
    place.append(h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          if (name.value.trim() === "") { error.textContent = WORDS.nameIsRequired; name.focus(); return; }
          try {
            const answer = await app.store.ask((number) => ({
              type: "invite", request: number, id, nonce: secret, name: name.value.trim(), role: role.value, ...(role.value === "athlete" && born.value ? { born: born.value } : {}),
            }));
            const { code } = answer;
            done();
            if (!code) {
              fill(place, h("p", null, WORDS.isInTheFamilyNow(name.value.trim())), h("div.buttons", null, button("primary", WORDS.done, close)));
              return;
            }
            handOver(app, place, { text: WORDS.sendThisLinkToIt(name.value.trim()), code, close });
          } catch (refusal) {
            error.textContent = /** @type {any} */ (refusal).rejection?.message ?? String(refusal);
          }
        },
      },
    }, labelled(WORDS.name, name), labelled(WORDS.role, role), bornField, error, h("div.buttons", null, button("plain", WORDS.cancel, close), h("button.primary", { type: "submit" }, WORDS.invite))));
    return [place];
  });
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function settingsPage(app) {
  const { season } = app;
  const members = h("ul.rows", null), invites = h("ul.rows", null), invitesPart = h("section", null), sessions = h("ul.rows", null), passkeys = h("ul.rows", null), passkeysPart = h("section", { hidden: true });

  function showMembers() {
    const isParent = season.role === "parent";
    fill(members, season.members.map((member) => {
      const isSelf = member.id === season.self;
      const isHere = app.store.engine.presence.has(member.id);
      return h("li", null, h("div", null, h("strong", { dir: "auto" }, member.fields.name), isSelf && WORDS.you, h("p.hint", null, ROLES[member.fields.role] ?? member.fields.role, isHere && WORDS.hereNow)),
        h("div.actions", null,
          season.may("update", "member", { record: member, fields: ["name"] }) && button("plain", WORDS.rename, () => nameDialog(app, WORDS.rename, WORDS.save, { label: WORDS.name, value: member.fields.name }, (name) => ({ operations: [app.update(member, { name })], done: WORDS.renamed })), { "aria-label": WORDS.renameOf(member.fields.name) }),
          isParent && !isSelf && member.fields.role !== "athlete" && button("plain", member.fields.role === "parent" ? WORDS.makeAGuest : WORDS.makeAParent, () => app.perform([app.update(member, { role: member.fields.role === "parent" ? "guest" : "parent" })], WORDS.roleChanged), { "aria-label": WORDS.changeTheRoleOf(member.fields.name) }),
          season.may("delete", "member", { record: member }) && button("danger", isSelf ? WORDS.leaveTheFamily : WORDS.remove, () => remove(member.id), { "aria-label": isSelf ? WORDS.leaveTheFamily : WORDS.removeOf(member.fields.name) })));
    }));
    invitesPart.hidden = !isParent;
  }

  /** @param {string} id */
  async function remove(id) {
    const member = season.find("member", id);
    if (!member) return;
    const isSelf = id === season.self;
    const text = isSelf ? WORDS.youLoseYourEntryTo : WORDS.losesTheirEntry(member.fields.name);
    if (!(await ask(isSelf ? WORDS.leaveTheFamilyQuestion : WORDS.removeQuestion(member.fields.name), text, { yes: isSelf ? WORDS.leave : WORDS.remove, danger: true }))) return;
    try {
      const { mutation, outcome } = app.store.perform([{ op: "delete", kind: "member", id, base: member.version }]);
      outcome.then(({ rejection }) => {
        if (rejection?.code !== "confirm_first") return app.toasts.show(rejection ? rejection.message : WORDS.removed);
        app.store.drop(mutation);
        return confirmDialog(app, () => remove(id));
      });
    } catch (error) {
      app.complain(error);
    }
  }

  let hasInvites = false;
  /** Whether the server did not answer what this page asked it over HTTP. */
  let isAway = false;

  const ways = signInWays(app, loadSessions);

  function loadAll() {
    isAway = false;
    loadPasskeys();
    loadSessions();
    ways.load();
  }

  async function loadInvites() {
    if (season.role !== "parent" || app.store.engine.phase !== "live") return;
    try {
      hasInvites = true;
      const frame = await app.store.ask((number) => ({ type: "invites", request: number }));
      const open = (frame.invites ?? []).filter((/** @type {any} */ one) => one.state === "pending" || one.state === "proposed");
      fill(invites, open.length === 0 && h("li.hint", null, WORDS.noOpenInvites), open.map((/** @type {any} */ one) => h("li", null,
        h("div", null, h("strong", { dir: "auto" }, one.name), h("p.hint", null, `${ROLES[one.role] ?? one.role} · ${one.state}${one.expires_at ? WORDS.until(instantText(one.expires_at)) : ""}`)),
        h("div.actions", null, button("plain", WORDS.withdraw, async () => {
          try {
            await app.store.ask((number) => ({ type: "withdraw_invite", request: number, id: one.id }));
            app.toasts.show(WORDS.theInviteIsWithdrawn);
            loadInvites();
          } catch (error) {
            app.complain(error);
          }
        }, { "aria-label": WORDS.withdrawTheInviteOf(one.name) })))));
    } catch (error) {
      app.complain(error);
    }
  }

  async function loadSessions() {
    const answer = await request("GET", "/sessions");
    isAway ||= answer.status === 0;
    if (answer.status !== 200) {
      fill(sessions, h("li.hint", null, sentence(answer)));
      return;
    }
    fill(sessions, answer.content.sessions.map((/** @type {any} */ one) => h("li", null,
      h("div", null, h("strong", { dir: "auto" }, one.name || (one.kind === "browser" ? WORDS.aBrowser : one.kind === "terminal" ? WORDS.aTerminal : WORDS.aProgram)), one.current && WORDS.thisOne, h("p.hint", null, WORDS.signedInUsedEnds(dateText(one.created), dateText(one.used), dateText(one.ends)))),
      h("div.actions", null,
        button("plain", WORDS.rename, () => nameDialog(app, WORDS.renameTheSession, WORDS.save, { label: WORDS.name, value: one.name ?? "" }, async (name) => {
          const renamed = await request("PATCH", `/sessions/${one.id}`, { name });
          if (renamed.status !== 200) app.toasts.show(sentence(renamed));
          loadSessions();
        }), { "aria-label": WORDS.renameOf(one.name || WORDS.theSession) }),
        !one.current && button("danger", WORDS.end, async () => {
          const ended = await request("DELETE", `/sessions/${one.id}`);
          app.toasts.show(ended.status === 204 ? WORDS.thatDeviceIsSignedOut : sentence(ended));
          loadSessions();
        }, { "aria-label": WORDS.endOf(one.name || WORDS.theSession) })))));
  }

  async function loadPasskeys() {
    const answer = await request("GET", "/passkeys");
    passkeysPart.hidden = !hasPasskeys() || answer.status !== 200;
    if (answer.status !== 200) return;
    fill(passkeys, answer.content.passkeys.length === 0 && h("li.hint", null, WORDS.noPasskeyYetAPasskey), answer.content.passkeys.map((/** @type {any} */ one) => h("li", null,
      h("div", null, h("strong", { dir: "auto" }, one.name), h("p.hint", null, WORDS.made(dateText(one.created_on), one.used_on ? WORDS.used(dateText(one.used_on)) : WORDS.notUsedYet))),
      h("div.actions", null,
        button("plain", WORDS.rename, () => nameDialog(app, WORDS.renameThePasskey, WORDS.save, { label: WORDS.name, value: one.name }, async (name) => { told(await request("PATCH", `/passkeys/${one.id}`, { name }), WORDS.renamed, () => {}); }), { "aria-label": WORDS.renameThePasskeyOf(one.name) }),
        button("danger", WORDS.remove, () => removePasskey(one), { "aria-label": WORDS.removeThePasskey(one.name) })))));
  }

  /** @param {any} one */
  async function removePasskey(one) {
    if (!(await ask(WORDS.removeThePasskeyQuestion(one.name), WORDS.itNoLongerOpensYour, { yes: WORDS.remove, danger: true }))) return;
    told(await request("DELETE", `/passkeys/${one.id}`), WORDS.thePasskeyIsRemoved, () => removePasskey(one));
  }

  function addPasskey() {
    nameDialog(app, WORDS.newPasskey, WORDS.continue, { label: WORDS.nameOfThisDevice, value: "" }, async (name) => {
      told(await register(name), WORDS.thePasskeyIsReadyYour, addPasskey);
    });
  }

  /**
   * @param {import("../sessions/account.js").Answer} answer
   * @param {string} done
   * @param {() => void} again
   */
  function told(answer, done, again) {
    if (answer.content?.code === "confirm_first") confirmDialog(app, again);
    else app.toasts.show(answer.status === 200 || answer.status === 201 ? done : sentence(answer));
    loadPasskeys();
  }

  const week = /** @type {HTMLSelectElement} */ (h("select", { on: { change: () => { try { localStorage.setItem("huddle-week-start", week.value); } catch { /* blocked storage */ } } } }, h("option", { value: "0" }, WORDS.sunday), h("option", { value: "1" }, WORDS.monday)));
  try { week.value = localStorage.getItem("huddle-week-start") === "1" ? "1" : "0"; } catch { /* blocked storage */ }
  const activity = /** @type {HTMLInputElement} */ (h("input", { id: "show-activity", type: "checkbox", checked: shownToOthers.isOn, on: { change: () => shownToOthers.set(activity.checked) } }));
  fill(invitesPart, h("h2", null, WORDS.invites), invites, button("plain", WORDS.inviteSomebodyPart, () => inviteDialog(app, loadInvites)));
  fill(passkeysPart, h("h2", null, WORDS.passkeys), passkeys, button("plain", WORDS.addAPasskeyOfThis, addPasskey));
  showMembers();
  loadInvites();
  loadAll();
  return {
    title: WORDS.settings,
    element: h("section.settings", null, h("h1", null, WORDS.settings),
      h("section", null, h("h2", null, WORDS.members), members), invitesPart,
      logLinks(app), wholeLinks(app),
      ways.element, passkeysPart, h("section", null, h("h2", null, WORDS.whereYouAreSignedIn), sessions, button("plain", WORDS.addADevice, () => deviceDialog(app))),
      h("section", null, h("h2", null, WORDS.thisBrowser), labelled(WORDS.weeksBeginOn, week),
        h("div.field.check", null, activity, h("label", { for: "show-activity" }, WORDS.theOthersSeeWhenI)), keysSwitch(), h("div.buttons", null, button("danger", WORDS.signOut, () => app.signOut()))),
      h("section", null, h("h2", null, WORDS.yourFamilies),
        app.memberships.length > 1 && h("ul.rows", null, app.memberships.map((one) => h("li", null, one.family === app.store.engine.family ? h("strong", null, one.name) : button("plain", one.name, () => app.openFamily(one))))),
        button("plain", WORDS.addAFamily, () => location.assign("/?add")))),
    update: (ids) => {
      if (ids === undefined || ids.size > 0) showMembers();
      if (!hasInvites) loadInvites();
      if (isAway && app.store.engine.phase === "live") loadAll();
    },
  };
}
