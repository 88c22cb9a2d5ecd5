// Runs every script of proto/sync with the engine in JavaScript.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ScriptedEngine } from "./scribe.js";

const folder = new URL("../../proto/sync/", import.meta.url);

/** The mutation ids of one run, by the symbols of its script. */
class Symbols {
  numbers = new Map();

  replaced(value) {
    if (typeof value === "string" && /^#[0-9]+$/.test(value)) {
      assert.ok(this.numbers.has(value), `${value} stands for no mutation yet`);
      return this.numbers.get(value);
    }
    if (Array.isArray(value)) return value.map((one) => this.replaced(one));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.replaced(one)]));
  }

  match(expected, actual, place) {
    if (typeof expected === "string" && /^#[0-9]+$/.test(expected) && typeof actual === "number") {
      const known = this.numbers.get(expected);
      if (known !== undefined) return assert.equal(actual, known, place);
      // A new id is larger than all before it, and exact as a double.
      assert.ok(actual > Math.max(0, ...this.numbers.values()) && Number.isSafeInteger(actual), `${place}: ${actual}`);
      this.numbers.set(expected, actual);
    } else if (Array.isArray(expected)) {
      assert.ok(Array.isArray(actual) && actual.length === expected.length, `${place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
      for (const [index, one] of expected.entries()) this.match(one, actual[index], `${place}[${index}]`);
    } else if (expected !== null && typeof expected === "object") {
      if (Object.keys(expected).join() === "between" && typeof actual === "number") {
        return assert.ok(Number.isInteger(actual) && actual >= expected.between[0] && actual <= expected.between[1], `${place}: ${actual}`);
      }
      assert.ok(actual !== null && typeof actual === "object" && !Array.isArray(actual), place);
      assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), `${place}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
      for (const name of Object.keys(expected)) this.match(expected[name], actual[name], `${place}.${name}`);
    } else {
      assert.deepEqual(actual, expected, place);
    }
  }
}

let count = 0;
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  const byName = new Map();
  for (const script of JSON.parse(readFileSync(new URL(file, folder), "utf8")).scripts ?? []) {
    const earlier = byName.get(script.after);
    assert.ok(script.after === undefined || earlier, `${file}: ${script.name} follows no script above it`);
    const configuration = script.configuration ?? earlier.configuration;
    const steps = [...(earlier?.steps ?? []), ...script.steps];
    byName.set(script.name, { configuration, steps });
    count += 1;
    test(`${file}: ${script.name}`, () => {
      const engine = new ScriptedEngine(configuration);
      const symbols = new Symbols();
      for (const [index, step] of steps.entries()) {
        const place = `step ${index + 1} (${step.do})`;
        const { expect = [], state = {}, result = {}, ...input } = step;
        const outcome = engine.take(symbols.replaced(input));
        // As JSON has it: without members that are undefined.
        const text = (value) => JSON.parse(JSON.stringify(value));
        if (outcome.result !== undefined) symbols.match(result, text(outcome.result), `${place} result`);
        symbols.match(expect, text(outcome.actions), `${place} expect`);
        symbols.match(state, text(engine.changes()), `${place} state`);
      }
    });
  }
}
test("There are scripts to run", () => assert.ok(count > 100));
