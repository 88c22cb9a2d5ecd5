// Pictures of QR codes, for the camera of a phone.
import { request } from "../sessions/account.js";
import { fill, h } from "./html.js";

/** Light modules around the code (ISO/IEC 18004). */
const MARGIN = 4;

/**
 * The pictures of texts that are beside them as well: a server without the library draws none.
 * @param {string[][]} texts each with the label of its picture
 * @returns {HTMLElement} with room for the pictures until the server has answered
 */
export function codePictures(texts) {
  const element = h("div.codes.awaited", null);
  Promise.all(texts.map(async ([text, label]) => {
    const { status, content } = await request("POST", "/qr", { text });
    return status === 200 && h("figure", null, codePicture(content.rows, label), h("figcaption", { "aria-hidden": "true" }, label));
  })).then((figures) => {
    fill(element, figures);
    element.classList.remove("awaited");
  });
  return element;
}

/**
 * @param {string[]} rows of `0` for light and `1` for dark
 * @param {string} label
 * @returns {SVGElement}
 */
function codePicture(rows, label) {
  const space = "http://www.w3.org/2000/svg";
  const side = rows.length + 2 * MARGIN;
  const element = document.createElementNS(space, "svg");
  for (const [key, value] of [["viewBox", `0 0 ${side} ${side}`], ["class", "code"], ["role", "img"], ["aria-label", label], ["shape-rendering", "crispEdges"]]) element.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", rows.flatMap((row, y) => [...row].map((one, x) => (one === "1" ? ["M", x + MARGIN, ",", y + MARGIN, "h1v1h-1z"].join("") : ""))).join(""));
  element.append(path);
  return element;
}
