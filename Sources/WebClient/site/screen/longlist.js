// Lists of any length: whole up to 200 entries, so that the browser finds text in them; above that only the entries near the
// window are on the page, each with its position and the size of the list.
import { keyed } from "./html.js";

/** @typedef {import("./html.js").Item} Item */

/** The entries that are on the page whole. */
export const WHOLE = 200;
/** How far beyond the window entries are made, in px. */
const BEYOND = 600;
/** The height of an entry that was never seen, in px. */
const USUAL = 150;

export class LongList {
  /**
   * @param {HTMLElement} element its children are the entries, one below the other; the gap between them is the element's own
   */
  constructor(element) {
    this.element = element;
    this.count = 0;
    /** @type {(place: number) => string} */
    this.key = () => "";
    /** @type {(place: number) => Item} */
    this.item = () => { throw new Error("an empty list has no item"); };
    /** Heights by key, with the gap. @type {Map<string, number>} */
    this.heights = new Map();
    this.total = 0;
    this.usual = USUAL;
    /** The place of each entry's upper edge, and of the end. @type {Float64Array} */
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
      const isFirst = this.width === 0;
      if (this.element.clientWidth === this.width) return;
      this.width = this.element.clientWidth;
      // What was learned before the first look has this width already.
      if (isFirst) return;
      this.heights.clear();
      this.total = 0;
      this.#measureTops();
      this.ask();
    });
    this.observer.observe(element);
    element.addEventListener("keydown", (event) => this.#step(event));
  }

  /** Ends the list's work; called with the end of its page. */
  leave() {
    removeEventListener("scroll", this.ask);
    this.observer.disconnect();
  }

  get isVirtual() {
    return this.count > WHOLE;
  }

  /**
   * Shows entries; the item of a place is made only when it comes near the window.
   * @param {{count: number, key: (place: number) => string, item: (place: number) => Item}} entries
   */
  show({ count, key, item }) {
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
    this.#draw();
  }

  #measureTops() {
    if (!this.isVirtual) return;
    const tops = new Float64Array(this.count + 1);
    for (let place = 0; place < this.count; place += 1) tops[place + 1] = tops[place] + (this.heights.get(this.key(place)) ?? this.usual);
    this.tops = tops;
  }

  /**
   * The entry at a distance from the list's upper edge.
   * @param {number} distance px
   */
  #placeAt(distance) {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Puts the entries near the window on the page.
   * @param {number} [wanted] an entry that has to be among them
   */
  #draw(wanted) {
    if (!this.isVirtual || this.count === 0) return;
    const above = this.element.getBoundingClientRect().top;
    // What is in the window stays where it is, whatever is learned about the heights above it.
    let anchor = this.#inWindow();
    let before = anchor?.getBoundingClientRect().top ?? 0;
    let first = this.#placeAt(-above - BEYOND), last = this.#placeAt(innerHeight - above + BEYOND) + 1;
    if (wanted !== undefined && (wanted < first || wanted >= last)) [first, last] = [Math.max(0, wanted - 5), Math.min(this.count, wanted + 15)];
    [this.first, this.last] = [first, last];
    const style = this.element.style;
    style.paddingTop = `${this.tops[first]}px`;
    style.paddingBottom = `${this.tops[this.count] - this.tops[last]}px`;
    keyed(this.element, Array.from({ length: last - first }, (_, place) => this.item(first + place)));
    if (!anchor?.isConnected) {
      anchor = this.#inWindow();
      before = anchor?.getBoundingClientRect().top ?? 0;
    }
    this.#measure();
    // A list whose beginning is in the window grows and shrinks below it.
    const moved = anchor && above < 0 && wanted === undefined ? anchor.getBoundingClientRect().top - before : 0;
    if (Math.abs(moved) >= 1) scrollBy(0, moved);
  }

  #inWindow() {
    return [...this.element.children].find((child) => {
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
      const height = boxes[place].height + gap;
      const key = child.dataset.key ?? "";
      if (Math.abs((this.heights.get(key) ?? -1) - height) < 0.5) return;
      this.total += height - (this.heights.get(key) ?? 0);
      this.heights.set(key, height);
      isNew = true;
    });
    if (!isNew) return;
    this.usual = this.total / this.heights.size;
    this.#measureTops();
    this.element.style.paddingTop = `${this.tops[this.first]}px`;
    this.element.style.paddingBottom = `${this.tops[this.count] - this.tops[this.last]}px`;
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
      scrollTo(0, scrollY + above + this.tops[place] - (distance ?? innerHeight / 3));
      this.#draw(place);
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
