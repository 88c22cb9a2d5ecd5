// All texts for people are in one table, the folder `words/` (docs/WORDS.md has its words). What the declarations in Swift write is beside it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { textsIn, typescript } from "./words.js";

const SITE = new URL("../../Sources/WebClient/site/", import.meta.url);
/** Tables that Swift writes, and drawings. */
const TABLES = ["family/kinds.js", "family/sentences.js", "folding/table.js", "screen/icons.js"];
/** Modules whose texts are not in the table yet. The list only shrinks. */
const LEFT = [];

const modules = (folder = "") => readdirSync(new URL(folder, SITE)).flatMap((name) => {
  const path = folder + name;
  return statSync(new URL(path, SITE)).isDirectory() ? modules(`${path}/`) : path.endsWith(".js") ? [path] : [];
});
const source = (path) => readFileSync(new URL(path, SITE), "utf8");
const ts = typescript();
const options = { skip: ts ? false : "there is no tsc (Debian's node-typescript)" };

test("no module but the table has a text for people", options, () => {
  const all = modules().filter((path) => !path.startsWith("words/") && !TABLES.includes(path));
  assert.ok(all.length > 50, String(all.length));
  const found = all.map((path) => ({ path, texts: textsIn(ts, path, source(path)) })).filter(({ texts }) => texts.length > 0);
  assert.deepEqual(found.filter(({ path }) => !LEFT.includes(path)).flatMap(({ path, texts }) => texts.map(({ line, text }) => `${path}:${line}: ${JSON.stringify(text)}`)), []);
  for (const path of LEFT) assert.ok(found.some((one) => one.path === path), `${path} has no text any more: take it off the list`);
});

test("a text is found wherever it is", options, () => {
  const texts = (code) => textsIn(ts, "a.js", code).map(({ text }) => text);
  for (const code of [
    'h("p", null, "again")', 'h("p", null, isNew && "new")', 'h("p", null, [one ? "yes" : "no"])', 'h("input", { "aria-label": "name" })', 'button("plain", "save", act)', 'link("/a", "there")', 'const TITLE = "Your trips";',
    'error.textContent = "missing";', 'app.toasts.show("Saved")', 'app.remove(record, "Delete it?", "Deleted")', 'element.setAttribute("aria-label", "close")', 'counted(3, "event")', 'names.join(" and ")', 'parts.push("offline")',
    'rejection("busy", "There is no connection.")', 'document.title = "trips"', 'ask("Sure?", text, { yes: "go" })', "const when = `in ${days} days`;", "`${names} ${one ? \"is\" : \"are\"} here`", 'throw new Refusal("Not now, please.")',
  ]) assert.ok(texts(code).length > 0, code);
  for (const code of [
    'import { a } from "./a b.js";', 'h("p.hint.wide", { class: "button plain", "data-act": "remove it" })', 'if (kind === "Trip item") act();', 'switch (key) { case "Enter key": break; }', 'request("GET", "/families")', 'element.querySelector("a[href] b")',
    'console.warn("huddle: a frame could not be read")', 'throw new Error("the table is broken")', 'fetch("/sessions", { headers: { "Content-Type": "application/json" } })', 'const way = "name";', "`${id}-error`", 'addEventListener("click", act)', 'const KEY = "huddleTypedText";',
  ]) assert.deepEqual(texts(code), [], code);
});

test("each row of the table is used, and none is empty", options, async () => {
  const users = modules().map((path) => ({ path, text: source(path) }));
  for (const path of modules("words/").filter((one) => /export const WORDS = \{/.test(source(one)))) {
    const { WORDS } = await import(new URL(path, SITE));
    const importing = users.filter(({ text }) => text.includes(`/${path}";`));
    const names = importing.map(({ text }) => /WORDS(?: as (\w+))?[^;]*from "[^"]*/.exec(text.split("\n").find((line) => line.includes(`/${path}";`)))?.[1] ?? "WORDS");
    for (const [key, value] of Object.entries(WORDS)) {
      assert.ok(importing.some(({ text }, place) => new RegExp(`\\b${names[place]}\\.${key}\\b`).test(text)), `${path}: nothing uses ${key}`);
      assert.ok(value !== "" && value !== undefined, `${path}: ${key} is empty`);
    }
  }
});
