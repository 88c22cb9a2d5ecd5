// What others do at this moment, in words; and what the person does, from where they are and what they type.
import { fill, h } from "../screen/html.js";
import { OwnActivity } from "../sessions/activity.js";
import { WORDS } from "../words/activity.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../sessions/activity.js").Activity} Activity */

const SWITCH = "huddle-activity";

/** Whether the others see what the person does; a choice of this browser. */
export const shownToOthers = {
  get isOn() {
    try { return localStorage.getItem(SWITCH) !== "off"; } catch { return true; }
  },
  /** @param {boolean} isOn */
  set(isOn) {
    try {
      if (isOn) localStorage.removeItem(SWITCH);
      else localStorage.setItem(SWITCH, "off");
    } catch { /* Blocked storage: it counts until the page is left. */ }
    dispatchEvent(new CustomEvent(SWITCH, { detail: isOn }));
  },
};

/**
 * @param {App} app
 * @param {string[]} members
 * @param {string} act as "typing …"
 * @returns {string} empty for nobody
 */
export function people(app, members, act) {
  if (members.length === 0) return "";
  if (members.length > 3) return WORDS.severalPeopleAre(act);
  const names = members.map((one) => app.season.nameOf(one));
  return `${names.length === 1 ? names[0] : WORDS.and(names.slice(0, -1).join(", "), names[names.length - 1])} ${names.length === 1 ? WORDS.is : WORDS.are} ${act}`;
}

/**
 * What a path shows.
 * @param {string} path
 * @returns {Activity | undefined}
 */
export function activityOf(path) {
  const match = /^\/(events|trips|documents)\/([0-9a-f-]{36})(\/edit|\/about)?$/.exec(path);
  if (!match) return undefined;
  const kind = /** @type {{[page: string]: string}} */ ({ events: "event", trips: "trip", documents: "document" })[match[1]];
  return { action: match[3] === "/edit" ? "editing" : "looking", record: { kind, id: match[2] } };
}

/**
 * The line above a page that says who else is at the same record; and the person's own activity, told to the others.
 * @param {App} app
 * @returns {{element: HTMLElement, opened: (path: string) => void}}
 */
export function activityLine(app) {
  const { activities } = app.store;
  // Read out only if somebody edits: who looks is nothing to be interrupted for.
  const editing = h("p.hint", { role: "status" }), looking = h("p.hint", null);
  const element = h("div.activity.no-print", { hidden: true }, editing, looking);
  /** @type {Activity | undefined} */
  let here;
  const update = () => {
    const id = here?.record?.id;
    const edits = id ? people(app, activities.members("editing", id), WORDS.editingThis) : "";
    const looks = id ? [people(app, activities.members("typing", id), WORDS.writingAComment), people(app, activities.members("looking", id), WORDS.lookingAtThisToo)].filter((text) => text).join(". ") : "";
    if (editing.textContent !== edits) fill(editing, edits);
    if (looking.textContent !== looks) fill(looking, looks);
    element.hidden = edits === "" && looks === "";
  };
  activities.listen(update);

  const own = new OwnActivity((activity) => app.store.tell(activity));
  own.isOn = shownToOthers.isOn;
  addEventListener(SWITCH, (event) => own.set(/** @type {CustomEvent} */ (event).detail));
  app.store.listen((_, notes) => {
    for (const note of notes) {
      if (note.notify !== "live") continue;
      own.forget();
      own.used();
    }
  });
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => own.used(), { passive: true });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") own.stop(); });
  addEventListener("pagehide", () => own.stop());
  document.addEventListener("input", (event) => {
    const field = /** @type {HTMLTextAreaElement} */ (event.target);
    if (field.id !== "message" && field.id !== "comment") return;
    own.type(field.value.trim() === "" ? undefined : { action: "typing", ...(field.id === "comment" && here?.record ? { record: here.record } : {}) });
  });
  document.addEventListener("submit", () => own.type(undefined));
  // Sent by a key, the line is emptied without an event of its own.
  document.addEventListener("keyup", (event) => {
    const field = /** @type {HTMLTextAreaElement} */ (event.target);
    if (event.key === "Enter" && (field.id === "message" || field.id === "comment") && field.value.trim() === "") own.type(undefined);
  });
  return {
    element,
    opened: (path) => {
      here = activityOf(path);
      own.open(here);
      update();
    },
  };
}
