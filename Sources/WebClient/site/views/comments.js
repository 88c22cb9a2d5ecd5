// The conversation about one record: its comments, and a line to write one.
import { fill, h, keyed } from "../screen/html.js";
import { instantText } from "../words/dates.js";
import { WORDS } from "../words/comments.js";

/** @typedef {import("./app.js").App} App */

/**
 * @param {App} app
 * @param {{kind: string, id: string}} about
 * @returns {{element: HTMLElement, update: () => void}}
 */
export function comments(app, about) {
  const { season } = app;
  const list = h("ul.messages", null);
  const input = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "comment", rows: 1, maxlength: "4000", placeholder: WORDS.writeAComment, dir: "auto" }));
  const form = h("form.line.no-print", {
    on: {
      submit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const text = input.value.trim();
        if (text === "") return;
        if (app.perform([app.create("message", { text, about })], "")) input.value = "";
      },
    },
  }, h("label.unseen", { for: "comment" }, WORDS.comment), input, h("button.primary", { type: "submit" }, WORDS.send));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      /** @type {HTMLFormElement} */ (form).requestSubmit();
    }
  });
  const heading = h("h2", null, WORDS.comments);
  const element = h("section.comments", null, heading, list, form);
  function update() {
    const found = season.records("message").filter((message) => message.fields.about?.id === about.id);
    form.toggleAttribute("hidden", !season.may("create", "message"));
    fill(heading, found.length === 0 ? WORDS.comments : WORDS.commentsOf(found.length));
    keyed(list, found.map((message) => ({
      key: message.id, stamp: JSON.stringify([message.version, message.fields.text, season.nameOf(message.created_by), season.isWaiting(message.id)]),
      make: () => h("li", null, h("p.hint", null, h("strong", { dir: "auto" }, season.nameOf(message.created_by)), ` ${instantText(message.created_at)}`, season.isWaiting(message.id) && WORDS.waiting), h("p.text", { dir: "auto" }, message.fields.text)),
    })));
  }
  update();
  return { element, update };
}
