// Checkers: ridged draughtsmen, and kings with a crown.

import { svg } from "../shapes.js";

// The second side begins at the bottom of the rows.
export const bottom = 1;

export function piece(content) {
  const side = content.toLowerCase() === "x" ? "first" : "second";
  const made = svg(
    "g",
    { class: `piece ${side}` },
    svg("circle", { class: "shadow", cy: 5, r: 39 }),
    svg("circle", { class: "body", r: 39 }),
    svg("circle", { class: "rim", r: 31 }),
    svg("circle", { class: "rim", r: 22 }),
  );
  if (content !== content.toLowerCase()) {
    made.append(svg("path", { class: "crown", d: "M-20 13L-23 -11L-10 1L0 -17L10 1L23 -11L20 13Z" }));
  }
  return made;
}
