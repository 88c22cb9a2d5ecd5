// A new event, and the edit of one (R056–R083).
import { readDate, readTime, writeDate, writeTime } from "../dates/calendar.js";
import { checkForm } from "../family/rules.js";
import { fill, h, link } from "../screen/html.js";
import { skeleton } from "../screen/skeleton.js";
import { newId } from "../sessions/ids.js";
import { WORDS } from "../words/event-form.js";
import { differing, Form, schoolField } from "./form.js";
import { shortened, titleOf } from "./season.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./form.js").Values} Values */
/** @typedef {import("../screen/router.js").Page} Page */

const FIELDS = [
  "type", "name", "event_source", "cost", "url", "start_date", "start_time", "end_date", "end_time", "checkin_time", "address", "city", "state", "location", "description", "performance_notes",
  "registered", "attended",
];

/**
 * The address for maps (R080).
 * @param {{[field: string]: any}} fields
 * @returns {string | undefined}
 */
export function directions(fields) {
  const parts = [fields.address, fields.city, fields.state].filter((part) => typeof part === "string" && part.trim() !== "");
  return parts.length === 0 ? undefined : `https://www.openstreetmap.org/search?query=${encodeURIComponent(parts.join(", "))}`;
}

/**
 * Errors by field, in the server's words, which are those of the requirements (R057–R060, R067, R068).
 * @param {Values} values
 * @returns {{[field: string]: string}}
 */
export function eventErrors(values) {
  const { mistakes } = checked(values);
  return Object.fromEntries(Object.entries(mistakes).map(([name, mistake]) => [name, mistake.message]));
}

/** @param {Values} values */
function checked(values) {
  return checkForm("event", Object.fromEntries(FIELDS.map((name) => [name, values[name] ?? ""])));
}

/**
 * @param {App} app
 * @param {string | undefined} id the event to edit
 * @param {string} [day] the start date of a new one
 * @returns {Page}
 */
export function eventFormPage(app, id, day) {
  const { season } = app;
  const event = season.find("event", id);
  if (id !== undefined && !event && app.store.isLoading) {
    // The records are on their way; the form begins with them.
    const element = h("section", null);
    skeleton(element, "detail");
    return { title: WORDS.editEvent, element, update: () => app.router.show(false) };
  }
  if (id !== undefined && !event) {
    return { title: WORDS.eventNotFound, element: h("section", null, h("h1", null, WORDS.eventNotFound), h("p", null, link("/events", WORDS.returnToEvents))) };
  }
  // Drawn once: however often the button is pressed, it is one event (R013).
  const newEvent = newId();
  const refusal = event ? season.refusal("update", "event", { record: event }) : undefined;
  const form = new Form(app, {
    kind: "event", name: event ? WORDS.event(event.id) : WORDS.eventNew, submit: event ? WORDS.saveChanges : WORDS.createEvent, busy: event ? WORDS.saving : WORDS.creating,
    check: eventErrors, left: () => app.router.back(event ? `/events/${event.id}` : "/events"),
    save: async (values) => {
      /** @type {{[field: string]: any}} */
      const wanted = {};
      const canonical = checked(values).fields;
      for (const name of FIELDS) wanted[name] = canonical[name] ?? "";
      Object.assign(wanted, school.value());
      if (event) {
        const now = season.find("event", event.id) ?? event;
        // What the form showed is the base: what others changed meanwhile is not overwritten in silence.
        const fields = differing(wanted, event.fields);
        if (Object.keys(fields).length > 0 && !(await form.send([{ ...app.update(now, fields), base: Math.min(event.version, now.version) }], WORDS.saved(shortened(wanted.name, 40))))) return false;
      } else {
        const athlete = asksOwner() ? String(values.owner) : season.athlete ?? (await app.owner(WORDS.eventNoun));
        if (athlete === undefined || athlete === "") return false;
        const fields = differing(wanted);
        if (!(await form.send([app.create("event", fields, { id: newEvent, athlete })], WORDS.created(shortened(wanted.name, 40))))) return false;
      }
      form.isSaved = true;
      if (!form.submission.isLeft) app.router.go(`/events/${event ? event.id : newEvent}`, { replace: true });
      return true;
    },
  });
  const school = schoolField(app, form);
  const owner = event ? undefined : form.field("owner", { label: WORDS.whoseEvent, type: "select", required: true, options: [["", "–"]] });
  const owners = () => season.athletes.filter((athlete) => season.may("create", "event", { owner: athlete.id }));
  const asksOwner = () => owner !== undefined && !owner.hidden;

  /** The athletes to choose from: they may arrive after the form was opened, and the season may change meanwhile. */
  function updateOwner() {
    if (!owner) return;
    const all = owners();
    owner.hidden = season.athlete !== undefined || all.length < 2;
    const stamp = JSON.stringify(all.map((one) => [one.id, one.fields.name]));
    if (owner.dataset.stamp === stamp) return;
    owner.dataset.stamp = stamp;
    const select = /** @type {HTMLSelectElement} */ (form.controls.get("owner"));
    const { value } = select;
    fill(select, h("option", { value: "" }, "–"), all.map((one) => h("option", { value: one.id }, one.fields.name)));
    select.value = all.some((one) => one.id === value) ? value : "";
  }

  const map = /** @type {HTMLAnchorElement} */ (h("a", { target: "_blank", rel: "noopener noreferrer", hidden: true }, WORDS.getDirections));
  const filled = { end_date: false, end_time: false };
  form.changed = (name) => {
    const control = (/** @type {string} */ one) => /** @type {HTMLInputElement} */ (form.controls.get(one));
    // The end follows the start until somebody types an end (R062, R063).
    if (name === "end_date" || name === "end_time") filled[name] = false;
    if (name === "start_date" && (control("end_date").value === "" || filled.end_date)) {
      control("end_date").value = control("start_date").value;
      filled.end_date = true;
    }
    if (name === "start_time" && (control("end_time").value === "" || filled.end_time)) {
      const start = readTime(control("start_time").value);
      if (start !== undefined) {
        control("end_time").value = writeTime((start + 60) % 1440);
        filled.end_time = true;
        const date = readDate(control("start_date").value);
        if (start + 60 >= 1440 && date !== undefined && control("end_date").value === control("start_date").value) control("end_date").value = writeDate(date + 1) ?? "";
      }
    }
    const state = control("state");
    if (state.value !== state.value.toUpperCase()) {
      const place = state.selectionStart;
      state.value = state.value.toUpperCase();
      if (document.activeElement === state) state.setSelectionRange(place, place);
    }
    school.update();
    const address = directions(form.values);
    map.toggleAttribute("hidden", address === undefined);
    if (address) map.href = address;
  };
  form.check = (values) => ({ ...eventErrors(values), ...(asksOwner() && values.owner === "" ? { owner: WORDS.sayWhoseEventItIs } : {}) });
  const section = (/** @type {string} */ title, /** @type {HTMLElement[]} */ ...fields) => h("fieldset", null, h("legend", null, title), fields);
  form.element.append(
    section(WORDS.eventInfo, ...(owner ? [owner] : []), form.field("type", { options: [["", WORDS.selectAType], ["camp", WORDS.camp], ["showcase", WORDS.showcase], ["official_visit", WORDS.officialVisit], ["unofficial_visit", WORDS.unofficialVisit], ["game", WORDS.game]] }),
      form.field("name"), school.element, form.field("event_source"), form.field("cost", { prefix: "$" }), form.field("url", { attributes: { placeholder: WORDS.https } })),
    section(WORDS.dateTime, form.field("start_date"), form.field("start_time"), form.field("end_date"), form.field("end_time"), form.field("checkin_time")),
    section(WORDS.location, form.field("location", { hint: WORDS.asAFieldAHall }), form.field("address"), form.field("city"), form.field("state", { type: "text", attributes: { maxlength: "2", autocapitalize: "characters" } }), h("p", null, map)),
    section(WORDS.eventDetails, form.field("description", { rows: 3 }), form.field("registered"), form.field("attended")),
    section(WORDS.performance, form.field("performance_notes", { rows: 4 })),
    form.summary, h("div.buttons.fixed", null, form.cancel, form.submit));
  /** @type {Values} */
  const values = { school: event?.fields.school_id ?? "", host: event?.fields.host ?? "", owner: "" };
  for (const name of FIELDS) values[name] = event?.fields[name] ?? (name === "registered" || name === "attended" ? false : name === "start_date" || name === "end_date" ? day ?? "" : "");
  updateOwner();
  form.begin(values).then(() => form.changed(""));
  form.changed("");
  const title = event ? WORDS.editEvent : WORDS.addNewEvent;
  if (refusal) form.submit.disabled = true;
  return {
    title,
    element: h("section.form-page", null,
      h("p", null, link(event ? `/events/${event.id}` : "/events", event ? WORDS.backTo(titleOf(event)) : WORDS.backToEvents)), h("h1", null, title), refusal && h("p.notice", null, refusal), form.element),
    update: () => { updateOwner(); school.update(); },
    leave: () => form.leave(),
  };
}
