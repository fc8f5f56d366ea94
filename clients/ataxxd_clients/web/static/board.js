// The board of any game: an SVG grid that is drawn, walked over, clicked and dragged on.
//
// It knows squares and what stands on them. Its owner decides what a click means, by the functions
// `choose(square, by)`, `hover(square or null)` and `drop()`.

import { svg } from "./shapes.js";

const CELL = 100;
const EDGE = 34;
const DRAG_FROM = 6;
const WALK = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  Home: [-99, 0],
  End: [99, 0],
  PageUp: [0, -99],
  PageDown: [0, 99],
};

export class Board {
  #cells = new Map();
  #pieces = null;
  #marks = null;
  #ghosts = null;
  #carried = null;
  #notes = null;
  #targets = new Map();
  #layout = "";
  #shown = new Map();
  #focus = null;
  #drag = null;

  constructor(host, owner) {
    this.host = host;
    this.owner = owner;
    this.svg = null;
  }

  /** Lays the squares out, if they have changed. */
  lay(game, squares, set, flipped, names) {
    const layout = JSON.stringify([game, squares, flipped]);
    this.set = set;
    this.names = names;
    if (layout === this.#layout) return;
    this.#layout = layout;
    this.squares = squares;
    this.flipped = flipped;
    const rows = squares.length;
    const columns = squares[0].length;
    this.#cells.clear();
    this.#shown.clear();
    const width = columns * CELL + 2 * EDGE;
    const height = rows * CELL + 2 * EDGE;
    const grid = svg("g", { role: "grid", "aria-label": "Board", "aria-rowcount": rows, "aria-colcount": columns });
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "board" });
    this.svg.append(svg("rect", { class: "frame", width, height, rx: 22 }));
    this.svg.append(svg("rect", { class: "ground", x: EDGE - 3, y: EDGE - 3, width: columns * CELL + 6, height: rows * CELL + 6, rx: 10 }));
    for (let y = 0; y < rows; y++) {
      const row = svg("g", { role: "row" });
      for (let x = 0; x < columns; x++) row.append(this.#cell(squares, flipped, x, y));
      grid.append(row);
    }
    this.#marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this.#pieces = svg("g", { class: "pieces", "aria-hidden": "true" });
    this.#ghosts = svg("g", { class: "ghosts", "aria-hidden": "true" });
    this.#carried = svg("g", { class: "carried", "aria-hidden": "true" });
    this.#notes = svg("g", { class: "notes", "aria-hidden": "true" });
    this.svg.append(grid, this.#labels(squares, flipped), this.#marks, this.#pieces, this.#ghosts, this.#carried, this.#notes);
    this.host.replaceChildren(this.svg);
    this.#listen(grid);
    const first = [...this.#cells.keys()].at(-columns) ?? [...this.#cells.keys()][0];
    this.#walkTo(this.#cells.has(this.#focus) ? this.#focus : first, false);
  }

  #cell(squares, flipped, x, y) {
    const column = flipped ? squares[0].length - 1 - x : x;
    const row = flipped ? squares.length - 1 - y : y;
    const name = squares[row][column];
    const place = { x: EDGE + x * CELL, y: EDGE + y * CELL };
    const dark = (row + column) % 2 === 1 ? " dark" : "";
    const rect = svg("rect", { class: `cell${dark}`, ...place, width: CELL, height: CELL });
    if (name === null) return svg("g", { role: "gridcell", "aria-label": "not played on" }, rect);
    const cell = svg("g", { role: "gridcell", tabindex: -1, "data-square": name }, rect);
    cell.append(svg("rect", { class: "focus", x: place.x + 5, y: place.y + 5, width: CELL - 10, height: CELL - 10, rx: 10 }));
    this.#cells.set(name, { cell, rect, column, row, x, y, cx: place.x + CELL / 2, cy: place.y + CELL / 2 });
    return cell;
  }

  #labels(squares, flipped) {
    const group = svg("g", { class: "labels", "aria-hidden": "true" });
    if (squares.flat().some((name) => name !== null && /^\d/.test(name))) {
      for (const [name, { x, y }] of this.#cells) {
        group.append(svg("text", { class: "number", x: EDGE + x * CELL + 7, y: EDGE + y * CELL + 22 }, name));
      }
      return group;
    }
    const rows = squares.length;
    const columns = squares[0].length;
    for (let x = 0; x < columns; x++) {
      const letter = squares[0][flipped ? columns - 1 - x : x][0];
      group.append(svg("text", { x: EDGE + (x + 0.5) * CELL, y: EDGE + rows * CELL + 25 }, letter));
    }
    for (let y = 0; y < rows; y++) {
      const number = squares[flipped ? rows - 1 - y : y][0].slice(1);
      group.append(svg("text", { x: EDGE / 2 - 1, y: EDGE + (y + 0.5) * CELL + 8 }, number));
    }
    return group;
  }

  /** Draws a position; `move` is animated when it is the one that led here. */
  draw(rows, move) {
    const animated = move !== null && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let changed = false;
    for (const [square, place] of this.#cells) {
      const content = rows[place.row][place.column];
      const old = this.#shown.get(square);
      if (old?.content === content) continue;
      changed = true;
      if (animated && content === "." && old?.element && square !== move.squares[0]) this.#takeOff(old.element);
      else old?.element?.remove();
      const element = content === "." ? null : this.set.piece(content);
      this.#shown.set(square, { content, element });
      if (element === null) continue;
      const holder = svg("g", { transform: `translate(${place.cx} ${place.cy})`, "data-piece": square }, element);
      this.#pieces.append(holder);
      this.#shown.set(square, { content, element: holder });
      if (animated) this.#animate(element, square, old?.content ?? ".", move);
    }
    if (changed) this.#notes.replaceChildren();
  }

  /** A captured piece goes after the one that takes it has come. */
  #takeOff(holder) {
    delete holder.dataset.piece;
    const gone = holder.firstChild.animate([{ opacity: 1, transform: "none" }, { opacity: 0, transform: "scale(0.4)" }], { duration: 240, delay: 120, fill: "both", easing: "ease-in" });
    gone.onfinish = () => holder.remove();
    gone.oncancel = gone.onfinish;
  }

  #animate(element, square, before, move) {
    const from = move.squares.length === 2 ? this.#cells.get(move.squares[0]) : undefined;
    if (square === move.squares.at(-1) && from) {
      const to = this.#cells.get(square);
      const begin = `translate(${from.cx - to.cx}px, ${from.cy - to.cy}px)`;
      element.animate([{ transform: begin }, { transform: "none" }], { duration: 180, easing: "ease-out" });
    } else if (before === ".") {
      element.animate([{ transform: "scale(0.3)", opacity: 0 }, { transform: "none", opacity: 1 }], { duration: 160, easing: "ease-out" });
    } else {
      element.animate([{ transform: "scaleX(0.05)" }, { transform: "none" }], { duration: 220, delay: 60, fill: "backwards", easing: "ease-out" });
    }
  }

  /**
   * Marks squares: `last` those of the last move, `changed` what it turned, `path` what is chosen,
   * `beforehand` what is chosen for the next turn,
   * `targets` a map of squares to kinds, `movable` those that can be chosen, `forced` when they must be,
   * `hint` those of the engine's move.
   */
  mark({ last = [], changed = [], path = [], beforehand = [], targets = new Map(), movable = new Map(), forced = false, hint = [] }) {
    this.#marks.replaceChildren();
    this.#targets = targets;
    const each = (squares, name) => {
      for (const square of squares) this.#square(square, name);
    };
    each(last, "last");
    each(changed, "changed");
    each(path, "chosen");
    each(beforehand, "beforehand");
    each(hint, "hint");
    if (forced && !path.length) each(movable.keys(), "forced");
    for (const [square, kind] of targets) this.#target(square, kind);
    for (const [square, place] of this.#cells) {
      const kind = targets.get(square);
      place.cell.classList.toggle("movable", movable.has(square));
      place.cell.setAttribute("aria-selected", path.includes(square) || beforehand.includes(square));
      place.cell.setAttribute("aria-label", this.#label(square, kind, movable.has(square), last.includes(square), beforehand.includes(square)));
    }
  }

  #label(square, kind, movable, last, beforehand) {
    const { content } = this.#shown.get(square) ?? { content: "." };
    const words = [square, this.#word(content)];
    if (last) words.push("last move");
    if (beforehand) words.push("your next move");
    if (movable) words.push("can move");
    if (kind) words.push({ clone: "clone here", move: "move here", capture: "capture here", place: "place here" }[kind]);
    return words.join(", ");
  }

  #word(content) {
    if (content === ".") return "empty";
    if (content === "#") return "block";
    const king = content !== content.toLowerCase() ? " king" : "";
    return this.names[content.toLowerCase() === "x" ? 0 : 1] + king;
  }

  #square(square, name) {
    const place = this.#cells.get(square);
    if (!place) return;
    const at = { x: place.cx - CELL / 2, y: place.cy - CELL / 2, width: CELL, height: CELL };
    this.#marks.append(svg("rect", { class: name, ...at }));
  }

  #target(square, kind) {
    const place = this.#cells.get(square);
    const at = { cx: place.cx, cy: place.cy };
    if (kind === "capture" || kind === "move") this.#marks.append(svg("circle", { class: `target ${kind}`, ...at, r: kind === "move" ? 18 : 43 }));
    else this.#marks.append(svg("circle", { class: `target ${kind}`, ...at, r: kind === "place" ? 13 : 20 }));
  }

  /** Shows what the board would be, over what it is; null ends it. */
  preview(rows) {
    this.#ghosts.replaceChildren();
    for (const holder of this.#pieces.children) holder.classList.remove("going");
    if (rows === null) return;
    for (const [square, place] of this.#cells) {
      const content = rows[place.row][place.column];
      const shown = this.#shown.get(square);
      if (content === shown.content) continue;
      shown.element?.classList.add("going");
      if (content === ".") continue;
      this.#ghosts.append(svg("g", { transform: `translate(${place.cx} ${place.cy})` }, this.set.piece(content)));
    }
  }

  #walkTo(square, focus = true) {
    if (!this.#cells.has(square)) return;
    for (const [name, { cell }] of this.#cells) cell.setAttribute("tabindex", name === square ? 0 : -1);
    this.#focus = square;
    if (focus) this.#cells.get(square).cell.focus();
  }

  #walk([dx, dy]) {
    const here = this.#cells.get(this.#focus);
    const clamp = (value, most) => Math.min(Math.max(value, 0), most);
    const columns = this.squares[0].length - 1;
    const rows = this.squares.length - 1;
    let x = clamp(here.x + dx, columns);
    const y = clamp(here.y + dy, rows);
    for (const step of [0, Math.sign(dx) || 1, -(Math.sign(dx) || 1)]) {
      const there = [...this.#cells].find(([, place]) => place.x === x + step && place.y === y);
      if (there) return this.#walkTo(there[0]);
    }
  }

  #listen(grid) {
    grid.addEventListener("keydown", (event) => {
      this.svg.classList.remove("pointed");
      if (WALK[event.key]) this.#walk(WALK[event.key]);
      else if (event.key === "Enter" || event.key === " ") this.owner.choose(this.#focus, "key");
      else if (event.key === "Escape") this.owner.drop();
      else return;
      event.preventDefault();
    });
    grid.addEventListener("focusin", (event) => {
      const square = event.target.dataset?.square;
      if (square) this.owner.hover(square);
    });
    grid.addEventListener("focusout", () => this.owner.hover(null));
    // A screen reader's click comes without a pointer.
    grid.addEventListener("click", (event) => {
      const square = event.target.closest("[data-square]")?.dataset.square;
      if (square && event.detail === 0) this.owner.choose(square, "key");
    });
    this.svg.addEventListener("contextmenu", (event) => event.preventDefault());
    this.svg.addEventListener("pointerdown", (event) => this.#press(event));
    this.svg.addEventListener("pointermove", (event) => this.#move(event));
    this.svg.addEventListener("pointerup", (event) => this.#release(event));
    this.svg.addEventListener("pointercancel", () => this.#lay());
    this.svg.addEventListener("pointerleave", () => this.#drag === null && this.owner.hover(null));
  }

  #at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const x = Math.floor((point.x - EDGE) / CELL);
    const y = Math.floor((point.y - EDGE) / CELL);
    const found = [...this.#cells].find(([, place]) => place.x === x && place.y === y);
    return { square: found?.[0] ?? null, point };
  }

  #press(event) {
    const { square } = this.#at(event);
    if (event.button === 2) this.#noting = square;
    if (event.button !== 0) return;
    this.#notes.replaceChildren();
    if (square === null) return;
    event.preventDefault();
    this.svg.classList.add("pointed");
    this.#walkTo(square);
    this.#drag = { square, x: event.clientX, y: event.clientY, moved: false };
    if (event.pointerType !== "mouse") this.svg.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const { square, point } = this.#at(event);
    const drag = this.#drag;
    if (drag && !drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > DRAG_FROM) {
      drag.moved = true;
      if (this.owner.lift(drag.square)) {
        this.svg.setPointerCapture(event.pointerId);
        drag.holder = this.#shown.get(drag.square)?.element;
        drag.holder?.classList.add("lifted");
        if (drag.holder) this.#carried.append(this.set.piece(this.#shown.get(drag.square).content));
      }
    }
    if (drag?.holder) {
      this.#carried.setAttribute("transform", `translate(${point.x} ${point.y})`);
      // A clone leaves the piece that it grows from where it is.
      drag.holder.classList.toggle("lifted", this.#targets.get(square) !== "clone");
    }
    if (square !== this.#hovered) {
      this.#hovered = square;
      this.owner.hover(square);
    }
  }

  #hovered = null;
  /** The square where the right button went down. */
  #noting = null;

  /** Draws a circle on a square or an arrow to another one; the same again takes it away. */
  #note(from, to) {
    const name = `${from}-${to}`;
    const drawn = [...this.#notes.children].find((each) => each.dataset.note === name);
    if (drawn) {
      drawn.remove();
      return;
    }
    const [a, b] = [this.#cells.get(from), this.#cells.get(to)];
    if (from === to) {
      this.#notes.append(svg("circle", { class: "circle", "data-note": name, cx: a.cx, cy: a.cy, r: 43 }));
      return;
    }
    const length = Math.hypot(b.cx - a.cx, b.cy - a.cy);
    const turn = (Math.atan2(b.cy - a.cy, b.cx - a.cx) * 180) / Math.PI;
    const end = length - 18;
    this.#notes.append(
      svg("path", { class: "arrow", "data-note": name, d: `M20 -7H${end - 34}V-24L${end} 0L${end - 34} 24V7H20Z`, transform: `translate(${a.cx} ${a.cy}) rotate(${turn})` }),
    );
  }

  #release(event) {
    if (event.button === 2) {
      const { square } = this.#at(event);
      if (this.#noting !== null && square !== null) this.#note(this.#noting, square);
      this.#noting = null;
      return;
    }
    const drag = this.#drag;
    if (drag === null) return;
    const { square } = this.#at(event);
    this.#lay();
    if (drag.moved && drag.holder) {
      if (square !== null && square !== drag.square) this.owner.choose(square, "drag");
      else this.owner.drop();
    } else if (square === drag.square) {
      this.owner.choose(square, "click");
    }
  }

  /** Lays down what is carried. */
  #lay() {
    this.#drag?.holder?.classList.remove("lifted");
    this.#carried.replaceChildren();
    this.#drag = null;
  }
}
