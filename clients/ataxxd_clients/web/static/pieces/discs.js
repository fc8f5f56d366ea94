// Flat discs of two colours with a rim: reversi and Lines of Action.

import { svg } from "../shapes.js";

export const bottom = null;

export function piece(content) {
  const side = content.toLowerCase() === "x" ? "first" : "second";
  return svg(
    "g",
    { class: `piece ${side}` },
    svg("circle", { class: "shadow", cy: 4, r: 39 }),
    svg("circle", { class: "body", r: 39 }),
    svg("circle", { class: "rim", r: side === "first" ? 30 : 33 }),
  );
}
