// The board of days of a trip: columns of days with rows of 15 minutes. Items move by a handle, by keys or by a dialog, and
// each move is one change with its undo (R165).
import { readDate, readLocal, readTime, writeDate, writeTime } from "../dates/calendar.js";
import { overlaps } from "../family/itinerary.js";
import { openDialog } from "../screen/dialog.js";
import { button, fill, h, link, refill } from "../screen/html.js";
import { icon } from "../screen/icons.js";
import { skeleton } from "../screen/skeleton.js";
import { dayText, longDayText, minutesText, shortWeekdayText } from "../words/dates.js";
import { WORDS } from "../words/board.js";
import { blocksOn, clockSpan, hoursOf, isInStrip, nextStep, SHORTEST, STEP, stripOn, timesAt } from "./board-plan.js";
import { labelled } from "./event.js";
import { presses } from "./keys.js";
import { labelOf, titleOf } from "./season.js";
import { Submission } from "./submission.js";
import { categoryIcon, itemDialog, itemSubmission, saveItem } from "./trip-items.js";
import { daysOfTrip, tripHead } from "./trip.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./board-plan.js").Block} Block */
/** @typedef {import("../family/records.js").FamilyRecord} FamilyRecord */
/** @typedef {import("../screen/router.js").Page} Page */
/** @typedef {{id: string, start: number, from: number}} Taken an item in the hand: where it would begin, and where it began */

const DAY = 1440;
/** The height of a row of 15 minutes, in rem. */
const ROW = 1;
/** How far the pointer moves, in px, before a press on a handle is a drag. */
const SLACK = 5;
/** How near to an edge, in px, a drag scrolls. */
const EDGE = 48;

export class Board {
  /**
   * @param {App} app
   * @param {string} trip
   */
  constructor(app, trip) {
    this.app = app;
    this.trip = trip;
    /** @type {Taken | undefined} an item taken by keys */
    this.taken = undefined;
    /** @type {(Taken & {pointer: number, x: number, y: number, offset: number, isMoving: boolean, handle: HTMLElement}) | undefined} an item under the pointer */
    this.drag = undefined;
    this.isRendering = false;
    this.isStale = false;
    this.isScrolling = false;
    /** Whether a drag has just ended, whose press the browser still makes a click of. */
    this.isAfterDrag = false;
    this.hasAllHours = false;
    /** @type {[number, number]} */
    this.hours = [7, 21];
    /** @type {number[]} */
    this.days = [];
    /** The day that a narrow screen shows. @type {number | undefined} */
    this.shown = undefined;
    this.turnHeading = h("p.unseen", { "aria-live": "polite" });
    this.earlier = button("plain", WORDS.earlier, () => this.#turn(-1), { "aria-label": WORDS.earlierDay });
    this.later = button("plain", WORDS.later, () => this.#turn(1), { "aria-label": WORDS.laterDay });
    this.allHours = button("plain", WORDS.allHours, () => { this.hasAllHours = !this.hasAllHours; this.update(); }, { "aria-pressed": "false" });
    this.scroller = h("div.board", { role: "group", "aria-label": WORDS.boardOfDays, tabindex: "0" });
    this.ghost = h("div.block.ghost", { "aria-hidden": "true" });
    this.voice = h("p.unseen", { role: "status", "aria-live": "assertive" });
    this.element = h("div.board-part", null,
      h("div.board-bar", null,
        h("p.hint", { id: "board-help" }, WORDS.dragAnItemByIts, h("span.wide-only", null, WORDS.keysSpaceTakesArrowsMove)),
        h("div.board-turn", null, this.earlier, this.turnHeading, this.later), this.allHours),
      this.scroller, this.voice);
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && this.drag?.isMoving) this.#endDrag(false);
    };
    addEventListener("keydown", this.escape);
  }

  leave() {
    removeEventListener("keydown", this.escape);
    this.drag = undefined;
  }

  get season() {
    return this.app.season;
  }

  /** The items of the trip, each where it would be if it were dropped now. */
  get items() {
    const held = this.drag?.isMoving ? undefined : this.taken;
    return this.season.records("trip_item").filter((item) => item.fields.trip_id === this.trip && readLocal(item.fields.start_time ?? "") !== undefined)
      .map((item) => (held && item.id === held.id ? { ...item, fields: { ...item.fields, ...timesAt(item.fields, held.start) } } : item));
  }

  /** Who is on the trip, for items that name nobody. */
  get travellers() {
    const named = this.season.find("trip", this.trip)?.fields.participants ?? [];
    return new Set(named.length > 0 ? named.map((/** @type {any} */ one) => one.id) : this.season.members.filter((one) => one.fields.role !== "guest").map((one) => one.id));
  }

  // What is shown.

  update() {
    if (this.drag) {
      // The card under the pointer stays the same element until it is let go: another one would get no move of the pointer.
      this.isStale = true;
      return;
    }
    this.isStale = false;
    const trip = this.season.find("trip", this.trip);
    if (!trip) return;
    if (this.taken && !this.season.find("trip_item", this.taken.id)) {
      this.taken = undefined;
      this.#say(WORDS.theItemWasDeleted);
    }
    const { today } = this.season;
    const { items } = this;
    this.days = daysOfTrip(trip, items, today);
    if (this.shown === undefined || !this.days.includes(this.shown)) this.shown = this.days.includes(today) ? today : this.days[0];
    const plan = this.days.map((day) => ({ day, blocks: blocksOn(items, day), strip: stripOn(items, day) }));
    this.hours = this.hasAllHours ? [0, 24] : hoursOf(plan.flatMap((one) => one.blocks));
    this.allHours.setAttribute("aria-pressed", String(this.hasAllHours));
    const doubled = new Map();
    for (const { item, with: other, members } of overlaps(new Set(items.map((one) => one.id)), items, this.travellers)) {
      for (const [one, beside] of [[item, other], [other, item]]) doubled.set(one.id, [...(doubled.get(one.id) ?? []), { beside, members }]);
    }
    const strips = Math.max(0, ...plan.map((one) => one.strip.length));
    this.scroller.style.setProperty("--strip", String(strips));
    this.scroller.style.setProperty("--days", String(this.days.length));
    this.scroller.style.setProperty("--hours", String(this.hours[1] - this.hours[0]));
    const mayAdd = this.season.may("create", "trip_item");
    const marks = Array.from({ length: this.hours[1] - this.hours[0] }, (_, place) => h("li", null, minutesText((this.hours[0] + place) * 60)));
    const columns = plan.map(({ day, blocks, strip }) => {
      const name = longDayText(day, today);
      const classes = ["board-day", day === today ? "today" : "", day === this.shown ? "shown" : ""].filter((one) => one !== "").join(".");
      return h(`section.${classes}`, { "aria-label": name, "data-day": day },
        h("div.board-head", null, h("h2", null, `${shortWeekdayText(day)} ${dayText(day)}`),
          mayAdd && button("icon", "+", () => itemDialog(this.app, this.trip, undefined, day), { "aria-label": WORDS.addTo(name), "data-act": `add ${day}` })),
        h("ul.board-strip", null, strip.map((item) => this.#stripCard(item, day))),
        h("ul.board-hours", null, blocks.map((block) => this.#card(block, day, doubled.get(block.item.id) ?? []))));
    });
    this.isRendering = true;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const act = active && this.scroller.contains(active) ? active.dataset.act : undefined;
    const { scrollLeft, scrollTop } = this.scroller;
    fill(this.scroller, h("div.board-clock", { "aria-hidden": "true" }, h("ul", null, marks)), columns);
    this.scroller.scrollTo(scrollLeft, scrollTop);
    if (act !== undefined) /** @type {HTMLElement | null} */ (this.scroller.querySelector(`[data-act="${act}"]`))?.focus({ preventScroll: this.taken === undefined });
    this.isRendering = false;
    this.#showTurn();
  }

  #showTurn() {
    const place = this.days.indexOf(/** @type {number} */ (this.shown));
    this.turnHeading.textContent = this.shown === undefined ? "" : longDayText(this.shown, this.season.today);
    this.earlier.toggleAttribute("disabled", place <= 0);
    this.later.toggleAttribute("disabled", place < 0 || place >= this.days.length - 1);
  }

  /** @param {number} step */
  #turn(step) {
    this.shown = this.days[this.days.indexOf(/** @type {number} */ (this.shown)) + step] ?? this.shown;
    this.update();
  }

  /**
   * @param {FamilyRecord} item
   * @param {number} start
   */
  #when(item, start) {
    const span = clockSpan(item.fields);
    const day = Math.floor(start / DAY);
    const name = longDayText(day, this.season.today);
    if (!span) return WORDS.allDay(name);
    const end = start + span.end - span.start;
    const last = Math.floor(end / DAY);
    return WORDS.to(name, minutesText(start - day * DAY), last === day ? "" : `${longDayText(last, this.season.today)}, `, minutesText(end - last * DAY));
  }

  /**
   * @param {FamilyRecord} item
   * @param {boolean} hasHandle
   * @param {string} time
   */
  #parts(item, hasHandle, time) {
    const { season } = this;
    const title = titleOf(item);
    const mayMove = hasHandle && season.may("update", "trip_item", { record: item });
    const start = readLocal(item.fields.start_time) ?? 0;
    const content = [h("span.block-time", null, icon(categoryIcon(item)), " ", time), h("span.block-title", { dir: "auto" }, title), h("span.unseen", null, `, ${labelOf(item, "category")}`)];
    return [
      mayMove && h("button.handle", {
        type: "button", "aria-label": WORDS.move(title, this.#when(item, start)), "aria-describedby": "board-help", "aria-pressed": String(this.taken?.id === item.id), "data-act": `take ${item.id}`,
        on: {
          click: () => this.#pressed(item.id),
          keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event, item.id),
          // The press of Space ends here; otherwise the browser would make a click of it.
          keyup: (/** @type {KeyboardEvent} */ event) => { if (event.key === " ") event.preventDefault(); },
          blur: () => { if (!this.isRendering && this.taken?.id === item.id) this.#putBack(); },
          pointerdown: (/** @type {PointerEvent} */ event) => this.#down(event, item.id),
          pointermove: (/** @type {PointerEvent} */ event) => this.#move(event),
          pointerup: () => this.#endDrag(true),
          pointercancel: () => this.#endDrag(false),
          lostpointercapture: () => this.#endDrag(false),
        },
      }, icon("grip")),
      mayMove ? h("button.block-open", { type: "button", "data-act": `open ${item.id}`, "aria-label": WORDS.edit(title), on: { click: () => itemDialog(this.app, this.trip, season.find("trip_item", item.id)) } }, content)
        : h("div.block-open", null, content),
    ];
  }

  /**
   * @param {FamilyRecord} item
   * @param {number} day
   */
  #stripCard(item, day) {
    const first = Math.floor((readLocal(item.fields.start_time) ?? 0) / DAY);
    const classes = ["block", item.fields.category ?? "other", this.taken?.id === item.id ? "taken" : "", this.season.isWaiting(item.id) ? "is-waiting" : ""].filter((one) => one !== "").join(".");
    const start = (readLocal(item.fields.start_time) ?? 0) - first * DAY;
    return h(`li.${classes}`, null, this.#parts(item, first === day, item.fields.category !== "accommodation" ? WORDS.allDay2 : first === day ? minutesText(start) : WORDS.stays));
  }

  /**
   * @param {Block} block
   * @param {number} day
   * @param {{beside: FamilyRecord, members: string[]}[]} doubled
   */
  #card({ item, from, to, isFirst, isLast, lane, lanes }, day, doubled) {
    const classes = ["block", item.fields.category ?? "other", this.taken?.id === item.id ? "taken" : "", this.season.isWaiting(item.id) ? "is-waiting" : "", doubled.length > 0 ? "doubled" : "", to - from <= SHORTEST ? "short" : ""]
      .filter((one) => one !== "").join(".");
    const time = isFirst ? `${minutesText(from)}${isLast ? ` – ${minutesText(to === DAY ? 0 : to)}` : " …"}` : isLast ? WORDS.until(minutesText(to === DAY ? 0 : to)) : WORDS.allDay3;
    const card = h(`li.${classes}`, { "data-item": item.id }, this.#parts(item, isFirst, time),
      doubled.length > 0 && h("p.block-note", null, WORDS.atTheSameTimeAs(doubled.map((one) => titleOf(one.beside)).join(", "))),
      item.fields.include_in_itinerary === false && h("p.block-note", null, WORDS.notInTheItinerary),
      item.fields.location && to - from > 60 && h("p.block-note", { dir: "auto" }, item.fields.location));
    this.#place(card, from, to, lane, lanes);
    return card;
  }

  /**
   * @param {HTMLElement} card
   * @param {number} from
   * @param {number} to
   * @param {number} lane
   * @param {number} lanes
   */
  #place(card, from, to, lane, lanes) {
    card.style.top = `${((from - this.hours[0] * 60) / STEP) * ROW}rem`;
    card.style.height = `${(Math.max(to - from, SHORTEST) / STEP) * ROW}rem`;
    card.style.left = `${(lane / lanes) * 100}%`;
    card.style.width = `${100 / lanes}%`;
  }

  /** @param {string} text */
  #say(text) {
    this.voice.textContent = text;
  }

  /**
   * What an item that began at another time would overlap with, in words; empty for nothing.
   * @param {FamilyRecord} item as it is now
   * @param {number} start
   */
  #overlapText(item, start) {
    const all = this.season.records("trip_item").filter((one) => one.fields.trip_id === this.trip).map((one) => (one.id === item.id ? { ...one, fields: { ...one.fields, ...timesAt(item.fields, start) } } : one));
    const found = overlaps(new Set([item.id]), all, this.travellers);
    return found.map((one) => WORDS.atTheSameTimeAsOf(titleOf(one.item.id === item.id ? one.with : one.item), one.members.map((id) => this.season.nameOf(id)).join(", "))).join(" ");
  }

  // Moves by keys.

  /**
   * @param {KeyboardEvent} event
   * @param {string} id
   */
  #key(event, id) {
    const item = this.season.find("trip_item", id);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.taken) {
      if (event.key !== " " || this.drag) return;
      event.preventDefault();
      const start = readLocal(item.fields.start_time) ?? 0;
      this.taken = { id, start, from: start };
      this.update();
      this.#say(WORDS.takenArrowsMoveItBy(titleOf(item), this.#when(item, start)));
      return;
    }
    const isEarlier = event.key === "ArrowUp" || event.key === "ArrowLeft", isLater = event.key === "ArrowDown" || event.key === "ArrowRight";
    if (event.key === "Escape") {
      event.preventDefault();
      this.#putBack();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const { start } = this.taken;
      this.taken = undefined;
      this.#drop(item, start);
    } else if (isEarlier || isLater) {
      event.preventDefault();
      const byDays = event.shiftKey || event.key === "ArrowLeft" || event.key === "ArrowRight";
      const start = byDays ? this.taken.start + (isEarlier ? -DAY : DAY) : nextStep(this.taken.start, isEarlier ? -1 : 1);
      if (!timesAt(item.fields, start)) return;
      this.taken.start = start;
      this.shown = Math.floor(start / DAY);
      this.update();
      /** @type {HTMLElement | null} */ (this.scroller.querySelector(".taken"))?.scrollIntoView({ block: "nearest", inline: "nearest" });
      this.#say(`${this.#when(item, start)}. ${this.#overlapText(item, start)}`.trim());
    }
  }

  #putBack() {
    const { taken } = this;
    if (!taken) return;
    this.taken = undefined;
    this.shown = Math.floor(taken.from / DAY);
    this.update();
    this.#say(WORDS.putBackWhereItWas);
  }

  /**
   * @param {FamilyRecord} item
   * @param {number} start
   */
  #drop(item, start) {
    const times = timesAt(item.fields, start);
    const from = readLocal(item.fields.start_time);
    if (!times || start === from) {
      this.update();
      this.#say(WORDS.putBackWhereItWas);
      return;
    }
    const when = this.#when(item, start);
    this.shown = Math.floor(start / DAY);
    saveItem(this.app, this.app.update(item, times), WORDS.movedTo(titleOf(item), when));
    this.update();
    this.#say(WORDS.dropped(when));
  }

  // Moves by the pointer.

  /**
   * @param {PointerEvent} event
   * @param {string} id
   */
  #down(event, id) {
    const item = this.season.find("trip_item", id);
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    if (event.button !== 0 || !event.isPrimary || this.drag || !item) return;
    const start = readLocal(item.fields.start_time) ?? 0;
    handle.setPointerCapture(event.pointerId);
    const at = this.#at(event.clientX, event.clientY);
    this.drag = { id, start, from: start, pointer: event.pointerId, x: event.clientX, y: event.clientY, offset: at ? start - at.day * DAY - at.minutes : 0, isMoving: false, handle };
  }

  /**
   * The day and the minutes of its clock under a point.
   * @param {number} x
   * @param {number} y
   * @returns {{day: number, minutes: number, hours: Element} | undefined}
   */
  #at(x, y) {
    /** @type {HTMLElement | undefined} */
    let nearest;
    let least = Infinity;
    for (const column of /** @type {NodeListOf<HTMLElement>} */ (this.scroller.querySelectorAll(".board-day"))) {
      const box = column.getBoundingClientRect();
      if (box.width === 0) continue;
      const away = x < box.left ? box.left - x : x > box.right ? x - box.right : 0;
      if (away < least) [nearest, least] = [column, away];
    }
    const hours = nearest?.querySelector(".board-hours");
    if (!nearest || !hours) return undefined;
    const box = hours.getBoundingClientRect();
    return { day: Number(nearest.dataset.day), minutes: this.hours[0] * 60 + ((y - box.top) / box.height) * (this.hours[1] - this.hours[0]) * 60, hours };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    const item = this.season.find("trip_item", drag.id);
    if (!item) return;
    if (!drag.isMoving) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLACK) return;
      this.taken = undefined;
      drag.isMoving = true;
      drag.handle.closest(".block")?.classList.add("lifted");
      this.element.classList.add("dragging");
    }
    drag.x = event.clientX;
    drag.y = event.clientY;
    this.#follow(item);
    this.#scroll();
  }

  /** @param {FamilyRecord} item */
  #follow(item) {
    const { drag, ghost } = this;
    const at = drag && this.#at(drag.x, drag.y);
    if (!drag || !at) return;
    const own = drag.from - Math.floor(drag.from / DAY) * DAY;
    if (isInStrip(item.fields)) {
      drag.start = at.day * DAY + own;
      ghost.classList.add("in-strip");
      at.hours.previousElementSibling?.append(ghost);
    } else {
      const wanted = at.minutes + drag.offset;
      // Where it was stays reachable, also between two rows.
      const minutes = Math.abs(wanted - own) < STEP / 2 ? own : Math.round(wanted / STEP) * STEP;
      const span = clockSpan(item.fields);
      const length = span ? span.end - span.start : STEP;
      drag.start = at.day * DAY + Math.max(this.hours[0] * 60, Math.min(minutes, this.hours[1] * 60 - STEP));
      const from = drag.start - at.day * DAY;
      ghost.classList.remove("in-strip");
      if (ghost.parentElement !== at.hours) at.hours.append(ghost);
      this.#place(ghost, from, Math.min(from + length, DAY), 0, 1);
    }
    const trouble = this.#overlapText(item, drag.start);
    ghost.classList.toggle("doubled", trouble !== "");
    fill(ghost, h("span.block-time", null, this.#when(item, drag.start)), h("span.block-title", { dir: "auto" }, titleOf(item)), trouble !== "" && h("span.block-note", null, trouble));
  }

  /** Scrolls while the pointer is near an edge. */
  #scroll() {
    const { drag, scroller } = this;
    if (!drag?.isMoving || this.isScrolling) return;
    const box = scroller.getBoundingClientRect();
    const step = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) => (at < low + EDGE ? -1 : at > high - EDGE ? 1 : 0) * 12;
    const [across, down] = [step(drag.x, box.left, box.right), step(drag.y, Math.max(box.top, 0), Math.min(box.bottom, innerHeight))];
    if (across === 0 && down === 0) return;
    this.isScrolling = true;
    requestAnimationFrame(() => {
      this.isScrolling = false;
      if (!this.drag?.isMoving) return;
      const before = [scroller.scrollLeft, scroller.scrollTop, scrollY].join(" ");
      scroller.scrollBy(across, down);
      if (scroller.scrollHeight <= scroller.clientHeight) scrollBy(0, down);
      const item = this.season.find("trip_item", this.drag.id);
      if (item) this.#follow(item);
      if (before !== [scroller.scrollLeft, scroller.scrollTop, scrollY].join(" ")) this.#scroll();
    });
  }

  /** @param {boolean} isDropped */
  #endDrag(isDropped) {
    const { drag } = this;
    if (!drag) return;
    this.drag = undefined;
    if (!drag.isMoving) {
      // Behind the click that the browser makes of the press.
      if (this.isStale) setTimeout(() => this.update());
      return;
    }
    // The browser makes a click of the press as well; it is no wish for the dialog.
    this.isAfterDrag = true;
    setTimeout(() => { this.isAfterDrag = false; });
    this.element.classList.remove("dragging");
    drag.handle.closest(".block")?.classList.remove("lifted");
    this.ghost.remove();
    const item = this.season.find("trip_item", drag.id);
    if (isDropped && item) this.#drop(item, drag.start);
    else {
      this.update();
      this.#say(item ? WORDS.putBackWhereItWas : WORDS.theItemWasDeleted);
    }
  }

  // Moves by a dialog.

  /** @param {string} id */
  #pressed(id) {
    if (this.isAfterDrag || this.taken) return;
    const item = this.season.find("trip_item", id);
    const from = readLocal(item?.fields.start_time ?? "");
    if (!item || from === undefined) return;
    const day = Math.floor(from / DAY);
    const date = /** @type {HTMLInputElement} */ (h("input", { type: "date", value: writeDate(day) }));
    const time = /** @type {HTMLInputElement} */ (h("input", { type: "time", value: writeTime(from - day * DAY) }));
    const result = h("p.hint", { role: "status" });
    const wanted = () => {
      const [to, minutes] = [readDate(date.value), readTime(time.value)];
      return to === undefined || minutes === undefined ? undefined : to * DAY + minutes;
    };
    const show = () => {
      const start = wanted();
      result.textContent = start === undefined || !timesAt(item.fields, start) ? "" : `${this.#when(item, start)}. ${this.#overlapText(item, start)}`;
    };
    for (const one of [date, time]) one.addEventListener("input", show);
    show();
    const error = h("p.error", { role: "alert" });
    const submission = new Submission(this.app);
    let sent = from;
    openDialog(WORDS.moveTo(titleOf(item)), (close) => {
      const { save, send } = itemSubmission(this.app, submission, {
        label: WORDS.move2, error, back: date, close, saved: () => {
          this.shown = Math.floor(sent / DAY);
          this.update();
          this.#say(WORDS.dropped(this.#when(item, sent)));
        },
      });
      return [h("form", {
        novalidate: true, on: {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            if (save.disabled) return;
            const start = wanted();
            const times = start === undefined ? undefined : timesAt(item.fields, start);
            error.textContent = times ? "" : WORDS.dayAndStartAreRequired;
            if (start === undefined || !times) return;
            if (start === from) {
              close();
              this.#say(WORDS.putBackWhereItWas);
              return;
            }
            sent = start;
            const now = this.season.find("trip_item", id) ?? item;
            // The dialog showed where the item was: another move since then is not overwritten in silence.
            send({ ...this.app.update(now, times), base: Math.min(now.version, item.version) }, WORDS.movedTo(titleOf(item), this.#when(item, start)));
          },
        },
      }, labelled(WORDS.day, date), labelled(WORDS.start, time), result, error, h("div.buttons", null, button("plain", WORDS.cancel, () => { submission.forget(); close(); }), save))];
    }, { closed: () => { submission.isLeft = true; } });
  }
}

/**
 * @param {App} app
 * @param {string} id of the trip
 * @returns {Page}
 */
export function boardPage(app, id) {
  const { season } = app;
  const board = new Board(app, id);
  const head = h("div", null);
  const element = h("section.board-page", null, head, board.element);

  function update() {
    const trip = season.find("trip", id);
    board.element.toggleAttribute("hidden", !trip);
    if (!trip) {
      const { isLoading } = app.store;
      if (isLoading) skeleton(head, "detail");
      else fill(head, h("h1", null, WORDS.tripNotFound), h("p", null, link("/trips", WORDS.returnToTrips)));
      return;
    }
    const stamp = JSON.stringify([trip.version, trip.fields]);
    if (head.dataset.stamp !== stamp) {
      head.dataset.stamp = stamp;
      refill(head, tripHead(app, trip, "board"));
    }
    board.update();
  }

  update();
  return {
    title: WORDS.board, element, update, leave: () => board.leave(),
    get acts() {
      return new Map([...presses(element, { "trip-board": "view itinerary" }), ...presses(/** @type {HTMLElement} */ (element.querySelector(".board-day.shown")) ?? element, { "trip-add": "add " })]);
    },
  };
}
