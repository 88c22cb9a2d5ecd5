// Lists of any length: whole up to 200 entries, so that the browser finds text in them; above that only the entries near the
// window are on the page, each with its position and the size of the list.
import { keyed } from "./html.js";

/** @typedef {import("./html.js").Item} Item */

/** The entries that are on the page whole. */
export const WHOLE = 200;
/** How far beyond the window entries are made, in px. */
const BEYOND = 600;
/** The height of a row that was never seen, in px. */
const USUAL = 150;
/** The entries that are made before the list is on the page, where nothing has a size yet. */
const UNSEEN = 20;

export class LongList {
  /**
   * @param {HTMLElement} element its children are the entries, in rows of one or more; the gap between them and the columns are the element's own
   * @param {{isFeed?: boolean}} options `isFeed`: PageUp and PageDown go from entry to entry
   */
  constructor(element, { isFeed = true } = {}) {
    this.element = element;
    this.count = 0;
    /** The entries in a row. */
    this.columns = 1;
    /** @type {(place: number) => string} */
    this.key = () => "";
    /** @type {(place: number) => Item} */
    this.item = () => { throw new Error("an empty list has no item"); };
    /** Heights of rows by the key of their first entry, with the gap. @type {Map<string, number>} */
    this.heights = new Map();
    this.total = 0;
    this.usual = USUAL;
    /** The place of each row's upper edge, and of the end. @type {Float64Array} */
    this.tops = new Float64Array(1);
    this.first = 0;
    this.last = 0;
    this.width = 0;
    this.isAsked = false;
    this.ask = () => {
      if (this.isAsked) return;
      this.isAsked = true;
      requestAnimationFrame(() => { this.isAsked = false; if (this.element.isConnected) this.#draw(); });
    };
    addEventListener("scroll", this.ask, { passive: true });
    this.observer = new ResizeObserver(() => {
      if (this.element.clientWidth === this.width) return;
      // What was learned before the first look has this width already.
      if (this.width !== 0) this.forget();
      this.width = this.element.clientWidth;
      this.ask();
    });
    this.observer.observe(element);
    if (isFeed) element.addEventListener("keydown", (event) => this.#step(event));
  }

  /** Ends the list's work; called with the end of its page. */
  leave() {
    removeEventListener("scroll", this.ask);
    this.observer.disconnect();
  }

  /** Forgets the heights that were learned: entries have another width, or another look. */
  forget() {
    this.heights.clear();
    this.total = 0;
    this.#measureTops();
  }

  get isVirtual() {
    return this.count > WHOLE;
  }

  /**
   * Shows entries; the item of a place is made only when it comes near the window.
   * @param {{count: number, key: (place: number) => string, item: (place: number) => Item}} entries
   */
  show({ count, key, item }) {
    const anchor = count > WHOLE && this.element.isConnected ? this.#inWindow() : undefined;
    const above = anchor ? this.element.getBoundingClientRect().top : 0;
    const held = anchor && above < 0 ? { key: anchor.dataset.key, top: anchor.getBoundingClientRect().top - above } : undefined;
    this.count = count;
    this.key = key;
    this.item = item;
    this.element.classList.toggle("long", this.isVirtual);
    if (!this.isVirtual) {
      this.element.style.paddingTop = this.element.style.paddingBottom = "";
      [this.first, this.last] = [0, count];
      keyed(this.element, Array.from({ length: count }, (_, place) => item(place)));
      return;
    }
    this.#measureTops();
    // Entries that came above the window, as earlier ones do, move nothing that is in it.
    if (held) {
      let place = 0;
      while (place < count && key(place) !== held.key) place += 1;
      const moved = place < count ? this.tops[Math.floor(place / this.columns)] - held.top : 0;
      if (Math.abs(moved) >= 1) {
        const { style } = this.element;
        style.paddingTop = `${Math.max(0, (parseFloat(style.paddingTop) || 0) + moved)}px`;
        scrollBy(0, moved);
      }
    }
    this.#draw();
  }

  /** Draws what is near the window now; for a page that has moved it. */
  redraw() {
    this.#draw();
  }

  get rows() {
    return Math.ceil(this.count / this.columns);
  }

  #measureTops() {
    if (!this.isVirtual) return;
    const { rows } = this;
    const tops = new Float64Array(rows + 1);
    for (let row = 0; row < rows; row += 1) tops[row + 1] = tops[row] + (this.heights.get(this.key(row * this.columns)) ?? this.usual);
    this.tops = tops;
  }

  /**
   * The row at a distance from the list's upper edge.
   * @param {number} distance px
   */
  #rowAt(distance) {
    let low = 0, high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Puts the entries near the window on the page.
   * @param {number} [wanted] a row that has to be among them
   */
  #draw(wanted) {
    if (!this.isVirtual || this.count === 0) return;
    if (!this.element.isConnected) {
      // Nothing can be measured yet; the first look at the list's width draws again.
      [this.first, this.last] = [0, UNSEEN];
      keyed(this.element, Array.from({ length: UNSEEN }, (_, place) => this.item(place)));
      return;
    }
    const columns = (getComputedStyle(this.element).gridTemplateColumns.match(/[0-9.]+px/g) ?? [""]).length;
    if (columns !== this.columns) {
      this.columns = columns;
      this.forget();
    }
    const above = this.element.getBoundingClientRect().top;
    // What is in the window stays where it is, whatever is learned about the heights above it.
    let anchor = this.#inWindow();
    let before = anchor?.getBoundingClientRect().top ?? 0;
    let first = this.#rowAt(-above - BEYOND), last = this.#rowAt(innerHeight - above + BEYOND) + 1;
    if (wanted !== undefined && (wanted < first || wanted >= last)) [first, last] = [Math.max(0, wanted - 5), Math.min(this.rows, wanted + 15)];
    [this.first, this.last] = [first * columns, Math.min(this.count, last * columns)];
    this.#pad();
    keyed(this.element, Array.from({ length: this.last - this.first }, (_, place) => this.item(this.first + place)));
    if (!anchor?.isConnected) {
      anchor = this.#inWindow();
      before = anchor?.getBoundingClientRect().top ?? 0;
    }
    this.#measure();
    // A list whose beginning is in the window grows and shrinks below it.
    const moved = anchor && above < 0 && wanted === undefined ? anchor.getBoundingClientRect().top - before : 0;
    if (Math.abs(moved) >= 1) scrollBy(0, moved);
  }

  /** Takes the room of the rows that are not on the page. */
  #pad() {
    const { style } = this.element;
    style.paddingTop = `${this.tops[this.first / this.columns]}px`;
    style.paddingBottom = `${this.tops[this.rows] - this.tops[Math.ceil(this.last / this.columns)]}px`;
  }

  #inWindow() {
    return /** @type {HTMLElement[]} */ ([...this.element.children]).find((child) => {
      const box = child.getBoundingClientRect();
      return box.bottom > 0 && box.top < innerHeight;
    });
  }

  /** Learns the heights of what is on the page. */
  #measure() {
    const children = /** @type {HTMLElement[]} */ ([...this.element.children]);
    if (children.length === 0) return;
    const boxes = children.map((child) => child.getBoundingClientRect());
    const gap = parseFloat(getComputedStyle(this.element).rowGap) || 0;
    let isNew = false;
    children.forEach((child, place) => {
      if (place % this.columns !== 0) return;
      const height = Math.max(...boxes.slice(place, place + this.columns).map((box) => box.height)) + gap;
      const key = child.dataset.key ?? "";
      if (Math.abs((this.heights.get(key) ?? -1) - height) < 0.5) return;
      this.total += height - (this.heights.get(key) ?? 0);
      this.heights.set(key, height);
      isNew = true;
    });
    if (!isNew) return;
    this.usual = this.total / this.heights.size;
    this.#measureTops();
    this.#pad();
  }

  /**
   * Brings an entry onto the page and into the window.
   * @param {number} place
   * @param {number} [distance] from the window's upper edge in px; without it in the middle
   * @returns {HTMLElement | undefined}
   */
  reveal(place, distance) {
    if (place < 0 || place >= this.count) return undefined;
    const key = this.key(place);
    const find = () => /** @type {HTMLElement | undefined} */ ([...this.element.children].find((child) => /** @type {HTMLElement} */ (child).dataset.key === key));
    // Heights become known on the way, so that the second look is exact.
    for (let look = 0; look < (this.isVirtual ? 3 : 0); look += 1) {
      const above = this.element.getBoundingClientRect().top;
      const row = Math.floor(place / this.columns);
      scrollTo(0, scrollY + above + this.tops[row] - (distance ?? innerHeight / 3));
      this.#draw(row);
    }
    const element = find();
    if (element && distance !== undefined) scrollBy(0, element.getBoundingClientRect().top - distance);
    else element?.scrollIntoView({ block: "center" });
    return element;
  }

  /** The first entry in the window, and where it is there. */
  get position() {
    const child = /** @type {HTMLElement | undefined} */ ([...this.element.children].find((one) => one.getBoundingClientRect().bottom > 0));
    return child && { key: child.dataset.key, top: child.getBoundingClientRect().top };
  }

  /** The place of the entry that has the focus; -1 for none. */
  get focused() {
    const child = /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest("[data-key]"));
    if (!child || child.parentElement !== this.element) return -1;
    return this.first + [...this.element.children].indexOf(child);
  }

  /**
   * Gives the focus to an entry: to the control that opens it.
   * @param {number} place
   */
  focus(place) {
    const element = this.reveal(Math.max(0, Math.min(this.count - 1, place)));
    const control = /** @type {HTMLElement | null | undefined} */ (element?.querySelector("[data-act=open]"));
    (control ?? element)?.focus({ preventScroll: true });
  }

  /**
   * The keys of a feed (ARIA): from entry to entry.
   * @param {KeyboardEvent} event
   */
  #step(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !["PageUp", "PageDown"].includes(event.key)) return;
    const { focused } = this;
    if (focused < 0) return;
    event.preventDefault();
    this.focus(focused + (event.key === "PageDown" ? 1 : -1));
  }
}
