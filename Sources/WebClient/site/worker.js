// The service worker: holds one build of the client, complete, and shows it when the server cannot be reached. The server
// puts two lines before this text: `BUILD`, and `FILES`, the addresses of the build's files.
//
// A build is fetched completely before it takes over, or not at all. It never touches sessions, documents, uploads or the
// socket: only the pages and the files of its own build.

const NAME = `huddle-${BUILD}`;
const SHELL = "/events";
const PAGES = /^\/($|events($|\/)|trips($|\/)|room$|kept$|settings($|\/)|documents($|\/[^/]+\/about$))/;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    // One failure, and nothing of this build stays.
    try {
      await Promise.all([SHELL, ...FILES].map(async (path) => {
        const response = await fetch(path, { cache: "no-cache" });
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        if (path === SHELL && !(await response.clone().text()).includes(BUILD)) throw new Error("the page belongs to another build");
        await cache.put(path, response);
      }));
    } catch (error) {
      await caches.delete(NAME);
      throw error;
    }
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("huddle-") && name !== NAME) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  else if (event.data === "which build") event.ports[0]?.postMessage(BUILD);
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate" && PAGES.test(url.pathname)) event.respondWith(held(SHELL, request));
  else if (FILES.includes(url.pathname)) event.respondWith(held(url.pathname, request));
});

/**
 * The file of this build, or the server's if the cache was emptied. A page whose other files are gone would stay empty, so that it is the server's, too.
 */
async function held(path, request) {
  const cache = await caches.open(NAME);
  const file = await cache.match(path);
  if (!file) return fetch(request);
  if (path !== SHELL) return file;
  for (const one of FILES) if (!(await cache.match(one))) return fetch(request).catch(() => file);
  return file;
}
