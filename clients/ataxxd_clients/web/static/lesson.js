// How the game is played, in pictures: drawn by the board itself, and nothing that can be clicked.

import { Board } from "./board.js";
import { pieceSet } from "./pieces.js";
import { html } from "./shapes.js";

/** Draws the pictures of a game, which are loaded when needed; none for an unknown game. */
export async function showLesson(host, game) {
  const { LESSONS } = await import("./lessons.js");
  host.replaceChildren(...(LESSONS[game] ?? []).map((step) => picture(game, step)));
}

function picture(game, { squares, board: rows, path = [], last = [], changed = [], targets = {}, text }) {
  // The caption says it all, so screen readers and the keyboard skip the squares.
  const frame = html("div", { inert: "", "aria-hidden": "true" });
  const board = new Board(frame, { hover() {} });
  board.lay(game, squares, pieceSet(game), false, ["", ""]);
  board.draw(rows, null);
  board.mark({ path, last, changed, targets: new Map(Object.entries(targets)) });
  // Only the board that is played on may have these attributes.
  for (const name of ["data-square", "data-piece"]) {
    for (const each of frame.querySelectorAll(`[${name}]`)) each.removeAttribute(name);
  }
  return html("figure", {}, frame, html("figcaption", {}, text));
}
