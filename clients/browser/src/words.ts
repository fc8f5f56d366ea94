/** Sentences about games, the same as the program's; words.json is generated from it. */

import type { Position, Side } from "./engine.js";
import type { Outcome } from "./ledger.js";
import words from "./words.json" with { type: "json" };

/** What a page says of a ruleset. */
export interface GameWords {
  readonly game: string;
  readonly title: string;
  readonly sides: readonly string[];
  readonly rules: readonly string[];
  /** A move as people type it. */
  readonly example: string;
  /** Whether a move is entered by one square. */
  readonly one_square: boolean;
  readonly draw_offers: boolean;
  readonly most_pieces_win: boolean;
}

/** By their ids. */
export const RULESETS: Readonly<Record<string, GameWords>> = words.rulesets;
/** What a player asks the other to agree to, after "asks". */
export const WISHES = words.wishes;
const WHY: Readonly<Record<string, string>> = words.why;
const BY_PIECES: Readonly<Record<string, string>> = words.by_pieces;

/** What a level may spend, how freely it chooses, and in how many turns of a hundred it overlooks the answers. */
export interface Level {
  readonly depth: number | null;
  readonly nodes: number | null;
  readonly temperature: number;
  readonly oversight: number;
}

const LEVELS: Readonly<Record<string, Readonly<Record<string, Level>>>> = words.levels;
/** The numbers of the levels, in order. */
export const LEVEL_NUMBERS: readonly string[] = Object.keys(words.levels.ataxx);

/** A level of the engine in a ruleset's game; undefined where there is none. */
export function levelOf(ruleset: string, level: number | string): Level | undefined {
  return LEVELS[wordsOf(ruleset).game]?.[level];
}

export const DEFAULT_LEVEL = words.default_level;
/** How the levels compare, and what an estimate of a person's strength starts from. */
export const LADDER = words.ladder;
/** No move may take longer. */
export const CUTOFF_MS = words.cutoff_ms;
/** How long the engine searches a position that it is asked about. */
export const EFFORTS = words.efforts;

/** The words of a ruleset that the engine knows. */
export function wordsOf(ruleset: string): GameWords {
  const found = RULESETS[ruleset];
  if (found === undefined) throw new Error(`there are no words for ${ruleset}`);
  return found;
}

/** 0 for the side that moves first in the game, 1 for the other, as the page numbers them. */
export function numberOf(side: Side): 0 | 1 {
  return side === "first" ? 0 : 1;
}

/** What a side is called. */
export function nameOf(ruleset: string, side: Side): string {
  return wordsOf(ruleset).sides[numberOf(side)] ?? side;
}

/**
 * How a game ended, such as `Red wins, 30 to 19: nobody can move.`
 * @param own The reader's side; null for a spectator.
 */
export function endingText(outcome: Outcome, position: Position, own: Side | null): string {
  const { winner, termination } = outcome;
  const { most_pieces_win, sides } = wordsOf(position.ruleset);
  const loser = winner === null ? "" : (sides[1 - numberOf(winner)] ?? "");
  if (termination === "time" && winner !== null) {
    if (winner === own) return "Your opponent's time ran out: you win.";
    return `${own === null ? loser : "You"} lost on time.`;
  }
  const byPieces = most_pieces_win && Object.hasOwn(BY_PIECES, termination);
  const why = ((byPieces ? BY_PIECES : WHY)[termination] ?? termination).replace("{loser}", loser);
  const draw = outcome.score === "*" ? "No result" : "A draw";
  const head = winner === null ? draw : `${nameOf(position.ruleset, winner)} wins`;
  if (!byPieces) return `${head}: ${why}.`;
  const [first, second] = position.counts;
  const counts = winner === "second" ? `${second} to ${first}` : `${first} to ${second}`;
  return `${head}, ${counts}: ${why}.`;
}
