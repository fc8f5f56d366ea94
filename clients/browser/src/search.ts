/** The search of one game: its WebAssembly module of engine/websearch, with types. */

import { utf8 } from "./bytes.js";

interface Exports {
  readonly memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  search(): number;
}

/** What a search may spend; it ends at the first limit that it reaches. */
export interface Limits {
  readonly depth?: number | null;
  readonly nodes?: number | null;
  readonly timeMs?: number;
  /** Ends a search that takes longer, and has no other influence on it. */
  readonly cutoffMs?: number;
  readonly seed?: number;
  /** How freely the seed chooses, in centipieces. */
  readonly temperature?: number;
  /** In how many turns of a hundred, chosen by the seed, answers are overlooked. */
  readonly oversight?: number;
}

/** What is to be searched. */
export interface Question {
  readonly ruleset: string;
  /** The position's text. */
  readonly position: string;
  readonly limits: Limits;
}

/** What a search found. */
export interface Found {
  readonly move: string;
  /** Centipieces for the side to move. */
  readonly score: number;
  /** Moves until a forced win (positive) or loss. */
  readonly mateIn: number | null;
  readonly depth: number;
  readonly nodes: number;
  readonly elapsedMs: number;
  /** The expected moves, the best one first. */
  readonly line: readonly string[];
}

// The smallest module with a 128-bit constant.
const WIDE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 22, 1, 20, 0, 253, 12, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11,
]);

/** Why this browser cannot run the search; null when it can. */
export function searchObstacle(): string | null {
  if (WebAssembly.validate(WIDE)) return null;
  return "This browser is too old for the engine: its WebAssembly has no SIMD. Games with people work.";
}

/** The module of a game, loaded. */
export class Search {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** Starts a compiled module. */
  static async load(module: WebAssembly.Module): Promise<Search> {
    const clock = { now: () => performance.now() };
    const { exports } = await WebAssembly.instantiate(module, { clock });
    return new Search(exports as unknown as Exports);
  }

  /**
   * Searches a position; the thread does nothing else meanwhile.
   * @throws Error The game is over there, or the question is invalid.
   */
  search({ ruleset, position, limits }: Question): Found {
    const { depth, nodes, timeMs, cutoffMs, seed, temperature, oversight } = limits;
    const numbers = [depth, nodes, timeMs, cutoffMs, seed, temperature, oversight];
    const told = numbers.map((each) => each ?? "-");
    const data = utf8(`${ruleset}\n${position}\n${told.join(" ")}`);
    const { memory, input, output, search } = this.#exports;
    // The memory may move whenever the module is called, so it is looked up after each call.
    const room = input(data.length);
    new Uint8Array(memory.buffer, room, data.length).set(data);
    const length = search();
    const bytes = new Uint8Array(memory.buffer, output(), Math.abs(length));
    const text = new TextDecoder().decode(bytes);
    if (length < 0) throw new Error(text);
    const [move = "", score, mate, , depthReached, visited, elapsed, line = ""] = text.split("\n");
    return {
      move,
      score: Number(score),
      mateIn: mate === "-" ? null : Number(mate),
      depth: Number(depthReached),
      nodes: Number(visited),
      elapsedMs: Number(elapsed),
      line: line.split(" "),
    };
  }
}
