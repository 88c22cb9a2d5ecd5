// A month as a grid of 42 days (R028–R032), moved through by keys as the ARIA pattern for date grids says.
import { monthOf, readDate, writeDate } from "../dates/calendar.js";
import { button, fill, h } from "../screen/html.js";
import { counted, monthText, shortWeekdayText, weekdayText } from "../words/dates.js";
import { WORDS } from "../words/calendar.js";

/** @typedef {import("./season.js").Season} Season */
/** @typedef {import("../screen/html.js").Child} Child */

/** The months that can be reached from the present one, in both directions. */
const REACH = 24;

/**
 * The day on which weeks begin: 0 for Sunday. The setting of this browser.
 * @returns {number}
 */
export function weekStart() {
  try {
    return localStorage.getItem("huddle-week-start") === "1" ? 1 : 0;
  } catch {
    return 0;
  }
}

export class MonthGrid {
  /**
   * @param {Season} season
   * @param {{noun: string, marked: (first: number, last: number) => Map<number, number>, count: (first: number, last: number) => number, chosen: (date: number) => void,
   *   bars?: (first: number, last: number) => (date: number) => {content: Child, text: string}}} options
   *   `marked`: the number of events on each day from the first to the last; `count`: of events in that time; `bars`: what stands in a day besides, with its words
   */
  constructor(season, { noun, marked, count, chosen, bars }) {
    this.season = season;
    this.noun = noun;
    this.marked = marked;
    this.count = count;
    this.chosen = chosen;
    this.bars = bars;
    /** The shown month, as months after the present one. */
    this.offset = 0;
    /** @type {number | undefined} */
    this.selected = undefined;
    this.heading = h("h2", { "aria-live": "polite" });
    this.previous = button("icon", "‹", () => this.turn(-1), { "aria-label": WORDS.previousMonth });
    this.next = button("icon", "›", () => this.turn(1), { "aria-label": WORDS.nextMonth });
    this.today = button("plain", WORDS.today, () => this.showToday());
    /** On a narrow screen the month is one week until it is unfolded. */
    this.fold = button("plain.narrow-only", WORDS.wholeMonth, () => this.#fold(), { "aria-expanded": "false" });
    this.grid = h("div.days.folded", { role: "grid", on: { keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) } });
    this.element = h("section.month", { "aria-label": WORDS.calendar }, h("div.month-head", null, this.previous, this.heading, this.next, this.today), this.grid, this.fold);
    this.update();
  }

  /** @param {number} months */
  turn(months) {
    this.offset = Math.max(-REACH, Math.min(REACH, this.offset + months));
    this.update();
  }

  showToday() {
    this.offset = 0;
    this.update();
  }

  #fold() {
    const isFolded = this.grid.classList.toggle("folded");
    this.fold.setAttribute("aria-expanded", String(!isFolded));
    this.fold.textContent = isFolded ? WORDS.wholeMonth : WORDS.oneWeek;
  }

  /** The first and the last day of the shown month. */
  get month() {
    return monthOf(this.season.today, this.offset) ?? [this.season.today, this.season.today];
  }

  update() {
    const { today } = this.season;
    const [first, last] = this.month;
    // 1970-01-01 was a Thursday.
    const start = first - ((((first + 4 - weekStart()) % 7) + 7) % 7);
    const marked = this.marked(start, start + 41);
    const bars = this.bars?.(start, start + 41);
    const title = monthText(first);
    this.heading.textContent = title;
    this.previous.toggleAttribute("disabled", this.offset <= -REACH);
    this.next.toggleAttribute("disabled", this.offset >= REACH);
    this.today.toggleAttribute("hidden", this.offset === 0);
    this.grid.setAttribute("aria-label", WORDS.calendarShowingThisMonth(title, counted(this.count(first, last), this.noun)));
    const focusable = this.selected !== undefined && this.selected >= start && this.selected <= start + 41 ? this.selected : today >= start && today <= start + 41 ? today : first;
    const hadFocus = this.grid.contains(document.activeElement);
    const names = Array.from({ length: 7 }, (_, place) => h("span.weekday", { role: "columnheader", "aria-label": weekdayText(start + place) }, shortWeekdayText(start + place)));
    const weeks = Array.from({ length: 6 }, (_, week) => h(`div.week${Math.floor((focusable - start) / 7) === week ? ".current" : ""}`, { role: "row" }, Array.from({ length: 7 }, (__, place) => {
      const date = start + week * 7 + place;
      const number = marked.get(date) ?? 0;
      const inside = bars?.(date);
      const classes = ["day", date < first || date > last ? "outside" : "", date === today ? "today" : "", number > 0 ? "marked" : ""].filter((one) => one !== "");
      return h(`button.${classes.join(".")}`, {
        type: "button", role: "gridcell", "data-date": date, tabindex: date === focusable ? 0 : -1, "aria-selected": String(date === this.selected),
        "aria-current": date === today ? "date" : undefined,
        "aria-label": `${date < first || date > last ? `${monthText(date)}, ` : ""}${Number(writeDate(date)?.slice(8))}, ${weekdayText(date)}. ${number === 0 ? WORDS.no(this.noun) : WORDS.has(number === 1 ? this.noun : counted(number, this.noun))}.${inside && inside.text !== "" ? ` ${inside.text}` : ""}`,
        on: { click: () => this.#choose(date) },
      }, h("span", null, Number(writeDate(date)?.slice(8))), number > 0 && h("span.dot", { "aria-hidden": "true" }), inside?.content);
    })));
    fill(this.grid, h("div.week.names", { role: "row" }, names), weeks);
    if (hadFocus) this.#focus(focusable);
  }

  /** @param {number} date */
  #focus(date) {
    /** @type {HTMLElement | null} */ (this.grid.querySelector(`[data-date="${date}"]`))?.focus();
  }

  /** @param {number} date */
  #choose(date) {
    this.selected = date;
    this.update();
    this.chosen(date);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const date = Number(/** @type {HTMLElement} */ (event.target).dataset.date);
    if (Number.isNaN(date)) return;
    const weekday = (((date + 4 - weekStart()) % 7) + 7) % 7;
    /** @type {{[key: string]: number}} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, Home: -weekday, End: 6 - weekday };
    /** @type {number | undefined} */
    let wanted = event.key in steps ? date + steps[event.key] : undefined;
    if (event.key === "PageUp" || event.key === "PageDown") {
      const target = monthOf(date, event.key === "PageUp" ? -1 : 1);
      const [own] = monthOf(date, 0) ?? [date];
      if (target) wanted = Math.min(target[0] + (date - own), target[1]);
    }
    if (wanted === undefined) return;
    event.preventDefault();
    const month = (/** @type {number} */ day) => { const text = writeDate(day) ?? "0001-01"; return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)); };
    const offset = month(wanted) - month(this.season.today);
    if (Math.abs(offset) > REACH) return;
    this.offset = offset;
    this.selected = wanted;
    this.update();
    this.#focus(wanted);
  }
}

/**
 * The days that records cover, within limits.
 * @param {{start: any, end?: any}[]} spans dates as stored
 * @param {number} first
 * @param {number} last
 * @returns {Map<number, number>}
 */
export function covered(spans, first, last) {
  /** @type {Map<number, number>} */
  const days = new Map();
  for (const { start, end } of spans) {
    const from = typeof start === "string" ? readDate(start.slice(0, 10)) : undefined;
    if (from === undefined) continue;
    const to = Math.max(from, (typeof end === "string" ? readDate(end.slice(0, 10)) : undefined) ?? from);
    for (let day = Math.max(from, first); day <= Math.min(to, last); day += 1) days.set(day, (days.get(day) ?? 0) + 1);
  }
  return days;
}
