// The outline of a page that is still loading; it appears after 300 ms, so that a quick answer shows no flicker (R009).
import { fill, h } from "./html.js";
import { WORDS } from "../words/skeleton.js";

/**
 * @param {HTMLElement} place
 * @param {"cards" | "detail"} kind three cards, or a page about one record
 */
export function skeleton(place, kind = "cards") {
  if (place.querySelector(".skeleton")) return;
  const shapes = kind === "cards" ? ["", "", ""] : [".title", ".line", "", ".tall"];
  fill(place, h("div.skeleton", { role: "status", "aria-label": WORDS.loading }, shapes.map((shape) => h(`div.outline${shape}`, { "aria-hidden": "true" }))));
}
