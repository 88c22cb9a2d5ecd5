// Settings: members and invites, sessions, this device, the family.
import { ask, openDialog } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { request, sentence } from "../sessions/account.js";
import { hasPasskeys, register, show as showPasskey } from "../sessions/passkeys.js";
import { newId, nonce } from "../sessions/ids.js";
import { dateText, instantText } from "../words/dates.js";
import { shownToOthers } from "./activity.js";
import { labelled } from "./event.js";
import { nameDialog } from "./form.js";
import { keysSwitch } from "./keys.js";
import { logLinks, wholeLinks } from "./log-links.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../screen/router.js").Page} Page */

const ROLES = /** @type {{[role: string]: string}} */ ({ athlete: "Athlete", parent: "Parent", guest: "Guest (reads only)" });

/**
 * Asks for the password, so that an act goes that needs a check; then does it again.
 * @param {App} app
 * @param {() => void} again
 */
export function confirmDialog(app, again) {
  const password = /** @type {HTMLInputElement} */ (h("input", { type: "password", autocomplete: "current-password" }));
  const factor = /** @type {HTMLInputElement} */ (h("input", { inputmode: "numeric", autocomplete: "one-time-code" }));
  const error = h("p.error", { role: "alert" });
  openDialog("Confirm that it is you", (close) => [h("form", {
    novalidate: true, on: {
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const answer = await request("POST", "/account/confirm", { password: password.value, ...(factor.value.trim() ? { one_time: factor.value.trim() } : {}) });
        if (answer.status !== 200) { error.textContent = sentence(answer); return; }
        close();
        again();
      },
    },
  }, h("p", null, "This act needs your password. It counts for ten minutes."), labelled("Password", password), labelled("One-time password", factor, "If you have a second factor."), error,
  h("div.buttons", null, button("plain", "Cancel", close), hasPasskeys() && button("plain", "Use a passkey", async () => {
    const answer = await showPasskey("confirm");
    if (answer.status !== 200) { error.textContent = sentence(answer); return; }
    close();
    again();
  }), h("button.primary", { type: "submit" }, "Confirm")))]);
}

/**
 * @param {App} app
 * @param {() => void} done
 */
function inviteDialog(app, done) {
  const name = /** @type {HTMLInputElement} */ (h("input", { maxlength: "100", dir: "auto" }));
  const role = /** @type {HTMLSelectElement} */ (h("select", { value: "parent" }, Object.entries(ROLES).map(([word, label]) => h("option", { value: word }, label))));
  const born = /** @type {HTMLInputElement} */ (h("input", { type: "date" }));
  const bornField = labelled("Date of birth", born, "Athletes under 13 have no sign-in; from 13 to 17 a parent consents first.");
  const error = h("p.error", { role: "alert" });
  const id = newId(), secret = nonce();
  bornField.hidden = true;
  role.addEventListener("change", () => { bornField.hidden = role.value !== "athlete"; });
  openDialog("Invite somebody", (close) => {
    const place = h("div", null);
    place.append(h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          if (name.value.trim() === "") { error.textContent = "Name is required"; name.focus(); return; }
          try {
            const answer = await app.store.ask((number) => ({
              type: "invite", request: number, id, nonce: secret, name: name.value.trim(), role: role.value, ...(role.value === "athlete" && born.value ? { born: born.value } : {}),
            }));
            const { code } = answer;
            done();
            if (!code) {
              fill(place, h("p", null, `${name.value.trim()} is in the family now, without a sign-in.`), h("div.buttons", null, button("primary", "Done", close)));
              return;
            }
            const url = `${location.origin}/#${code}`;
            const field = /** @type {HTMLInputElement} */ (h("input", { readonly: true, value: url, on: { focus: () => field.select() } }));
            fill(place, h("p", null, `Send this link to ${name.value.trim()}. It is good once and for seven days, and opens nothing for anybody with another name.`), labelled("Link", field), labelled("Code", h("input", { readonly: true, value: code }), "For the terminal client: huddle join CODE"),
              h("div.buttons", null, navigator.clipboard && button("plain", "Copy the link", () => navigator.clipboard.writeText(url).then(() => app.toasts.show("The link is copied"))), button("primary", "Done", close)));
            field.focus();
          } catch (refusal) {
            error.textContent = /** @type {any} */ (refusal).rejection?.message ?? String(refusal);
          }
        },
      },
    }, labelled("Name", name), labelled("Role", role), bornField, error, h("div.buttons", null, button("plain", "Cancel", close), h("button.primary", { type: "submit" }, "Invite"))));
    return [place];
  });
}

/**
 * @param {App} app
 * @returns {Page}
 */
export function settingsPage(app) {
  const { season } = app;
  const members = h("ul.rows", null), invites = h("ul.rows", null), invitesPart = h("section", null), sessions = h("ul.rows", null), account = h("div", null), passkeys = h("ul.rows", null), passkeysPart = h("section", { hidden: true });

  function showMembers() {
    const isParent = season.role === "parent";
    fill(members, season.members.map((member) => {
      const isSelf = member.id === season.self;
      const isHere = app.store.engine.presence.has(member.id);
      return h("li", null, h("div", null, h("strong", { dir: "auto" }, member.fields.name), isSelf && " (you)", h("p.hint", null, ROLES[member.fields.role] ?? member.fields.role, isHere && " · here now")),
        h("div.actions", null,
          season.may("update", "member", { record: member, fields: ["name"] }) && button("plain", "Rename", () => nameDialog(app, "Rename", "Save", { label: "Name", value: member.fields.name }, (name) => { app.perform([app.update(member, { name })], "Renamed"); }), { "aria-label": `Rename ${member.fields.name}` }),
          isParent && !isSelf && member.fields.role !== "athlete" && button("plain", member.fields.role === "parent" ? "Make a guest" : "Make a parent", () => app.perform([app.update(member, { role: member.fields.role === "parent" ? "guest" : "parent" })], "Role changed"), { "aria-label": `Change the role of ${member.fields.name}` }),
          season.may("delete", "member", { record: member }) && button("danger", isSelf ? "Leave the family" : "Remove", () => remove(member.id), { "aria-label": isSelf ? "Leave the family" : `Remove ${member.fields.name}` })));
    }));
    invitesPart.hidden = !isParent;
  }

  /** @param {string} id */
  async function remove(id) {
    const member = season.find("member", id);
    if (!member) return;
    const isSelf = id === season.self;
    const text = isSelf ? "You lose your entry to this family; its records stay." : `${member.fields.name} loses their entry immediately; their records stay.`;
    if (!(await ask(isSelf ? "Leave the family?" : `Remove ${member.fields.name}?`, text, { yes: isSelf ? "Leave" : "Remove", danger: true }))) return;
    try {
      const { mutation, outcome } = app.store.perform([{ op: "delete", kind: "member", id, base: member.version }]);
      outcome.then(({ rejection }) => {
        if (rejection?.code !== "confirm_first") return app.toasts.show(rejection ? rejection.message : "Removed");
        app.store.drop(mutation);
        return confirmDialog(app, () => remove(id));
      });
    } catch (error) {
      app.complain(error);
    }
  }

  let hasInvites = false;

  async function loadInvites() {
    if (season.role !== "parent" || app.store.engine.phase !== "live") return;
    try {
      hasInvites = true;
      const frame = await app.store.ask((number) => ({ type: "invites", request: number }));
      const open = (frame.invites ?? []).filter((/** @type {any} */ one) => one.state === "pending" || one.state === "proposed");
      fill(invites, open.length === 0 && h("li.hint", null, "No open invites"), open.map((/** @type {any} */ one) => h("li", null,
        h("div", null, h("strong", { dir: "auto" }, one.name), h("p.hint", null, `${ROLES[one.role] ?? one.role} · ${one.state}${one.expires_at ? ` until ${instantText(one.expires_at)}` : ""}`)),
        h("div.actions", null, button("plain", "Withdraw", async () => {
          try {
            await app.store.ask((number) => ({ type: "withdraw_invite", request: number, id: one.id }));
            app.toasts.show("The invite is withdrawn");
            loadInvites();
          } catch (error) {
            app.complain(error);
          }
        }, { "aria-label": `Withdraw the invite of ${one.name}` })))));
    } catch (error) {
      app.complain(error);
    }
  }

  async function loadSessions() {
    const answer = await request("GET", "/sessions");
    if (answer.status !== 200) {
      fill(sessions, h("li.hint", null, sentence(answer)));
      return;
    }
    fill(sessions, answer.content.sessions.map((/** @type {any} */ one) => h("li", null,
      h("div", null, h("strong", { dir: "auto" }, one.name || (one.kind === "browser" ? "A browser" : one.kind === "terminal" ? "A terminal" : "A program")), one.current && " (this one)", h("p.hint", null, `Signed in ${dateText(one.created)}, used ${dateText(one.used)}, ends ${dateText(one.ends)}`)),
      h("div.actions", null,
        button("plain", "Rename", () => nameDialog(app, "Rename the session", "Save", { label: "Name", value: one.name ?? "" }, async (name) => {
          const renamed = await request("PATCH", `/sessions/${one.id}`, { name });
          if (renamed.status !== 200) app.toasts.show(sentence(renamed));
          loadSessions();
        }), { "aria-label": `Rename ${one.name || "the session"}` }),
        !one.current && button("danger", "End", async () => {
          const ended = await request("DELETE", `/sessions/${one.id}`);
          app.toasts.show(ended.status === 204 ? "That device is signed out" : sentence(ended));
          loadSessions();
        }, { "aria-label": `End ${one.name || "the session"}` })))));
  }

  async function loadPasskeys() {
    const answer = await request("GET", "/passkeys");
    passkeysPart.hidden = !hasPasskeys() || answer.status !== 200;
    if (answer.status !== 200) return;
    fill(passkeys, answer.content.passkeys.length === 0 && h("li.hint", null, "No passkey yet. A passkey opens the sign-in with the fingerprint, face or code of a device."), answer.content.passkeys.map((/** @type {any} */ one) => h("li", null,
      h("div", null, h("strong", { dir: "auto" }, one.name), h("p.hint", null, `Made ${dateText(one.created_on)}${one.used_on ? `, used ${dateText(one.used_on)}` : ", not used yet"}`)),
      h("div.actions", null,
        button("plain", "Rename", () => nameDialog(app, "Rename the passkey", "Save", { label: "Name", value: one.name }, async (name) => { told(await request("PATCH", `/passkeys/${one.id}`, { name }), "Renamed", () => {}); }), { "aria-label": `Rename the passkey ${one.name}` }),
        button("danger", "Remove", () => removePasskey(one), { "aria-label": `Remove the passkey ${one.name}` })))));
  }

  /** @param {any} one */
  async function removePasskey(one) {
    if (!(await ask(`Remove the passkey ${one.name}?`, "It no longer opens your sign-in.", { yes: "Remove", danger: true }))) return;
    told(await request("DELETE", `/passkeys/${one.id}`), "The passkey is removed", () => removePasskey(one));
  }

  function addPasskey() {
    nameDialog(app, "New passkey", "Continue", { label: "Name of this device", value: "" }, async (name) => {
      told(await register(name), "The passkey is ready. Your other devices are signed out.", addPasskey);
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

  async function loadAccount() {
    const answer = await request("GET", "/account");
    if (answer.status !== 200) return fill(account, h("p.hint", null, sentence(answer)));
    const { name } = answer.content;
    return fill(account, h("p", null, name ? `You sign in as ${name}.` : "You have no password: this device is your only way in, and a parent or the host can let you in again."),
      button("plain", name ? "Change name or password" : "Set a name and a password", () => passwordDialog(name ?? "")));
  }

  /** @param {string} held */
  function passwordDialog(held) {
    const name = /** @type {HTMLInputElement} */ (h("input", { value: held, autocomplete: "username", autocapitalize: "none", spellcheck: "false", maxlength: "64" }));
    const password = /** @type {HTMLInputElement} */ (h("input", { type: "password", autocomplete: "new-password" }));
    const error = h("p.error", { role: "alert" });
    openDialog("Name and password", (close) => [h("form", {
      novalidate: true, on: {
        submit: async (/** @type {Event} */ event) => {
          event.preventDefault();
          const answer = await request("PUT", "/account/password", { name: name.value.trim(), password: password.value });
          if (answer.content?.code === "confirm_first") { close(); confirmDialog(app, () => passwordDialog(held)); return; }
          if (answer.status !== 200) { error.textContent = sentence(answer); return; }
          close();
          app.toasts.show("Saved. Your other devices are signed out.");
          loadAccount();
          loadSessions();
        },
      },
    }, labelled("Name", name, "3 to 64 characters; nobody else on this server has it."), labelled("Password", password, "10 characters or more. There is no other rule."), error,
    h("div.buttons", null, button("plain", "Cancel", close), h("button.primary", { type: "submit" }, "Save")))]);
  }

  const week = /** @type {HTMLSelectElement} */ (h("select", { on: { change: () => { try { localStorage.setItem("huddle-week-start", week.value); } catch { /* blocked storage */ } } } }, h("option", { value: "0" }, "Sunday"), h("option", { value: "1" }, "Monday")));
  try { week.value = localStorage.getItem("huddle-week-start") === "1" ? "1" : "0"; } catch { /* blocked storage */ }
  const activity = /** @type {HTMLInputElement} */ (h("input", { id: "show-activity", type: "checkbox", checked: shownToOthers.isOn, on: { change: () => shownToOthers.set(activity.checked) } }));
  fill(invitesPart, h("h2", null, "Invites"), invites, button("plain", "+ Invite somebody", () => inviteDialog(app, loadInvites)));
  fill(passkeysPart, h("h2", null, "Passkeys"), passkeys, button("plain", "+ Add a passkey of this device", addPasskey));
  loadPasskeys();
  showMembers();
  loadInvites();
  loadSessions();
  loadAccount();
  return {
    title: "Settings",
    element: h("section.settings", null, h("h1", null, "Settings"),
      h("section", null, h("h2", null, "Members"), members), invitesPart,
      logLinks(app), wholeLinks(app),
      h("section", null, h("h2", null, "Your sign-in"), account), passkeysPart, h("section", null, h("h2", null, "Where you are signed in"), sessions),
      h("section", null, h("h2", null, "This browser"), labelled("Weeks begin on", week),
        h("div.field.check", null, activity, h("label", { for: "show-activity" }, "The others see when I type, and which record I edit or look at")), keysSwitch(), h("div.buttons", null, button("danger", "Sign out", () => app.signOut()))),
      app.memberships.length > 1 && h("section", null, h("h2", null, "Your families"), h("ul.rows", null, app.memberships.map((one) => h("li", null, one.family === app.store.engine.family ? h("strong", null, one.name) : button("plain", one.name, () => app.openFamily(one))))))),
    update: (ids) => {
      if (ids === undefined || ids.size > 0) showMembers();
      if (!hasInvites) loadInvites();
    },
  };
}
