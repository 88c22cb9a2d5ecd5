// Forms: fields with labels and errors, what was typed kept on this device, questions before it is lost.
import { ask } from "../screen/dialog.js";
import { button, fill, h, link } from "../screen/html.js";
import { KINDS } from "../family/kinds.js";
import { newId } from "../sessions/ids.js";
import { titleOf } from "./season.js";
import { formDialog, Submission } from "./submission.js";
import { WORDS } from "../words/form.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{[name: string]: string | boolean}} Values */
/**
 * @typedef {object} FieldOptions
 * @property {string} [label] without it the one of the declaration
 * @property {string} [type] of the control; without it the one that suits the declaration
 * @property {boolean} [required]
 * @property {string} [hint]
 * @property {number} [rows]
 * @property {string} [prefix] as `$`
 * @property {string[][]} [options] of a select
 * @property {{[name: string]: any}} [attributes]
 */

/** The milliseconds from a key to the copy of what was typed. */
const KEEP_AFTER = 100;

/** Controls by the declared types of fields. */
export const CONTROLS = /** @type {{[type: string]: string}} */ ({
  date: "date", time: "time", local_date_time: "datetime-local", url: "url", line: "text", state: "text", zone: "text", decimal: "text", measure: "text", integer: "number", text: "textarea", flag: "checkbox", choice: "select",
});

export class Form {
  /**
   * @param {App} app
   * @param {{kind: string, name: string, submit: string, busy: string, save: (values: Values) => boolean | Promise<boolean>, check: (values: Values) => {[field: string]: string}, left: () => void}} options
   *   `name`: under which what is typed is kept; `check`: errors by field; `save`: false keeps the form
   */
  constructor(app, { kind, name, submit, busy, save, check, left }) {
    this.app = app;
    this.kind = kind;
    this.name = name;
    this.labels = { submit, busy };
    this.save = save;
    this.check = check;
    this.left = left;
    /** @type {Map<string, HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>} */
    this.controls = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.errors = new Map();
    this.summary = h("div.problem", { role: "alert", tabindex: "-1" });
    this.submit = /** @type {HTMLButtonElement} */ (h("button.primary", { type: "submit" }, submit));
    this.cancel = button("plain", WORDS.cancel, () => this.#cancel());
    this.element = /** @type {HTMLFormElement} */ (h("form", { novalidate: true, autocomplete: "off" }));
    this.element.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
    this.element.addEventListener("input", () => this.#typed());
    this.element.addEventListener("change", () => this.#typed());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#submit(); }
    });
    /** @type {string} */
    this.original = "";
    this.hasTried = false;
    this.isSaved = false;
    this.submission = new Submission(app);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Called after each change of a control, before errors are looked for. */
    this.changed = (/** @type {string} */ _name) => {};
  }

  /**
   * A field.
   * @param {string} name
   * @param {FieldOptions} options
   * @returns {HTMLElement}
   */
  field(name, options = {}) {
    const declared = KINDS[this.kind].fields.find((one) => one.name === name);
    const label = options.label ?? declared?.label ?? name;
    const type = options.type ?? CONTROLS[declared?.type ?? "line"] ?? "text";
    const isRequired = options.required ?? declared?.required ?? false;
    const id = `field-${name}`;
    const attributes = {
      id, name, "aria-describedby": `${id}-error${options.hint ? ` ${id}-hint` : ""}`, "aria-required": isRequired ? "true" : undefined, "aria-label": isRequired ? WORDS.requiredField(label) : undefined, dir: type === "textarea" || type === "text" ? "auto" : undefined,
      ...options.attributes,
    };
    const control = /** @type {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */ (
      type === "textarea" ? h("textarea", { rows: options.rows ?? 4, ...attributes })
        : type === "select" ? h("select", attributes, (options.options ?? [["", "–"], ...(declared?.words ?? []).map((word, place) => [word, declared?.labels?.[place] ?? word])]).map(([word, text]) => h("option", { value: word }, text)))
          : h("input", { type, ...(type === "text" && (declared?.type === "decimal" || declared?.type === "measure") ? { inputmode: "decimal" } : {}), ...attributes }));
    const error = h("p.error", { id: `${id}-error` });
    this.controls.set(name, control);
    this.errors.set(name, error);
    const hint = options.hint && h("p.hint", { id: `${id}-hint` }, options.hint);
    const text = h("label", { for: id }, label, isRequired && h("span.required", { "aria-hidden": "true" }, " *"));
    if (type === "checkbox") return h("div.field.check", null, control, text, hint, error);
    return h("div.field", { "data-field": name }, text, options.prefix ? h("div.with-prefix", null, h("span", { "aria-hidden": "true" }, options.prefix), control) : control, hint, error);
  }

  /** @returns {Values} texts without white space at their ends */
  get values() {
    /** @type {Values} */
    const values = {};
    for (const [name, control] of this.controls) {
      values[name] = control instanceof HTMLInputElement && control.type === "checkbox" ? control.checked : control.value.trim();
    }
    return values;
  }

  /** @param {Values} values */
  set values(values) {
    for (const [name, control] of this.controls) {
      const value = values[name];
      if (value === undefined) continue;
      if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === true;
      else control.value = String(value);
    }
  }

  /**
   * Begins with values, and with what was typed before and not saved.
   * @param {Values} values
   */
  async begin(values) {
    this.values = values;
    this.original = JSON.stringify(this.values);
    this.#show({});
    const typed = await this.app.cache?.typed(this.name).catch(() => undefined);
    if (!typed || typed.member !== this.app.season.self || this.isDirty || this.isSaved) return;
    this.values = typed.values;
    this.changed("");
    this.app.toasts.show(WORDS.whatYouTypedLastTime, { label: WORDS.startOver, act: () => { this.values = values; this.changed(""); this.#forget(); } });
  }

  get isDirty() {
    return JSON.stringify(this.values) !== this.original;
  }

  #typed() {
    this.changed(/** @type {HTMLElement | null} */ (document.activeElement)?.getAttribute("name") ?? "");
    if (this.hasTried) this.#show(this.check(this.values));
    else this.#show(this.#early(this.check(this.values)));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { values } = this;
      this.app.cache?.type(this.name, { member: this.app.season.self, values }).catch(() => undefined);
    }, KEEP_AFTER);
  }

  /**
   * Errors that are shown while somebody is still typing: of fields that have a value, not of empty ones.
   * @param {{[field: string]: string}} errors
   */
  #early(errors) {
    const { values } = this;
    return Object.fromEntries(Object.entries(errors).filter(([name]) => values[name] !== "" && document.activeElement !== this.controls.get(name)));
  }

  #forget() {
    clearTimeout(this.timer);
    this.app.cache?.type(this.name, undefined).catch(() => undefined);
  }

  /** @param {{[field: string]: string}} errors */
  #show(errors) {
    for (const [name, place] of this.errors) {
      const error = errors[name] ?? "";
      // Spoken as an error, also where it is read without its colour (R083).
      fill(place, error !== "" && [h("span.unseen", null, WORDS.error), error]);
      const control = this.controls.get(name);
      if (error) control?.setAttribute("aria-invalid", "true");
      else control?.removeAttribute("aria-invalid");
    }
    if (Object.keys(errors).length === 0) this.summary.textContent = "";
  }

  /**
   * Requests the change, for `save`.
   * @param {import("../family/records.js").Operation[]} operations
   * @param {string} done
   * @returns {Promise<boolean>} false if it was refused: the form says why
   */
  async send(operations, done) {
    const answer = this.submission.send(operations, done);
    // On this device the change is among those that wait now, and no longer among what was typed.
    if (this.submission.isWaiting) this.#forget();
    const rejection = await answer;
    if (rejection) this.#refuse(rejection);
    return !rejection;
  }

  /** @param {import("../wire/rejections.js").Rejection} rejection */
  #refuse(rejection) {
    if (this.submission.isLeft) return;
    const { field } = rejection;
    if (field !== undefined && this.errors.has(field)) this.#show({ [field]: rejection.message });
    fill(this.summary, rejection.message, rejection.conflict && [" ", link("/kept", WORDS.compareBothSides)]);
    this.summary.focus();
  }

  async #submit() {
    if (this.isSaved || this.submit.disabled) return;
    this.hasTried = true;
    const errors = this.check(this.values);
    this.#show(errors);
    const names = Object.keys(errors);
    if (names.length > 0) {
      const isMissing = names.some((name) => this.values[name] === "");
      this.summary.textContent = isMissing ? WORDS.pleaseCompleteAll : WORDS.pleaseCorrectTheMarked;
      this.controls.get(names[0])?.focus();
      return;
    }
    this.submit.disabled = true;
    fill(this.submit, this.labels.busy);
    const isDone = await this.save(this.values);
    this.submit.disabled = false;
    fill(this.submit, this.labels.submit);
    if (!isDone) return;
    this.isSaved = true;
    this.#forget();
  }

  async #cancel() {
    if (this.isDirty && !(await ask(WORDS.discardChanges, WORDS.whatYouTypedHereIs, { yes: WORDS.yes, no: WORDS.no, danger: true }))) return;
    this.isSaved = true;
    this.submission.forget();
    this.#forget();
    this.left();
  }

  /** For `Page.mayLeave`: what was typed stays on this device, so leaving loses nothing. */
  leave() {
    clearTimeout(this.timer);
    this.submission.isLeft = true;
    // What was sent is among the changes that wait, or in the outbox.
    const isSent = this.submission.isWaiting || this.submission.refused !== undefined;
    if (isSent) this.#forget();
    else if (this.isDirty && !this.isSaved) {
      const { values } = this;
      this.app.cache?.type(this.name, { member: this.app.season.self, values }).catch(() => undefined);
    }
  }
}

/**
 * The fields of a change: those that differ from the record's, with null for emptied ones.
 * @param {{[field: string]: any}} wanted
 * @param {{[field: string]: any}} [held]
 * @returns {{[field: string]: any}}
 */
export function differing(wanted, held = {}) {
  /** @type {{[field: string]: any}} */
  const fields = {};
  for (const [name, raw] of Object.entries(wanted)) {
    const value = raw === "" ? null : raw;
    if (JSON.stringify(value ?? null) !== JSON.stringify(held[name] ?? null) && !(value === false && held[name] === undefined)) fields[name] = value;
  }
  return fields;
}

/**
 * The entries of a choice of records: the living ones by name, and the chosen one although it is deleted.
 * @param {App} app
 * @param {string} kind
 * @param {string} chosen
 * @param {string} [athlete] whose records alone are offered
 */
export function recordOptions(app, kind, chosen, athlete) {
  const all = app.season.list({ kind, sort: "name", athlete });
  const former = chosen !== "" && !all.some((one) => one.id === chosen) ? app.store.engine.record(chosen) : undefined;
  return [all.map((one) => h("option", { value: one.id }, titleOf(one))), former && h("option", { value: chosen }, WORDS.deleted(titleOf(former)))];
}

/**
 * A choice of a school, with the dialogs for one that is not listed (R072–R075).
 * @param {App} app
 * @param {Form} form
 * @returns {{element: HTMLElement, value: () => {school_id: string, host: string}, set: (school: string, host: string) => void, update: () => void}}
 */
export function schoolField(app, form) {
  let school = "", host = "";
  const element = form.field("school_id", { label: WORDS.school, type: "select", options: [["", WORDS.selectASchool]] });
  const select = /** @type {HTMLSelectElement} */ (form.controls.get("school_id"));
  form.controls.delete("school_id");
  const hidden = { school: /** @type {HTMLInputElement} */ (h("input", { type: "hidden" })), host: /** @type {HTMLInputElement} */ (h("input", { type: "hidden" })) };
  form.controls.set("school", hidden.school);
  form.controls.set("host", hidden.host);

  function update() {
    school = hidden.school.value;
    host = hidden.host.value;
    fill(select,
      h("option", { value: "" }, WORDS.selectASchool),
      recordOptions(app, "school", school),
      host !== "" && h("option", { value: "host" }, host),
      h("option", { value: "none" }, WORDS.none),
      h("option", { value: "other" }, WORDS.otherNotListed),
      newSchoolOption(app));
    select.value = school !== "" ? school : host !== "" ? "host" : "";
  }

  /**
   * @param {string} one
   * @param {string} other
   */
  function set(one, other) {
    hidden.school.value = one;
    hidden.host.value = other;
    update();
    form.element.dispatchEvent(new Event("change"));
  }

  // The entries are acts as well as values: the form hears of them once they are done.
  select.addEventListener("input", (event) => event.stopPropagation());
  select.addEventListener("change", (event) => {
    event.stopPropagation();
    const { value } = select;
    if (value === "other") nameDialog(app, WORDS.schoolNotListed, WORDS.continue, { label: WORDS.schoolName, value: host }, (name) => set("", name));
    else if (value === "new") {
      newSchoolDialog(app, (id) => set(id, ""));
    } else if (value !== "host") set(value === "none" ? "" : value, "");
    update();
  });
  return { element, value: () => ({ school_id: hidden.school.value, host: hidden.host.value }), set, update };
}

/**
 * @param {App} app
 * @param {string} title
 * @param {string} yes
 * @param {{label: string, value: string}} field
 * @param {(name: string) => import("./submission.js").Wanted | Promise<void> | void} done the change that the name makes, or what the name is for
 */
export function nameDialog(app, title, yes, { label, value }, done) {
  const input = /** @type {HTMLInputElement} */ (h("input", { id: "name-dialog", value, maxlength: "255", autofocus: true, dir: "auto" }));
  formDialog(app, title, {
    label: yes, content: [h("div.field", null, h("label", { for: "name-dialog" }, label), input)], check: () => input.value.trim() !== "", wanted: () => done(input.value.trim()),
  });
}

/**
 * The entry that opens `newSchoolDialog`, for members who may create schools.
 * @param {App} app
 */
export function newSchoolOption(app) {
  return app.season.may("create", "school") && h("option", { value: "new" }, WORDS.addNewSchool);
}

/**
 * @param {App} app
 * @param {(id: string) => void} done
 */
export function newSchoolDialog(app, done) {
  const id = newId();
  const name = /** @type {HTMLInputElement} */ (h("input", { id: "school-name", maxlength: "255", autofocus: true, dir: "auto" }));
  const location = /** @type {HTMLInputElement} */ (h("input", { id: "school-location", maxlength: "255", dir: "auto" }));
  formDialog(app, WORDS.addNewSchool2, {
    label: WORDS.saveSchool, failed: WORDS.failedToAddSchool, check: () => name.value.trim() !== "",
    content: [
      h("div.field", null, h("label", { for: "school-name" }, WORDS.schoolName, h("span.required", { "aria-hidden": "true" }, " *")), name),
      h("div.field", null, h("label", { for: "school-location" }, WORDS.location), location),
    ],
    wanted: () => ({
      operations: [app.create("school", { name: name.value.trim(), ...(location.value.trim() ? { location: location.value.trim() } : {}) }, { id })], done: WORDS.added(name.value.trim()),
    }),
    saved: () => done(id),
  });
}
