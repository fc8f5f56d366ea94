// What the engine thinks: a bar, the graph of a game, and the line it expects.
//
// Shares are the first side's, from 0 to 1. The graph is a slider, so that it can be walked with
// the arrow keys, and a screen reader is told each position in words.

import { html, svg } from "./shapes.js";

const WIDTH = 300;
const HEIGHT = 72;
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

// How much of the bar a move has to lose, for its player, to be marked.
const MISTAKE = 0.15;
const BLUNDER = 0.3;

/** Marks a side's move in a list as a mistake or a blunder, by the verdicts before and after it, if there are any. */
export function markMistake(button, side, before, after) {
  const lost = before && after ? (side === 0 ? 1 : -1) * (before.share - after.share) : 0;
  const [mark, words] = lost >= BLUNDER ? ["??", "a blunder"] : lost >= MISTAKE ? ["?", "a mistake"] : ["", ""];
  button.dataset.mark = mark;
  if (mark) button.setAttribute("aria-label", `${button.textContent}, ${words}`);
  else button.removeAttribute("aria-label");
}

export class EvaluationView {
  #verdicts = [];
  #ply = 0;

  /** `look(ply)` is called when a position is chosen in the graph. */
  constructor(host, look) {
    this.look = look;
    this.words = html("p", { class: "verdict-words" });
    this.bar = html("div", { class: "verdict-bar", "aria-hidden": "true" }, html("div", { class: "verdict-share" }));
    this.graph = html("div", {
      class: "verdict-graph",
      role: "slider",
      tabindex: 0,
      "aria-label": "Evaluation of the game, move by move",
      "aria-valuemin": 0,
    });
    this.line = html("p", { class: "verdict-line" });
    host.replaceChildren(this.bar, this.words, this.graph, this.line);
    this.graph.addEventListener("keydown", (event) => this.#step(event));
    this.graph.addEventListener("click", (event) => this.#point(event));
  }

  /** Shows the verdicts after 0, 1, 2, … moves (null if unknown), and the position shown. */
  show(verdicts, ply) {
    this.#verdicts = verdicts;
    this.#ply = ply;
    const here = verdicts[ply] ?? null;
    this.words.textContent = here === null ? "Not evaluated yet" : here.words;
    this.bar.classList.toggle("unknown", here === null);
    this.bar.firstChild.style.width = `${100 * (here?.share ?? 0.5)}%`;
    const [best, ...then] = (here?.line ?? []).map((move) => html("span", {}, move));
    const why = here?.why ? [`, which ${here.why}${then.length ? "; then" : ""}`] : [];
    const moves = then.flatMap((move) => [" ", move]);
    this.line.replaceChildren(...(best ? ["Best: ", best, ...why, ...moves] : []));
    this.graph.setAttribute("aria-valuemax", Math.max(verdicts.length - 1, 0));
    this.graph.setAttribute("aria-valuenow", ply);
    this.graph.setAttribute("aria-valuetext", `Move ${ply}: ${this.words.textContent}`);
    this.graph.replaceChildren(this.#draw());
  }

  #x(ply) {
    return (WIDTH * ply) / Math.max(this.#verdicts.length - 1, 1);
  }

  #draw() {
    const drawn = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const points of this.#runs()) {
      const [from, to] = [points[0][0], points.at(-1)[0]];
      drawn.append(svg("rect", { class: "second", x: from, width: to - from, height: HEIGHT }));
      const top = points.map(([x, y]) => `${x} ${y}`).join(" L ");
      drawn.append(svg("path", { class: "first", d: `M ${from} ${HEIGHT} L ${top} L ${to} ${HEIGHT} Z` }));
    }
    drawn.append(svg("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }));
    const x = this.#x(this.#ply);
    drawn.append(svg("line", { class: "here", x1: x, x2: x, y1: 0, y2: HEIGHT }));
    return drawn;
  }

  /** The pieces of the curve between positions that are not known; a lone point is a short step. */
  #runs() {
    const runs = [];
    let run = [];
    this.#verdicts.forEach((verdict, ply) => {
      if (verdict === null) run = [];
      else {
        if (run.length === 0) runs.push(run);
        run.push([this.#x(ply), HEIGHT * (1 - verdict.share)]);
      }
    });
    return runs.map((each) => (each.length > 1 ? each : [each[0], [each[0][0] + 1, each[0][1]]]));
  }

  #step(event) {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.#go(this.#ply + step);
  }

  #point(event) {
    const box = this.graph.getBoundingClientRect();
    this.#go(Math.round(((event.clientX - box.left) / box.width) * (this.#verdicts.length - 1)));
  }

  #go(ply) {
    this.look(Math.min(Math.max(ply, 0), this.#verdicts.length - 1));
  }
}
