// The web client: who is signed in, the store, the frame, the pages.
import { ask, openDialog, Toasts } from "./screen/dialog.js";
import { button, fill, h, link } from "./screen/html.js";
import { Router } from "./screen/router.js";
import { KeptFiles } from "./documents/kept-files.js";
import { request, sentence, session } from "./sessions/account.js";
import { follow, register } from "./sessions/build.js";
import { Cache } from "./sessions/cache.js";
import { Slots } from "./sessions/slots.js";
import { Store } from "./sessions/store.js";
import { accessPage } from "./views/access.js";
import { activityLine } from "./views/activity.js";
import { addFamilyPage } from "./views/add-family.js";
import { App } from "./views/app.js";
import { auditPage } from "./views/audit.js";
import { boardPage } from "./views/board.js";
import { consentPage } from "./views/consent.js";
import { familyPage } from "./views/deletion.js";
import { documentPage } from "./views/document.js";
import { documentsPage, uploads } from "./views/documents.js";
import { eventPage } from "./views/event.js";
import { eventFormPage } from "./views/event-form.js";
import { eventsPage } from "./views/events.js";
import { feedsPage } from "./views/feeds.js";
import { Frame } from "./views/frame.js";
import { keptPage } from "./views/kept.js";
import { HIDDEN } from "./views/notices.js";
import { reminderRulePage } from "./views/reminder-rule.js";
import { roomPage } from "./views/room.js";
import { Season } from "./views/season.js";
import { settingsPage } from "./views/settings.js";
import { signInPage } from "./views/sign-in.js";
import { tripPage } from "./views/trip.js";
import { tripsPage } from "./views/trips.js";
import { counted } from "./words/dates.js";
import { WORDS as TEXTS } from "./words/start.js";
import { WORDS as ADD } from "./words/add-family.js";
import { WORDS as DELETION } from "./words/deletion.js";

/** @typedef {import("./sessions/store.js").Membership} Membership */

const root = /** @type {HTMLElement} */ (document.getElementById("huddle"));

/** What this browser remembers besides the records: which family was open last. */
const memory = {
  /** @returns {Membership[]} */
  get memberships() {
    try {
      const held = JSON.parse(localStorage.getItem("huddle-memberships") ?? "[]");
      return Array.isArray(held) ? held : [];
    } catch {
      return [];
    }
  },
  /** @param {Membership[]} all */
  set memberships(all) {
    try {
      if (all.length > 0) localStorage.setItem("huddle-memberships", JSON.stringify(all));
      else for (const key of ["huddle-memberships", HIDDEN]) localStorage.removeItem(key);
    } catch {
      // Blocked storage: the page works, and starts with the network only.
    }
  },
};

/**
 * Whether a family was to be erased by now, so that its end is no removal of one member.
 * @param {Membership | undefined} membership
 */
function hasEnded(membership) {
  return membership?.ends !== undefined && membership.ends <= Date.now();
}

/**
 * Removes what this device holds of families that the member has lost, what they wrote included.
 * @param {Membership[]} lost
 * @returns {Promise<string | undefined>} the sentence about those that were deleted
 */
async function forgetLost(lost) {
  if (lost.length > 0) await forget(lost, true);
  return lost.filter(hasEnded).map((one) => DELETION.gone(one.name)).join(" ") || undefined;
}

/** A cookie of this browser session alone says that the computer is not the person's; it ends when the session's cookie does. */
const brief = {
  get isSet() { return document.cookie.split("; ").includes("huddle-brief=1"); },
  set() { document.cookie = "huddle-brief=1; path=/; SameSite=Strict"; },
};

/**
 * Why the database of this browser does not open.
 * @type {"newer" | "blocked" | "damaged" | undefined}
 */
let storageProblem;

/** @returns {Promise<Cache | undefined>} */
async function openCache() {
  try {
    storageProblem = undefined;
    return await Cache.open();
  } catch (/** @type {any} */ error) {
    console.warn("huddle: this browser keeps no copy", error);
    storageProblem = error?.name === "VersionError" ? "newer" : error?.name === "SecurityError" || error instanceof ReferenceError || error instanceof TypeError ? "blocked" : "damaged";
    return undefined;
  }
}

/** @returns {Promise<KeptFiles | undefined>} */
async function openFiles() {
  try {
    return await KeptFiles.open();
  } catch (error) {
    console.warn("huddle: this browser keeps no files", error);
    return undefined;
  }
}

/**
 * @param {string} fragment
 * @returns {string} empty for one that cannot be read
 */
function decoded(fragment) {
  try { return decodeURIComponent(fragment); } catch { return ""; }
}

async function start() {
  // A link with a code has it in the fragment, which no server sees; it goes before anything is sent.
  const code = decoded(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  if (/^[A-Za-z0-9_-]{43}$/.test(code)) {
    // The link that the host's program printed: a sign-in token, for a session of this browser's own.
    const answer = await request("POST", "/session", { token: code });
    if (answer.status === 201) {
      memory.memberships = answer.content.memberships;
      return open(answer.content.memberships, { isBrief: false });
    }
    return signIn({ code: "", reason: sentence(answer) });
  }
  // The copy on this device is read while the server says who is signed in.
  const ahead = memory.memberships.length > 0 && !brief.isSet ? openCache().then(async (cache) => {
    await cache?.readAhead(memory.memberships.map((one) => one.family)).catch(() => undefined);
    return cache;
  }) : undefined;
  const known = await session();
  if (known.state === "signed_in" && (code !== "" || new URLSearchParams(location.search).has("add"))) return addFamily(code, known.memberships);
  if (code !== "" && known.state !== "unreachable") return signIn({ code });
  const held = memory.memberships;
  if (known.state === "signed_in") {
    if (brief.isSet) return open(known.memberships, { isBrief: true });
    const notice = await forgetLost(held.filter((one) => !known.memberships.some((other) => other.family === one.family)));
    memory.memberships = known.memberships;
    return open(known.memberships, { isBrief: false, notice, cache: await ahead });
  }
  if (known.state === "signed_out") {
    const gone = await forgetLost(held.filter(hasEnded));
    // The session has ended elsewhere: the records go, what the member wrote stays for the same member.
    if (held.length > 0) await forget(held.filter((one) => !hasEnded(one)), false);
    memory.memberships = [];
    return signIn({ code: "", reason: gone ?? (held.length > 0 ? TEXTS.youAreSignedOutOn : undefined) });
  }
  if (held.length > 0) return open(held, { isBrief: false, cache: await ahead });
  fill(root, h("main.sign-in", null, h("h1", null, TEXTS.huddle),
    h("p.notice", { role: "alert" }, TEXTS.theServerDoesNotAnswer), h("div.buttons", null, button("primary", TEXTS.tryAgain, () => location.reload()))));
  return undefined;
}

/**
 * @param {{code: string, reason?: string}} options
 */
function signIn({ code, reason }) {
  document.title = TEXTS.signInHuddle;
  fill(root, signInPage({
    code, reason, signedIn: (memberships, isBrief) => {
      if (isBrief) brief.set();
      else memory.memberships = memberships;
      open(memberships, { isBrief });
    },
  }));
}

/**
 * Adds a family to the sign-in of this browser.
 * @param {string} code from a link
 * @param {Membership[]} memberships
 */
function addFamily(code, memberships) {
  const isBrief = brief.isSet;
  document.title = ADD.title;
  fill(root, addFamilyPage({
    code, memberships, other: (typed) => signIn({ code: typed }), back: () => location.assign("/"),
    added: (membership) => {
      const all = [...memberships.filter((one) => one.family !== membership.family), membership];
      if (!isBrief) memory.memberships = all;
      history.replaceState(null, "", "/");
      open(all, { isBrief, family: membership.family, notice: ADD.added(membership.name) });
    },
  }));
}

/**
 * @param {Membership[]} memberships
 * @param {boolean} all also what the members wrote and did not send
 */
async function forget(memberships, all) {
  const cache = await openCache();
  if (!cache) return;
  for (const membership of memberships) {
    const store = new Store({ cache, slots: new Slots() });
    store.slot = { client: "", family: membership.family, member: membership.member, chunks: 1, used: 0, state: {} };
    await store.forget({ all });
    if (all) await forgetFiles(membership);
  }
}

/**
 * Removes the files of a member that have not arrived.
 * @param {{family: string, member: string}} owner
 */
async function forgetFiles({ family, member }) {
  const kept = await openFiles();
  await kept?.clear({ family, member }).catch(() => undefined);
}

/**
 * Asks which family to open.
 * @param {Membership[]} memberships
 * @param {(membership: Membership) => void} chosen
 * @param {string} [notice] what happened before
 */
function showFamilies(memberships, chosen, notice) {
  fill(root, h("main.sign-in", null, h("h1", null, TEXTS.whichFamily), notice && h("p.notice", { role: "status" }, notice),
    memberships.length === 0 && h("p.notice", null, TEXTS.youAreInNoFamily),
    h("div.choices", null, memberships.map((one) => button("plain", one.name, () => chosen(one))))));
}

/**
 * Opens a family.
 * @param {Membership[]} memberships
 * @param {{isBrief: boolean, family?: string, notice?: string, cache?: Cache}} options `notice`: what happened before; `cache`: the copy on this device, if it is open already
 */
async function open(memberships, { isBrief, family, notice, cache: opened }) {
  const wanted = family ?? new URLSearchParams(location.search).get("family") ?? undefined;
  const membership = memberships.find((one) => one.family === wanted) ?? (memberships.length === 1 ? memberships[0] : undefined);
  if (!membership) {
    showFamilies(memberships, (one) => open(memberships, { isBrief, family: one.family, cache: opened }), notice);
    return;
  }
  const cache = isBrief ? undefined : opened ?? (await openCache());
  const slots = new Slots();
  const store = new Store({ cache, slots });
  if (!isBrief) store.storageProblem = storageProblem;
  const season = new Season(store);
  const toasts = new Toasts();
  const app = new App({ store, season, toasts, cache, memberships, isBrief });
  const frame = new Frame(app);
  const activity = activityLine(app);
  frame.place.before(activity.element);
  const router = new Router(frame.place, [
    { pattern: /^\/events\/create$/, make: (_, query) => eventFormPage(app, undefined, query.get("date") ?? undefined) },
    { pattern: /^\/events\/([^/]+)\/edit$/, make: ([id]) => eventFormPage(app, id) },
    { pattern: /^\/events\/([^/]+)$/, make: ([id]) => eventPage(app, id) },
    { pattern: /^\/trips\/([^/]+)\/board$/, make: ([id]) => boardPage(app, id) },
    { pattern: /^\/trips\/([^/]+)$/, make: ([id]) => tripPage(app, id) },
    { pattern: /^\/trips$/, make: () => tripsPage(app) },
    { pattern: /^\/documents\/([^/]+)\/about$/, make: ([id]) => documentPage(app, id) },
    { pattern: /^\/documents$/, make: () => documentsPage(app) },
    { pattern: /^\/room$/, make: () => roomPage(app) },
    { pattern: /^\/kept$/, make: () => keptPage(app) },
    { pattern: /^\/settings\/access$/, make: () => accessPage(app) },
    { pattern: /^\/settings\/audit$/, make: () => auditPage(app) },
    { pattern: /^\/settings\/consent$/, make: () => consentPage(app) },
    { pattern: /^\/settings\/calendars$/, make: () => feedsPage(app) },
    { pattern: /^\/settings\/reminders$/, make: () => reminderRulePage(app) },
    { pattern: /^\/settings\/family$/, make: () => familyPage(app) },
    { pattern: /^\/settings$/, make: () => settingsPage(app) },
    { pattern: /^\/(events)?$/, make: (_, query) => eventsPage(app, query.get("athlete") ?? undefined) },
    { pattern: /^/, make: () => ({ title: TEXTS.notFound, element: h("section", null, h("h1", null, TEXTS.pageNotFound), h("p", null, link("/events", TEXTS.returnToEvents))) }) },
  ], (path, page) => {
    frame.shown(path === "/" ? "/events" : path);
    activity.opened(path);
    document.title = `${page.title} – ${store.engine.familyName ?? TEXTS.huddle}`;
  });
  app.router = router;
  app.openFamily = (one) => { location.assign(`/events?family=${one.family}`); };
  app.signOut = () => signOut(app);
  uploads.open({ owner: { family: membership.family, member: membership.member }, kept: cache && (await openFiles()), slots, isThere: (id) => store.engine.record(id) !== undefined });
  await store.begin(membership);
  fill(root, frame.element);
  router.start();
  if (notice) toasts.show(notice);
  if (!isBrief) register();
  store.listen((ids, notes) => {
    router.page?.update?.(ids);
    const ends = app.deletion.dueAt;
    if (membership.ends !== ends) {
      membership.ends = ends;
      if (!isBrief) memory.memberships = memberships;
    }
    for (const note of notes) {
      if (note.stop) stopped(app, note);
      if (note.notify === "live") uploads.continueKept();
      if (note.notify === "welcome") follow(note.welcome.web, () => store.settle());
    }
  });
  for (const event of ["online", "pageshow"]) addEventListener(event, () => store.check());
  document.addEventListener("resume", () => store.check());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") store.check();
    else store.settle();
  });
}

/**
 * The server ended the session, or refused it for good.
 * @param {App} app
 * @param {any} note
 */
async function stopped(app, note) {
  if (app.isLeaving) return;
  const isRemoved = note.stop === "closed" && note.code === 4500;
  const isEnded = note.stop === "token_unknown" || note.stop === "signed_out" || (note.stop === "closed" && note.code === 4501);
  const isMissing = note.stop === "family_unclear" || note.rejection?.code === "not_found";
  const membership = app.memberships.find((one) => one.family === app.store.engine.family);
  const isErased = hasEnded(membership) && (isRemoved || isEnded || isMissing);
  if (isRemoved || isEnded || isErased) {
    const owner = { ...uploads.owner };
    uploads.end();
    await app.store.forget({ all: isRemoved || isErased });
    if (isRemoved || isErased) await forgetFiles(owner);
    memory.memberships = [];
    const rest = app.memberships.filter((one) => one !== membership);
    if (membership && isErased && !isEnded && rest.length > 0) {
      if (!app.isBrief) memory.memberships = rest;
      // A page that is loaded again has one store and one router.
      return showFamilies(rest, (one) => location.assign(`/events?family=${one.family}`), DELETION.gone(membership.name));
    }
    signIn({
      code: "",
      reason: membership && isErased ? DELETION.gone(membership.name) : isRemoved ? TEXTS.youAreNoLongerIn
        : TEXTS.youAreSignedOutOn,
    });
    return undefined;
  }
  openDialog(TEXTS.huddleHasStopped, () => [
    h("p", null, note.rejection?.message ?? TEXTS.theServerEndedThe(note.code ?? note.stop)),
    h("div.buttons", null, button("primary", TEXTS.loadAgain, () => location.reload())),
  ]);
}

/** @param {App} app */
async function signOut(app) {
  const { waiting, refused } = app.store.waiting;
  const { unfinished } = uploads;
  if (waiting + refused + unfinished > 0) {
    const what = [waiting + refused > 0 && counted(waiting + refused, TEXTS.change), unfinished > 0 && counted(unfinished, TEXTS.upload)].filter((text) => text).join(TEXTS.and);
    const text = TEXTS.ofYoursNotOnThe(what, waiting + refused + unfinished === 1 ? TEXTS.is : TEXTS.are);
    if (!(await ask(TEXTS.signOut, text, { yes: TEXTS.signOutAndLoseThem, danger: true }))) return;
  }
  app.isLeaving = true;
  const answer = await request("DELETE", "/session");
  if (answer.status === 0) {
    app.isLeaving = false;
    app.toasts.show(TEXTS.thereIsNoConnectionTo);
    return;
  }
  const owner = { ...uploads.owner };
  uploads.end();
  await app.store.forget({ all: true });
  await forgetFiles(owner);
  memory.memberships = [];
  history.replaceState(null, "", "/");
  location.reload();
}

// Where a device can, it answers a press: lightly, and for a deletion so that it is noticed (R010).
document.addEventListener("click", (event) => {
  const control = event.isTrusted ? /** @type {Element} */ (event.target).closest?.("a, button") : undefined;
  if (control) navigator.vibrate?.(control.classList.contains("danger") ? [20, 40, 20] : 8);
}, true);
start();
