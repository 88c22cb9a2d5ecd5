// Icons as outlines of 24 × 24, drawn here so that they look the same where a system has no font for emoji.

/** The outlines by name: paths of SVG. */
const PATHS = /** @type {{[name: string]: string}} */ ({
  calendar: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4", car: "M4 16v-4l2-5h12l2 5v4zM4 12h16M7 16v2M17 16v2", document: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6", chat: "M4 5h16v11H10l-5 4v-4H4z",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1 3h4l1-3h5", gear: "M12 9a3 3 0 100 6 3 3 0 000-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5", clock: "M12 4a8 8 0 100 16 8 8 0 000-16M12 8v4l3 2", cost: "M12 4v16M16 8c-1-3-8-2.500-8 .5 0 4 8 2 8 6 0 3-7 3.500-8 .5",
  pin: "M12 21c-4-5-6-8-6-11a6 6 0 0112 0c0 3-2 6-6 11M12 8a2 2 0 100 4 2 2 0 000-4", school: "M3 9l9-4 9 4-9 4zM7 11v5c2 2 8 2 10 0v-5", person: "M12 4a4 4 0 100 8 4 4 0 000-8M4 20c1-6 15-6 16 0",
  bed: "M3 18v-6h18v6M3 12V6M6 12V9h6v3M3 16h18", food: "M7 3v18M4 3v5c0 3 6 3 6 0V3M17 21V3c-4 3-4 8 0 10", walk: "M13 4a1 1 0 100 2 1 1 0 000-2M9 21l3-6-2-3 1-4 4 3 3 1M10 12l-3 1M12 15l3 6", mask: "M5 5h14v7c0 10-14 10-14 0zM9 10h1M14 10h1M9 15c2 1.500 4 1.500 6 0",
  video: "M4 6h11v12H4zM15 10l5-3v10l-5-3", letter: "M4 6h16v12H4zM4 7l8 6 8-6", chart: "M4 20h16M7 20v-7M12 20V6M17 20v-10", form: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h3", close: "M6 6l12 12M18 6L6 18", search: "M11 4a7 7 0 100 14 7 7 0 000-14M16 16l4 4", chevron: "M9 5l7 7-7 7", grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01", filter: "M4 5h16l-6 8v6l-4-2v-4z",
});

/**
 * An icon without a meaning of its own: a label stands beside it, or on its button.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const element = document.createElementNS(space, "svg");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["class", "icon"], ["aria-hidden", "true"], ["focusable", "false"]]) element.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name] ?? PATHS.document);
  element.append(path);
  return element;
}
