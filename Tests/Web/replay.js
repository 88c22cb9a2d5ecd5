// Follows recorded worlds, or an engine in another process: reads lines of inputs with the actions and the state that
// the engine in Swift had, and gives the same inputs to engines in JavaScript.
//
// `node replay.js FILE` prints the first difference and exits with 1. `node replay.js` answers each line of its standard
// input with a line: the frames that the engine in JavaScript sends, as texts, or the difference.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ScriptedEngine } from "./scribe.js";

const seats = new Map();

/** Takes one line; returns the actions, or throws at a difference. */
function follow(line) {
  const { seat, configuration, touched, result, expect, state, ...step } = JSON.parse(line);
  if (configuration) {
    seats.set(seat, new ScriptedEngine(configuration));
    return [];
  }
  const engine = seats.get(seat);
  const outcome = engine.take(step);
  const compare = (name, expected, actual) => {
    const [left, right] = [JSON.stringify(expected), JSON.stringify(actual)];
    if (left !== right) throw new Error(`${name} of ${step.do} at ${step.at}, seat ${seat}: expected ${left}, got ${right}`);
  };
  compare("result", result, outcome.result);
  compare("actions", expect, outcome.actions);
  compare("state", state, engine.changes(touched));
  return outcome.actions;
}

if (process.argv[2]) {
  let number = 0;
  for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
    number += 1;
    if (line === "") continue;
    try {
      follow(line);
    } catch (error) {
      console.log(`line ${number}: ${error.message}`);
      process.exit(1);
    }
  }
  console.log(`${number - 1} lines followed`);
} else {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    let answer;
    try {
      answer = { sent: follow(line).filter((action) => action.send).map((action) => JSON.stringify(action.send)) };
    } catch (error) {
      answer = { difference: error.message };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
