/**
 * What the engine thinks of a position, as a share of a bar and in words; always as the first side
 * sees it, so that the numbers of a whole game make one curve.
 */

import type { Engine, Position, Side } from "./engine.js";
import type { Found } from "./search.js";

/** An opinion of a position, or the end of the game. */
export interface Opinion {
  /** Centipieces that the first side is ahead. */
  readonly score: number;
  /** Moves until a win that can be forced; the first side's are positive. */
  readonly mateIn: number | null;
  /** How the game ended; undefined while it goes on. */
  readonly winner?: Side | null;
  readonly line: readonly string[];
  readonly nodes: number;
}

// A lead of this many centipieces fills 73 % of the bar.
const SCALE = 200;

/** The opinion that a search came to. */
export function opinionOf({ score, mateIn, line, nodes }: Found, position: Position): Opinion {
  const sign = position.turn === "first" ? 1 : -1;
  return { score: sign * score, mateIn: mateIn === null ? null : sign * mateIn, line, nodes };
}

/** The opinion of a board where the rules have ended the game; null while it goes on. */
export function opinionOfEnd({ outcome }: Position): Opinion | null {
  if (outcome === null) return null;
  const winner = outcome.score === "1-0" ? "first" : outcome.score === "0-1" ? "second" : null;
  return { score: 0, mateIn: null, winner, line: [], nodes: 0 };
}

/** `Red +0.35`, `Blue wins in 3`, `Red has won`. */
export function verdictText({ score, mateIn, winner }: Opinion, sides: readonly string[]): string {
  const name = (first: boolean): string => sides[first ? 0 : 1] ?? "";
  if (winner === null) return "nobody has won";
  if (winner !== undefined) return `${name(winner === "first")} has won`;
  if (mateIn !== null) return `${name(mateIn > 0)} wins in ${Math.abs(mateIn)}`;
  return score === 0 ? "even" : `${name(score > 0)} +${(Math.abs(score) / 100).toFixed(2)}`;
}

/** What the best move of a position does, in a few words; null where that is little. */
export function explainBestMove(
  engine: Engine,
  { line, mateIn }: Opinion,
  position: Position,
): string | null {
  const [best] = line;
  const own = mateIn === null || position.turn === "first" ? mateIn : -mateIn;
  return best === undefined ? null : engine.reason(position, best, own);
}

/** How much of a bar belongs to the first side, from 0 to 1. */
export function barShare({ score, mateIn, winner }: Opinion): number {
  if (winner === null) return 0.5;
  if (winner !== undefined) return winner === "first" ? 1 : 0;
  if (mateIn !== null) return mateIn > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-score / SCALE));
}
