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

/**
 * Changes to the server's build, if it is another one and nothing is lost by it.
 * @param {string | undefined} build of the server
 * @param {() => Promise<void>} settle resolves once everything that was typed is on this device
 */
export async function follow(build, settle) {
  if (BUILD === undefined || build === undefined || build === BUILD) return;
  try {
    // A server that goes back and forth between builds does not make the page go in a circle.
    if (sessionStorage.getItem("huddle-build") === build) return;
    sessionStorage.setItem("huddle-build", build);
  } catch {
    return;
  }
  const held = await registration;
  if (held) {
    await held.update().catch(() => undefined);
    const next = held.installing ?? held.waiting;
    if (!next) return;
    if (next.state === "installing") await new Promise((resolve) => next.addEventListener("statechange", resolve, { once: true }));
    if (next.state === "redundant") return;
    const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    next.postMessage("take over");
    await Promise.race([taken, new Promise((resolve) => setTimeout(resolve, 5_000))]);
  }
  await settle();
  location.reload();
}
