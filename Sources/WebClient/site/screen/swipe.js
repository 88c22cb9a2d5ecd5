// A swipe to the left over an entry of a list presses its Delete button (R042, R142). Scrolling comes first: a finger that goes up or down, and two fingers, press nothing.

/** How far the finger goes to the left at least, and how far up or down at most, in px. */
const FAR = 90;
const SLACK = 30;

/** @param {HTMLElement} list whose entries have a control with `data-act=delete` */
export function swipes(list) {
  /** @type {{x: number, y: number, entry: Element | null} | undefined} */
  let start;
  list.addEventListener("touchstart", (event) => {
    const [finger] = [...event.touches];
    start = event.touches.length === 1 ? { x: finger.clientX, y: finger.clientY, entry: /** @type {Element} */ (event.target).closest("[data-key]") } : undefined;
  }, { passive: true });
  list.addEventListener("touchcancel", () => { start = undefined; }, { passive: true });
  list.addEventListener("touchend", (event) => {
    const [finger] = [...event.changedTouches];
    const isSwipe = start && start.x - finger.clientX > FAR && Math.abs(start.y - finger.clientY) < SLACK;
    /** @type {HTMLElement | null | undefined} */
    const control = isSwipe ? start?.entry?.querySelector("[data-act=delete]") : undefined;
    start = undefined;
    control?.click();
  }, { passive: true });
}
