// Clobber: eight-sided stones; the second side has an eye, so that shape alone tells them apart.

import { svg } from "../shapes.js";

export const bottom = null;

export function piece(content) {
  const side = content === "x" ? "first" : "second";
  const stone = "M-16 -38H16L38 -16V16L16 38H-16L-38 16V-16Z";
  const made = svg(
    "g",
    { class: `piece ${side}` },
    svg("path", { class: "shadow", d: stone, transform: "translate(0 4)" }),
    svg("path", { class: "body", d: stone }),
  );
  if (side === "second") made.append(svg("circle", { class: "eye", r: 12 }));
  return made;
}
