/** The games against the engine, in the storage of this browser; the newest ones are kept. */

import { keep, kept } from "../../ataxxd_clients/web/static/kept.js";
import { StorageError } from "./journal.js";
import { type LocalGame, newGame } from "./local_table.js";
import { DEFAULT_LEVEL } from "./words.js";

const KEY = "ataxxd.local";
const MAX_KEPT = 20;

type Kept = Record<string, LocalGame>;

function all(): Kept {
  try {
    return JSON.parse(kept(KEY) ?? "{}") as Kept;
  } catch {
    // Something else has written to this key.
    return {};
  }
}

/** The games with their ids, the newest first. */
export function localGames(): (readonly [string, LocalGame])[] {
  return Object.entries(all()).reverse();
}

/** A game by its id; null where there is none. */
export function localGame(id: string): LocalGame | null {
  const games = all();
  return Object.hasOwn(games, id) ? (games[id] ?? null) : null;
}

/** Keeps a game, new or changed; says whether it outlives the page. */
export function keepLocal(id: string, game: LocalGame): boolean {
  const games = Object.entries({ ...all(), [id]: game });
  return keep(KEY, JSON.stringify(Object.fromEntries(games.slice(-MAX_KEPT))));
}

/** Adds games from a file to those here; of two copies, the one with more moves stays. */
export function mergeLocal(games: readonly (readonly [string, LocalGame])[]): void {
  const here = all();
  const more = games.filter(([id, { moves }]) => moves.length > (here[id]?.moves.length ?? -1));
  // Their ids sort by when they began.
  const merged = Object.entries({ ...here, ...Object.fromEntries(more) }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  keep(KEY, JSON.stringify(Object.fromEntries(merged.slice(-MAX_KEPT))));
}

/** Keeps a new game; returns its id. */
export function addLocal(game: LocalGame): string {
  const id = `engine-${Date.now().toString(36)}`;
  if (!keepLocal(id, game)) throw new StorageError("forbidden");
  return id;
}

/** Keeps a study of a game, with its moves and evaluated, as a game of its own; returns its id. */
export function addStudy(
  ruleset: string,
  moves: readonly string[],
  declared: LocalGame["declared"],
): string {
  const game = newGame(ruleset, DEFAULT_LEVEL, ["human", "human"]);
  return addLocal({ ...game, moves, declared, evaluating: true });
}

/** Forgets a game. */
export function dropLocal(id: string): void {
  const { [id]: _, ...rest } = all();
  keep(KEY, JSON.stringify(rest));
}
