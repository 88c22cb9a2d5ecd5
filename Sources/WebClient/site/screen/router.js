// Pages by path: history entries, focus on the new page's heading, scroll position of each entry.

/**
 * A page on the screen.
 * @typedef {object} Page
 * @property {HTMLElement} element
 * @property {string} title for the tab and for screen readers
 * @property {(ids: Set<string> | undefined) => void} [update] called after changes; undefined: everything may be different
 * @property {() => boolean} [mayLeave] false keeps the page, which asks its own question
 * @property {() => void} [leave] called once, when another page replaces it
 * @property {() => any} [position] where the reader is, for the way back; as JSON
 * @property {(position: any) => void} [restore] returns there
 * @property {Map<string, () => void>} [acts] what commands do on this page, by name
 */
/** @typedef {{pattern: RegExp, make: (parts: string[], query: URLSearchParams) => Page}} Route */

/** How long after a change of the page a second press belongs to the page before, in ms. */
const SECOND_PRESS = 700;

export class Router {
  /**
   * @param {HTMLElement} place where pages are shown
   * @param {Route[]} routes the first match counts; the last one matches everything
   * @param {(path: string, page: Page) => void} shown called after each change of the page
   */
  constructor(place, routes, shown) {
    this.place = place;
    this.routes = routes;
    this.shown = shown;
    /** @type {Page | undefined} */
    this.page = undefined;
    this.path = "";
    /** When the page was shown, on the clock of events. */
    this.shownAt = -SECOND_PRESS;
    /** The number of the entry in the tab's history, to go back to it after a refused step. */
    this.entry = 0;
  }

  /** Shows the page of the address, and follows links and the buttons of the browser from now on. */
  start() {
    history.scrollRestoration = "manual";
    this.entry = history.state?.entry ?? 0;
    history.replaceState({ ...history.state, entry: this.entry }, "");
    addEventListener("popstate", (event) => this.#stepped(event.state));
    document.addEventListener("click", (event) => this.#clicked(event));
    // The second press of a double one was meant for the page before, not for what stands there now (R013).
    document.addEventListener("click", (event) => {
      if (event.detail < 2 || event.timeStamp - this.shownAt > SECOND_PRESS) return;
      event.preventDefault();
      event.stopPropagation();
    }, true);
    this.show(false);
  }

  /**
   * Goes to a path as a link does.
   * @param {string} path
   * @param {{replace?: boolean}} options `replace`: the entry of the present page is lost
   */
  go(path, { replace = false } = {}) {
    if (this.page?.mayLeave && !this.page.mayLeave()) return;
    this.#keepScroll();
    if (replace) {
      history.replaceState({ entry: this.entry }, "", path);
    } else {
      this.entry += 1;
      history.pushState({ entry: this.entry }, "", path);
    }
    this.show(true);
  }

  /**
   * Goes back one page; without one, to a path.
   * @param {string} otherwise
   */
  back(otherwise) {
    if (this.entry > 0) history.back();
    else this.go(otherwise, { replace: true });
  }

  #keepScroll() {
    history.replaceState({ ...history.state, scroll: scrollY, position: this.page?.position?.() }, "");
  }

  /** @param {any} state */
  #stepped(state) {
    const entry = state?.entry ?? 0;
    if (this.page?.mayLeave && !this.page.mayLeave()) {
      history.go(this.entry - entry);
      return;
    }
    // The answer to the step back above.
    if (entry === this.entry && location.pathname + location.search === this.path) return;
    this.entry = entry;
    this.show(true);
    if (state?.position !== undefined && this.page?.restore) this.page.restore(state.position);
    else scrollTo(0, state?.scroll ?? 0);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest?.("a[href]"));
    if (!anchor || anchor.target || anchor.hasAttribute("download") || anchor.origin !== location.origin || anchor.dataset.outside !== undefined) return;
    event.preventDefault();
    if (anchor.hash && anchor.pathname === location.pathname) document.getElementById(anchor.hash.slice(1))?.focus();
    else this.go(anchor.pathname + anchor.search);
  }

  /**
   * Shows the page of the present address.
   * @param {boolean} takesFocus whether the heading gets the focus, so that a screen reader reads where it is
   */
  show(takesFocus) {
    this.page?.leave?.();
    this.path = location.pathname + location.search;
    const query = new URLSearchParams(location.search);
    for (const { pattern, make } of this.routes) {
      const match = pattern.exec(location.pathname);
      if (!match) continue;
      const page = make(match.slice(1), query);
      this.page = page;
      this.shownAt = performance.now();
      this.place.replaceChildren(page.element);
      // Before the focus, which makes the browser lay the page out.
      this.shown(location.pathname, page);
      if (takesFocus) {
        const heading = /** @type {HTMLElement | null} */ (page.element.querySelector("h1"));
        heading?.setAttribute("tabindex", "-1");
        heading?.focus({ preventScroll: true });
        scrollTo(0, 0);
      }
      return;
    }
  }
}
