// Ataxx: two colours of drops; the second side has an eye, so that shape alone tells them apart.

import { svg } from "../shapes.js";

export const bottom = null;

export function piece(content) {
  if (content === "#") return svg("rect", { class: "block", x: -40, y: -40, width: 80, height: 80, rx: 12 });
  const side = content === "x" ? "first" : "second";
  const made = svg(
    "g",
    { class: `piece ${side}` },
    svg("circle", { class: "shadow", cy: 4, r: 36 }),
    svg("circle", { class: "body", r: 36 }),
    svg("path", { class: "shine", d: "M-22 -14A26 26 0 0 1 6 -27A30 30 0 0 0 -22 -14Z" }),
  );
  if (side === "second") made.append(svg("circle", { class: "eye", r: 12 }));
  return made;
}
