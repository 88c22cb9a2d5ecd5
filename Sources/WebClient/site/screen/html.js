// Elements from values. Text becomes text nodes alone, so user text never needs escaping and no HTML is made from strings.

/** @typedef {Node | string | number | undefined | null | false | any[]} Child an array holds children */
/**
 * Attributes by name; `true` sets an empty one, and `false` or undefined leaves it out. `on` holds handlers by the name of
 * the event; `value`, `checked` and `selected` are the state of a control.
 * @typedef {{[name: string]: any}} Attributes
 */

const STATE = new Set(["value", "checked", "selected", "indeterminate"]);

/**
 * An element.
 * @param {string} name the tag, with classes behind full stops: `li.card.past`
 * @param {Attributes | null} attributes
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  append(element, children);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    // After the children: a select has its value only once it has its options.
    else if (STATE.has(key)) /** @type {any} */ (element)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  return element;
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Replaces everything in an element.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/**
 * Replaces everything in an element of a page; the focus stays on the heading, or goes to the control of the same name
 * (`data-act`).
 * @param {Element} parent
 * @param {...Child} children
 */
export function refill(parent, ...children) {
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const held = active && parent.contains(active) ? active : undefined;
  fill(parent, ...children);
  if (!held || document.activeElement !== document.body) return;
  const again = /** @type {HTMLElement | null} */ (held.tagName === "H1" ? parent.querySelector("h1") : held.dataset.act === undefined ? null : parent.querySelector(`[data-act="${CSS.escape(held.dataset.act)}"]`));
  if (held.tagName === "H1") again?.setAttribute("tabindex", "-1");
  again?.focus({ preventScroll: true });
}

/**
 * One item of a list: made again only if its stamp differs from the one on the screen.
 * @typedef {{key: string, stamp: string, make: () => HTMLElement}} Item
 */

/**
 * The stamps of the elements that lists have made.
 * @type {WeakMap<Element, string>}
 */
const stamps = new WeakMap();

/**
 * Brings the children of an element into line with a list: those that are unchanged stay the same elements, so that focus
 * and scrolling stay, and the focus in a changed one returns to the control of the same name (`data-act`).
 * @param {Element} parent
 * @param {Item[]} items
 */
export function keyed(parent, items) {
  const active = document.activeElement;
  const within = active && parent.contains(active) ? /** @type {HTMLElement | null} */ (active.closest("[data-key]")) : null;
  const focus = within ? { key: within.dataset.key, act: /** @type {HTMLElement} */ (active).dataset.act } : undefined;
  /** @type {Map<string, HTMLElement>} */
  const held = new Map();
  for (const child of [...parent.children]) {
    const { key } = /** @type {HTMLElement} */ (child).dataset;
    if (key === undefined) child.remove();
    else held.set(key, /** @type {HTMLElement} */ (child));
  }
  /** @type {Element | null} */
  let place = parent.firstElementChild;
  for (const item of items) {
    let element = held.get(item.key);
    if (!element || stamps.get(element) !== item.stamp) {
      const made = item.make();
      made.dataset.key = item.key;
      stamps.set(made, item.stamp);
      if (element) {
        if (place === element) place = made;
        element.replaceWith(made);
      }
      element = made;
    }
    held.delete(item.key);
    if (place === element) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const left of held.values()) left.remove();
  if (focus && !(document.activeElement && parent.contains(document.activeElement))) {
    for (const child of parent.children) {
      if (/** @type {HTMLElement} */ (child).dataset.key !== focus.key) continue;
      const control = [...child.querySelectorAll("[data-act]"), child].find((one) => /** @type {HTMLElement} */ (one).dataset.act === focus.act);
      /** @type {HTMLElement | undefined} */ (control)?.focus({ preventScroll: true });
    }
  }
}

/**
 * A button.
 * @param {string} name its class: `primary`, `plain`, `danger` or `icon`
 * @param {Child} label
 * @param {() => void} act
 * @param {Attributes} [attributes]
 */
export function button(name, label, act, attributes = {}) {
  return h("button." + name, { type: "button", ...attributes, on: { click: act } }, label);
}

/**
 * A link within the client.
 * @param {string} path
 * @param {Child} label
 * @param {Attributes} [attributes]
 */
export function link(path, label, attributes = {}) {
  return h("a", { href: path, ...attributes }, label);
}
