// Pages that ask the server: an answer in parts, each with its states (loading, refused, offline, nothing).
import { button, fill, h } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { WORDS } from "../words/answers.js";
import { Refusal } from "../wire/rejections.js";

/** @typedef {import("./app.js").App} App */

/** Entries of one question. */
const LIMIT = 50;

/**
 * The sentence for a question that was not answered.
 * @param {any} error
 */
export function unanswered(error) {
  if (!(error instanceof Refusal)) console.error(error);
  return error instanceof Refusal ? error.rejection.message : WORDS.theServersAnswerCouldNot;
}

/**
 * A list whose pages come from the server, the newest first.
 * @param {App} app
 * @param {{ask: (before: string | undefined, limit: number) => {type: string}, row: (entry: any) => HTMLElement, nothing: string, label: string}} options
 *   `ask`: the frame without its `request`
 * @returns {{element: HTMLElement, load: () => void, update: () => void}} `load` begins again
 */
export function pagedList(app, { ask, row, nothing, label }) {
  const list = h("ul.log", { "aria-label": label });
  const state = h("div.nothing", null);
  /** @type {string | undefined} */
  let before;
  /** Which start this is, so that an answer to an earlier one is dropped. */
  let round = 0;
  let isWaiting = false;

  async function more() {
    const own = round;
    if (list.childElementCount === 0) skeleton(state);
    else fill(state, h("p.hint", { role: "status" }, WORDS.loading));
    try {
      const page = await app.store.ask((request) => ({ ...ask(before, LIMIT), request }));
      if (own !== round) return;
      isWaiting = false;
      list.append(...page.entries.map(row));
      before = page.next;
      fill(state, page.next !== undefined && button("plain", WORDS.earlierEntries, more), list.childElementCount === 0 && h("p", { role: "status" }, nothing));
    } catch (error) {
      if (own !== round) return;
      const text = unanswered(error);
      isWaiting = app.store.engine.phase !== "live";
      fill(state, h("p.problem", { role: "alert" }, isWaiting ? WORDS.thisListComesFromThe : text), !isWaiting && button("plain", WORDS.tryAgain, more));
    }
  }

  function load() {
    round += 1;
    before = undefined;
    fill(list);
    more();
  }

  return { element: h("div", null, list, state), load, update: () => { if (isWaiting && app.store.engine.phase === "live") { isWaiting = false; more(); } } };
}
