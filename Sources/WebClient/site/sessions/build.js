// The build that this page is, and the change to a newer one: fetched completely by the service worker before the page is
// loaded again, at most once per build.

/** The build of this page: the folder of its script; undefined if modules are served as they are. */
export const BUILD = /\/app\/([0-9a-f]{32})\//.exec(/** @type {HTMLScriptElement | null} */ (document.currentScript)?.src ?? "")?.[1];

/** Trusted Types let only this policy name a script: the worker's one address. */
function workerAddress() {
  const factory = /** @type {any} */ (window).trustedTypes;
  if (!factory) return "/worker.js";
  return factory.createPolicy("huddle-worker", { createScriptURL: (/** @type {string} */ path) => { if (path !== "/worker.js") throw new TypeError("no script of this client"); return path; } }).createScriptURL("/worker.js");
}

/** @type {Promise<ServiceWorkerRegistration | undefined> | undefined} */
let registration;

/**
 * Lets the page start without the server, where the browser allows it: on https and loopback.
 */
export function register() {
  if (BUILD === undefined || !("serviceWorker" in navigator)) return;
  registration ??= navigator.serviceWorker.register(workerAddress(), { updateViaCache: "none" }).catch((error) => {
    console.warn("huddle: this page does not start offline", error);
    return undefined;
  });
}

/** The milliseconds in which a page is loaded again once for a build: servers of two builds behind one address do not send it in a circle. */
const CIRCLE = 600_000;
const MARKS = "huddle-builds";

/**
 * Whether this tab was loaded for a build a short while ago.
 * @param {string} build
 */
function wasLoadedFor(build) {
  try {
    return Date.now() - (JSON.parse(sessionStorage.getItem(MARKS) ?? "{}")[build] ?? 0) < CIRCLE;
  } catch {
    // A browser that remembers nothing: the person loads the page.
    return true;
  }
}

/** @param {string} build */
function mark(build) {
  try {
    const marks = JSON.parse(sessionStorage.getItem(MARKS) ?? "{}");
    sessionStorage.setItem(MARKS, JSON.stringify({ ...Object.fromEntries(Object.entries(marks).slice(-8)), [build]: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

/**
 * The build that a worker holds.
 * @param {ServiceWorker | null | undefined} worker
 * @returns {Promise<string | undefined>}
 */
function buildOf(worker) {
  if (!worker) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => resolve(undefined), 5_000);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    worker.postMessage("which build", [port2]);
  });
}

/**
 * Waits until a worker has fetched everything, or has given up.
 * @param {ServiceWorker} worker
 */
function fetched(worker) {
  return new Promise((/** @type {(done: void) => void} */ resolve) => {
    const look = () => { if (worker.state !== "installing") resolve(); };
    worker.addEventListener("statechange", look);
    look();
  });
}

let isFollowing = false;

/**
 * Changes to the server's build, if it is another one and nothing is lost by it. Nothing is marked before the page is really loaded again, so that a change
 * that fails (the network, the server) is tried again with the next connection and the next start.
 * @param {string | undefined} build of the server
 * @param {() => Promise<void>} settle resolves once everything that was typed is on this device
 */
export async function follow(build, settle) {
  if (BUILD === undefined || build === undefined || build === BUILD || isFollowing || wasLoadedFor(build)) return;
  isFollowing = true;
  try {
    const held = await registration;
    if (held) {
      await held.update().catch(() => undefined);
      const next = held.installing ?? held.waiting;
      if (next) {
        await fetched(next);
        if (next.state === "installed") {
          const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
          next.postMessage("take over");
          await Promise.race([taken, new Promise((resolve) => setTimeout(resolve, 5_000))]);
        }
      }
      // Without the whole new build at hand the page would come back as it is. Another tab may have fetched it already.
      if ((await buildOf(held.active)) !== build) return;
    }
    await settle();
    if (mark(build)) location.reload();
  } finally {
    isFollowing = false;
  }
}
