// One event: everything about it, attended, coaches, contact, results (R084–R117).
import { KINDS } from "../family/kinds.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, link, refill } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { skeleton } from "../screen/skeleton.js";
import { newId } from "../sessions/ids.js";
import { dateText, dayText, instantText, localText, rangeText, timeText } from "../words/dates.js";
import { WORDS } from "../words/event.js";
import { comments } from "./comments.js";
import { historyDialog } from "./history.js";
import { presses } from "./keys.js";
import { directions } from "./event-form.js";
import { eventStatus, labelOf, titleOf } from "./season.js";
import { formDialog } from "./submission.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */

/**
 * Choices of a field of a kind, for a select.
 * @param {string} kind
 * @param {string} name
 * @param {string} [none] the first entry, with no value
 */
export function choicesOf(kind, name, none) {
  const field = KINDS[kind].fields.find((one) => one.name === name);
  const words = field?.words ?? [];
  return [...(none === undefined ? [] : [h("option", { value: "" }, none)]), ...words.map((word, place) => h("option", { value: word }, field?.labels?.[place] ?? word))];
}

/**
 * A labelled control in a dialog.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function labelled(label, control, hint) {
  control.id ||= `dialog-field-${label.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return h("div.field", null, h("label", { for: control.id }, label), control, hint && h("p.hint", null, hint));
}

/** Units by type of metric, as the server fills them in. */
const UNITS = /** @type {{[type: string]: string}} */ ({ velocity: "mph", exit_velo: "mph", sixty_time: "sec", pop_time: "sec", batting_avg: "avg", era: "ERA", strikeouts: "K" });

/**
 * The controls of one result (R108).
 * @param {string} number tells them from those of another result
 */
function resultFields(number = "") {
  // Drawn once per form, so that what is sent again makes no second record (R013).
  const id = newId();
  const control = (/** @type {string} */ name, /** @type {any} */ attributes) => /** @type {HTMLInputElement} */ (h("input", { id: `metric-${name}${number}`, ...attributes }));
  const type = /** @type {HTMLSelectElement} */ (h("select", { id: `metric-type${number}` }, choicesOf("metric", "metric_type")));
  const label = control("label", { maxlength: "100", dir: "auto" }), value = control("value", { inputmode: "decimal", "aria-describedby": `metric-error${number}` }), unit = control("unit", { maxlength: "20", value: "mph" });
  const notes = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: `metric-notes${number}`, rows: 2, dir: "auto" }));
  const verified = control("verified", { type: "checkbox" });
  const error = h("p.error", { id: `metric-error${number}` });
  const own = labelled(WORDS.label, label, WORDS.asItIsCalledSuch);
  own.hidden = true;
  type.addEventListener("change", () => { unit.value = UNITS[type.value] ?? ""; });
  return {
    type,
    content: [labelled(WORDS.metric, type), own, labelled(WORDS.value, value), error, labelled(WORDS.unit, unit), labelled(WORDS.notes, notes), h("div.field.check", null, verified, h("label", { for: verified.id }, WORDS.verified))],
    /** Says what is wrong beside the value. */
    /** @returns {"empty" | "wrong" | "whole"} */
    look() {
      const text = value.value.trim();
      const isNumber = /^-?[0-9]{1,9}([.,][0-9]{1,4})?$/.test(text);
      error.textContent = text !== "" && !isNumber ? WORDS.pleaseEnterAValidNumber : "";
      own.hidden = type.value !== "other";
      if (text === "") return "empty";
      return isNumber && unit.value.trim() !== "" && (type.value !== "other" || label.value.trim() !== "") ? "whole" : "wrong";
    },
    /** @param {App} app @param {FamilyRecord} event */
    operation: (app, event) => app.create("metric", {
      event_id: event.id, metric_type: type.value, value: value.value.trim().replace(",", "."), unit: unit.value.trim(), verified: verified.checked,
      ...(type.value === "other" ? { label: label.value.trim() } : {}), ...(notes.value.trim() ? { notes: notes.value.trim() } : {}),
    }, { id, athlete: event.athlete }),
  };
}

/**
 * The coaches of an event's school who are not recorded as present.
 * @param {App} app
 * @param {FamilyRecord} event
 */
function otherCoaches(app, event) {
  const present = new Set((event.fields.coaches_present ?? []).map((/** @type {any} */ one) => one.id));
  return event.fields.school_id ? app.season.list({ kind: "coach", filter: { school_id: event.fields.school_id } }).filter((coach) => !present.has(coach.id)) : [];
}

/**
 * The dialog that logs an interaction (R090–R093). With `attended`, the flag, the coaches who were there, the interaction and the results are one change.
 * @param {App} app
 * @param {FamilyRecord} event
 * @param {boolean} attended
 */
export function interactionDialog(app, event, attended) {
  const id = newId();
  const type = /** @type {HTMLSelectElement} */ (h("select", null, choicesOf("interaction", "interaction_type")));
  const direction = /** @type {HTMLSelectElement} */ (h("select", null, choicesOf("interaction", "direction")));
  const sentiment = /** @type {HTMLSelectElement} */ (h("select", null, choicesOf("interaction", "sentiment", "–")));
  const content = /** @type {HTMLTextAreaElement} */ (h("textarea", { rows: 4, maxlength: "10000", dir: "auto" }));
  const others = attended ? otherCoaches(app, event) : [];
  const known = [...(event.fields.coaches_present ?? []).map((/** @type {any} */ one) => ({ id: one.id, name: one.name ?? WORDS.coach })), ...others.map((one) => ({ id: one.id, name: titleOf(one) }))];
  const coach = /** @type {HTMLSelectElement} */ (h("select", null, h("option", { value: "" }, "–"), known.map((one) => h("option", { value: one.id }, one.name))));
  const boxes = others.map((one) => /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: `present-${one.id}`, value: one.id })));
  /** @type {ReturnType<typeof resultFields>[]} */
  const results = [];
  const rows = h("div", null);
  const add = button("plain", WORDS.addAResult, () => {
    const one = resultFields(`-${results.length}`);
    results.push(one);
    rows.append(h("fieldset", null, h("legend", null, WORDS.resultOf(results.length)), one.content));
    one.type.focus();
  });
  const now = () => app.season.find("event", event.id) ?? event;
  const present = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const whole = () => results.filter((one) => one.look() === "whole");
  formDialog(app, WORDS.logInteractions, {
    label: WORDS.logInteraction,
    content: [
      h("p", null, WORDS.didYouHaveAnyCoaching(titleOf(event))),
      labelled(WORDS.type, type), labelled(WORDS.direction, direction), known.length > 0 && labelled(WORDS.coach, coach), labelled(WORDS.whatHappened, content), labelled(WORDS.sentiment, sentiment),
      boxes.length > 0 && h("fieldset", null, h("legend", null, WORDS.coachesPresent), boxes.map((box, place) => h("div.check", null, box, h("label", { for: box.id, dir: "auto" }, titleOf(others[place]))))),
      attended && [rows, h("p", null, add)],
    ],
    check: () => !results.map((one) => one.look()).includes("wrong") && (content.value.trim() !== "" || present().length + whole().length > 0),
    wanted: () => {
      const text = content.value.trim();
      const interaction = app.create("interaction", {
        event_id: event.id, interaction_type: type.value, direction: direction.value, content: text, ...(sentiment.value ? { sentiment: sentiment.value } : {}), ...(coach.value ? { coach_id: coach.value } : {}),
      }, { id, athlete: event.athlete });
      return {
        operations: [...(attended ? [app.update(now(), { attended: true }, { add: { coaches_present: present() } })] : []), ...(text === "" ? [] : [interaction]), ...whole().map((one) => one.operation(app, event))],
        done: !attended ? WORDS.interactionLogged : text === "" ? WORDS.markedAsAttended : WORDS.attendedAndThe,
      };
    },
    skip: attended ? { label: WORDS.skipForNow, wanted: () => ({ operations: [app.update(now(), { attended: true })], done: WORDS.markedAsAttended }) } : undefined,
  });
}

/**
 * @param {App} app
 * @param {FamilyRecord} event
 */
function metricDialog(app, event) {
  const result = resultFields();
  formDialog(app, WORDS.logPerformanceMetric, {
    label: WORDS.logMetric, content: result.content, check: () => result.look() === "whole", wanted: () => ({ operations: [result.operation(app, event)], done: WORDS.metricLogged }),
  });
}

/**
 * @param {App} app
 * @param {FamilyRecord} event
 */
function coachDialog(app, event) {
  const id = newId();
  const [first, last, role] = Array.from({ length: 3 }, () => /** @type {HTMLInputElement} */ (h("input", { maxlength: "100", dir: "auto" })));
  const others = otherCoaches(app, event);
  /** @param {string} coach @param {string} name @param {import("../family/records.js").Operation[]} before */
  const adding = (coach, name, before = []) => ({ operations: [...before, app.update(app.season.find("event", event.id) ?? event, {}, { add: { coaches_present: [coach] } })], done: WORDS.added(name) });
  formDialog(app, WORDS.addCoach, {
    label: WORDS.add,
    above: (send) => [others.length > 0
      ? h("div.choices", null, others.map((coach) => button("plain", [titleOf(coach), coach.fields.role].filter((one) => one).join(", "), () => send(adding(coach.id, titleOf(coach))))))
      : h("p.hint", null, WORDS.noOtherCoachOfThis)],
    content: [h("h3", null, WORDS.somebodyNew), labelled(WORDS.firstName, first), labelled(WORDS.lastName, last), labelled(WORDS.role, role)],
    check: () => first.value.trim() !== "" && last.value.trim() !== "",
    wanted: () => adding(id, `${first.value.trim()} ${last.value.trim()}`, [
      app.create("coach", { first_name: first.value.trim(), last_name: last.value.trim(), school_id: event.fields.school_id, ...(role.value.trim() ? { role: role.value.trim() } : {}) }, { id }),
    ]),
  });
}

/**
 * A cell of a CSV file. A text that a spreadsheet would read as a formula gets an apostrophe (R112).
 * @param {any} value
 */
export function csvCell(value) {
  let text = String(value ?? "");
  if (/^[=+\-@\t\r]/.test(text) && !/^-?[0-9]+(\.[0-9]+)?$/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
}

/**
 * Opens the print view with the results alone; the page is as before when it closes.
 * @param {App} app
 * @param {FamilyRecord} event
 * @param {readonly FamilyRecord[]} metrics
 */
function printResults(app, event, metrics) {
  const table = resultsTable(app, event, metrics);
  document.getElementById("page")?.append(table);
  document.documentElement.dataset.print = "results";
  addEventListener("afterprint", () => {
    table.remove();
    delete document.documentElement.dataset.print;
  }, { once: true });
  print();
}

/**
 * The results of an event as a table, on paper only (R112).
 * @param {App} app
 * @param {FamilyRecord} event
 * @param {readonly FamilyRecord[]} metrics
 */
function resultsTable({ season }, event, metrics) {
  const { fields } = event;
  return h("section.results-print", null,
    h("h2", { dir: "auto" }, WORDS.results(titleOf(event))),
    h("p", { dir: "auto" }, [season.nameOf(event.athlete), labelOf(event, "type"), rangeText(fields.start_date, fields.end_date), season.schoolOf(event), fields.location].filter((one) => one).join(" · ")),
    h("table", null, h("thead", null, h("tr", null, [WORDS.date, WORDS.metric, WORDS.value, WORDS.unit, WORDS.verified, WORDS.notes].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, metrics.map((one) => h("tr", null, [dateText(one.fields.recorded_date), metricName(one), one.fields.value, one.fields.unit, one.fields.verified ? WORDS.yes : WORDS.no, one.fields.notes ?? ""].map((value) => h("td", { dir: "auto" }, value)))))),
    h("p", null, WORDS.printed(dayText(season.today))));
}

/**
 * @param {App} app
 * @param {FamilyRecord} event
 * @param {readonly FamilyRecord[]} metrics
 */
function exportDialog(app, event, metrics) {
  openDialog(WORDS.exportResults, (close) => [
    h("p", null, WORDS.csvOpensInASpreadsheet),
    h("div.buttons", null,
      button("plain", WORDS.cancel, close),
      button("plain", WORDS.printOrPdf, () => { close(); printResults(app, event, metrics); }),
      button("primary", WORDS.downloadCsv, () => {
        const rows = [["date", "metric", "value", "unit", "verified", "notes"],
          ...metrics.map((one) => [one.fields.recorded_date, metricName(one), one.fields.value, one.fields.unit, one.fields.verified ? "yes" : "no", one.fields.notes])];
        const file = new Blob([rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n"], { type: "text/csv;charset=utf-8" });
        const url = URL.createObjectURL(file);
        const anchor = h("a", { href: url, download: `${titleOf(event).replace(/[^\p{L}\p{N}]+/gu, "_")}.csv` });
        // Below an open dialog everything is inert, and a browser may ignore the press.
        close();
        document.body.append(anchor);
        anchor.click();
        anchor.remove();
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
      })),
  ]);
}

/** @param {FamilyRecord} metric */
function metricName(metric) {
  return metric.fields.metric_type === "other" ? metric.fields.label ?? WORDS.other : labelOf(metric, "metric_type");
}

/**
 * @param {App} app
 * @param {string} id
 * @returns {Page}
 */
export function eventPage(app, id) {
  const { season } = app;
  const body = h("div.event", null);
  const talk = comments(app, { kind: "event", id });
  const element = h("section.detail", null, body, talk.element);

  function update() {
    const event = season.find("event", id);
    if (!event) {
      const { isLoading } = app.store;
      if (isLoading) skeleton(body, "detail");
      else fill(body, h("h1", null, WORDS.eventNotFound), h("p", null, link("/events", WORDS.returnToEvents)));
      talk.element.toggleAttribute("hidden", true);
      return;
    }
    talk.element.toggleAttribute("hidden", false);
    const { fields } = event;
    const status = eventStatus(event);
    const title = titleOf(event);
    const range = rangeText(fields.start_date, fields.end_date);
    const mayEdit = season.may("update", "event", { record: event });
    const mayLog = season.may("create", "metric", { owner: event.athlete });
    const metrics = season.list({ kind: "metric", athlete: event.athlete, filter: { event_id: id } });
    const interactions = season.list({ kind: "interaction", athlete: event.athlete, filter: { event_id: id } });
    const coaches = fields.coaches_present ?? [];
    const map = directions(fields);
    const fact = (/** @type {string} */ label, /** @type {any} */ value) => value !== undefined && value !== "" && h("div", null, h("dt", null, label), h("dd", { dir: "auto" }, value));
    refill(body,
      h("p.no-print", null, link("/events", WORDS.backToEvents)),
      h("div.badges", null, h(`span.badge.${fields.type ?? "unknown"}`, null, labelOf(event, "type")), h(`span.badge.${status.word}`, null, status.label), season.isWaiting(id) && h("span.badge.waiting", null, WORDS.waiting)),
      h("h1", { dir: "auto", "aria-label": `${title}, ${labelOf(event, "type")}, ${range}, ${status.label}` }, title),
      h("p.range", null, range),
      h("div.buttons.no-print", null,
        mayEdit && !fields.attended && button("primary", WORDS.markAttended, () => interactionDialog(app, event, true), { "aria-label": WORDS.markAsAttended, "data-act": "attended" }),
        mayEdit && fields.attended && button("plain", WORDS.notAttendedAfterAll, () => app.perform([app.update(event, { attended: false })], WORDS.notAttendedAnyMore), { "data-act": "not attended" }),
        mayEdit && link(`/events/${id}/edit`, WORDS.edit, { class: "button plain", "aria-label": WORDS.editEvent, "data-act": "edit" }),
        season.may("delete", "event", { record: event }) && button("danger", WORDS.delete, async () => {
          if (await app.remove(event, WORDS.areYouSureYouWant, WORDS.deleted(title))) app.router.go("/events", { replace: true });
        }, { "aria-label": WORDS.deleteEvent, "data-act": "delete" })),
      h("dl.facts", null,
        fact(WORDS.starts, [dateText(fields.start_date), timeText(fields.start_time)].filter((one) => one).join(", ")),
        fact(WORDS.ends, fields.end_time || fields.end_date !== fields.start_date ? [dateText(fields.end_date ?? fields.start_date), timeText(fields.end_time)].filter((one) => one).join(", ") : undefined),
        fact(WORDS.checkIn, timeText(fields.checkin_time)), fact(WORDS.timeZone, fields.time_zone), fact(WORDS.cost, fields.cost === undefined ? undefined : fields.cost === "0.00" ? WORDS.free : `$${fields.cost}`),
        fact(WORDS.source, fields.event_source && labelOf(event, "event_source")), fact(WORDS.school, season.schoolOf(event)), fact(WORDS.athlete, season.nameOf(event.athlete)), fact(WORDS.status, status.label)),
      (fields.location || map) && h("section", null, h("h2", null, WORDS.location),
        h("p", { dir: "auto" }, [fields.location, fields.address, [fields.city, fields.state].filter((one) => one).join(", ")].filter((one) => one).map((line) => [String(line), h("br", null)])),
        map && h("p.no-print", null, h("a", { href: map, target: "_blank", rel: "noopener noreferrer", "data-act": "directions" }, WORDS.getDirections))),
      fields.description && h("section", null, h("h2", null, WORDS.eventDescription), h("p.text", { dir: "auto" }, fields.description)),
      fields.url && h("section", null, h("h2", null, WORDS.eventLink), h("p", null, h("a", { href: fields.url, target: "_blank", rel: "noopener noreferrer" }, fields.url))),
      fields.performance_notes && h("section", null, h("h2", null, WORDS.performanceNotes), h("p.text", { dir: "auto" }, fields.performance_notes)),
      metrics.length > 0 && h("section", null, h("h2", null, WORDS.metricsRecordedAtThis), h("ul.metrics", null, metrics.map((metric) => h("li", {
        "aria-label": `${metricName(metric)}, ${metric.fields.value} ${metric.fields.unit}, ${metric.fields.verified ? WORDS.verified : WORDS.notVerified}`,
      },
      h("span.label", null, metricName(metric)), h("span.value", null, metric.fields.value, " ", h("span.unit", null, metric.fields.unit)),
      metric.fields.verified && h("span.badge.attended", null, WORDS.verifiedPart), metric.fields.notes && h("p.text", { dir: "auto" }, metric.fields.notes),
      season.may("delete", "metric", { record: metric }) && button("icon.danger.no-print", icon("trash"), () => app.remove(metric, WORDS.deleteThisMetric, WORDS.deletedOf(metricName(metric))), { "aria-label": WORDS.deleteOf(metricName(metric)), "data-act": `remove metric ${metric.id}` }))))),
      h("section", null, h("h2", null, WORDS.coachesPresent),
        coaches.length > 0 && h("ul.coaches", null, coaches.map((/** @type {any} */ one) => {
          const coach = season.find("coach", one.id);
          const facts = [one.name ?? WORDS.coach, one.role, coach?.fields.email, coach?.fields.phone].filter((fact_) => fact_);
          return h("li", { "aria-label": facts.join(", ") }, h("strong", { dir: "auto" }, facts[0]), facts.slice(1).map((text) => [h("br", null), h("span", { dir: "auto" }, text)]),
            mayEdit && button("icon.no-print", icon("close"), () => app.perform([app.update(event, {}, { remove: { coaches_present: [one.id] } })], WORDS.removed(facts[0])), { "aria-label": WORDS.remove(facts[0]), "data-act": `remove coach ${one.id}` }));
        })),
        coaches.length === 0 && h("p.hint", null, fields.school_id ? WORDS.noCoachesRecorded : WORDS.eventNotLinkedToSchool),
        mayEdit && fields.school_id && h("p.no-print", null, button("plain", WORDS.addCoachPart, () => coachDialog(app, event), { "data-act": "coach" }))),
      h("section", null, h("h2", null, WORDS.interactions),
        interactions.length > 0 && h("ul.interactions", null, interactions.map((one) => h("li", null,
          h("strong", { dir: "auto" }, one.fields.subject ?? WORDS.interactionAt(title)), h("p.hint", null, [labelOf(one, "interaction_type"), labelOf(one, "direction"), one.fields.sentiment && labelOf(one, "sentiment"), localText(one.fields.occurred_at)].filter((text) => text).join(" · ")),
          h("p.text", { dir: "auto" }, one.fields.content),
          season.may("delete", "interaction", { record: one }) && button("icon.danger.no-print", icon("trash"), () => app.remove(one, WORDS.deleteThisInteraction, WORDS.interactionDeleted), { "aria-label": WORDS.deleteThisInteraction2, "data-act": `remove interaction ${one.id}` })))),
        interactions.length === 0 && h("p.hint", null, WORDS.noInteractionsLogged)),
      h("div.buttons.no-print", null,
        mayLog && button("plain", WORDS.logInteraction, () => interactionDialog(app, event, false), { "data-act": "log" }),
        mayLog && button("plain", WORDS.logPerformanceMetric, () => metricDialog(app, event), { "data-act": "metric" }),
        button("plain", WORDS.history, () => historyDialog(app, { kind: "event", id }), { "data-act": "history" }),
        metrics.length > 0 && button("plain", WORDS.exportResults, () => exportDialog(app, event, metrics), { "data-act": "export" })),
      h("p.hint", null, WORDS.lastChangedBy(season.nameOf(event.updated_by), instantText(event.updated_at))));
    talk.update();
  }

  update();
  return {
    title: WORDS.event, element, update,
    get acts() {
      return presses(body, {
        "event-attend": "attended", "event-edit": "edit", "event-delete": "delete", "event-interaction": "log", "event-metric": "metric", "event-coaches": "coach", "event-export": "export", "event-directions": "directions", history: "history",
      });
    },
  };
}
