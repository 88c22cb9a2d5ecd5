// The picture of a QR code, for the camera of a phone.

/** Light modules around the code (ISO/IEC 18004). */
const MARGIN = 4;

/**
 * @param {string[]} rows of `0` for light and `1` for dark
 * @param {string} label
 * @returns {SVGElement}
 */
export function codePicture(rows, label) {
  const space = "http://www.w3.org/2000/svg";
  const side = rows.length + 2 * MARGIN;
  const element = document.createElementNS(space, "svg");
  for (const [key, value] of [["viewBox", `0 0 ${side} ${side}`], ["class", "code"], ["role", "img"], ["aria-label", label], ["shape-rendering", "crispEdges"]]) element.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", rows.flatMap((row, y) => [...row].map((one, x) => (one === "1" ? ["M", x + MARGIN, ",", y + MARGIN, "h1v1h-1z"].join("") : ""))).join(""));
  element.append(path);
  return element;
}
