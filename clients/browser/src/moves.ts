/** Moves as the page has them: the squares by which they are entered, what they are and lead to. */

import type { Engine, LegalMove, Position } from "./engine.js";
import { numberOf } from "./words.js";

/** A move of the game; see PlayedMove of the control interface. */
export interface PlayedMove {
  readonly side: 0 | 1;
  readonly name: string | null;
  readonly squares: readonly string[];
  readonly board: readonly string[];
}

/** A move that was made, with the squares that it left and reached. */
export function playedMove(
  engine: Engine,
  before: Position,
  move: string,
  after: Position,
): PlayedMove {
  const squares = engine.legal(before).find((each) => each.move === move)?.squares ?? [];
  return {
    side: numberOf(before.turn),
    name: squares.length === 0 ? null : move,
    squares: squares.length > 2 ? [squares[0] ?? "", squares.at(-1) ?? ""] : squares,
    board: after.rows,
  };
}

/** The legal moves with the ways to enter them. */
export function enterable(
  engine: Engine,
  position: Position,
  legal: readonly LegalMove[],
): Record<string, unknown>[] {
  const squares = engine.squares(position);
  return legal.map((each) => {
    const paths = pathsOf(position, each, squares);
    return {
      move: each.move,
      paths,
      kind: kindOf(position, each, paths, squares),
      board: each.rows,
    };
  });
}

/** How many items two lists have in common at their beginning. */
export function commonPrefixLength(one: readonly string[], another: readonly string[]): number {
  const at = one.findIndex((each, index) => each !== another[index]);
  return at < 0 ? one.length : at;
}

type Squares = readonly (readonly (string | null)[])[];

function placeOf(squares: Squares, name: string): readonly [number, number] {
  const row = squares.findIndex((names) => names.includes(name));
  return [row, squares[row]?.indexOf(name) ?? -1];
}

/** The squares by which a move can be entered: a clone grows from any piece of ours beside it. */
function pathsOf(position: Position, { squares: path }: LegalMove, squares: Squares): string[][] {
  const target = path[0];
  if (path.length !== 1 || target === undefined || !position.ruleset.startsWith("ataxx/")) {
    return [[...path]];
  }
  const [row, column] = placeOf(squares, target);
  const mine = position.turn === "first" ? "x" : "o";
  const sources = [-1, 0, 1].flatMap((down) =>
    [-1, 0, 1].flatMap((across) => {
      const name = squares[row + down]?.[column + across];
      return position.rows[row + down]?.[column + across] === mine && name ? [name] : [];
    }),
  );
  return sources.map((source) => [source, target]);
}

/** The kind of a move, by what it does to the board. */
function kindOf(
  position: Position,
  { rows }: LegalMove,
  [path = []]: readonly string[][],
  squares: Squares,
): string {
  const [from] = path;
  if (path.length < 2 || from === undefined) return path.length === 1 ? "place" : "pass";
  const [row, column] = placeOf(squares, from);
  const stays = rows[row]?.[column] === position.rows[row]?.[column];
  if (stays && path.at(-1) !== from) return "clone";
  const count = (board: readonly string[], pieces: RegExp): number =>
    board.join("").match(pieces)?.length ?? 0;
  const [mine, theirs] = position.turn === "first" ? [/[xX]/g, /[oO]/g] : [/[oO]/g, /[xX]/g];
  const turned = count(rows, mine) > count(position.rows, mine);
  const fewer = count(rows, theirs) < count(position.rows, theirs);
  return fewer && !turned ? "capture" : "move";
}

/**
 * A game replayed from the start of its ruleset.
 * @throws RulesError There is no such ruleset, or a move is not legal.
 */
export function replayed(
  engine: Engine,
  ruleset: string,
  typed: readonly string[],
): { readonly moves: readonly string[]; readonly positions: readonly Position[] } {
  const positions = [engine.start(ruleset)];
  const moves = typed.map((text) => {
    const position = positions.at(-1) as Position;
    const move = engine.parseMove(position, text);
    positions.push(engine.play(position, move));
    return move;
  });
  return { moves, positions };
}
