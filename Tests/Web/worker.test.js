// The service worker, with a fake of what browsers give it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const TEXT = readFileSync(new URL("../../Sources/WebClient/site/worker.js", import.meta.url), "utf8");

/** A worker of a build, at a server whose answers `answer` gives. */
function worker(build, answer, stores = new Map()) {
  const handlers = {};
  let hasTakenOver = false;
  const caches = {
    open: async (name) => {
      if (!stores.has(name)) stores.set(name, new Map());
      const store = stores.get(name);
      return { put: async (path, response) => { store.set(path, response); }, match: async (path) => store.get(path) };
    },
    delete: async (name) => stores.delete(name),
    keys: async () => [...stores.keys()],
  };
  const response = (status, text) => ({ ok: status === 200, status, clone: () => response(status, text), text: async () => text });
  const self = {
    location: { origin: "https://huddle.example" }, clients: { claim: async () => {} }, skipWaiting: () => { hasTakenOver = true; },
    addEventListener: (name, handler) => { handlers[name] = handler; },
  };
  vm.runInNewContext(`const BUILD = "${build}";\nconst FILES = ["/app/${build}/app.js", "/app/${build}/app.css"];\n${TEXT}`, {
    self, caches, URL, Promise, Error, fetch: async (path) => { const [status, text] = answer(typeof path === "string" ? path : path.url); return response(status, text); },
  });
  const run = (name, event = {}) => {
    let waited;
    handlers[name]({ waitUntil: (promise) => { waited = promise; }, ...event });
    return waited;
  };
  const ask = (path, { method = "GET", mode = "no-cors", origin = "https://huddle.example" } = {}) => {
    let responded;
    handlers.fetch({ request: { method, mode, url: origin + path }, respondWith: (promise) => { responded = promise; } });
    return responded;
  };
  return { run, ask, stores, hasTakenOver: () => hasTakenOver };
}

const all = (build) => (path) => [200, `${path} of ${build}`];

test("a build is held complete, and answers pages and its files without the server", async () => {
  const one = worker("b1", all("b1"));
  await one.run("install");
  await one.run("activate");
  for (const path of ["/", "/events", "/events/0199/edit", "/trips/0199", "/trips/0199/board", "/documents", "/documents/0199/about", "/room", "/kept", "/settings", "/settings/audit"]) {
    assert.match(await (await one.ask(path, { mode: "navigate" })).text(), /\/events of b1/, path);
  }
  assert.equal(await (await one.ask("/app/b1/app.js")).text(), "/app/b1/app.js of b1");
});

test("one failure, and nothing of the build stays", async () => {
  for (const broken of ["/app/b2/app.js", "/events"]) {
    const one = worker("b2", (path) => (path === broken ? [500, "b2"] : [200, "b2"]));
    await assert.rejects(one.run("install"));
    assert.equal(one.stores.size, 0);
  }
  const mixed = worker("b2", (path) => [200, path === "/events" ? "a page of b3" : "b2"]);
  await assert.rejects(mixed.run("install"), /another build/);
});

test("the next build takes over when it is told, and only then the former one goes", async () => {
  const first = worker("b1", all("b1"));
  await first.run("install");
  await first.run("activate");
  const second = worker("b2", all("b2"), first.stores);
  await second.run("install");
  assert.deepEqual([...first.stores.keys()], ["huddle-b1", "huddle-b2"]);
  assert.equal(second.hasTakenOver(), false);
  second.run("message", { data: "something else" });
  assert.equal(second.hasTakenOver(), false);
  second.run("message", { data: "take over" });
  assert.equal(second.hasTakenOver(), true);
  await second.run("activate");
  assert.deepEqual([...first.stores.keys()], ["huddle-b2"]);
});

test("sessions, documents, uploads, share pages, other methods and other origins are never touched", async () => {
  const one = worker("b1", all("b1"));
  await one.run("install");
  const untouched = [
    ["/session", {}], ["/session", { mode: "navigate" }], ["/documents/0199", { mode: "navigate" }], ["/documents/0199/thumbnail", {}], ["/s/token", { mode: "navigate" }], ["/files", { method: "POST" }],
    ["/files/0199", { method: "PATCH" }], ["/events", { method: "POST", mode: "navigate" }], ["/events", { mode: "navigate", origin: "https://elsewhere.example" }], ["/app/b0/app.js", {}], ["/worker.js", {}], ["/ws", {}],
  ];
  for (const [path, options] of untouched) assert.equal(one.ask(path, options), undefined, path);
});

test("a page whose script is gone from the cache comes from the server, if there is one", async () => {
  let isThere = true;
  const one = worker("b1", (path) => {
    if (!isThere) throw new TypeError("no network");
    return [200, typeof path === "string" ? `${path} of b1` : ""];
  });
  await one.run("install");
  one.stores.get("huddle-b1").delete("/app/b1/app.js");
  isThere = false;
  assert.match(await (await one.ask("/room", { mode: "navigate" })).text(), /\/events of b1/);
  isThere = true;
  assert.match(await (await one.ask("/room", { mode: "navigate" })).text(), /\/room of b1/);
  one.stores.clear();
  assert.match(await (await one.ask("/room", { mode: "navigate" })).text(), /\/room of b1/);
});

test("a worker says which build it holds", async () => {
  const told = [];
  worker("b7", all("b7")).run("message", { data: "which build", ports: [{ postMessage: (build) => told.push(build) }] });
  assert.deepEqual(told, ["b7"]);
});
